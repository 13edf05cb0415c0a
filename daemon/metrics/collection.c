/* SPDX-License-Identifier: Apache-2.0 */
/* collection.c - all samples of one moment, collected in steps */
#include "daemon/metrics/collection.h"

#include "daemon/metrics/rdma_counter.h"
#include "daemon/metrics/snapshot.h"
#include "daemon/metrics/vf_counter.h"

#include <stdlib.h>

struct collection {
	const struct host *host;
	struct exposition *x;		/* owned */
	struct vf_counters vfs;
	struct rdma_counters rdmas;
};

struct collection *collection_new(const struct host *host, const struct inventory *inv,
				  const struct offers *offers)
{
	struct collection *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->host = host;
	c->x = exposition_new();
	if (!c->x || vf_counters_begin(&c->vfs, host, inv, c->x) < 0 ||
	    rdma_counters_begin(&c->rdmas, inv, c->x) < 0) {
		collection_free(c);
		return NULL;
	}
	snapshot_daemon(c->x);
	snapshot_node(inv, c->x);
	snapshot_offers(offers, c->x);
	snapshot_calls(host, c->x);
	return c;
}

bool collection_step(struct collection *c)
{
	return vf_counters_step(&c->vfs, c->x) || rdma_counters_step(&c->rdmas, c->host, c->x);
}

struct exposition *collection_take(struct collection *c)
{
	return exposition_is_whole(c->x) ? exposition_share(c->x) : NULL;
}

void collection_free(struct collection *c)
{
	if (!c)
		return;
	exposition_release(c->x);
	vf_counters_done(&c->vfs);
	rdma_counters_done(&c->rdmas);
	free(c);
}
