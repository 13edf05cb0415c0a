/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netdev_part.h - what the files of netdev.h have in common
 *
 * netdev_find.c finds the device, netdev_fetch.c brings it home, netdev.c sets and restores its
 * attributes; each calls those before it.
 */
#ifndef CNI_NETDEV_NETDEV_PART_H
#define CNI_NETDEV_NETDEV_PART_H

#include "cni/netdev/netdev.h"

/* Does the link have this address, of len bytes? */
bool netdev_has_mac(const struct link *link, const uint8_t *mac, size_t len);

/* Is this link of the host the device of the record? */
bool netdev_is_ours_at_home(const struct link *link, const struct record *rec);

/* Find the device of the record in one namespace, the pod's or the host's: 1, 0, -1. */
int netdev_find_in(struct nl *nl, const struct record *rec, bool in_pod, struct link *ret,
		   struct err *e) must_check;

/* Remove the alternative names that the device did not have before; *link is updated. */
int netdev_strip_altnames(struct nl *nl, const struct netdev_state *was, struct link *link,
			  struct err *e) must_check;

#endif
