/* SPDX-License-Identifier: Apache-2.0 */
/* infiniband.c - what is different with an InfiniBand function: its GUID */
#include "cni/rdma/infiniband.h"

#include "base/fs.h"
#include "base/guid.h"
#include "base/log.h"
#include "base/mem.h"
#include "cni/driver/driver.h"
#include "cni/netdev/netdev_ipoib.h"
#include "cni/rdma/infiniband_netdev.h"
#include "cni/rdma/rdma.h"
#include "devinfo/journal/owner.h"
#include "devinfo/node/sysfs_rdma.h"

#include <errno.h>
#include <string.h>

enum {
	IPOIB_GUID_AT = 12,
	ARPHRD_IB = 32,	/* as sysfs tells the type of a network device */
};

/* -- looking -- */

static uint64_t guid_of(const struct netdev_state *netdev)
{
	return netdev->present && netdev->addr_len == IPOIB_ADDR_LEN
		       ? guid_from_octets(netdev->addr + IPOIB_GUID_AT)
		       : GUID_NONE;
}

/* A VF that a program in user space drives is what its PF is. */
static int is_infiniband(const struct attachment *a, struct err *e)
{
	char type[16] = "";

	if (a->rec.netdev.present)
		return a->rec.netdev.addr_len == IPOIB_ADDR_LEN;
	if (!a->dev.is_pci || !a->dev.pci.is_vf || !*a->dev.pci.pf_netdev)
		return 0;
	if (fs_read_line(a->host->root, type, sizeof(type), e, "/sys/class/net/%s/type",
			 a->dev.pci.pf_netdev) < 0)
		return -1;
	return atoi(type) == ARPHRD_IB;
}

/* What only Ethernet has; NULL when nothing of it is asked for. */
static const char *ethernet_key(const struct attachment *a)
{
	const struct netconf *nc = a->conf;
	const struct {
		const char *name;
		bool said;
	} keys[] = {
		{ a->mac_key, a->has_mac },
		{ "vlan", nc->vlan >= 0 },
		{ "spoofchk", nc->spoofchk != ONOFF_UNSET },
		{ "trust", nc->trust != ONOFF_UNSET },
		{ "min_tx_rate", nc->min_tx_rate >= 0 },
		{ "max_tx_rate", nc->max_tx_rate >= 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].said)
			return keys[i].name;
	return NULL;
}

static int refuse_ethernet(const struct attachment *a, struct err *e)
{
	const char *key = ethernet_key(a);
	uint64_t guid = guid_of(&a->rec.netdev);
	char text[GUID_TEXT];

	if (key)
		return err_set(e, ERR_NETCONF, 0, "%s: %s is an InfiniBand device", key,
			       a->dev.key);
	if (a->conf->ipam_type && strcmp(a->conf->ipam_type, "dhcp") == 0)
		return err_set(e, ERR_NETCONF, 0, "ipam.type: dhcp, but %s is an InfiniBand device",
			       a->dev.key);
	if (!a->conf->guid && a->dev.is_pci && a->dev.pci.is_vf && a->rec.netdev.present &&
	    !guid_is_valid(guid))
		return err_set(e, ERR_DEVICE, 0, "%s has no GUID (%s), and none is configured",
			       a->dev.key, guid_format(guid, text));
	return 0;
}

/*
 * What DEL shall set.  An administrator's GUID is reported; else the VF's own is that of the
 * firmware; else there was none.
 */
static uint64_t before(uint64_t reported, uint64_t own)
{
	if (guid_is_valid(reported))
		return reported;
	return guid_is_valid(own) ? own : GUID_UNASSIGNED;
}

/* The interface's address has the port's; the node's is told by the RDMA device. */
static int note_before(struct attachment *a, struct err *e)
{
	uint64_t port = guid_of(&a->rec.netdev), node = port;
	struct vf_state *vf = &a->rec.vf;

	if (sysfs_rdma_node_guid(a->host, a->dev.key, &node, e) < 0)
		return err_wrap(e, "node GUID of %s", a->dev.key);
	vf->node_guid = before(vf->node_guid, node);
	vf->port_guid = before(vf->port_guid, port);
	vf->have |= VF_GUIDS;
	return *a->rec.driver.bound ? 0 :
				      driver_note(a->host, &a->dev.pci, &a->rec.driver, e);
}

