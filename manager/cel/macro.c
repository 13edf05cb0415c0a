/* SPDX-License-Identifier: Apache-2.0 */
/*
 * macro.c - all(), map() and the like, with one variable or two, and cel.bind()
 *
 * Errors of the operands are told as with && and || for all() and exists(), and end the others.
 */
#include "manager/cel/eval.h"

#include "manager/cel/device.h"
#include "manager/cel/rearrange.h"

#include <string.h>

/* What the n-th operand, from 1, is with this item. */
static struct cel_value for_item(struct cel_run *r, const struct cel_node *n, unsigned operand,
				 const struct cel_items *items, uint32_t i)
{
	const struct cel_node *o = n->first;

	for (; operand > 0; operand--)
		o = o->next;
	if (n->macro->variables == 2) {
		r->variables[n->slot] = items->keys ? items->keys[i] : cel_int(i);
		r->variables[n->slot + 1] = items->values[i];
	} else {
		r->variables[n->slot] = items->values[i];
	}
	return r->evaluate(r, o);
}

static struct cel_value quantify(struct cel_run *r, const struct cel_node *n,
				 const struct cel_items *items, bool decisive)
{
	struct cel_value ret = cel_bool(!decisive);

	for (uint32_t i = 0; i < items->count; i++)
		if (cel_decides(r, n->first->next, for_item(r, n, 1, items, i), decisive, &ret))
			break;
	return ret;
}

static struct cel_value all(struct cel_run *r, const struct cel_node *n,
			    const struct cel_items *items)
{
	return quantify(r, n, items, false);
}

static struct cel_value exists(struct cel_run *r, const struct cel_node *n,
			       const struct cel_items *items)
{
	return quantify(r, n, items, true);
}

/* -- of some of the items -- */

/* Is the condition, the first operand, true for this item?  1, 0; -1: *error. */
static int is_chosen(struct cel_run *r, const struct cel_node *n, const struct cel_items *items,
		     uint32_t i, struct cel_value *error)
{
	*error = cel_bool(false);
	(void)cel_decides(r, n->first->next, for_item(r, n, 1, items, i), true, error);
	return error->type == CEL_ERROR ? -1 : error->truth;
}

static struct cel_value exists_one(struct cel_run *r, const struct cel_node *n,
				   const struct cel_items *items)
{
	struct cel_value error;
	uint32_t found = 0;

	for (uint32_t i = 0; i < items->count; i++) {
		int chosen = is_chosen(r, n, items, i, &error);

		if (chosen < 0)
			return error;
		found += (uint32_t)chosen;
	}
	return cel_bool(found == 1);
}

static struct cel_value filter(struct cel_run *r, const struct cel_node *n,
			       const struct cel_items *items)
{
	struct cel_value *ret = cel_new(r, (items->count + (size_t)1) * sizeof(*ret)), error;
	uint32_t found = 0;

	if (!ret)
		return cel_failed(r);
	for (uint32_t i = 0; i < items->count; i++) {
		int chosen = is_chosen(r, n, items, i, &error);

		if (chosen < 0)
			return error;
		if (chosen)
			ret[found++] = items->values[i];
	}
	return (struct cel_value){ .type = CEL_LIST, .size = found, .elements = ret };
}

/* What the last operand is for the item; is_left: the condition before it, if any, is false. */
static struct cel_value transform(struct cel_run *r, const struct cel_node *n,
				  const struct cel_items *items, uint32_t i, bool *is_left)
{
	struct cel_value error;
	int chosen = n->macro->operands == 2 ? is_chosen(r, n, items, i, &error) : 1;

	*is_left = chosen == 0;
	if (chosen < 0)
		return error;
	return chosen ? for_item(r, n, n->macro->operands, items, i) : cel_bool(false);
}

static struct cel_value map(struct cel_run *r, const struct cel_node *n,
			    const struct cel_items *items)
{
	struct cel_value *ret = cel_new(r, (items->count + (size_t)1) * sizeof(*ret));
	uint32_t found = 0;
	bool is_left;

	if (!ret)
		return cel_failed(r);
	for (uint32_t i = 0; i < items->count; i++) {
		struct cel_value v = transform(r, n, items, i, &is_left);

		if (v.type == CEL_ERROR)
			return v;
		if (!is_left)
			ret[found++] = v;
	}
	return (struct cel_value){ .type = CEL_LIST, .size = found, .elements = ret };
}

