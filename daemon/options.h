/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - the command line of devinfod, which is sriov-network-device-plugin's as well */
#ifndef DAEMON_OPTIONS_H
#define DAEMON_OPTIONS_H

#include <stdbool.h>

#define OPTIONS_CONFIG_FILE	"/etc/pcidp/config.json"

/* All is borrowed from the arguments, or constant. */
struct options {
	const char *config_file;	/* absolute: the pools */
	const char *resource_prefix;	/* of those that name none */
	bool use_cdi;
	const char *ignored;		/* the first option of glog, by its name; NULL */
};

enum options_want {
	OPTIONS_RUN,
	OPTIONS_ENOUGH,			/* help or the version was asked for, and printed */
	OPTIONS_WRONG,			/* told on stderr */
};

/* Read the arguments; *ret is filled for OPTIONS_RUN. */
enum options_want options_parse(int argc, char **argv, struct options *ret);

#endif
