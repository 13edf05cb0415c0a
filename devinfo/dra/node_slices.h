/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_slices.h - the ResourceSlices of a node, made from its inventory
 */
#ifndef DEVINFO_DRA_NODE_SLICES_H
#define DEVINFO_DRA_NODE_SLICES_H

#include "base/err.h"
#include "devinfo/inventory/inventory.h"

#include <jansson.h>

struct node_slices_wish {
	const char *driver;		/* spec.driver, which is also the domain of our own attributes */
	const char *node;		/* spec.nodeName and the pool's name */
	json_int_t generation;
};

#define NODE_SLICES_DRIVER	"devinfo.cni.dev"	/* unless another is configured */

/* A list of ResourceSlice objects of resource.k8s.io/v1, new reference; NULL with *e filled. */
json_t *node_slices(const struct inventory *inv, const struct node_slices_wish *wish,
		    struct err *e) must_check;

#endif
