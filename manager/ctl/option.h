/* SPDX-License-Identifier: Apache-2.0 */
/*
 * option.h - the options of devinfoctl: names, the form of their values, and the commands that take
 * them
 */
#ifndef MANAGER_CTL_OPTION_H
#define MANAGER_CTL_OPTION_H

#include "manager/ctl/ctl.h"

#include <stdbool.h>
#include <stdio.h>

/* The texts are borrowed from the command line, NULL when not given. */
struct arguments {
	const char *root, *devinfo_dir, *state_dir;
	struct ctl_options opt;
	bool help, version;
};

/*
 * Parse the whole command line, with options anywhere; getopt's optind is then the first operand.
 */
enum ctl_status ctl_option_parse(int argc, char **argv, struct arguments *ret);

/* Which options a command takes is a string, a character each; CTL_USAGE for another one. */
enum ctl_status ctl_option_check(const char *takes, const char *command,
				 const struct arguments *args);

/* What they are for, a line each. */
void ctl_option_put_help(FILE *to, const char *takes, const char *command);

#endif
