/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node.h - the node's own file: defaults for every configuration
 *
 * /etc/cni/net.d/devinfo.d/devinfo.json, in a directory of its own because engines read each
 * *.conf, *.conflist and *.json of net.d itself.  The environment variable DEVINFO_CONF names
 * another file.  It holds one object with the keys IN_NODE_FILE (conf/keys.h); "root" is the
 * directory that all paths are relative to (for recorded nodes).
 */
#ifndef CONF_NODE_H
#define CONF_NODE_H

#include "base/err.h"
#include "base/host.h"

#include <jansson.h>
#include <stdbool.h>

#define NODE_FILE_DIR	"/etc/cni/net.d/devinfo.d"
#define NODE_FILE_NAME	"devinfo.json"
#define NODE_FILE	NODE_FILE_DIR "/" NODE_FILE_NAME
#define NODE_FILE_MAX	65536

struct node {
	json_t *doc;			/* owned; the settings borrow its strings */
	const char *root;		/* NULL: "/" */
	struct settings set;
	bool wrong;			/* a key is unknown or has a bad value... */
	struct err why;			/* ...this; the others are used */
	bool lost;			/* it is no JSON object: wrong, and all are the defaults */
	bool lost_dirs;			/* and it seems to say where things are: they may be
					   elsewhere */
};

/*
 * An absent file gives the defaults, unless DEVINFO_CONF named it.  A file that cannot be read is
 * an error; for wrong content the caller looks at ret->wrong.
 */
int node_read(const char *path, struct node *ret, struct err *e) must_check;
void node_done(struct node *n);

#define auto_node auto_with(node_done)

#endif
