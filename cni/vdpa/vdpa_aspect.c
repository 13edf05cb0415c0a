/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_aspect.c - a vDPA device: probed, made and bound, compared, given back */
#include "cni/vdpa/vdpa.h"

/* Which network device it has, if any, is vDPA's to say. */
static int probe(struct attachment *a, struct err *e)
{
	if (vdpa_probe(a, e) < 0)
		return -1;
	a->netdev_known = *a->rec.vdpa.name;
	a->netdev_ifindex = a->vdpa.ifindex;
	return 0;
}

static int check(struct check *c, struct err *e)
{
	return vdpa_check(c->host, &c->conf->vdpa, c->mac, c->rec, check_tell, c, e);
}

/* A program that has it open keeps its VLAN, too. */
static int give_back(struct restoring *r, struct err *e)
{
	if (vdpa_restore(r->host, r->rec, e) == 0)
		return 0;
	r->in_use = r->blocked = true;
	return -1;
}

static int find_netdev(struct restoring *r, struct err *e)
{
	int found = vdpa_find_netdev(r->host, r->rec, e);

	r->has_no_netdev = found <= 0;
	r->in_use = r->blocked = found < 0;
	return found < 0 ? -1 : 0;
}

/* One whose network device ends with it goes first, for that cannot be brought home. */
static int restore(struct restoring *r, struct err *e)
{
	const struct record *rec = r->rec;

	if (!*rec->vdpa.name)
		return 0;
	if (vdpa_ends_netdev(rec) && give_back(r, e) < 0)
		return -1;
	r->has_no_netdev = vdpa_ends_netdev(rec) && !vdpa_renews_netdev(rec);
	return rec->netdev.present && !r->has_no_netdev ? find_netdev(r, e) : 0;
}

static int settle(struct restoring *r, struct err *e)
{
	return vdpa_ends_netdev(r->rec) ? 0 : give_back(r, e);
}

const struct aspect vdpa_aspect = {
	.name = "vdpa", .probe = probe, .apply = vdpa_prepare, .describe = vdpa_info,
	.check = check, .busy = vdpa_check_free, .restore = restore, .settle = settle,
	.hides_netdev = vdpa_is_node,
};
