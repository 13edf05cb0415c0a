/* SPDX-License-Identifier: Apache-2.0 */
/* net_d.h - find the CNI configurations of the node, as a runtime does */
#ifndef MANAGER_DOCTOR_NET_D_H
#define MANAGER_DOCTOR_NET_D_H

#include "base/err.h"
#include "base/host.h"

#include <jansson.h>

#define NET_D	"/etc/cni/net.d"

enum { NET_D_PATH = 280 };

/* Why a check has nothing to look at. */
#define NO_MULTUS	"no configuration in " NET_D " is Multus'"

struct net_d_file {
	const char *path;
	json_t *doc;			/* an object; NULL: it cannot be read */
	struct err why;			/* when it cannot */
};

/* Call fn for each file that a runtime reads: *.conf, *.conflist, *.json. */
typedef int net_d_fn(const struct net_d_file *file, void *arg, struct err *e);
int net_d_each(const struct host *host, net_d_fn *fn, void *arg, struct err *e) must_check;

/*
 * List all plugins' configurations in a document: its own, those of a list, and delegates of Multus
 * or ours.  Returns a new list; empty for NULL.
 */
json_t *net_d_plugins(const json_t *doc) must_check;

/* Return its type, or "". */
const char *net_d_type(const json_t *conf);

#endif
