/* SPDX-License-Identifier: Apache-2.0 */
/* optional_function.c - functions of optional values: a.?b, a[?b], optional.of(x) */
#include "manager/cel/optional.h"

#include "manager/cel/function.h"

#include <string.h>

static struct cel_value of(struct cel_run *r, const struct cel_value *v)
{
	return cel_optional(r, v);
}

static struct cel_value none(struct cel_run *r, const struct cel_value *v)
{
	(void)v;
	return cel_optional(r, NULL);
}

/* All attributes and all capacities are no zero, also where there are none. */
static bool is_empty(struct cel_run *r, const struct cel_map *m)
{
	const struct cel_map *all = m->kind == CEL_MAP_DOMAINS ? NULL : cel_map_list(r, m);

	return all && all->count == 0;
}

static bool is_zero(struct cel_run *r, const struct cel_value *v)
{
	switch (v->type) {
	case CEL_NULL:
		return true;
	case CEL_BOOL:
		return !v->truth;
	case CEL_INT:
	case CEL_UINT:
	case CEL_DURATION:
		return v->integer == 0;
	case CEL_DOUBLE:
		return cel_order(*v, cel_int(0)) == 0;
	case CEL_STRING:
	case CEL_BYTES:
	case CEL_LIST:
		return v->size == 0;
	case CEL_MAP:
		return is_empty(r, v->map);
	default:
		return false;
	}
}

static struct cel_value of_non_zero(struct cel_run *r, const struct cel_value *v)
{
	bool zero = is_zero(r, v);

	return r->fatal ? cel_failed(r) : cel_optional(r, zero ? NULL : v);
}

static struct cel_value has_value(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_bool(v->held);
}

static struct cel_value value(struct cel_run *r, const struct cel_value *v)
{
	return v->held ? *v->held : cel_fault(r, "the optional value is none", NULL);
}

static struct cel_value or_other(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return v[0].held ? v[0] : v[1];
}

static struct cel_value or_value(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return v[0].held ? *v[0].held : v[1];
}

bool cel_optional_decides(const struct cel_node *n, struct cel_value v, struct cel_value *ret)
{
	bool is_value = strcmp(n->name, "orValue") == 0;

	if (v.type != CEL_OPTIONAL || !v.held || (!is_value && strcmp(n->name, "or") != 0))
		return false;
	*ret = is_value ? *v.held : v;
	return true;
}

static struct cel_value part_of_list(struct cel_run *r, struct cel_value list, struct cel_value at)
{
	if (!cel_is_number(at))
		return cel_fault(r, "the place in a list is a number, not", cel_type_name(at.type));
	for (uint32_t i = 0; i < list.size && cel_charge(r, 1) == 0; i++)
		if (cel_order(at, cel_int(i)) == 0)
			return cel_optional(r, &list.elements[i]);
	return r->fatal ? cel_failed(r) : cel_optional(r, NULL);
}

struct cel_value cel_optional_part(struct cel_run *r, struct cel_value of, struct cel_value key)
{
	struct cel_value ret;
	bool found;

	if (of.type == CEL_OPTIONAL && !of.held)
		return of;
	if (of.type == CEL_OPTIONAL)
		of = *of.held;
	if (of.type == CEL_LIST)
		return part_of_list(r, of, key);
	found = of.type == CEL_MAP && cel_map_find(r, of.map, key, &ret);
	return r->fatal ? cel_failed(r) : cel_optional(r, found ? &ret : NULL);
}

/* -- lists -- */

static struct cel_value first(struct cel_run *r, const struct cel_value *v)
{
	return cel_optional(r, v->size > 0 ? v->elements : NULL);
}

static struct cel_value last(struct cel_run *r, const struct cel_value *v)
{
	return cel_optional(r, v->size > 0 ? &v->elements[v->size - 1] : NULL);
}

static struct cel_value unwrap(struct cel_run *r, const struct cel_value *v)
{
	struct cel_value *elements = cel_new(r, (v->size + (size_t)1) * sizeof(*elements));
	uint32_t n = 0;

	if (!elements)
		return cel_failed(r);
	for (uint32_t i = 0; i < v->size; i++) {
		if (v->elements[i].type != CEL_OPTIONAL)
			return cel_fault(r, "is no optional value",
					 cel_type_name(v->elements[i].type));
		if (v->elements[i].held)
			elements[n++] = *v->elements[i].held;
	}
	return (struct cel_value){ .type = CEL_LIST, .size = n, .elements = elements };
}

const struct cel_function cel_optional_functions[] = {
	{ "optional.of", CEL_FUNCTION, "A", "oA", of, false },
	{ "optional.ofNonZeroValue", CEL_FUNCTION, "A", "oA", of_non_zero, false },
	{ "optional.none", CEL_FUNCTION, "", "oA", none, false },
	{ "hasValue", CEL_METHOD, "oA", "b", has_value, false },
	{ "value", CEL_METHOD, "oA", "A", value, false },
	{ "or", CEL_METHOD, "oAoA", "oA", or_other, false },
	{ "orValue", CEL_METHOD, "oAA", "A", or_value, false },
	{ "first", CEL_METHOD, "lA", "oA", first, false },
	{ "last", CEL_METHOD, "lA", "oA", last, false },
	{ "optional.unwrap", CEL_FUNCTION, "loA", "lA", unwrap, false },
	{ "unwrapOpt", CEL_METHOD, "loA", "lA", unwrap, false },
	{ NULL, CEL_OPERATOR, NULL, NULL, NULL, false },
};
