/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysfs.c - what /sys says about PCI functions and net devices
 *
 * In switchdev mode the representors of the VFs stand next to the uplink in the
 * PF's net/ directory, in no order.  phys_port_name tells them apart: p<N> is a
 * physical port, pf<P>vf<V> and pf<P>sf<S> are representors, and a leading c<K>
 * says that the function belongs to an external controller (a DPU's host).
 */
#include "devinfo/node/sysfs.h"

#include "base/fs.h"
#include "base/name.h"
#include "devinfo/node/sysfs_rdma.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCI_DIR "/sys/bus/pci/devices/"
#define AUXILIARY_DIR "/sys/bus/auxiliary/devices/"
#define NET_DIR "/sys/class/net"

/* prefix and a decimal number of at most 9 digits; *s moves behind them only on success. */
static bool take(const char **s, const char *prefix, unsigned int *ret)
{
	size_t len = strlen(prefix), digits;

	if (strncmp(*s, prefix, len) != 0)
		return false;
	digits = strspn(*s + len, "0123456789");
	if (digits < 1 || digits > 9)
		return false;
	*ret = (unsigned int)strtoul(*s + len, NULL, 10);
	*s += len + digits;
	return true;
}

struct port port_parse(const char *s)
{
	struct port port = { .kind = PORT_UNKNOWN };
	unsigned int n;

	if (!*s) {
		port.kind = PORT_UNNAMED;
	} else if (take(&s, "p", &n)) {
		(void)take(&s, "s", &n);	/* p<N>s<M>: part of a split port */
		port.kind = *s ? PORT_UNKNOWN : PORT_UPLINK;
	} else if (take(&s, "pf", &port.pf)) {
		enum port_kind kind = take(&s, "vf", &port.number) ? PORT_VF :
				      take(&s, "sf", &port.number) ? PORT_SF :
								     PORT_REPRESENTOR;

		port.kind = *s ? PORT_REPRESENTOR : kind;
	} else if (take(&s, "c", &n)) {
		port.kind = PORT_REPRESENTOR;
	}
	return port;
}

enum { ATTR_TEXT = SWITCH_ID_TEXT };	/* the longest of those that are read */

/* An attribute of a net device in a directory of net devices; "" when it has none. */
static int read_attr(const struct host *host, const char *dir, const char *name, const char *attr,
		     char ret[ATTR_TEXT], struct err *e)
{
	ret[0] = '\0';
	return fs_read_line(host->root, ret, ATTR_TEXT, e, "%s/%s/%s", dir, name, attr);
}

static int read_index(const struct host *host, const char *dir, const char *name, int *ret,
		      struct err *e)
{
	char text[ATTR_TEXT];
	int r = read_attr(host, dir, name, "ifindex", text, e);

	if (r > 0)
		*ret = atoi(text);
	return r;
}

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
	if (read_attr(u->host, u->dir, name, "phys_port_name", text, e) < 0)
		return -1;
	kind = port_parse(text).kind;
	if (kind <= PORT_SF || kind < u->best ||
	    (kind == u->best && *u->name && strcmp(name, u->name) > 0))
		return 0;
	u->best = kind;
	(void)snprintf(u->name, sizeof(u->name), "%s", name);
	return read_index(u->host, u->dir, name, &u->ifindex, e) < 0 ? -1 : 0;
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

	if (!take(&rest, "virtio", &n) || *rest)
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

	if (!take(&rest, "virtio", &n) || *rest)
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

	if (!take(&rest, "virtfn", &s->index) || *rest)
		return 0;
	r = fs_readlink_base(s->host->root, target, sizeof(target), e, PCI_DIR "%s/%s",
			     s->vf->pf_bdf, name);
	return r <= 0 ? r : strcmp(target, s->vf->bdf) == 0;
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

/* -- PCI functions and net devices -- */

/* Only device-info tells of them: names that do not fit are left out, and no reason to fail. */
static int read_rdma(const struct host *host, struct pci_device *dev, struct err *e)
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
	    read_rdma(host, &dev, e) < 0)
		return err_wrap(e, "PCI device %s", dev.bdf);
	*ret = dev;
	return 1;
}

