/* SPDX-License-Identifier: Apache-2.0 */
/* infiniband.c - what is different with an InfiniBand function: its GUID */
#include "cni/infiniband.h"

#include "base/fs.h"
#include "base/guid.h"
#include "base/log.h"
#include "base/mem.h"
#include "cni/netdev.h"
#include "cni/rdma.h"
#include "devinfo/eswitch.h"
#include "devinfo/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

enum {
	IPOIB_ADDR_LEN = 20, /* flags and QPN, subnet prefix, GUID */
	IPOIB_GUID_AT = 12,
	ARPHRD_IB = 32,   /* as sysfs tells the type of a network device */
	NETDEV_MS = 5000, /* for an interface to be made anew */
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
		{ "mac", a->has_mac },
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

static int refuse(const struct attachment *a, struct err *e)
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
 * What DEL shall set.  An administrator's GUID is reported; of the firmware's the interface's
 * address tells; else there was none.
 */
static uint64_t before(uint64_t reported, const struct netdev_state *netdev)
{
	uint64_t guid = guid_of(netdev);

	if (guid_is_valid(reported))
		return reported;
	return guid_is_valid(guid) ? guid : GUID_UNASSIGNED;
}

static void note_before(struct attachment *a)
{
	const struct pci_device *pci = &a->dev.pci;
	struct vf_state *vf = &a->rec.vf;

	vf->node_guid = before(vf->node_guid, &a->rec.netdev);
	vf->port_guid = before(vf->port_guid, &a->rec.netdev);
	vf->have |= VF_GUIDS;
	if (!driver_is_userspace(pci->driver) && !*a->rec.driver.bound)
		memcpy(a->rec.rebind, pci->driver, sizeof(a->rec.rebind));
}

int infiniband_look(struct attachment *a, struct err *e)
{
	int r = is_infiniband(a, e);

	if (r < 0)
		return -1;
	if (r == 0)
		return a->conf->guid ? err_set(e, ERR_NETCONF, 0,
					       "guid: %s is no InfiniBand device", a->dev.key)
				     : 0;
	if (refuse(a, e) < 0)
		return -1;
	if (a->conf->guid)
		note_before(a);
	return 0;
}

int infiniband_look_again(struct attachment *a, struct err *e)
{
	bool is_ipoib = a->rec.netdev.present && a->rec.netdev.addr_len == IPOIB_ADDR_LEN;

	a->made_anew = is_ipoib && (*a->rec.rebind || a->rec.rdma.isolated);
	if (!a->made_anew && !(is_ipoib && *a->rec.driver.before))	/* then DEL makes it anew */
		return 0;
	if (!a->rec.sole)
		return err_set(e, ERR_DEVICE, EOPNOTSUPP,
			       "the kernel does not tell which interface is that of %s",
			       a->dev.key);
	a->rec.netdev.addr_len = a->rec.netdev.perm_len = 0;
	return 0;
}

/* -- binding -- */

static int tell_driver(const struct host *host, const char *driver, const char *file,
		       const char *bdf, struct err *e)
{
	char path[128];
	auto_close int fd = -1;

	(void)snprintf(path, sizeof(path), "/sys/bus/pci/drivers/%s/%s", driver, file);
	fd = fs_open(host->root, path, O_WRONLY, 0);
	if (fd < 0 || write(fd, bdf, strlen(bdf)) < 0)
		return err_set(e, ERR_DEVICE, errno, "%s %s (driver %s)", file, bdf, driver);
	return 0;
}

/* ENODEV: it is not bound to that driver, as wanted. */
static int unbind(const struct host *host, const char *driver, const struct pci_device *dev,
		  struct err *e)
{
	if (!*dev->driver || tell_driver(host, driver, "unbind", dev->bdf, e) == 0)
		return 0;
	return e->sys == ENODEV ? 0 : -1;
}

/* A VF is never left without its driver, whatever the PF says. */
static int give_guids(const struct host *host, struct nl *home, const struct pci_device *dev,
		      const struct vf_state *want, const char *driver, struct err *e)
{
	struct err second;
	int r;

	if (*driver && unbind(host, driver, dev, e) < 0)
		return -1;
	r = vf_set_guids(home, dev->pf_ifindex, dev->vf_index, want, e);
	if (*driver && tell_driver(host, driver, "bind", dev->bdf, &second) < 0) {
		if (r == 0)
			*e = second;
		r = -1;
	}
	return r;
}

static int give_guids_alone(const struct host *host, const struct journal *journal, struct nl *home,
			    const struct pci_device *dev, const struct vf_state *want,
			    const char *driver, struct err *e)
{
	int r;

	if (rdma_lock(journal, e) < 0)
		return -1;
	r = give_guids(host, home, dev, want, driver, e);
	rdma_unlock(journal);
	return r < 0 ? err_wrap(e, "set the GUID of VF %u of %s", dev->vf_index, dev->pf_netdev)
		     : 0;
}

/* -- ADD -- */

int infiniband_set_guid(struct attachment *a, struct err *e)
{
	const struct vf_state want = { .node_guid = a->conf->guid, .port_guid = a->conf->guid };
	int r;

	if (!a->conf->guid)
		return 0;
	if (give_guids_alone(a->host, &a->journal, &a->home, &a->dev.pci, &want, a->rec.rebind, e) <
	    0)
		return -1;
	if (*a->rec.rdma.name) {
		r = rdma_settle(a->host, &a->rec, e);
		if (r == 0)
			return err_set(e, ERR_TRY_AGAIN, ENODEV,
				       "RDMA device %s did not come back with its driver",
				       a->rec.rdma.name);
		if (r < 0 || journal_write(&a->journal, &a->rec, e) < 0)
			return -1;
	}
	/* when the RDMA device moves, it is made anew once more */
	return a->rec.rdma.isolated ? 0 : infiniband_find_netdev(a, e);
}

static int wait_for_netdev(struct attachment *a, struct netdev_place *ret, struct err *e)
{
	struct deadline d = deadline_in(NETDEV_MS);
	int r = netdev_find(&a->home, &a->pod, &a->rec, ret, e);

	while (r == 0 && deadline_left_ms(&d) > 0) {
		deadline_sleep(&d, 20);
		r = netdev_find(&a->home, &a->pod, &a->rec, ret, e);
	}
	if (r == 0)
		return err_set(e, ERR_TRY_AGAIN, ENODEV,
			       "the network device of %s was not made anew", a->dev.key);
	return r < 0 ? -1 : 0;
}

/* Linux 6.17 makes it where the RDMA device is; then it is taken home, to be moved as any other. */
static int take_home(struct attachment *a, struct link *link, struct err *e)
{
	auto_close int home = netns_open_own(e);
	struct link_target to = { .nsfd = home, .name = a->rec.netdev.name };
	int r;

	if (home < 0 || link_move(&a->pod, link->ifindex, &to, e) < 0)
		return -1;
	r = link_get_by_name(&a->home, a->rec.netdev.name, link, e);
	return r == 0  ? err_set(e, ERR_DEVICE, ENODEV, "%s did not come home", a->rec.netdev.name)
	       : r < 0 ? -1
		       : 0;
}

/* The number is the new one's; name, MTU and the rest stay those of before, for DEL. */
int infiniband_find_netdev(struct attachment *a, struct err *e)
{
	struct link_change c = { .mtu = a->rec.netdev.mtu };
	struct netdev_place p = { .in_pod = false };
	struct err why;

	if (!a->made_anew)
		return 0;
	if (wait_for_netdev(a, &p, e) < 0 || (p.in_pod && take_home(a, &p.link, e) < 0))
		return -1;
	a->rec.netdev.ifindex = p.link.ifindex;
	if (journal_write(&a->journal, &a->rec, e) < 0)
		return -1;
	if (c.mtu && p.link.mtu != c.mtu && link_set(&a->home, p.link.ifindex, &c, &why) < 0)
		log_info("msg=\"%s\" details=\"%s\"", why.msg, why.details);
	return 0;
}

/* -- DEL -- */

/* Zero: none was ever set, ours neither. */
static bool is_as_before(uint64_t now, uint64_t was)
{
	return now == was || now == GUID_NONE;
}

static bool are_as_before(const struct vf_state *now, const struct vf_state *was)
{
	return (now->have & VF_GUIDS) == VF_GUIDS && is_as_before(now->node_guid, was->node_guid) &&
	       is_as_before(now->port_guid, was->port_guid);
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

/* A kernel that does not report GUIDs is told each time. */
static int restore_guids(const struct host *host, const struct journal *journal, struct record *rec,
			 struct pci_device *dev, struct err *e)
{
	auto_nl struct nl home = { 0 };
	struct vf_state now;

	if (!dev->pf_ifindex)
		return err_set(e, ERR_TRY_AGAIN, ENODEV,
			       "PF %s of VF %u has no network device here", dev->pf_bdf,
			       dev->vf_index);
	if (nl_open(NETNS_OWN, NETLINK_ROUTE, &home, e) < 0 || read_guids(&home, dev, &now, e) < 0)
		return -1;
	if (are_as_before(&now, &rec->vf) && (!*rec->rebind || *dev->driver))
		return 0;
	if (give_guids_alone(host, journal, &home, dev, &rec->vf, rec->rebind, e) < 0 ||
	    read_guids(&home, dev, &now, e) < 0)
		return -1;
	if (now.have & VF_GUIDS && !are_as_before(&now, &rec->vf))
		return err_set(e, ERR_DEVICE, 0,
			       "the driver accepted but did not restore the GUID of VF %u of %s",
			       dev->vf_index, dev->pf_netdev);
	return eswitch_pci(host, dev->bdf, dev, e) < 0 ? -1 : 0;
}

/* One that a driver should show, but does not, is somewhere else: the pod may have moved it on. */
int infiniband_settle(const struct host *host, struct record *rec, const struct pci_device *dev,
		      struct err *e)
{
	int r = *rec->rdma.name ? rdma_settle(host, rec, e) : 1;

	if (r != 0)
		return r < 0 ? -1 : 0;
	if (!dev->exists || !*dev->driver || driver_is_userspace(dev->driver))
		return 0;
	return err_set(e, ERR_TRY_AGAIN, EBUSY, "RDMA device %s of %s has not come home",
		       rec->rdma.name, rec->device);
}

int infiniband_restore(const struct host *host, const struct journal *journal, struct record *rec,
		       struct pci_device *dev, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	auto_nl struct nl pod = { 0 };
	auto_close int netns = -1;

	if (rec->rdma.isolated && (owner_open_netns(rec, &pod, &netns, &one) < 0 ||
				   rdma_bring_home(journal, rec, netns, &one) < 0))
		err_join(&all, &one);
	if (rec->vf_set & VF_GUIDS && restore_guids(host, journal, rec, dev, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}
