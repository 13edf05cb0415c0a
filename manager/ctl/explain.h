/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.h - the way of a pod's devices, stage by stage
 *
 * Each stage of each attachment is one row: ok, missing, wrong, or unknown; what is missing or
 * wrong has a remedy, which is told at the end, once.
 */
#ifndef MANAGER_CTL_EXPLAIN_H
#define MANAGER_CTL_EXPLAIN_H

#include "base/host.h"
#include "devinfo/journal/journal.h"
#include "devinfo/kubelet/allocation.h"
#include "manager/inventory/inventory.h"

#include <jansson.h>
#include <stdbool.h>

enum stage_state { STAGE_OK, STAGE_MISSING, STAGE_WRONG, STAGE_UNKNOWN };

struct explaining {
	const struct host *host;
	const struct inventory *inv;
	struct journal *journal;	/* dir -1: there is none */
	struct pod pod;
	json_t *stages, *advice;	/* owned */
	bool is_bad;			/* something is missing or wrong */
	bool has_rest;			/* of an attachment without a readable record */
};

/* One attachment of the pod's, and what is found out about it for the next stage. */
struct explained {
	struct explaining *x;
	const struct inv_attachment *a;
	const struct record *rec;	/* NULL: it cannot be read */
	json_t *request;		/* owned; NULL: not known */
	const struct inv_allocation *given;	/* by kubelet; NULL: none */
};

/* -- explain_stage.c -- */

/* A row; advice is "" where there is nothing to do. */
void explain_stage(struct explaining *x, const char *interface, const char *stage,
		   enum stage_state state, const char *advice, const char *fmt, ...)
	printflike(6, 7);

/* Is this allocation one of the pod's? */
bool explain_is_given(const struct explaining *x, const struct inv_allocation *g);

/* Is it a claim's, which has no resource? */
bool explain_is_claimed(const struct inv_allocation *g);

/* Is this the device of an attachment, by either of its names? */
bool explain_has_device(const struct inv_attachment *a, const char *id);

/* -- explain_choice.c: what was asked, given and chosen -- */

void explain_request(struct explained *t);
void explain_allocation(struct explained *t);
void explain_choice(struct explained *t);

/* -- explain_result.c: what became of it -- */

void explain_record(struct explained *t);
void explain_device(struct explained *t);
void explain_interface(struct explained *t);
void explain_file(struct explained *t);
void explain_status(struct explained *t);

/* -- explain_rest.c: what there is without a record -- */

bool explain_is_unreadable(const struct inv_attachment *a);
/* What the runtime remembers of the pod, and the journal does not know. */
void explain_rest(struct explaining *x);
/* Records that cannot be read, and do not say whose they are. */
void explain_strays(struct explaining *x);

#endif
