/* SPDX-License-Identifier: Apache-2.0 */
/*
 * addr_find.c - which addresses has an interface, and go these routes out of it?
 *
 * Both families come in one dump.  The kernel (4.20 and later) lists only what is of the interface;
 * an older one lists all there is, so each entry is looked at here as well, and nothing of it is
 * kept but that it was seen.
 */
#include "netlink/addr_find.h"

#include "base/mem.h"
#include "netlink/link_name.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <string.h>

/* -- both -- */

static bool same_ip(const struct ip *a, const struct ip *b)
{
	return a->family == b->family && memcmp(a->bytes, b->bytes, ip_len(a)) == 0;
}

/* The address of a family that begins after some bytes of an attribute. */
static bool get_ip(const struct nlattr *a, size_t skip, int family, struct ip *ret)
{
	struct ip ip = { .family = family };

	if (!a || nl_attr_len(a) < skip + ip_len(&ip))
		return false;
	memcpy(ip.bytes, (const uint8_t *)nl_attr_data(a) + skip, ip_len(&ip));
	*ret = ip;
	return true;
}

static int look_for_addrs(struct nl *nl, struct nl_req *r, nl_reply_fn *fn, struct addr_list *list,
			  size_t *missing, struct err *e)
{
	auto_free bool *seen = NULL;

	if (list->n == 0)
		return 1;
	seen = calloc(list->n, sizeof(*seen));
	if (!seen)
		return err_set(e, ERR_NETLINK, ENOMEM, "list of %zu entries", list->n);
	list->seen = seen;
	if (nl_request_dump(nl, r, fn, list, e) < 0)
		return -1;
	for (size_t i = 0; i < list->n; i++)
		if (!seen[i]) {
			*missing = i;
			return 0;
		}
	return 1;
}

/* -- addresses -- */

/* IFA_ADDRESS is the peer's where there is an IFA_LOCAL. */
static bool parse_addr(const struct nlmsghdr *nlh, int *ifindex, struct ip_prefix *ret)
{
	const struct ifaddrmsg *ifa = nl_payload(nlh);
	size_t len = nl_payload_len(nlh);
	const struct nlattr *tb[IFA_LOCAL + 1];

	if (nlh->nlmsg_type != RTM_NEWADDR || len < sizeof(*ifa))
		return false;
	*ifindex = (int)ifa->ifa_index;
	nl_attrs(ifa + 1, len - sizeof(*ifa), tb, IFA_LOCAL);
	ret->len = ifa->ifa_prefixlen;
	return get_ip(tb[tb[IFA_LOCAL] ? IFA_LOCAL : IFA_ADDRESS], 0, ifa->ifa_family, &ret->ip);
}

int addr_see(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	const struct addr_list *list = arg;
	struct ip_prefix have;
	int ifindex;

	(void)e;
	if (!nlh)	/* the dump begins anew */
		memset(list->seen, 0, list->n);
	else if (parse_addr(nlh, &ifindex, &have) && ifindex == list->ifindex)
		for (size_t i = 0; i < list->n; i++)
			list->seen[i] |= (list->addrs[i].len == ADDR_ANY_LEN ||
					  list->addrs[i].len == have.len) &&
					 same_ip(&have.ip, &list->addrs[i].ip);
	return 0;
}

int addr_find(struct nl *nl, int ifindex, const struct ip_prefix *want, size_t n, size_t *missing,
	      struct err *e)
{
	struct addr_list list = { .ifindex = ifindex, .addrs = want, .n = n };
	char called[LINK_CALLED];
	struct nl_req r;
	struct ifaddrmsg *ifa = nl_req_init(&r, RTM_GETADDR, 0, sizeof(*ifa));
	int found;

	ifa->ifa_index = (uint32_t)ifindex;
	found = look_for_addrs(nl, &r, addr_see, &list, missing, e);
	return found < 0 ? err_wrap(e, "list the addresses of %s",
				    link_called(nl, ifindex, called)) : found;
}

struct each {
	addr_fn *fn;
	void *arg;
};

static int on_addr(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	const struct each *each = arg;
	struct ip_prefix addr;
	int ifindex;

	(void)e;
	if (!nlh)
		each->fn(0, NULL, each->arg);
	else if (parse_addr(nlh, &ifindex, &addr))
		each->fn(ifindex, &addr, each->arg);
	return 0;
}

int addr_each(struct nl *nl, addr_fn *fn, void *arg, struct err *e)
{
	struct each each = { .fn = fn, .arg = arg };
	struct nl_req r;

	(void)nl_req_init(&r, RTM_GETADDR, 0, sizeof(struct ifaddrmsg));
	return nl_request_dump(nl, &r, on_addr, &each, e);
}

/* -- routes -- */

/* Destination, table and scope; not those of other types (local, broadcast), nor cached ones. */
static bool parse_header(const struct rtmsg *rtm, const struct nlattr *tb[], struct route *ret)
{
	struct route r = { .dst.ip.family = rtm->rtm_family, .dst.len = rtm->rtm_dst_len,
			   .table = rtm->rtm_table, .scope = rtm->rtm_scope };

	if (rtm->rtm_type != RTN_UNICAST || (rtm->rtm_flags & RTM_F_CLONED))
		return false;
	if (r.dst.len > 0 && !get_ip(tb[RTA_DST], 0, rtm->rtm_family, &r.dst.ip))
		return false;
	(void)nl_get(tb[RTA_TABLE], &r.table, sizeof(r.table));
	(void)nl_get(tb[RTA_PRIORITY], &r.priority, sizeof(r.priority));
	*ret = r;
	return true;
}

