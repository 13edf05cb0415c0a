/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_mgmt.c - the management device that makes, or has made, the vDPA device of an attachment */
#include "cni/vdpa/vdpa_probe.h"

#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All there are, for the caller to free; NULL with *e when that cannot be told. */
static struct vdpa_devices *list_devices(struct err *e)
{
	auto_free struct vdpa_devices *all = calloc(1, sizeof(*all));
	struct deadline d = deadline_in(VDPA_REQUEST_MS);

	if (!all)
		(void)err_set(e, ERR_IO, ENOMEM, "list the vDPA devices");
	if (!all || vdpa_list_devices(all, &d, e) < 0)
		return NULL;
	if (!all->overflow)
		return steal_ptr(&all);
	(void)err_set(e, ERR_DEVICE, E2BIG,
		      "there are over %d vDPA devices, or some whose names are too long",
		      VDPA_DEVICES_MAX);
	return NULL;
}

/* -- one that is to be made -- */

/* The management device that is named, or that of the function that is ours. */
static void mgmt_of(const struct attachment *a, struct vdpa_mgmtdev *ret)
{
	const struct vdpa_conf *c = &a->conf->vdpa;
	const char *slash = strchr(a->dev.id, '/');

	*ret = (struct vdpa_mgmtdev){ .bus = "" };
	if (*c->mgmt_dev) {
		memcpy(ret->bus, c->mgmt_bus, sizeof(ret->bus));
		memcpy(ret->dev, c->mgmt_dev, sizeof(ret->dev));
	} else if (*a->dev.part) {	/* no function: a simulator's */
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
	if (all->overflow)
		err_detail(e, "and more");
	return all->n ? -1 : err_detail(e, "there is none");
}

/* One device of a function only: a driver that makes two mixes them up when one is deleted. */
static int check_unshared(const struct vdpa_mgmtdev *m, const char *name, struct err *e)
{
	auto_free struct vdpa_devices *all = NULL;

	if (!*m->bus)		/* a simulator */
		return 0;
	all = list_devices(e);
	for (unsigned int i = 0; all && i < all->n; i++)
		if (strcmp(all->dev[i].mgmt_bus, m->bus) == 0 &&
		    strcmp(all->dev[i].mgmt_dev, m->dev) == 0)
			return err_set(e, ERR_BUSY, EEXIST, "management device %s has vDPA device "
				       "%s already", name, all->dev[i].name);
	return all ? 0 : -1;
}

/* What the management device cannot do is known before anything is changed. */
static int check_mgmt(const struct vdpa_conf *c, const struct vdpa_mgmtdev *m, const char *name,
		      const struct deadline *d, struct err *e)
{
	auto_free struct vdpa_mgmtdevs *all = calloc(1, sizeof(*all));
	const struct vdpa_mgmtdev *found;

	if (!all)
		return err_set(e, ERR_IO, ENOMEM, "list the vDPA management devices");
	if (vdpa_list_mgmtdevs(all, d, e) < 0)
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
	return 0;
}

int vdpa_status(const struct host *host, const struct netconf *nc, const struct deadline *d,
		struct err *e)
{
	const struct vdpa_conf *c = &nc->vdpa;
	struct vdpa_mgmtdev m = { .classes = 0 };
	char mgmt[96];

	(void)host;
	if (!*c->mgmt_dev)	/* which one it is depends on the pod's device */
		return 0;
	memcpy(m.bus, c->mgmt_bus, sizeof(m.bus));
	memcpy(m.dev, c->mgmt_dev, sizeof(m.dev));
	format_mgmt(&m, mgmt);
	return check_mgmt(c, &m, mgmt, d, e);
}

int vdpa_probe_create(struct attachment *a, struct err *e)
{
	struct deadline d = deadline_in(VDPA_REQUEST_MS);
	struct vdpa_state *s = &a->rec.vdpa;
	struct vdpa_mgmtdev m;
	char name[16], mgmt[96];
	int r;

	mgmt_of(a, &m);
	format_mgmt(&m, mgmt);
	owner_made_name(&a->rec.owner, name);
	if (check_mgmt(&a->conf->vdpa, &m, mgmt, &d, e) < 0 || check_unshared(&m, mgmt, e) < 0)
		return -1;
	r = vdpa_device_read(a->host, name, &a->vdpa, e);
	if (r != 0)
		return r < 0 ? -1 : err_set(e, ERR_BUSY, EEXIST, "there is a vDPA device %s, which "
					    "is what ours would be called", name);
	memcpy(s->name, name, sizeof(name));
	memcpy(s->mgmt, mgmt, sizeof(mgmt));
	if (vdpa_device_place(a->host, m.dev, &a->vdpa, e) < 0)
		return -1;
	memcpy(a->vdpa.name, name, sizeof(name));
	memcpy(a->vdpa.mgmt_bus, m.bus, sizeof(m.bus));
	memcpy(a->vdpa.mgmt_dev, m.dev, sizeof(m.dev));
	s->created = true;
	return 0;
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
	auto_free struct vdpa_devices *all = list_devices(e);
	const struct vdpa_dev *found = NULL;
	struct err several = { .code = ERR_OK };

	if (!all)
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
