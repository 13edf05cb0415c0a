/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hex.h - recorded netlink messages, as text
 *
 * They are a little-endian machine's: integers of netlink are in the machine's own order.
 */
#ifndef TESTS_UNIT_HEX_H
#define TESTS_UNIT_HEX_H

#include "netlink/nl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct message {
	union {
		struct nlmsghdr h;
		uint8_t buf[1024];
	};
};

/* One message; ends the test when the text is none. */
static inline struct message message_of(const char *hex)
{
	struct message m = { .buf = { 0 } };
	size_t n = strlen(hex) / 2;

	for (size_t i = 0; i < n && i < sizeof(m.buf); i++)
		if (sscanf(hex + 2 * i, "%2hhx", &m.buf[i]) != 1)
			exit(1);
	if (n > sizeof(m.buf) || m.h.nlmsg_len != n)
		exit(1);
	return m;
}

/* Has a request the type and payload of a recorded one?  Its flags and number are given later. */
static inline bool same_request(const struct nl_req *r, const char *hex)
{
	struct message want = message_of(hex);

	return r->h.nlmsg_type == want.h.nlmsg_type && r->h.nlmsg_len == want.h.nlmsg_len &&
	       memcmp(r->buf + sizeof(r->h), want.buf + sizeof(want.h),
		      want.h.nlmsg_len - sizeof(want.h)) == 0;
}

#endif
