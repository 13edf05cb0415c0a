/* SPDX-License-Identifier: Apache-2.0 */
/* link_name.h - the name of an interface for messages */
#ifndef NETLINK_LINK_NAME_H
#define NETLINK_LINK_NAME_H

#include "netlink/nl.h"

enum { LINK_CALLED = 32 };

/*
 * Format its name, "v0", or "interface 8" when it is not known; returns ret.  For use after an
 * error: it leaves nl->refused unchanged.
 */
const char *link_called(struct nl *nl, int ifindex, char ret[LINK_CALLED]);

#endif
