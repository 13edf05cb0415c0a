/* SPDX-License-Identifier: Apache-2.0 */
/*
 * function.h - the functions and operators of expressions: tables, a row for each overload
 *
 * Operands are a letter each: of a type (enum cel_type), 'N' for any number, '.' for anything, '='
 * for what the first one is.  A method's first operand is what it is called on.
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
	const char *operands;
	struct cel_static result;
	struct cel_value (*call)(struct cel_run *r, const struct cel_value *v);
	bool is_folded;			/* of literals, once, when the expression is compiled */
};

extern const struct cel_function cel_number_functions[], cel_string_functions[],
	cel_list_functions[], cel_unit_functions[];

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
