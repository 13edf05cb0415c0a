/* SPDX-License-Identifier: Apache-2.0 */
/* netdev_chained.c - an interface that another plugin has made: what we change, in the container */
#include "cni/netdev/netdev.h"

#include "base/mem.h"
#include "devinfo/journal/owner.h"

/*
 * igb refuses an address of the VF's own choice once the PF has assigned one, be it the same: then
 * trust lets it through, for that moment.
 */
static int set_link(struct attachment *a, const struct link_change *c, struct err *e)
{
	const struct pci_device *pci = &a->dev.pci;
	struct vf_state v = { .have = VF_TRUST, .trust = true };
	struct err second;
	int r = link_set(&a->pod, a->link.ifindex, c, e);

	if (r == 0 || !c->mac || !(a->rec.vf.have & VF_TRUST))
		return r;
	if (vf_set(&a->home, pci->pf_ifindex, pci->vf_index, &v, e) < 0)
		return -1;
	r = link_set(&a->pod, a->link.ifindex, c, e);
	v.trust = a->vf_want.have & VF_TRUST ? a->vf_want.trust : a->rec.vf.trust;
	if (vf_set(&a->home, pci->pf_ifindex, pci->vf_index, &v, &second) < 0) {
		*e = second;
		return -1;
	}
	return r;
}

static int apply(struct attachment *a, struct err *e)
{
	struct link_change c = { 0 };
	struct netdev_wish w;
	int r;

	netdev_wish_of(a, &w);
	if (netdev_ask(&w, &a->rec, &c) && set_link(a, &c, e) < 0)
		return err_wrap(e, "configure %s in the container", a->call->ifname);
	r = link_get_by_name(&a->pod, a->call->ifname, &a->link, e);	/* as it is now */
	if (r == 0)
		a->link = (struct link){ 0 };
	return r < 0 ? -1 : 0;
}

/* Trust lets the VF choose its own address; the PF's side, which comes next, takes it back. */
static int restore_link(struct restoring *r, struct nl *pod, struct err *e)
{
	struct vf_state trusted = { .have = VF_TRUST, .trust = true };
	const struct record *rec = r->rec;

	if (netdev_restore_in_place(&r->home, pod, rec, e) >= 0)
		return 0;
	if (!rec->mac_set || !(rec->vf_set & rec->vf.have & VF_TRUST) || !r->dev->pf_ifindex)
		return -1;
	if (vf_set(&r->home, r->dev->pf_ifindex, r->dev->vf_index, &trusted, e) < 0)
		return -1;
	return netdev_restore_in_place(&r->home, pod, rec, e) < 0 ? -1 : 0;
}

static int restore(struct restoring *r, struct err *e)
{
	auto_nl struct nl pod = { 0 };
	int alive;

	if (!r->rec->netdev.present || !netdev_is_marked(r->rec))
		return 0;
	alive = owner_open(r->rec, &pod, e);
	return alive < 0 ? -1 : restore_link(r, alive ? &pod : NULL, e);
}

const struct aspect netdev_chained_aspect = {
	.of = ASPECT_CHAINED, .apply = apply, .restore = restore,
};
