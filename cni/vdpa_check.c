/* SPDX-License-Identifier: Apache-2.0 */
/* vdpa_check.c - is the vDPA device of an attachment still as it was set? */
#include "cni/vdpa.h"

#include "base/mac.h"
#include "cni/vdpa_driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REQUEST_MS = 5000 };

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

static void compare_driver(const struct comparison *c, const struct vdpa_device *now)
{
	const struct vdpa_state *s = &c->rec->vdpa;
	const char *want = *s->driver ? s->driver : s->driver_before;

	if (strcmp(now->driver, want) != 0)
		differs(c, "driver of vDPA device %s: want %s, have %s", s->name, want,
			*now->driver ? now->driver : "none");
	else if (strcmp(want, VHOST_VDPA) == 0 && !*now->node)
		differs(c, "node of vDPA device %s: want /dev/vhost-vdpa-N, have none", s->name);
}

static void compare_config(const struct comparison *c, const struct vdpa_net_config *now)
{
	const char *name = c->rec->vdpa.name;
	unsigned int pairs = now->have & VDPA_MAX_VQP ? now->max_vqp : 1;
	char want[MAC_TEXT], have[MAC_TEXT];

	if (c->mac && now->have & VDPA_MAC && memcmp(now->mac, c->mac, MAC_LEN) != 0)
		differs(c, "mac of vDPA device %s: want %s, have %s", name,
			mac_format(c->mac, want), mac_format(now->mac, have));
	if (c->conf->mtu && now->have & VDPA_MTU && now->mtu != c->conf->mtu)
		differs(c, "mtu of vDPA device %s: want %u, have %u", name, c->conf->mtu, now->mtu);
	if (c->conf->max_vqp && pairs != c->conf->max_vqp)
		differs(c, "maxVqp of vDPA device %s: want %u, have %u", name, c->conf->max_vqp,
			pairs);
}

int vdpa_check(const struct host *host, const struct vdpa_conf *conf, const uint8_t *mac,
	       const struct record *rec, vdpa_differs_fn *fn, void *arg, struct err *e)
{
	struct comparison c = { .rec = rec, .conf = conf, .fn = fn, .arg = arg };
	struct deadline d = deadline_in(REQUEST_MS);
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
		compare_driver(&c, &dev);
		r = vdpa_config_get(rec->vdpa.name, &now, &d, e);
	}
	if (r > 0)
		compare_config(&c, &now);
	if (r == 0)
		differs(&c, "vDPA device %s is gone", rec->vdpa.name);
	return r < 0 ? -1 : 0;
}
