/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger.h - which attachment of a pod gets which of its devices
 *
 * kubelet gives devices to a pod, not to its networks.  The ledger assigns them, with one file a
 * pod in <stateDir>/pods, so that an attachment that is retried gets the same device, and two
 * attachments never get the same one, in any order.  The journal (journal.h) records what has
 * really been attached; the ledger only remembers choices, and no device is lost with it.
 */
#ifndef DEVINFO_JOURNAL_LEDGER_H
#define DEVINFO_JOURNAL_LEDGER_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"
#include "devinfo/kubelet/allocation.h"

/*
 * The callback returns 1 when another live attachment has this device, 0 when it is free, -1.
 * Called with the pod locked: it may search the journal, but takes no lock.
 */
typedef int ledger_taken_fn(const char *id, void *arg, struct err *e);

/* The request of an attachment for one of its pod's devices.  All is borrowed. */
struct ledger_ask {
	const struct pod *pod;
	const struct owner *who;	/* a retry has the same network and interface */
	const char *resource;		/* resource of the ids; NULL: of claims */
	bool insists;			/* n is 1, and it takes no other device */
	const char *const *ids;		/* each one once, name_is_device_id(), the best first */
	size_t n;
	ledger_taken_fn *taken;
	void *arg;
};

struct ledger_choice {
	size_t index;			/* of ids */
	const char *why;		/* for people; a constant */
	char lost[128];			/* a warning that earlier choices were lost; or "" */
};

/*
 * Choose one of the ids and remember it durably: 1; 0 when live attachments have all of them; -1,
 * ERR_TRY_AGAIN when that is not decided within settings.lock_timeout_ms.  In this order:
 *
 *	- what this attachment (network and interface) was given before
 *	- the first that no attachment of the pod was ever given
 *	- the first whose attachment is gone
 *
 * but only devices that are not taken.  An attachment that insists on a taken device is noted for
 * it, so that the other attachment gets another one when both are retried.  When no other device is
 * left, the call waits for one whose attachment is still in its ADD and has no record yet.
 *
 * j is the journal's, opened with JOURNAL_CREATE; the caller holds the lock of the attachment, but
 * of no device.  The pod is locked only during this call: the caller claims the device under the
 * device's lock, and calls again when another one was first.
 */
int ledger_assign(const struct host *h, struct journal *j, const struct ledger_ask *ask,
		  struct ledger_choice *ret, struct err *e) must_check;

/*
 * Note that this attachment is configured to take a device that another attachment of the pod was
 * given, so that the other one gets another device when both are retried: 1; 0 when it was given to
 * none, -1.  As with ledger_assign(), the caller holds the lock of no device.
 */
int ledger_insist(const struct host *h, struct journal *j, const struct pod *pod,
		  const struct owner *who, const char *id, struct err *e) must_check;

/*
 * Make the same choice for display only: without lock, waiting or note.  ask->who needs no
 * container id.
 */
int ledger_peek(const struct host *h, const struct ledger_ask *ask, struct ledger_choice *ret,
		struct err *e) must_check;

/*
 * Find the attachment that was given this device of the pod: 1, 0 none known, -1.  Long texts are
 * cut.
 */
struct ledger_entry {
	char network[256], ifname[16], container_id[256];
};
int ledger_find(const struct host *h, const struct pod *pod, const char *resource, const char *id,
		struct ledger_entry *ret, struct err *e) must_check;

/*
 * The same of whichever resource, the latest choice: an attachment that names its device has none,
 * and one of a claim the resource that its network asked for.
 */
int ledger_find_id(const struct host *h, const struct pod *pod, const char *id,
		   struct ledger_entry *ret, struct err *e) must_check;

/*
 * Remove files that are older than this (seconds) and whose pods have no attachment with a record
 * or a running call; the others count as new again.  ledger_assign() does so with LEDGER_SWEEP_S
 * when it makes a new file, once an hour, because the cost grows with the number of files.
 */
#define LEDGER_SWEEP_S	(24 * 60 * 60)
int ledger_sweep(const struct host *h, struct journal *j, unsigned int older_than_s,
		 struct err *e) must_check;

/* Would ledger_sweep() remove this file?  1, 0, -1.  Changes nothing. */
int ledger_is_left(const struct host *h, struct journal *j, const char *file,
		   unsigned int older_than_s, struct err *e) must_check;
/* Remove it, if so: 1; 0 if not, or while another call has it locked; -1. */
int ledger_remove_left(const struct host *h, struct journal *j, const char *file,
		       unsigned int older_than_s, struct err *e) must_check;

#endif
