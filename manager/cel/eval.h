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
	CEL_GIVES_MAP,			/* a map of what it is for each key, or place */
	CEL_GIVES_OPTIONAL,		/* an optional value of what it is */
	CEL_GIVES_OPERAND,		/* what it is */
};

/* What a macro goes over: elements, or keys of a map; of two variables each has both. */
struct cel_items {
	const struct cel_value *keys;	/* NULL: the places 0, 1, 2... */
	const struct cel_value *values;
	uint32_t count;
};

/* A method that evaluates its operands for each element. */
struct cel_macro {
	const char *name;
	uint32_t variables, operands;	/* operands: behind the variables */
	enum cel_gives gives;
	bool is_of_optional;		/* it is for optional values alone */
	bool is_by_key;			/* its operand is a key, and no condition */
	struct cel_value (*evaluate)(struct cel_run *r, const struct cel_node *n,
				     const struct cel_items *items);
};

/* Finds the macro of that name with so many variables and operands; NULL: there is none. */
const struct cel_macro *cel_macro_find(const char *name, uint32_t count);
bool cel_macro_is(const char *name);

/* Evaluates a macro, and cel.bind() (macro.c). */
struct cel_value cel_macro_evaluate(struct cel_run *r, const struct cel_node *n);
struct cel_value cel_bind_evaluate(struct cel_run *r, const struct cel_node *n);

/* Of two entries with one key the later counts.  An error: it is no key. */
struct cel_value cel_entry_put(struct cel_run *r, struct cel_map *m, struct cel_entry *entries,
			       struct cel_value key, struct cel_value value);

/*
 * One more operand of && (which false decides) or || (true).  *so_far is what the result is if
 * none decides: the first error, or the other truth.  true: this one does (decide.c).
 */
bool cel_decides(struct cel_run *r, const struct cel_node *n, struct cel_value v, bool decisive,
		 struct cel_value *so_far);

#endif
