/* SPDX-License-Identifier: Apache-2.0 */
/* help.h - the texts of `help` about a command and its options, next to the tables of main.c */
#ifndef MANAGER_CTL_HELP_H
#define MANAGER_CTL_HELP_H

#include <stdio.h>

/* Print what a command does, in several lines. */
void ctl_help_put_command(FILE *to, const char *command);

/* Print "--name VALUE what it is", with the meaning for this command. */
void ctl_help_put_option(FILE *to, const char *option, const char *command);

/* Print examples with their title; a test runs each of them. */
void ctl_help_put_examples(FILE *to, const char *command);

#endif
