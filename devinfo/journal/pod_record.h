/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_record.h - which networks one call has attached a pod to, and with which configurations
 *
 * One file for each ADD of many networks (cni/pod/pod.h), <stateDir>/networks/<hash>.json.  It is
 * written durably before the first attachment begins, once more with their results when all are
 * made, and removed by who has detached all.  What an attachment has changed is in its own record
 * (journal.h); here is what its plugins were called with, so that a DEL needs neither the pod's
 * annotations nor the definitions.
 */
#ifndef DEVINFO_JOURNAL_POD_RECORD_H
#define DEVINFO_JOURNAL_POD_RECORD_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"
#include "devinfo/journal/record.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define POD_RECORD_VERSION	1

enum { POD_ATTACHMENTS_MAX = 65 };	/* the default network, and those of an annotation */

/* All is borrowed, from the record's document if it was read. */
struct pod_attachment {
	const char *definition;		/* NAMESPACE/NAME; "": the default network of the node */
	const char *ifname;
	const json_t *calls;		/* configurations of its plugins, in the order of an ADD */
	const json_t *result;		/* of its ADD; NULL: not known */
};

struct pod_record {
	struct owner owner;		/* network, container and interface of the call */
	char boot_id[40];		/* when it was written */
	struct pod_attachment *list;	/* owned; in the order of their ADDs */
	size_t n;
	json_t *doc;			/* owned; NULL when it was not read */
	char file[32];			/* that it was read from, or written to; "": none */
};

/*
 * Lock the networks of this container and interface, until the journal is closed.  It is the
 * outermost of all locks.  ERR_TRY_AGAIN.
 */
int pod_record_lock(const struct journal *j, const struct owner *o, const struct deadline *d,
		    struct err *e) must_check;

/* Give it up before that. */
void pod_record_unlock(const struct journal *j, const struct owner *o);

/* Is there any?  For who need not look further: no key of the journal is read. */
bool pod_record_is_any(const struct host *h);

/*
 * Write it, or remove it, durably.  The caller has the lock.  Of one that is written again a crash
 * may leave the version before, without the results.
 */
int pod_record_write(const struct host *h, const struct journal *j, struct pod_record *r,
		     struct err *e) must_check;
int pod_record_remove(const struct host *h, const struct pod_record *r, struct err *e) must_check;

/*
 * Find that of a call's network, container and interface: 1, 0, -1.  A damaged one is put aside
 * with a warning, unless the journal is read-only, and counts as absent.  ERR_TRY_AGAIN when
 * another version wrote it.
 */
int pod_record_find(const struct host *h, const struct journal *j, const struct owner *o,
		    struct pod_record *ret, struct err *e) must_check;

/*
 * Call fn with each of the directory until it returns non-zero, which is then the result, and bad
 * (NULL: the log is told) with each file that cannot be used.  fn may remove the record.
 */
typedef int pod_record_fn(const struct pod_record *r, void *arg, struct err *e);
typedef int pod_record_bad_fn(const char *file, const struct err *why, void *arg, struct err *e);
int pod_record_each(const struct host *h, pod_record_fn *fn, pod_record_bad_fn *bad, void *arg,
		    struct err *e) must_check;

/* Does its container live?  1, 0, -1, as owner_is_alive(). */
int pod_record_is_alive(const struct host *h, const struct pod_record *r, struct err *e) must_check;

void pod_record_done(struct pod_record *r);

#define auto_pod_record auto_with(pod_record_done)

#endif
