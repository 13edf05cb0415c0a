/* SPDX-License-Identifier: Apache-2.0 */
/* nl_attr.h - read messages and attributes of a datagram with every length checked */
#ifndef NETLINK_NL_ATTR_H
#define NETLINK_NL_ATTR_H

#include "base/attr.h"

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/*
 * The rest of a datagram, or of attributes, still to be read.  Any length is taken for what it is,
 * also one of 2^31 or an end that is no multiple of four.
 */
struct nl_rest {
	const void *at;			/* aligned to four bytes */
	size_t len;
};

/* What follows the header of a message, and of an attribute, that is whole. */
static inline const void *nl_payload(const struct nlmsghdr *nlh)
{
	return nlh + 1;
}

static inline size_t nl_payload_len(const struct nlmsghdr *nlh)
{
	return nlh->nlmsg_len - sizeof(*nlh);
}

static inline uint16_t nl_attr_type(const struct nlattr *a)
{
	return a->nla_type & NLA_TYPE_MASK;
}

static inline const void *nl_attr_data(const struct nlattr *a)
{
	return a + 1;
}

static inline size_t nl_attr_len(const struct nlattr *a)
{
	return a->nla_len - sizeof(*a);
}

/* Return the next one and step over it; NULL when there is none, or it is cut off. */
const struct nlmsghdr *nl_next_message(struct nl_rest *rest) must_check;
const struct nlattr *nl_next_attr(struct nl_rest *rest) must_check;
/* The attributes after a message's family header of `header` bytes; none when it is shorter. */
struct nl_rest nl_attrs_of(const struct nlmsghdr *nlh, size_t header) must_check;
struct nl_rest nl_nested(const struct nlattr *nest) must_check;

/* Sort attributes into tb[0..max] by type; unknown types are skipped, later ones win. */
void nl_attrs(const void *data, size_t len, const struct nlattr *tb[], unsigned int max);
void nl_attrs_nested(const struct nlattr *nest, const struct nlattr *tb[], unsigned int max);
/* Copy the first len bytes of the payload; false, *ret untouched, when absent or shorter. */
bool nl_get(const struct nlattr *a, void *ret, size_t len);
/* Copy text of at most size - 1 bytes; false, ret untouched, when absent or longer. */
bool nl_get_text(const struct nlattr *a, char *ret, size_t size);

#endif
