/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link_stack.h - find and delete the interfaces that are stacked on another one
 *
 * They are VLANs, macvlans, ipvlans and tunnels bound to it, not a veth's peer.  Only those in the
 * namespace of the connection are found: the kernel lists them where they are, not where the lower
 * interface is.
 */
#ifndef NETLINK_LINK_STACK_H
#define NETLINK_LINK_STACK_H

#include "netlink/nl.h"

enum { LINK_STACKED_MAX = NL_BATCH_MAX };	/* found in one call */

struct link_stacked {
	unsigned int n;			/* there may be more than these */
	int ifindex[LINK_STACKED_MAX];
	char names[128];		/* joined with ',', all that fit */
};

/* nsid: the number of the lower interface's namespace in nl's, or one of these. */
enum { LINK_STACKED_HERE = -1, LINK_STACKED_FAR = -2 /* any other */ };

/* Find the interfaces stacked on ifindex, of namespace nsid; returns how many, or -1. */
int link_find_stacked(struct nl *nl, int ifindex, int nsid, struct link_stacked *ret,
		      struct err *e) must_check;

/* Get the number (nsid) that a namespace has in nl's; below 0: none yet. */
int link_nsid(struct nl *nl, int nsfd, int *ret, struct err *e) must_check;

/* Delete them; one that is gone meanwhile, or that the kernel cannot delete, is no error. */
int link_delete_stacked(struct nl *nl, const struct link_stacked *s, struct err *e) must_check;

#endif
