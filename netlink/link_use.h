/* SPDX-License-Identifier: Apache-2.0 */
/* link_use.h - check whether a namespace has addresses or routes on an interface */
#ifndef NETLINK_LINK_USE_H
#define NETLINK_LINK_USE_H

#include "netlink/ip.h"
#include "netlink/nl.h"

struct link_use {
	int ifindex;
	bool is_route;			/* else it is an address */
	struct ip_prefix prefix;	/* the address, or the route's destination */
};

/*
 * Find the first address or route of these interfaces: 1; 0 when there is none, -1.  Link-local
 * ones (fe80::/10, 169.254.0.0/16) and multicast do not count, nor routes that the kernel adds by
 * itself, nor a route whose next-hop object hides its interface: its gateway is reached by an
 * address of the interface, which counts.
 */
int link_use_find(struct nl *nl, const int *ifindex, size_t n, struct link_use *ret, struct err *e)
	must_check;

#endif
