/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collection.h - all samples of one moment, collected in steps
 *
 * What the daemon knows is taken over at once, so that a look at the node meanwhile changes
 * nothing.  Then each step asks for the counters of one PF's VFs, or of one RDMA device: some of
 * these ask the firmware, and a node has many, so the caller does other things between steps.
 */
#ifndef DAEMON_METRICS_COLLECTION_H
#define DAEMON_METRICS_COLLECTION_H

#include "base/host.h"
#include "daemon/metrics/exposition.h"
#include "daemon/offer/offer.h"
#include "manager/inventory/inventory.h"

struct collection;

/* host is borrowed, the others are only read.  NULL: there is no memory. */
struct collection *collection_new(const struct host *host, const struct inventory *inv,
				  const struct offers *offers) must_check;
/* Make one step; false: nothing is left to do. */
bool collection_step(struct collection *c) must_check;
/* Return all samples, owned by the caller; NULL: there was no memory for them. */
struct exposition *collection_take(struct collection *c) must_check;
/* NULL is fine. */
void collection_free(struct collection *c);

#endif
