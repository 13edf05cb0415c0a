/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.c - what each kind of node may cost at most (estimate.h) */
#include "manager/cel/estimate.h"

#include "manager/cel/eval.h"

#include <string.h>

enum {				/* what cel-go charges for making one */
	LIST_COST = 10,
	MAP_COST = 30,
};

struct estimator {
	struct cel_estimated variables[CEL_VARIABLES_MAX];
};

static struct cel_estimated estimate_node(struct estimator *k, const struct cel_node *n);

/* -- the device -- */

static const struct cel_shape name = { .max = 32 }, domain = { .max = 63 },
			      attribute = { .max = 64 }, quantity = { .max = 0 };
static const struct cel_shape attribute_names = { .max = 32, .keys = &name, .values = &attribute,
						  .has_any_field = true };
static const struct cel_shape capacity_names = { .max = 32, .keys = &name, .values = &quantity };

static const struct {
	const char *name;
	struct cel_shape shape;
} fields[] = {
	{ "driver", { .max = 63 } },
	{ "attributes", { .max = 32, .keys = &domain, .values = &attribute_names } },
	{ "capacity", { .max = 32, .keys = &domain, .values = &capacity_names } },
	{ "allowMultipleAllocations", { .max = 0 } },
};

static const struct cel_shape *field_of(const struct cel_estimated *of, const char *field)
{
	if (of->node->is->kind != CEL_DEVICE)
		return of->shape && of->shape->has_any_field ? of->shape->values : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (strcmp(fields[i].name, field) == 0)
			return &fields[i].shape;
	return NULL;
}

/* -- sizes -- */

static void set_size(struct cel_estimated *e, struct cel_range size)
{
	e->is_sized = true;
	e->size = size;
}

static bool is_scalar(const struct cel_static *is)
{
	if (is->kind == CEL_OPTIONAL)
		return is_scalar(is->part[0]);
	return is->kind == CEL_BOOL || is->kind == CEL_DOUBLE || is->kind == CEL_INT ||
	       is->kind == CEL_UINT || is->kind == CEL_DURATION || is->kind == CEL_TIMESTAMP;
}

/* Where nothing better is known: by the device, then by the type. */
static void settle(struct cel_estimated *e, const struct cel_static *is)
{
	if (!e->is_sized && e->shape)
		set_size(e, (struct cel_range){ 0, e->shape->max });
	else if (!e->is_sized && is_scalar(is))
		set_size(e, (struct cel_range){ 1, 1 });
}

static uint64_t characters(const struct cel_value *v)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < v->size; i++)
		n += ((unsigned char)v->text[i] & 0xc0) != 0x80;
	return n;
}

static void unite_entries(const struct cel_estimated *a, const struct cel_estimated *b,
			  struct cel_estimated *ret)
{
	if (!a->holds || !b->holds)
		return;
	ret->holds = a->holds;
	ret->keys = cel_range_union(a->keys, b->keys);
	ret->values = cel_range_union(a->values, b->values);
}

static void copy_sizes(const struct cel_estimated *from, struct cel_estimated *to)
{
	to->is_sized = from->is_sized;
	to->size = from->size;
	to->holds = from->holds;
	to->keys = from->keys;
	to->values = from->values;
}

/* -- values, names and parts -- */

static struct cel_estimated estimate_literal(const struct cel_node *n)
{
	uint64_t size = n->value.type == CEL_STRING ? characters(&n->value) : 1;

	return (struct cel_estimated){ .node = n, .is_sized = true, .size = { size, size } };
}

static struct cel_estimated estimate_variable(const struct estimator *k, const struct cel_node *n)
{
	const struct cel_estimated *v = &k->variables[n->slot];
	struct cel_estimated ret = { .node = n, .cost = 1, .shape = v->shape };

	settle(&ret, n->is);
	if (!ret.is_sized && v->is_sized)
		set_size(&ret, v->size);
	ret.holds = v->holds;
	ret.keys = v->keys;
	ret.values = v->values;
	return ret;
}

static struct cel_estimated estimate_device(const struct cel_node *n)
{
	static const struct cel_shape device = { .max = 0 };
	struct cel_estimated ret = { .node = n, .cost = 1, .shape = &device };

