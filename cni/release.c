/* SPDX-License-Identifier: Apache-2.0 */
/* release.c - undo an attachment from its record alone */
#include "cni/release.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/ipam.h"
#include "cni/netdev.h"
#include "cni/status.h"
#include "cni/vf.h"
#include "devinfo/store.h"
#include "devinfo/sysfs.h"
#include "netlink/netns.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define HURRY_MS	1000	/* after SIGTERM, SIGKILL is not far; what is left then is DEL's */

/* Keep the first error and put the others into its details. */
static void add_error(struct err *all, const struct err *e)
{
	if (all->code == ERR_OK)
		*all = *e;
	else
		(void)err_detail(all, "and %s%s%s", e->msg, *e->details ? ": " : "", e->details);
}

static int this_boot(const struct host *host, const struct record *rec, struct err *e)
{
	char now[40];

	if (journal_boot_id(host, now, e) < 0)
		return -1;
	return strcmp(now, rec->boot_id) == 0;
}

/* It says nothing about the path: the next try may well succeed. */
static bool is_shortage(int sys)
{
	return sys == EMFILE || sys == ENFILE || sys == ENOMEM || sys == EINTR;
}

/*
 * A connection in the owner's namespace, while that is still the one of the record: 1, 0 gone, -1.
 * After a reboot the path may be a plain file: as good as gone.  The inode number of a namespace
 * may be a new one's by now, its cookie never is.
 */
static int open_pod(const struct record *rec, struct nl *ret, struct err *e)
{
	auto_nl struct nl nl = { 0 };
	auto_close int fd = -1;
	struct stat st;
	int r = netns_open(rec->owner.netns, &fd, e);

	if (r <= 0)
		return r < 0 && is_shortage(e->sys) ? -1 : 0;
	if (fstat(fd, &st) < 0)
		return err_set(e, ERR_IO, errno, "stat '%.200s'", rec->owner.netns);
	if (st.st_dev != rec->owner.netns_dev || st.st_ino != rec->owner.netns_ino ||
	    netns_is_own(fd))
		return 0;
	if (nl_open(fd, NETLINK_ROUTE, &nl, e) < 0)
		return -1;
	if (nl_netns_cookie(&nl) != rec->owner.netns_cookie)
		return 0;
	*ret = nl;
	nl = (struct nl){ 0 };
	return 1;
}

int release_owner_alive(const struct host *host, const struct record *rec, struct err *e)
{
	auto_nl struct nl pod = { 0 };
	int r = this_boot(host, rec, e);

	return r <= 0 ? r : open_pod(rec, &pod, e);
}

/* The VF's MAC on the PF is always looked at: a trusted pod may have changed it. */
static int restore_vf(struct nl *home, const struct record *rec, const struct pci_device *dev,
		      struct err *e)
{
	return rec->vf.have ? vf_restore(home, dev, &rec->vf, rec->vf_set | VF_MAC, e) : 0;
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
	if (vf_restore(home, dev, &rec->vf, VF_TRUST | VF_MAC, &second) < 0) {
		*e = second;
		return -1;
	}
	return r;
}

/* With the PF as it was: the VF's own idea of its address. */
static int settle_mac(struct nl *home, const struct record *rec, const struct pci_device *dev,
		      struct err *e)
{
	int r = netdev_settle_mac(home, rec, e);

	return r != 0 ? (r < 0 ? -1 : 0) : force_mac(home, rec, dev, e);
}

static int restore_netdev(struct nl *home, const struct journal *journal, struct record *rec,
			  const struct pci_device *dev, bool *mac_refused, struct err *e)
{
	auto_nl struct nl pod = { 0 };
	int alive = open_pod(rec, &pod, e);

	if (alive < 0)
		return -1;
	return netdev_bring_home(home, alive ? &pod : NULL, journal, rec, dev, mac_refused, e) < 0 ?
		       -1 : 0;
}

/* Network device first, while the PF still grants what the pod had; then the PF's side. */
static int restore_device(const struct journal *journal, struct record *rec,
			  const struct pci_device *dev, struct err *e)
{
	auto_nl struct nl home = { 0 };
	struct err all = { .code = ERR_OK }, one;
	bool mac_refused = false, netdev_bad = false;

	if (nl_open(NETNS_OWN, NETLINK_ROUTE, &home, e) < 0)
		return -1;
	if (rec->netdev.present && restore_netdev(&home, journal, rec, dev, &mac_refused, &one) < 0)
		netdev_bad = true;
	if (netdev_bad && !(mac_refused && rec->vf.have))
		add_error(&all, &one);
	if (restore_vf(&home, rec, dev, e) < 0)
		add_error(&all, e);
	if (rec->netdev.present && rec->vf.have && (mac_refused || !netdev_bad) &&
	    settle_mac(&home, rec, dev, &one) < 0)
		add_error(&all, &one);
	if (all.code == ERR_OK)
		return 0;
	*e = all;
	return -1;
}

/* Nothing is restored onto a device that has been given back, has gone, or was booted anew. */
static int release_device(const struct host *host, const struct journal *journal,
			  struct record *rec, struct err *e)
{
	struct pci_device dev = { 0 };
	int r = this_boot(host, rec, e);

	if (r <= 0 || rec->released)
		return r < 0 ? -1 : 0;
	if (rec->is_pci) {
		r = sysfs_pci(host, rec->device, &dev, e);
		if (r == 0 ||
		    (r < 0 && e->code == ERR_DEVICE)) { /* it, or its PF, was taken away */
			log_info("msg=\"device has vanished, nothing to restore\" device=%s",
				 rec->device);
			return 0;
		}
		if (r < 0)
			return -1;
	}
	return restore_device(journal, rec, &dev, e);
}

int release_device_of(const struct host *host, const struct journal *journal, struct record *rec,
		      struct err *e)
{
	log_warning("msg=\"cleaning up after a dead owner\" device=%s owner=%s/%s", rec->device,
		    rec->owner.container_id, rec->owner.ifname);
	if (release_device(host, journal, rec, e) < 0)
		return err_wrap(e, "clean up %s after container %.64s", rec->device,
				rec->owner.container_id);
	rec->released = true;
	return journal_write(journal, rec, e);
}

static int release_ipam(const struct release *r, struct err *e)
{
	struct ipam ipam = {
		.type = r->rec->ipam_type,
		.cni_path = r->cni_path && *r->cni_path ? r->cni_path : r->rec->cni_path,
		.request = r->rec->request,
		.timeout_ms = r->host->set.ipam_timeout_ms,
	};

	if (r->hurry && ipam.timeout_ms > HURRY_MS)
		ipam.timeout_ms = HURRY_MS;
	if (!ipam.type || r->skip_ipam || ipam_del(&ipam, e) == 0)
		return 0;
	if (!r->ipam_refused)
		return -1;
	log_info("msg=\"the IPAM plugin refused the DEL after its own failed ADD\" error=\"%s\"",
		 e->msg);
	return 0;
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
	bool device_clean;

	if (release_ipam(r, &one) < 0)
		add_error(&all, &one);
	device_clean = release_device(r->host, r->journal, r->rec, &one) == 0;
	if (!device_clean)
		add_error(&all, &one);
	if (release_files(r, &one) < 0)
		add_error(&all, &one);
	if (all.code == ERR_OK)
		return journal_remove(r->journal, r->rec, e);
	/* the device may go to the next pod now, so the retry of this one must leave it alone */
	if (device_clean && !r->rec->released) {
		r->rec->released = true;
		if (journal_write(r->journal, r->rec, &one) < 0)
			add_error(&all, &one);
	}
	*e = all;
	return -1;
}
