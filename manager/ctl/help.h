/* SPDX-License-Identifier: Apache-2.0 */
/* help.h - what `help` says about a command and its options, beside the tables of main.c */
#ifndef MANAGER_CTL_HELP_H
#define MANAGER_CTL_HELP_H

#include <stdio.h>

/* What a command does, in several lines. */
void ctl_help_put_command(FILE *to, const char *command);

/* "  --name VALUE  what it is", as far as it is told apart for this command. */
void ctl_help_put_option(FILE *to, const char *option, const char *command);

/* Lines to try, each of which a test runs; with their title. */
void ctl_help_put_examples(FILE *to, const char *command);

#endif
