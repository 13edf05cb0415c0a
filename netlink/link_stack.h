/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link_stack.h - the interfaces that are stacked on another one: find them, delete them
 *
 * VLANs, macvlans, ipvlans, tunnels that are bound to it; not the other end of a pair.  Only those
 * of the same namespace are seen: the kernel lists them where they are, not where it is.
 */
#ifndef NETLINK_LINK_STACK_H
#define NETLINK_LINK_STACK_H

#include "netlink/mnl.h"

enum { LINK_STACKED_MAX = NL_BATCH_MAX };	/* that are found at once */

struct link_stacked {
	unsigned int n;			/* of which there may be more */
	int ifindex[LINK_STACKED_MAX];
	char names[128];		/* joined with ',', all that fit */
};

/* In which namespace the lower one is, beside its number in nl's. */
enum { LINK_STACKED_HERE = -1, LINK_STACKED_FAR = -2 /* any other */ };

/* How many were found, -1. */
int link_find_stacked(struct nl *nl, int ifindex, int nsid, struct link_stacked *ret,
		      struct err *e) must_check;

/* The number that a namespace has in nl's; below 0: none yet. */
int link_nsid(struct nl *nl, int nsfd, int *ret, struct err *e) must_check;

/* Delete them; one that has gone meanwhile is no error, nor one that nobody can delete. */
int link_delete_stacked(struct nl *nl, const struct link_stacked *s, struct err *e) must_check;

#endif
