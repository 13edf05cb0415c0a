/* SPDX-License-Identifier: Apache-2.0 */
/* release.c - undo an attachment from its record alone */
#include "cni/release.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/chain.h"
#include "cni/driver.h"
#include "cni/hardware.h"
#include "cni/infiniband.h"
#include "cni/ipam.h"
#include "cni/netdev.h"
#include "cni/representor.h"
#include "cni/status.h"
#include "cni/vf.h"
#include "devinfo/eswitch.h"
#include "devinfo/owner.h"
#include "devinfo/store.h"
#include "devinfo/sysfs.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define PLUGINS_MS	60000	/* for all plugins together */

/* A device on its way home. */
struct homecoming {
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
			  struct homecoming *h)
{
	struct vf_state back = rec->vf;
	struct err ignored;

	back.have &= rec->vf_set & (VF_MAC | VF_TRUST);
	if (back.have & VF_MAC && dev->pf_ifindex &&
	    vf_set(home, dev->pf_ifindex, dev->vf_index, &back, &ignored) >= 0)
		h->sure &= ~back.have;
}

/* Trust lets the VF choose its own address, for that moment. */
static int force_mac(struct nl *home, const struct record *rec, const struct pci_device *dev,
		     struct err *e)
{
	struct vf_state trusted = { .have = VF_TRUST, .trust = true };
	struct err second;
	int r;

	if (!(rec->vf.have & VF_TRUST))
		return err_set(e, ERR_DEVICE, 0, "%s does not take its address back",
			       rec->netdev.name);
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
static int settle_mac(struct nl *home, const struct record *rec, const struct pci_device *dev,
		      struct err *e)
{
	int recalled = recall_mac(home, rec, dev), r = netdev_settle_mac(home, rec, e);
	struct err second;

	if (recalled && restore_vf(home, rec, dev, 0, &second) < 0) {
		*e = second;
		return -1;
	}
	return r != 0 ? (r < 0 ? -1 : 0) : force_mac(home, rec, dev, e);
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
		 const struct pci_device *dev, struct homecoming *h, struct err *e)
{
	if (!rec->reset)
		return 0;
	if (driver_reset(host, rec->device, &rec->driver, e) < 0)
		return -1;
	return h->found && await_netdev(host, home, NULL, rec, dev, &h->place, e) < 0 ? -1 : 0;
}

static int restore_netdev(const struct host *host, struct nl *home, const struct journal *journal,
			  struct record *rec, const struct pci_device *dev, struct homecoming *h,
			  struct err *e)
{
	auto_nl struct nl pod = { 0 };
	struct err one;
	int alive = owner_open(rec, &pod, e), r;

	if (alive < 0)
		return -1;
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

/* Its own driver again, without which there is no network device to restore. */
static int restore_driver(const struct host *host, struct nl *home, const struct record *rec,
			  struct pci_device *dev, struct homecoming *h, struct err *e)
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
	h->out_of_reach = r < 0 && *dev->driver && strcmp(dev->driver, rec->driver.bound) == 0;
	return r;
}

/*
 * Network device first, while the PF still grants what the pod had; then the PF's side.  A function
 * that the pod, or a program of it, has not let go of keeps its VLAN: it would be on the network of
 * somebody else.
 */
static int restore_device(const struct host *host, const struct journal *journal,
			  struct record *rec, struct pci_device *dev, struct err *e)
{
	auto_nl struct nl home = { 0 };
	struct homecoming h = { .all = { .code = ERR_OK } };
	struct err one;
	bool netdev_bad = false, no_driver;

