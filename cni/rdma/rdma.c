/* SPDX-License-Identifier: Apache-2.0 */
/* rdma.c - the RDMA device of an attachment: into the pod, and home again */
#include "cni/rdma/rdma.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/rdma/infiniband_netdev.h"
#include "devinfo/node/sysfs_rdma.h"

#include <errno.h>
#include <string.h>

#define LOCK      "rdma/" /* no device is called so */
#define RETURN_MS 5000    /* a dead namespace, or a driver that has just been bound */

int rdma_lock(const struct host *host, const struct journal *journal, struct err *e)
{
	struct deadline d = deadline_in(host->set.lock_timeout_ms);

	if (journal_lock_common(journal, LOCK, &d, e) < 0)
		return err_wrap(e, "the lock of RDMA devices");
	return 0;
}

void rdma_unlock(const struct journal *journal)
{
	journal_unlock_common(journal, LOCK);
}

/* -- at home -- */

/*
 * By its name, which udev may have given to another function's device between our two looks: so the
 * device is the function's when sysfs says so after the kernel has.
 */
static int find_named(const struct host *host, const struct record *rec, struct nl *nl,
		      const char *name, struct rdma_device *ret, struct err *e)
{
	int r = rdma_find_name(nl, name, ret, e);

	return r <= 0 ? r : sysfs_rdma_is_of(host, rec->is_pci, rec->device, ret->name, e);
}

/* A driver that was bound anew has given it another index and perhaps another name. */
static int find_only(const struct host *host, const struct record *rec, struct nl *nl,
		     struct rdma_device *ret, struct err *e)
{
	struct rdma_names names;

	if (!*rec->driver.before)
		return 0;
	if (sysfs_rdma(host, rec->is_pci, rec->device, &names, e) < 0)
		return -1;
	return names.count == 1 && names.n == 1 ?
		       find_named(host, rec, nl, names.name[0], ret, e) : 0;
}

/* The function may have others by now: a software device on its network device, say. */
static int find_at_home(const struct host *host, const struct record *rec, struct nl *nl,
			struct rdma_device *ret, struct err *e)
{
	int r = rdma_find_index(nl, rec->rdma.index, ret, e);

	if (r > 0)
		r = sysfs_rdma_is_of(host, rec->is_pci, rec->device, ret->name, e);
	if (r == 0)
		r = find_named(host, rec, nl, rec->rdma.name, ret, e);
	return r != 0 ? r : find_only(host, rec, nl, ret, e);
}

/* Nothing comes of a device that is gone, or is not in the hands of a driver of the kernel. */
static int may_come(const struct host *host, const struct record *rec, struct err *e)
{
	char driver[64] = "";
	int r = fs_readlink_base(host->root, driver, sizeof(driver), e,
				 "/sys/bus/%s/devices/%s/driver",
				 rec->is_pci ? "pci" : "auxiliary", rec->device);

	return r <= 0 ? r : !driver_is_userspace(driver);
}

int rdma_await(const struct host *host, const struct record *rec, struct rdma_device *ret,
	       struct err *e)
{
	struct deadline d = deadline_in(RETURN_MS);
	auto_nl struct nl nl = { 0 };
	int r = rdma_open(NETNS_OWN, &nl, e);

	if (r <= 0)
		return r;
	for (;;) {
		r = find_at_home(host, rec, &nl, ret, e);
		if (r != 0 || deadline_left_ms(&d) == 0)
			return r;
		r = may_come(host, rec, e);
		if (r <= 0)
			return r;
		deadline_sleep(&d, 20);
	}
}

int rdma_settle(const struct host *host, struct record *rec, struct err *e)
{
	auto_nl struct nl nl = { 0 };
	struct rdma_device dev;
	int r = rdma_open(NETNS_OWN, &nl, e);

	if (r > 0)
		r = find_at_home(host, rec, &nl, &dev, e);
	if (r <= 0)
		return r;
	rec->rdma.index = dev.index;
	if (strcmp(dev.name, rec->rdma.name) == 0)
		return 1;
	return rdma_rename(&nl, dev.index, rec->rdma.name, e) < 0 ? -1 : 1;
}

