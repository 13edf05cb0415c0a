/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_slices.h - the ResourceSlices of a node, made from its inventory
 *
 * Devices that a pod can be given are published: network functions, sub-functions, vDPA devices
 * that are on neither, also those that pods have now, because the scheduler knows its allocations.
 * Devices that the host itself uses are not published: a network device with a default route, an
 * address, a bridge or bond above it, or other devices upon it; nor a PF while the host so uses a
 * part of it.
 */
#ifndef MANAGER_DRA_NODE_SLICES_H
#define MANAGER_DRA_NODE_SLICES_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/taint/device_name.h"
#include "manager/dra/kubernetes.h"
#include "manager/inventory/inventory.h"
#include "manager/match/pool.h"

#include <jansson.h>

/*
 * What is left out, because the cluster would drop what has to be said of it: PFs of which parts
 * are published (counters), and devices that are not well (taints).
 */
struct node_slices_left {
	size_t pfs, tainted;
};

struct node_slices_wish {
	const char *driver;		/* spec.driver, and the domain of our own attributes */
	const char *node;		/* spec.nodeName and the pool's name */
	const char *node_uid;		/* of the Node object, their owner; NULL: they have none */
	json_int_t generation;
	const struct pools *pools;	/* which resources the devices are of; NULL: none is told */
	const struct kubernetes *kubernetes;	/* of the cluster; NULL: it has all features */
	struct node_slices_left *left;	/* is counted; NULL: nobody asks */
	const struct host *host;	/* to find uppers of a network device; NULL: not checked */
};

#define NODE_SLICES_DRIVER	DEVICE_NAME_DRIVER	/* unless another is said */
#define NODE_SLICES_LABEL	DEVICE_NAME_DRIVER "/node"	/* of each: whose it is */

/*
 * A list of ResourceSlice objects of resource.k8s.io/v1, new reference; NULL with *e filled.  A
 * node without devices has one slice without any, so that it replaces those of before.
 */
json_t *node_slices(const struct inventory *inv, const struct node_slices_wish *wish,
		    struct err *e) must_check;

/* Set the generation of all of them. */
void node_slices_set_generation(json_t *slices, json_int_t generation);

#endif
