/* SPDX-License-Identifier: Apache-2.0 */
/* link_use.c - does a namespace itself use an interface: one dump of addresses, one of routes */
#include "netlink/link_use.h"

#include "base/mem.h"
#include "netlink/nexthop.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

enum { HOPS_MAX = 4096 };	/* more than a kernel's next hops that are objects */

/* A next hop of which a route tells but the number, with the first of these routes. */
struct hop {
	uint32_t id;
	struct ip_prefix prefix;
};

struct search {
	const int *ifindex;
	size_t n;
	bool found;
	struct link_use use;
	struct hop *hops;		/* owned; NULL: none */
	size_t n_hops;
	bool failed;			/* too many, or no memory */
};

static void search_done(struct search *s)
{
	free(s->hops);
}

#define auto_search auto_with(search_done)

static bool is_of_link(const struct ip *ip)
{
	const uint8_t *b = ip->bytes;

	if (ip->family == AF_INET)
		return (b[0] == 169 && b[1] == 254) || (b[0] & 0xf0) == 0xe0;
	return (b[0] == 0xfe && (b[1] & 0xc0) == 0x80) || b[0] == 0xff;
}

static bool is_wanted(const struct search *s, uint32_t ifindex)
{
	for (size_t i = 0; i < s->n; i++)
		if ((uint32_t)s->ifindex[i] == ifindex)
			return true;
	return false;
}

static void take_use(struct search *s, uint32_t ifindex, bool is_route,
		     const struct ip_prefix *prefix)
{
	if (s->found || !is_wanted(s, ifindex) || (prefix->len > 0 && is_of_link(&prefix->ip)))
		return;
	s->found = true;
	s->use = (struct link_use){ .ifindex = (int)ifindex, .is_route = is_route,
				    .prefix = *prefix };
}

static bool get_ip(const struct nlattr *a, int family, struct ip *ret)
{
	struct ip ip = { .family = family };

	if ((family != AF_INET && family != AF_INET6) || !nl_get(a, ip.bytes, ip_len(&ip)))
		return false;
	*ret = ip;
	return true;
}

/* -- addresses -- */

static void add_addr(struct search *s, const struct nlmsghdr *nlh)
{
	const struct ifaddrmsg *ifa = nl_payload(nlh);
	size_t len = nl_payload_len(nlh);
	const struct nlattr *tb[IFA_LOCAL + 1];
	struct ip_prefix p;

	if (nlh->nlmsg_type != RTM_NEWADDR || len < sizeof(*ifa))
		return;
	nl_attrs(ifa + 1, len - sizeof(*ifa), tb, IFA_LOCAL);
	p.len = ifa->ifa_prefixlen;
	if (get_ip(tb[tb[IFA_LOCAL] ? IFA_LOCAL : IFA_ADDRESS], ifa->ifa_family, &p.ip))
		take_use(s, ifa->ifa_index, false, &p);
}

static int on_addr(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	struct search *s = arg;

	(void)e;
	if (nlh)
		add_addr(s, nlh);
	else	/* the dump begins anew */
		s->found = false;
	return 0;
}

/* -- routes -- */

/* Next hops lie one after the other, each with its own length and attributes. */
static void add_multipath(struct search *s, const struct nlattr *hops, const struct ip_prefix *p)
{
	const uint8_t *at = nl_attr_data(hops);
	size_t left = nl_attr_len(hops);
	struct rtnexthop hop;

	for (size_t step; left >= sizeof(hop); at += step, left -= step) {
		memcpy(&hop, at, sizeof(hop));
		step = NLA_ALIGN((size_t)hop.rtnh_len);
		if (hop.rtnh_len < sizeof(hop) || step > left)
			return;
		take_use(s, (uint32_t)hop.rtnh_ifindex, true, p);
	}
}

static void add_hop(struct search *s, uint32_t id, const struct ip_prefix *p)
{
	if (s->found || s->failed || (p->len > 0 && is_of_link(&p->ip)))
		return;
	for (size_t i = 0; i < s->n_hops; i++)
		if (s->hops[i].id == id)
			return;
	if (!s->hops)
		s->hops = calloc(HOPS_MAX, sizeof(*s->hops));
	s->failed = !s->hops || s->n_hops == HOPS_MAX;
	if (!s->failed)
		s->hops[s->n_hops++] = (struct hop){ id, *p };
}

static void add_route(struct search *s, const struct nlmsghdr *nlh)
{
	const struct rtmsg *rtm = nl_payload(nlh);
	size_t len = nl_payload_len(nlh);
	const struct nlattr *tb[RTA_NH_ID + 1];
	struct ip_prefix p;
	uint32_t number;

	if (nlh->nlmsg_type != RTM_NEWROUTE || len < sizeof(*rtm) ||
	    rtm->rtm_type != RTN_UNICAST || rtm->rtm_protocol == RTPROT_KERNEL ||
	    rtm->rtm_flags & RTM_F_CLONED)
		return;
	nl_attrs(rtm + 1, len - sizeof(*rtm), tb, RTA_NH_ID);
	p = (struct ip_prefix){ .ip.family = rtm->rtm_family, .len = rtm->rtm_dst_len };
	if (p.len > 0 && !get_ip(tb[RTA_DST], rtm->rtm_family, &p.ip))
		return;
	if (nl_get(tb[RTA_OIF], &number, sizeof(number)))
		take_use(s, number, true, &p);
	else if (tb[RTA_MULTIPATH])
		add_multipath(s, tb[RTA_MULTIPATH], &p);
	else if (nl_get(tb[RTA_NH_ID], &number, sizeof(number)))
		add_hop(s, number, &p);
}

static int on_route(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	struct search *s = arg;

	(void)e;
	if (nlh) {
		add_route(s, nlh);
	} else {
		s->found = s->failed = false;
		s->n_hops = 0;
	}
	return 0;
}

struct of_hop {
	struct search *s;
	const struct ip_prefix *prefix;
};

static void take_hop(uint32_t ifindex, void *arg)
{
	const struct of_hop *of = arg;

	take_use(of->s, ifindex, true, of->prefix);
}

/* Those that are objects are asked for after the dump. */
static int ask_for_hops(struct nl *nl, struct search *s, struct err *e)
{
	if (s->failed)
		return err_set(e, ERR_NETLINK, ENOMEM, "list the next hops");
	for (size_t i = 0; i < s->n_hops && !s->found; i++) {
		struct of_hop of = { s, &s->hops[i].prefix };

		if (nexthop_each(nl, s->hops[i].id, take_hop, &of, e) < 0)
			return -1;
	}
	return 0;
}

int link_use_find(struct nl *nl, const int *ifindex, size_t n, struct link_use *ret, struct err *e)
{
	auto_search struct search s = { .ifindex = ifindex, .n = n };
	struct nl_req r;

	if (n == 0)
		return 0;
	(void)nl_req_init(&r, RTM_GETADDR, 0, sizeof(struct ifaddrmsg));
	if (nl_request_dump(nl, &r, on_addr, &s, e) < 0)
		return err_wrap(e, "list the addresses");
	if (!s.found) {
		(void)nl_req_init(&r, RTM_GETROUTE, 0, sizeof(struct rtmsg));
		if (nl_request_dump(nl, &r, on_route, &s, e) < 0 || ask_for_hops(nl, &s, e) < 0)
			return err_wrap(e, "list the routes");
	}
	if (s.found)
		*ret = s.use;
	return s.found;
}
