/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_restore.c - the vDPA device of an attachment is given back */
#include "cni/vdpa/vdpa.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/vdpa/vdpa_driver.h"
#include "netlink/nl_vdpa.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	CHECK_MS = 800,		/* of DEL's 2 s for saying that something is in its way */
	REQUEST_MS = 1500,	/* for one request */
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

int vdpa_find_netdev(const struct host *host, struct record *rec, struct err *e)
{
	struct netdev_state *was = &rec->netdev;
	struct vdpa_device dev = { .ifindex = 0 };
	int r = vdpa_device_read(host, rec->vdpa.name, &dev, e);

	if (r <= 0 || strcmp(dev.driver, VIRTIO_VDPA) != 0)
		return r < 0 ? -1 : 0;
	if (!*was->parent)		/* the kernel does not tell it of network devices */
		return 1;
	if (*dev.virtio) {
		rec->unique_parent = true;
		return strcmp(dev.virtio, was->parent) == 0;
	}
	/* what has just been told by vdpa_restore() is still so */
	if (!vdpa_renews_netdev(rec))
		rec->unique_parent = false;
	return 1;
}

/* One that is at home, and is not the one that was moved, is a new one: that has gone. */
int vdpa_has_netdev(const struct host *host, const struct record *rec, struct err *e)
{
	struct vdpa_device dev;
	int r = vdpa_device_read(host, rec->vdpa.name, &dev, e);

	if (r <= 0)
		return r;
	return *dev.virtio && !*dev.netdev && strcmp(dev.virtio, rec->netdev.parent) == 0;
}

/* -- its node -- */

/* A program that has the node, or hangs in it, is in the way of those that end the driver. */
static int see_use(const struct host *host, struct record *rec, const struct vdpa_device *dev,
		   struct err *e)
{
	int r = vdpa_see_use(host, dev, e);
	bool hangs = r < 0 && e->sys == ETIMEDOUT;

	if (r < 0 && (vdpa_ends_netdev(rec) || (e->code == ERR_TRY_AGAIN && !hangs) ||
		      e->code == ERR_INTERRUPTED))
		return err_wrap(e, "vDPA device %s", dev->name);
	if (r < 0)
		log_warning("msg=\"whether it is in use cannot be told\" device=%s error=\"%s\"",
			    dev->name, e->msg);
	else if (r == VDPA_MUTE)
		log_warning("msg=\"the back-end does not answer\" device=%s", dev->name);
	rec->vdpa.use = r == VDPA_FREE ? VDPA_FREE : VDPA_MUTE;
	return 0;
}