/* -- maps -- */

static struct cel_value transform_map(struct cel_run *r, const struct cel_node *n,
				      const struct cel_items *items)
{
	struct cel_entry *entries = cel_new(r, (items->count + (size_t)1) * sizeof(*entries));
	struct cel_map *m = cel_new(r, sizeof(*m));
	bool is_left;

	if (!entries || !m)
		return cel_failed(r);
	m->entries = entries;
	for (uint32_t i = 0; i < items->count; i++) {
		struct cel_value v = transform(r, n, items, i, &is_left);

		if (v.type == CEL_ERROR)
			return v;
		if (!is_left)
			entries[m->count++] = (struct cel_entry){
				items->keys ? items->keys[i] : cel_int(i), v
			};
	}
	return (struct cel_value){ .type = CEL_MAP, .map = m };
}

/* Adds the entries of one map to another, which has none of their keys. */
static struct cel_value merge(struct cel_run *r, const struct cel_map *m, struct cel_map *to)
{
	struct cel_entry *entries;

	m = cel_map_list(r, m);
	entries = m ? cel_new(r, (to->count + m->count + 1) * sizeof(*entries)) : NULL;
	if (!entries)
		return cel_failed(r);
	if (to->count > 0)
		memcpy(entries, to->entries, to->count * sizeof(*entries));
	to->entries = entries;
	for (size_t i = 0; i < m->count; i++) {
		struct cel_value key = m->entries[i].key;
		size_t at = cel_map_place(r, to, key);

		if (r->fatal)
			return cel_failed(r);
		if (at < to->count)
			return cel_fault(r, "a key that is there twice",
					 key.type == CEL_STRING ? key.text : NULL);
		entries[to->count++] = m->entries[i];
	}
	return cel_bool(true);
}

static struct cel_value transform_entries(struct cel_run *r, const struct cel_node *n,
					  const struct cel_items *items)
{
	struct cel_map *m = cel_new(r, sizeof(*m));
	bool is_left;

	if (!m)
		return cel_failed(r);
	for (uint32_t i = 0; i < items->count; i++) {
		struct cel_value v = transform(r, n, items, i, &is_left);

		r->node = n->last;
		if (!is_left && v.type != CEL_ERROR)
			v = v.type == CEL_MAP ? merge(r, v.map, m) :
						cel_fault(r, "expected a map, not",
							  cel_type_name(v.type));
		if (v.type == CEL_ERROR)
			return v;
	}
	return (struct cel_value){ .type = CEL_MAP, .map = m };
}

/* -- the order of a list -- */

static struct cel_value sort_by(struct cel_run *r, const struct cel_node *n,
				const struct cel_items *items)
{
	struct cel_value keys = map(r, n, items);
	const struct cel_value list = { .type = CEL_LIST, .size = items->count,
					.elements = items->values };

	r->node = n;
	return keys.type == CEL_ERROR ? keys : cel_sort_by(r, list, keys.elements);
}

/* -- optional values: of one item, or none -- */

static struct cel_value opt_flat_map(struct cel_run *r, const struct cel_node *n,
				     const struct cel_items *items)
{
	return items->count > 0 ? for_item(r, n, 1, items, 0) : cel_optional(r, NULL);
}

static struct cel_value opt_map(struct cel_run *r, const struct cel_node *n,
				const struct cel_items *items)
{
	struct cel_value v;

	if (items->count == 0)
		return cel_optional(r, NULL);
	v = for_item(r, n, 1, items, 0);
	return cel_optional(r, &v);
}

/* -- all of them -- */

