/* SPDX-License-Identifier: Apache-2.0 */
/* netdev.c - the attributes of a network device: set for the pod, restored at home */
#include "cni/netdev/netdev_part.h"

#include "base/deadline.h"
#include "base/log.h"
#include "base/mem.h"
#include "cni/netdev/netdev_attribute.h"
#include "cni/netdev/netdev_ipoib.h"
#include "cni/netdev/netdev_settings.h"
#include "netlink/link_stack.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#define KEPT_FLAGS	(IFF_UP | IFF_PROMISC | IFF_ALLMULTI)
#define READY_MS	2000	/* how long a VF may be in reset */
#define READY_PAUSE_MS	50

void netdev_state_of(const struct link *link, struct netdev_state *ret)
{
	*ret = (struct netdev_state){
		.present = true,
		.ifindex = link->ifindex,
		.perm_len = link->perm_len,
		.flags = link->flags & KEPT_FLAGS,
	};
	memcpy(ret->name, link->name, sizeof(ret->name));
	memcpy(ret->bus, link->parent_bus, sizeof(ret->bus));
	memcpy(ret->parent, link->parent_dev, sizeof(ret->parent));
	memcpy(ret->kind, link->kind, sizeof(ret->kind));
	memcpy(ret->perm, link->perm, sizeof(ret->perm));
	memcpy(ret->alias, link->alias, sizeof(ret->alias));
	ret->alt = link->alt;
	ret->ipoib = link->ipoib;
	netdev_note(link, ret);
}

static bool not_ready(const struct err *e)
{
	return e->sys == EBUSY || e->sys == EAGAIN;
}

/* A VF that its PF has just configured is in reset, until when iavf refuses to go up. */
static int set_when_ready(struct nl *nl, int ifindex, const struct link_change *c, struct err *e)
{
	const struct deadline d = deadline_in(READY_MS);

	while (link_set(nl, ifindex, c, e) < 0) {
		if (!nl->refused || !not_ready(e) || deadline_left_ms(&d) == 0)
			return -1;
		deadline_sleep(&d, READY_PAUSE_MS);
	}
	return 0;
}

static int set_flags(struct nl *nl, int ifindex, unsigned int flags, struct err *e)
{
	struct link_change c = { .flags = flags, .mask = IFF_UP };

	return set_when_ready(nl, ifindex, &c, e);
}

/* 1 when the device has this MAC after being up once, 0 when not. */
static int bounce(struct nl *nl, int ifindex, const uint8_t *mac, size_t len, struct err *e)
{
	struct link now;
	int r;

	if (set_flags(nl, ifindex, IFF_UP, e) < 0 || set_flags(nl, ifindex, 0, e) < 0)
		return -1;
	r = link_get_by_index(nl, ifindex, &now, e);
	if (r <= 0)
		return r;
	return netdev_has_mac(&now, mac, len);
}

static int set_mac(struct nl *home, const struct netdev_state *before, const uint8_t *mac,
		   struct err *e)
{
	struct link_change c = { .mac = mac, .mac_len = MAC_LEN };
	struct err ignored;
	int r;

	if (before->addr_len == MAC_LEN && memcmp(before->addr, mac, MAC_LEN) == 0)
		return 0;
	if (link_set(home, before->ifindex, &c, e) == 0)
		return 0;
	/*
	 * igbvf: EADDRNOTAVAIL until it has been reset since the PF assigned the address, or was
	 * reset itself.  A trusted one insists on the old address then, but may choose another.
	 */
	r = bounce(home, before->ifindex, mac, MAC_LEN, &ignored);
	if (r == 0)
		return link_set(home, before->ifindex, &c, e);
	return r == 1 ? 0 : -1;
}

int netdev_configure(struct nl *home, const struct record *rec, const struct netdev_wish *w,
		     const char *mac_key, struct err *e)
{
	const struct netdev_state *before = &rec->netdev;
	const uint8_t *mac = w->value[NETDEV_MAC].len ? w->value[NETDEV_MAC].octets : NULL;
	char text[MAC_TEXT], asked[NETDEV_WISH_TEXT];
	struct link_change c = { 0 };

	if (mac && set_mac(home, before, mac, e) < 0)
		return err_wrap(e, "set %s %s on %s", mac_key, mac_format(mac, text), before->name);
	if (netdev_ask(w, rec, &c) && link_set(home, before->ifindex, &c, e) < 0)
		return err_wrap(e, "set %s on %s", netdev_ask_text(w, rec, asked), before->name);
	return 0;
}