/* Cut the last component off a path and return it; the path becomes "" at the end. */
static const char *cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash)
		return "";
	*slash = '\0';
	return slash + 1;
}

/*
 * The device in a link like ../../devices/pci0000:00/0000:00:04.0/0000:01:00.0/net/eth0, or with
 * virtio<N> before net; "" when there is none (a bridge).
 */
static const char *device_of(char *target)
{
	const char *last, *rest;
	unsigned int n;

	(void)cut_last(target);
	if (strcmp(cut_last(target), "net") != 0)
		return "";
	last = rest = cut_last(target);
	if (take(&rest, "virtio", &n) && !*rest)
		last = cut_last(target);
	return last;
}

/* A PCI function, an auxiliary device, or something that is neither. */
static int read_parent(const struct host *host, const char *parent, struct net_device *dev,
		       struct err *e)
{
	int r;

	if (name_is_bdf(parent)) {
		(void)snprintf(dev->bdf, sizeof(dev->bdf), "%s", parent);
		return 0;
	}
	if (!*parent || strcmp(parent, "virtual") == 0 || strlen(parent) >= sizeof(dev->auxiliary))
		return 0;
	r = fs_exists(host->root, e, AUXILIARY_DIR "%s", parent);
	if (r > 0)
		(void)snprintf(dev->auxiliary, sizeof(dev->auxiliary), "%s", parent);
	return r < 0 ? -1 : 0;
}

int sysfs_netdev(const struct host *host, const char *name, struct net_device *ret, struct err *e)
{
	struct net_device dev = { 0 };
	char target[PATH_MAX];
	int r;

	if (!name_is_ifname(name))
		return 0;
	/* bonding_masters is a file there */
	r = fs_readlink(host->root, target, sizeof(target), e, NET_DIR "/%s", name);
	if (r <= 0)
		return r;
	r = read_index(host, NET_DIR, name, &dev.ifindex, e);
	if (r <= 0)	/* gone meanwhile */
		return r;
	(void)snprintf(dev.name, sizeof(dev.name), "%s", name);
	if (read_parent(host, device_of(target), &dev, e) < 0)
		return -1;
	*ret = dev;
	return 1;
}

/* -- auxiliary devices -- */

static int try_sf_netdev(const char *name, void *arg, struct err *e)
{
	struct sub_function *sf = arg;

	(void)e;
	if (name_is_ifname(name) && (sf->netdevs++ == 0 || strcmp(name, sf->netdev) < 0))
		(void)snprintf(sf->netdev, sizeof(sf->netdev), "%s", name);
	return 0;
}

/* .../0000:01:00.0/mlx5_core.sf.4 */
static int read_sf_parent(const struct host *host, struct sub_function *sf, struct err *e)
{
	char target[PATH_MAX];
	const char *parent;
	int r;

	r = fs_readlink(host->root, target, sizeof(target), e, AUXILIARY_DIR "%s", sf->name);
	if (r <= 0)
		return r;
	(void)cut_last(target);
	parent = cut_last(target);
	if (name_is_bdf(parent))
		(void)snprintf(sf->pf_bdf, sizeof(sf->pf_bdf), "%s", parent);
	return 1;
}

static int read_sf_driver(const struct host *host, struct sub_function *sf, struct err *e)
{
	char driver[64];
	int r = fs_readlink_base(host->root, driver, sizeof(driver), e, AUXILIARY_DIR "%s/driver",
				 sf->name);

	sf->bound = r > 0;
	return r < 0 ? -1 : 0;
}

static int read_sf_number(const struct host *host, struct sub_function *sf, struct err *e)
{
	char text[16] = "";
	const char *rest = text;
	int r = fs_read_line(host->root, text, sizeof(text), e, AUXILIARY_DIR "%s/sfnum", sf->name);

	sf->numbered = r > 0 && take(&rest, "", &sf->number) && !*rest;
	return r < 0 ? -1 : 0;
}

int sysfs_sub_function(const struct host *host, const char *name, struct sub_function *ret,
		       struct err *e)
{
	struct sub_function sf = { .netdevs = 0 };
	char dir[128];
	int r;

