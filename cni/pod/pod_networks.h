/* SPDX-License-Identifier: Apache-2.0 */
/* pod_networks.h - the networks of a container while a call is about all of them */
#ifndef CNI_POD_NETWORKS_H
#define CNI_POD_NETWORKS_H

#include "cni/pod/pod.h"
#include "cni/pod/pod_attach.h"
#include "devinfo/journal/journal.h"
#include "devinfo/journal/pod_record.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct pod_networks {
	const struct pod_call *call;
	const struct host *host;	/* with the directories of the record */
	struct journal journal;		/* of that host, with the lock */
	struct pod_record *rec;		/* borrowed */
	const json_t *asked;		/* the calls of each ADD; NULL: those of the record */
	const struct cni_attachment *as;	/* of each ADD; NULL: its definition is all */
	const bool *begun;		/* of an ADD: those there is something of; NULL: all */
	bool lives;			/* false: the container is gone */
};

#define POD_NETWORKS_OF(c) \
	{ .call = (c), .host = (c)->host, .lives = true, .journal = { .dir = -1, .lock = -1 } }

int pod_networks_lock(const struct pod_networks *p, const struct owner *o, struct err *e)
	must_check;
void pod_networks_unlock(const struct pod_networks *p, const struct owner *o);

/* Say of which attachment an error is. */
void pod_networks_wrap(const struct pod_attachment *a, struct err *e);

/* What of a verb is about attachment i; it borrows from *p. */
struct pod_job pod_networks_job(const struct pod_networks *p, enum verb verb, size_t i);

/* Begin a job and wait for its end, until *d; *ret, a new reference, is its answer. */
int pod_networks_run(const struct pod_job *job, const struct deadline *d, json_t **ret,
		     struct err *e) must_check;

/*
 * Detach those that were begun, the last one first, for it may lie upon an earlier one; on after an
 * error.  One that hangs gets half of the time that is left, for the others have to be asked, too;
 * none is begun when that is over.  Then the record is removed; what is not detached stays in it,
 * for the next DEL.
 */
int pod_networks_detach(struct pod_networks *p, struct err *e) must_check;

/* The ADD of a pod: 1, 0 when it asks for its default network alone, -1. */
int pod_networks_add(const struct pod_call *c, struct err *e) must_check;

void pod_networks_done(struct pod_networks *p);

#define auto_pod_networks auto_with(pod_networks_done)

#endif
