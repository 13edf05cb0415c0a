/* SPDX-License-Identifier: Apache-2.0 */
/* eval.h - what an expression is for one device */
#ifndef MANAGER_CEL_EVAL_H
#define MANAGER_CEL_EVAL_H

#include "manager/cel/run.h"

/* One that is told what each term was (trace.h). */
struct cel_trace {
	/* cel_evaluate_node(), and tells of it */
	struct cel_value (*term)(struct cel_run *r, const struct cel_node *n);
	json_t *terms;			/* of the term that is evaluated now */
	size_t left;			/* how many more values are written */
};

/* Makes one whose terms become a list (trace.c), which the caller has made and keeps. */
struct cel_trace cel_trace_make(json_t *terms);

/* Writes what an error says: "no such key: x". */
void cel_fault_write(const struct cel_fault *f, char *ret, size_t size);

/* Evaluates a node with its operands, and tells r->trace of it, where there is one. */
struct cel_value cel_evaluate(struct cel_run *r, const struct cel_node *n);

/* Evaluates this node without telling of it; its operands as cel_evaluate() does. */
struct cel_value cel_evaluate_node(struct cel_run *r, const struct cel_node *n);

enum cel_gives {
	CEL_GIVES_BOOL,
	CEL_GIVES_ELEMENTS,		/* a list of some of the elements */
	CEL_GIVES_OPERANDS,		/* a list of what the last operand is for each */
};

/* A method that evaluates its operands for each element. */
struct cel_macro {
	const char *name;
	uint32_t operands;		/* behind the variable */
	enum cel_gives gives;
	struct cel_value (*evaluate)(struct cel_run *r, const struct cel_node *n,
				     const struct cel_value *elements, uint32_t count);
};

/* Finds the macro of that name with so many operands; NULL: there is none. */
const struct cel_macro *cel_macro_find(const char *name, uint32_t operands);
bool cel_macro_is(const char *name);

#endif
