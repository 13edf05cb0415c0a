/* SPDX-License-Identifier: Apache-2.0 */
/*
 * release.h - undo an attachment from its record alone
 *
 * One piece of code serves DEL, the roll-back of a failed ADD and the clean-up of a
 * dead owner, after any step and any number of times: it compares the record's
 * "before" with what the kernel shows and restores what differs.  It goes on after
 * an error, reports all of them, and leaves the record when anything is left to do.
 *
 * Unless stated otherwise the caller holds the attachment's lock and the device's.
 */
#ifndef CNI_ATTACH_RELEASE_H
#define CNI_ATTACH_RELEASE_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"

/* Values of the releasing call that the record does not have; NULL: absent. */
struct release_call {
	const char *request, *ipam_type;	/* its configuration, and the IPAM plugin in that */
	bool confines;			/* nothing else is to be done: see confine_release() */
};

struct release {
	const struct host *host;
	const struct journal *journal;
	struct record *rec;
	const char *request, *ipam_type;	/* of this call, for the lease of lease_of */
	const struct deadline *until;	/* of all plugins together; NULL: they have their own */
	bool skip_ipam;			/* the plugin was never run */
	bool ipam_refused; /* it refused the ADD: no lease to lose when its DEL fails as well */
	bool keep_info;			/* the device-info file was not touched yet */
	const char *old_info;		/* what the device-info file held before, NULL: remove it */
	size_t old_info_len;
};

/*
 * For DEL: find the attachment's record, under its locks, and release all of it.  1; 2 when it has
 * no other for sure; 0 when there is none, -1.
 */
int release_owner(const struct host *host, struct journal *j, const struct owner *owner,
		  const struct release_call *call, struct err *e) must_check;

/* For GC: the same for a record, unless its container lives.  1, 0, -1. */
int release_if_dead(const struct host *host, struct journal *j, const struct record *seen,
		    const struct release_call *call, struct err *e) must_check;

/*
 * Return the host with the directories of the record's ADD, as the settings may have changed.  A
 * directory that is not in the settings any more is used only when none but root can write it; else
 * the present one.
 */
struct host release_host(const struct host *host, const struct record *rec) must_check;

/* Release IPAM lease, device, plugins of a chain, files, and last the record. */
int release_attachment(const struct release *r, struct err *e) must_check;

/*
 * Release a dead owner for the ADD that gets its device.  The caller holds only the device's lock,
 * or, for a record without a device, the attachment's; all other callers take that one, too. -1
 * only when the device cannot be restored.  Plugins have five seconds together; what they, or the
 * files, leave undone is logged, and its record is marked released and kept for DEL, GC and
 * devinfoctl.  own_info is the ADD's device-info file, which may be the same file.
 */
int release_dead_owner(const struct host *host, const struct journal *journal, struct record *rec,
		       const char *own_info, struct err *e) must_check;

#endif
