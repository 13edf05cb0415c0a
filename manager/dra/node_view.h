/* SPDX-License-Identifier: Apache-2.0 */
/* node_view.h - this node's devices as the cluster sees them: published, and with overrides */
#ifndef MANAGER_DRA_NODE_VIEW_H
#define MANAGER_DRA_NODE_VIEW_H

#include "base/err.h"
#include "base/host.h"
#include "manager/dra/node_slices.h"
#include "manager/dra/overrides.h"
#include "manager/dra/slice.h"
#include "manager/inventory/inventory.h"

/* Zeroed to begin with; whoever has more overrides than the node's directory adds to o.from. */
struct node_view {
	struct overrides o;		/* owned, as is the rest */
	struct manifests slices;
	struct dra_devices devices;
	struct override_changes changes;
};

/*
 * The manifests of the node's directory, into o->from: 1; 0 when there is no directory, or the gate
 * is closed; -1.  A file that is wrong becomes a finding.
 */
int overrides_read_dir(const struct host *host, struct overrides *o, struct err *e) must_check;

/* Slices of the inventory, with v->o laid over them. */
int node_view_make(const struct inventory *inv, const struct node_slices_wish *wish,
		   struct node_view *v, struct err *e) must_check;

void node_view_done(struct node_view *v);

#define auto_node_view auto_with(node_view_done)

#endif
