/* SPDX-License-Identifier: Apache-2.0 */
/* prefer.h - which of a resource's free devices kubelet should give to a container */
#ifndef DAEMON_OFFER_PREFER_H
#define DAEMON_OFFER_PREFER_H

#include "daemon/offer/offer.h"

#include <stddef.h>

/* Ids of devices; borrowed. */
struct prefer_ids {
	const char *const *list;
	size_t n;
};

/*
 * Choose `size` of the available devices, those of `must` among them and first, in their order:
 * returns how many are in ret, whose texts are borrowed from both lists.  Fewer where fewer are
 * available; 0, so that kubelet chooses by itself, where there is no memory.  Of the others
 *
 *	- those come last that the ledger has promised to an attachment, and behind these what is
 *	  held, not healthy or not known;
 *	- as many as can be are of one NUMA node: that of `must`; else the node that has just enough
 *	  of them, so that larger ones stay whole;
 *	- of those of a node, each is of the PF that has the fewest devices with pods.
 *
 * The same question has the same answer.
 */
size_t offer_prefer(const struct offer *o, const struct inventory *inv,
		    const struct prefer_ids *available, const struct prefer_ids *must, size_t size,
		    const char **ret);

#endif
