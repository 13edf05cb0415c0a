/* SPDX-License-Identifier: Apache-2.0 */
/* nlerr.h - convert an NLMSG_ERROR, with the kernel's own text, to a struct err */
#ifndef NETLINK_NLERR_H
#define NETLINK_NLERR_H

#include "base/err.h"

#include <linux/netlink.h>

/*
 * Read the answer to a request: an NLMSG_ERROR, or the NLMSG_DONE that ends a dump.  Returns 0 when
 * it says success.  Otherwise -1 and *e: the message is "the kernel refused" for the caller to wrap
 * with the object's name; sys is the errno; the code is ERR_NETLINK, or ERR_PERMISSION for EPERM;
 * the details are strerror's text and, in quotes, what the extended ACK says.
 */
int nlerr_get(const struct nlmsghdr *nlh, struct err *e) must_check;

#endif
