/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolve.h - which of the devices that kubelet gave to a pod is an attachment's?
 *
 * In two steps.  resolve_candidates() asks kubelet (kubelet.h) and keeps what the
 * attachment may have: devices of its resource, and devices of claims that resolve to
 * network devices (claim.h).  resolve_choose() takes the one that the ledger (ledger.h)
 * says, leaving out what live attachments have.
 */
#ifndef DEVINFO_JOURNAL_RESOLVE_H
#define DEVINFO_JOURNAL_RESOLVE_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"
#include "devinfo/kubelet/allocation.h"

#include <stdbool.h>

/* What the attachment asks for; NULL where it does not say.  All borrowed. */
struct wish {
	const char *resource;	/* of a device plugin, or attribute or claim's name of a claim */
	const char *claim;	/* its name, or what the pod's specification calls it */
	const char *request;	/* of that claim, or REQUEST/SUBREQUEST */
	const char *device_id;	/* this one, if the pod has it */
	bool everything;	/* all of the pod's, and then nothing is no error */
	bool optional;		/* nothing is no error */
};

struct candidate {
	char id[256];		/* as kubelet, or the driver's metadata, calls it */
	char label[256];	/* of which resource or claim */
	bool of_claim;
	const char *source;	/* "PodResources Get", "DRA metadata"...; a constant */
	const struct claimed_device *claimed;	/* in `from`, when of_claim */
};

struct candidates {
	struct candidate *list;	/* owned; in kubelet's order */
	size_t n;
	struct wish wish;	/* borrows what the caller's did */
	struct allocation from;	/* all that the pod has */
	char tried[512];	/* what was wrong with files that tell of claims; "" nothing */
};

/* The one that was chosen. */
struct resolved {
	const struct candidate *one;	/* borrowed from the candidates */
	const char *why;		/* it is this; for people, a constant */
	char lost[128];			/* why earlier choices cannot be used: a warning; or "" */
};

/*
 * With a resource: devices of it, and of claims whose attribute k8s.cni.cncf.io/resourceName or
 * whose name is this.  With a claim or request: devices of these.  With an id only: anything of
 * the pod's.  With nothing: the network devices of its claim, if it has but one claim with such.
 *
 * -1 when there is none, unless that is no error (ERR_DEVICE, naming what the pod has instead), and
 * as kubelet_allocation().
 */
int resolve_candidates(const struct host *host, const struct pod *pod, const struct wish *wish,
		       const struct deadline *d, struct candidates *ret, struct err *e) must_check;

/* For an error's details: what the pod has by kubelet's checkpoint, which needs no answer.  -1. */
int resolve_tell_pod(const struct host *host, const struct pod *pod, struct err *e);

/*
 * Choose for the attachment `who`, and remember it unless the journal is read-only.  -1: ERR_DEVICE
 * when live attachments have all of them, naming who has which; otherwise as ledger_assign().
 */
int resolve_choose(const struct host *host, struct journal *j, const struct pod *pod,
		   const struct owner *who, const struct candidates *c, struct resolved *ret,
		   struct err *e) must_check;

/*
 * The live attachment, other than who (may be NULL), that has a device, also by a record in an
 * earlier stateDir: 1 with its record, 0, -1.
 * j may be one that is not there (dir -1).
 */
int resolve_holder(const struct host *host, struct journal *j, const struct owner *who,
		   const char *id, struct record *ret, struct err *e) must_check;

void candidates_done(struct candidates *c);

#define auto_candidates auto_with(candidates_done)

#endif
