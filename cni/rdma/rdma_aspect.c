/* SPDX-License-Identifier: Apache-2.0 */
/* rdma_aspect.c - RDMA device and InfiniBand GUID: probed, moved and set, compared, given back */
#include "cni/rdma/infiniband.h"

#include "base/mem.h"
#include "cni/aspect/aspect.h"
#include "cni/rdma/rdma.h"
#include "netlink/netns.h"

#include <string.h>

/* The GUID first: for it the driver is away for a moment, which makes the RDMA device anew. */
static int probe(struct attachment *a, struct err *e)
{
	return infiniband_probe(a, e) < 0 || rdma_probe(a, e) < 0 ? -1 :
								   infiniband_probe_rdma(a, e);
}

static int apply(struct attachment *a, struct err *e)
{
	return infiniband_set_guid(a, e) < 0 ? -1 : rdma_move_in(a, e);
}

static int check_rdma(struct check *c, struct err *e)
{
	const struct rdma_state *was = &c->rec->rdma;
	auto_close int netns = -1;
	struct rdma_device dev;
	int r;

	if (!was->isolated)
		return 0;
	r = netns_open(c->call->netns, &netns, e);
	if (r > 0)
		r = rdma_find_in(netns, c->rec, &dev, e);
	if (r == 0)
		check_away(c, "rdma: %s is not in the container", was->name);
	if (r > 0 && strcmp(dev.name, was->name) != 0)
		check_differs(c, "rdma: expected %s, got %s", was->name, dev.name);
	return r < 0 ? -1 : 0;
}

static int restore(struct restoring *r, struct err *e)
{
	return infiniband_restore(r->host, r->journal, r->rec, r->dev, e);
}

/* It is looked for at home when nothing is left to bring there. */
static int settle(struct restoring *r, struct err *e)
{
	return r->failed ? 0 : infiniband_settle(r->host, r->journal, r->rec, e);
}

const struct aspect rdma_aspect = {
	.of = ASPECT_DEVICE, .probe = probe, .apply = apply,
	.check = check_rdma, .restore = restore, .settle = settle,
};
