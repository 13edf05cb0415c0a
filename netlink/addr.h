/* SPDX-License-Identifier: Apache-2.0 */
/* addr.h - the way of IP addresses and routes into an interface */
#ifndef NETLINK_ADDR_H
#define NETLINK_ADDR_H

#include "netlink/ip.h"
#include "netlink/mnl.h"

struct route {
	struct ip_prefix dst;		/* length 0: the default route of its family */
	struct ip gw;			/* family 0: a device route; may be of the other family */
	uint32_t mtu, advmss, priority;	/* 0: not given */
	bool has_table, has_scope;
	uint32_t table;
	uint8_t scope;			/* else link for a device route, universe with a gateway */
};

/*
 * Give an interface, which must be up, its addresses and then its routes: one message to the kernel
 * for up to NL_BATCH_MAX of both.  IPv6 addresses can be used at once: there is no duplicate
 * address detection.  The error names the first address or route that was refused; the others are
 * there then, and it is for the caller to take the interface away.  A device route that the kernel
 * made itself along with one of the addresses is no conflict.
 */
int addr_apply(struct nl *nl, int ifindex, const struct ip_prefix *addrs, size_t n,
	       const struct route *routes, size_t m, struct err *e) must_check;

/* The same, of an Ethernet interface, with an announcement of the IPv4 addresses (announce.h). */
int addr_apply_announced(struct nl *nl, int ifindex, const struct ip_prefix *addrs, size_t n,
			 const struct route *routes, size_t m, struct err *e) must_check;

/* -- composing, for addr_apply() and tests -- */

void addr_compose(struct nl_req *r, int ifindex, const struct ip_prefix *addr);
void route_compose(struct nl_req *r, int ifindex, const struct route *route);

#endif
