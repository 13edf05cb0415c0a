/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.h - follow a pod's devices from request to network-status, stage by stage
 *
 * Each stage of each attachment is one row: ok, missing, wrong, or unknown; each missing or wrong
 * one has a remedy, which is printed at the end, once.
 */
#ifndef MANAGER_CTL_EXPLAIN_H
#define MANAGER_CTL_EXPLAIN_H

#include "base/host.h"
#include "devinfo/journal/journal.h"
#include "devinfo/journal/ledger.h"
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
	bool has_rest;			/* an attachment has no readable record */
};

/* One attachment of the pod, and results for the next stages. */
struct explained {
	struct explaining *x;
	const struct inv_attachment *a;
	const struct record *rec;	/* NULL: it cannot be read */
	json_t *request;		/* owned; NULL: not known */
	const struct inv_allocation *given;	/* by kubelet; NULL: none */
};

/* -- explain_stage.c -- */

/* Add a row; advice is "" when there is nothing to do. */
void explain_stage(struct explaining *x, const char *interface, const char *stage,
		   enum stage_state state, const char *advice, const char *fmt, ...)
	printflike(6, 7);

/* Put the rows in order: by interface, net2 before net10, and last what is of none. */
void explain_sort(struct explaining *x);

/* Is there a row of this stage of this interface? */
bool explain_has_row(const struct explaining *x, const char *interface, const char *stage);

/* Is this allocation one of the pod's? */
bool explain_is_given(const struct explaining *x, const struct inv_allocation *g);

/* Is this attachment one of the pod's? */
bool explain_is_attached(const struct explaining *x, const struct inv_attachment *a);

/* Is it a claim's, which has no resource? */
bool explain_is_claimed(const struct inv_allocation *g);

/* Is this the device of an attachment, by either of its names? */
bool explain_has_device(const struct inv_attachment *a, const char *id);

/* -- explain_choice.c: request, allocation and choice -- */

void explain_request(struct explained *t);
void explain_allocation(struct explained *t);
void explain_choice(struct explained *t);

/* -- explain_result.c: the result -- */

void explain_record(struct explained *t);
void explain_device(struct explained *t);
void explain_interface(struct explained *t);
void explain_file(struct explained *t);
void explain_status(struct explained *t);

/* -- explain_given.c: what kubelet gave and nobody has attached -- */

/* Returns false when kubelet gave the pod nothing. */
bool explain_given(struct explaining *x);

/* Find which attachment of the pod the ledger has the device for: 1, 0, -1. */
int explain_find_choice(const struct explaining *x, const struct inv_allocation *g,
			struct ledger_entry *ret, struct err *e) must_check;

/* The advice about an attachment whose record is not there. */
#define EXPLAIN_LOST \
	"delete the pod, so that its devices are attached anew; look first who has removed the " \
	"record"

/* -- explain_rest.c: what there is without a record -- */

bool explain_is_unreadable(const struct inv_attachment *a);
/* Show attachments of the pod that are in the runtime's cache and not in the journal. */
void explain_rest(struct explaining *x);
/* Show unreadable records without an owner. */
void explain_strays(struct explaining *x);

#endif