int netdev_drop_altname(struct nl *home, const struct netdev_state *before, const char *name,
			struct err *e)
{
	struct altnames one = { .n = 1 };

	if (!altnames_have(&before->alt, name))
		return 0;
	(void)snprintf(one.name[0], ALTNAME_SIZE, "%s", name);
	return altnames_remove(home, before->ifindex, &one, e);
}

int netdev_drop_altnames(struct nl *home, const struct netdev_state *before, struct err *e)
{
	struct link link;
	int r = before->alt.n > 0 ? link_get_by_index(home, before->ifindex, &link, e) : 0;

	if (r <= 0 || link.alt.n == 0)
		return r < 0 ? -1 : 0;
	return altnames_remove(home, before->ifindex, &link.alt, e) < 0 ? -1 : 1;
}

int netdev_up_in_pod(struct nl *home, struct nl *pod, const struct record *rec, const char *name,
		     struct err *e)
{
	struct netdev_place p = { .in_pod = false };
	struct err why;

	if (!not_ready(e) || netdev_find(home, pod, rec, &p, &why) <= 0 || !p.in_pod ||
	    strcmp(p.link.name, name) != 0)
		return 0;
	return set_flags(pod, p.link.ifindex, IFF_UP, e) < 0 ? -1 : 1;
}

/* What differs from before, but for the MAC, and what is IPoIB's; false when nothing does. */
static bool difference(const struct record *rec, const struct link *now, struct link_change *ret)
{
	const struct netdev_state *was = &rec->netdev;
	bool any;

	*ret = (struct link_change){
		.name = strcmp(now->name, was->name) != 0 ? was->name : NULL,
		.alias = strcmp(now->alias, was->alias) != 0 ? was->alias : NULL,
		.flags = was->flags,
		.mask = (now->flags ^ was->flags) & KEPT_FLAGS,
	};
	any = netdev_undo(rec, now, ret);
	return netdev_settings_differ(&was->settings, now, ret) || any || ret->name ||
	       ret->alias || ret->mask;
}

/* A driver that was bound or reset meanwhile may take less than before: no DEL fails for a size. */
static int set_but_sizes(struct nl *home, const struct link *now, const struct link_change *c,
			 struct err *e)
{
	struct link_settings rest = { 0 };
	struct link_change less = *c;
	struct err why;

	if (set_when_ready(home, now->ifindex, c, e) == 0)
		return 0;
	if (!c->settings || !home->refused || e->sys == EEXIST || not_ready(e))
		return -1;
	why = *e;
	rest.group = c->settings->group;
	rest.mode = c->settings->mode;
	less.settings = &rest;
	if (set_when_ready(home, now->ifindex, &less, e) < 0)
		return -1;
	log_warning("msg=\"not restored: %s\" interface=%s details=\"%s\"", why.msg, now->name,
		    why.details);
	return 0;
}

/*
 * The name of before is another's by now, and may be so for ever: then the device has one of its
 * own, for that of the pod does not stay on the node.
 */
static int take_free_name(struct nl *home, const struct netdev_state *was, struct link *now,
			  struct link_change c, struct err *e)
{
	char name[16];
	int r;

	(void)snprintf(name, sizeof(name), "dev%d", now->ifindex);
	c.name = strcmp(now->name, name) != 0 ? name : NULL;
	r = set_but_sizes(home, now, &c, e);
	if (r < 0 && c.name && e->sys == EEXIST) {
		c.name = NULL;			/* the one that it has is free */
		r = set_but_sizes(home, now, &c, e);
	}
	if (r < 0)
		return -1;
	if (c.name)
		memcpy(now->name, name, sizeof(name));
	log_warning("msg=\"the name of before is another interface's: the device keeps a free "
		    "one\" before=%s now=%s", was->name, now->name);
	return 0;
}

