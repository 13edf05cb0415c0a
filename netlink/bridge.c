/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bridge.c - ports of a Linux bridge, and the VLANs on them
 *
 *	RTM_SETLINK, RTM_DELLINK; ifi_family AF_BRIDGE
 *	IFLA_AF_SPEC { IFLA_BRIDGE_VLAN_INFO { flags, vid } ... }
 *
 * Two VLAN_INFO are a range when the first has RANGE_BEGIN and the second RANGE_END; the PVID
 * cannot be in one.  Before 5.6 (RTM_GETVLAN) there is no request for one port's VLANs, so all
 * ports are listed, each with its VLANs compressed to ranges.
 */
#include "netlink/bridge.h"

#include <errno.h>
#include <linux/if_bridge.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#ifndef RTEXT_FILTER_SKIP_STATS
#define RTEXT_FILTER_SKIP_STATS (1 << 3)
#endif

/* -- bridges -- */

static void parse_bridge_data(const struct nlattr *info, struct bridge *b)
{
	const struct nlattr *tb[IFLA_INFO_DATA + 1], *data[IFLA_BR_VLAN_FILTERING + 1];
	char kind[16] = "";
	uint8_t filtering = 0;

	nl_attrs_nested(info, tb, IFLA_INFO_DATA);
	(void)nl_get_text(tb[IFLA_INFO_KIND], kind, sizeof(kind));
	b->is_bridge = strcmp(kind, "bridge") == 0;
	if (!b->is_bridge || !tb[IFLA_INFO_DATA])
		return;
	nl_attrs_nested(tb[IFLA_INFO_DATA], data, IFLA_BR_VLAN_FILTERING);
	(void)nl_get(data[IFLA_BR_VLAN_FILTERING], &filtering, sizeof(filtering));
	b->vlan_filtering = filtering != 0;
}

bool bridge_parse(const struct nlmsghdr *nlh, struct bridge *ret)
{
	const struct nlattr *tb[IFLA_LINKINFO + 1];
	const struct ifinfomsg *ifi = nl_payload(nlh);
	size_t len = nl_payload_len(nlh);
	struct bridge b = { 0 };

	if (nlh->nlmsg_type != RTM_NEWLINK || len < sizeof(*ifi))
		return false;
	nl_attrs(ifi + 1, len - sizeof(*ifi), tb, IFLA_LINKINFO);
	if (!nl_get_text(tb[IFLA_IFNAME], b.name, sizeof(b.name)))
		return false;
	b.ifindex = ifi->ifi_index;
	if (tb[IFLA_LINKINFO])
		parse_bridge_data(tb[IFLA_LINKINFO], &b);
	*ret = b;
	return true;
}

static int on_bridge(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	return bridge_parse(nlh, arg) ?
		       0 : err_set(e, ERR_NETLINK, EBADMSG, "the kernel's answer is not a link");
}