	if (!name_is_file(name) || strlen(name) >= sizeof(sf.name))
		return 0;
	memcpy(sf.name, name, strlen(name) + 1);
	(void)snprintf(dir, sizeof(dir), AUXILIARY_DIR "%s/net", name);
	r = read_sf_parent(host, &sf, e);
	if (r == 0)
		return 0;
	if (r < 0 || read_sf_number(host, &sf, e) < 0 || read_sf_driver(host, &sf, e) < 0 ||
	    fs_each(host->root, dir, try_sf_netdev, &sf, e) < 0 ||
	    (*sf.netdev && read_index(host, dir, sf.netdev, &sf.ifindex, e) < 0))
		return err_wrap(e, "auxiliary device %s", name);
	*ret = sf;
	return 1;
}

static int find_any(const char *name, void *arg, struct err *e)
{
	(void)name;
	(void)arg;
	(void)e;
	return 1;
}

int sysfs_netdevs_are_away(const struct host *host, const char *bus, const char *name,
			   struct err *e)
{
	char dir[PATH_MAX];
	int r;

	(void)snprintf(dir, sizeof(dir), "/sys/bus/%s/devices/%s/net", bus, name);
	r = fs_exists(host->root, e, "%s", dir);
	if (r <= 0)
		return r;
	r = fs_each(host->root, dir, find_any, NULL, e);
	return r < 0 ? -1 : !r;
}

static int try_upper(const char *name, void *arg, struct err *e)
{
	static const char prefix[] = "upper_";
	char *ret = arg;
	size_t used = strlen(ret), skip = sizeof(prefix) - 1;

	(void)e;
	if (strncmp(name, prefix, skip) == 0 && used + 1 + strlen(name + skip) < 128)
		(void)snprintf(ret + used, 128 - used, "%s%s", used ? "," : "", name + skip);
	return 0;
}

int sysfs_uppers(const struct host *host, const char *netdev, char ret[128], struct err *e)
{
	char dir[PATH_MAX];

	*ret = '\0';
	(void)snprintf(dir, sizeof(dir), NET_DIR "/%s", netdev);
	return fs_each(host->root, dir, try_upper, ret, e);
}

/* -- representors -- */

int sysfs_switch_id(const struct host *host, const char *netdev, char ret[SWITCH_ID_TEXT],
		    struct err *e)
{
	int r = read_attr(host, NET_DIR, netdev, "phys_switch_id", ret, e);

	return r > 0 ? *ret != '\0' : r;
}

struct representor_search {
	const struct host *host;
	const struct function *f;
	unsigned int pf;		/* the PF's function number */
	char switch_id[SWITCH_ID_TEXT];
	char exact[16];			/* its pf number is the PF's */
	char other[16];			/* it is another, as with drivers that count differently */
	int others;
};

static int try_representor(const char *name, void *arg, struct err *e)
{
	struct representor_search *s = arg;
	char text[ATTR_TEXT];
	struct port port;

	if (read_attr(s->host, NET_DIR, name, "phys_port_name", text, e) < 0)
		return -1;
	port = port_parse(text);
	if (port.kind != (s->f->is_sf ? PORT_SF : PORT_VF) || port.number != s->f->number ||
	    !name_is_ifname(name))
		return 0;
	if (read_attr(s->host, NET_DIR, name, "phys_switch_id", text, e) < 0)
		return -1;
	if (strcmp(text, s->switch_id) != 0)
		return 0;
	s->others += port.pf != s->pf;
	(void)snprintf(port.pf == s->pf ? s->exact : s->other, sizeof(s->exact), "%s", name);
	return 0;
}

int sysfs_representor(const struct host *host, const struct function *f, char ret[16],
		      struct err *e)
{
	struct representor_search s = { .host = host, .f = f };
	int r;

	if (!*f->uplink)
		return 0;
	r = sysfs_switch_id(host, f->uplink, s.switch_id, e);
	if (r <= 0)
		return r;
	s.pf = (unsigned int)(f->pf_bdf[strlen(f->pf_bdf) - 1] - '0');
	if (fs_each(host->root, NET_DIR, try_representor, &s, e) < 0)
		return -1;
	if (!*s.exact && s.others != 1)
		return 0;
	memcpy(ret, *s.exact ? s.exact : s.other, 16);
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
