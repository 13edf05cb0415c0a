/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa.c - the vDPA device of an attachment, from ADD's side */
#include "cni/vdpa/vdpa_probe.h"

#include "base/fs.h"
#include "base/log.h"
#include "cni/vdpa/vdpa_driver.h"
#include "devinfo/format/store.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/node/sysfs.h"
#include "devinfo/node/vdpa_info.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *bus_driver(enum vdpa_driver driver)
{
	return driver == VDPA_DRIVER_VHOST  ? VHOST_VDPA :
	       driver == VDPA_DRIVER_VIRTIO ? VIRTIO_VDPA :
					      "";
}

/* -- what its device plugin says -- */

/* What was read of the device's device-info is not its own. */
static void forget_info(struct attachment *a)
{
	device_info_done(&a->info);
	a->info = (struct device_info){ .version = "" };
}

/* For vdpa_info() to complete; of another type it is nothing to us. */
static int read_plugins(struct attachment *a, struct err *e)
{
	const char *plain = device_id_plain(a->dev.id);
	int r = 0;

	if (a->conf->resource && *a->dev.id)
		r = store_draft_dp(a->host, a->conf->resource, a->dev.id, &a->info, e);
	if (r == 0 && a->conf->resource && plain != a->dev.id)
		r = store_draft_dp(a->host, a->conf->resource, plain, &a->info, e);
	if (a->info.kind != DEVICE_VDPA)
		forget_info(a);
	return r < 0 ? err_wrap(e, "device-info of %.64s", a->dev.id) : 0;
}

static const char *plugins_name(const struct attachment *a)
{
	return a->info.kind == DEVICE_VDPA ? a->info.vdpa.parent_device : "";
}

static const char *plugins_driver(const struct attachment *a)
{
	const char *said = a->info.kind == DEVICE_VDPA ? a->info.vdpa.driver : "";

	return strcmp(said, "vhost") == 0  ? VHOST_VDPA :
	       strcmp(said, "virtio") == 0 ? VIRTIO_VDPA :
					     "";
}

/* A file of the attachment, Multus's copy or what is left of another's, is replaced when wrong. */
static int read_own(struct attachment *a, struct err *e)
{
	int r = store_draft_cni(a->host, a->info_name, &a->info, e);
	struct err why;

	if (r <= 0 || vdpa_info_check(&a->vdpa, &a->info, &why) == 0)
		return r < 0 ? -1 : 0;
	log_warning("msg=\"replacing a device-info file\" file=%s details=\"%s\"", a->info_name,
		    why.msg);
	forget_info(a);
	return 0;
}

int vdpa_probe_info(struct attachment *a, struct err *e)
{
	a->has_info = true;
	return a->info.kind == DEVICE_VDPA ? vdpa_info_check(&a->vdpa, &a->info, e) :
					     read_own(a, e);
}

/* -- is it one? -- */

static int is_wanted(struct attachment *a, struct err *e)
{
	bool told = a->conf->vdpa.present || *a->dev.part;
	struct vdpa_device any;
	int r = told;

	/* of a plain network device only its device plugin's file could say so */
	if (!told && *a->dev.key && (!a->dev.is_netdev || a->conf->resource))
		r = fs_exists(a->host->root, e, "/sys/bus/vdpa");
	if (r <= 0)
		return r;
	if (read_plugins(a, e) < 0)
		return -1;
	if (told || a->info.kind == DEVICE_VDPA)
		return 1;
	return driver_is_userspace(a->dev.pci.driver) || a->dev.is_netdev ?
		       0 : vdpa_device_for(a->host, a->dev.key, &any, e);
}

/* -- its driver -- */

static int check_switch(const struct attachment *a, const char *want, struct err *e)
{
	const char *name = a->vdpa.name, *have = a->vdpa.driver;
	int r;

	if (!*want)
		return err_set(e, ERR_DEVICE, 0,
			       "vDPA device %s is bound to %s: vdpa.driver says to which it "
			       "should be", name, *have ? have : "no driver");
	if (*have && !a->conf->vdpa.switch_driver)
		return err_set(e, ERR_DEVICE, 0,
			       "vDPA device %s is bound to %s, not to %s, and vdpa.switchDriver "
			       "does not allow that to be changed", name, have, want);
	r = fs_exists(a->host->root, e, "/sys/bus/vdpa/drivers/%s", want);
	return r == 0 ? err_set(e, ERR_DEVICE, ENOENT, "driver %s for vDPA device %s is not loaded",
				want, name) :
	       r < 0  ? -1 :
			0;
}

/* That of the configuration, else the one it has, else the one that the device plugin says. */
static int probe_driver(struct attachment *a, struct err *e)
{
	struct vdpa_state *s = &a->rec.vdpa;
	const char *want = bus_driver(a->conf->vdpa.driver), *have = a->vdpa.driver;

	memcpy(s->driver_before, have, sizeof(s->driver_before));
	if (!*want && !*have)
		want = plugins_driver(a);
	if (!*want && (strcmp(have, VHOST_VDPA) == 0 || strcmp(have, VIRTIO_VDPA) == 0))
		return 0;
	if (*want && strcmp(want, have) == 0)
		return 0;
	if (check_switch(a, want, e) < 0)
		return -1;
	(void)snprintf(s->driver, sizeof(s->driver), "%s", want);
	return vdpa_override_note(a->host, s, e);
}

