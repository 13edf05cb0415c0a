/* SPDX-License-Identifier: Apache-2.0 */
/* sysfs.c - what /sys says about PCI functions */
#include "devinfo/node/sysfs_part.h"

#include "base/fs.h"
#include "base/name.h"
#include "devinfo/node/sysfs_rdma.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- the net device of a PCI function -- */

struct uplink {
	const struct host *host;
	const char *dir;		/* the net/ directory at hand */
	enum port_kind best;
	char name[16];
	int ifindex;
	unsigned int names;
};

/* One name of a net/ directory: better than what we have? */
static int try_uplink(const char *name, void *arg, struct err *e)
{
	struct uplink *u = arg;
	char text[ATTR_TEXT];
	enum port_kind kind;

	if (!name_is_ifname(name))
		return 0;
	u->names++;
	if (sysfs_read_attr(u->host, u->dir, name, "phys_port_name", text, e) < 0)
		return -1;
	kind = port_parse(text).kind;
	if (kind <= PORT_SF || kind < u->best ||
	    (kind == u->best && *u->name && strcmp(name, u->name) > 0))
		return 0;
	u->best = kind;
	(void)snprintf(u->name, sizeof(u->name), "%s", name);
	return sysfs_read_index(u->host, u->dir, name, &u->ifindex, e) < 0 ? -1 : 0;
}

static int try_dir(struct uplink *u, const char *dir, struct err *e)
{
	u->dir = dir;
	return fs_each(u->host->root, dir, try_uplink, u, e);
}

struct virtio {
	const char *function;
	struct uplink *u;
};

/* A virtio function has its net/ one level deeper, in virtio<N>/. */
static int try_virtio(const char *name, void *arg, struct err *e)
{
	const struct virtio *v = arg;
	const char *rest = name;
	char dir[PATH_MAX];
	unsigned int n;

	if (!sysfs_take_number(&rest, "virtio", &n) || *rest)
		return 0;
	(void)snprintf(dir, sizeof(dir), "%s/%s/net", v->function, name);
	return try_dir(v->u, dir, e);
}

static int read_netdev(const struct host *host, const char *bdf, struct uplink *u, struct err *e)
{
	char dir[64], net[80];
	struct virtio v = { .function = dir, .u = u };

	*u = (struct uplink){ .host = host };
	(void)snprintf(dir, sizeof(dir), PCI_DIR "%s", bdf);
	(void)snprintf(net, sizeof(net), "%s/net", dir);
	if (try_dir(u, net, e) < 0)
		return -1;
	return !*u->name && fs_each(host->root, dir, try_virtio, &v, e) < 0 ? -1 : 0;
}

struct place {
	const struct host *host;
	const char *function;
};

static int has_virtio_net(const char *name, void *arg, struct err *e)
{
	const struct place *p = arg;
	const char *rest = name;
	unsigned int n;

	if (!sysfs_take_number(&rest, "virtio", &n) || *rest)
		return 0;
	return fs_exists(p->host->root, e, "%s/%s/net", p->function, name);
}

int sysfs_has_netdev(const struct host *host, const char *bdf, struct err *e)
{
	char dir[64];
	struct place p = { host, dir };
	int r;

	(void)snprintf(dir, sizeof(dir), PCI_DIR "%s", bdf);
	r = fs_exists(host->root, e, "%s/net", dir);
	return r != 0 ? r : fs_each(host->root, dir, has_virtio_net, &p, e);
}

/* -- the physical function of a VF -- */

struct vf_search {
	const struct host *host;
	const struct pci_device *vf;
	unsigned int index;
};

/* Is this entry of the PF's directory the virtfn<N> link to our VF? */
static int try_virtfn(const char *name, void *arg, struct err *e)
{
	struct vf_search *s = arg;
	const char *rest = name;
	char target[64];
	int r;

	if (!sysfs_take_number(&rest, "virtfn", &s->index) || *rest)
		return 0;
	r = fs_readlink_base(s->host->root, target, sizeof(target), e, PCI_DIR "%s/%s",
			     s->vf->pf_bdf, name);
	return r <= 0 ? r : strcmp(target, s->vf->bdf) == 0;
}

/* The number by which a function is called on the bus, 0 of another domain than dev's. */
static long routing_id(const char *bdf, const struct pci_device *dev)
{
	size_t domain = strcspn(bdf, ":");
	unsigned int bus, slot, function;

	if (strncmp(bdf, dev->bdf, domain + 1) != 0 ||
	    sscanf(bdf + domain, ":%2x:%2x.%1x", &bus, &slot, &function) != 3)
		return 0;
	return (long)(bus << 8 | slot << 3 | function);
}

static long pf_number(const struct host *host, const struct pci_device *dev, const char *attr)
{
	struct err ignored;	/* all links are read then */
	char text[16];

	if (fs_read_line(host->root, text, sizeof(text), &ignored, PCI_DIR "%s/%s", dev->pf_bdf,
			 attr) <= 0)
		return -1;
	return strtol(text, NULL, 10);
}