	settle(&ret, n->is);
	return ret;
}

/* The name of an attribute is "domain/name". */
static const char *member_name(const struct cel_node *n)
{
	return n->kind == CEL_ATTRIBUTE ? n->name + strlen(n->domain) + 1 : n->name;
}

static struct cel_estimated estimate_select(struct estimator *k, const struct cel_node *n)
{
	struct cel_estimated of = estimate_node(k, n->first);
	bool costs = n->first->is->kind == CEL_MAP || n->first->is->kind == CEL_DEVICE;
	struct cel_estimated ret = { .node = n, .cost = cel_range_add(of.cost, costs),
				     .shape = field_of(&of, member_name(n)) };

	settle(&ret, n->is);
	return ret;
}

static struct cel_estimated estimate_has(struct estimator *k, const struct cel_node *n)
{
	struct cel_estimated ret = { .node = n, .cost = estimate_node(k, n->first).cost };

	settle(&ret, n->is);
	return ret;
}

static struct cel_estimated estimate_index(struct estimator *k, const struct cel_node *n)
{
	struct cel_estimated of = estimate_node(k, n->first), at = estimate_node(k, n->last);
	struct cel_estimated ret = { .node = n, .shape = of.shape ? of.shape->values : NULL };

	ret.cost = cel_range_add(1, cel_range_add(of.cost, at.cost));
	if (of.holds)
		set_size(&ret, of.values);
	settle(&ret, n->is);
	return ret;
}

static struct cel_estimated estimate_attribute(struct estimator *k, const struct cel_node *n)
{
	if (n->is_test)
		return estimate_has(k, n);
	return n->first == n->last ? estimate_select(k, n) : estimate_index(k, n);
}

/* -- operators and functions -- */

static bool is_dyn(const struct cel_node *n)
{
	return !n->is_method && strcmp(n->name, "dyn") == 0;
}

static struct cel_estimated estimate_call(struct estimator *k, const struct cel_node *n)
{
	struct cel_estimated operands[CEL_OPERANDS_MAX] = { 0 }, ret = { .node = n };
	uint64_t cost = 0;
	size_t count = 0;

	for (const struct cel_node *o = n->first; o; o = o->next) {
		operands[count] = estimate_node(k, o);
		cost = cel_range_add(cost, operands[count++].cost);
	}
	if (is_dyn(n)) {
		copy_sizes(&operands[0], &ret);
		ret.cost = 1;
	} else {
		for (size_t i = 0; i < n->functions_count; i++)
			cel_estimate_call(n->functions[i], n, operands, &ret);
		if (strcmp(n->name, "+") == 0 && count == 2)
			unite_entries(&operands[0], &operands[1], &ret);
	}
	ret.cost = cel_range_add(ret.cost, cost);
	settle(&ret, n->is);
	return ret;
}

static struct cel_estimated estimate_logic(struct estimator *k, const struct cel_node *n)
{
	struct cel_estimated ret = { .node = n };

	for (const struct cel_node *o = n->first; o; o = o->next)
		ret.cost = cel_range_add(ret.cost, estimate_node(k, o).cost);
	settle(&ret, n->is);
	return ret;
}

static struct cel_estimated estimate_conditional(struct estimator *k, const struct cel_node *n)
{
	struct cel_estimated condition = estimate_node(k, n->first);
	struct cel_estimated yes = estimate_node(k, n->first->next), no = estimate_node(k, n->last);
	struct cel_estimated ret = { .node = n };

	ret.cost = cel_range_add(condition.cost, yes.cost > no.cost ? yes.cost : no.cost);
	set_size(&ret, cel_range_union(cel_size_of(&yes), cel_size_of(&no)));
	unite_entries(&yes, &no, &ret);
	return ret;
}

/* -- lists and maps that are written -- */

static const struct cel_range none = { UINT64_MAX, 0 }, nothing = { 0, 0 }, one_value = { 1, 1 };

static struct cel_estimated estimate_list(struct estimator *k, const struct cel_node *n)
{
	struct cel_estimated ret = { .node = n, .cost = LIST_COST, .holds = CEL_LIST,
				     .keys = { 1, 1 }, .values = n->first ? none : nothing };

