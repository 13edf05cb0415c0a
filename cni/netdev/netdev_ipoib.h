/* SPDX-License-Identifier: Apache-2.0 */
/* netdev_ipoib.h - restore the attributes of an IPoIB interface, and its MTU */
#ifndef CNI_NETDEV_IPOIB_H
#define CNI_NETDEV_IPOIB_H

#include "devinfo/journal/record.h"
#include "netlink/link.h"

enum { IPOIB_ADDR_LEN = 20 };	/* flags and QPN, subnet prefix, GUID */

/*
 * Restore mode and umcast, and then the MTU, which the mode and the subnet manager limit.  What the
 * kernel refuses is only logged, because a new interface may not accept it before its port is up.
 * Other interfaces are not changed.
 */
void ipoib_restore(struct nl *home, const struct netdev_state *was, const struct link *now);

#endif
