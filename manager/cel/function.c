/* SPDX-License-Identifier: Apache-2.0 */
/* function.c - which function a call means: by name, before there is a device and for one */
#include "manager/cel/function.h"

#include <stdio.h>
#include <string.h>

static const struct cel_function *const tables[] = {
	cel_number_functions,
	cel_string_functions,
	cel_list_functions,
	cel_unit_functions,
};

const char *cel_signature_next(const char *s)
{
	unsigned left = 1;

	while (left > 0 && *s) {
		left += (*s == 'm' ? 2 : *s == 'l' ? 1 : 0);
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

static bool takes_all(const struct cel_function *f, const struct cel_static *operands, size_t count)
{
	const char *s = f->operands;

	if (cel_signature_count(s) != count)
		return false;
	for (size_t i = 0; i < count; i++, s = cel_signature_next(s))
		if (!cel_static_takes(i > 0 && strcmp(f->operands, "AA") == 0 ? '=' : *s,
				      operands[i].type, operands[0].type))
			return false;
	return true;
}

size_t cel_function_find(const char *name, enum cel_style style, const struct cel_static *operands,
			 size_t count, const struct cel_function **ret, size_t max, size_t *named)
{
	size_t n = 0;

	*named = 0;
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct cel_function *f = tables[i]; f->name; f++) {
			if (strcmp(f->name, name) != 0 ||
			    (f->style != style && (f->style != CEL_BOTH || style == CEL_OPERATOR)))
				continue;
			++*named;
			if (n < max && takes_all(f, operands, count))
				ret[n++] = f;
		}
	return n;
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
		return cel_order(*v, *v) != 2 || v->type == CEL_DOUBLE;
	case 'l':
		return v->type == CEL_LIST &&
		       (v->size == 0 || takes_value(s + 1, &v->elements[0]));
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

static struct cel_value no_overload(struct cel_run *r, const struct cel_node *n,
				    const struct cel_value *v)
{
	char text[128];
	size_t at = (size_t)snprintf(text, sizeof(text), "no such overload: %.40s(", n->name);
	struct cel_value what;

	for (uint32_t i = 0; i < n->count && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i ? ", " : "",
				       cel_type_name(v[i].type));
	if (at < sizeof(text) - 1)
		(void)snprintf(text + at, sizeof(text) - at, ")");
	what = cel_copy(r, text, strlen(text));
	return what.type == CEL_ERROR ? what : cel_fault(r, what.text, NULL);
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
	return no_overload(r, n, v);
}