	for (const struct cel_node *o = n->first; o; o = o->next) {
		struct cel_estimated e = estimate_node(k, o);

		ret.cost = cel_range_add(ret.cost, e.cost);
		ret.values = cel_range_union(ret.values, cel_size_of(&e));
	}
	set_size(&ret, (struct cel_range){ n->count, n->count });
	return ret;
}

static struct cel_estimated estimate_map(struct estimator *k, const struct cel_node *n)
{
	struct cel_estimated ret = { .node = n, .cost = MAP_COST, .holds = CEL_MAP };

	ret.keys = ret.values = n->first ? none : nothing;
	for (const struct cel_node *o = n->first; o; o = o->next->next) {
		struct cel_estimated key = estimate_node(k, o), value = estimate_node(k, o->next);

		ret.cost = cel_range_add(ret.cost, cel_range_add(key.cost, value.cost));
		ret.keys = cel_range_union(ret.keys, cel_size_of(&key));
		ret.values = cel_range_union(ret.values, cel_size_of(&value));
	}
	set_size(&ret, (struct cel_range){ n->count / 2, n->count / 2 });
	return ret;
}

/* -- macros -- */

/*
 * cel-go writes a macro as a loop over a result: what the loop costs before and behind it, for each
 * element besides the operands, and with an operand that is a condition when that is true.
 */
static const struct {
	const char *name;
	uint32_t operands;
	uint64_t around, each, if_true;
} loops[] = {
	{ "all", 1, 1, 2 + 1, 0 },
	{ "exists", 1, 1, 3 + 1, 0 },
	{ "exists_one", 1, 2, 0, 2 },
	{ "existsOne", 1, 2, 0, 2 },	/* with two variables */
	{ "filter", 1, LIST_COST + 1, 0, 1 + LIST_COST + 1 + 1 },
	{ "map", 1, LIST_COST + 1, 1 + LIST_COST + 1, 0 },
	{ "map", 2, LIST_COST + 1, 0, 1 + LIST_COST + 1 },
	{ "transformList", 1, LIST_COST + 1, 1 + LIST_COST + 1, 0 },
	{ "transformList", 2, LIST_COST + 1, 0, 1 + LIST_COST + 1 },
	{ "transformMap", 1, MAP_COST + 1, 1 + 1 + 1, 0 },
	{ "transformMap", 2, MAP_COST + 1, 0, 1 + 1 + 1 },
	{ "transformMapEntry", 1, MAP_COST + 1, 1 + 1, 0 },
	{ "transformMapEntry", 2, MAP_COST + 1, 0, 1 + 1 },
	{ "sortBy", 1, 2 * LIST_COST + 4, 1 + LIST_COST + 1, 0 },
	{ "optMap", 1, LIST_COST + 3, 0, 0 },
	{ "optFlatMap", 1, LIST_COST + 2, 0, 0 },
};

/* The element, or the value, that a loop with two variables is at. */
static struct cel_estimated value_of(const struct cel_estimated *of)
{
	struct cel_estimated ret = { .is_sized = of->holds, .size = of->values };

	if (of->shape)
		ret.shape = of->shape->values;
	return ret;
}

/* What the first of two variables is: a place in a list, or a key. */
static struct cel_estimated key_of(const struct cel_estimated *of)
{
	bool is_list = (of->holds ? of->holds : of->node->is->kind) == CEL_LIST;
	struct cel_estimated ret = { .is_sized = is_list || of->holds,
				     .size = is_list ? one_value : of->keys };

	if (of->shape && !is_list)
		ret.shape = of->shape->keys;
	return ret;
}

/* The element, or the key, that the loop is at. */
static struct cel_estimated element_of(const struct cel_estimated *of)
{
	char kind = of->holds ? of->holds : of->node->is->kind;
	struct cel_estimated ret = { .is_sized = of->holds };

	if (of->shape)
		ret.shape = kind == CEL_LIST ? of->shape->values : of->shape->keys;
	ret.size = kind == CEL_LIST ? of->values : of->keys;
	return ret;
}

static const struct cel_static *element_type(const struct cel_static *of)
{
	return of->part[0] ? of->part[0] : cel_static_of(CEL_ANY);
}

