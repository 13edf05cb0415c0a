/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa.c - the vDPA device of an attachment, from ADD's side */
#include "cni/vdpa.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/netdev.h"
#include "cni/vdpa_driver.h"
#include "devinfo/store.h"
#include "netlink/vdpa.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	REQUEST_MS = 5000,	/* for one request */
	SHOW_MS = 2000,		/* until a driver shows its node or network device */
};

void vdpa_own_name(const struct owner *o, char ret[16])
{
	uint64_t h = name_hash(0, o->container_id);

	h = name_hash(name_hash(h, "/"), o->ifname);
	(void)snprintf(ret, 16, "dv%012" PRIx64, h & 0xffffffffffff);
}

static const char *bus_driver(enum vdpa_driver driver)
{
	return driver == VDPA_DRIVER_VHOST  ? VHOST_VDPA :
	       driver == VDPA_DRIVER_VIRTIO ? VIRTIO_VDPA :
					      "";
}

/* -- is it one? -- */

/* What the device plugin says of a function that could be given in more than one way. */
static int plugin_says_vdpa(const struct attachment *a, struct err *e)
{
	auto_device_info struct device_info di = { 0 };
	int r = 0;

	if (a->conf->resource && *a->dev.id)
		r = store_draft_dp(a->host, a->conf->resource, a->dev.id, &di, e);
	return r > 0 ? di.kind == DEVICE_VDPA : r;
}

static int is_wanted(const struct attachment *a, struct err *e)
{
	struct vdpa_device any;
	int r;

	if (a->conf->vdpa.present || *a->dev.vdpa)
		return 1;
	if (!*a->dev.key)
		return 0;
	r = fs_exists(a->host->root, e, "/sys/bus/vdpa");
	if (r <= 0)
		return r;
	r = plugin_says_vdpa(a, e);
	if (r != 0 || driver_is_userspace(a->dev.pci.driver))
		return r;
	return vdpa_device_for(a->host, a->dev.key, &any, e);
}


/* -- its driver -- */

static int check_switch(const struct attachment *a, const char *want, struct err *e)
{
	const char *name = a->vdpa.name, *have = a->vdpa.driver;
	int r;

	if (!*want)
		return err_set(e, ERR_DEVICE, 0, "vDPA device %s is bound to %s: vdpa.driver says "
			       "to which it should be", name, *have ? have : "no driver");
	if (*have && !a->conf->vdpa.switch_driver)
		return err_set(e, ERR_DEVICE, 0, "vDPA device %s is bound to %s, not to %s, and "
			       "vdpa.switchDriver does not allow that to be changed", name, have,
			       want);
	r = fs_exists(a->host->root, e, "/sys/bus/vdpa/drivers/%s", want);
	return r == 0 ? err_set(e, ERR_DEVICE, ENOENT, "driver %s for vDPA device %s is not loaded",
				want, name) :
	       r < 0  ? -1 :
			0;
}

/* That of the configuration, else the one it has. */
static int look_at_driver(struct attachment *a, struct err *e)
{
	struct vdpa_state *s = &a->rec.vdpa;
	const char *want = bus_driver(a->conf->vdpa.driver), *have = a->vdpa.driver;

	memcpy(s->driver_before, have, sizeof(s->driver_before));
	if (!*want && (strcmp(have, VHOST_VDPA) == 0 || strcmp(have, VIRTIO_VDPA) == 0))
		return 0;
	if (*want && strcmp(want, have) == 0)
		return 0;
	if (check_switch(a, want, e) < 0)
		return -1;
	(void)snprintf(s->driver, sizeof(s->driver), "%s", want);
	return 0;
}

/* -- one that is to be created -- */

