/* SPDX-License-Identifier: Apache-2.0 */
/* addr_find.h - has an interface these addresses, go these routes out of it? */
#ifndef NETLINK_ADDR_FIND_H
#define NETLINK_ADDR_FIND_H

#include "netlink/addr.h"

/*
 * Look for n addresses, each with its prefix length: 1 when the interface has all of them and maybe
 * others, 0 with the index of the first that it lacks in *missing, -1 (also when there is no such
 * interface).  One dump, whatever n is; none for no address.  A length of ADDR_ANY_LEN is any.
 */
enum { ADDR_ANY_LEN = 255 };
int addr_find(struct nl *nl, int ifindex, const struct ip_prefix *want, size_t n, size_t *missing,
	      struct err *e) must_check;

/*
 * The same for routes.  A route is the one that is wanted when it has that destination and, if that
 * is given, table, leaves by the interface (be it by one of several next hops), and equals whatever
 * else is given; who made it, the kernel along with an address or somebody, is all the same.
 */
int route_find(struct nl *nl, int ifindex, const struct route *want, size_t n, size_t *missing,
	       struct err *e) must_check;

/* -- reading the kernel's list, for the functions above and tests -- */

struct addr_list {
	int ifindex;
	const struct ip_prefix *addrs;
	const struct route *routes;	/* either these or addrs */
	size_t n;
	bool *seen;			/* of n */
};

/* Replies to a dump: what is in the list of an interface is seen; arg is a struct addr_list. */
int addr_see(const struct nlmsghdr *nlh, void *arg, struct err *e) must_check;
int route_see(const struct nlmsghdr *nlh, void *arg, struct err *e) must_check;

#endif
