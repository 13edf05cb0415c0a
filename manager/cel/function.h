/* SPDX-License-Identifier: Apache-2.0 */
/*
 * function.h - the functions and operators of expressions: tables, a row for each overload
 *
 * Operands and result are signatures, one type behind the other; a method's first operand is what it
 * is called on:
 *
 *	b i u d s n v q		a type, by its letter (enum cel_type)
 *	.			of any type, not known before there is a device
 *	lT			a list of T: "ls" of strings, "ll." of lists
 *	mKV			a map of keys K and values V: "msi"
 *	A B C			type parameters: wherever one stands it is the same type, "lAA" is a
 *				list and one that may be its element
 *	N K			any number; any type that has an order.  The row stands for one with
 *				each of those types; the result is the one of the first operand
 *
 *	{ "indexOf", CEL_METHOD, "lAA", "i", ... }	<list of A>.indexOf(<A>), an int
 *	{ "+", CEL_OPERATOR, "lAlA", "lA", ... }
 *	{ "max", CEL_METHOD, "lK", "K", ... }		of ints an int, of strings a string...
 *
 * Where an operand may be several rows' before there is a device, the first row decides what an
 * unknown type (of the elements of []) becomes.
 */
#ifndef MANAGER_CEL_FUNCTION_H
#define MANAGER_CEL_FUNCTION_H

#include "manager/cel/run.h"

enum cel_style {
	CEL_OPERATOR,
	CEL_FUNCTION,			/* f(a, b) */
	CEL_METHOD,			/* a.f(b) */
	CEL_BOTH,
};

struct cel_function {
	const char *name;		/* NULL: the table ends */
	enum cel_style style;
	const char *operands;		/* signatures, see above */
	const char *result;
	struct cel_value (*call)(struct cel_run *r, const struct cel_value *v);
	bool is_folded;			/* of literals, once, when the expression is compiled */
};

extern const struct cel_function cel_number_functions[], cel_string_functions[],
	cel_list_functions[], cel_unit_functions[];

/* Gives the end of the first type of a signature: of "lsi" where "i" begins. */
const char *cel_signature_next(const char *s);

/* Counts the types of a signature. */
size_t cel_signature_count(const char *s);

/*
 * Those of the name and style with as many operands, whose types may be those: up to max of them
 * in ret.  *named is how many have the name and style, with any operands.
 */
size_t cel_function_find(const char *name, enum cel_style style, const struct cel_static *operands,
			 size_t count, const struct cel_function **ret, size_t max, size_t *named);

/* Calls the one of them that takes these values. */
struct cel_value cel_function_call(struct cel_run *r, const struct cel_node *n,
				   const struct cel_value *v);

#endif
