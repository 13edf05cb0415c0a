/* SPDX-License-Identifier: Apache-2.0 */
/*
 * genl.h - generic netlink: connect to a family of messages by its name
 *
 * The controller (GENL_ID_CTRL) returns the number of a family, which the kernel assigned when the
 * family's module was loaded and which is the type of its messages; a second header with the
 * command follows the netlink header.
 *
 * Families without parallel requests (vDPA is one) share a lock with the controller.  While a
 * request of one of them hangs, genl_open() blocks uninterruptibly.  A family with parallel
 * requests, such as devlink, still answers once its number is known: use genl_open_bounded() for
 * it.
 */
#ifndef NETLINK_GENL_H
#define NETLINK_GENL_H

#include "base/deadline.h"
#include "netlink/nl.h"

/*
 * Connect, in our own namespace: 1 with the connection, which the caller ends by nl_done(), and the
 * type of the family's messages; 0 when there is no such family in this namespace; -1.
 */
int genl_open(const char *name, struct nl *ret, uint16_t *family, struct err *e) must_check;

/*
 * The same for a family with parallel requests: a child looks it up; ERR_TRY_AGAIN with ETIMEDOUT
 * when it is late.
 */
int genl_open_bounded(const char *name, struct nl *ret, uint16_t *family, const struct deadline *d,
		      struct err *e) must_check;

/*
 * Find the number of a family's group of messages, which a socket can be subscribed to.  A child
 * looks it up, as above: 1, 0 when there is no such family or group, -1.
 */
int genl_group_bounded(const char *family, const char *group, uint32_t *ret,
		       const struct deadline *d, struct err *e) must_check;

/* -- composing and parsing -- */

/* Begin a request to a family of version 1. */
void genl_req_init(struct nl_req *r, uint16_t family, uint8_t command);
void genl_put_text(struct nl_req *r, uint16_t type, const char *text);

/* Get the command of a message; -1 when it is too short to have one. */
int genl_command(const struct nlmsghdr *nlh) must_check;
/* Sort the attributes into tb[0..max]; false when the message is too short to have any. */
bool genl_attrs(const struct nlmsghdr *nlh, const struct nlattr *tb[], unsigned int max) must_check;

/* -- for genl_open() and for tests -- */

void genl_compose_family(struct nl_req *r, const char *name);
/* False when the message has no number. */
bool genl_parse_family(const struct nlmsghdr *nlh, uint16_t *ret) must_check;
/* False when the family has no group of this name. */
bool genl_parse_group(const struct nlmsghdr *nlh, const char *name, uint32_t *ret) must_check;

#endif
