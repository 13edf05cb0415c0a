/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_virtio.c - which virtio device, and network device, is a vDPA device's? */
#include "devinfo/node/vdpa_device.h"

#include "base/fs.h"
#include "base/name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VDPA_DIR "/sys/bus/vdpa/devices"
#define PCI_DIR "/sys/bus/pci/devices"
#define AUXILIARY_DIR "/sys/bus/auxiliary/devices"

/* -- where it may be -- */

/* The PCI function behind it, be it its own or that of its sub-function. */
static const char *function_of(const struct vdpa_device *dev)
{
	return *dev->bdf ? dev->bdf : *dev->auxiliary ? dev->pf_bdf : "";
}

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

	if (!name_is_numbered(name, "virtio"))
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

	if (!name_is_numbered(virtio, "virtio"))
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

static int search_place(const struct host *host, const char *place, const uint8_t mac[MAC_LEN],
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
		if (search_place(host, place[i], mac, &found, e) < 0)
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

	if (vdpa_device_glance(p->host, name, &other, e) < 0)
		return -1;
	if (strcmp(other.driver, "virtio_vdpa") == 0)
		p->n += p->same_function ?
				strcmp(function_of(&other), function_of(p->dev)) == 0 :
				strcmp(other.auxiliary, p->dev->auxiliary) == 0;
	return 0;
}

/* The only one at the nearest place that has any, unless that is another vDPA device's as well. */
int vdpa_device_read_virtio(const struct host *host, struct vdpa_device *dev, struct err *e)
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
