/* SPDX-License-Identifier: Apache-2.0 */
/* vf_aspect.c - the attributes of a VF on its PF: probed, set, compared, and given back */
#include "cni/vf/vf.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/netdev/netdev.h"
#include "devinfo/node/eswitch.h"

#include <errno.h>
#include <string.h>

/* -- ADD -- */

static const char *first_attr(uint32_t attrs)
{
	return vf_attr_name((enum vf_attr)(attrs & -attrs));
}

static int probe(struct attachment *a, struct err *e)
{
	const struct pci_device *pci = &a->dev.pci;
	int r;

	vf_want(a->conf, a->has_mac ? a->mac : NULL, &a->vf_want);
	if (!pci->is_vf) {
		if (a->vf_want.have & ~(uint32_t)VF_MAC)
			return err_set(e, ERR_NETCONF, 0,
				       "%s is not an SR-IOV virtual function: vlan, rates, "
				       "spoofchk, trust, link_state and guid need one",
				       *a->dev.key ? a->dev.key : a->call->ifname);
		return 0;
	}
	if (a->vf_want.have == 0 && a->rec.chained)	/* whoever made the interface restores it */
		return 0;
	if (!pci->pf_ifindex && a->vf_want.have == 0)	/* a PF that is in user space itself */
		return 0;
	if (!pci->pf_ifindex)
		return err_set(e, ERR_DEVICE, ENODEV, "PF %s of VF %s has no network device here",
			       pci->pf_bdf, pci->bdf);
	r = vf_get(&a->home, pci->pf_ifindex, pci->vf_index, &a->rec.vf, e);
	/* a table that is too long to be told is in nobody's way when nothing is to be set */
	if (r < 0 && (e->sys == EMSGSIZE || e->sys == ENOBUFS) && a->vf_want.have == 0)
		return 0;
	if (r == 0 &&
	    a->vf_want.have == 0) /* a driver without VF attributes: nothing to set back */
		return 0;
	if (r == 0)
		return err_set(e, ERR_DEVICE, ENODEV, "PF %s lists no VF %u (%s)", pci->pf_netdev,
			       pci->vf_index, pci->bdf);
	a->rec.vf_set = a->vf_want.have;
	if (r > 0 && a->vf_want.have & VF_ALL & ~a->rec.vf.have)
		log_warning(
			"msg=\"the driver does not report an attribute, it will not be restored\" "
			"vf=%s attribute=\"%s\"",
			pci->bdf, first_attr(a->vf_want.have & VF_ALL & ~a->rec.vf.have));
	if (r >= 0 && a->rec.chained && a->rec.mac_set)	/* see netdev_chained.c */
		a->rec.vf_set |= a->rec.vf.have & VF_TRUST;
	return r < 0 ? -1 : 0;
}

static int apply(struct attachment *a, struct err *e)
{
	const struct pci_device *pci = &a->dev.pci;

	if (!a->vf_want.have || !a->rec.vf_set)
		return 0;
	if (vf_apply(&a->home, pci, &a->vf_want, e) < 0)
		return err_wrap(e, "configure %s on PF %s", pci->bdf, pci->pf_netdev);
	return 0;
}

/* -- CHECK -- */

static int check_vf(struct check *c, struct err *e)
{
	struct pci_device dev = { 0 };
	struct vf_state want, now;
	int r;

	vf_want(c->conf, c->mac, &want);
	want.have &= c->rec->vf_set;
	if (!want.have)
		return 0;
	r = eswitch_pci(c->host, c->rec->device, &dev, e);
	if (r > 0 && dev.pf_ifindex)
		r = vf_get(&c->home, dev.pf_ifindex, dev.vf_index, &now, e);
	if (r < 0)
		return err_wrap(e, "vf: %s", c->rec->device);
	if (r == 0 || !dev.pf_ifindex) {
		check_differs(c, "vf: %s: not to be found", c->rec->device);
		return 0;
	}
	vf_compare(c, &dev, &want, &now);
	return 0;
}

/* -- DEL -- */

/* The VF's MAC on the PF is always looked at: a trusted pod may have changed it. */
static int restore_vf(struct nl *home, const struct record *rec, const struct pci_device *dev,
		      uint32_t sure, struct err *e)
{
	if (!rec->vf.have)
		return 0;
	if (!rec->vf_set && !dev->pf_ifindex) {
		log_warning("msg=\"the PF is not here, and nothing of the VF was set\" vf=%s pf=%s",
			    rec->device, dev->pf_bdf);
		return 0;
	}
	if (rec->known_clean)
		return vf_clean(home, dev, &rec->vf, e);
	return vf_restore(home, dev, &rec->vf, rec->vf_set | VF_MAC, sure, e);
}

