/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ip.h - IP addresses and prefixes, and their texts
 *
 * Only what inet_pton(3) takes is valid, and for a prefix one '/' and a length without sign or
 * leading zero.  Names are not resolved.
 */
#ifndef NETLINK_IP_H
#define NETLINK_IP_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IP_TEXT = 46, PREFIX_TEXT = 50 };

struct ip {
	int family;			/* AF_INET, AF_INET6; 0: none */
	uint8_t bytes[16];		/* network order; IPv4 uses four */
};

struct ip_prefix {
	struct ip ip;			/* host bits are kept */
	uint8_t len;
};

bool ip_parse(const char *text, struct ip *ret) must_check;
const char *ip_format(const struct ip *ip, char ret[IP_TEXT]);
/* Bytes of the address: 4 or 16. */
size_t ip_len(const struct ip *ip) must_check;

bool prefix_parse(const char *text, struct ip_prefix *ret) must_check;
const char *prefix_format(const struct ip_prefix *p, char ret[PREFIX_TEXT]);
/* Return the prefix's address with the host bits cleared. */
struct ip prefix_network(const struct ip_prefix *p) must_check;
/* Return it with all host bits set. */
struct ip prefix_broadcast(const struct ip_prefix *p) must_check;

/* Does the address lie in the network of the prefix? */
bool prefix_has(const struct ip_prefix *p, const struct ip *ip) must_check;

#endif
