/* SPDX-License-Identifier: Apache-2.0 */
/* netdev_settings.c - what a pod may set of a network device, and what it was before */
#include "cni/netdev/netdev_settings.h"

#include "base/fs.h"
#include "base/log.h"

#include <limits.h>
#include <net/if.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* All that the kernel lets an administrator set, but those that netdev.c looks after. */
#define FLAGS	((unsigned int)(IFF_DEBUG | IFF_NOTRAILERS | IFF_NOARP | IFF_MULTICAST | \
				IFF_PORTSEL | IFF_AUTOMEDIA | IFF_DYNAMIC))

#define ATTR	"/sys/class/net/%s/%s"

static const struct attr {
	const char *name;
	size_t at, size;
} attrs[] = {
#define NAPI(member) \
	{ #member, offsetof(struct napi_settings, member), \
	  sizeof(((struct napi_settings *)0)->member) }
	NAPI(threaded), NAPI(gro_flush_timeout), NAPI(napi_defer_hard_irqs),
};

static int note_attr(const struct host *host, const char *name, const struct attr *a,
		     struct napi_settings *ret, struct err *e)
{
	char text[32] = "";

	if (fs_read_line(host->root, text, sizeof(text), e, ATTR, name, a->name) < 0)
		return -1;
	if (strlen(text) < a->size)
		memcpy((char *)ret + a->at, text, strlen(text) + 1);
	return 0;
}

int netdev_settings_note(const struct host *host, struct nl *home, const struct link *link,
			 struct netdev_settings *ret, struct err *e)
{
	struct netdev_settings s = {
		.have = true, .flags = link->flags & FLAGS, .link = link->settings,
	};

	for (size_t i = 0; i < ARRAY_SIZE(attrs); i++)
		if (note_attr(host, link->name, &attrs[i], &s.napi, e) < 0)
			return err_wrap(e, "look at %s", link->name);
	ethtool_read(home, link->name, &s.ethtool);
	*ret = s;
	return 0;
}

static bool same_link(const struct link_settings *a, const struct link_settings *b)
{
	return a->group == b->group && a->mode == b->mode &&
	       a->gso_max_size == b->gso_max_size && a->gso_max_segs == b->gso_max_segs &&
	       a->gro_max_size == b->gro_max_size &&
	       a->gso_ipv4_max_size == b->gso_ipv4_max_size &&
	       a->gro_ipv4_max_size == b->gro_ipv4_max_size;
}

bool netdev_settings_differ(const struct netdev_settings *was, const struct link *now,
			    struct link_change *ret)
{
	unsigned int mask = (now->flags ^ was->flags) & FLAGS;

	if (!was->have)
		return false;
	ret->mask |= mask;
	ret->flags |= was->flags & mask;
	if (!same_link(&was->link, &now->settings))
		ret->settings = &was->link;
	return mask || ret->settings;
}

static int restore_attr(const struct host *host, const char *name, const struct attr *a,
			const struct napi_settings *was, struct err *e)
{
	const char *before = (const char *)was + a->at;
	char path[PATH_MAX], now[32];
	int r;

	if (!*before)
		return 0;
	r = fs_read_line(host->root, now, sizeof(now), e, ATTR, name, a->name);
	if (r <= 0 || strcmp(now, before) == 0)
		return r < 0 ? -1 : 0;
	(void)snprintf(path, sizeof(path), ATTR, name, a->name);
	return fs_write_attr(host->root, path, before, e);
}

static int restore_attrs(const struct host *host, struct nl *home, const char *name,
			 const struct netdev_settings *was, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;

	(void)home;
	for (size_t i = 0; i < ARRAY_SIZE(attrs); i++)
		if (restore_attr(host, name, &attrs[i], &was->napi, &one) < 0)
			err_join(&all, &one);
	return err_joined(&all, e);
}

static int restore_ethtool(const struct host *host, struct nl *home, const char *name,
			   const struct netdev_settings *was, struct err *e)
{
	(void)host;
	return ethtool_restore(home, name, &was->ethtool, e);
}

typedef int restore_fn(const struct host *host, struct nl *home, const char *name,
		       const struct netdev_settings *was, struct err *e);

/* In this order: a veth takes `threaded` only while a feature of the pod's gives it NAPI. */
static restore_fn *const steps[] = { restore_attrs, restore_ethtool };

/* Some drivers have their queues only while they are up. */
static int restore_while_up(restore_fn *step, const struct host *host, struct nl *home,
			    const struct link *now, const struct netdev_settings *was,
			    struct err *e)
{
	struct link_change up = { .flags = IFF_UP, .mask = IFF_UP }, down = { .mask = IFF_UP };
	struct err second;
	int r;

	if (link_set(home, now->ifindex, &up, e) < 0)
		return -1;
	r = step(host, home, now->name, was, e);
	if (link_set(home, now->ifindex, &down, &second) < 0)
		log_warning("msg=\"%s\" details=\"%s\"", second.msg, second.details);
	return r;
}

void netdev_settings_restore(const struct host *host, struct nl *home, const struct link *now,
			     const struct netdev_state *was)
{
	const struct netdev_settings *s = &was->settings;
	struct err e;

	for (size_t i = 0; s->have && i < ARRAY_SIZE(steps); i++) {
		if (steps[i](host, home, now->name, s, &e) == 0)
			continue;
		if (was->flags & IFF_UP ||
		    restore_while_up(steps[i], host, home, now, s, &e) < 0)
			log_warning("msg=\"not restored: %s\" interface=%s details=\"%s\"",
				    e.msg, now->name, e.details);
	}
}