static void set_elements(struct cel_range of, struct cel_estimated *ret)
{
	ret->holds = CEL_LIST;
	ret->keys = (struct cel_range){ 1, 1 };
	ret->values = cel_range_union(nothing, of);
}

static uint64_t loop_cost(const struct cel_node *n, uint64_t around, uint64_t operands,
			  uint64_t count)
{
	for (size_t i = 0; i < ARRAY_SIZE(loops); i++)
		if (strcmp(loops[i].name, n->macro->name) == 0 &&
		    loops[i].operands == n->macro->operands) {
			uint64_t each = loops[i].each + loops[i].if_true;

			return cel_range_add(cel_range_add(around, loops[i].around),
					     cel_range_multiply(count,
								cel_range_add(operands, each)));
		}
	return UINT64_MAX;
}

static struct cel_estimated estimate_macro(struct estimator *k, const struct cel_node *n)
{
	struct cel_estimated of = estimate_node(k, n->first), last = { 0 }, ret = { .node = n };
	struct cel_estimated element = element_of(&of);
	uint64_t operands = 0;

	k->variables[n->slot] = element;
	if (n->macro->variables == 2) {
		k->variables[n->slot] = key_of(&of);
		k->variables[n->slot + 1] = value_of(&of);
	}
	for (const struct cel_node *o = n->first->next; o; o = o->next) {
		last = estimate_node(k, o);
		operands = cel_range_add(operands, last.cost);
	}
	if (n->macro->is_of_optional) {
		ret.cost = loop_cost(n, cel_range_multiply(2, of.cost), operands, 1);
		return ret;
	}
	ret.cost = loop_cost(n, of.cost, operands, cel_size_of(&of).max);
	settle(&element, element_type(n->first->is));
	if (n->macro->gives == CEL_GIVES_BOOL) {
		set_size(&ret, (struct cel_range){ 1, 1 });
	} else if (n->macro->gives == CEL_GIVES_ELEMENTS || n->macro->gives == CEL_GIVES_OPERANDS) {
		set_size(&ret, cel_size_of(&of));
		set_elements(cel_size_of(n->macro->gives == CEL_GIVES_ELEMENTS ? &element : &last),
			     &ret);
	}
	return ret;
}

/* Of what is bound itself cel-go forgets the size, but not that it is a part of the device. */
static void copy_body(const struct cel_node *n, const struct cel_estimated *body,
		      struct cel_estimated *ret)
{
	if (n->last->kind != CEL_VARIABLE || n->last->slot != n->slot)
		copy_sizes(body, ret);
	else if (body->shape)
		set_size(ret, body->size);
}

static struct cel_estimated estimate_bind(struct estimator *k, const struct cel_node *n)
{
	struct cel_estimated ret = { .node = n }, body, value = estimate_node(k, n->first);

	k->variables[n->slot] = value;
	body = estimate_node(k, n->last);
	copy_body(n, &body, &ret);
	ret.cost = cel_range_add(LIST_COST, cel_range_add(value.cost, body.cost));
	settle(&ret, n->is);
	return ret;
}

/* -- all of it -- */

static struct cel_estimated estimate_node(struct estimator *k, const struct cel_node *n)
{
	switch (n->kind) {
	case CEL_LITERAL:
		return estimate_literal(n);
	case CEL_NAME:
		return estimate_device(n);
	case CEL_VARIABLE:
		return estimate_variable(k, n);
	case CEL_SELECT:
		return estimate_select(k, n);
	case CEL_HAS:
		return estimate_has(k, n);
	case CEL_ATTRIBUTE:
		return estimate_attribute(k, n);
	case CEL_INDEX:
		return estimate_index(k, n);
	case CEL_CALL:
		return estimate_call(k, n);
	case CEL_AND:
	case CEL_OR:
		return estimate_logic(k, n);
	case CEL_CONDITIONAL:
		return estimate_conditional(k, n);
	case CEL_MAKE_LIST:
		return estimate_list(k, n);
	case CEL_MAKE_MAP:
		return estimate_map(k, n);
	case CEL_MACRO:
		return estimate_macro(k, n);
	case CEL_BIND:
		break;
	}
	return estimate_bind(k, n);
}

uint64_t cel_estimate(const struct cel *c)
{
	struct estimator k = { 0 };

	return estimate_node(&k, c->root).cost;
}
