/* SPDX-License-Identifier: Apache-2.0 */
/* link_use.c - does a namespace itself use an interface: one dump of addresses, one of routes */
#include "netlink/link_use.h"

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <string.h>

struct search {
	const int *ifindex;
	size_t n;
	bool found;
	struct link_use use;
};

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
	const struct ifaddrmsg *ifa = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh);
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
	const uint8_t *at = mnl_attr_get_payload(hops);
	size_t left = mnl_attr_get_payload_len(hops);
	struct rtnexthop hop;

	for (size_t step; left >= sizeof(hop); at += step, left -= step) {
		memcpy(&hop, at, sizeof(hop));
		step = MNL_ALIGN((size_t)hop.rtnh_len);
		if (hop.rtnh_len < sizeof(hop) || step > left)
			return;
		take_use(s, (uint32_t)hop.rtnh_ifindex, true, p);
	}
}

static void add_route(struct search *s, const struct nlmsghdr *nlh)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh);
	const struct nlattr *tb[RTA_MULTIPATH + 1];
	struct ip_prefix p;
	uint32_t ifindex;

	if (nlh->nlmsg_type != RTM_NEWROUTE || len < sizeof(*rtm) ||
	    rtm->rtm_type != RTN_UNICAST || rtm->rtm_protocol == RTPROT_KERNEL ||
	    rtm->rtm_flags & RTM_F_CLONED)
		return;
	nl_attrs(rtm + 1, len - sizeof(*rtm), tb, RTA_MULTIPATH);
	p = (struct ip_prefix){ .ip.family = rtm->rtm_family, .len = rtm->rtm_dst_len };
	if (p.len > 0 && !get_ip(tb[RTA_DST], rtm->rtm_family, &p.ip))
		return;
	if (nl_get(tb[RTA_OIF], &ifindex, sizeof(ifindex)))
		take_use(s, ifindex, true, &p);
	else if (tb[RTA_MULTIPATH])
		add_multipath(s, tb[RTA_MULTIPATH], &p);
}

static int on_route(const struct nlmsghdr *nlh, void *arg, struct err *e)
{
	struct search *s = arg;

	(void)e;
	if (nlh)
		add_route(s, nlh);
	else
		s->found = false;
	return 0;
}

int link_use_find(struct nl *nl, const int *ifindex, size_t n, struct link_use *ret, struct err *e)
{
	struct search s = { .ifindex = ifindex, .n = n };
	struct nl_req r;

	if (n == 0)
		return 0;
	(void)nl_req_init(&r, RTM_GETADDR, 0, sizeof(struct ifaddrmsg));
	if (nl_request_dump(nl, &r, on_addr, &s, e) < 0)
		return err_wrap(e, "list the addresses");
	if (!s.found) {
		(void)nl_req_init(&r, RTM_GETROUTE, 0, sizeof(struct rtmsg));
		if (nl_request_dump(nl, &r, on_route, &s, e) < 0)
			return err_wrap(e, "list the routes");
	}
	if (s.found)
		*ret = s.use;
	return s.found;
}
