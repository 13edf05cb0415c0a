/* SPDX-License-Identifier: Apache-2.0 */
/* netdev_ipoib.h - give an IPoIB interface back what it has of its own, and its MTU */
#ifndef CNI_NETDEV_IPOIB_H
#define CNI_NETDEV_IPOIB_H

#include "devinfo/journal/record.h"
#include "netlink/link.h"

enum { IPOIB_ADDR_LEN = 20 };	/* flags and QPN, subnet prefix, GUID */

/*
 * Mode and umcast, and then the MTU, which the mode and the subnet manager limit: what the kernel
 * refuses is logged, for an interface that was made anew may not get it before its port is up.
 * Nothing is done to another interface.
 */
void ipoib_restore(struct nl *home, const struct netdev_state *was, const struct link *now);

#endif