static void parse_metrics(const struct nlattr *metrics, struct route *ret)
{
	const struct nlattr *tb[RTAX_ADVMSS + 1];

	if (!metrics)
		return;
	nl_attrs_nested(metrics, tb, RTAX_ADVMSS);
	(void)nl_get(tb[RTAX_MTU], &ret->mtu, sizeof(ret->mtu));
	(void)nl_get(tb[RTAX_ADVMSS], &ret->advmss, sizeof(ret->advmss));
}

/* Of the route's family, or of the one that stands in front of it; family 0: none. */
static struct ip gateway(const struct nlattr *tb[], int family)
{
	struct ip gw = { 0 };
	uint16_t via;

	if (!get_ip(tb[RTA_GATEWAY], 0, family, &gw) && nl_get(tb[RTA_VIA], &via, sizeof(via)))
		(void)get_ip(tb[RTA_VIA], sizeof(via), via, &gw);
	return gw;
}

static bool is_wanted(const struct route *have, const struct route *want)
{
	/* without a table: in whichever others (sbr, vrf) have put it since, but the kernel's own
	 */
	bool in_table = want->has_table ? have->table == want->table
					: have->table != (uint32_t)RT_TABLE_LOCAL;
	struct ip dst = prefix_network(&want->dst);

	return have->dst.len == want->dst.len && in_table &&
	       same_ip(&have->dst.ip, &dst) &&
	       (!want->gw.family || same_ip(&have->gw, &want->gw)) &&
	       (!want->priority || have->priority == want->priority) &&
	       (!want->mtu || have->mtu == want->mtu) &&
	       (!want->advmss || have->advmss == want->advmss) &&
	       /* IPv6 takes a scope and forgets it */
	       (!want->has_scope || dst.family == AF_INET6 || have->scope == want->scope);
}

static void see_hop(const struct addr_list *list, struct route *have, const struct nlattr *tb[])
{
	have->gw = gateway(tb, have->dst.ip.family);
	for (size_t i = 0; i < list->n; i++)
		list->seen[i] |= is_wanted(have, &list->routes[i]);
}

/* Next hops lie one after the other, each with its own length and attributes. */
static void see_hops(const struct addr_list *list, struct route *have, const struct nlattr *hops)
{
	const uint8_t *p = nl_attr_data(hops);
	size_t left = nl_attr_len(hops);
	const struct nlattr *tb[RTA_VIA + 1];
	struct rtnexthop hop;

	for (size_t step; left >= sizeof(hop); p += step, left -= step) {
		memcpy(&hop, p, sizeof(hop));
		if (hop.rtnh_len < sizeof(hop) || hop.rtnh_len > left)
			return;
		nl_attrs(p + sizeof(hop), hop.rtnh_len - sizeof(hop), tb, RTA_VIA);
		if (hop.rtnh_ifindex == list->ifindex)
			see_hop(list, have, tb);
		step = NLA_ALIGN((size_t)hop.rtnh_len);
		if (step > left)
			return;
	}
}

static void see_route(const struct addr_list *list, const struct nlmsghdr *nlh)
{
	const struct rtmsg *rtm = nl_payload(nlh);
	size_t len = nl_payload_len(nlh);
	const struct nlattr *tb[RTA_VIA + 1];
	struct route have;
	uint32_t oif = 0;

	if (nlh->nlmsg_type != RTM_NEWROUTE || len < sizeof(*rtm))
		return;
	nl_attrs(rtm + 1, len - sizeof(*rtm), tb, RTA_VIA);
	if (!parse_header(rtm, tb, &have))
		return;
	parse_metrics(tb[RTA_METRICS], &have);
	if (tb[RTA_MULTIPATH])
		see_hops(list, &have, tb[RTA_MULTIPATH]);
	else if (nl_get(tb[RTA_OIF], &oif, sizeof(oif)) && (int)oif == list->ifindex)
		see_hop(list, &have, tb);
}

int route_see(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	const struct addr_list *list = arg;

	(void)e;
	if (!nlh)	/* the dump begins anew */
		memset(list->seen, 0, list->n);
	else
		see_route(list, nlh);
	return 0;
}

int route_find(struct nl *nl, int ifindex, const struct route *want, size_t n, size_t *missing,
	       struct err *e)
{
	struct addr_list list = { .ifindex = ifindex, .routes = want, .n = n };
	char called[LINK_CALLED];
	struct nl_req r;
	int found;

	(void)nl_req_init(&r, RTM_GETROUTE, 0, sizeof(struct rtmsg));
	nl_put_u32(&r, RTA_OIF, (uint32_t)ifindex);
	found = look_for_addrs(nl, &r, route_see, &list, missing, e);
	return found < 0 ? err_wrap(e, "list the routes of %s",
				    link_called(nl, ifindex, called)) : found;
}