static const struct cel_macro macros[] = {
	{ "all", 1, 1, CEL_GIVES_BOOL, false, false, all },
	{ "exists", 1, 1, CEL_GIVES_BOOL, false, false, exists },
	{ "exists_one", 1, 1, CEL_GIVES_BOOL, false, false, exists_one },
	{ "filter", 1, 1, CEL_GIVES_ELEMENTS, false, false, filter },
	{ "map", 1, 1, CEL_GIVES_OPERANDS, false, false, map },
	{ "map", 1, 2, CEL_GIVES_OPERANDS, false, false, map },
	{ "sortBy", 1, 1, CEL_GIVES_ELEMENTS, false, true, sort_by },
	{ "all", 2, 1, CEL_GIVES_BOOL, false, false, all },
	{ "exists", 2, 1, CEL_GIVES_BOOL, false, false, exists },
	{ "exists_one", 2, 1, CEL_GIVES_BOOL, false, false, exists_one },
	{ "existsOne", 2, 1, CEL_GIVES_BOOL, false, false, exists_one },
	{ "transformList", 2, 1, CEL_GIVES_OPERANDS, false, false, map },
	{ "transformList", 2, 2, CEL_GIVES_OPERANDS, false, false, map },
	{ "transformMap", 2, 1, CEL_GIVES_MAP, false, false, transform_map },
	{ "transformMap", 2, 2, CEL_GIVES_MAP, false, false, transform_map },
	{ "transformMapEntry", 2, 1, CEL_GIVES_OPERAND, false, false, transform_entries },
	{ "transformMapEntry", 2, 2, CEL_GIVES_OPERAND, false, false, transform_entries },
	{ "optMap", 1, 1, CEL_GIVES_OPTIONAL, true, false, opt_map },
	{ "optFlatMap", 1, 1, CEL_GIVES_OPERAND, true, false, opt_flat_map },
};

const struct cel_macro *cel_macro_find(const char *name, uint32_t count)
{
	for (size_t i = 0; i < ARRAY_SIZE(macros); i++)
		if (strcmp(macros[i].name, name) == 0 &&
		    macros[i].variables + macros[i].operands == count)
			return &macros[i];
	return NULL;
}

bool cel_macro_is(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(macros); i++)
		if (strcmp(macros[i].name, name) == 0)
			return true;
	return false;
}

/* -- what they go over -- */

static struct cel_value list_items(struct cel_run *r, const struct cel_map *map, bool is_pair,
				   struct cel_items *ret)
{
	const struct cel_map *m = cel_map_list(r, map);
	size_t n = m ? m->count : 0;
	struct cel_value *items = m ? cel_new(r, (2 * n + 1) * sizeof(*items)) : NULL;

	if (!items)
		return cel_failed(r);
	for (size_t i = 0; i < n; i++) {
		items[i] = m->entries[i].key;
		items[n + i] = m->entries[i].value;
	}
	*ret = (struct cel_items){ .keys = items, .values = is_pair ? items + n : items,
				   .count = (uint32_t)n };
	return cel_bool(true);
}

static struct cel_value find_items(struct cel_run *r, const struct cel_node *n, struct cel_value of,
				   struct cel_items *ret)
{
	r->node = n;
	*ret = (struct cel_items){ .values = of.held, .count = of.held != NULL };
	if (of.type == CEL_ERROR || (of.type == CEL_OPTIONAL && n->macro->is_of_optional))
		return of;
	*ret = (struct cel_items){ .values = of.elements, .count = of.size };
	if (of.type == CEL_LIST && !n->macro->is_of_optional)
		return of;
	if (of.type != CEL_MAP || n->macro->is_of_optional || n->macro->is_by_key)
		return cel_fault(r, n->macro->is_of_optional ? "is for optional values, not for" :
							       "is for lists and maps, not for",
				 cel_type_name(of.type));
	return list_items(r, of.map, n->macro->variables == 2, ret);
}

struct cel_value cel_macro_evaluate(struct cel_run *r, const struct cel_node *n)
{
	struct cel_items items;
	struct cel_value of = find_items(r, n, r->evaluate(r, n->first), &items);

	return of.type == CEL_ERROR ? of : n->macro->evaluate(r, n, &items);
}

/* An error in what is bound is one where it is used. */
struct cel_value cel_bind_evaluate(struct cel_run *r, const struct cel_node *n)
{
	r->variables[n->slot] = r->evaluate(r, n->first);
	return r->evaluate(r, n->first->next);
}
