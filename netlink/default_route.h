/* SPDX-License-Identifier: Apache-2.0 */
/* default_route.h - find the interfaces of a namespace's default routes, or remove those of one */
#ifndef NETLINK_DEFAULT_ROUTE_H
#define NETLINK_DEFAULT_ROUTE_H

#include "netlink/nl.h"

/* A set of interfaces, in no order. */
struct default_routes {
	uint32_t *ifindex;	/* owned */
	size_t n;
};

/*
 * Get the interfaces of all default routes of type unicast, of IPv4 and IPv6, in all tables, with
 * all next hops and next-hop objects.  The caller releases *ret.
 */
int default_routes_get(struct nl *nl, struct default_routes *ret, struct err *e) must_check;

/* Remove those of an interface from the main table, of one family (AF_INET, AF_INET6). */
int default_routes_remove(struct nl *nl, int ifindex, int family, struct err *e) must_check;

void default_routes_done(struct default_routes *d);

#define auto_default_routes auto_with(default_routes_done)

#endif
