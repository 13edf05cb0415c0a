/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal.h - attachment records on disk, and the locks
 *
 * One file a record in <stateDir>/attachments, named
 *
 *	<hash of network, container id, interface>@<device>.json
 *
 * so that one directory listing answers both questions that matter, "what did
 * this attachment change?" and "who owns this device?", without an index that
 * could disagree with the records.  A record is written durably before the first
 * change, and holds what undoing needs: the owner, the device's state before, the
 * directories, and the request (for the IPAM plugin's DEL).  There is no "step":
 * undoing looks at the kernel and is the same after any step.
 *
 * It is written again in four cases.  Before a move, when the number that the device
 * is to be recognised by has been taken by another one.  When a network device or an RDMA
 * device has been made anew by its driver, and so has another number.  After a chain of
 * plugins that we ran, with its result and what we then found in the container.  And to set
 * `released`, when the device was given back while something else of the attachment (its
 * IPAM lease) could not be: the device may have a new owner then and is not touched again.
 *
 * Locks are bytes of <stateDir>/lock (base/fs.h), so there are no lock files to
 * leave behind.  Order: the attachment's, the pod's (ledger.h), which is given up
 * before the next, the device's.
 */
#ifndef DEVINFO_JOURNAL_H
#define DEVINFO_JOURNAL_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "devinfo/record.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define JOURNAL_RECORD_MAX      (32 * 1024 * 1024) /* bytes; the request is at most half of it */

struct journal {
	int dir;			/* <stateDir>/attachments */
	int lock;			/* <stateDir>/lock; -1: read-only, no ADD can run */
	bool read_only;
	unsigned int damaged;		/* records that could not be read, see below */
};

enum journal_mode {
	JOURNAL_CREATE,		/* directories are made (0700), absence is an error */
	JOURNAL_UPDATE,		/* what is there; nothing is made but the lock */
	JOURNAL_READ,		/* nothing is changed at all, nothing can be locked */
};

/* Open the journal below settings.state_dir: 1; 0 when there is none, -1. */
int journal_open(const struct host *h, enum journal_mode mode, struct journal *ret, struct err *e)
	must_check;
void journal_done(struct journal *j);

/*
 * Durable when it returns 0.  Replaces the record of the same owner and device.  What JSON cannot
 * hold (a path that is not UTF-8) is an error.
 */
int journal_write(const struct journal *j, const struct record *r, struct err *e) must_check;
int journal_remove(const struct journal *j, const struct record *r, struct err *e) must_check;

/*
 * The record of an attachment, or of a device that is not released: 1, 0, -1.  One that another
 * version of this program wrote is an error; one that cannot be read, after a failure of the disk,
 * say, is counted in `damaged`, and removed (unless JOURNAL_READ): no DEL could make use of it.
 */
int journal_find(struct journal *j, const struct owner *o, struct record *ret, struct err *e)
	must_check;
/* The same without a search, where both are known. */
int journal_get(struct journal *j, const struct owner *o, const char *device, struct record *ret,
		struct err *e) must_check;
int journal_find_device(struct journal *j, const char *device, struct record *ret, struct err *e)
	must_check;

/* Every record in turn; fn's non-zero result ends it.  fn may remove the record. */
typedef int journal_fn(const struct record *r, void *arg, struct err *e);
int journal_each(struct journal *j, journal_fn *fn, void *arg, struct err *e) must_check;
/* Those of one device, which can have several vDPA devices; the others are not even read. */
int journal_each_of(struct journal *j, const char *device, journal_fn *fn, void *arg,
		    struct err *e) must_check;
/* Those of the devices whose names begin so, likewise. */
int journal_each_like(struct journal *j, const char *prefix, journal_fn *fn, void *arg,
		      struct err *e) must_check;

bool owner_equal(const struct owner *a, const struct owner *b);

/* This boot's id, from /proc. */
int journal_boot_id(const struct host *h, char ret[40], struct err *e) must_check;

int journal_lock_attachment(const struct journal *j, const struct owner *o,
			    const struct deadline *d, struct err *e) must_check;
void journal_unlock_attachment(const struct journal *j, const struct owner *o);
/* Whether another call is at work on this attachment, an ADD or a DEL: 1, 0, -1. */
int journal_attachment_busy(const struct journal *j, const struct owner *o,
			    struct err *e) must_check;
int journal_lock_device(const struct journal *j, const char *device, const struct deadline *d,
			struct err *e) must_check;
void journal_unlock_device(const struct journal *j, const char *device);

#define auto_journal auto_with(journal_done)

#endif
