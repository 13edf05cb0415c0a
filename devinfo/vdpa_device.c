/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_device.c - a vDPA device: where it is, and what it is reached by */
#include "devinfo/vdpa_device.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/vhost.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define VDPA_DIR "/sys/bus/vdpa/devices"
#define PCI_DIR "/sys/bus/pci/devices"
#define AUXILIARY_DIR "/sys/bus/auxiliary/devices"

enum { DEVICE_ID_NET = 1 };		/* VIRTIO_ID_NET */

/* A prefix and a decimal number as the kernel counts, nothing else. */
static bool is_numbered(const char *name, const char *prefix)
{
	size_t len = strlen(prefix), digits;

	if (strncmp(name, prefix, len) != 0)
		return false;
	digits = strspn(name + len, "0123456789");
	return digits >= 1 && digits <= 9 && !name[len + digits] &&
	       (name[len] != '0' || digits == 1);
}

/* -- where it is -- */

static void on_bus(struct vdpa_device *dev, const char *bus, const char *name)
{
	(void)snprintf(dev->mgmt_bus, sizeof(dev->mgmt_bus), "%s", bus);
	(void)snprintf(dev->mgmt_dev, sizeof(dev->mgmt_dev), "%s", name);
}

/* A PCI function, as with most drivers. */
static int place_on_pci(const struct host *host, const char *bdf, struct vdpa_device *dev,
			struct err *e)
{
	if (strlen(bdf) >= sizeof(dev->bdf))
		return err_set(e, ERR_DEVICE, ENAMETOOLONG, "PCI address '%.32s'", bdf);
	(void)snprintf(dev->bdf, sizeof(dev->bdf), "%s", bdf);
	return fs_readlink_base(host->root, dev->pf_bdf, sizeof(dev->pf_bdf), e,
				PCI_DIR "/%s/physfn", bdf);
}

/* A sub-function, which is a device of its own, or another part of a PCI function, which is not. */
static int place_on_auxiliary(const struct host *host, const struct sub_function *sf,
			      struct vdpa_device *dev, struct err *e)
{
	on_bus(dev, "auxiliary", sf->name);
	memcpy(dev->auxiliary, sf->name, sizeof(dev->auxiliary));
	if (!sf->numbered && *sf->pf_bdf)
		return place_on_pci(host, sf->pf_bdf, dev, e);
	memcpy(dev->pf_bdf, sf->pf_bdf, sizeof(dev->pf_bdf));
	return 0;
}

/*
 * ../../../devices/pci0000:64/0000:64:00.0/0000:65:00.2/NAME, ../../../devices/virtual/vduse/D/D,
 * or ../../../devices/NAME of a simulator.
 */
static int read_place(const struct host *host, const char *name, struct vdpa_device *dev,
		      struct err *e)
{
	static const char vduse[] = "/virtual/vduse";
	struct sub_function sf;
	char target[PATH_MAX], *parent;
	int r = fs_readlink(host->root, target, sizeof(target), e, VDPA_DIR "/%s", name);

	if (r <= 0)
		return r;
	parent = strrchr(target, '/');
	if (parent)
		*parent = '\0';
	parent = parent ? strrchr(target, '/') : NULL;
	if (!parent)
		return 1;
	*parent++ = '\0';
	if (name_is_bdf(parent)) {
		on_bus(dev, "pci", parent);
		return place_on_pci(host, parent, dev, e) < 0 ? -1 : 1;
	}
	if (strlen(target) >= strlen(vduse) &&
	    strcmp(target + strlen(target) - strlen(vduse), vduse) == 0) {
		on_bus(dev, "", "vduse");
		return 1;
	}
	r = sysfs_sub_function(host, parent, &sf, e);
	return r < 0 || (r > 0 && place_on_auxiliary(host, &sf, dev, e) < 0) ? -1 : 1;
}

static int read_driver(const struct host *host, const char *name, struct vdpa_device *dev,
		       struct err *e)
{
	return fs_readlink_base(host->root, dev->driver, sizeof(dev->driver), e,
				VDPA_DIR "/%s/driver", name);
}

/* The PCI function behind it, be it its own or that of its sub-function. */
static const char *function_of(const struct vdpa_device *dev)
{
	return *dev->bdf ? dev->bdf : *dev->auxiliary ? dev->pf_bdf : "";
}

/* -- virtio devices -- */

enum { PLACES = 3, PLACE_TEXT = 96 };

