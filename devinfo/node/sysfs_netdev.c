/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysfs_netdev.c - what /sys says about net devices: index, parent, port and switch
 *
 * In switchdev mode the representors of the VFs stand next to the uplink in the
 * PF's net/ directory, in no order.  phys_port_name tells them apart: p<N> is a
 * physical port, pf<P>vf<V> and pf<P>sf<S> are representors, and a leading c<K>
 * says that the function belongs to an external controller (a DPU's host).
 */
#include "devinfo/node/sysfs_part.h"

#include "base/fs.h"
#include "base/name.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NET_DIR "/sys/class/net"

bool sysfs_take_number(const char **s, const char *prefix, unsigned int *ret)
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
	} else if (sysfs_take_number(&s, "p", &n)) {
		(void)sysfs_take_number(&s, "s", &n);	/* p<N>s<M>: part of a split port */
		port.kind = *s ? PORT_UNKNOWN : PORT_UPLINK;
	} else if (sysfs_take_number(&s, "pf", &port.pf)) {
		enum port_kind kind = sysfs_take_number(&s, "vf", &port.number) ? PORT_VF :
				      sysfs_take_number(&s, "sf", &port.number) ? PORT_SF :
										  PORT_REPRESENTOR;

		port.kind = *s ? PORT_REPRESENTOR : kind;
	} else if (sysfs_take_number(&s, "c", &n)) {
		port.kind = PORT_REPRESENTOR;
	}
	return port;
}

int sysfs_read_attr(const struct host *host, const char *dir, const char *name, const char *attr,
		    char ret[ATTR_TEXT], struct err *e)
{
	ret[0] = '\0';
	return fs_read_line(host->root, ret, ATTR_TEXT, e, "%s/%s/%s", dir, name, attr);
}

int sysfs_read_index(const struct host *host, const char *dir, const char *name, int *ret,
		     struct err *e)
{
	char text[ATTR_TEXT];
	int r = sysfs_read_attr(host, dir, name, "ifindex", text, e);

	if (r > 0)
		*ret = atoi(text);
	return r;
}

/* -- the device behind a net device -- */

const char *sysfs_cut_last(char *path)
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

	(void)sysfs_cut_last(target);
	if (strcmp(sysfs_cut_last(target), "net") != 0)
		return "";
	last = rest = sysfs_cut_last(target);
	if (sysfs_take_number(&rest, "virtio", &n) && !*rest)
		last = sysfs_cut_last(target);
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

int sysfs_netdev_place(const struct host *host, const char *name, struct net_device *ret,
		       struct err *e)
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
	(void)snprintf(dev.name, sizeof(dev.name), "%s", name);
	if (read_parent(host, device_of(target), &dev, e) < 0)
		return -1;
	*ret = dev;
	return 1;
}

int sysfs_netdev(const struct host *host, const char *name, struct net_device *ret, struct err *e)
{
	struct net_device dev;
	int r = sysfs_netdev_place(host, name, &dev, e);

	if (r > 0)
		r = sysfs_read_index(host, NET_DIR, dev.name, &dev.ifindex, e);
	if (r > 0)	/* else it has gone meanwhile */
		*ret = dev;
	return r;
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
	int r = sysfs_read_attr(host, NET_DIR, netdev, "phys_switch_id", ret, e);

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

	if (sysfs_read_attr(s->host, NET_DIR, name, "phys_port_name", text, e) < 0)
		return -1;
	port = port_parse(text);
	if (port.kind != (s->f->is_sf ? PORT_SF : PORT_VF) || port.number != s->f->number ||
	    !name_is_ifname(name))
		return 0;
	if (sysfs_read_attr(s->host, NET_DIR, name, "phys_switch_id", text, e) < 0)
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
