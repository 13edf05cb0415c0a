/* SPDX-License-Identifier: Apache-2.0 */
/* announce.h - announce an address that has moved: gratuitous ARP, unsolicited NA */
#ifndef NETLINK_ANNOUNCE_H
#define NETLINK_ANNOUNCE_H

#include "netlink/ip.h"
#include "netlink/nl.h"

enum { ANNOUNCE_NA_LEN = 32 };

/*
 * Open the socket for IPv6 announcements in a namespace (NETNS_OWN: ours); the caller closes it.
 * 1, 0 when there is no IPv6, -1.  It is opened before the changes, so that no namespace has to be
 * entered after them.
 */
int announce_open(int nsfd, int *ret_fd, struct err *e) must_check;

/*
 * Announce, once, the IPv6 addresses among ips, of an Ethernet interface that has them, is up and
 * has a carrier.  fd is from announce_open() in its namespace.  Nobody answers; an error says that
 * something was not sent.  IPv4 addresses go with addr_apply_announced(): the kernel sends their
 * gratuitous ARP three times, one second apart.
 */
int announce(int fd, int ifindex, const uint8_t mac[6], const struct ip_prefix *ips, size_t n,
	     struct err *e) must_check;

/* -- the messages, for announce(), addr_apply_announced() and tests -- */

/* Ask the kernel to look for a neighbour with our own address. */
void announce_compose(struct nl_req *r, int ifindex, const struct ip *ip);
/* Unsolicited Neighbor Advertisement, override set (RFC 4861, 4.4 and 7.2.6), without checksum. */
void announce_na(const uint8_t mac[6], const uint8_t ip[16], uint8_t ret[ANNOUNCE_NA_LEN]);

#endif