/* Where its address says that its link is, so that one is read, however many VFs there are. */
static int try_place(struct vf_search *s, struct err *e)
{
	const struct pci_device *dev = s->vf;
	long offset = pf_number(s->host, dev, "sriov_offset");
	long stride = offset > 0 ? pf_number(s->host, dev, "sriov_stride") : -1;
	long at = routing_id(dev->bdf, dev) - routing_id(dev->pf_bdf, dev) - offset;
	char name[32];

	if (stride < 0 || at < 0 || at > INT16_MAX)
		return 0;
	(void)snprintf(name, sizeof(name), "virtfn%ld", stride > 0 ? at / stride : at);
	return try_virtfn(name, s, e);
}

static int read_pf_netdev(const struct host *host, struct pci_device *dev, struct err *e)
{
	struct uplink u;

	if (read_netdev(host, dev->pf_bdf, &u, e) < 0)
		return -1;
	memcpy(dev->pf_netdev, u.name, sizeof(dev->pf_netdev));
	dev->pf_ifindex = u.ifindex;
	dev->pf_netdevs = u.names;
	return 0;
}

static int read_own_netdev(const struct host *host, struct pci_device *dev, struct err *e)
{
	struct uplink u;

	if (read_netdev(host, dev->bdf, &u, e) < 0)
		return -1;
	memcpy(dev->netdev, u.name, sizeof(dev->netdev));
	dev->ifindex = u.ifindex;
	return 0;
}

static int read_pf(const struct host *host, struct pci_device *dev, struct err *e)
{
	struct vf_search s = { .host = host, .vf = dev };
	char dir[64];
	int r = fs_readlink_base(host->root, dev->pf_bdf, sizeof(dev->pf_bdf), e,
				 PCI_DIR "%s/physfn", dev->bdf);

	if (r <= 0)
		return r;
	dev->is_vf = true;
	r = name_is_bdf(dev->pf_bdf) ? fs_exists(host->root, e, PCI_DIR "%s", dev->pf_bdf) : 0;
	if (r < 0)
		return -1;
	if (r == 0)
		return err_set(e, ERR_DEVICE, ENODEV, "its physical function %s is gone",
			       dev->pf_bdf);
	(void)snprintf(dir, sizeof(dir), PCI_DIR "%s", dev->pf_bdf);
	r = try_place(&s, e);
	if (r == 0)
		r = fs_each(host->root, dir, try_virtfn, &s, e);
	if (r < 0)
		return -1;
	if (r == 0)
		return err_set(e, ERR_DEVICE, 0,
			       "no virtfn link of its physical function %s leads to it",
			       dev->pf_bdf);
	dev->vf_index = s.index;
	return read_pf_netdev(host, dev, e);
}

/* -- the function -- */

int sysfs_pci_rdma(const struct host *host, struct pci_device *dev, struct err *e)
{
	struct rdma_names list;
	size_t used = 0;

	if (sysfs_rdma(host, true, dev->bdf, &list, e) < 0)
		return -1;
	for (unsigned int i = 0; i < list.n; i++)
		if (used + strlen(list.name[i]) + 2 <= sizeof(dev->rdma))
			used += (size_t)snprintf(dev->rdma + used, sizeof(dev->rdma) - used, "%s%s",
						 used ? "," : "", list.name[i]);
	return 0;
}

static int read_class(const struct host *host, struct pci_device *dev, struct err *e)
{
	char class[16] = "";

	if (fs_read_line(host->root, class, sizeof(class), e, PCI_DIR "%s/class", dev->bdf) < 0)
		return -1;
	dev->is_network = strncmp(class, "0x02", 4) == 0;
	return 0;
}

static int read_links(const struct host *host, struct pci_device *dev, struct err *e)
{
	if (fs_readlink_base(host->root, dev->driver, sizeof(dev->driver), e, PCI_DIR "%s/driver",
			     dev->bdf) < 0)
		return -1;
	return fs_readlink_base(host->root, dev->iommu_group, sizeof(dev->iommu_group), e,
				PCI_DIR "%s/iommu_group", dev->bdf);
}

int sysfs_pci(const struct host *host, const char *bdf, struct pci_device *ret, struct err *e)
{
	struct pci_device dev = { .exists = true };
	int r;

	if (!name_is_bdf(bdf) || strlen(bdf) >= sizeof(dev.bdf))
		return 0;
	for (size_t i = 0; bdf[i]; i++)
		dev.bdf[i] = (char)tolower((unsigned char)bdf[i]);
	r = fs_exists(host->root, e, PCI_DIR "%s", dev.bdf);
	if (r <= 0)
		return r;
	if (read_pf(host, &dev, e) < 0 || read_links(host, &dev, e) < 0 ||
	    read_class(host, &dev, e) < 0 ||
	    read_own_netdev(host, &dev, e) < 0 ||
	    sysfs_pci_rdma(host, &dev, e) < 0)
		return err_wrap(e, "PCI device %s", dev.bdf);
	*ret = dev;
	return 1;
}

bool driver_is_userspace(const char *driver)
{
	size_t len = strlen(driver);

	/* vfio-pci and its vendors' variants: mlx5_vfio_pci, hisi_acc_vfio_pci... */
	if (len >= 8 && (strcmp(driver + len - 8, "vfio-pci") == 0 ||
			 strcmp(driver + len - 8, "vfio_pci") == 0))
		return true;
	return strcmp(driver, "uio_pci_generic") == 0 || strcmp(driver, "igb_uio") == 0;
}
