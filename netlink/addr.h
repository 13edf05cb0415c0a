/* SPDX-License-Identifier: Apache-2.0 */
/*
 * addr.h - IP addresses and routes: text, and their way into an interface
 *
 * Texts are strict: what inet_pton(3) takes, and for a prefix one '/' and a length
 * without sign or leading zero.  Nothing is resolved.
 */
#ifndef NETLINK_ADDR_H
#define NETLINK_ADDR_H

#include "netlink/mnl.h"

enum { IP_TEXT = 46, PREFIX_TEXT = 50 };

struct ip {
	int family;			/* AF_INET, AF_INET6; 0: none */
	uint8_t bytes[16];		/* network order; IPv4 uses four */
};

struct ip_prefix {
	struct ip ip;			/* host bits are kept */
	uint8_t len;
};

struct route {
	struct ip_prefix dst;		/* length 0: the default route of its family */
	struct ip gw;			/* family 0: a device route; may be of the other family */
	uint32_t mtu, advmss, priority;	/* 0: not given */
	bool has_table, has_scope;
	uint32_t table;
	uint8_t scope;			/* else link for a device route, universe with a gateway */
};

bool ip_parse(const char *text, struct ip *ret) must_check;
const char *ip_format(const struct ip *ip, char ret[IP_TEXT]);
/* 4 or 16. */
size_t ip_len(const struct ip *ip) must_check;

bool prefix_parse(const char *text, struct ip_prefix *ret) must_check;
const char *prefix_format(const struct ip_prefix *p, char ret[PREFIX_TEXT]);
/* Its address with the host bits cleared. */
struct ip prefix_network(const struct ip_prefix *p) must_check;

/* Does the address lie in the network of the prefix? */
bool prefix_has(const struct ip_prefix *p, const struct ip *ip) must_check;

/*
 * Give an interface, which must be up, its addresses and then its routes: one message to the kernel
 * for up to NL_BATCH_MAX of both.  IPv6 addresses can be used at once: there is no duplicate
 * address detection.  The error names the first address or route that was refused; the others are
 * there then, and it is for the caller to take the interface away.  A device route that the kernel
 * made itself along with one of the addresses is no conflict.
 */
int addr_apply(struct nl *nl, int ifindex, const struct ip_prefix *addrs, size_t n,
	       const struct route *routes, size_t m, struct err *e) must_check;

/* The same, of an Ethernet interface, with an announcement of the IPv4 addresses (announce.h). */
int addr_apply_announced(struct nl *nl, int ifindex, const struct ip_prefix *addrs, size_t n,
			 const struct route *routes, size_t m, struct err *e) must_check;

/* -- composing, for addr_apply() and tests -- */

void addr_compose(struct nl_req *r, int ifindex, const struct ip_prefix *addr);
void route_compose(struct nl_req *r, int ifindex, const struct route *route);

#endif
