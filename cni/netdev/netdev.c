/* SPDX-License-Identifier: Apache-2.0 */
/* netdev.c - the network device of an attachment: into the pod, and home again */
#include "cni/netdev/netdev.h"

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
#define NUMBERS_MAX	1000	/* interface numbers tried */
#define STACK_MS	5000	/* for all of them; what is left is for the next DEL */
#define STACK_ROUNDS	128	/* of some interfaces each, which the pod has stacked on it */
#define ALTNAMES_ROUNDS	64	/* readings, while names that the pod has given are removed */
#define RETURN_MS	2000	/* how long a device may be on its way from a dead namespace */
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

static bool has_mac(const struct link *link, const uint8_t *mac, size_t len)
{
	return link->addr_len == len && memcmp(link->addr, mac, len) == 0;
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
	return has_mac(&now, mac, len);
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

int netdev_free_number(struct nl *nl, int from, int *ret, struct err *e)
{
	struct link other;

	for (int number = from; number < from + NUMBERS_MAX; number++) {
		int r = link_get_by_index(nl, number, &other, e);

		if (r < 0)
			return -1;
		if (r == 0) {
			*ret = number;
			return 0;
		}
	}
	return err_set(e, ERR_BUSY, EBUSY, "no interface number from %d on is free", from);
}

/* Whom a search is for, and where. */
struct identity {
	const struct record *rec;
	bool in_pod;
};

/* At home it may have the pod's number, which the kernel keeps when the pod's namespace dies. */
static bool same_number(const struct link *link, const struct identity *id)
{
	const struct record *rec = id->rec;

	if (id->in_pod)
		return link->ifindex ==
		       (rec->pod_ifindex ? rec->pod_ifindex : rec->netdev.ifindex);
	return link->ifindex == rec->netdev.ifindex ||
	       (*rec->netdev.parent && link->ifindex == rec->pod_ifindex);
}

/* As far as can be told: a kernel before 5.15 does not say. */
static bool same_parent(const struct link *link, const struct netdev_state *was)
{
	return strcmp(link->parent_dev, was->parent) == 0 &&
	       strcmp(link->parent_bus, was->bus) == 0;
}

static bool same_permanent(const struct link *link, const struct netdev_state *was)
{
	return link->perm_len == was->perm_len && memcmp(link->perm, was->perm, was->perm_len) == 0;
}

/* A VF's changes with the PF's choice; of others, one that has another is another. */
static bool same_function(const struct link *link, const struct record *rec)
{
	return (rec->is_pci && !record_netdev_is_virtio(rec)) || !link->perm_len ||
	       !rec->netdev.perm_len || same_permanent(link, &rec->netdev);
}

/* The one device that a search may accept at first sight. */
static bool is_ours(const struct link *link, const void *arg)
{
	const struct identity *id = arg;
	const struct netdev_state *was = &id->rec->netdev;

	if (!same_parent(link, was))
		return false;
	if (id->rec->unique_parent)
		return same_function(link, id->rec);
	if (*was->parent)
		return same_number(link, id) &&
		       (!record_netdev_is_virtio(id->rec) || same_function(link, id->rec));
	return same_number(link, id) && strcmp(link->kind, was->kind) == 0 &&
	       (has_mac(link, was->addr, was->addr_len) ||
		has_mac(link, id->rec->mac, MAC_LEN) || strcmp(link->name, was->name) == 0 ||
		strcmp(link->name, id->rec->owner.ifname) == 0);
}

static bool has_our_address(const struct link *link, const void *arg)
{
	const struct identity *id = arg;
	const struct netdev_state *was = &id->rec->netdev;
	bool perm = was->perm_len > 0 && same_permanent(link, was);

	return same_parent(link, was) &&
	       (perm || (was->addr_len > 0 && has_mac(link, was->addr, was->addr_len)));
}

/*
 * By the name it should have there, which costs one request, else among all; a device that was
 * given another number, by its address, when no other port of its parent has the same.
 */
static int find_in(struct nl *nl, const struct record *rec, bool in_pod, struct link *ret,
		   struct err *e)
{
	const struct identity id = { .rec = rec, .in_pod = in_pod };
	struct link link;
	int r = link_get_by_name(nl, in_pod ? rec->owner.ifname : rec->netdev.name, &link, e);

	if (r < 0)
		return -1;
	if (r == 0 || !is_ours(&link, &id))
		r = link_find(nl, is_ours, &id, &link, e);
	if (r == 0 && !rec->unique_parent && *rec->netdev.parent && !record_netdev_is_virtio(rec)) {
		r = link_find(nl, has_our_address, &id, &link, e);
		if (r > 1)
			return 0;
	}
	if (r > 0)
		*ret = link;
	return r < 0 ? -1 : r > 0;
}

/*
 * A device without parent is looked for at home first: the pod may have another of that number. One
 * that was in the pod before us comes home only when there is hardware behind it.
 */
int netdev_find(struct nl *home, struct nl *pod, const struct record *rec, struct netdev_place *ret,
		struct err *e)
{
	bool pod_first = rec->chained || *rec->netdev.parent;
	bool at_home = !rec->chained || (*rec->netdev.parent && !*rec->netdev.kind);

	for (int i = 0; i < 2; i++) {
		bool in_pod = (i == 0) == pod_first;
		int r;

		if (in_pod ? !pod : !at_home)
			continue;
		r = find_in(in_pod ? pod : home, rec, in_pod, &ret->link, e);
		ret->in_pod = in_pod;
		if (r != 0)
			return r;
	}
	return 0;
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

/* A name nobody else has at home: the one of before, or dev<ifindex> until that is free again. */
static int free_name(struct nl *home, const struct record *rec, const struct link *link,
		     char ret[16], struct err *e)
{
	const struct identity id = { .rec = rec };
	struct link other;
	int r = link_get_by_name(home, rec->netdev.name, &other, e);

	if (r < 0)
		return -1;
	if (r == 0 || is_ours(&other, &id))
		memcpy(ret, rec->netdev.name, 16);
	else
		(void)snprintf(ret, 16, "dev%d", link->ifindex);
	return 0;
}

/*
 * The number it had may have another owner by now.  It is what most devices are recognised by, so a
 * new one goes into the record before the move.
 */
static int settle_number(struct nl *home, const struct journal *journal, struct record *rec,
			 struct err *e)
{
	int number = 0;

	if (netdev_free_number(home, rec->netdev.ifindex, &number, e) < 0)
		return -1;
	if (number == rec->netdev.ifindex)
		return 0;
	rec->netdev.ifindex = number;
	return journal_write(journal, rec, e);
}

/* Those that the pod has given it: they would bar its way home, or its name there. */
static int strip_but(struct nl *nl, const struct altnames *kept, struct link *link, struct err *e)
{
	for (int round = 0; round < ALTNAMES_ROUNDS; round++) {
		struct altnames foreign;
		int r;

		altnames_without(&link->alt, kept, &foreign);
		if (foreign.n == 0)
			return 0;
		if (altnames_remove(nl, link->ifindex, &foreign, e) < 0)
			return -1;
		r = link_get_by_index(nl, link->ifindex, link, e);
		if (r <= 0)
			return r < 0 ? -1 : err_set(e, ERR_TRY_AGAIN, ENODEV, "%s has just gone",
						    link->name);
	}
	return err_set(e, ERR_TRY_AGAIN, EBUSY, "%s has still more alternative names", link->name);
}

static int strip_altnames(struct nl *nl, const struct netdev_state *was, struct link *link,
			  struct err *e)
{
	return was->alt.more ? 0 : strip_but(nl, &was->alt, link, e);
}

/* The name or the number has another owner at home by now, or half of the move was done. */
static int move_home_with_care(struct nl *home, struct nl *pod, int ns,
			       const struct journal *journal, struct record *rec,
			       struct link *link, struct err *e)
{
	static const struct altnames none;
	struct netdev_place p = { .in_pod = false };
	char name[16];
	struct link_target to = { .nsfd = ns, .name = name };
	int r = netdev_find(home, pod, rec, &p, e);

	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_DEVICE, ENODEV, "%s went away",
					    rec->netdev.name);
	*link = p.link;
	if (!p.in_pod)
		return 0;
	/* alternative names that it had before may be another's at home, too: they are recorded */
	if (strip_but(pod, &none, link, e) < 0 || free_name(home, rec, link, name, e) < 0 ||
	    settle_number(home, journal, rec, e) < 0)
		return -1;
	to.ifindex = rec->netdev.ifindex;
	if (link_move(pod, link->ifindex, &to, e) < 0)
		return -1;
	r = link_get_by_name(home, name, link, e);
	return r != 0 ? (r < 0 ? -1 : 0)
		      : err_set(e, ERR_DEVICE, ENODEV, "%s did not come home", rec->netdev.name);
}

/*
 * On success *link is the device at home.  Nearly always name and number of before are free there,
 * and the kernel says when they are not.
 */
static int move_home(struct nl *home, struct nl *pod, const struct journal *journal,
		     struct record *rec, struct link *link, struct err *e)
{
	auto_close int ns = netns_open_own(e);
	struct link_target to = { .nsfd = ns, .name = rec->netdev.name,
				  .ifindex = rec->netdev.ifindex };
	int r;

	if (ns < 0 || strip_altnames(pod, &rec->netdev, link, e) < 0)
		return -1;
	if (link_move(pod, link->ifindex, &to, e) < 0)
		return e->sys == EEXIST || e->sys == EBUSY ?
			       move_home_with_care(home, pod, ns, journal, rec, link, e) :
			       -1;
	r = link_get_by_name(home, to.name, link, e);
	return r != 0 ? (r < 0 ? -1 : 0)
		      : err_set(e, ERR_DEVICE, ENODEV, "%s did not come home", rec->netdev.name);
}

/*
 * A kernel thread moves the devices of a dead namespace home a moment after its death.  Virtual
 * devices die with it, so only those with hardware behind them are waited for.  Whether it was
 * unplugged can be told of PCI functions and sub-functions only.
 */
int netdev_await(struct nl *home, struct nl *pod, const struct record *rec, bool must_be,
		 struct netdev_place *ret, struct err *e)
{
	bool may_return =
		must_be || record_netdev_is_virtio(rec) ||
		(!rec->is_pci && !rec->unique_parent && *rec->netdev.parent && !*rec->netdev.kind);
	struct deadline d = deadline_in(may_return ? RETURN_MS : 0);
	int r = netdev_find(home, pod, rec, ret, e);

	while (r == 0 && deadline_left_ms(&d) > 0) {
		deadline_sleep(&d, 20);
		r = netdev_find(home, pod, rec, ret, e);
	}
	if (r == 0 && must_be)
		return err_set(e, ERR_TRY_AGAIN, EBUSY,
			       "the network device of %s is in another namespace than the pod's",
			       rec->device);
	return r;
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
	if (was->addr_len > 0 && !has_mac(now, was->addr, was->addr_len)) {
		*mac_refused = link_set(home, now->ifindex, &mac, &why) < 0;
		if (!*mac_refused) {
			memcpy(now->addr, was->addr, sizeof(now->addr));
			now->addr_len = was->addr_len;
		}
	}
	if (strip_altnames(home, was, now, e) < 0)
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

/* They would stay in the pod, which could go on sending and answering through the device. */
static int delete_stacked(struct nl *pod, const struct link *link, int nsid, struct err *e)
{
	const struct deadline d = deadline_in(STACK_MS);
	struct link_stacked s;

	for (int round = 0; round < STACK_ROUNDS; round++) {
		int n = link_find_stacked(pod, link->ifindex, nsid, &s, e);

		if (n <= 0)
			return n;
		if (round > 0 && deadline_left_ms(&d) == 0)
			break;
		log_info("msg=\"deleting what the pod has stacked on the device\" interface=%s "
			 "stacked=%s", link->name, s.names);
		if (link_delete_stacked(pod, &s, e) < 0)
			return -1;
		/* what has come since is for delete_late(): a pod must not keep us here */
		if (nsid == LINK_STACKED_HERE && n < LINK_STACKED_MAX)
			return 0;
	}
	return err_set(e, ERR_TRY_AGAIN, EBUSY, "%s has still more interfaces stacked on it",
		       link->name);
}

/* What a pod that lives has stacked on it since: now that it is at home there can come no more. */
static int delete_late(struct nl *pod, const struct link *link, struct err *e)
{
	auto_close int ns = netns_open_own(e);
	struct link_stacked s;
	int id = -1, n;

	if (ns < 0)
		return -1;
	n = link_find_stacked(pod, link->ifindex, LINK_STACKED_FAR, &s, e);
	if (n <= 0)
		return n;
	if (link_nsid(pod, ns, &id, e) < 0)
		return -1;
	return id < 0 ? 0 : delete_stacked(pod, link, id, e);
}

int netdev_fetch(struct nl *home, struct nl *pod, const struct journal *journal, struct record *rec,
		 struct netdev_place *place, struct err *e)
{
	if (place->in_pod && (delete_stacked(pod, &place->link, LINK_STACKED_HERE, e) < 0 ||
			      move_home(home, pod, journal, rec, &place->link, e) < 0))
		return err_wrap(e, "bring %s home from the pod", rec->netdev.name);
	place->in_pod = false;
	if (pod->sk && delete_late(pod, &place->link, e) < 0)
		return err_wrap(e, "free %s of what the pod has on it", rec->netdev.name);
	return 0;
}

bool netdev_has_macs(const struct link *link, const struct netdev_state *was)
{
	return has_mac(link, was->addr, was->addr_len) && same_permanent(link, was);
}

int netdev_settle_mac(struct nl *home, const struct record *rec, struct err *e)
{
	const struct netdev_state *was = &rec->netdev;
	struct link now;
	int r;

	if (was->addr_len != MAC_LEN)	/* only an Ethernet VF has its address from the PF */
		return 1;
	r = find_in(home, rec, false, &now, e);
	if (r <= 0)
		return r < 0 ? -1 : 1;
	if (netdev_has_macs(&now, was))
		return 1;
	if (now.flags & IFF_UP)		/* never take a device down that was up */
		return has_mac(&now, was->addr, was->addr_len);
	return bounce(home, now.ifindex, was->addr, was->addr_len, e);
}

int netdev_restore_mac(struct nl *home, const struct record *rec, struct err *e)
{
	struct link_change c = { .mac = rec->netdev.addr, .mac_len = rec->netdev.addr_len };
	struct link link;
	int r = find_in(home, rec, false, &link, e);

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
