/* SPDX-License-Identifier: Apache-2.0 */
/* link.c - network interfaces: look at one, change it, move it */
#include "netlink/link.h"

#include "netlink/link_name.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#ifndef RTEXT_FILTER_SKIP_STATS
#define RTEXT_FILTER_SKIP_STATS (1 << 3)
#endif

enum { GSO_IPV4_MAX_SIZE = 63, GRO_IPV4_MAX_SIZE = 64 };	/* IFLA_, Linux 6.3 */

/* How the kernel tells a mode of XDP, and is told it. */
static const struct {
	uint16_t id;
	uint32_t flag;
} xdp_modes[XDP_MODES] = {
	{ IFLA_XDP_DRV_PROG_ID, XDP_FLAGS_DRV_MODE },
	{ IFLA_XDP_SKB_PROG_ID, XDP_FLAGS_SKB_MODE },
	{ IFLA_XDP_HW_PROG_ID, XDP_FLAGS_HW_MODE },
};

/* -- parsing -- */

static uint8_t parse_address(const struct nlattr *a, uint8_t ret[LINK_ADDR_MAX])
{
	size_t len = a ? nl_attr_len(a) : 0;

	return len <= LINK_ADDR_MAX && nl_get(a, ret, len) ? (uint8_t)len : 0;
}

static void parse_kind(const struct nlattr *info, struct link *l)
{
	const struct nlattr *tb[IFLA_INFO_DATA + 1];

	if (!info)
		return;
	nl_attrs_nested(info, tb, IFLA_INFO_DATA);
	(void)nl_get_text(tb[IFLA_INFO_KIND], l->kind, sizeof(l->kind));
	if (strcmp(l->kind, "ipoib") == 0)
		ipoib_parse(tb[IFLA_INFO_DATA], &l->ipoib);
}

static void parse_settings(const struct nlattr *const tb[], struct link_settings *s)
{
	(void)nl_get(tb[IFLA_GROUP], &s->group, sizeof(s->group));
	(void)nl_get(tb[IFLA_LINKMODE], &s->mode, sizeof(s->mode));
	(void)nl_get(tb[IFLA_GSO_MAX_SIZE], &s->gso_max_size, sizeof(s->gso_max_size));
	(void)nl_get(tb[IFLA_GSO_MAX_SEGS], &s->gso_max_segs, sizeof(s->gso_max_segs));
	(void)nl_get(tb[IFLA_GRO_MAX_SIZE], &s->gro_max_size, sizeof(s->gro_max_size));
	(void)nl_get(tb[GSO_IPV4_MAX_SIZE], &s->gso_ipv4_max_size, sizeof(s->gso_ipv4_max_size));
	(void)nl_get(tb[GRO_IPV4_MAX_SIZE], &s->gro_ipv4_max_size, sizeof(s->gro_ipv4_max_size));
}

static void parse_xdp(const struct nlattr *nest, struct xdp *x)
{
	const struct nlattr *tb[IFLA_XDP_HW_PROG_ID + 1];

	if (!nest)
		return;
	nl_attrs_nested(nest, tb, IFLA_XDP_HW_PROG_ID);
	for (size_t i = 0; i < XDP_MODES; i++)
		(void)nl_get(tb[xdp_modes[i].id], &x->id[i], sizeof(x->id[i]));
}

/* What it is stacked on, when that is in the same namespace; of a pair that is its other end. */
static int parse_lower(const struct nlattr *const tb[], const char *kind)
{
	static const char *const pairs[] = { "veth", "vxcan", "netkit" };
	uint32_t lower = 0;

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (strcmp(kind, pairs[i]) == 0)
			return 0;
	if (!tb[IFLA_LINK_NETNSID])
		(void)nl_get(tb[IFLA_LINK], &lower, sizeof(lower));
	return (int)lower;
}

static void parse_far(const struct nlattr *const tb[], struct link *l)
{
	uint32_t lower = 0;

	l->far_nsid = -1;
	if (strcmp(l->kind, "veth") == 0 || strcmp(l->kind, "vxcan") == 0 ||
	    strcmp(l->kind, "netkit") == 0 || !tb[IFLA_LINK_NETNSID])
		return;
	(void)nl_get(tb[IFLA_LINK], &lower, sizeof(lower));
	(void)nl_get(tb[IFLA_LINK_NETNSID], &l->far_nsid, sizeof(l->far_nsid));
	l->far_lower = (int)lower;
}

