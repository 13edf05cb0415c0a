/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_prepare.c - the vDPA device of an attachment is made, bound, and found again */
#include "cni/vdpa/vdpa_probe.h"

#include "base/log.h"
#include "cni/netdev/netdev.h"
#include "cni/vdpa/vdpa_driver.h"
#include "devinfo/node/vdpa_info.h"

#include <errno.h>
#include <string.h>

enum { SHOW_MS = 2000 };	/* until a driver shows its network device */

/* Somebody was faster: it is not ours to give back, now or, were we killed, by DEL. */
static int disown(struct attachment *a, struct err *e)
{
	struct err why;

	e->code = ERR_BUSY;
	a->rec.vdpa = (struct vdpa_state){ .name = "" };
	return journal_write(&a->journal, &a->rec, &why) < 0 ? err_detail(e, "and %s", why.msg) :
							       -1;
}

static int create(struct attachment *a, struct err *e)
{
	const struct vdpa_conf *c = &a->conf->vdpa;
	struct vdpa_state *s = &a->rec.vdpa;
	struct deadline d = deadline_in(VDPA_REQUEST_MS);
	struct vdpa_new new = {
		.name = s->name, .mgmt_bus = a->vdpa.mgmt_bus, .mgmt_dev = a->vdpa.mgmt_dev,
		.have = (a->has_mac || c->has_mac ? VDPA_MAC : 0U) | (c->mtu ? VDPA_MTU : 0U) |
			(c->max_vqp ? VDPA_MAX_VQP : 0U) | (c->has_features ? VDPA_FEATURES : 0U),
		.mtu = c->mtu, .max_vqp = c->max_vqp, .features = c->features,
	};

	memcpy(new.mac, a->has_mac ? a->mac : c->mac, MAC_LEN);
	if (vdpa_create(&new, &d, e) == 0)
		return 0;
	return e->sys == EEXIST ? disown(a, e) : -1;
}

/* What a device does not take its network device may take all the same. */
static int set_mac(struct attachment *a, struct err *e)
{
	struct deadline d = deadline_in(VDPA_REQUEST_MS);
	struct vdpa_state *s = &a->rec.vdpa;
	char text[MAC_TEXT];

	if (!s->mac_set || vdpa_set_mac(s->name, a->mac, &d, e) == 0)
		return 0;
	if (e->sys != EOPNOTSUPP || !vdpa_is_virtio(a))
		return err_wrap(e, "%s: vDPA device %s has %s, and does not take another",
				a->mac_key, s->name, mac_format(s->mac_before, text));
	s->mac_set = false;
	return 0;
}

/* -- virtio -- */

/* Known when it hangs below the device; else it is the one that came with the driver. */
static int take_virtio(struct attachment *a, const struct vdpa_virtios *before, struct err *e)
{
	struct vdpa_virtios now = { .n = 0 };
	char name[16];
	int r;

	if (*a->vdpa.virtio)
		return *a->vdpa.netdev != '\0';
	if (vdpa_device_virtios(a->host, &a->vdpa, &now, e) < 0)
		return -1;
	r = vdpa_virtios_new(before, &now, name, e);
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
	a->rec.unique_parent = true;
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

static int not_kept(const struct attachment *a, const char *what, struct err *e)
{
	return err_set(e, ERR_DEVICE, 0, "vDPA device %s has not kept its %s", a->rec.vdpa.name,
		       what);
}

/* What can be said when it is made; features are those that it has at least. */
static int verify_made(const struct attachment *a, struct err *e)
{
	const struct vdpa_net_config *now = &a->vdpa_config;
	const struct vdpa_conf *c = &a->conf->vdpa;

	if (c->mtu && (!(now->have & VDPA_MTU) || now->mtu != c->mtu))
		return not_kept(a, "mtu", e);
	if (c->max_vqp && vdpa_pairs(now) != c->max_vqp)
		return not_kept(a, "maxVqp", e);
	if (c->has_features && (!(now->have & VDPA_FEATURES) || c->features & ~now->features))
		return not_kept(a, "features", e);
	return check_has_mac(a, e);
}

/* What was asked for, as the kernel now tells it. */
static int verify(struct attachment *a, struct err *e)
{
	const struct vdpa_net_config *now = &a->vdpa_config;
	const struct vdpa_conf *c = &a->conf->vdpa;
	const uint8_t *mac = a->has_mac ? a->mac : c->has_mac ? c->mac : NULL;

	if (!a->rec.vdpa.created && !a->rec.vdpa.mac_set)
		return 0;
	if (vdpa_read_config(a, e) < 0)
		return -1;
	if (mac && (!(now->have & VDPA_MAC) || memcmp(now->mac, mac, MAC_LEN) != 0))
		return not_kept(a, a->has_mac ? a->mac_key : "vdpa.mac", e);
	return a->rec.vdpa.created ? verify_made(a, e) : 0;
}

static int show_netdev(struct attachment *a, const struct vdpa_virtios *before, struct err *e)
{
	if (a->rec.netdev.present)	/* it had one, and keeps it */
		return 0;
	return await_netdev(a, before, e) < 0 ? -1 : record_netdev(a, e);
}

int vdpa_prepare(struct attachment *a, struct err *e)
{
	struct vdpa_virtios before = { .n = 0 };
	bool virtio = vdpa_is_virtio(a);

	if (!*a->rec.vdpa.name)
		return 0;
	if (virtio && vdpa_device_virtios(a->host, &a->vdpa, &before, e) < 0)
		return -1;
	if ((a->rec.vdpa.created ? create(a, e) : set_mac(a, e)) < 0 || bind_driver(a, e) < 0 ||
	    verify(a, e) < 0)
		return -1;
	return virtio ? show_netdev(a, &before, e) : show_node(a, e);
}

/* -- device-info -- */

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
	r = a->info.kind == DEVICE_VDPA ? repair(a, e) :
					  vdpa_info_discover(a->host, &a->vdpa, &a->info, e);
	return r < 0 ? err_wrap(e, "device-info of vDPA device %s", a->rec.vdpa.name) : 0;
}
