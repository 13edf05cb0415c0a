/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_check.c - is the vDPA device of an attachment still as it was set? */
#include "cni/vdpa/vdpa_probe.h"

#include "base/mac.h"
#include "base/mem.h"
#include "cni/vdpa/vdpa_driver.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* What stands in its place is a difference, that it cannot be looked at is none. */
static int tell_node(struct check *c, const struct vdpa_device *now, int fd,
		     const struct err *why, struct err *e)
{
	if (fd >= 0)
		return err_set(e, ERR_IO, errno, "stat '/dev/%s'", now->node);
	if (why->sys && why->sys != ENOENT && why->sys != ENOTDIR) {
		*e = *why;
		return -1;
	}
	check_differs(c, "node of vDPA device %s: %s", now->name, why->msg);
	return 0;
}

/* Its numbers, owner and permissions, as asked for; to open it would reset the device. */
static int compare_node(struct check *c, const struct vdpa_device *now, struct err *e)
{
	const struct vdpa_conf *conf = &c->conf->vdpa;
	struct err why = { 0 };
	auto_close int fd = vdpa_node_open(c->host, now, &why);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return tell_node(c, now, fd, &why, e);
	if (conf->has_owner && (st.st_uid != conf->uid || st.st_gid != conf->gid))
		check_differs(c, "owner of /dev/%s: expected %u:%u, got %u:%u", now->node,
			      conf->uid, conf->gid, st.st_uid, st.st_gid);
	if (conf->has_mode && (st.st_mode & 07777) != conf->mode)
		check_differs(c, "mode of /dev/%s: expected 0%o, got 0%o", now->node, conf->mode,
			      st.st_mode & 07777);
	return 0;
}

static int compare_driver(struct check *c, const struct vdpa_device *now, struct err *e)
{
	const struct vdpa_state *s = &c->rec->vdpa;
	const char *want = *s->driver ? s->driver : s->driver_before;

	if (strcmp(now->driver, want) != 0)
		check_differs(c, "driver of vDPA device %s: expected %s, got %s", s->name, want,
			      *now->driver ? now->driver : "none");
	else if (strcmp(want, VHOST_VDPA) == 0)
		return compare_node(c, now, e);
	return 0;
}

/* The address of a network device which keeps its driver is set on the network device alone. */
static const uint8_t *wanted_mac(const struct check *c)
{
	const struct vdpa_conf *conf = &c->conf->vdpa;

	if (!c->rec->vdpa.created && !c->rec->vdpa.mac_set)
		return NULL;
	return c->mac ? c->mac : conf->has_mac ? conf->mac : NULL;
}

static void compare_config(struct check *c, const struct vdpa_net_config *now)
{
	const char *name = c->rec->vdpa.name;
	const struct vdpa_conf *conf = &c->conf->vdpa;
	const uint8_t *mac = wanted_mac(c);
	char want[MAC_TEXT], have[MAC_TEXT] = "none";
	unsigned int mtu = now->have & VDPA_MTU ? now->mtu : 0;

	if (now->have & VDPA_MAC)
		(void)mac_format(now->mac, have);
	if (mac && (!(now->have & VDPA_MAC) || memcmp(now->mac, mac, MAC_LEN) != 0))
		check_differs(c, "mac of vDPA device %s: expected %s, got %s", name,
			      mac_format(mac, want), have);
	if (conf->mtu && mtu != conf->mtu)
		check_differs(c, "mtu of vDPA device %s: expected %u, got %u", name, conf->mtu,
			      mtu);
	if (conf->max_vqp && vdpa_pairs(now) != conf->max_vqp)
		check_differs(c, "maxVqp of vDPA device %s: expected %u, got %u", name,
			      conf->max_vqp, vdpa_pairs(now));
	if (conf->has_features && conf->features & ~now->features)
		check_differs(c, "features of vDPA device %s: 0x%" PRIx64 " are missing", name,
			      conf->features & ~now->features);
}

int vdpa_check(struct check *c, struct err *e)
{
	const char *name = c->rec->vdpa.name;
	struct deadline d = deadline_in(VDPA_REQUEST_MS);
	struct vdpa_net_config now;
	struct vdpa_device dev;
	int r;

	if (!*name)
		return 0;
	r = vdpa_device_read(c->host, name, &dev, e);
	if (r > 0)
		r = compare_driver(c, &dev, e) < 0 ? -1 : vdpa_config_get(name, &now, &d, e);
	if (r > 0)
		compare_config(c, &now);
	if (r == 0)
		check_away(c, "vDPA device %s is gone", name);
	return r < 0 ? -1 : 0;
}
