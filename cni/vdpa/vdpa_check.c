/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_check.c - is the vDPA device of an attachment still as it was set? */
#include "cni/vdpa/vdpa_probe.h"

#include "base/mac.h"
#include "base/mem.h"
#include "cni/vdpa/vdpa_driver.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct comparison {
	const struct record *rec;
	const struct vdpa_conf *conf;
	const uint8_t *mac;		/* wanted; NULL: none */
	vdpa_differs_fn *fn;
	void *arg;
};

static void printflike(2, 3) differs(const struct comparison *c, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	c->fn(c->arg, text);
}

/* Its numbers, owner and permissions, as asked for; to open it would reset the device. */
static void compare_node(const struct comparison *c, const struct host *host,
			 const struct vdpa_device *now)
{
	const struct vdpa_conf *conf = c->conf;
	struct err why = { 0 };
	auto_close int fd = vdpa_node_open(host, now, &why);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		differs(c, "node of vDPA device %s: %s", now->name,
			fd < 0 ? why.msg : "it cannot be looked at");
		return;
	}
	if (conf->has_owner && (st.st_uid != conf->uid || st.st_gid != conf->gid))
		differs(c, "owner of /dev/%s: want %u:%u, have %u:%u", now->node, conf->uid,
			conf->gid, st.st_uid, st.st_gid);
	if (conf->has_mode && (st.st_mode & 07777) != conf->mode)
		differs(c, "mode of /dev/%s: want 0%o, have 0%o", now->node, conf->mode,
			st.st_mode & 07777);
}

static void compare_driver(const struct comparison *c, const struct host *host,
			   const struct vdpa_device *now)
{
	const struct vdpa_state *s = &c->rec->vdpa;
	const char *want = *s->driver ? s->driver : s->driver_before;

	if (strcmp(now->driver, want) != 0)
		differs(c, "driver of vDPA device %s: want %s, have %s", s->name, want,
			*now->driver ? now->driver : "none");
	else if (strcmp(want, VHOST_VDPA) == 0)
		compare_node(c, host, now);
}

static void compare_config(const struct comparison *c, const struct vdpa_net_config *now)
{
	const char *name = c->rec->vdpa.name;
	const struct vdpa_conf *conf = c->conf;
	char want[MAC_TEXT], have[MAC_TEXT] = "none";
	unsigned int mtu = now->have & VDPA_MTU ? now->mtu : 0;

	if (now->have & VDPA_MAC)
		(void)mac_format(now->mac, have);
	if (c->mac && (!(now->have & VDPA_MAC) || memcmp(now->mac, c->mac, MAC_LEN) != 0))
		differs(c, "mac of vDPA device %s: want %s, have %s", name,
			mac_format(c->mac, want), have);
	if (conf->mtu && mtu != conf->mtu)
		differs(c, "mtu of vDPA device %s: want %u, have %u", name, conf->mtu, mtu);
	if (conf->max_vqp && vdpa_pairs(now) != conf->max_vqp)
		differs(c, "maxVqp of vDPA device %s: want %u, have %u", name, conf->max_vqp,
			vdpa_pairs(now));
	if (conf->has_features && conf->features & ~now->features)
		differs(c, "features of vDPA device %s: 0x%" PRIx64 " are missing", name,
			conf->features & ~now->features);
}

int vdpa_check(const struct host *host, const struct vdpa_conf *conf, const uint8_t *mac,
	       const struct record *rec, vdpa_differs_fn *fn, void *arg, struct err *e)
{
	struct comparison c = { .rec = rec, .conf = conf, .fn = fn, .arg = arg };
	struct deadline d = deadline_in(VDPA_REQUEST_MS);
	struct vdpa_net_config now;
	struct vdpa_device dev;
	int r;

	if (!*rec->vdpa.name)
		return 0;
	/* that of a network device which keeps its driver is set on the network device alone */
	if (rec->vdpa.created || rec->vdpa.mac_set)
		c.mac = mac ? mac : conf->has_mac ? conf->mac : NULL;
	r = vdpa_device_read(host, rec->vdpa.name, &dev, e);
	if (r > 0) {
		compare_driver(&c, host, &dev);
		r = vdpa_config_get(rec->vdpa.name, &now, &d, e);
	}
	if (r > 0)
		compare_config(&c, &now);
	if (r == 0)
		differs(&c, "vDPA device %s is gone", rec->vdpa.name);
	return r < 0 ? -1 : 0;
}
