/* SPDX-License-Identifier: Apache-2.0 */
/* repair_vf.c - the attributes of a VF that nobody has */
#include "manager/doctor/repair_vf.h"

#include "base/fs.h"
#include "base/mem.h"
#include "cni/driver/driver.h"
#include "cni/sriovcni/allocation_file.h"
#include "cni/vf/vf.h"
#include "devinfo/journal/owner.h"
#include "devinfo/node/eswitch.h"
#include "netlink/link.h"

#define ATTRIBUTES	(VF_VLAN | VF_RATE | VF_TRUST | VF_LINK_STATE)

/* sriov-cni's lock while *lock is open, and no namespace that lives has the VF: 1, 0, -1. */
static int is_free_there(const struct host *host, const char *bdf, const struct deadline *d,
			 int *lock, struct err *e)
{
	struct allocation_file file = { .netns = "" };
	auto_close int dir = -1, fd = -1;
	struct stat st;
	int r = fs_find_dir(host->root, host->set.sriov_state_dir, &dir, e);

	if (r <= 0)
		return r < 0 ? -1 : 1;
	if (allocation_file_lock(dir, bdf, d, lock, e) < 0)
		return -1;
	r = allocation_file_read(dir, bdf, &file, e);
	if (r > 0)
		r = owner_open_path(file.netns, &fd, &st, e);
	return r < 0 ? -1 : !r;
}

/* A network device of the host's that is in no use, as when it was found: 1, 0, -1. */
static int is_idle_now(const struct host *host, struct nl *nl, const struct pci_device *dev,
		       struct err *e)
{
	struct link link;
	char names[128];
	int r;

	if (!dev->ifindex && *dev->driver && !driver_is_vfio(dev->driver))
		return 0;	/* it is in a namespace, or of a driver that does not tell */
	if (!dev->ifindex)
		return driver_check_unused(host, dev->bdf, e) < 0 ? -1 : 1;
	r = link_get_by_index(nl, dev->ifindex, &link, e);
	if (r <= 0 || link.master)
		return r < 0 ? -1 : 0;
	return sysfs_uppers(host, link.name, names, e) < 0 ? -1 : !*names;
}

struct others {
	struct vf_state ours;
	uint32_t differ;		/* VF_*: not what all have */
	unsigned int n;
};

static void compare_vf(unsigned int vf, const struct vf_state *state, void *arg)
{
	struct others *o = arg;

	(void)vf;
	o->differ |= vf_diff(&o->ours, state);
	o->n++;
}

/* What is neither the default nor what all VFs of the PF have, which is the administrator's. */
static int restore(struct nl *nl, const struct pci_device *dev, struct err *e)
{
	static const struct vf_state clean = { .have = ATTRIBUTES };
	struct others o = { .n = 0 };
	uint32_t which;
	int r = vf_get(nl, dev->pf_ifindex, dev->vf_index, &o.ours, e);

	if (r > 0 && vf_each(nl, dev->pf_ifindex, compare_vf, &o, e) < 0)
		r = -1;
	if (r <= 0)
		return r;
	which = vf_diff(&clean, &o.ours) & (o.n > 1 ? o.differ : ATTRIBUTES);
	if (!which)
		return 0;
	return vf_restore(nl, dev, &clean, which, 0, e) < 0 ? -1 : 1;
}

int repair_vf(const struct host *host, const char *bdf, const struct deadline *d, struct err *e)
{
	auto_nl struct nl nl = { 0 };
	auto_close int lock = -1;
	struct pci_device dev = { 0 };
	int r = eswitch_pci(host, bdf, &dev, e);

	if (r > 0 && (!dev.is_vf || !dev.pf_ifindex))
		r = 0;
	if (r > 0)
		r = is_free_there(host, bdf, d, &lock, e);
	if (r > 0 && nl_open(NETNS_OWN, NETLINK_ROUTE, &nl, e) < 0)
		r = -1;
	if (r > 0)
		r = is_idle_now(host, &nl, &dev, e);
	return r > 0 ? restore(&nl, &dev, e) : r;
}
