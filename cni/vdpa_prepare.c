/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_prepare.c - the vDPA device of an attachment is made, bound, and found again */
#include "cni/vdpa.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/netdev.h"
#include "cni/vdpa_driver.h"
#include "devinfo/store.h"
#include "devinfo/vdpa_info.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	REQUEST_MS = 5000,	/* for one request */
	SHOW_MS = 2000,		/* until a driver shows its node or network device */
};

static int create(struct attachment *a, struct err *e)
{
	const struct vdpa_conf *c = &a->conf->vdpa;
	struct vdpa_state *s = &a->rec.vdpa;
	struct deadline d = deadline_in(REQUEST_MS);
	struct vdpa_new new = {
		.name = s->name, .mgmt_bus = a->vdpa.mgmt_bus, .mgmt_dev = a->vdpa.mgmt_dev,
		.have = (a->has_mac || c->has_mac ? VDPA_MAC : 0U) | (c->mtu ? VDPA_MTU : 0U) |
			(c->max_vqp ? VDPA_MAX_VQP : 0U) | (c->has_features ? VDPA_FEATURES : 0U),
		.mtu = c->mtu, .max_vqp = c->max_vqp, .features = c->features,
	};

	memcpy(new.mac, a->has_mac ? a->mac : c->mac, MAC_LEN);
	if (vdpa_create(&new, &d, e) == 0)
		return 0;
	if (e->sys == EEXIST)		/* somebody was faster: it is not ours to give back */
		*s = (struct vdpa_state){ .name = "" };
	return -1;
}

static int set_mac(const struct attachment *a, struct err *e)
{
	struct deadline d = deadline_in(REQUEST_MS);
	char text[MAC_TEXT];

	if (!a->rec.vdpa.mac_set)
		return 0;
	return vdpa_set_mac(a->rec.vdpa.name, a->mac, &d, e) == 0 ?
		       0 : err_wrap(e, "mac: vDPA device %s has %s, and does not take another",
				    a->rec.vdpa.name, mac_format(a->rec.vdpa.mac_before, text));
}

/* -- virtio -- */

/* Known when it hangs below the device; else it is the one that came with the driver. */
static int take_virtio(struct attachment *a, const struct vdpa_virtios *before, struct err *e)
{
	auto_free struct vdpa_virtios *now = NULL;
	char name[16];
	int r;

	if (*a->vdpa.virtio)
		return *a->vdpa.netdev != '\0';
	now = calloc(1, sizeof(*now));
	if (vdpa_device_virtios(a->host, &a->vdpa, now, e) < 0)
		return -1;
	r = vdpa_virtios_new(before, now, name, e);
	return r > 0 ? vdpa_device_set_virtio(a->host, &a->vdpa, name, e) : r;
}

static int await_netdev(struct attachment *a, const struct vdpa_virtios *before, struct err *e)
{
	struct deadline d = deadline_in(SHOW_MS);
	int r;

	for (;;) {
		r = vdpa_device_read(a->host, a->rec.vdpa.name, &a->vdpa, e);
		if (r > 0)
			r = take_virtio(a, before, e);
		if (r != 0)
			return r < 0 ? -1 : 0;
		if (deadline_left_ms(&d) == 0)
			return err_set(e, ERR_DEVICE, ENODEV, "vDPA device %s shows no network "
				       "device with driver %s", a->rec.vdpa.name, VIRTIO_VDPA);
		deadline_sleep(&d, 10);
	}
}

/* From here on it is configured, moved and, where it outlives us, restored as any other. */
static int record_netdev(struct attachment *a, struct err *e)
{
	struct link link;
	int r = link_get_by_index(&a->home, a->vdpa.ifindex, &link, e);

	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_TRY_AGAIN, ENODEV, "%s of vDPA device %s has "
					    "just gone", a->vdpa.netdev, a->vdpa.name);
	netdev_state_of(&link, &a->rec.netdev);
	a->rec.sole = true;
	return journal_write(&a->journal, &a->rec, e);
}

/* -- both -- */

static int bind_driver(struct attachment *a, struct err *e)
{
	const struct vdpa_state *s = &a->rec.vdpa;

	return *s->driver ? vdpa_bind(a->host, s->name, s->driver, e) : 0;
}

static int show_node(struct attachment *a, struct err *e)
{
	const struct vdpa_conf *c = &a->conf->vdpa;
	const struct vdpa_state want = {
		.owner_set = c->has_owner, .mode_set = c->has_mode,
		.uid = c->uid, .gid = c->gid, .mode = c->mode,
	};
	int r = vdpa_device_read(a->host, a->rec.vdpa.name, &a->vdpa, e);

	if (r == 0 || (r > 0 && !*a->vdpa.node))
		return err_set(e, ERR_DEVICE, ENODEV, "vDPA device %s shows no node with driver %s",
			       a->rec.vdpa.name, VHOST_VDPA);
	if (r < 0 || vdpa_check_unused(a->host, &a->vdpa, e) < 0)
		return -1;
	return vdpa_node_set(a->host, &a->vdpa, &want, e);
}

