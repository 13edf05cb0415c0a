/* SPDX-License-Identifier: Apache-2.0 */
/* function.c - which function a call means: by name, before there is a device and for one */
#include "manager/cel/function.h"

#include <string.h>

static const struct cel_function *const tables[] = {
	cel_number_functions,
	cel_string_functions,
	cel_list_functions,
	cel_unit_functions,
	cel_rearrange_functions,
	cel_regexp_functions,
	cel_optional_functions,
	cel_bytes_functions,
	cel_time_functions,
	cel_set_functions,
	cel_address_functions,
	cel_url_functions,
	cel_format_functions,
};

const char *cel_signature_next(const char *s)
{
	unsigned left = 1;

	while (left > 0 && *s) {
		left += cel_static_parts(*s);
		left--;
		s++;
	}
	return s;
}

size_t cel_signature_count(const char *s)
{
	size_t n = 0;

	for (; *s; s = cel_signature_next(s))
		n++;
	return n;
}

size_t cel_function_find(const char *name, enum cel_style style, const struct cel_function **ret,
			 size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct cel_function *f = tables[i]; f->name; f++)
			if (strcmp(f->name, name) == 0 && n < max &&
			    (f->style == style ||
			     (f->style == CEL_BOTH && style != CEL_OPERATOR)))
				ret[n++] = f;
	return n;
}

const struct cel_function *cel_function_at(size_t i)
{
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct cel_function *f = tables[t]; f->name; f++)
			if (i-- == 0)
				return f;
	return NULL;
}

bool cel_function_is(const char *name)
{
	const struct cel_function *one;

	return cel_function_find(name, CEL_FUNCTION, &one, 1) > 0;
}

bool cel_is_conversion(const struct cel_node *n)
{
	static const char *const names[] = { "bool", "bytes", "double", "duration", "dyn",
					     "int", "string", "timestamp", "type", "uint" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], n->name) == 0)
			return n->count == 1 && !n->is_method;
	return false;
}

/*
 * A list's type is that of its first value.  Type parameters are not looked at: values of two types
 * are just not equal.
 */
static bool takes_value(const char *s, const struct cel_value *v)
{
	switch (*s) {
	case '.':
	case 'A':
	case 'B':
	case 'C':
		return true;
	case 'N':
		return cel_is_number(*v);
	case 'K':
		return cel_is_ordered(*v);
	case 'l':
		/* lists of lists: flatten() takes what is flat, too */
		return v->type == CEL_LIST &&
		       (v->size == 0 || s[1] == 'l' || takes_value(s + 1, &v->elements[0]));
	default:
		return (char)v->type == *s;
	}
}

static bool takes_values(const struct cel_function *f, const struct cel_value *v)
{
	for (const char *s = f->operands; *s; s = cel_signature_next(s), v++)
		if (!takes_value(s, v))
			return false;
	return true;
}

struct cel_value cel_function_call(struct cel_run *r, const struct cel_node *n,
				   const struct cel_value *v)
{
	r->node = n;
	for (uint32_t i = 0; i < n->count; i++)
		if (cel_charge_value(r, &v[i]) < 0)
			return cel_failed(r);
	for (size_t i = 0; i < n->functions_count; i++)
		if (takes_values(n->functions[i], v))
			return n->functions[i]->call(r, v);
	return cel_no_overload(r, v);
}