	if (nl_open(NETNS_OWN, NETLINK_ROUTE, &home, e) < 0)
		return -1;
	no_driver = restore_driver(host, &home, rec, dev, &h, &one) < 0;
	if (no_driver) {
		err_join(&h.all, &one);
	} else if (rec->netdev.present) {
		netdev_bad = restore_netdev(host, &home, journal, rec, dev, &h, &one) < 0;
		h.out_of_reach = netdev_bad && (!h.found || h.place.in_pod);
	} else {
		h.sure = rec->vf_set;
	}
	if (netdev_bad && !(h.mac_refused && rec->vf.have))
		err_join(&h.all, &one);
	if (h.out_of_reach)
		return err_joined(&h.all, e);
	if (!h.found && reset(host, &home, rec, dev, &h, &one) < 0)
		err_join(&h.all, &one);
	if (restore_vf(&home, rec, dev, h.sure, e) < 0)
		err_join(&h.all, e);
	if (h.found && rec->vf.have && (h.mac_refused || !netdev_bad) &&
	    !netdev_has_macs(&h.place.link, &rec->netdev) &&
	    settle_mac(&home, rec, dev, &one) < 0)
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
static int restore_in_place(struct record *rec, const struct pci_device *dev, struct err *e)
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
	if (rec->is_pci && rec->sole && rec->mac_set && settle_mac(&home, rec, dev, &one) < 0)
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
	if (restore_device(host, journal, rec, dev, &one) < 0)
		err_join(&all, &one);
	if (all.code == ERR_OK && infiniband_settle(host, journal, rec, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}

/* Nothing is restored onto a device that has been given back, has gone, or was booted anew. */
static int release_device(const struct host *host, const struct journal *journal,
			  struct record *rec, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	struct pci_device dev = { 0 };
	int r = owner_this_boot(host, rec, e);

	if (r <= 0 || rec->released)
		return r < 0 ? -1 : 0;
	r = hardware_look(host, rec, &dev, e);
	if (r == 0)
		log_info("msg=\"device has vanished, nothing to restore\" device=%s", rec->device);
	if (r <= 0)
		return r;
	r = rec->in_place ? restore_in_place(rec, &dev, &one) :
			    restore_all(host, journal, rec, &dev, &one);
	if (r < 0)
		err_join(&all, &one);
	if (representor_restore(host, rec, &dev, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}

static const char *plugin_path(const struct release *r)
{
	return r->cni_path && *r->cni_path ? r->cni_path : r->rec->cni_path;
}

/*
 * Other plugins are told the namespace of the ADD, and only while it is still that one: its path,
 * and that of this call, may be anybody's by now, the node's own among them.
 */
static int as_owner(const struct release *r, struct exec_as *ret, struct err *e)
{
	const struct owner *o = &r->rec->owner;
	int alive = owner_is_alive(r->host, r->rec, e);

	if (alive < 0)
		return -1;
	*ret = (struct exec_as) {
		.container_id = o->container_id,
		.netns = alive ? o->netns : "",
		.ifname = o->ifname,
	};
	return 0;
}

/* What sriov-cni asked its IPAM plugin with is in no file: the call that ends it has it again. */
static void take_call(const struct release *r, struct ipam *ipam)
{
	const char *type = r->rec->lease_of;

	if (!type)
		return;
	if (!r->request || !r->ipam_type || strcmp(r->ipam_type, type) != 0) {
		log_warning(
			"msg=\"the lease is not released: this call has no configuration of its "
			"IPAM plugin\" plugin=%s",
			type);
		return;
	}
	ipam->type = type;
	ipam->request = r->request;
}

static int release_ipam(const struct release *r, struct err *e)
{
	struct exec_as as;
	struct ipam ipam = {
		.type = r->rec->ipam_type,
		.cni_path = plugin_path(r),
		.request = r->rec->request,
		.timeout_ms = r->host->set.ipam_timeout_ms,
		.as = &as,
	};

	take_call(r, &ipam);
	if (!ipam.type || r->skip_ipam)
		return 0;
	if (as_owner(r, &as, e) < 0)
		return -1;
	if (ipam_del(&ipam, e) == 0)
		return 0;
	if (!r->ipam_refused)
		return -1;
	log_info("msg=\"the IPAM plugin refused the DEL after its own failed ADD\" error=\"%s\"",
		 e->msg);
	return 0;
}

/* Killed now, the next DEL does not ask again who is done. */
static void note_progress(const struct chain_progress *p, void *arg)
{
	const struct release *r = arg;
	struct err e;

	r->rec->delegates_left = p->left;
	if (p->left && journal_write(r->journal, r->rec, &e) < 0)
		log_warning("msg=\"%s\" details=\"%s\"", e.msg, e.details);
}

/* An earlier DEL, killed before that was noted, has deleted it, or the pod has. */
static bool interface_is_gone(const struct record *rec)
{
	auto_nl struct nl pod = { 0 };
	struct link link;
	struct err e;

	return owner_open(rec, &pod, &e) > 0 &&
	       link_get_by_name(&pod, rec->owner.ifname, &link, &e) == 0;
}

/* The plugins are told what they were told by the ADD, whatever this call's configuration says. */
static int release_chain(const struct release *r, struct err *e)
{
	struct deadline d = deadline_in(PLUGINS_MS);
	struct record *rec = r->rec;
	struct chain_progress p = { .left = rec->delegates_left, .added = rec->delegates_added };
	auto_netconf struct netconf nc = { 0 };
	char info[PATH_MAX] = "";
	struct exec_as as;
	struct chain c = {
		.conf = &nc,
		.cni_path = plugin_path(r),
		.device_id = rec->device_id,
		.info_path = info,
		.timeout_ms = r->host->set.ipam_timeout_ms,
		.as = &as,
		.cleared = note_progress,
		.arg = (void *)(uintptr_t)r,
	};
	struct err lease;
	bool gone;
	int result;

	if (!p.left)
		return 0;
	if (as_owner(r, &as, e) < 0)
		return -1;
	if (netconf_parse(rec->request, strlen(rec->request), &nc, e) < 0 ||
	    netconf_check(&nc, e) < 0)
		return err_wrap(e, "the request in the record");
	if (rec->device_info_file)
		store_cni_path(rec->devinfo_dir, rec->device_info_file, info);
	c.dead = !*as.netns;
	gone = rec->netdev.present && interface_is_gone(rec);
	result = chain_del(&c, rec->chain_result, &p, &d, e);
	if (p.left == 1 && gone && chain_del_lease(&c, 0, NULL, &d, &lease) == 0) {
		log_info("msg=\"the interface is gone, and with it what its plugin made\" "
			 "error=\"%s\"",
			 e->msg);
		p.left = 0;
		result = 0;
	}
	rec->delegates_left = p.left;
	return result;
}

int release_device_of(const struct host *host, const struct journal *journal, struct record *rec,
		      struct err *e)
{
	struct release r = { .host = host, .journal = journal, .rec = rec };

	log_warning("msg=\"cleaning up after a dead owner\" device=%s owner=%s/%s", rec->device,
		    rec->owner.container_id, rec->owner.ifname);
	if (release_device(host, journal, rec, e) < 0)
		return err_wrap(e, "clean up %s after container %.64s", rec->device,
				rec->owner.container_id);
	if (release_chain(&r, e) < 0)	/* for its own DEL, or GC */
		log_warning("msg=\"%s\" details=\"%s\"", e->msg, e->details);
	rec->released = true;
	return journal_write(journal, rec, e);
}

static int release_info(const struct release *r, const struct host *host, struct err *e)
{
	if (!r->rec->device_info_file || r->keep_info)
		return 0;
	if (r->old_info)
		return store_write_cni_text(host, r->rec->device_info_file, r->old_info,
					    r->old_info_len, e);
	return store_remove_cni(host, r->rec->device_info_file, e);
}

/* The directories are the ADD's, whatever this call's configuration says. */
static int release_files(const struct release *r, struct err *e)
{
	struct host host = *r->host;
	struct err first;
	int status;

	host.set.devinfo_dir = r->rec->devinfo_dir;
	host.set.run_dir = r->rec->run_dir;
	status = status_remove(&host, r->journal, &r->rec->owner, &first);
	if (release_info(r, &host, e) < 0)
		return status < 0 ? err_detail(e, "and %s", first.msg) : -1;
	if (status < 0)
		*e = first;
	return status < 0 ? -1 : 0;
}

int release_attachment(const struct release *r, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	uint32_t left = r->rec->delegates_left;
	bool device_clean, news, device_first = deadline_hurried();

	if (!device_first && release_ipam(r, &one) < 0)
		err_join(&all, &one);
	device_clean = release_device(r->host, r->journal, r->rec, &one) == 0;
	if (!device_clean)
		err_join(&all, &one);
	if (device_first && release_ipam(r, &one) < 0)
		err_join(&all, &one);
	if (release_chain(r, &one) < 0) {
		device_clean = false;	/* one of them may still have it */
		err_join(&all, &one);
	}
	if (release_files(r, &one) < 0)
		err_join(&all, &one);
	if (all.code == ERR_OK)
		return journal_remove(r->journal, r->rec, e);
	/* the device may go to the next pod now, so the retry of this one must leave it alone */
	news = (device_clean && !r->rec->released) || left != r->rec->delegates_left;
	r->rec->released |= device_clean;
	if (news && journal_write(r->journal, r->rec, &one) < 0)
		err_join(&all, &one);
	*e = all;
	return -1;
}

/* All of a record, as this call wants it. */
static struct release released_by(const struct host *host, const struct journal *j,
				  struct record *rec, const struct release_call *call)
{
	return (struct release) {
		.host = host, .journal = j, .rec = rec, .cni_path = call->cni_path,
		.request = call->request, .ipam_type = call->ipam_type,
	};
}

int release_owner(const struct host *host, struct journal *j, const struct owner *owner,
		  const struct release_call *call, struct err *e)
{
	struct deadline d = deadline_in(host->set.lock_timeout_ms);
	auto_record struct record first = { 0 }, rec = { 0 };
	struct release r = released_by(host, j, &rec, call);
	int found;

	if (journal_lock_attachment(j, owner, &d, e) < 0)
		return -1;
	found = journal_find(j, owner, &first, e);
	if (found <= 0)
		return found;
	if (journal_lock_device(j, first.device, &d, e) < 0)
		return err_wrap(e, "device %s", first.device);
	found = journal_find(j, owner, &rec, e); /* a new owner may have released the device */
	if (found <= 0)
		return found;
	return release_attachment(&r, e) < 0 ? -1 : 1;
}

/* Under the locks: an ADD may have made it anew since it was seen. */
static int release_seen(const struct host *host, struct journal *j, const struct record *seen,
			const struct release_call *call, struct err *e)
{
	auto_record struct record rec = { 0 };
	struct release r = released_by(host, j, &rec, call);
	int found = journal_get(j, &seen->owner, seen->device, &rec, e), alive;

	if (found <= 0)
		return found;
	alive = owner_is_alive(host, &rec, e);
	if (alive != 0)
		return alive < 0 ? -1 : 0;
	return release_attachment(&r, e) < 0 ? -1 : 1;
}

int release_if_dead(const struct host *host, struct journal *j, const struct record *seen,
		    const struct release_call *call, struct err *e)
{
	struct deadline d = deadline_in(host->set.lock_timeout_ms);
	int r;

	if (journal_lock_attachment(j, &seen->owner, &d, e) < 0)
		return -1;
	r = journal_lock_device(j, seen->device, &d, e);
	if (r == 0) {
		r = release_seen(host, j, seen, call, e);
		journal_unlock_device(j, seen->device);
	}
	journal_unlock_attachment(j, &seen->owner);
	return r;
}
