/* SPDX-License-Identifier: Apache-2.0 */
/* check_type.c - what all of the check asks of a type */
#include "manager/cel/check.h"

const struct cel_static *cel_check_resolve(struct cel_checker *k, const struct cel_static *is)
{
	return cel_static_resolve(&k->types, is, false);
}

int cel_check_bool(struct cel_checker *k, const struct cel_node *n)
{
	char have[CEL_STATIC_TEXT];

	if (cel_static_assign(&k->types, n->is, cel_static_of(CEL_BOOL)))
		return 0;
	return cel_refuse(k->c->text, n->at, k->e, "must be true or false, and is of type %s",
			  cel_static_write(n->is, have));
}

const struct cel_static *cel_entry_type(const struct cel_static *is, bool is_optional)
{
	return is_optional && is->kind == CEL_OPTIONAL ? is->part[0] : is;
}

int cel_refuse_two(const char *text, uint32_t at, struct err *e, const char *what,
		   const struct cel_static *a, const struct cel_static *b)
{
	char one[CEL_STATIC_TEXT], other[CEL_STATIC_TEXT];

	return cel_refuse(text, at, e, "%s of one type: %s, %s", what, cel_static_write(a, one),
			  cel_static_write(b, other));
}
