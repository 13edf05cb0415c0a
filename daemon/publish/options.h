/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - the command line of devinfo-publish */
#ifndef DAEMON_PUBLISH_OPTIONS_H
#define DAEMON_PUBLISH_OPTIONS_H

#include <stdbool.h>

struct options {
	const char *kubeconfig;		/* NULL: as a pod has it */
	const char *node_name;		/* NULL: $NODE_NAME, or what the node's file says */
	const char *pool;		/* a file of pools, absolute; NULL: none */
	const char *resource_prefix;	/* of pools that name none */
	const char *driver;		/* of ResourceSlices; NULL: ours */
	bool annotations, slices, node_feature, events;
};

enum options_want { OPTIONS_RUN, OPTIONS_ENOUGH, OPTIONS_WRONG };

/*
 * OPTIONS_ENOUGH: help or the version was asked for, and is printed; OPTIONS_WRONG: what is wrong
 * is told on standard error.  *ret borrows from argv.
 */
enum options_want options_parse(int argc, char **argv, struct options *ret);

#endif