bool link_parse(const struct nlmsghdr *nlh, struct link *ret)
{
	const struct nlattr *tb[GRO_IPV4_MAX_SIZE + 1];
	const struct ifinfomsg *ifi = nl_payload(nlh);
	size_t len = nl_payload_len(nlh);
	struct link l = { 0 };
	uint8_t carrier = 0;
	uint32_t master = 0;

	if (nlh->nlmsg_type != RTM_NEWLINK || len < sizeof(*ifi))
		return false;
	nl_attrs(ifi + 1, len - sizeof(*ifi), tb, GRO_IPV4_MAX_SIZE);
	if (!nl_get_text(tb[IFLA_IFNAME], l.name, sizeof(l.name)))
		return false;

	l.ifindex = ifi->ifi_index;
	l.flags = ifi->ifi_flags;
	l.addr_len = parse_address(tb[IFLA_ADDRESS], l.addr);
	l.perm_len = parse_address(tb[IFLA_PERM_ADDRESS], l.perm);
	/* Absent or malformed: the zero that is already there. */
	(void)nl_get(tb[IFLA_MTU], &l.mtu, sizeof(l.mtu));
	(void)nl_get(tb[IFLA_TXQLEN], &l.txqlen, sizeof(l.txqlen));
	(void)nl_get(tb[IFLA_MASTER], &master, sizeof(master));
	(void)nl_get_text(tb[IFLA_IFALIAS], l.alias, sizeof(l.alias));
	(void)nl_get(tb[IFLA_PROMISCUITY], &l.promiscuity, sizeof(l.promiscuity));
	(void)nl_get(tb[IFLA_NUM_VF], &l.num_vf, sizeof(l.num_vf));
	(void)nl_get(tb[IFLA_CARRIER], &carrier, sizeof(carrier));
	(void)nl_get_text(tb[IFLA_PARENT_DEV_NAME], l.parent_dev, sizeof(l.parent_dev));
	(void)nl_get_text(tb[IFLA_PARENT_DEV_BUS_NAME], l.parent_bus, sizeof(l.parent_bus));
	parse_kind(tb[IFLA_LINKINFO], &l);
	altnames_parse(tb[IFLA_PROP_LIST], &l.alt);
	parse_settings(tb, &l.settings);
	parse_xdp(tb[IFLA_XDP], &l.xdp);
	l.lower = parse_lower(tb, l.kind);
	parse_far(tb, &l);
	l.peer_elsewhere = tb[IFLA_LINK_NETNSID] != NULL;
	l.carrier = carrier != 0;
	l.master = (int)master;
	*ret = l;
	return true;
}

/* -- looking -- */

struct lookup {
	bool found;
	struct link link;
};

static int on_link(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	struct lookup *l = arg;

	l->found = link_parse(nlh, &l->link);
	return l->found ? 0 : err_set(e, ERR_NETLINK, EBADMSG, "the kernel's answer is not a link");
}

/* One link by the name or index already in r. */
static int get_one(struct nl *nl, struct nl_req *r, struct link *ret, struct err *e)
{
	struct lookup l = { 0 };
	struct err why;

	nl_put_u32(r, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	if (nl_request_one(nl, r, on_link, &l, &why) < 0) {
		if (nl->refused && why.sys == ENODEV)
			return 0;
		*e = why;
		return -1;
	}
	if (!l.found)
		return err_set(e, ERR_NETLINK, EBADMSG, "the kernel's answer is empty");
	*ret = l.link;
	return 1;
}

/* 1 to 15 bytes: nl_put() would take any length, and the kernel cuts silently. */
static bool fits_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len < IFNAMSIZ;
}

static int bad_name(const char *name, struct err *e)
{
	return err_set(e, ERR_NETLINK, EINVAL, "'%s' cannot be an interface name", name);
}

int link_get_by_name(struct nl *nl, const char *name, struct link *ret, struct err *e)
{
	struct nl_req r;
	int found;

	if (!fits_name(name))
		return bad_name(name, e);
	(void)nl_req_init(&r, RTM_GETLINK, 0, sizeof(struct ifinfomsg));
	nl_put(&r, IFLA_IFNAME, name, strlen(name) + 1);
	found = get_one(nl, &r, ret, e);
	return found < 0 ? err_wrap(e, "look at interface '%s'", name) : found;
}

int link_get_by_altname(struct nl *nl, const char *name, struct link *ret, struct err *e)
{
	size_t len = strlen(name);
	struct nl_req r;
	int found;

	if (len == 0 || len >= ALTNAME_SIZE)
		return 0;
	(void)nl_req_init(&r, RTM_GETLINK, 0, sizeof(struct ifinfomsg));
	nl_put(&r, IFLA_ALT_IFNAME, name, len + 1);
	found = get_one(nl, &r, ret, e);
	return found < 0 ? err_wrap(e, "look at interface '%s'", name) : found;
}

