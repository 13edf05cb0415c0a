/* SPDX-License-Identifier: Apache-2.0 */
/*
 * function.h - the functions and operators of expressions: tables, a row for each overload
 *
 * Operands and result are signatures, one type behind the other; a method's first operand is what
 * it is called on:
 *
 *	b i u d s n v q		a type, by its letter (enum cel_type)
 *	.			of any type, not known before there is a device
 *	y r T o			bytes, durations, timestamps; "oA" an optional A
 *	U I P F			URLs, IP addresses, networks, formats
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
	cel_list_functions[], cel_unit_functions[], cel_rearrange_functions[],
	cel_regexp_functions[], cel_optional_functions[], cel_bytes_functions[],
	cel_time_functions[], cel_set_functions[], cel_address_functions[], cel_url_functions[],
	cel_format_functions[];

/* Gives the end of the first type of a signature: of "lsi" where "i" begins. */
const char *cel_signature_next(const char *s);

/* Counts the types of a signature. */
size_t cel_signature_count(const char *s);

/* Finds the rows of the name and style, up to max of them, in their order; gives their count. */
size_t cel_function_find(const char *name, enum cel_style style, const struct cel_function **ret,
			 size_t max);

/* Gives the rows of all tables, by their number; NULL: there are no more. */
const struct cel_function *cel_function_at(size_t i);

/* Is there a function, no method, of that name? */
bool cel_function_is(const char *name);

/* Is it a conversion with one operand, int(x)? */
bool cel_is_conversion(const struct cel_node *n);

/* Which rows a call may mean (check_call.c), and what they give. */
struct cel_resolution {
	struct cel_types *types;
	const struct cel_function **found;
	size_t count;
	const struct cel_static *result;	/* NULL: none fits */
};

/* Adds the row, if it fits the operands of the node. */
void cel_resolve(struct cel_resolution *r, const struct cel_function *f, const struct cel_node *n);

/* Calls the one of them that takes these values. */
struct cel_value cel_function_call(struct cel_run *r, const struct cel_node *n,
				   const struct cel_value *v);

#endif