/* The management device that is named, or that of the function that is ours. */
static void mgmt_of(const struct attachment *a, struct vdpa_mgmtdev *ret)
{
	const struct vdpa_conf *c = &a->conf->vdpa;
	const char *slash = strchr(a->dev.id, '/');

	*ret = (struct vdpa_mgmtdev){ .bus = "" };
	if (*c->mgmt_dev) {
		memcpy(ret->bus, c->mgmt_bus, sizeof(ret->bus));
		memcpy(ret->dev, c->mgmt_dev, sizeof(ret->dev));
	} else if (*a->dev.vdpa) {	/* no function: a simulator's */
		(void)snprintf(ret->bus, sizeof(ret->bus), "%.*s",
			       slash ? (int)(slash - a->dev.id) : 0, a->dev.id);
		(void)snprintf(ret->dev, sizeof(ret->dev), "%.63s",
			       slash ? slash + 1 : a->dev.id);
	} else {
		(void)snprintf(ret->bus, sizeof(ret->bus), a->dev.is_pci ? "pci" : "auxiliary");
		memcpy(ret->dev, a->dev.key, sizeof(ret->dev));
	}
}

static void format_mgmt(const struct vdpa_mgmtdev *m, char ret[96])
{
	(void)snprintf(ret, 96, "%s%s%s", m->bus, *m->bus ? "/" : "", m->dev);
}

static const struct vdpa_mgmtdev *find_mgmt(const struct vdpa_mgmtdevs *all,
					    const struct vdpa_mgmtdev *m)
{
	for (unsigned int i = 0; i < all->n; i++)
		if (strcmp(all->dev[i].bus, m->bus) == 0 && strcmp(all->dev[i].dev, m->dev) == 0)
			return &all->dev[i];
	return NULL;
}

static int no_mgmt(const struct vdpa_mgmtdevs *all, const char *name, struct err *e)
{
	char one[96];

	(void)err_set(e, ERR_DEVICE, ENODEV, "no vDPA management device %s", name);
	for (unsigned int i = 0; i < all->n; i++) {
		format_mgmt(&all->dev[i], one);
		err_detail(e, "%s%s", i ? "" : "there is ", one);
	}
	return all->n ? -1 : err_detail(e, "there is none");
}

/* One device of a function only: a driver that makes two mixes them up when one is deleted. */
static int check_unshared(const struct vdpa_mgmtdev *m, const char *name, struct err *e)
{
	auto_free struct vdpa_devices *all = calloc(1, sizeof(*all));
	struct deadline d = deadline_in(REQUEST_MS);

	if (!*m->bus)		/* a simulator */
		return 0;
	if (vdpa_list_devices(all, &d, e) < 0)
		return -1;
	for (unsigned int i = 0; i < all->n; i++)
		if (strcmp(all->dev[i].mgmt_bus, m->bus) == 0 &&
		    strcmp(all->dev[i].mgmt_dev, m->dev) == 0)
			return err_set(e, ERR_BUSY, EEXIST, "management device %s has vDPA device "
				       "%s already", name, all->dev[i].name);
	return 0;
}

/* What the management device cannot do is known before anything is changed. */
static int check_mgmt(const struct vdpa_conf *c, const struct vdpa_mgmtdev *m, const char *name,
		      struct err *e)
{
	auto_free struct vdpa_mgmtdevs *all = calloc(1, sizeof(*all));
	struct deadline d = deadline_in(REQUEST_MS);
	const struct vdpa_mgmtdev *found;

	if (vdpa_list_mgmtdevs(all, &d, e) < 0)
		return -1;
	found = find_mgmt(all, m);
	if (!found)
		return no_mgmt(all, name, e);
	if (!(found->classes & (UINT64_C(1) << VDPA_ID_NET)))
		return err_set(e, ERR_DEVICE, 0, "management device %s makes no network devices",
			       name);
	if (c->has_features && c->features & ~found->features)
		return err_set(e, ERR_NETCONF, 0, "vdpa.features: management device %s has not "
			       "0x%" PRIx64 " of 0x%" PRIx64, name, c->features & ~found->features,
			       c->features);
	return check_unshared(m, name, e);
}

