/* SPDX-License-Identifier: Apache-2.0 */
/* node_object.h - the NodeFeature of a node, made from its inventory */
#ifndef MANAGER_NFD_NODE_OBJECT_H
#define MANAGER_NFD_NODE_OBJECT_H

#include "base/err.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"
#include "manager/match/pool.h"

#include <jansson.h>
#include <stdbool.h>

struct node_object_wish {
	const char *node;		/* its name */
	const struct pools *pools;	/* NULL: none is told */
	bool raw;			/* without labels: rules make them */
	void (*left_out)(const char *set, void *arg);	/* is told each set that is left out */
	void *arg;
};

/*
 * All features of a joined inventory, and its labels, in an object that `kubectl apply` takes if
 * that can be had without the devices; else one that etcd takes.  New reference, or NULL.
 */
json_t *node_object(const struct host *host, const struct inventory *inv,
		    const struct node_object_wish *wish, struct err *e) must_check;

#endif
