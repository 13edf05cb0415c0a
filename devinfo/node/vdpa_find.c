/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_find.c - the vDPA device that an id means, be it of what the device is on */
#include "devinfo/node/vdpa_device.h"

#include "base/fs.h"
#include "base/name.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define VDPA_DIR "/sys/bus/vdpa/devices"
#define PCI_DIR "/sys/bus/pci/devices"
#define AUXILIARY_DIR "/sys/bus/auxiliary/devices"

struct search {
	const struct host *host;
	const char *bus, *dev;		/* what it is on; bus NULL: any; dev NULL: all there are */
	const char *named;		/* which of several; NULL: that is not known */
	unsigned int n, unlisted;
	char name[256];			/* that one, or the last one */
	bool found;			/* that one */
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
	struct vdpa_device dev;
	struct search *s = arg;
	int r = vdpa_device_glance(s->host, name, &dev, e);

	if (r <= 0 || !is_on(&dev, s))
		return r < 0 ? -1 : 0;
	s->n++;
	if (!s->found)
		(void)snprintf(s->name, sizeof(s->name), "%s", name);
	s->found = s->found || (s->named && strcmp(name, s->named) == 0);
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
static int find_on(const struct host *host, const char *id, const char *named,
		   struct vdpa_device *ret, struct err *e)
{
	const char *slash = strchr(id, '/');
	struct search s = { .host = host, .dev = slash ? slash + 1 : id,
			    .named = named && *named ? named : NULL };
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
	r = s.n == 1 || s.found ? vdpa_device_read(host, s.name, ret, e) : 0;
	if (r != 0)
		return r;
	(void)err_set(e, ERR_DEVICE, 0,
		      s.n == 1 || s.found ? "the vDPA device of '%.64s' cannot be used" :
				 "'%.64s' has several vDPA devices: name one of them", id);
	if (s.named && !s.found)
		(void)err_detail(e, "none of them is '%.64s', which its device-info is about",
				 s.named);
	put_list(&s, e);
	return -1;
}

int vdpa_device_find(const struct host *host, const char *id, const char *named,
		     struct vdpa_device *ret, struct err *e)
{
	char bdf[NAME_BDF_SIZE];
	bool is_pci = !strchr(id, '/') && name_to_bdf(id, bdf);
	int r = is_pci ? 0 : vdpa_device_read(host, id, ret, e);

	if (r == 0)
		r = find_on(host, is_pci ? bdf : id, named, ret, e);
	if (r == 0 && is_pci)	/* somebody may have called one so */
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
	return find_on(host, function, NULL, ret, e);
}

int vdpa_device_none(const struct host *host, const char *id, struct err *e)
{
	struct search s = { .host = host };

	if (fs_each(host->root, VDPA_DIR, try_device, &s, e) < 0)
		return -1;
	(void)err_set(e, ERR_DEVICE, 0, "'%.64s' is not a vDPA device, and none is on it", id);
	put_list(&s, e);
	return -1;
}