/* One that is not in /dev any more, or is another there, has nothing of ours left. */
static int restore_node(const struct host *host, const struct vdpa_device *dev,
			const struct vdpa_state *s, struct err *e)
{
	auto_close int fd = -1;

	if (!*dev->node || (!s->owner_set && !s->mode_set))
		return 0;
	fd = vdpa_node_open(host, dev, e);
	if (fd >= 0)
		return vdpa_node_set(host, dev, s, e);
	log_warning("msg=\"owner and mode of the node are not restored\" device=%s error=\"%s\"",
		    dev->name, e->msg);
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

/* Somebody may have made one of that name elsewhere, before ours was made or after it had gone. */
static bool is_ours(const struct vdpa_state *s, const struct vdpa_dev *dev)
{
	char mgmt[sizeof(s->mgmt)];

	(void)snprintf(mgmt, sizeof(mgmt), "%s%s%s", dev->mgmt_bus, *dev->mgmt_bus ? "/" : "",
		       dev->mgmt_dev);
	if (!*s->mgmt || strcmp(mgmt, s->mgmt) == 0)
		return true;
	log_warning("msg=\"it is not the one that was made\" device=%s on=%s made_on=%s", s->name,
		    mgmt, s->mgmt);
	return false;
}

/*
 * One of our making that sysfs does not show has gone, or was never made; or its making, of an ADD
 * that did not wait for it any longer or was killed, is still on its way.  The kernel does one
 * after the other: once it has answered the last of them is over, and as long as it does not answer
 * the record stays.  1 when it is there, 0, also when that is another's; -1.
 */
static int find_created(const struct host *host, const struct vdpa_state *s,
			struct vdpa_device *ret, struct err *e)
{
	struct deadline d = deadline_in(REQUEST_MS);
	struct vdpa_dev dev;
	int r = vdpa_device_get(s->name, &dev, &d, e);

	if (r <= 0)
		return r < 0 ? err_wrap(e, "whether it is there") : 0;
	return is_ours(s, &dev) ? vdpa_device_read(host, s->name, ret, e) : 0;
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

/* With no network device of its own, there is none to restore. */
static void follow(struct record *rec, const char *virtio)
{
	rec->netdev.present = *virtio != '\0';
	if (!*virtio)
		log_warning("msg=\"which virtio device is its own cannot be told: its network "
			    "device is not restored\" device=%s", rec->vdpa.name);
	else if (*rec->netdev.parent)
		(void)snprintf(rec->netdev.parent, sizeof(rec->netdev.parent), "%s", virtio);
}

/* Its virtio device is the one that comes, whatever others its function has. */
static int bind_anew(const struct host *host, struct record *rec, const struct vdpa_device *dev,
		     struct err *e)
{
	struct vdpa_virtios before, now;
	char virtio[16] = "";

	if (strcmp(dev->driver, VIRTIO_VDPA) == 0) {	/* by an earlier DEL, or somebody else */
		follow(rec, dev->virtio);
		return 0;
	}
	if (vdpa_device_virtios(host, dev, &before, e) < 0 ||
	    vdpa_bind(host, dev->name, VIRTIO_VDPA, e) < 0 ||
	    vdpa_device_virtios(host, dev, &now, e) < 0)
		return -1;
	if (vdpa_virtios_new(&before, &now, virtio, e) < 0)
		virtio[0] = '\0';
	follow(rec, virtio);
	return 0;
}

static int restore_driver(const struct host *host, struct record *rec,
			  const struct vdpa_device *dev, struct err *e)
{
	const struct vdpa_state *s = &rec->vdpa;
	int r = vdpa_renews_netdev(rec) && rec->netdev.present ?
			bind_anew(host, rec, dev, e) :
			vdpa_bind(host, dev->name, s->driver_before, e);

	return r < 0 ? -1 : vdpa_override_set(host, dev->name, s->override, e);
}

/* The address first: the driver of before reads it when it is bound. */
static int restore_given(const struct host *host, struct record *rec,
			 const struct vdpa_device *dev, struct err *e)
{
	const struct vdpa_state *s = &rec->vdpa;
	struct err all = { .code = ERR_OK }, one;

	if (restore_mac(s, &one) < 0)
		err_join(&all, &one);
	if ((*s->driver ? restore_driver(host, rec, dev, &one) :
			  restore_node(host, dev, s, &one)) < 0)
		err_join(&all, &one);
	return err_joined(&all, e);
}

/* -- both -- */

/* Told before anything is undone, for then the attachment is as it was. */
static int check_answers(const struct vdpa_state *s, struct err *e)
{
	struct deadline d = deadline_in(CHECK_MS);
	struct vdpa_dev dev;

	return vdpa_device_get(s->name, &dev, &d, e) < 0 ?
		       err_wrap(e, "vDPA device %s", s->name) : 0;
}

int vdpa_check_free(const struct host *host, struct record *rec, struct err *e)
{
	struct vdpa_state *s = &rec->vdpa;
	struct vdpa_device dev = { .ifindex = 0 };
	int r;

	if (!*s->name || s->use != VDPA_UNSEEN)
		return 0;
	r = vdpa_device_read(host, s->name, &dev, e);
	if (r < 0 || (r > 0 && see_use(host, rec, &dev, e) < 0))
		return -1;
	if ((s->created || (r > 0 && s->mac_set)) && check_answers(s, e) < 0)
		return -1;
	if (s->use == VDPA_UNSEEN)
		s->use = VDPA_FREE;
	return 0;
}

/* Seen once more, for plugins may have run meanwhile; but not waited for once more. */
int vdpa_restore(const struct host *host, struct record *rec, struct err *e)
{
	struct vdpa_state *s = &rec->vdpa;
	struct vdpa_device dev = { .ifindex = 0 };
	int r;

	if (!*s->name)
		return 0;
	r = s->created ? find_created(host, s, &dev, e) :
			 vdpa_device_read(host, s->name, &dev, e);
	if (r > 0 && s->use != VDPA_MUTE && see_use(host, rec, &dev, e) < 0)
		return -1;
	if (r > 0)
		r = s->created ? delete_created(host, &dev, e) :
				 restore_given(host, rec, &dev, e);
	return r < 0 ? err_wrap(e, "give vDPA device %s back", s->name) : 0;
}
