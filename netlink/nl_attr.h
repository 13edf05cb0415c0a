/* SPDX-License-Identifier: Apache-2.0 */
/* nl_attr.h - read messages and attributes of a datagram with every length checked */
#ifndef NETLINK_NL_ATTR_H
#define NETLINK_NL_ATTR_H

#include "base/attr.h"

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The rest of a datagram, or of attributes, still to be read.  libmnl's own iterators treat a
 * length of 2^31 as negative, and assume that the end is a multiple of four.
 */
struct nl_rest {
	const void *at;			/* aligned to four bytes */
	size_t len;
};

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
