/* SPDX-License-Identifier: Apache-2.0 */
/* list_function.c - functions of lists and of maps */
#include "manager/cel/function.h"

#include "manager/cel/device.h"

#include <string.h>

enum { INCLUDES_MAX = 48 };	/* values of an attribute, Kubernetes' limit of includes() */

static struct cel_value list_size(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_int(v->size);
}

static struct cel_value map_size(struct cel_run *r, const struct cel_value *v)
{
	const struct cel_map *m = cel_map_list(r, v->map);

	return m ? cel_int((int64_t)m->count) : cel_failed(r);
}

static struct cel_value in_map(struct cel_run *r, const struct cel_value *v)
{
	bool is_in = cel_map_has(r, v[1].map, v[0]);

	return r->fatal ? cel_failed(r) : cel_bool(is_in);
}

/* The place of the first that is equal, from one end; -1: none. */
static int64_t place_of(struct cel_run *r, struct cel_value list, struct cel_value what, bool last)
{
	for (uint32_t i = 0; i < list.size && cel_charge(r, 1) == 0; i++) {
		uint32_t at = last ? list.size - 1 - i : i;

		if (cel_equal(r, list.elements[at], what))
			return at;
	}
	return -1;
}

/*
 * [1, "a"], all of whose values are written and of the types that cel-go makes a set of: it cannot
 * look for a version in one.
 */
static bool is_set(const struct cel_node *list)
{
	const struct cel_node *o = list->kind == CEL_MAKE_LIST ? list->first : NULL;

	if (!o)
		return false;
	for (; o; o = o->next)
		if (o->kind != CEL_LITERAL || !strchr("biuds", o->value.type))
			return false;
	return true;
}

static struct cel_value in_list(struct cel_run *r, const struct cel_value *v)
{
	bool is_in;

	if (!cel_is_key(v[0]) && is_set(r->node->last))
		return cel_fault(r, "is not looked for in a list of constants",
				 cel_type_name(v[0].type));
	is_in = place_of(r, v[1], v[0], false) >= 0;
	return r->fatal ? cel_failed(r) : cel_bool(is_in);
}

/* An attribute may have been one value before it was a list: both are asked the same way. */
static struct cel_value includes(struct cel_run *r, const struct cel_value *v)
{
	bool is_in;

	if (v[0].type == CEL_LIST && v[0].size > INCLUDES_MAX)
		return cel_fault(r, "includes() is for lists of at most 48 values", NULL);
	is_in = v[0].type == CEL_LIST ? place_of(r, v[0], v[1], false) >= 0 :
					cel_equal(r, v[0], v[1]);
	return r->fatal ? cel_failed(r) : cel_bool(is_in);
}

static struct cel_value list_index_of(struct cel_run *r, const struct cel_value *v)
{
	int64_t at = place_of(r, v[0], v[1], false);

	return r->fatal ? cel_failed(r) : cel_int(at);
}

static struct cel_value list_last_index_of(struct cel_run *r, const struct cel_value *v)
{
	int64_t at = place_of(r, v[0], v[1], true);

	return r->fatal ? cel_failed(r) : cel_int(at);
}

static struct cel_value list_concatenate(struct cel_run *r, const struct cel_value *v)
{
	uint32_t n = v[0].size + v[1].size;
	struct cel_value *elements = cel_new(r, (n + 1) * sizeof(*elements));

	if (!elements)
		return cel_failed(r);
	if (v[0].size > 0)
		memcpy(elements, v[0].elements, v[0].size * sizeof(*elements));
	if (v[1].size > 0)
		memcpy(elements + v[0].size, v[1].elements, v[1].size * sizeof(*elements));
	return (struct cel_value){ .type = CEL_LIST, .size = n, .elements = elements };
}

/* -- of what has an order -- */

static const char no_order[] = "a value that has no order";

static struct cel_value is_sorted(struct cel_run *r, const struct cel_value *v)
{
	for (uint32_t i = 1; i < v->size; i++) {
		int order = cel_order(v->elements[i - 1], v->elements[i]);

		if (cel_charge_value(r, &v->elements[i]) < 0)
			return cel_failed(r);
		if (!cel_is_ordered(v->elements[i]))
			return cel_fault(r, no_order, cel_type_name(v->elements[i].type));
		/* 2: of two types, which is no reason there */
		if (order == 1)
			return cel_bool(false);
	}
	return cel_bool(true);
}

/* The one that all others are on this side of. */
static struct cel_value extreme(struct cel_run *r, const struct cel_value *v, int side)
{
	struct cel_value ret;

	if (v->size == 0)
		return cel_fault(r, "the list is empty", NULL);
	ret = v->elements[0];
	for (uint32_t i = 1; i < v->size; i++) {
		int order = cel_order(v->elements[i], ret);

		if (cel_charge_value(r, &v->elements[i]) < 0)
			return cel_failed(r);
		if (!cel_is_ordered(v->elements[i]))
			return cel_fault(r, no_order, cel_type_name(v->elements[i].type));
		if (order == side)
			ret = v->elements[i];
	}
	return ret;
}

static struct cel_value list_min(struct cel_run *r, const struct cel_value *v)
{
	return extreme(r, v, -1);
}

static struct cel_value list_max(struct cel_run *r, const struct cel_value *v)
{
	return extreme(r, v, 1);
}

static struct cel_value join_with(struct cel_run *r, const struct cel_value *list,
				  const char *between, size_t between_size)
{
	size_t size = 0;
	char *text, *to;

	for (uint32_t i = 0; i < list->size; i++) {
		if (list->elements[i].type != CEL_STRING)
			return cel_fault(r, "join() is for lists of strings", NULL);
		size += (i > 0 ? between_size : 0) + list->elements[i].size;
		if (cel_charge(r, 1 + size / 1024) < 0)
			return cel_failed(r);
	}
	text = cel_new_text(r, size);
	if (!text)
		return cel_failed(r);
	to = text;
	for (uint32_t i = 0; i < list->size; i++) {
		if (i > 0)
			to = mempcpy(to, between, between_size);
		to = mempcpy(to, list->elements[i].text, list->elements[i].size);
	}
	return (struct cel_value){ .type = CEL_STRING, .size = (uint32_t)size, .text = text };
}

static struct cel_value join(struct cel_run *r, const struct cel_value *v)
{
	return join_with(r, v, "", 0);
}

static struct cel_value join_between(struct cel_run *r, const struct cel_value *v)
{
	return join_with(r, v, v[1].text, v[1].size);
}

const struct cel_function cel_list_functions[] = {
	{ "+", CEL_OPERATOR, "lAlA", "lA", list_concatenate, false },
	{ "in", CEL_OPERATOR, "AlA", "b", in_list, false },
	{ "in", CEL_OPERATOR, "AmAB", "b", in_map, false },
	{ "size", CEL_BOTH, "lA", "i", list_size, false },
	{ "size", CEL_BOTH, "mAB", "i", map_size, false },
	{ "includes", CEL_METHOD, "..", "b", includes, false },
	{ "indexOf", CEL_METHOD, "lAA", "i", list_index_of, false },
	{ "lastIndexOf", CEL_METHOD, "lAA", "i", list_last_index_of, false },
	{ "isSorted", CEL_METHOD, "lK", "b", is_sorted, false },
	{ "min", CEL_METHOD, "lK", "K", list_min, false },
	{ "max", CEL_METHOD, "lK", "K", list_max, false },
	{ "join", CEL_METHOD, "ls", "s", join, false },
	{ "join", CEL_METHOD, "lss", "s", join_between, false },
	{ NULL, CEL_OPERATOR, NULL, NULL, NULL, false },
};
