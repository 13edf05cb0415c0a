/* SPDX-License-Identifier: Apache-2.0 */
/*
 * takeover.h - attachments that sriov-cni made become ours when they end
 *
 * The room cni/sriovcni/ is all that reads sriov-cni's files.  It writes records of ours, and below
 * sriovStateDir it removes or marks what it has taken.  It changes no device.  Only cni/attach/ and
 * the verbs call it, so that it can go one day without the other rooms' knowing.
 *
 * Theory of operation.  A pod that was attached before sriov-cni was replaced has its state in
 * sriov-cni's files (cni/sriovcni/sriovcni_state.h).  When its DEL comes, or GC, or an ADD that
 * needs its VF, that state is written into the journal as a record of ours, and the old files are
 * removed: from then on there is one owner of the truth, and release.c does the rest.  Nothing is
 * taken over from a pod that lives and is not being deleted.
 *
 * The newest record of a VF, or the one that the allocation file names, is the owner's.  Of an
 * older one only the lease is left to release; its file stays until the VF ends, for what it knows
 * of the VF (sriovcni_vf.h).
 */
#ifndef CNI_SRIOVCNI_TAKEOVER_H
#define CNI_SRIOVCNI_TAKEOVER_H

#include "base/err.h"
#include "base/host.h"
#include "conf/netconf.h"
#include "devinfo/journal/journal.h"

struct takeover {
	const struct host *host;
	struct journal *journal;	/* made and opened when there is something to write */
	const struct netconf *conf;	/* of this call, parsed at least */
	const char *cni_path;		/* its CNI_PATH; NULL: none */
	int lock;			/* sriov-cni's of the device, -1; the caller closes it */
	bool taken;			/* of an ADD: what a dead one had is in the journal */
};

/*
 * For DEL, take over the attachment of this owner.  1 when the journal may have it now, under the
 * attachment's lock and the device's; 0; -1.  A file that can never be used is logged and left
 * alone, and so is one that another plugin, which is still there, is asked to end.
 */
int takeover_attachment(struct takeover *a, const struct owner *owner, struct err *e) must_check;

/*
 * For ADD, take over a dead owner.  1 when nothing of sriov-cni stands in the way, with a dead
 * owner in the journal now; 0 when a living container has the device, *live telling whose it is;
 * -1.  The caller holds the device's lock.
 */
int takeover_device(struct takeover *a, const char *bdf, struct record *live,
		 struct err *e) must_check;

/*
 * Ask the same behind another plugin, which may be sriov-cni: 1 when by its allocation file a
 * living container with another network namespace than this has the device, 0, -1.
 */
int takeover_is_others(const struct takeover *a, const char *bdf, const char *netns,
		       struct record *live, struct err *e) must_check;

/* GC says whom to spare, and is told whose attachment was not taken. */
struct takeover_choice {
	bool (*is_kept)(const char *container_id, const char *ifname, const void *arg);
	void (*left)(const struct owner *owner, void *arg);
	void *arg;
};

/* For GC, take over what the dead have left of this configuration's network, or of none. */
int takeover_dead(struct takeover *a, const struct takeover_choice *c, struct err *e) must_check;

/* For CHECK, only look.  1 with *ret, owned by the caller; 0; -1. */
int takeover_read(const struct takeover *a, const struct owner *owner, struct record *ret,
	       struct err *e) must_check;

#endif
