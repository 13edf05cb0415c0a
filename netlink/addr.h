/* SPDX-License-Identifier: Apache-2.0 */
/* addr.h - set the IP addresses and routes of an interface */
#ifndef NETLINK_ADDR_H
#define NETLINK_ADDR_H

#include "netlink/ip.h"
#include "netlink/nl.h"

struct route {
	struct ip_prefix dst;		/* length 0: the default route of its family */
	struct ip gw;			/* family 0: a device route; may be of the other family */
	uint32_t mtu, advmss, priority;	/* 0: the kernel's default */
	bool has_table, has_scope;
	bool replaces;			/* the one that goes there, by whichever interface */
	uint32_t table;
	uint8_t scope;			/* else link without a gateway, universe with one */
};

/*
 * Give an interface, which must be up, its addresses and then its routes: one message to the kernel
 * for up to NL_BATCH_MAX of both.  IPv6 addresses can be used at once: there is no duplicate
 * address detection.  The error names the first address or route that was refused; the others are
 * set then, and the caller has to remove the interface.  A device route that the kernel made itself
 * along with one of the addresses is no conflict.
 */
int addr_apply(struct nl *nl, int ifindex, const struct ip_prefix *addrs, size_t n,
	       const struct route *routes, size_t m, struct err *e) must_check;

/* The same for an Ethernet interface, with an announcement of its IPv4 addresses (announce.h). */
int addr_apply_announced(struct nl *nl, int ifindex, const struct ip_prefix *addrs, size_t n,
			 const struct route *routes, size_t m, struct err *e) must_check;

/* -- composing, for addr_apply() and tests -- */

void addr_compose(struct nl_req *r, int ifindex, const struct ip_prefix *addr);
void route_compose(struct nl_req *r, int ifindex, const struct route *route);

#endif
