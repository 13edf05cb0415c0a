/* SPDX-License-Identifier: Apache-2.0 */
/* restore.c - an attachment's device is given back as it was before */
#include "cni/attach/restore.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/attach/hardware.h"
#include "cni/driver/driver.h"
#include "cni/netdev/netdev.h"
#include "cni/rdma/infiniband.h"
#include "cni/representor/representor.h"
#include "cni/socket/socket.h"
#include "cni/vdpa/vdpa.h"
#include "cni/vf/vf.h"
#include "devinfo/journal/owner.h"
#include "devinfo/node/eswitch.h"
#include "devinfo/node/sysfs.h"

#include <errno.h>
#include <string.h>

/* A device on its way home. */
struct restoring {
	struct netdev_place place;
	bool found;
	bool out_of_reach;		/* somebody else may be using it still */
	uint32_t sure;			/* VF attributes that were set, and differ for sure */
	bool mac_refused;
	struct err all;			/* what went wrong on the way */
};

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
static void give_mac_back(struct nl *home, const struct record *rec, const struct pci_device *dev,
			  struct restoring *h)
{
	struct vf_state back = rec->vf;
	struct err ignored;

	back.have &= rec->vf_set & (VF_MAC | VF_TRUST);
	if (back.have & VF_MAC && dev->pf_ifindex &&
	    vf_set(home, dev->pf_ifindex, dev->vf_index, &back, &ignored) >= 0)
		h->sure &= ~back.have;
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
static int settle_mac(struct nl *home, const struct journal *journal, struct record *rec,
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

static int await_netdev(const struct host *host, struct nl *home, struct nl *pod,
			const struct record *rec, const struct pci_device *dev,
			struct netdev_place *ret, struct err *e)
{
	int must_be = hardware_has_netdev(host, rec, dev, e);

	return must_be < 0 ? -1 : netdev_await(home, pod, rec, must_be, ret, e);
}

/* What its former user left running in the function ends here.  The network device is a new one. */
static int reset(const struct host *host, struct nl *home, const struct record *rec,
		 const struct pci_device *dev, struct restoring *h, struct err *e)
{
	if (!rec->reset)
		return 0;
	if (driver_reset(host, rec->device, &rec->driver, e) < 0)
		return -1;
	return h->found && await_netdev(host, home, NULL, rec, dev, &h->place, e) < 0 ? -1 : 0;
}

static int restore_netdev(const struct host *host, struct nl *home, const struct journal *journal,
			  struct record *rec, const struct pci_device *dev, struct restoring *h,
			  struct err *e)
{
	auto_nl struct nl pod = { 0 };
	struct err one;
	int alive = owner_open(rec, &pod, e), r;

	if (alive < 0)
		return -1;
	r = *rec->vdpa.name ? vdpa_find_netdev(host, rec, e) : 1;
	if (r <= 0)
		return r;
	r = await_netdev(host, home, alive ? &pod : NULL, rec, dev, &h->place, e);
	if (r <= 0)
		return r;
	h->found = true;
	if (h->place.in_pod) {
		h->sure = rec->vf_set;
		give_mac_back(home, rec, dev, h);
	}
	if (netdev_fetch(home, &pod, journal, rec, &h->place, e) < 0)
		return -1;
	if (reset(host, home, rec, dev, h, &one) < 0)
		err_join(&h->all, &one);
	return netdev_settle(home, rec, &h->place.link, &h->mac_refused, e);
}

/* Its driver was not given back: a program has it still, or that cannot be told. */
static bool may_be_used(const struct pci_device *dev, const struct record *rec,
			const struct err *why)
{
	return why->code == ERR_TRY_AGAIN || why->code == ERR_INTERRUPTED ||
	       (*dev->driver && strcmp(dev->driver, rec->driver.bound) == 0);
}

/* Its own driver again, without which there is no network device to restore. */
static int restore_driver(const struct host *host, struct nl *home, const struct record *rec,
			  struct pci_device *dev, struct restoring *h, struct err *e)
{
	struct err ignored;
	int r;

	if (!*rec->driver.bound && !*rec->driver.before)
		return 0;
	if (*rec->driver.bound) {
		h->sure = rec->vf_set;
		give_mac_back(home, rec, dev, h);
	}
	r = driver_restore(host, rec->device, &rec->driver, e);
	if (eswitch_pci(host, rec->device, dev, &ignored) <= 0)
		return r < 0 ? -1 : err_set(e, ERR_TRY_AGAIN, ENODEV, "%s has just gone",
					    rec->device);
	h->out_of_reach = r < 0 && may_be_used(dev, rec, e);
	return r;
}

/* A program that has it open keeps its VLAN, too. */
static int give_vdpa_back(const struct host *host, struct record *rec, struct restoring *h,
			  struct err *e)
{
	if (vdpa_restore(host, rec, e) == 0)
		return 0;
	h->out_of_reach = true;
	return -1;
}

static bool has_netdev_to_restore(const struct record *rec)
{
	return rec->netdev.present && (!vdpa_ends_netdev(rec) || vdpa_renews_netdev(rec));
}

/*
 * Driver and network device, home and as before but for what the PF says.  What goes wrong is in
 * h->all, unless it is only the address, which the PF's side may cure.
 */
static bool fetch(const struct host *host, struct nl *home, const struct journal *journal,
		  struct record *rec, struct pci_device *dev, struct restoring *h)
{
	struct err one;

	if (restore_driver(host, home, rec, dev, h, &one) < 0 ||
	    (vdpa_ends_netdev(rec) && give_vdpa_back(host, rec, h, &one) < 0)) {
		err_join(&h->all, &one);
		return false;
	}
	if (!has_netdev_to_restore(rec)) {
		h->sure = rec->vf_set;
		return true;
	}
	if (restore_netdev(host, home, journal, rec, dev, h, &one) == 0)
		return true;
	h->out_of_reach = !h->found || h->place.in_pod;
	if (!h->mac_refused || !rec->vf.have)
		err_join(&h->all, &one);
	return h->mac_refused;
}

/*
 * Network device first, while the PF still grants what the pod had; then the PF's side.  A function
 * that the pod, or a program of it, has not let go of keeps its VLAN: it would be on the network of
 * somebody else.
 */
static int restore_function(const struct host *host, const struct journal *journal,
			  struct record *rec, struct pci_device *dev, struct err *e)
{
	auto_nl struct nl home = { 0 };
	struct restoring h = { .all = { .code = ERR_OK } };
	struct err one;
	bool fetched;

	if (nl_open(NETNS_OWN, NETLINK_ROUTE, &home, e) < 0)
		return -1;
	fetched = fetch(host, &home, journal, rec, dev, &h);
	if (!h.out_of_reach && !vdpa_ends_netdev(rec) && give_vdpa_back(host, rec, &h, &one) < 0)
		err_join(&h.all, &one);
	if (h.out_of_reach)
		return err_joined(&h.all, e);
	if (!h.found && reset(host, &home, rec, dev, &h, &one) < 0)
		err_join(&h.all, &one);
	if (restore_vf(&home, rec, dev, h.sure, &one) < 0)
		err_join(&h.all, &one);
	if (fetched && h.found && rec->vf.have &&
	    !netdev_has_macs(&h.place.link, &rec->netdev) &&
	    settle_mac(&home, journal, rec, dev, &one) < 0)
		err_join(&h.all, &one);
	return err_joined(&h.all, e);
}

/* Trust lets the VF choose its own address; the PF's side, which comes next, takes it back. */
static int restore_link(struct nl *home, struct nl *pod, const struct record *rec,
			const struct pci_device *dev, struct err *e)
{
	struct vf_state trusted = { .have = VF_TRUST, .trust = true };

	if (netdev_restore_in_place(home, pod, rec, e) >= 0)
		return 0;
	if (!rec->mac_set || !(rec->vf_set & rec->vf.have & VF_TRUST) || !dev->pf_ifindex)
		return -1;
	if (vf_set(home, dev->pf_ifindex, dev->vf_index, &trusted, e) < 0)
		return -1;
	return netdev_restore_in_place(home, pod, rec, e) < 0 ? -1 : 0;
}

/* A device that stays in the container: only what we have set there. */
static int restore_in_place(const struct journal *journal, struct record *rec,
			    const struct pci_device *dev, struct err *e)
{
	auto_nl struct nl home = { 0 }, pod = { 0 };
	struct err all = { .code = ERR_OK }, one;
	int alive;

	if (!rec->mac_set && !rec->mtu_set && !rec->vf_set)
		return 0;
	alive = owner_open(rec, &pod, e);
	if (alive < 0 || nl_open(NETNS_OWN, NETLINK_ROUTE, &home, e) < 0)
		return -1;
	if (rec->netdev.present && restore_link(&home, alive ? &pod : NULL, rec, dev, &one) < 0)
		err_join(&all, &one);
	if (rec->vf_set && rec->is_pci && rec->vf.have &&
	    vf_restore(&home, dev, &rec->vf, rec->vf_set, 0, &one) < 0)
		err_join(&all, &one);
	/* one that has come home took the PF's address for its permanent one on the way */
	if (rec->is_pci && rec->unique_parent && rec->mac_set &&
	    settle_mac(&home, journal, rec, dev, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}

/*
 * The RDMA device first: the network device may be built on it.  It is looked at last, when its
 * driver is back.
 */
static int restore_all(const struct host *host, const struct journal *journal, struct record *rec,
		       struct pci_device *dev, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;

	if (infiniband_restore(host, journal, rec, dev, &one) < 0)
		err_join(&all, &one);
	if (restore_function(host, journal, rec, dev, &one) < 0)
		err_join(&all, &one);
	if (all.code == ERR_OK && infiniband_settle(host, journal, rec, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}

/* Nothing is restored onto a device that has been given back, has gone, or was booted anew. */
int restore_check(const struct host *host, struct record *rec, struct err *e)
{
	struct err why;
	int r;

	if (rec->released ||
	    ((!rec->is_pci || driver_check_free(host, rec->device, &why) == 0) &&
	     vdpa_check_free(host, rec, &why) == 0))
		return 0;
	r = owner_this_boot(host, rec, e);
	if (r <= 0)		/* of another boot it is not ours to look after */
		return r;
	*e = why;
	return err_wrap(e, "device %s", rec->device);
}

int restore_device(const struct host *host, const struct journal *journal, struct record *rec,
	       struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	struct pci_device dev = { 0 };
	int r;

	if (*rec->socket.path)	/* files, and a switch's database, may outlive a boot */
		return rec->released ? 0 : socket_restore(host, journal, rec, e);
	r = owner_this_boot(host, rec, e);
	if (r <= 0 || rec->released)
		return r < 0 ? -1 : 0;
	r = hardware_find(host, rec, &dev, e);
	if (r == 0)
		log_info("msg=\"device has vanished, nothing to restore\" device=%s", rec->device);
	if (r <= 0 || restore_check(host, rec, e) < 0)
		return r <= 0 ? r : -1;
	r = rec->chained ? restore_in_place(journal, rec, &dev, &one) :
			    restore_all(host, journal, rec, &dev, &one);
	if (r < 0)
		err_join(&all, &one);
	if (representor_restore(host, rec, &dev, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}