/*
 * The address goes back before the move home and before a driver comes back: both reset the VF,
 * which then takes it, unless it is trusted and insists on its own.  So trust goes along; the VLAN
 * stays while the pod has the device.  When this fails, restore_vf() finds and tells it.
 */
static void before_return(struct restoring *r)
{
	const struct pci_device *dev = r->dev;
	struct vf_state back = r->rec->vf;
	struct err ignored;

	r->vf_differs = r->rec->vf_set;
	back.have &= r->rec->vf_set & (VF_MAC | VF_TRUST);
	if (back.have & VF_MAC && dev->pf_ifindex &&
	    vf_set(&r->home, dev->pf_ifindex, dev->vf_index, &back, &ignored) >= 0)
		r->vf_differs &= ~back.have;
}

/* Trust lets the VF choose its own address, for that moment: killed in it, the record tells. */
static int force_mac(struct nl *home, const struct journal *journal, struct record *rec,
		     const struct pci_device *dev, struct err *e)
{
	struct vf_state trusted = { .have = VF_TRUST, .trust = true };
	struct err second;
	int r;

	if (!(rec->vf.have & VF_TRUST))
		return err_set(e, ERR_DEVICE, 0, "%s does not take its address back",
			       rec->netdev.name);
	if (!(rec->vf_set & VF_TRUST)) {
		rec->vf_set |= VF_TRUST;
		if (journal_write(journal, rec, e) < 0)
			return -1;
	}
	if (vf_set(home, dev->pf_ifindex, dev->vf_index, &trusted, e) < 0)
		return -1;
	r = netdev_restore_mac(home, rec, e);
	if (vf_restore(home, dev, &rec->vf, VF_TRUST | VF_MAC, 0, &second) < 0 ||
	    (rec->known_clean && restore_vf(home, rec, dev, 0, &second) < 0)) {
		*e = second;
		return -1;
	}
	return r;
}

/*
 * A permanent address that was not the PF's for it: the VF had it from its last reset, after which
 * the PF was given another.  It comes back by a reset while the PF has it.  1 when the PF has.
 */
static int recall_mac(struct nl *home, const struct record *rec, const struct pci_device *dev)
{
	struct vf_state then = { .have = rec->vf.have & VF_MAC };
	const uint8_t *perm = rec->netdev.perm;
	struct err ignored;

	if (!then.have || !dev->pf_ifindex || !mac_is_unicast(rec->vf.mac) ||
	    rec->netdev.perm_len != MAC_LEN || !mac_is_unicast(perm) ||
	    memcmp(perm, rec->vf.mac, MAC_LEN) == 0)
		return 0;
	memcpy(then.mac, perm, MAC_LEN);
	return vf_set(home, dev->pf_ifindex, dev->vf_index, &then, &ignored) >= 0;
}

/* With the PF as it was: the VF's own idea of its address. */
int vf_settle_mac(struct nl *home, const struct journal *journal, struct record *rec,
		  const struct pci_device *dev, struct err *e)
{
	int recalled = recall_mac(home, rec, dev), r = netdev_settle_mac(home, rec, e);
	struct err second;

	if (recalled && restore_vf(home, rec, dev, 0, &second) < 0) {
		*e = second;
		return -1;
	}
	return r != 0 ? (r < 0 ? -1 : 0) : force_mac(home, journal, rec, dev, e);
}

/* It stays where it is: only what was set. */
static int settle_chained(struct restoring *r, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	struct record *rec = r->rec;

	if (!rec->is_pci)
		return 0;
	if (rec->vf_set && rec->vf.have &&
	    vf_restore(&r->home, r->dev, &rec->vf, rec->vf_set, 0, &one) < 0)
		err_join(&all, &one);
	/* one that has come home took the PF's address for its permanent one on the way */
	if (rec->unique_parent && rec->mac_set &&
	    vf_settle_mac(&r->home, r->journal, rec, r->dev, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}

static int settle(struct restoring *r, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	struct record *rec = r->rec;

	if (rec->chained)
		return settle_chained(r, e);
	if (restore_vf(&r->home, rec, r->dev, r->vf_differs, &one) < 0)
		err_join(&all, &one);
	if (r->netdev_back && rec->vf.have && !netdev_has_macs(&r->netdev, &rec->netdev) &&
	    vf_settle_mac(&r->home, r->journal, rec, r->dev, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}

const struct aspect vf_aspect = {
	.of = ASPECT_DEVICE | ASPECT_CHAINED, .probe = probe, .apply = apply,
	.check = check_vf, .before_return = before_return, .settle = settle,
};
