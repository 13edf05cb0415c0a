/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - what the files of the check share: the scopes and the types of one expression */
#ifndef MANAGER_CEL_CHECK_H
#define MANAGER_CEL_CHECK_H

#include "manager/cel/eval.h"

struct cel_scope {
	const char *name;
	const struct cel_static *is;
	uint16_t slot;
	const struct cel_scope *outer;
};

struct cel_checker {
	struct cel *c;
	const struct cel_scope *scope;
	int (*check)(struct cel_checker *k, struct cel_node *n);	/* any node */
	struct cel_types types;
	struct err *e;
};

/* -- check_type.c -- */

/* Refuses what cannot be true or false. */
int cel_check_bool(struct cel_checker *k, const struct cel_node *n) must_check;

/* Puts in what is known by now of a type. */
const struct cel_static *cel_check_resolve(struct cel_checker *k, const struct cel_static *is);

/* Refuses lists and maps that mix what is known and what is not (check_literals.c). */
int cel_check_literals(struct cel_checker *k) must_check;

/* -- what declares a variable (check_macro.c) -- */

/* Checks the call of n->macro, whose operands behind the first are a name and what it does. */
int cel_check_macro(struct cel_checker *k, struct cel_node *n) must_check;

/* Checks cel.bind(x, value, body): the operand `cel` is taken out, too. */
int cel_check_bind(struct cel_checker *k, struct cel_node *n) must_check;

#endif
