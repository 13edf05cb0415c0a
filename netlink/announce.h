/* SPDX-License-Identifier: Apache-2.0 */
/* announce.h - tell the neighbours where an address lives now: gratuitous ARP, unsolicited NA */
#ifndef NETLINK_ANNOUNCE_H
#define NETLINK_ANNOUNCE_H

#include "netlink/addr.h"

enum { ANNOUNCE_ARP_LEN = 42, ANNOUNCE_NA_LEN = 86 };

/*
 * Send one frame for each address out of an Ethernet interface that is up, in any namespace
 * (NETNS_OWN for this one).  Best effort: nobody answers; an error says that a frame was not sent.
 */
int announce(int nsfd, int ifindex, const uint8_t mac[6], const struct ip_prefix *ips, size_t n,
	     struct err *e) must_check;

/* -- the frames, for announce() and tests -- */

/* Gratuitous ARP in request form (RFC 5227, "ARP Announcement"). */
void announce_arp(const uint8_t mac[6], const uint8_t ip[4], uint8_t ret[ANNOUNCE_ARP_LEN]);
/* Unsolicited Neighbor Advertisement to all nodes, override set (RFC 4861, 4.4 and 7.2.6). */
void announce_na(const uint8_t mac[6], const uint8_t ip[16], uint8_t ret[ANNOUNCE_NA_LEN]);

#endif
