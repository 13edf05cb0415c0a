/* SPDX-License-Identifier: Apache-2.0 */
/* offer_part.h - one device while it is looked at, for the room's own */
#ifndef DAEMON_OFFER_OFFER_PART_H
#define DAEMON_OFFER_OFFER_PART_H

#include "conf/socket_slot.h"
#include "daemon/offer/offer.h"

/* What is known while offers are made; all is borrowed but ret, which grows. */
struct offering {
	const struct pools *pools;
	const struct inventory *inv;
	const struct offers *before;	/* NULL: nothing was offered */
	const struct offer_policy *policy;
	struct offers *ret;
};

/* A socket that a pool offers. */
struct offer_slot {
	size_t pool;
	const char *resource;
	struct socket_slot at;		/* path "": it can have none, */
	struct err why;			/* for this reason */
};

/* One device, and who has it. */
struct offer_device {
	const char *id;
	const struct offer_slot *slot;	/* NULL: it is a device of the node's */
	const struct inv_function *f;	/* what it is, or what the auxiliary device is on; NULL */
	const struct inv_auxiliary *x;	/* NULL: it is none, or has vanished */
	bool vanished;
	const struct inv_attachment *holder;	/* that lives or not; NULL */
	const struct inv_allocation *given;	/* to a pod, as one of our resources; NULL */
	const struct inv_allocation *elsewhere;	/* to a pod, as another resource or by a claim */
	bool still_given;		/* kubelet gave it, and does not answer now, or not yet */
};

/* Does the attachment that has it live, or can that not be told? */
bool offer_is_attached(const struct offer_device *d);
/* Is it attached, or given to a pod? */
bool offer_is_held(const struct offer_device *d);

/* -- offer_pool.c -- */

/* Fill in who has the device, whose other members are set. */
void offer_find_holder(const struct offering *o, struct offer_device *d);

/* Find the pool of a device: its place, or INV_NONE. */
int offer_find_pool(const struct offering *o, const struct offer_device *d);

/* Find the pool of a resource: its place, or INV_NONE. */
int offer_pool_named(const struct offering *o, const char *resource);

/* Find the device as it was offered before; NULL. */
const struct offered *offer_before(const struct offering *o, const char *id,
				   const char **resource);

/* -- offer_health.c -- */

/* Can it be used?  If not, *reason says why, by names or not; else that is "". */
bool offer_is_healthy(const struct offering *o, const struct offer_device *d,
		      char reason[OFFER_REASON], bool *names);

#endif
