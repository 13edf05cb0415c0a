/* SPDX-License-Identifier: Apache-2.0 */
/* link_use.h - does a namespace itself use an interface, by addresses or routes? */
#ifndef NETLINK_LINK_USE_H
#define NETLINK_LINK_USE_H

#include "netlink/ip.h"
#include "netlink/mnl.h"

struct link_use {
	int ifindex;
	bool is_route;			/* else it is an address */
	struct ip_prefix prefix;	/* the address, or the route's destination */
};

/*
 * The first address or route of these interfaces: 1; 0 when there is none, -1.  What is of the link
 * alone (fe80::/10, 169.254.0.0/16, multicast) does not count, nor a route that the kernel has made
 * by itself, nor one whose next hop is an object and that does not show its interface: its gateway
 * is reached by an address of the interface.
 */
int link_use_find(struct nl *nl, const int *ifindex, size_t n, struct link_use *ret, struct err *e)
	must_check;

#endif
