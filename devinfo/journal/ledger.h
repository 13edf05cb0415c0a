/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger.h - which attachment of a pod gets which of its devices
 *
 * kubelet gives devices to a pod, not to its networks.  The ledger is where we settle it,
 * one file a pod in <stateDir>/pods, so that an attachment that is tried again gets the
 * same device, and two attachments never the same one, whoever asks first.  What has
 * really been attached is the journal's to say (journal.h); the ledger only remembers
 * choices, and losing it loses no device.
 */
#ifndef DEVINFO_JOURNAL_LEDGER_H
#define DEVINFO_JOURNAL_LEDGER_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"
#include "devinfo/kubelet/allocation.h"

/*
 * 1 when a live attachment other than the one at hand has this device, 0 when it is free, -1.
 * Called with the pod locked: it may search the journal, but takes no lock.
 */
typedef int ledger_taken_fn(const char *id, void *arg, struct err *e);

/* An attachment that needs one of its pod's devices.  All is borrowed. */
struct ledger_ask {
	const struct pod *pod;
	const struct owner *who;	/* network and interface make it the same one again */
	const char *resource;		/* whose ids these are; NULL: of no resource, but claims */
	bool insists;			/* it wants the only one of ids, and none else */
	const char *const *ids;		/* each one once, name_is_device_id(), the best first */
	size_t n;
	ledger_taken_fn *taken;
	void *arg;
};

struct ledger_choice {
	size_t index;			/* of ids */
	const char *why;		/* for people; a constant */
	char lost[128];			/* why there are no earlier ones: a warning; or "" */
};

/*
 * Choose one of the ids and remember it durably: 1; 0 when live attachments have all of them; -1,
 * ERR_TRY_AGAIN when that is not settled within settings.lock_timeout_ms.  In this order:
 *
 *	- what this attachment (network and interface) was given before
 *	- the first that no attachment of the pod was ever given
 *	- the first whose attachment is gone
 *
 * and of these only what is not taken.  One who insists on a device that is taken is remembered for
 * it, so that the other attachment gets another one when both are tried again.  A device that was
 * given to an attachment whose ADD has not come to its record yet is waited for when there is no
 * other.
 *
 * j is the journal's, opened with JOURNAL_CREATE; the caller holds the lock of the attachment, but
 * of no device.  The pod is locked meanwhile, not afterwards: what is chosen is claimed under the
 * device's lock, and who comes second asks again.
 */
int ledger_assign(const struct host *h, struct journal *j, const struct ledger_ask *ask,
		  struct ledger_choice *ret, struct err *e) must_check;

/*
 * Remember that this attachment was told to take a device (ID) that another attachment of the pod
 * was given, so that the other one gets another one when both are tried again: 1; 0 when nobody
 * was given it, -1.  As with ledger_assign(), the caller holds the lock of no device.
 */
int ledger_insist(const struct host *h, struct journal *j, const struct pod *pod,
		  const struct owner *who, const char *id, struct err *e) must_check;

/*
 * The same choice as of this moment for one who only asks: no lock, no waiting, nothing is
 * remembered.  ask->who needs no container id.
 */
int ledger_peek(const struct host *h, const struct ledger_ask *ask, struct ledger_choice *ret,
		struct err *e) must_check;

/* Who was given this device of the pod's: 1, 0 nobody that we know of, -1.  Long texts are cut. */
struct ledger_entry {
	char network[256], ifname[16], container_id[256];
};
int ledger_find(const struct host *h, const struct pod *pod, const char *resource, const char *id,
		struct ledger_entry *ret, struct err *e) must_check;

/*
 * Remove files of pods none of whose attachments has a record, or a call at work on it, unless
 * younger than this; those that are kept count as new.  ledger_assign() does so by itself, with
 * LEDGER_SWEEP_S, when it makes a new file, once an hour: what it costs grows with the files.
 */
#define LEDGER_SWEEP_S	(24 * 60 * 60)
int ledger_sweep(const struct host *h, struct journal *j, unsigned int older_than_s,
		 struct err *e) must_check;

/* One of them, by its file: would it be removed?  1, 0, -1.  Changes nothing. */
int ledger_is_left(const struct host *h, struct journal *j, const char *file,
		   unsigned int older_than_s, struct err *e) must_check;
/* Remove it, if so: 1, 0 also while another call has it, -1. */
int ledger_remove_left(const struct host *h, struct journal *j, const char *file,
		       unsigned int older_than_s, struct err *e) must_check;

#endif
