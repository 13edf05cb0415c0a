/* SPDX-License-Identifier: Apache-2.0 */
/* cel_trace.h - what each term of an expression was, for people */
#ifndef DEVINFO_MATCH_CEL_TRACE_H
#define DEVINFO_MATCH_CEL_TRACE_H

#include "devinfo/match/cel_run.h"

struct cel_trace {
	json_t *terms;			/* of the term that is evaluated now */
	size_t left;			/* how many more values are written */
};

enum { CEL_TRACE_MAX = 2000 };		/* values */

/* cel_evaluate_node(), and a term in r->trace. */
struct cel_value cel_trace_term(struct cel_run *r, const struct cel_node *n);

/* "no such key: x" */
void cel_fault_write(const struct cel_fault *f, char *ret, size_t size);

#endif
