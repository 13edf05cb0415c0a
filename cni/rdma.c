/* SPDX-License-Identifier: Apache-2.0 */
/* rdma.c - the RDMA device of an attachment: into the pod, and home again */
#include "cni/rdma.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/infiniband.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LOCK      "rdma/" /* no device is called so */
#define LOCK_MS   40000   /* a driver takes a second or two, and a node has many */
#define RETURN_MS 5000    /* a dead namespace, or a driver that has just been bound */

int rdma_lock(const struct journal *journal, struct err *e)
{
	struct deadline d = deadline_in(LOCK_MS);

	if (journal_lock_device(journal, LOCK, &d, e) < 0)
		return err_wrap(e, "the lock of RDMA devices");
	return 0;
}

void rdma_unlock(const struct journal *journal)
{
	journal_unlock_device(journal, LOCK);
}

/* -- at home -- */

struct names {
	unsigned int count;
	char first[RDMA_NAME_MAX], second[RDMA_NAME_MAX];
};

static int add_name(const char *name, void *arg, struct err *e)
{
	struct names *n = arg;

	if (strlen(name) >= RDMA_NAME_MAX)
		return err_set(e, ERR_DEVICE, E2BIG, "RDMA device '%.100s'", name);
	if (n->count < 2)
		(void)snprintf(n->count ? n->second : n->first, RDMA_NAME_MAX, "%s", name);
	n->count++;
	return 0;
}

/* A device that is neither a PCI function nor an auxiliary device has no such directory. */
static int list(const struct host *host, const char *device, bool is_pci, struct names *ret,
		struct err *e)
{
	char dir[128];

	*ret = (struct names) { 0 };
	if (!name_is_file(device))
		return 0;
	(void)snprintf(dir, sizeof(dir), "/sys/bus/%s/devices/%s/infiniband",
		       is_pci ? "pci" : "auxiliary", device);
	return fs_each(host->root, dir, add_name, ret, e) < 0 ? -1 : 0;
}

/* Another device may have been given the name meanwhile: then it stays as the kernel calls it. */
static int give_name(struct nl *nl, const struct rdma_device *dev, const char *name, struct err *e)
{
	if (strcmp(dev->name, name) == 0 || rdma_rename(nl, dev->index, name, e) == 0)
		return 0;
	if (!nl->refused || e->sys != EEXIST)
		return -1;
	log_warning("msg=\"the name of an RDMA device is taken\" name=%s device=%s", name,
		    dev->name);
	return 0;
}

static int settle(struct record *rec, const char *name, struct err *e)
{
	auto_nl struct nl nl = { 0 };
	struct rdma_device dev;
	int r = rdma_open(NETNS_OWN, &nl, e);

	if (r > 0)
		r = rdma_find_name(&nl, name, &dev, e);
	if (r <= 0) /* udev may just have renamed it */
		return r;
	if (give_name(&nl, &dev, rec->rdma.name, e) < 0)
		return -1;
	rec->rdma.index = dev.index;
	return 1;
}

int rdma_settle(const struct host *host, struct record *rec, struct err *e)
{
	struct deadline d = deadline_in(RETURN_MS);
	struct names n;
	int r;

	for (;;) {
		if (list(host, rec->device, rec->is_pci, &n, e) < 0)
			return -1;
		r = n.count > 0 ? settle(rec, n.first, e) : 0;
		if (r != 0 || deadline_left_ms(&d) == 0)
			return r;
		deadline_sleep(&d, 20);
	}
}

/* -- ADD -- */

static int refuse_count(const struct attachment *a, const struct names *n, struct err *e)
{
	if (n->count == 0)
		return err_set(e, ERR_DEVICE, ENODEV, "rdmaIsolation: %s has no RDMA device here",
			       a->dev.key);
	return err_set(e, ERR_DEVICE, E2BIG,
		       "rdmaIsolation: %s has %u RDMA devices (%s, %s%s), where one is expected",
		       a->dev.key, n->count, n->first, n->second, n->count > 2 ? "..." : "");
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
	return *rec->rebind || *rec->driver.before;
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

static int look_at(struct attachment *a, const char *name, struct err *e)
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
	r = rdma_find_name(&nl, name, &dev, e);
	if (r == 0)
		return err_set(e, ERR_TRY_AGAIN, ENODEV, "RDMA device %s of %s has just gone", name,
			       a->dev.key);
	if (r < 0)
		return -1;
	a->rec.rdma = (struct rdma_state) { .index = dev.index, .isolated = isolated > 0 };
	memcpy(a->rec.rdma.name, dev.name, sizeof(a->rec.rdma.name));
	return 0;
}

int rdma_look(struct attachment *a, struct err *e)
{
	struct names n;

	if (*a->rec.driver.bound && a->conf->rdma_isolation == ONOFF_ON)
		return err_set(e, ERR_NETCONF, 0,
			       "rdmaIsolation: with driver %s there is no RDMA device",
			       a->rec.driver.bound);
	if (!is_wanted(a) && !is_made_anew(&a->rec))
		return 0;
	if (list(a->host, a->dev.key, a->dev.is_pci, &n, e) < 0)
		return err_wrap(e, "RDMA devices of %s", a->dev.key);
	if (n.count != 1 && a->conf->rdma_isolation == ONOFF_ON)
		return refuse_count(a, &n, e);
	if (n.count > 1)
		log_info("msg=\"more than one RDMA device, all stay\" device=%s", a->dev.key);
	return n.count == 1 ? look_at(a, n.first, e) : 0;
}

static int move_in(struct attachment *a, struct err *e)
{
	auto_nl struct nl nl = { 0 };

	if (rdma_open(NETNS_OWN, &nl, e) <= 0)
		return err_set(e, ERR_DEVICE, EPROTONOSUPPORT, "the kernel has no RDMA any more");
	return rdma_move(&nl, NETNS_OWN, a->rec.rdma.index, a->netns, e);
}

int rdma_move_in(struct attachment *a, struct err *e)
{
	int r;

	if (!a->rec.rdma.isolated)
		return 0;
	if (rdma_lock(&a->journal, e) < 0)
		return -1;
	r = move_in(a, e);
	rdma_unlock(&a->journal);
	if (r < 0)
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

int rdma_bring_home(const struct journal *journal, const struct record *rec, int netns,
		    struct err *e)
{
	int r;

	if (!rec->rdma.isolated || netns < 0)
		return 0;
	if (rdma_lock(journal, e) < 0)
		return -1;
	r = move_home(rec, netns, e);
	rdma_unlock(journal);
	return r < 0 ? err_wrap(e, "bring RDMA device %s home from the pod", rec->rdma.name) : 0;
}