/* A simulator, and some hardware, gives none: such a network device cannot be brought up. */
static int check_has_mac(const struct attachment *a, struct err *e)
{
	static const uint8_t none[MAC_LEN];
	const struct vdpa_net_config *now = &a->vdpa_config;

	if (vdpa_is_node(&a->rec) || !(now->have & VDPA_MAC) ||
	    memcmp(now->mac, none, MAC_LEN) != 0)
		return 0;
	return err_set(e, ERR_DEVICE, 0, "vDPA device %s has no address of its own: mac is needed",
		       a->rec.vdpa.name);
}

/* What was asked for, as the kernel now tells it. */
static int verify(struct attachment *a, struct err *e)
{
	const struct vdpa_net_config *now = &a->vdpa_config;
	const struct vdpa_conf *c = &a->conf->vdpa;
	const uint8_t *mac = a->has_mac ? a->mac : c->has_mac ? c->mac : NULL;
	struct deadline d = deadline_in(REQUEST_MS);
	int r;

	if (!a->rec.vdpa.created && !a->rec.vdpa.mac_set)
		return 0;
	r = vdpa_config_get(a->rec.vdpa.name, &a->vdpa_config, &d, e);
	if (r <= 0)
		return r < 0 ? -1
			     : err_set(e, ERR_TRY_AGAIN, ENODEV, "vDPA device %s has just gone",
				       a->rec.vdpa.name);
	if (mac && (!(now->have & VDPA_MAC) || memcmp(now->mac, mac, MAC_LEN) != 0))
		return err_set(e, ERR_DEVICE, 0, "vDPA device %s has not kept its mac",
			       a->rec.vdpa.name);
	if (c->mtu && (!(now->have & VDPA_MTU) || now->mtu != c->mtu))
		return err_set(e, ERR_DEVICE, 0, "vDPA device %s has not kept its mtu",
			       a->rec.vdpa.name);
	return check_has_mac(a, e);
}

static int show_netdev(struct attachment *a, const struct vdpa_virtios *before, struct err *e)
{
	if (a->rec.netdev.present)	/* it had one, and keeps it */
		return 0;
	return await_netdev(a, before, e) < 0 ? -1 : record_netdev(a, e);
}

int vdpa_prepare(struct attachment *a, struct err *e)
{
	auto_free struct vdpa_virtios *before = NULL;
	const struct vdpa_state *s = &a->rec.vdpa;
	bool virtio;

	if (!*s->name)
		return 0;
	virtio = strcmp(*s->driver ? s->driver : a->vdpa.driver, VIRTIO_VDPA) == 0;
	before = calloc(1, sizeof(*before));
	if (virtio && vdpa_device_virtios(a->host, &a->vdpa, before, e) < 0)
		return -1;
	if ((s->created ? create(a, e) : set_mac(a, e)) < 0 || bind_driver(a, e) < 0 ||
	    verify(a, e) < 0 || (virtio ? show_netdev(a, before, e) : show_node(a, e)) < 0)
		return -1;
	return 0;
}

/* -- device-info -- */

/* What the device plugin wrote, or what Multus made of that: 1, 0, -1. */
static int read_draft(const struct attachment *a, struct device_info *ret, struct err *e)
{
	int r = 0;

	if (a->conf->resource && *a->dev.id)
		r = store_draft_dp(a->host, a->conf->resource, a->dev.id, ret, e);
	return r == 0 ? store_draft_cni(a->host, a->info_name, ret, e) : r;
}

static int repair(struct attachment *a, struct err *e)
{
	char repaired[VDPA_REPAIRED] = "";

	if (vdpa_info_enrich(a->host, &a->vdpa, &a->info, repaired, e) < 0)
		return -1;
	if (*repaired)
		log_warning("msg=\"the device plugin's device-info was wrong\" device=%s "
			    "repaired=\"%s\"", a->vdpa.name, repaired);
	return 0;
}

int vdpa_info(struct attachment *a, struct err *e)
{
	int r;

	if (!*a->rec.vdpa.name)
		return 0;
	r = read_draft(a, &a->info, e);
	if (r > 0 && a->info.kind != DEVICE_VDPA) {
		device_info_done(&a->info);
		r = 0;
	}
	if (r >= 0)
		r = r > 0 ? repair(a, e) : vdpa_info_discover(a->host, &a->vdpa, &a->info, e);
	return r < 0 ? err_wrap(e, "device-info of vDPA device %s", a->rec.vdpa.name) : 0;
}