static int look_to_create(struct attachment *a, struct err *e)
{
	struct vdpa_state *s = &a->rec.vdpa;
	struct vdpa_mgmtdev m;
	char name[16], mgmt[96];
	int r;

	mgmt_of(a, &m);
	format_mgmt(&m, mgmt);
	vdpa_own_name(&a->rec.owner, name);
	if (check_mgmt(&a->conf->vdpa, &m, mgmt, e) < 0)
		return -1;
	r = vdpa_device_read(a->host, name, &a->vdpa, e);
	if (r != 0)
		return r < 0 ? -1 : err_set(e, ERR_BUSY, EEXIST, "there is a vDPA device %s, which "
					    "is what ours would be called", name);
	memcpy(s->name, name, sizeof(name));
	memcpy(s->mgmt, mgmt, sizeof(mgmt));
	memcpy(a->vdpa.name, name, sizeof(name));
	memcpy(a->vdpa.mgmt_bus, m.bus, sizeof(m.bus));
	memcpy(a->vdpa.mgmt_dev, m.dev, sizeof(m.dev));
	if (a->dev.is_pci)
		memcpy(a->vdpa.bdf, a->dev.pci.bdf, sizeof(a->vdpa.bdf));
	s->created = true;
	return look_at_driver(a, e);
}

/* -- one that is there -- */

static bool is_made_by(const struct vdpa_dev *dev, const char *id)
{
	size_t bus = strlen(dev->mgmt_bus);

	if (bus && strncmp(id, dev->mgmt_bus, bus) == 0 && id[bus] == '/')
		id += bus + 1;
	return strcmp(dev->mgmt_dev, id) == 0;
}

int vdpa_find_of_mgmtdev(const char *id, char ret[VDPA_NAME_MAX], struct err *e)
{
	auto_free struct vdpa_devices *all = calloc(1, sizeof(*all));
	struct deadline d = deadline_in(REQUEST_MS);
	const struct vdpa_dev *found = NULL;
	struct err several = { .code = ERR_OK };

	if (vdpa_list_devices(all, &d, e) < 0)
		return -1;
	for (unsigned int i = 0; i < all->n; i++) {
		if (!is_made_by(&all->dev[i], id))
			continue;
		if (found && several.code == ERR_OK) {
			(void)err_set(&several, ERR_DEVICE, 0, "'%.64s' has several vDPA devices: "
				      "name one of them", id);
			(void)err_detail(&several, "%s", found->name);
		}
		found = &all->dev[i];
		if (several.code != ERR_OK)
			(void)err_detail(&several, "%s", found->name);
	}
	if (several.code != ERR_OK) {
		*e = several;
		return -1;
	}
	if (found)
		memcpy(ret, found->name, sizeof(found->name));
	return found != NULL;
}

static int find_given(struct attachment *a, struct err *e)
{
	const char *id = *a->dev.vdpa ? a->dev.vdpa : a->dev.key;
	int r = vdpa_device_find(a->host, id, &a->vdpa, e);

	return r == 0 ? vdpa_device_none(a->host, id, e) : r < 0 ? -1 : 0;
}

static bool is_to_be(const struct attachment *a, const char *driver)
{
	const struct vdpa_state *s = &a->rec.vdpa;

	return strcmp(*s->driver ? s->driver : a->vdpa.driver, driver) == 0;
}

/* It keeps its network device, which is ours to move and to bring home as any other. */
static bool stays_virtio(const struct attachment *a)
{
	return !*a->rec.vdpa.driver && strcmp(a->vdpa.driver, VIRTIO_VDPA) == 0;
}

static int read_config(struct attachment *a, struct err *e)
{
	struct deadline d = deadline_in(REQUEST_MS);
	int r = vdpa_config_get(a->rec.vdpa.name, &a->vdpa_config, &d, e);

	if (r < 0)
		return -1;
	if (r == 0)
		return err_set(e, ERR_TRY_AGAIN, ENODEV, "vDPA device %s has just gone",
			       a->rec.vdpa.name);
	return a->vdpa_config.id == VDPA_ID_NET ?
		       0 : err_set(e, ERR_DEVICE, 0, "vDPA device %s is no network device (id %u)",
				   a->rec.vdpa.name, a->vdpa_config.id);
}

