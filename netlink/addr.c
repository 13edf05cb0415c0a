/* SPDX-License-Identifier: Apache-2.0 */
/* addr.c - the way of IP addresses and routes into an interface */
#include "netlink/addr.h"

#include "netlink/announce.h"
#include "netlink/link_name.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

/* -- composing -- */

/*
 * IFA_LOCAL is the address, IFA_ADDRESS the peer's: the same where there is none.  IFA_BROADCAST is
 * set as the Go plugins set it: the kernel makes its broadcast route without it too, but old tools
 * in containers show it.
 *
 * No duplicate address detection: the IPAM plugin answers for the address, the pod uses it as soon
 * as ADD returns, and our own announcement, which some NICs reflect to the sender (igb's VFs do),
 * would be taken for another owner of an address that is still tentative.
 */
void addr_compose(struct nl_req *r, int ifindex, const struct ip_prefix *addr)
{
	struct ifaddrmsg *ifa =
		nl_req_init(r, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, sizeof(*ifa));

	ifa->ifa_family = (uint8_t)addr->ip.family;
	ifa->ifa_prefixlen = addr->len;
	ifa->ifa_scope = RT_SCOPE_UNIVERSE;
	ifa->ifa_index = (uint32_t)ifindex;
	nl_put(r, IFA_LOCAL, addr->ip.bytes, ip_len(&addr->ip));
	nl_put(r, IFA_ADDRESS, addr->ip.bytes, ip_len(&addr->ip));
	if (addr->ip.family == AF_INET && addr->len < 31) {
		struct ip broadcast = prefix_broadcast(addr);

		nl_put(r, IFA_BROADCAST, broadcast.bytes, 4);
	}
	if (addr->ip.family == AF_INET6)
		nl_put_u32(r, IFA_FLAGS, IFA_F_NODAD);
}

static void put_gateway(struct nl_req *r, const struct route *route)
{
	struct {
		uint16_t family;
		uint8_t addr[16];
	} via = { .family = (uint16_t)route->gw.family };

	if (route->gw.family == route->dst.ip.family) {
		nl_put(r, RTA_GATEWAY, route->gw.bytes, ip_len(&route->gw));
	} else {
		memcpy(via.addr, route->gw.bytes, sizeof(via.addr));
		nl_put(r, RTA_VIA, &via, sizeof(via.family) + ip_len(&route->gw));
	}
}

static void put_metrics(struct nl_req *r, const struct route *route)
{
	struct nlattr *nest;

	if (!route->mtu && !route->advmss)
		return;
	nest = nl_nest(r, RTA_METRICS);
	if (route->mtu)
		nl_put_u32(r, RTAX_MTU, route->mtu);
	if (route->advmss)
		nl_put_u32(r, RTAX_ADVMSS, route->advmss);
	nl_nest_end(r, nest);
}

/*
 * May the pod have another route to the same destination?  As with other plugins it may: of IPv4
 * the latest is used, of IPv6 both are.  A network on the device itself is there once.
 */
static uint16_t beside_another(const struct route *route)
{
	return route->gw.family || route->dst.len == 0 ? 0 : NLM_F_EXCL;
}

/* The kernel refuses an IPv4 destination with host bits; a configuration may have them. */
void route_compose(struct nl_req *r, int ifindex, const struct route *route)
{
	uint16_t how = NLM_F_CREATE | (route->replaces ? NLM_F_REPLACE : beside_another(route));
	struct rtmsg *rtm = nl_req_init(r, RTM_NEWROUTE, how, sizeof(*rtm));
	uint32_t table = route->has_table ? route->table : (uint32_t)RT_TABLE_MAIN;
	struct ip dst = prefix_network(&route->dst);

	rtm->rtm_family = (uint8_t)route->dst.ip.family;
	rtm->rtm_dst_len = route->dst.len;
	rtm->rtm_table = table < 256 ? (uint8_t)table : (uint8_t)RT_TABLE_UNSPEC;
	rtm->rtm_protocol = RTPROT_BOOT;
	rtm->rtm_type = RTN_UNICAST;
	rtm->rtm_scope = route->gw.family ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK;
	if (route->has_scope)
		rtm->rtm_scope = route->scope;
	if (route->dst.len > 0)
		nl_put(r, RTA_DST, dst.bytes, ip_len(&dst));
	nl_put_u32(r, RTA_OIF, (uint32_t)ifindex);
	nl_put_u32(r, RTA_TABLE, table);
	if (route->gw.family)
		put_gateway(r, route);
	if (route->priority)
		nl_put_u32(r, RTA_PRIORITY, route->priority);
	put_metrics(r, route);
}