int infiniband_probe(struct attachment *a, struct err *e)
{
	int r = is_infiniband(a, e);

	if (r < 0)
		return -1;
	if (r == 0)
		return a->conf->guid ? err_set(e, ERR_NETCONF, 0,
					       "guid: %s is not an InfiniBand device", a->dev.key)
				     : 0;
	if (refuse_ethernet(a, e) < 0)
		return -1;
	return a->conf->guid ? note_before(a, e) : 0;
}

/* To take a GUID; one that goes to user space is not asked to. */
static bool is_rebound(const struct attachment *a)
{
	return a->conf->guid && *a->rec.driver.before && !*a->rec.driver.bound;
}

int infiniband_probe_rdma(struct attachment *a, struct err *e)
{
	bool is_ipoib = a->rec.netdev.present && a->rec.netdev.addr_len == IPOIB_ADDR_LEN;

	a->recreated = is_ipoib && (is_rebound(a) || a->rec.rdma.isolated);
	if (!a->recreated && !(is_ipoib && *a->rec.driver.before))	/* then DEL makes it anew */
		return 0;
	if (!a->rec.unique_parent)
		return err_set(e, ERR_DEVICE, EOPNOTSUPP,
			       "the kernel does not tell which interface is that of %s",
			       a->dev.key);
	a->rec.netdev.addr_len = a->rec.netdev.perm_len = 0;
	return 0;
}

/*
 * The driver that is away for it is that of before; another one, and none, are left as they are.  A
 * VF is never left without its driver, whatever the PF says.
 */
static int give_guids(const struct host *host, struct nl *home, const struct pci_device *dev,
		      const struct vf_state *want, const struct driver_state *driver,
		      struct err *e)
{
	struct err second;
	int r;

	if (*driver->before && strcmp(dev->driver, driver->before) == 0 &&
	    driver_unbind(host, dev->bdf, e) < 0)
		return -1;
	r = vf_set_guids(home, dev->pf_ifindex, dev->vf_index, want, e);
	if (*driver->before && !*driver->bound &&
	    driver_restore(host, dev->bdf, driver, &second) < 0) {
		if (r == 0)
			*e = second;
		r = -1;
	}
	return r < 0 ? err_wrap(e, "set the GUID of VF %u of %s", dev->vf_index, dev->pf_netdev)
		     : 0;
}

/* -- ADD -- */

/* A name that was lost to another device would make liars of the record and the device-info. */
static int name_rdma(struct attachment *a, struct err *e)
{
	struct rdma_device dev;
	int r = rdma_await(a->host, &a->rec, &dev, e);

	if (r > 0)
		r = rdma_settle(a->host, &a->rec, e);
	if (r == 0)
		return err_set(e, ERR_TRY_AGAIN, ENODEV,
			       "RDMA device %s did not come back with its driver",
			       a->rec.rdma.name);
	if (r < 0 && e->sys == EEXIST)
		e->code = ERR_TRY_AGAIN;
	return r < 0 ? -1 : journal_write(&a->journal, &a->rec, e);
}

static int set_guid(struct attachment *a, struct err *e)
{
	const struct vf_state want = { .node_guid = a->conf->guid, .port_guid = a->conf->guid };

	if (give_guids(a->host, &a->home, &a->dev.pci, &want, &a->rec.driver, e) < 0)
		return -1;
	return is_rebound(a) && *a->rec.rdma.name ? name_rdma(a, e) : 0;
}

int infiniband_set_guid(struct attachment *a, struct err *e)
{
	int r;

	if (!a->conf->guid)
		return 0;
	if (rdma_lock(a->host, &a->journal, e) < 0)
		return -1;
	r = set_guid(a, e);
	rdma_unlock(&a->journal);
	if (r < 0)
		return -1;
	/* when the RDMA device moves, it is made anew once more */
	return a->rec.rdma.isolated ? 0 : infiniband_find_netdev(a, e);
}

/* -- DEL -- */

/* All ones are how a GUID is taken away: some drivers then tell zero. */
static bool is_restored(uint64_t now, uint64_t was)
{
	return now == was || (now == GUID_NONE && was == GUID_UNASSIGNED);
}

static bool are_restored(const struct vf_state *now, const struct vf_state *was)
{
	return (now->have & VF_GUIDS) == VF_GUIDS && is_restored(now->node_guid, was->node_guid) &&
	       is_restored(now->port_guid, was->port_guid);
}

/* Zero: none was ever set, ours neither. */
static bool is_untouched(uint64_t now, uint64_t was)
{
	return now == was || now == GUID_NONE;
}