/* Where its virtio device may be, the nearest first; "" where there is no such place. */
static void places_of(const struct vdpa_device *dev, char ret[PLACES][PLACE_TEXT])
{
	const char *bdf = function_of(dev);

	(void)snprintf(ret[0], PLACE_TEXT, VDPA_DIR "/%s", dev->name);
	ret[1][0] = ret[2][0] = '\0';
	if (*dev->auxiliary)
		(void)snprintf(ret[1], PLACE_TEXT, AUXILIARY_DIR "/%s", dev->auxiliary);
	if (*bdf)
		(void)snprintf(ret[2], PLACE_TEXT, PCI_DIR "/%s", bdf);
}

static int add_virtio(const char *name, void *arg, struct err *e)
{
	struct vdpa_virtios *all = arg;

	if (!is_numbered(name, "virtio"))
		return 0;
	if (all->n == VDPA_VIRTIOS_MAX)
		return err_set(e, ERR_DEVICE, E2BIG, "over %d virtio devices", VDPA_VIRTIOS_MAX);
	(void)snprintf(all->name[all->n++], sizeof(all->name[0]), "%s", name);
	return 0;
}

static int add_place(const struct host *host, const char *place, struct vdpa_virtios *all,
		     struct err *e)
{
	return *place ? fs_each(host->root, place, add_virtio, all, e) : 0;
}

int vdpa_device_virtios(const struct host *host, const struct vdpa_device *dev,
			struct vdpa_virtios *ret, struct err *e)
{
	char place[PLACES][PLACE_TEXT];

	places_of(dev, place);
	ret->n = 0;
	for (size_t i = 0; i < PLACES; i++)
		if (add_place(host, place[i], ret, e) < 0)
			return err_wrap(e, "vDPA device %s", dev->name);
	return 0;
}

static bool has_virtio(const struct vdpa_virtios *all, const char *name)
{
	for (unsigned int i = 0; i < all->n; i++)
		if (strcmp(all->name[i], name) == 0)
			return true;
	return false;
}

int vdpa_virtios_new(const struct vdpa_virtios *before, const struct vdpa_virtios *after,
		     char ret[16], struct err *e)
{
	const char *found = NULL;

	for (unsigned int i = 0; i < after->n; i++) {
		if (has_virtio(before, after->name[i]))
			continue;
		if (found)
			return err_set(e, ERR_DEVICE, 0,
				       "both %s and %s came: which is which cannot be told", found,
				       after->name[i]);
		found = after->name[i];
	}
	if (found)
		(void)snprintf(ret, 16, "%s", found);
	return found != NULL;
}

static int take_netdev(const char *name, void *arg, struct err *e)
{
	(void)e;
	if (!name_is_ifname(name))
		return 0;
	(void)snprintf(arg, 16, "%s", name);
	return 1;
}

/* The network device of a virtio device at a place; "" when it has none in our namespace. */
static int read_netdev(const struct host *host, const char *place, const char *virtio,
		       char ret[16], struct err *e)
{
	char dir[PLACE_TEXT + 32];

	(void)snprintf(dir, sizeof(dir), "%s/%s/net", place, virtio);
	ret[0] = '\0';
	return fs_each(host->root, dir, take_netdev, ret, e);
}

static int take_virtio(const struct host *host, struct vdpa_device *dev, const char *place,
		       const char *virtio, struct err *e)
{
	char netdev[16], text[16] = "";
	int r = read_netdev(host, place, virtio, netdev, e);

	if (r > 0)
		r = fs_read_line(host->root, text, sizeof(text), e, "%s/%s/net/%s/ifindex", place,
				 virtio, netdev);
	if (r < 0)
		return -1;
	(void)snprintf(dev->virtio, sizeof(dev->virtio), "%s", virtio);
	memcpy(dev->netdev, r > 0 ? netdev : "", r > 0 ? sizeof(netdev) : 1);
	dev->ifindex = r > 0 ? atoi(text) : 0;
	return 1;
}

int vdpa_device_set_virtio(const struct host *host, struct vdpa_device *dev, const char *virtio,
			   struct err *e)
{
	char place[PLACES][PLACE_TEXT];
	int r = 0;

	if (!is_numbered(virtio, "virtio"))
		return 0;
	places_of(dev, place);
	for (size_t i = 0; i < PLACES && r == 0; i++) {
		if (!*place[i])
			continue;
		r = fs_exists(host->root, e, "%s/%s", place[i], virtio);
		if (r > 0)
			r = take_virtio(host, dev, place[i], virtio, e);
	}
	return r < 0 ? err_wrap(e, "vDPA device %s", dev->name) : r;
}

/* -- which of several -- */

