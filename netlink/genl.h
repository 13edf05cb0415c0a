/* SPDX-License-Identifier: Apache-2.0 */
/*
 * genl.h - generic netlink: a connection to a family of messages that is known by its name
 *
 * The controller (GENL_ID_CTRL) gives the number of a family, which the kernel chose when the
 * family's module was loaded and which is the type of its messages; behind the netlink header
 * stands one with the command.
 *
 * While one family that takes no requests in parallel (vDPA is such a one) is stuck in a request,
 * all others like it are, the controller among them: genl_open() blocks where no signal reaches it.
 * A family that takes requests in parallel, as devlink does, still answers then, once its number is
 * known: that is for genl_open_bounded().
 */
#ifndef NETLINK_GENL_H
#define NETLINK_GENL_H

#include "base/deadline.h"
#include "netlink/mnl.h"

/*
 * Connect, in our own namespace: 1 with the connection, which the caller ends by nl_done(), and the
 * type of the family's messages; 0 when there is no such family in this namespace; -1.
 */
int genl_open(const char *name, struct nl *ret, uint16_t *family, struct err *e) must_check;

/*
 * The same where we ask a family that takes requests in parallel: a child looks for it,
 * ERR_TRY_AGAIN with ETIMEDOUT when that is late.
 */
int genl_open_bounded(const char *name, struct nl *ret, uint16_t *family, const struct deadline *d,
		      struct err *e) must_check;

/* -- composing and parsing -- */

/* Begin a request to a family of version 1. */
void genl_req_init(struct nl_req *r, uint16_t family, uint8_t command);
void genl_put_text(struct nl_req *r, uint16_t type, const char *text);

/* The command of a message, -1 when it is too short to have one. */
int genl_command(const struct nlmsghdr *nlh) must_check;
/* Sort the attributes into tb[0..max]; false when the message is too short to have any. */
bool genl_attrs(const struct nlmsghdr *nlh, const struct nlattr *tb[], unsigned int max) must_check;

/* -- for genl_open() and for tests -- */

void genl_compose_family(struct nl_req *r, const char *name);
/* False when the message tells no number. */
bool genl_parse_family(const struct nlmsghdr *nlh, uint16_t *ret) must_check;

#endif