/* -- sending -- */

/*
 * Addresses and routes count as one list: index < n is an address, then a route, beyond n + m the
 * announcement of an address.
 */
struct plan {
	const struct ip_prefix *addrs;
	const struct route *routes;
	size_t n, m;
	bool announce;		/* and then each address of IPv4 to the neighbours */
	size_t sent;		/* list index of the batch's first request */
};

/* The route the kernel makes along with an address: its network, on the device, in main. */
static bool comes_with(const struct route *route, const struct ip_prefix *addr)
{
	struct ip a = prefix_network(addr), b = prefix_network(&route->dst);

	return a.family == b.family && addr->len == route->dst.len &&
	       memcmp(a.bytes, b.bytes, sizeof(a.bytes)) == 0;
}

/*
 * Such a route may also be listed by the IPAM plugin.  It is there already when nothing is asked
 * for that the kernel's own has not; in any other case "exists" is a conflict.
 */
static bool kernel_made(const struct plan *p, const struct route *route)
{
	if (route->gw.family || route->mtu || route->advmss ||
	    (route->has_table && route->table != (uint32_t)RT_TABLE_MAIN))
		return false;
	for (size_t i = 0; i < p->n; i++)
		if (comes_with(route, &p->addrs[i]))
			return true;
	return false;
}

static int on_refused(unsigned int index, void *arg, struct err *e)
{
	const struct plan *p = arg;
	size_t i = p->sent + index;
	char text[PREFIX_TEXT], gw[IP_TEXT];
	const struct route *route;

	if (i >= p->n + p->m)	/* nobody would answer it anyway */
		return 0;
	if (i < p->n)
		return err_wrap(e, "address %s", prefix_format(&p->addrs[i], text));
	route = &p->routes[i - p->n];
	if (e->sys == EEXIST && kernel_made(p, route))
		return 0;
	if (route->gw.family)
		return err_wrap(e, "route %s via %s", prefix_format(&route->dst, text),
				ip_format(&route->gw, gw));
	return err_wrap(e, "route %s on the device", prefix_format(&route->dst, text));
}

/* False for what needs no message. */
static bool compose(const struct plan *p, size_t i, int ifindex, struct nl_req *r)
{
	if (i >= p->n + p->m) {
		const struct ip *ip = &p->addrs[i - p->n - p->m].ip;

		if (ip->family == AF_INET)
			announce_compose(r, ifindex, ip);
		return ip->family == AF_INET;
	}
	if (i < p->n)
		addr_compose(r, ifindex, &p->addrs[i]);
	else
		route_compose(r, ifindex, &p->routes[i - p->n]);
	return true;
}

static int apply(struct nl *nl, int ifindex, struct plan *p, struct err *e)
{
	size_t end = p->n + p->m + (p->announce ? p->n : 0);
	char called[LINK_CALLED];

	while (p->sent < end) {
		struct nl_batch batch = { 0 };
		struct nl_req r;
		size_t i = p->sent;

		for (; i < end; i++)
			if (compose(p, i, ifindex, &r) && !nl_batch_add(&batch, &r))
				break;
		if ((batch.n > 0 || i < end) && nl_batch_send(nl, &batch, on_refused, p, e) < 0)
			return err_wrap(e, "%s", link_called(nl, ifindex, called));
		p->sent = i;
	}
	return 0;
}

int addr_apply(struct nl *nl, int ifindex, const struct ip_prefix *addrs, size_t n,
	       const struct route *routes, size_t m, struct err *e)
{
	struct plan p = { .addrs = addrs, .routes = routes, .n = n, .m = m };

	return apply(nl, ifindex, &p, e);
}

int addr_apply_announced(struct nl *nl, int ifindex, const struct ip_prefix *addrs, size_t n,
			 const struct route *routes, size_t m, struct err *e)
{
	struct plan p = { .addrs = addrs, .routes = routes, .n = n, .m = m, .announce = true };

	return apply(nl, ifindex, &p, e);
}
