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

static bool takes_all(const struct cel_function *f, const struct cel_static *operands, size_t count)
{
	if (strlen(f->operands) != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!cel_static_takes(f->operands[i], operands[i].type, operands[0].type))
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

/* Of values, '=' is not looked at: those of two types are just not equal. */
static bool takes_values(const struct cel_function *f, const struct cel_value *v)
{
	for (const char *c = f->operands; *c; c++, v++)
		if (*c != '=' && !cel_static_takes(*c, (char)v->type, CEL_ANY))
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
