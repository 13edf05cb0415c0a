/* SPDX-License-Identifier: Apache-2.0 */
/* addr_find.h - the addresses and routes of interfaces: has one those given? */
#ifndef NETLINK_ADDR_FIND_H
#define NETLINK_ADDR_FIND_H

#include "netlink/addr.h"

/*
 * Look for n addresses, each with its prefix length: 1 when the interface has all of them and maybe
 * others, 0 with the index of the first that it lacks in *missing, -1 (also when there is no such
 * interface).  One dump, whatever n is; none for n 0.  A prefix length of ADDR_ANY_LEN matches any.
 */
enum { ADDR_ANY_LEN = 255 };
int addr_find(struct nl *nl, int ifindex, const struct ip_prefix *want, size_t n, size_t *missing,
	      struct err *e) must_check;

/*
 * The same for routes.  A route matches when it has that destination and, if given, table, leaves
 * by the interface (one of several next hops is enough), and equals whatever else is given; who
 * added it, the kernel or somebody, does not matter.
 */
int route_find(struct nl *nl, int ifindex, const struct route *want, size_t n, size_t *missing,
	       struct err *e) must_check;

/* Call fn with each address of each interface; with NULL when the list begins, maybe anew. */
typedef void addr_fn(int ifindex, const struct ip_prefix *addr, void *arg);
int addr_each(struct nl *nl, addr_fn *fn, void *arg, struct err *e) must_check;

/* -- reading the kernel's list, for the functions above and tests -- */

struct addr_list {
	int ifindex;
	const struct ip_prefix *addrs;
	const struct route *routes;	/* either these or addrs */
	size_t n;
	bool *seen;			/* of n */
};

/* Take a reply to a dump: mark what is in the list as seen; arg is a struct addr_list. */
int addr_see(const struct nlmsghdr *nlh, void *arg, struct err *e) must_check;
int route_see(const struct nlmsghdr *nlh, void *arg, struct err *e) must_check;

#endif