static int has_address(const struct host *host, const char *place, const char *virtio,
		       const uint8_t mac[MAC_LEN], struct err *e)
{
	char netdev[16], text[MAC_TEXT + 2] = "";
	uint8_t have[MAC_LEN];
	int r = read_netdev(host, place, virtio, netdev, e);

	if (r <= 0)
		return r;
	r = fs_read_line(host->root, text, sizeof(text), e, "%s/%s/net/%s/address", place, virtio,
			 netdev);
	return r <= 0 ? r : mac_parse(text, have) && memcmp(have, mac, sizeof(have)) == 0;
}

struct by_address {
	unsigned int n;
	char place[PLACE_TEXT], virtio[16];
};

static int look_at_place(const struct host *host, const char *place, const uint8_t mac[MAC_LEN],
			 struct by_address *found, struct err *e)
{
	struct vdpa_virtios all = { .n = 0 };
	int r;

	if (add_place(host, place, &all, e) < 0)
		return -1;
	for (unsigned int i = 0; i < all.n; i++) {
		r = has_address(host, place, all.name[i], mac, e);
		if (r < 0)
			return -1;
		if (r == 0)
			continue;
		found->n++;
		(void)snprintf(found->place, sizeof(found->place), "%s", place);
		memcpy(found->virtio, all.name[i], sizeof(found->virtio));
	}
	return 0;
}

int vdpa_device_set_virtio_of(const struct host *host, struct vdpa_device *dev,
			      const uint8_t mac[MAC_LEN], struct err *e)
{
	struct by_address found = { .n = 0 };
	char place[PLACES][PLACE_TEXT], text[MAC_TEXT];

	places_of(dev, place);
	for (size_t i = 0; i < PLACES; i++)
		if (look_at_place(host, place[i], mac, &found, e) < 0)
			return err_wrap(e, "vDPA device %s", dev->name);
	if (found.n > 1)
		return err_set(e, ERR_DEVICE, 0,
			       "vDPA device %s: %u virtio devices have the address %s, and it is "
			       "not known which is its own",
			       dev->name, found.n, mac_format(mac, text));
	return found.n ? take_virtio(host, dev, found.place, found.virtio, e) : 0;
}

struct peers {
	const struct host *host;
	const struct vdpa_device *dev;
	bool same_function;		/* or only the same auxiliary device */
	unsigned int n;
};

/* A vDPA device whose virtio device would be at the same place. */
static int count_peer(const char *name, void *arg, struct err *e)
{
	struct vdpa_device other = { .ifindex = 0 };
	struct peers *p = arg;

	if (read_place(p->host, name, &other, e) < 0 || read_driver(p->host, name, &other, e) < 0)
		return -1;
	if (strcmp(other.driver, "virtio_vdpa") == 0)
		p->n += p->same_function ?
				strcmp(function_of(&other), function_of(p->dev)) == 0 :
				strcmp(other.auxiliary, p->dev->auxiliary) == 0;
	return 0;
}

/* The only one at the nearest place that has any, unless that is another vDPA device's as well. */
static int read_virtio(const struct host *host, struct vdpa_device *dev, struct err *e)
{
	struct peers p = { .host = host, .dev = dev };
	struct vdpa_virtios all = { .n = 0 };
	char place[PLACES][PLACE_TEXT];
	size_t i = 0;

	places_of(dev, place);
	for (; i < PLACES && all.n == 0; i++)
		if (add_place(host, place[i], &all, e) < 0)
			return -1;
	dev->siblings = all.n;
	if (all.n != 1)
		return 0;
	i--;
	p.same_function = i == PLACES - 1;
	if (i > 0 && fs_each(host->root, VDPA_DIR, count_peer, &p, e) < 0)
		return -1;
	return p.n <= 1 ? take_virtio(host, dev, place[i], all.name[0], e) : 0;
}

/* -- reading -- */

static int take_node(const char *name, void *arg, struct err *e)
{
	struct vdpa_device *dev = arg;

	(void)e;
	if (!is_numbered(name, "vhost-vdpa-"))
		return 0;
	(void)snprintf(dev->node, sizeof(dev->node), "%s", name);
	return 1;
}

static int read_node(const struct host *host, struct vdpa_device *dev, struct err *e)
{
	char place[PLACES][PLACE_TEXT];

	places_of(dev, place);
	return fs_each(host->root, place[0], take_node, dev, e);
}

int vdpa_device_read(const struct host *host, const char *name, struct vdpa_device *ret,
		     struct err *e)
{
	struct vdpa_device dev = { .ifindex = 0 };
	int r;