/* The driver reads the address when it is bound; later only the network device's counts. */
static int look_at_config(struct attachment *a, struct err *e)
{
	const struct vdpa_net_config *now = &a->vdpa_config;
	const struct vdpa_conf *c = &a->conf->vdpa;
	struct vdpa_state *s = &a->rec.vdpa;
	unsigned int pairs;

	if (read_config(a, e) < 0)
		return -1;
	pairs = now->have & VDPA_MAX_VQP ? now->max_vqp : 1;
	if (c->max_vqp && pairs != c->max_vqp)
		return err_set(e, ERR_DEVICE, 0,
			       "vdpa.maxVqp: want %u pairs of queues, vDPA device "
			       "%s has %u",
			       c->max_vqp, s->name, pairs);
	if (!a->has_mac || stays_virtio(a) ||
	    (now->have & VDPA_MAC && memcmp(now->mac, a->mac, MAC_LEN) == 0))
		return 0;
	memcpy(s->mac_before, now->mac, MAC_LEN);
	s->mac_set = true;
	return 0;
}

/* Nothing but the address can tell virtio devices of one function apart. */
static int find_virtio(struct attachment *a, struct err *e)
{
	int r = *a->vdpa.virtio != '\0';

	if (!stays_virtio(a))
		return 0;
	if (r == 0 && a->vdpa_config.have & VDPA_MAC)
		r = vdpa_device_set_virtio_of(a->host, &a->vdpa, a->vdpa_config.mac, e);
	if (r > 0 && !*a->vdpa.netdev)
		return err_set(e, ERR_DEVICE, ENODEV, "vDPA device %s (%s) has no network device "
			       "here", a->vdpa.name, a->vdpa.virtio);
	if (r == 0)
		return err_set(e, ERR_DEVICE, ENODEV,
			       "which of the %u virtio devices of %s is that "
			       "of vDPA device %s cannot be told",
			       a->vdpa.siblings, a->vdpa.bdf, a->vdpa.name);
	return r < 0 ? -1 : 0;
}

static int look_at_node(struct attachment *a, struct err *e)
{
	struct vdpa_state *s = &a->rec.vdpa;

	if (vdpa_check_unused(a->host, &a->vdpa, e) < 0)
		return err_wrap(e, "vDPA device %s", s->name);
	if (*s->driver || strcmp(a->vdpa.driver, VHOST_VDPA) != 0)
		return 0;		/* a node of our making goes as it came */
	s->owner_set = a->conf->vdpa.has_owner;
	s->mode_set = a->conf->vdpa.has_mode;
	return s->owner_set || s->mode_set ? vdpa_node_note(a->host, &a->vdpa, s, e) : 0;
}

static int look_at_given(struct attachment *a, struct err *e)
{
	if (find_given(a, e) < 0)
		return -1;
	memcpy(a->rec.vdpa.name, a->vdpa.name, sizeof(a->rec.vdpa.name));
	if (look_at_driver(a, e) < 0 || look_at_config(a, e) < 0 || find_virtio(a, e) < 0)
		return -1;
	return look_at_node(a, e);
}

/* Where it has no use for a name, nobody is asked whether it is free. */
static int check_name(struct attachment *a, struct err *e)
{
	struct link link;
	int r;

	if (!is_to_be(a, VIRTIO_VDPA))
		return 0;
	r = link_get_by_name(&a->pod, a->call->ifname, &link, e);
	return r > 0 ? err_set(e, ERR_BUSY, EEXIST, "the container has an interface %s already",
			       a->call->ifname) :
		       r;
}

int vdpa_look(struct attachment *a, struct err *e)
{
	int r = is_wanted(a, e);

	if (r <= 0)
		return r;
	r = a->conf->vdpa.create ? look_to_create(a, e) : look_at_given(a, e);
	return r < 0 ? -1 : check_name(a, e);
}