/* -- ADD -- */

static int refuse_count(const struct attachment *a, const struct rdma_names *n, struct err *e)
{
	if (n->count == 0)
		return err_set(e, ERR_DEVICE, ENODEV, "rdmaIsolation: %s has no RDMA device here",
			       a->dev.key);
	return err_set(e, ERR_DEVICE, E2BIG,
		       "rdmaIsolation: %s has %u RDMA devices (%s, %s%s), where one is expected",
		       a->dev.key, n->count, n->name[0], n->n > 1 ? n->name[1] : "",
		       n->count > 2 ? "..." : "");
}

/* Without being told to, only what is made to be handed out: not a PF's. */
static bool is_wanted(const struct attachment *a)
{
	if (*a->rec.driver.bound)	/* it goes with the driver */
		return false;
	return a->conf->rdma_isolation == ONOFF_ON ||
	       (a->conf->rdma_isolation == ONOFF_UNSET && (!a->dev.is_pci || a->dev.pci.is_vf));
}

/* Its name of before has to be remembered. */
static bool is_made_anew(const struct record *rec)
{
	return *rec->driver.before;
}

/* Move it or not: 1, 0, -1. */
static int is_isolated(const struct attachment *a, struct nl *nl, struct err *e)
{
	enum rdma_mode mode;

	if (!is_wanted(a))
		return 0;
	if (rdma_mode_get(nl, &mode, e) < 0)
		return -1;
	if (mode == RDMA_SHARED && a->conf->rdma_isolation == ONOFF_ON)
		return err_set(e, ERR_DEVICE, 0,
			       "rdmaIsolation: the RDMA subsystem is in shared mode "
			       "(rdma system set netns exclusive)");
	return mode == RDMA_EXCLUSIVE;
}

/* A name that a record must not have would make it a damaged one. */
static int take_device(struct attachment *a, const struct rdma_device *dev, bool isolated,
		       struct err *e)
{
	int r = sysfs_rdma_is_of(a->host, a->dev.is_pci, a->dev.key, dev->name, e);

	if (r == 0)
		return err_set(e, ERR_TRY_AGAIN, ENODEV,
			       "RDMA device %.64s is not that of %s any more", dev->name,
			       a->dev.key);
	a->rec.rdma = (struct rdma_state) { .index = dev->index, .isolated = isolated };
	memcpy(a->rec.rdma.name, dev->name, sizeof(a->rec.rdma.name));
	return r < 0 ? -1 : 0;
}

static int probe_one(struct attachment *a, const char *name, struct err *e)
{
	auto_nl struct nl nl = { 0 };
	struct rdma_device dev;
	int r = rdma_open(NETNS_OWN, &nl, e), isolated;

	if (r == 0)
		return err_set(e, ERR_DEVICE, EPROTONOSUPPORT,
			       "%s has RDMA device %s, but the kernel no RDMA", a->dev.key, name);
	if (r < 0)
		return -1;
	isolated = is_isolated(a, &nl, e);
	if (isolated < 0)
		return -1;
	if (!isolated && !is_made_anew(&a->rec))
		return 0;
	if (!name_is_file(name))
		return err_set(e, ERR_DEVICE, EILSEQ, "the name of the RDMA device of %s is none",
			       a->dev.key);
	r = rdma_find_name(&nl, name, &dev, e);
	if (r == 0)
		return err_set(e, ERR_TRY_AGAIN, ENODEV, "RDMA device %s of %s has just gone", name,
			       a->dev.key);
	return r < 0 ? -1 : take_device(a, &dev, isolated > 0, e);
}

