/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nl_ipoib.h - what an IPoIB interface has of its own: its mode, and umcast
 *
 * The mode (datagram or connected) decides how large the MTU may be.  Kernels before 5.10 tell
 * these of child interfaces only.
 */
#ifndef NETLINK_NL_IPOIB_H
#define NETLINK_NL_IPOIB_H

#include "netlink/mnl.h"

struct ipoib {
	bool have;			/* the kernel tells them */
	uint16_t mode;			/* IPOIB_MODE_* */
	uint16_t umcast;		/* multicast groups are joined by programs: 0, 1 */
};

int ipoib_set(struct nl *nl, int ifindex, const struct ipoib *want, struct err *e) must_check;

/* -- composing and parsing, for the functions above, link_parse() and tests -- */

void ipoib_compose(struct nl_req *r, int ifindex, const struct ipoib *want);
/* Of the attribute IFLA_INFO_DATA of such an interface, which may be NULL. */
void ipoib_parse(const struct nlattr *data, struct ipoib *ret);

#endif