	if (!name_is_file(name) || strlen(name) >= sizeof(dev.name))
		return 0;
	memcpy(dev.name, name, strlen(name) + 1);
	r = read_place(host, name, &dev, e);
	if (r > 0)
		r = read_driver(host, name, &dev, e) < 0 ? -1 : 1;
	if (r > 0 && strcmp(dev.driver, "vhost_vdpa") == 0)
		r = read_node(host, &dev, e) < 0 ? -1 : 1;
	if (r > 0 && strcmp(dev.driver, "virtio_vdpa") == 0)
		r = read_virtio(host, &dev, e) < 0 ? -1 : 1;
	if (r > 0)
		*ret = dev;
	return r < 0 ? err_wrap(e, "vDPA device %s", name) : r;
}

struct walk {
	const struct host *host;
	vdpa_device_fn *fn;
	void *arg;
};

static int visit(const char *name, void *arg, struct err *e)
{
	const struct walk *w = arg;
	struct vdpa_device dev;
	int r = vdpa_device_read(w->host, name, &dev, e);

	return r <= 0 ? r : w->fn(&dev, w->arg, e);
}

int vdpa_device_each(const struct host *host, vdpa_device_fn *fn, void *arg, struct err *e)
{
	struct walk w = { .host = host, .fn = fn, .arg = arg };

	return fs_each(host->root, VDPA_DIR, visit, &w, e);
}

/* -- finding -- */

struct search {
	const struct host *host;
	const char *bus, *dev;		/* what it is on; bus NULL: any; dev NULL: all there are */
	unsigned int n, unlisted;
	char name[256];			/* the last one */
	char list[768];
};

static bool is_on(const struct vdpa_device *dev, const struct search *s)
{
	if (!s->dev)
		return true;
	if (!s->bus)
		return strcmp(dev->auxiliary, s->dev) == 0 || strcmp(dev->mgmt_dev, s->dev) == 0;
	if (strcmp(s->bus, "pci") == 0)
		return strcasecmp(dev->bdf, s->dev) == 0;
	return strcmp(dev->mgmt_bus, s->bus) == 0 && strcmp(dev->mgmt_dev, s->dev) == 0;
}

/* 'vdpa0' (vhost_vdpa on pci/0000:65:00.2) */
static void list_one(struct search *s, const char *name, const struct vdpa_device *dev)
{
	size_t used = strlen(s->list);
	int n = snprintf(s->list + used, sizeof(s->list) - used, "%s'%s' (%s%s%s%s%s)",
			 used ? ", " : "", name_is_file(name) ? name : "?",
			 *dev->driver ? dev->driver : "no driver", *dev->mgmt_dev ? " on " : "",
			 dev->mgmt_bus, *dev->mgmt_bus ? "/" : "", dev->mgmt_dev);

	if (n >= 0 && (size_t)n < sizeof(s->list) - used)
		return;
	s->list[used] = '\0';
	s->unlisted++;
}

static int try_device(const char *name, void *arg, struct err *e)
{
	struct vdpa_device dev = { .ifindex = 0 };
	struct search *s = arg;
	int r = read_place(s->host, name, &dev, e);

	if (r <= 0 || !is_on(&dev, s))
		return r < 0 ? -1 : 0;
	if (read_driver(s->host, name, &dev, e) < 0)
		return -1;
	s->n++;
	(void)snprintf(s->name, sizeof(s->name), "%s", name);
	list_one(s, name, &dev);
	return 0;
}

static void put_list(const struct search *s, struct err *e)
{
	char more[32] = "";

	if (s->unlisted)
		(void)snprintf(more, sizeof(more), " and %u more", s->unlisted);
	(void)err_detail(e, "%s%s", s->n ? s->list : "this node has none", more);
}

/* By what it is on: "bus/device", an address, or a name of any bus. */
static int find_on(const struct host *host, const char *id, struct vdpa_device *ret, struct err *e)
{
	const char *slash = strchr(id, '/');
	struct search s = { .host = host, .dev = slash ? slash + 1 : id };
	char bus[16] = "pci";
	int r;

	if (slash && (slash == id || slash - id >= (int)sizeof(bus)))
		return 0;
	if (slash)
		(void)snprintf(bus, sizeof(bus), "%.*s", (int)(slash - id), id);
	if (slash || name_is_bdf(id))
		s.bus = bus;
	if (!*s.dev || fs_each(host->root, VDPA_DIR, try_device, &s, e) < 0)
		return *s.dev ? -1 : 0;
	if (s.n == 0)
		return 0;
	r = s.n == 1 ? vdpa_device_read(host, s.name, ret, e) : 0;
	if (r != 0)
		return r;
	(void)err_set(e, ERR_DEVICE, 0,
		      s.n == 1 ? "the vDPA device of '%.64s' cannot be used" :
				 "'%.64s' has several vDPA devices: name one of them", id);
	put_list(&s, e);
	return -1;
}