int rdma_probe(struct attachment *a, struct err *e)
{
	struct rdma_names n = { .n = 0 };

	if (*a->rec.driver.bound && a->conf->rdma_isolation == ONOFF_ON)
		return err_set(e, ERR_NETCONF, 0,
			       "rdmaIsolation: with driver %s there is no RDMA device",
			       a->rec.driver.bound);
	if (!is_wanted(a) && !is_made_anew(&a->rec))
		return 0;
	if (!a->dev.is_netdev && sysfs_rdma(a->host, a->dev.is_pci, a->dev.key, &n, e) < 0)
		return err_wrap(e, "RDMA devices of %s", a->dev.key);
	if (n.count != 1 && a->conf->rdma_isolation == ONOFF_ON)
		return refuse_count(a, &n, e);
	if (n.count > 1)
		log_info("msg=\"more than one RDMA device, all stay\" device=%s", a->dev.key);
	return n.count == 1 && n.n == 1 ? probe_one(a, n.name[0], e) : 0;
}

static int move_in(struct attachment *a, struct err *e)
{
	auto_nl struct nl nl = { 0 };
	int r = rdma_open(NETNS_OWN, &nl, e);

	if (r == 0)
		return err_set(e, ERR_DEVICE, EPROTONOSUPPORT, "the kernel has no RDMA any more");
	return r < 0 ? -1 : rdma_move(&nl, NETNS_OWN, a->rec.rdma.index, a->netns, e);
}

/* The pod does without, for nobody has said that it needs it. */
static int leave_at_home(struct attachment *a, const struct err *why, struct err *e)
{
	log_warning("msg=\"the RDMA device stays: %s\" name=%s details=\"%s\"", why->msg,
		    a->rec.rdma.name, why->details);
	a->rec.rdma.isolated = false;
	if (!is_made_anew(&a->rec))
		*a->rec.rdma.name = '\0';
	return journal_write(&a->journal, &a->rec, e);
}

static int move_in_alone(struct attachment *a, struct err *e)
{
	struct err why;
	int r;

	if (rdma_lock(a->host, &a->journal, e) < 0)
		return -1;
	r = move_in(a, &why);
	rdma_unlock(&a->journal);
	if (r < 0 && why.sys == EOPNOTSUPP && a->conf->rdma_isolation == ONOFF_UNSET)
		return leave_at_home(a, &why, e);
	if (r < 0)
		*e = why;
	return r;
}

int rdma_move_in(struct attachment *a, struct err *e)
{
	if (!a->rec.rdma.isolated)
		return 0;
	if (move_in_alone(a, e) < 0)
		return err_wrap(e, "%s", a->rec.rdma.name);
	return infiniband_find_netdev(a, e);
}

/* -- DEL -- */

int rdma_find_in(int netns, const struct record *rec, struct rdma_device *ret, struct err *e)
{
	auto_nl struct nl nl = { 0 };
	int r = rdma_open(netns, &nl, e);

	return r <= 0 ? r : rdma_find_index(&nl, rec->rdma.index, ret, e);
}

static int move_home(const struct record *rec, int netns, struct err *e)
{
	auto_close int home = netns_open_own(e);
	auto_nl struct nl nl = { 0 };
	struct rdma_device dev;
	int r = home < 0 ? -1 : rdma_open(netns, &nl, e);

	if (r > 0)
		r = rdma_find_index(&nl, rec->rdma.index, &dev, e);
	return r <= 0 ? r : rdma_move(&nl, netns, dev.index, home, e);
}

int rdma_bring_home(const struct host *host, const struct journal *journal,
		    const struct record *rec, int netns, struct err *e)
{
	int r;

	if (!rec->rdma.isolated || netns < 0)
		return 0;
	if (rdma_lock(host, journal, e) < 0)
		return -1;
	r = move_home(rec, netns, e);
	rdma_unlock(journal);
	return r < 0 ? err_wrap(e, "bring RDMA device %s home from the pod", rec->rdma.name) : 0;
}