/* All else that differs, in one message. */
static int settle_rest(struct nl *home, const struct record *rec, struct link *now, struct err *e)
{
	const struct netdev_state *was = &rec->netdev;
	struct link_change c;
	int r;

	if (!difference(rec, now, &c))
		return 0;
	if (c.name && now->flags & IFF_UP) {
		/* before 6.2 an interface that is up cannot be renamed */
		if (set_flags(home, now->ifindex, 0, e) < 0)
			return -1;
		c.mask |= IFF_UP;	/* up again, if it was: that is in c.flags */
	}
	r = set_but_sizes(home, now, &c, e);
	if (r == 0)
		memcpy(now->name, was->name, sizeof(now->name));
	else if (c.name && e->sys == EEXIST)
		r = take_free_name(home, was, now, c, e);
	return r < 0 ? err_wrap(e, "restore %s", was->name) : 0;
}

/* Those that others have by now are theirs: each other one is given all the same. */
static int give_altnames(struct nl *home, const struct netdev_state *was, struct link *now,
			 struct err *e)
{
	struct altnames missing;
	struct err why;

	altnames_without(&was->alt, &now->alt, &missing);
	if (altnames_add(home, now->ifindex, &missing, e) == 0)
		return 0;
	if (e->sys != EEXIST || link_get_by_index(home, now->ifindex, now, &why) <= 0)
		return err_wrap(e, "restore %s", was->name);
	altnames_without(&was->alt, &now->alt, &missing);
	for (unsigned int i = 0; i < missing.n; i++)
		log_warning("msg=\"an alternative name of before is another interface's\" "
			    "interface=%s name=%s", now->name, missing.name[i]);
	return 0;
}

/*
 * The MAC in a message of its own, for it is what drivers refuse, and first, for some refuse it
 * only while up; then all else in one.
 */
int netdev_settle(struct nl *home, const struct record *rec, struct link *now, bool *mac_refused,
		  struct err *e)
{
	const struct netdev_state *was = &rec->netdev;
	struct link_change mac = { .mac = was->addr, .mac_len = was->addr_len };
	struct err why;

	*mac_refused = false;
	if (was->addr_len > 0 && !netdev_has_mac(now, was->addr, was->addr_len)) {
		*mac_refused = link_set(home, now->ifindex, &mac, &why) < 0;
		if (!*mac_refused) {
			memcpy(now->addr, was->addr, sizeof(now->addr));
			now->addr_len = was->addr_len;
		}
	}
	if (netdev_strip_altnames(home, was, now, e) < 0)
		return -1;
	ipoib_restore(home, was, now);
	if (settle_rest(home, rec, now, e) < 0 || give_altnames(home, was, now, e) < 0) {
		*mac_refused = false;	/* this is the error to tell */
		return -1;
	}
	if (!*mac_refused)
		return 0;
	*e = why;
	return err_wrap(e, "restore the mac of %s", was->name);
}

int netdev_settle_mac(struct nl *home, const struct record *rec, struct err *e)
{
	const struct netdev_state *was = &rec->netdev;
	struct link now;
	int r;

	if (was->addr_len != MAC_LEN)	/* only an Ethernet VF has its address from the PF */
		return 1;
	r = netdev_find_in(home, rec, false, &now, e);
	if (r <= 0)
		return r < 0 ? -1 : 1;
	if (netdev_has_macs(&now, was))
		return 1;
	if (now.flags & IFF_UP)		/* never take a device down that was up */
		return netdev_has_mac(&now, was->addr, was->addr_len);
	return bounce(home, now.ifindex, was->addr, was->addr_len, e);
}

int netdev_restore_mac(struct nl *home, const struct record *rec, struct err *e)
{
	struct link_change c = { .mac = rec->netdev.addr, .mac_len = rec->netdev.addr_len };
	struct link link;
	int r = netdev_find_in(home, rec, false, &link, e);

	return r <= 0 ? r : link_set(home, link.ifindex, &c, e);
}

int netdev_restore_in_place(struct nl *home, struct nl *pod, const struct record *rec,
			    struct err *e)
{
	struct link_change c = { 0 };
	struct netdev_place p = { .in_pod = false };
	int r = netdev_find(home, pod, rec, &p, e);

	if (r <= 0)
		return r;
	if (netdev_undo(rec, &p.link, &c) &&
	    link_set(p.in_pod ? pod : home, p.link.ifindex, &c, e) < 0)
		return err_wrap(e, "restore %s", rec->netdev.name);
	return 1;
}
