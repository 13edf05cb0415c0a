/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_release.c - the vDPA device of an attachment is given back */
#include "cni/vdpa.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/vdpa_driver.h"
#include "netlink/vdpa.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	REQUEST_MS = 1500,	/* for one request: DEL of a device in use is to end within 2 s */
};

bool vdpa_ends_netdev(const struct record *rec)
{
	return *rec->vdpa.name && (rec->vdpa.created || *rec->vdpa.driver);
}

bool vdpa_is_node(const struct record *rec)
{
	const struct vdpa_state *s = &rec->vdpa;

	return *s->name && strcmp(*s->driver ? s->driver : s->driver_before, VHOST_VDPA) == 0;
}

bool vdpa_renews_netdev(const struct record *rec)
{
	const struct vdpa_state *s = &rec->vdpa;

	return !s->created && *s->driver && strcmp(s->driver_before, VIRTIO_VDPA) == 0;
}

int vdpa_follow_netdev(const struct host *host, struct record *rec, struct err *e)
{
	struct vdpa_device dev;
	int r = vdpa_device_read(host, rec->vdpa.name, &dev, e);

	if (r > 0 && *dev.virtio)
		(void)snprintf(rec->netdev.parent, sizeof(rec->netdev.parent), "%s", dev.virtio);
	return r < 0 ? -1 : 0;
}

/*
 * A back-end that does not answer is no program that has the node: that one is told of at once.
 * There is nothing to wait for, then, and what is done next is given up in time as well.
 */
static int check_unused(const struct host *host, const struct vdpa_device *dev, struct err *e)
{
	if (vdpa_check_unused(host, dev, e) == 0)
		return 0;
	if (e->sys != ETIMEDOUT)
		return err_wrap(e, "vDPA device %s", dev->name);
	log_warning("msg=\"the back-end does not answer\" device=%s", dev->name);
	return 0;
}

/* -- of our own making -- */

struct neighbour {
	const struct vdpa_device *of;
	char name[64];
};

static int find_neighbour(const struct vdpa_device *dev, void *arg, struct err *e)
{
	struct neighbour *n = arg;

	(void)e;
	if (strcmp(dev->name, n->of->name) == 0 || strcmp(dev->bdf, n->of->bdf) != 0)
		return 0;
	memcpy(n->name, dev->name, sizeof(n->name));
	return 1;
}

/* vp_vdpa knows but one device of a function, the last: asked to delete another it deletes that. */
static int check_alone(const struct host *host, const struct vdpa_device *dev, struct err *e)
{
	struct neighbour n = { .of = dev };
	int r = *dev->bdf ? vdpa_device_each(host, find_neighbour, &n, e) : 0;

	return r > 0 ? err_set(e, ERR_TRY_AGAIN, EBUSY,
			       "vDPA device %s is not deleted: %s also has %s, which somebody else "
			       "made, and which some drivers would delete in its place",
			       dev->name, dev->bdf, n.name) :
		       r;
}

static int delete_created(const struct host *host, const struct vdpa_device *dev, struct err *e)
{
	struct deadline d = deadline_in(REQUEST_MS);
	struct vdpa_device left;
	int r;

	if (check_alone(host, dev, e) < 0)
		return -1;
	if (vdpa_delete(dev->name, &d, e) < 0 && e->sys != ENODEV)
		return -1;
	r = vdpa_device_read(host, dev->name, &left, e);
	return r > 0 ? err_set(e, ERR_DEVICE, EBUSY, "the kernel says that it has deleted vDPA "
			       "device %s, which is there still", dev->name) :
		       r;
}

/* -- of others' -- */

static int restore_mac(const struct vdpa_state *s, struct err *e)
{
	struct deadline d = deadline_in(REQUEST_MS);
	struct vdpa_net_config now;

	if (!s->mac_set)
		return 0;
	if (vdpa_config_get(s->name, &now, &d, e) < 0)
		return -1;
	if (now.have & VDPA_MAC && memcmp(now.mac, s->mac_before, sizeof(now.mac)) == 0)
		return 0;
	return vdpa_set_mac(s->name, s->mac_before, &d, e);
}

/* The address first: the driver of before reads it when it is bound. */
static int restore_given(const struct host *host, const struct vdpa_state *s,
			 const struct vdpa_device *dev, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;

	if (restore_mac(s, &one) < 0)
		err_join(&all, &one);
	if (*s->driver && vdpa_bind(host, dev->name, s->driver_before, &one) < 0)
		err_join(&all, &one);
	else if (!*s->driver && vdpa_node_set(host, dev, s, &one) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}

int vdpa_check_free(const struct host *host, const struct record *rec, struct err *e)
{
	struct vdpa_device dev;
	int r = *rec->vdpa.name ? vdpa_device_read(host, rec->vdpa.name, &dev, e) : 0;

	if (r <= 0)
		return r;
	return check_unused(host, &dev, e);
}

int vdpa_restore(const struct host *host, const struct record *rec, struct err *e)
{
	const struct vdpa_state *s = &rec->vdpa;
	struct vdpa_device dev;
	int r = *s->name ? vdpa_device_read(host, s->name, &dev, e) : 0;

	if (r <= 0)
		return r;
	if (check_unused(host, &dev, e) < 0)
		return -1;
	r = s->created ? delete_created(host, &dev, e) : restore_given(host, s, &dev, e);
	return r < 0 ? err_wrap(e, "give vDPA device %s back", s->name) : 0;
}