/* -- one that is there -- */

static int find_existing(struct attachment *a, struct err *e)
{
	const char *id = *a->dev.part ? a->dev.part : a->dev.key;
	int r = vdpa_device_find(a->host, id, plugins_name(a), &a->vdpa, e);

	return r == 0 ? vdpa_device_none(a->host, id, e) : r < 0 ? -1 : 0;
}

bool vdpa_is_virtio(const struct attachment *a)
{
	const struct vdpa_state *s = &a->rec.vdpa;

	return strcmp(*s->driver ? s->driver : a->vdpa.driver, VIRTIO_VDPA) == 0;
}

/* It keeps its network device, which is ours to move and to bring home as any other. */
static bool stays_virtio(const struct attachment *a)
{
	return !*a->rec.vdpa.driver && strcmp(a->vdpa.driver, VIRTIO_VDPA) == 0;
}

int vdpa_read_config(struct attachment *a, struct err *e)
{
	struct deadline d = deadline_in(VDPA_REQUEST_MS);
	int r = vdpa_config_get(a->rec.vdpa.name, &a->vdpa_config, &d, e);

	if (r < 0)
		return -1;
	if (r == 0)
		return err_set(e, ERR_TRY_AGAIN, ENODEV, "vDPA device %s has just gone",
			       a->rec.vdpa.name);
	if (a->vdpa_config.id == VDPA_ID_NET)
		return 0;
	return err_set(e, ERR_DEVICE, 0, "vDPA device %s is not a network device (id %u)",
		       a->rec.vdpa.name, a->vdpa_config.id);
}

unsigned int vdpa_pairs(const struct vdpa_net_config *c)
{
	return c->have & VDPA_MAX_VQP ? c->max_vqp : 1;
}

/* The driver reads the address when it is bound; later only the network device's counts. */
static int probe_mac(struct attachment *a, struct err *e)
{
	const struct vdpa_net_config *now = &a->vdpa_config;
	struct vdpa_state *s = &a->rec.vdpa;
	bool has_one = now->have & VDPA_MAC;

	if (!a->has_mac || stays_virtio(a) ||
	    (has_one && memcmp(now->mac, a->mac, MAC_LEN) == 0))
		return 0;
	if (!has_one && vdpa_is_virtio(a))	/* it is set on the network device alone */
		return 0;
	if (!has_one)
		return err_set(e, ERR_DEVICE, EOPNOTSUPP,
			       "%s: vDPA device %s has none that could be set", a->mac_key,
			       s->name);
	memcpy(s->mac_before, now->mac, MAC_LEN);
	s->mac_set = true;
	return 0;
}

static int probe_config(struct attachment *a, struct err *e)
{
	const struct vdpa_conf *c = &a->conf->vdpa;

	if (vdpa_read_config(a, e) < 0)
		return -1;
	if (c->max_vqp && vdpa_pairs(&a->vdpa_config) != c->max_vqp)
		return err_set(e, ERR_DEVICE, 0,
			       "vdpa.maxVqp: expected %u pairs of queues, vDPA device %s has %u",
			       c->max_vqp, a->vdpa.name, vdpa_pairs(&a->vdpa_config));
	return probe_mac(a, e);
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
		return err_set(e, ERR_DEVICE, ENODEV,
			       "vDPA device %s (%s) has no network device here", a->vdpa.name,
			       a->vdpa.virtio);
	if (r == 0)
		return err_set(e, ERR_DEVICE, ENODEV,
			       "which of the %u virtio devices of %s is that of vDPA device %s "
			       "cannot be told",
			       a->vdpa.siblings, a->vdpa.bdf, a->vdpa.name);
	return r < 0 ? -1 : 0;
}

static int probe_node(struct attachment *a, struct err *e)
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

static int probe_existing(struct attachment *a, struct err *e)
{
	if (find_existing(a, e) < 0)
		return -1;
	memcpy(a->rec.vdpa.name, a->vdpa.name, sizeof(a->rec.vdpa.name));
	if (probe_driver(a, e) < 0 || probe_config(a, e) < 0 || find_virtio(a, e) < 0)
		return -1;
	return probe_node(a, e);
}

static int probe_new(struct attachment *a, struct err *e)
{
	return vdpa_probe_create(a, e) < 0 ? -1 : probe_driver(a, e);
}

/* Where it has no use for a name, nobody is asked whether it is free. */
static int check_name(struct attachment *a, struct err *e)
{
	struct link link;
	int r;

	if (!vdpa_is_virtio(a))
		return 0;
	r = link_get_by_name(&a->pod, a->call->ifname, &link, e);
	return r > 0 ? err_set(e, ERR_BUSY, EEXIST, "the container has an interface %s already",
			       a->call->ifname) :
		       r;
}

int vdpa_probe(struct attachment *a, struct err *e)
{
	int r = is_wanted(a, e);

	if (r <= 0)
		return r;
	r = a->conf->vdpa.create ? probe_new(a, e) : probe_existing(a, e);
	return r < 0 ? -1 : check_name(a, e);
}
