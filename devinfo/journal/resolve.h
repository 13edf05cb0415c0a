/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolve.h - choose an attachment's device among those that kubelet gave to its pod
 *
 * It takes two steps.  resolve_candidates() asks kubelet (kubelet.h) and keeps what the attachment
 * may have: devices of its resource, and devices of claims that resolve to network devices
 * (claim.h).  resolve_choose() takes the one that the ledger (ledger.h) chooses, without those that
 * live attachments have.
 */
#ifndef DEVINFO_JOURNAL_RESOLVE_H
#define DEVINFO_JOURNAL_RESOLVE_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"
#include "devinfo/kubelet/allocation.h"

#include <stdbool.h>

/* The attachment's request; NULL: not given.  All is borrowed. */
struct wish {
	const char *resource;	/* of a device plugin, or attribute or claim's name of a claim */
	const char *claim;	/* its name, or what the pod's specification calls it */
	const char *request;	/* of that claim, or REQUEST/SUBREQUEST */
	const char *device_id;	/* this device, if the pod has it */
	bool everything;	/* all of the pod's, and none is no error */
	bool optional;		/* none is no error */
	bool could_be_optional;	/* its configuration may say so, and does not */
};

struct candidate {
	char id[256];		/* from kubelet or the driver's metadata */
	char label[256];	/* its resource or claim */
	bool of_claim;
	const char *source;	/* "PodResources Get", "DRA metadata"...; a constant */
	const struct claimed_device *claimed;	/* in `from`, when of_claim */
};

struct candidates {
	struct candidate *list;	/* owned; in kubelet's order */
	size_t n;
	struct wish wish;	/* borrows what the caller's did */
	struct allocation from;	/* all that the pod has */
	char tried[512];	/* errors of files about claims; "": none */
};

/* The one that was chosen. */
struct resolved {
	const struct candidate *one;	/* borrowed from the candidates */
	const char *why;		/* reason of the choice; a constant */
	char lost[128];			/* why earlier choices cannot be used: a warning; or "" */
};

/*
 * Find the candidates.  With a resource: devices of it, and of claims with this name or attribute
 * k8s.cni.cncf.io/resourceName.  With a claim or request: their devices.  With an id only: any
 * device of the pod.  With none: the network devices of the pod's claim, if only one claim has
 * some.
 *
 * 0; -1 with ERR_DEVICE, naming what the pod has instead, when there is none and the wish does not
 * allow that; other errors as kubelet_allocation().
 */
int resolve_candidates(const struct host *host, const struct pod *pod, const struct wish *wish,
		       const struct deadline *d, struct candidates *ret, struct err *e) must_check;

/* Append to an error what the pod has by kubelet's checkpoint, a file.  Always returns -1. */
int resolve_tell_pod(const struct host *host, const struct pod *pod, struct err *e);

/*
 * Choose for the attachment `who`, and note it in the ledger unless the journal is read-only. -1:
 * ERR_DEVICE when live attachments have all of them, naming who has which; otherwise as
 * ledger_assign().
 */
int resolve_choose(const struct host *host, struct journal *j, const struct pod *pod,
		   const struct owner *who, const struct candidates *c, struct resolved *ret,
		   struct err *e) must_check;

/*
 * Find the live attachment, other than who (may be NULL), that has a device, also in an earlier
 * stateDir: 1 with its record, 0 none, -1.  j may be absent (dir -1).
 */
int resolve_holder(const struct host *host, struct journal *j, const struct owner *who,
		   const char *id, struct record *ret, struct err *e) must_check;

void candidates_done(struct candidates *c);

#define auto_candidates auto_with(candidates_done)

#endif
