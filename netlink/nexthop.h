/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nexthop.h - by which interfaces does a next hop leave that is an object of its own?
 *
 * With net.ipv4.nexthop_compat_mode=0 a route shows nothing of such but its number.
 */
#ifndef NETLINK_NEXTHOP_H
#define NETLINK_NEXTHOP_H

#include "base/err.h"
#include "netlink/nl.h"

#include <stdint.h>

typedef void nexthop_fn(uint32_t ifindex, void *arg);

/*
 * Call fn with each interface of the next hop with this number, of a group with those of its
 * members.  One that has gone meanwhile has none.
 */
int nexthop_each(struct nl *nl, uint32_t id, nexthop_fn *fn, void *arg, struct err *e) must_check;

#endif