int link_get_by_index(struct nl *nl, int ifindex, struct link *ret, struct err *e)
{
	struct nl_req r;
	struct ifinfomsg *ifi = nl_req_init(&r, RTM_GETLINK, 0, sizeof(*ifi));
	int found;

	ifi->ifi_index = ifindex;
	found = get_one(nl, &r, ret, e);
	return found < 0 ? err_wrap(e, "look at interface %d", ifindex) : found;
}

struct search {
	link_match_fn *match;
	const void *arg;
	int found;
	struct link link;
};

static int on_dumped(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	struct search *s = arg;
	struct link link;

	(void)e;
	if (!nlh) {		/* the dump begins anew */
		s->found = 0;
	} else if (link_parse(nlh, &link) && s->match(&link, s->arg)) {
		if (s->found++ == 0)
			s->link = link;
	}
	return 0;
}

int link_find(struct nl *nl, link_match_fn *match, const void *arg, struct link *ret, struct err *e)
{
	struct search s = { .match = match, .arg = arg };
	struct nl_req r;

	(void)nl_req_init(&r, RTM_GETLINK, 0, sizeof(struct ifinfomsg));
	nl_put_u32(&r, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	if (nl_request_dump(nl, &r, on_dumped, &s, e) < 0)
		return err_wrap(e, "list the interfaces");
	if (s.found)
		*ret = s.link;
	return s.found;
}

/* -- changing -- */

static void put_settings(struct nl_req *r, const struct link_settings *s)
{
	const struct {
		uint16_t type;
		uint32_t value;
	} sizes[] = {
		{ IFLA_GSO_MAX_SIZE, s->gso_max_size },
		{ IFLA_GSO_MAX_SEGS, s->gso_max_segs },
		{ IFLA_GRO_MAX_SIZE, s->gro_max_size },
		/* behind the other two, which change them as well */
		{ GSO_IPV4_MAX_SIZE, s->gso_ipv4_max_size },
		{ GRO_IPV4_MAX_SIZE, s->gro_ipv4_max_size },
	};

	nl_put_u32(r, IFLA_GROUP, s->group);
	nl_put(r, IFLA_LINKMODE, &s->mode, sizeof(s->mode));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (sizes[i].value)
			nl_put_u32(r, sizes[i].type, sizes[i].value);
}

bool link_compose_set(struct nl_req *r, int ifindex, const struct link_change *change)
{
	struct ifinfomsg *ifi = nl_req_init(r, RTM_SETLINK, 0, sizeof(*ifi));

	if (change->name && !fits_name(change->name))
		return false;
	ifi->ifi_index = ifindex;
	ifi->ifi_flags = change->flags & change->mask;
	ifi->ifi_change = change->mask;
	if (change->mac)
		nl_put(r, IFLA_ADDRESS, change->mac, change->mac_len);
	if (change->mtu)
		nl_put_u32(r, IFLA_MTU, change->mtu);
	if (change->name)
		nl_put(r, IFLA_IFNAME, change->name, strlen(change->name) + 1);
	if (change->alias)
		nl_put(r, IFLA_IFALIAS, change->alias, strlen(change->alias));
	if (change->txqlen)
		nl_put_u32(r, IFLA_TXQLEN, *change->txqlen);
	if (change->settings)
		put_settings(r, change->settings);
	return true;
}

/* "set v0 mtu 9000 name eth1 up": what was asked, for the message of a refusal. */
static int wrap_set(struct nl *nl, int ifindex, const struct link_change *c, struct err *e)
{
	char mac[MAC_TEXT + 5] = "", mtu[20] = "", name[IFNAMSIZ + 6] = "", flags[40] = "";
	char text[MAC_TEXT], called[LINK_CALLED], queue[24] = "";

	if (c->mac && c->mac_len == MAC_LEN)
		(void)snprintf(mac, sizeof(mac), " mac %s", mac_format(c->mac, text));
	if (c->mtu)
		(void)snprintf(mtu, sizeof(mtu), " mtu %u", c->mtu);
	if (c->name)
		(void)snprintf(name, sizeof(name), " name %s", c->name);
	if (c->txqlen)
		(void)snprintf(queue, sizeof(queue), " txqueuelen %u", *c->txqlen);
	if (c->mask == IFF_UP)
		(void)snprintf(flags, sizeof(flags), c->flags & IFF_UP ? " up" : " down");
	else if (c->mask)
		(void)snprintf(flags, sizeof(flags), " flags 0x%x/0x%x", c->flags, c->mask);
	return err_wrap(e, "set %s%s%s%s%s%s%s", link_called(nl, ifindex, called), mac, mtu, name,
			queue, flags, c->settings ? " group and sizes" : "");
}

int link_set(struct nl *nl, int ifindex, const struct link_change *change, struct err *e)
{
	struct nl_req r;

	if (!link_compose_set(&r, ifindex, change))
		return bad_name(change->name, e);
	if (nl_request(nl, &r, NULL, NULL, e) < 0)
		return wrap_set(nl, ifindex, change, e);
	return 0;
}

void link_compose_detach_xdp(struct nl_req *r, int ifindex, unsigned int mode)
{
	struct ifinfomsg *ifi = nl_req_init(r, RTM_SETLINK, 0, sizeof(*ifi));
	const int32_t none = -1;
	struct nlattr *nest = nl_nest(r, IFLA_XDP);

	ifi->ifi_index = ifindex;
	nl_put(r, IFLA_XDP_FD, &none, sizeof(none));
	nl_put_u32(r, IFLA_XDP_FLAGS, xdp_modes[mode].flag);
	nl_nest_end(r, nest);
}

int link_detach_xdp(struct nl *nl, int ifindex, unsigned int mode, struct err *e)
{
	char called[LINK_CALLED];
	struct nl_req r;

	link_compose_detach_xdp(&r, ifindex, mode);
	if (nl_request(nl, &r, NULL, NULL, e) < 0)
		return err_wrap(e, "take the XDP program off %s", link_called(nl, ifindex, called));
	return 0;
}

bool link_compose_move(struct nl_req *r, int ifindex, const struct link_target *to)
{
	struct link_change change = {
		.name = to->name, .flags = to->up ? IFF_UP : 0, .mask = to->up ? IFF_UP : 0
	};

	if (!link_compose_set(r, ifindex, &change))
		return false;
	nl_put_u32(r, IFLA_NET_NS_FD, (uint32_t)to->nsfd);
	if (to->ifindex > 0)
		nl_put_u32(r, IFLA_NEW_IFINDEX, (uint32_t)to->ifindex);
	return true;
}

int link_move(struct nl *nl, int ifindex, const struct link_target *to, struct err *e)
{
	char called[LINK_CALLED];
	struct nl_req r;

	if (!link_compose_move(&r, ifindex, to))
		return bad_name(to->name, e);
	if (nl_request(nl, &r, NULL, NULL, e) < 0)
		return err_wrap(e, "move %s to another namespace as '%s'",
				link_called(nl, ifindex, called), to->name);
	return 0;
}

/* -- IPoIB -- */

void ipoib_parse(const struct nlattr *data, struct ipoib *ret)
{
	const struct nlattr *tb[IFLA_IPOIB_UMCAST + 1];
	struct ipoib i = { .have = false };

	if (data) {
		nl_attrs_nested(data, tb, IFLA_IPOIB_UMCAST);
		i.have = nl_get(tb[IFLA_IPOIB_MODE], &i.mode, sizeof(i.mode)) &&
			 nl_get(tb[IFLA_IPOIB_UMCAST], &i.umcast, sizeof(i.umcast));
	}
	*ret = i;
}

/* What a kind of interface has of its own is changed by RTM_NEWLINK alone. */
void ipoib_compose(struct nl_req *r, int ifindex, const struct ipoib *want)
{
	struct ifinfomsg *ifi = nl_req_init(r, RTM_NEWLINK, 0, sizeof(*ifi));
	struct nlattr *info, *data;

	ifi->ifi_index = ifindex;
	info = nl_nest(r, IFLA_LINKINFO);
	nl_put(r, IFLA_INFO_KIND, "ipoib", sizeof("ipoib"));
	data = nl_nest(r, IFLA_INFO_DATA);
	nl_put(r, IFLA_IPOIB_MODE, &want->mode, sizeof(want->mode));
	nl_put(r, IFLA_IPOIB_UMCAST, &want->umcast, sizeof(want->umcast));
	nl_nest_end(r, data);
	nl_nest_end(r, info);
}

int ipoib_set(struct nl *nl, int ifindex, const struct ipoib *want, struct err *e)
{
	char called[LINK_CALLED];
	struct nl_req r;

	ipoib_compose(&r, ifindex, want);
	if (nl_request(nl, &r, NULL, NULL, e) < 0)
		return err_wrap(e, "set mode %u and umcast %u of %s", want->mode, want->umcast,
				link_called(nl, ifindex, called));
	return 0;
}
