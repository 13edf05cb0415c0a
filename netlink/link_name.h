/* SPDX-License-Identifier: Apache-2.0 */
/* link_name.h - what people call an interface, for messages */
#ifndef NETLINK_LINK_NAME_H
#define NETLINK_LINK_NAME_H

#include "netlink/mnl.h"

enum { LINK_CALLED = 32 };

/*
 * "v0", or "interface 8" when it cannot be told: ret.  Asked for when something has failed already,
 * and so leaves nl->refused as it is.
 */
const char *link_called(struct nl *nl, int ifindex, char ret[LINK_CALLED]);

#endif
