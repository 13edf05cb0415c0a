/* SPDX-License-Identifier: Apache-2.0 */
/* default_route.h - by which interfaces does a namespace reach everything else? */
#ifndef NETLINK_DEFAULT_ROUTE_H
#define NETLINK_DEFAULT_ROUTE_H

#include "netlink/mnl.h"

/* Interfaces, in no order, each once. */
struct default_routes {
	uint32_t *ifindex;	/* owned */
	size_t n;
};

/*
 * Those of all default routes to somewhere, of IPv4 and IPv6, in all tables, of routes with several
 * next hops and of next hops that are objects of their own all of them.  *ret is owned.
 */
int default_routes_get(struct nl *nl, struct default_routes *ret, struct err *e) must_check;

void default_routes_done(struct default_routes *d);

#define auto_default_routes auto_with(default_routes_done)

#endif