static bool are_untouched(const struct vf_state *now, const struct vf_state *was)
{
	return (now->have & VF_GUIDS) == VF_GUIDS &&
	       is_untouched(now->node_guid, was->node_guid) &&
	       is_untouched(now->port_guid, was->port_guid);
}

static int read_guids(struct nl *home, const struct pci_device *dev, struct vf_state *ret,
		      struct err *e)
{
	int r = vf_get(home, dev->pf_ifindex, dev->vf_index, ret, e);

	return r == 0  ? err_set(e, ERR_DEVICE, ENODEV, "PF %s lists no VF %u", dev->pf_netdev,
				 dev->vf_index)
	       : r < 0 ? -1
		       : 0;
}

/* Its name may be another device's by now: then it stays as the kernel calls it. */
static int settle_rdma(const struct host *host, struct record *rec, struct err *e)
{
	int r = rdma_settle(host, rec, e);

	if (r >= 0 || e->sys != EEXIST)
		return r;
	log_warning("msg=\"the name of an RDMA device is taken\" name=%s device=%s",
		    rec->rdma.name, rec->device);
	return 1;
}

/* Its name at once, before the next function's driver makes a device of that name. */
static int give_back(const struct host *host, const struct journal *journal, struct nl *home,
		     struct record *rec, const struct pci_device *dev, struct err *e)
{
	int r;

	if (rdma_lock(host, journal, e) < 0)
		return -1;
	r = give_guids(host, home, dev, &rec->vf, &rec->driver, e);
	if (r == 0 && *rec->rdma.name)
		r = settle_rdma(host, rec, e);
	rdma_unlock(journal);
	return r < 0 ? -1 : 0;
}

static bool is_unbound(const struct record *rec, const struct pci_device *dev)
{
	return *rec->driver.before && !*rec->driver.bound && !*dev->driver;
}

/* A kernel that does not report GUIDs is told each time. */
static int restore_guids(const struct host *host, const struct journal *journal, struct record *rec,
			 const struct pci_device *dev, struct err *e)
{
	auto_nl struct nl home = { 0 };
	struct vf_state now;

	if (!dev->pf_ifindex)
		return err_set(e, ERR_TRY_AGAIN, ENODEV,
			       "PF %s of VF %u has no network device here", dev->pf_bdf,
			       dev->vf_index);
	if (nl_open(NETNS_OWN, NETLINK_ROUTE, &home, e) < 0 || read_guids(&home, dev, &now, e) < 0)
		return -1;
	if (are_untouched(&now, &rec->vf) && !is_unbound(rec, dev))
		return 0;
	if (give_back(host, journal, &home, rec, dev, e) < 0 ||
	    read_guids(&home, dev, &now, e) < 0)
		return -1;
	if (now.have & VF_GUIDS && !are_restored(&now, &rec->vf))
		return err_set(e, ERR_DEVICE, 0,
			       "the driver accepted but did not restore the GUID of VF %u of %s",
			       dev->vf_index, dev->pf_netdev);
	return 0;
}

/* Mostly it has its name still, and there is no need to wait for others. */
int infiniband_settle(const struct host *host, const struct journal *journal, struct record *rec,
		      struct err *e)
{
	struct rdma_device dev;
	int r = *rec->rdma.name ? rdma_await(host, rec, &dev, e) : 1;

	if (r == 0)
		log_warning("msg=\"the RDMA device has not come home\" name=%s device=%s",
			    rec->rdma.name, rec->device);
	if (r <= 0 || !*rec->rdma.name || strcmp(dev.name, rec->rdma.name) == 0)
		return r < 0 ? -1 : 0;
	if (rdma_lock(host, journal, e) < 0)
		return -1;
	r = settle_rdma(host, rec, e);
	rdma_unlock(journal);
	return r < 0 ? -1 : 0;
}

int infiniband_restore(const struct host *host, const struct journal *journal, struct record *rec,
		       const struct pci_device *dev, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	auto_nl struct nl pod = { 0 };
	auto_close int netns = -1;

	if (rec->rdma.isolated && (owner_open_netns(rec, &pod, &netns, &one) < 0 ||
				   rdma_bring_home(host, journal, rec, netns, &one) < 0))
		err_join(&all, &one);
	if (rec->vf_set & VF_GUIDS && restore_guids(host, journal, rec, dev, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}