int vdpa_device_find(const struct host *host, const char *id, struct vdpa_device *ret,
		     struct err *e)
{
	int r = name_is_bdf(id) ? 0 : vdpa_device_read(host, id, ret, e);

	if (r == 0)
		r = find_on(host, id, ret, e);
	if (r == 0 && name_is_bdf(id))	/* somebody may have called one so */
		r = vdpa_device_read(host, id, ret, e);
	return r;
}

int vdpa_device_for(const struct host *host, const char *function, struct vdpa_device *ret,
		    struct err *e)
{
	int r;

	if (!name_is_file(function))
		return 0;
	r = fs_exists(host->root, e, "%s/%s/net", name_is_bdf(function) ? PCI_DIR : AUXILIARY_DIR,
		      function);
	if (r != 0)
		return r < 0 ? -1 : 0;
	return find_on(host, function, ret, e);
}

int vdpa_device_none(const struct host *host, const char *id, struct err *e)
{
	struct search s = { .host = host };

	if (fs_each(host->root, VDPA_DIR, try_device, &s, e) < 0)
		return -1;
	(void)err_set(e, ERR_DEVICE, 0, "'%.64s' is no vDPA device, and none is on it", id);
	put_list(&s, e);
	return -1;
}

/* -- the device node -- */

/* A character device, with the numbers in the attribute "dev" of sysfs. */
static int check_node(const struct host *host, const struct vdpa_device *dev, int fd, struct err *e)
{
	unsigned int major, minor;
	char text[32] = "", end;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(e, ERR_IO, errno, "stat '/dev/%s'", dev->node);
	if (!S_ISCHR(st.st_mode))
		return err_set(e, ERR_DEVICE, 0, "/dev/%s is no character device", dev->node);
	if (fs_read_line(host->root, text, sizeof(text), e, VDPA_DIR "/%s/%s/dev", dev->name,
			 dev->node) < 0)
		return -1;
	if (sscanf(text, "%9u:%9u%c", &major, &minor, &end) != 2)
		return err_set(e, ERR_DEVICE, 0, "%s is not that of vDPA device %s any more",
			       dev->node, dev->name);
	if (st.st_rdev != makedev(major, minor))
		return err_set(e, ERR_DEVICE, 0,
			       "/dev/%s has the numbers %u:%u, that of vDPA device %s has %u:%u",
			       dev->node, major(st.st_rdev), minor(st.st_rdev), dev->name, major,
			       minor);
	return 0;
}

static int open_node(const struct host *host, const struct vdpa_device *dev, int flags)
{
	char path[48];

	(void)snprintf(path, sizeof(path), "/dev/%s", dev->node);
	return fs_open(host->root, path, flags, 0);
}

int vdpa_node_open(const struct host *host, const struct vdpa_device *dev, struct err *e)
{
	auto_close int fd = -1;

	if (!*dev->node)
		return err_set(e, ERR_DEVICE, 0, "vDPA device %s has no device node", dev->name);
	fd = open_node(host, dev, O_PATH | O_NOFOLLOW);
	if (fd < 0)
		return err_set(e, ERR_DEVICE, errno, "node /dev/%s of vDPA device %s", dev->node,
			       dev->name);
	return check_node(host, dev, fd, e) < 0 ? -1 : steal_fd(&fd);
}

int vdpa_node_probe(const struct host *host, const struct vdpa_device *dev, struct err *e)
{
	auto_close int known = vdpa_node_open(host, dev, e);
	auto_close int fd = -1;
	unsigned int id = 0;

	if (known < 0)
		return -1;
	fd = open_node(host, dev, O_RDWR | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0 && errno == EBUSY)
		return 0;
	if (fd < 0)
		return err_set(e, ERR_DEVICE, errno, "open '/dev/%s'", dev->node);
	if (check_node(host, dev, fd, e) < 0)
		return -1;
	if (ioctl(fd, VHOST_VDPA_GET_DEVICE_ID, &id) < 0)
		return err_set(e, ERR_DEVICE, errno, "ask '/dev/%s' what it is", dev->node);
	if (id != DEVICE_ID_NET)
		return err_set(e, ERR_DEVICE, 0,
			       "vDPA device %s is no network device: its id is %u, not %d",
			       dev->name, id, DEVICE_ID_NET);
	return 1;
}
