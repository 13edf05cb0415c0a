/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_aspect.c - a vDPA device: probed, made and bound, compared, given back */
#include "cni/vdpa/vdpa.h"

#include "base/capability.h"
#include "devinfo/node/vdpa_device.h"

#include <linux/capability.h>
#include <string.h>

/* That of the choice, or the one that is all that a function is for. */
static int names(const struct host *host, const struct choice *c, struct choice_names *ret,
		 struct err *e)
{
	struct vdpa_device dev = { 0 };
	struct err several;
	int r = *c->part	? vdpa_device_read(host, c->part, &dev, e) :
		c->is_netdev	? 0 :
				  vdpa_device_for(host, c->key, &dev, &several);

	if (r < 0 && *c->part)
		return -1;
	choice_add_name(ret, *c->part ? c->part : dev.name);
	choice_add_name(ret, dev.netdev);
	return 0;
}

/* Which network device it has, if any, is vDPA's to say. */
static int probe(struct attachment *a, struct err *e)
{
	if (vdpa_probe(a, e) < 0)
		return -1;
	a->info_by_aspect = a->netdev_known = *a->rec.vdpa.name;
	a->netdev_ifindex = a->vdpa.ifindex;
	return 0;
}

static int probe_info(struct attachment *a, struct err *e)
{
	return a->info_by_aspect ? vdpa_probe_info(a, e) : 0;
}

static int describe(struct attachment *a, struct err *e)
{
	const struct vdpa_net_config *now = &a->vdpa_config;

	/* a simulator, and some hardware, has none until its driver chooses one */
	if (now->have & VDPA_MAC)
		memcpy(a->known_mac, now->mac, MAC_LEN);
	if (now->have & VDPA_MTU)
		a->known_mtu = now->mtu;
	return vdpa_info(a, e);
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
	int must_be = found > 0 ? vdpa_has_netdev(r->host, r->rec, e) : 0;

	if (must_be < 0)
		found = -1;
	r->netdev_known = true;
	r->netdev_must_be = must_be > 0;
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

/* To see whether one is in use whose node in /dev is missing (vdpa_driver.c). */
static void needs(const struct record *rec, struct aspect_needs *ret)
{
	if (!*rec->vdpa.name)
		return;
	ret->mounts = true;
	ret->capabilities |= CAPABILITY(CAP_MKNOD);
}

const struct aspect vdpa_aspect = {
	.of = ASPECT_DEVICE, .choose = vdpa_choose, .names = names, .probe = probe,
	.probe_info = probe_info, .apply = vdpa_prepare, .describe = describe, .check = vdpa_check,
	.busy = vdpa_check_free, .restore = restore, .settle = settle, .status = vdpa_status,
	.hides_netdev = vdpa_is_node, .needs = needs,
};
