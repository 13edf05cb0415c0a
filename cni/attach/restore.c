/* SPDX-License-Identifier: Apache-2.0 */
/* restore.c - an attachment's device is given back as it was before */
#include "cni/attach/restore.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/aspect/hardware.h"
#include "cni/attach/aspects.h"
#include "cni/netdev/netdev.h"
#include "cni/socket/socket.h"
#include "cni/vf/vf.h"
#include "devinfo/journal/owner.h"

#include <errno.h>
#include <string.h>

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
static int restore_chained(const struct journal *journal, struct record *rec,
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
	    vf_settle_mac(&home, journal, rec, dev, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}

static void restoring_done(struct restoring *r)
{
	nl_done(&r->home);
}

/* Nothing is restored onto a device that has been given back, has gone, or was booted anew. */
int restore_check(const struct host *host, struct record *rec, struct err *e)
{
	struct err why;
	int r;

	if (rec->released || aspects_busy(host, rec, &why) == 0)
		return 0;
	r = owner_this_boot(host, rec, e);
	if (r <= 0)		/* of another boot it is not ours to look after */
		return r;
	*e = why;
	return err_wrap(e, "device %s", rec->device);
}

static int restore_all(struct restoring *r, struct err *e)
{
	return nl_open(NETNS_OWN, NETLINK_ROUTE, &r->home, e) < 0 ? -1 : aspects_restore(r, e);
}

int restore_device(const struct host *host, const struct journal *journal, struct record *rec,
		   struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	struct pci_device dev = { 0 };
	auto_with(restoring_done) struct restoring back = {
		.host = host, .journal = journal, .rec = rec, .dev = &dev,
	};
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
	r = rec->chained ? restore_chained(journal, rec, &dev, &one) :
			   restore_all(&back, &one);
	if (r < 0)
		err_join(&all, &one);
	if (aspects_restore_on_host(&back, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}
