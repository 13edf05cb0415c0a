/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offer.h - which devices each pool offers to kubelet, and which of them can be used
 *
 * The room daemon/offer/ decides what a device plugin tells: a function of the pools, of an
 * inventory, of what was offered before, and of a policy.  It asks nobody, waits for nothing and
 * changes nothing; only promise.c and kept.c read files, for who has not read them yet.
 *
 * To be read in this order:
 *
 *	offer.c		each device is looked at, and put into the list of its pool; offer_list.c
 *			searches such lists
 *	offer_pool.c	which pool that is
 *	offer_health.c	whether it can be used, and if not, why: one row for each reason
 *	promise.c	what the ledger has promised to pods
 *	kept.c		what a kubelet that has just started does not list yet
 *	prefer.c	which of those that are free kubelet should take
 *
 * A device that a pod has stays in the list of its resource, whatever becomes of it: its network
 * device is in the pod, so selectors by its name do not find it there, and kubelet would count it
 * as gone, and offer it again.  One that the node does not have any more stays as long as a pod has
 * it, but cannot be used.  One that nobody has is in the first pool that selects it, or in none.
 */
#ifndef DAEMON_OFFER_OFFER_H
#define DAEMON_OFFER_OFFER_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/kubelet/allocation.h"
#include "devinfo/taint/tainted.h"
#include "manager/inventory/inventory.h"
#include "manager/match/pool.h"

#include <stdbool.h>
#include <stddef.h>

enum { OFFER_ID = 64, OFFER_REASON = 256, OFFER_RESOURCE = 320 };

struct offered {			/* one device of a resource */
	char id[OFFER_ID];		/* PCI address, or name of the auxiliary device or socket */
	bool healthy;
	char reason[OFFER_REASON];	/* why it is not: one sentence without a full stop; "" */
	bool names;			/* that names a pod, a network or a container: it is for
					   who may know of all of the node */
	int numa;			/* when has_numa: 0 or more */
	bool has_numa;
	int function, auxiliary;	/* places in the inventory: a PCI function has the former,
					   an auxiliary device both, if it is on a function that
					   is known; INV_NONE: the node does not have it */
	int attachment, allocation;	/* places there, too, of the live one that has it, and of
					   what kubelet gave; INV_NONE */
	bool socket;			/* of a pool of sockets, and so in no inventory */
	bool held;			/* a live attachment has it, or kubelet gave it to a pod */
	bool given;			/* the latter */
	bool promised;			/* the ledger has chosen it for an attachment */
};

struct offer {				/* one resource */
	char resource[OFFER_RESOURCE];
	size_t pool;			/* its place in the pools */
	struct offered *list;		/* owned; in natural order of the ids, each one once */
	size_t n;
};

struct offers {
	struct offer *list;		/* owned; one for each pool, in order, and be it empty */
	size_t n;
};

/* What the ledger has chosen for an attachment. */
struct offer_promise {
	char id[OFFER_ID], resource[OFFER_RESOURCE];
	char network[64], container_id[72], ifname[16];	/* the attachment; cut */
};

struct offer_promises {
	struct offer_promise *list;	/* owned */
	size_t n;
};

/* Read all promises of the ledger: 0, -1.  At most OFFER_PROMISES_MAX; others are left out. */
enum { OFFER_PROMISES_MAX = 8192 };
int offer_promises_read(const struct host *host, struct offer_promises *ret,
			struct err *e) must_check;
void offer_promises_done(struct offer_promises *p);
#define auto_offer_promises auto_with(offer_promises_done)

/* What has failed while it was on offer, as a reset before a container's start. */
struct offer_failure {
	char id[OFFER_ID], reason[OFFER_REASON];	/* a sentence, as in struct offered */
};

struct offer_failures {
	struct offer_failure *list;	/* owned */
	size_t n;
};

/*
 * Read what kubelet's checkpoint has of all pods, see kept.c: false where that does not count, or
 * cannot be read, or has none.
 */
enum { OFFER_YOUNG_S = 30 * 60 };	/* from kubelet's start */
bool offer_kept_read(const struct host *host, struct allocation *ret) must_check;

/* All is borrowed. */
struct offer_policy {
	const struct host *host;	/* the taints that its node file tolerates are none */
	bool requires_carrier;		/* of the PF; of what has none, its own */
	const struct taint_rules *taints;	/* NULL: no taint counts */
	const struct offer_promises *promises;	/* NULL: none is known */
	const struct offer_failures *failures;	/* NULL: none is known */
	const struct allocation *kept;	/* by offer_kept_read(); NULL: there is none */
};

/*
 * Make the offers of all pools: 0, -1 where there is no memory.  The inventory was read, joined
 * and, where there is a kubelet, filled with what it gave.  `before` is what was offered last, by
 * these pools or others; NULL after a start.
 */
int offers_make(const struct pools *p, const struct inventory *inv, const struct offers *before,
		const struct offer_policy *policy, struct offers *ret, struct err *e) must_check;

/* Find the device with this id; NULL. */
const struct offered *offer_find(const struct offer *o, const char *id);

/* Find what is offered of a resource; NULL. */
const struct offer *offers_find(const struct offers *o, const char *resource);

void offers_done(struct offers *o);
#define auto_offers auto_with(offers_done)

#endif
