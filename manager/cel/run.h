/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - what an evaluation counts, allocates and fails with
 *
 * An error is a value, which && and || absorb (CEL_ERROR).  What nothing absorbs is the end of the
 * evaluation: too much work, no memory.  r->fatal is set then, and whoever sees that returns
 * cel_failed().
 */
#ifndef MANAGER_CEL_RUN_H
#define MANAGER_CEL_RUN_H

#include "manager/cel/ast.h"

enum { CEL_TEXT_MAX = 65536 };	/* bytes of a string that an evaluation makes */

/* Makes the error "WHAT: NAME"; both are borrowed, and name may be NULL. */
struct cel_value cel_fault(struct cel_run *r, const char *what, const char *name);

/* Makes an error of what r->e says. */
struct cel_value cel_fault_e(struct cel_run *r);

/* Makes the error "no such overload" of the call r->node with these values. */
struct cel_value cel_no_overload(struct cel_run *r, const struct cel_value *v);

/* Gives the error that ends the evaluation. */
struct cel_value cel_failed(const struct cel_run *r);

/* Ends the evaluation: sets r->fatal, where it is not set. */
void cel_abort(struct cel_run *r, const char *what);

/* Counts the cost of something; -1: that was too much, r->fatal is set. */
static inline int cel_charge(struct cel_run *r, uint64_t cost)
{
	if (r->cost + cost <= CEL_COST_MAX) {
		r->cost += (uint32_t)cost;
		return 0;
	}
	r->cost = CEL_COST_MAX;
	cel_abort(r, "takes more work than one evaluation may");
	return -1;
}

/* Counts a look at a value: a string costs a tenth for each byte, as in Kubernetes. */
static inline int cel_charge_value(struct cel_run *r, const struct cel_value *v)
{
	bool is_text = v->type == CEL_STRING || v->type == CEL_BYTES;

	return cel_charge(r, 1 + (is_text ? v->size / 10 : 0));
}

/* Gives zeroed memory, which costs; NULL: r->fatal. */
void *cel_new(struct cel_run *r, size_t size) must_check;

/* Gives room for a string and its NUL; NULL, r->fatal: also of more than CEL_TEXT_MAX bytes. */
char *cel_new_text(struct cel_run *r, size_t size) must_check;

/* Makes a string of a copy of the bytes. */
struct cel_value cel_copy(struct cel_run *r, const char *text, size_t size);

/* Gives the optional value; of what is NULL, none.  An error stays one. */
struct cel_value cel_optional(struct cel_run *r, const struct cel_value *held);

struct cel_value cel_quantity_value(struct cel_run *r, const struct quantity *q);
struct cel_value cel_version_value(struct cel_run *r, const struct semver *v);

#endif