int bridge_get(struct nl *nl, const char *name, struct bridge *ret, struct err *e)
{
	struct bridge b = { 0 };
	struct nl_req r;

	if (!*name || strlen(name) >= IFNAMSIZ)
		return 0;
	(void)nl_req_init(&r, RTM_GETLINK, 0, sizeof(struct ifinfomsg));
	nl_put(&r, IFLA_IFNAME, name, strlen(name) + 1);
	nl_put_u32(&r, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	if (nl_request(nl, &r, on_bridge, &b, e) < 0)
		return nl->refused && e->sys == ENODEV ? 0 : err_wrap(e, "look at '%s'", name);
	if (!b.ifindex)
		return err_set(e, ERR_NETLINK, EBADMSG, "the kernel's answer is empty");
	*ret = b;
	return 1;
}

void bridge_compose_master(struct nl_req *r, int ifindex, int bridge)
{
	struct ifinfomsg *ifi = nl_req_init(r, RTM_SETLINK, 0, sizeof(*ifi));

	ifi->ifi_index = ifindex;
	nl_put_u32(r, IFLA_MASTER, (uint32_t)bridge);
}

int bridge_set_master(struct nl *nl, int ifindex, int bridge, struct err *e)
{
	struct nl_req r;

	bridge_compose_master(&r, ifindex, bridge);
	return nl_request(nl, &r, NULL, NULL, e);
}

/* -- reading VLANs -- */

void bridge_compose_get_vlans(struct nl_req *r)
{
	struct ifinfomsg *ifi = nl_req_init(r, RTM_GETLINK, 0, sizeof(*ifi));

	ifi->ifi_family = AF_BRIDGE;
	nl_put_u32(r, IFLA_EXT_MASK, RTEXT_FILTER_BRVLAN_COMPRESSED);
}

struct vlan_list {
	struct bridge_vlans vlans;
	unsigned int begin;		/* of a range whose end is to come; 0: none */
	bool self;			/* the card's own switch, which has the same message */
};

static void take_vlans(struct vlan_list *l, unsigned int first, unsigned int last, uint16_t flags)
{
	for (unsigned int id = first; id <= last && id < IDSET_IDS; id++) {
		idset_add(&l->vlans.all, id);
		if (flags & BRIDGE_VLAN_INFO_UNTAGGED)
			idset_add(&l->vlans.untagged, id);
	}
	if (flags & BRIDGE_VLAN_INFO_PVID && first == last)
		l->vlans.pvid = (uint16_t)first;
}

static void take_vlan(const struct nlattr *attr, struct vlan_list *l)
{
	struct bridge_vlan_info info;
	uint16_t flags;

	if (nl_attr_type(attr) == IFLA_BRIDGE_FLAGS && nl_get(attr, &flags, sizeof(flags)))
		l->self = flags & BRIDGE_FLAGS_SELF;
	if (nl_attr_type(attr) != IFLA_BRIDGE_VLAN_INFO || !nl_get(attr, &info, sizeof(info)))
		return;
	if (info.flags & BRIDGE_VLAN_INFO_RANGE_BEGIN) {
		l->begin = info.vid;
		return;
	}
	if (info.flags & BRIDGE_VLAN_INFO_RANGE_END && l->begin)
		take_vlans(l, l->begin, info.vid, info.flags);
	else
		take_vlans(l, info.vid, info.vid, info.flags);
	l->begin = 0;
}

bool bridge_parse_vlans(const struct nlmsghdr *nlh, int ifindex, struct bridge_vlans *ret)
{
	const struct nlattr *tb[IFLA_AF_SPEC + 1];
	const struct ifinfomsg *ifi = nl_payload(nlh);
	size_t len = nl_payload_len(nlh);
	struct vlan_list l = { .begin = 0 };
	const struct nlattr *attr;
	struct nl_rest rest;

	if (nlh->nlmsg_type != RTM_NEWLINK || len < sizeof(*ifi) ||
	    ifi->ifi_family != AF_BRIDGE || ifi->ifi_index != ifindex)
		return false;
	nl_attrs(ifi + 1, len - sizeof(*ifi), tb, IFLA_AF_SPEC);
	if (!tb[IFLA_AF_SPEC])
		return false;
	rest = nl_nested(tb[IFLA_AF_SPEC]);
	while ((attr = nl_next_attr(&rest)))
		take_vlan(attr, &l);
	if (l.self)
		return false;
	*ret = l.vlans;
	return true;
}

struct vlan_search {
	int ifindex;
	bool found;
	struct bridge_vlans vlans;
};

static int on_port(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	struct vlan_search *s = arg;

	(void)e;
	if (!nlh)		/* the dump begins anew */
		s->found = false;
	else if (bridge_parse_vlans(nlh, s->ifindex, &s->vlans))
		s->found = true;
	return 0;
}

int bridge_vlans_get(struct nl *nl, int ifindex, struct bridge_vlans *ret, struct err *e)
{
	struct vlan_search s = { .ifindex = ifindex };
	struct nl_req r;

	bridge_compose_get_vlans(&r);
	if (nl_request_dump(nl, &r, on_port, &s, e) < 0)
		return err_wrap(e, "list the VLANs of bridge ports");
	if (s.found)
		*ret = s.vlans;
	return s.found;
}

/* -- setting VLANs -- */

static void put_vlan(struct nl_req *r, unsigned int id, unsigned int flags)
{
	struct bridge_vlan_info info = { .flags = (uint16_t)flags, .vid = (uint16_t)id };

	nl_put(r, IFLA_BRIDGE_VLAN_INFO, &info, sizeof(info));
}

void bridge_compose_vlans(struct nl_req *r, uint16_t type, int ifindex,
			  const struct bridge_run *run, size_t n)
{
	struct ifinfomsg *ifi = nl_req_init(r, type, 0, sizeof(*ifi));
	struct nlattr *spec = nl_nest(r, IFLA_AF_SPEC);

	ifi->ifi_family = AF_BRIDGE;
	ifi->ifi_index = ifindex;
	for (size_t i = 0; i < n; i++) {
		if (run[i].first == run[i].last) {
			put_vlan(r, run[i].first, run[i].flags);
			continue;
		}
		put_vlan(r, run[i].first, run[i].flags | BRIDGE_VLAN_INFO_RANGE_BEGIN);
		put_vlan(r, run[i].last, run[i].flags | BRIDGE_VLAN_INFO_RANGE_END);
	}
	nl_nest_end(r, spec);
}

/* Runs that are collected until a message is full. */
struct outbox {
	struct nl *nl;
	uint16_t type;
	int ifindex;
	struct bridge_run run[BRIDGE_RUNS_MAX];
	size_t n;
};

static int flush(struct outbox *o, struct err *e)
{
	struct nl_req r;

	if (o->n == 0)
		return 0;
	bridge_compose_vlans(&r, o->type, o->ifindex, o->run, o->n);
	if (nl_request(o->nl, &r, NULL, NULL, e) < 0)
		return err_wrap(e, "%s VLANs %u to %u of bridge port %d",
				o->type == RTM_DELLINK ? "remove" : "set", o->run[0].first,
				o->run[o->n - 1].last, o->ifindex);
	o->n = 0;
	return 0;
}

static int add_run(struct outbox *o, const struct bridge_run *run, struct err *e)
{
	if (o->n == BRIDGE_RUNS_MAX && flush(o, e) < 0)
		return -1;
	o->run[o->n++] = *run;
	return 0;
}

static int add_runs(struct outbox *o, const struct idset *ids, uint16_t flags, struct err *e)
{
	unsigned int first = 0, last = 0;

	for (; idset_run(ids, &first, &last); first = last + 1) {
		struct bridge_run run = {
			.first = (uint16_t)first, .last = (uint16_t)last, .flags = flags
		};

		if (add_run(o, &run, e) < 0)
			return -1;
	}
	return 0;
}

static uint16_t flags_of(const struct bridge_vlans *v, unsigned int id)
{
	return (uint16_t)((idset_has(&v->untagged, id) ? BRIDGE_VLAN_INFO_UNTAGGED : 0) |
			  (v->pvid && v->pvid == id ? BRIDGE_VLAN_INFO_PVID : 0));
}

/* What is to be removed, and what to be set; setting a VLAN again gives it its new flags. */
struct difference {
	struct idset gone, tagged, untagged;
	struct bridge_run pvid;		/* last is 0: none to be set */
};

static void compare(const struct bridge_vlans *now, const struct bridge_vlans *want,
		    struct difference *d)
{
	*d = (struct difference){ 0 };
	for (unsigned int id = 1; id < IDSET_IDS; id++) {
		uint16_t flags = flags_of(want, id);

		if (!idset_has(&want->all, id)) {
			if (idset_has(&now->all, id))
				idset_add(&d->gone, id);
		} else if (!idset_has(&now->all, id) || flags_of(now, id) != flags) {
			if (flags & BRIDGE_VLAN_INFO_PVID)
				d->pvid = (struct bridge_run){ (uint16_t)id, (uint16_t)id, flags };
			else if (flags & BRIDGE_VLAN_INFO_UNTAGGED)
				idset_add(&d->untagged, id);
			else
				idset_add(&d->tagged, id);
		}
	}
}

int bridge_vlans_set(struct nl *nl, int ifindex, const struct bridge_vlans *now,
		     const struct bridge_vlans *want, struct err *e)
{
	struct outbox del = { .nl = nl, .type = RTM_DELLINK, .ifindex = ifindex };
	struct outbox set = { .nl = nl, .type = RTM_SETLINK, .ifindex = ifindex };
	struct difference d;

	compare(now, want, &d);
	if (add_runs(&del, &d.gone, 0, e) < 0 || flush(&del, e) < 0)
		return -1;
	if (add_runs(&set, &d.tagged, 0, e) < 0 ||
	    add_runs(&set, &d.untagged, BRIDGE_VLAN_INFO_UNTAGGED, e) < 0 ||
	    (d.pvid.last && add_run(&set, &d.pvid, e) < 0))
		return -1;
	return flush(&set, e);
}

/* -- comparing and naming -- */

bool bridge_vlans_equal(const struct bridge_vlans *a, const struct bridge_vlans *b)
{
	return memcmp(&a->all, &b->all, sizeof(a->all)) == 0 &&
	       memcmp(&a->untagged, &b->untagged, sizeof(a->untagged)) == 0 && a->pvid == b->pvid;
}

/* From a VLAN on, the last one with the same flags. */
static unsigned int same_until(const struct bridge_vlans *v, unsigned int first, unsigned int last)
{
	unsigned int id = first;

	while (id < last && flags_of(v, id + 1) == flags_of(v, first))
		id++;
	return id;
}

const char *bridge_vlans_format(const struct bridge_vlans *v, char buf[BRIDGE_VLANS_TEXT])
{
	unsigned int first = 0, last = 0;
	size_t used = 0;

	(void)snprintf(buf, BRIDGE_VLANS_TEXT, "none");
	for (; idset_run(&v->all, &first, &last); first = last + 1) {
		uint16_t flags = flags_of(v, first);
		char to[16] = "", run[64];

		last = same_until(v, first, last);
		if (last > first)
			(void)snprintf(to, sizeof(to), "-%u", last);
		(void)snprintf(run, sizeof(run), "%u%s%s%s", first, to,
			       flags & BRIDGE_VLAN_INFO_PVID ? " pvid" : "",
			       flags & BRIDGE_VLAN_INFO_UNTAGGED ? " untagged" : "");
		if (used + strlen(run) + 8 > BRIDGE_VLANS_TEXT) {	/* with ", " and ", ..." */
			(void)snprintf(buf + used, BRIDGE_VLANS_TEXT - used, ", ...");
			break;
		}
		used += (size_t)snprintf(buf + used, BRIDGE_VLANS_TEXT - used, "%s%s",
					 used ? ", " : "", run);
	}
	return buf;
}
