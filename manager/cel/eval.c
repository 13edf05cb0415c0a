/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval.c - what an expression is for one device
 *
 * Errors are values and go upwards, but && and || ignore one when another operand decides:
 * `false && error` is false in either order.  all() and exists() do the same with their elements.
 */
#include "manager/cel/eval.h"

#include "manager/cel/device.h"
#include "manager/cel/function.h"
#include "manager/cel/optional.h"

#include <string.h>

static struct cel_value evaluate_literal(struct cel_run *r, const struct cel_node *n)
{
	(void)r;
	return n->value;
}

static struct cel_value evaluate_device(struct cel_run *r, const struct cel_node *n)
{
	(void)r, (void)n;
	return cel_device_map();
}

static struct cel_value evaluate_variable(struct cel_run *r, const struct cel_node *n)
{
	return r->variables[n->slot];
}

/* -- parts of maps and lists -- */

static struct cel_value no_such_key(struct cel_run *r, const struct cel_node *n,
				    struct cel_value key)
{
	r->node = n;
	return cel_fault(r, "no such key", key.type == CEL_STRING ? key.text : NULL);
}

static struct cel_value find_key(struct cel_run *r, const struct cel_node *n, struct cel_value of,
				 struct cel_value key)
{
	struct cel_value ret;

	if (cel_map_find(r, of.map, key, &ret))
		return ret;
	return r->fatal ? cel_failed(r) : no_such_key(r, n, key);
}

static struct cel_value not_a_map(struct cel_run *r, const struct cel_node *n, struct cel_value of)
{
	r->node = n;
	return cel_fault(r, "this type has no members", cel_type_name(of.type));
}

static struct cel_value evaluate_select(struct cel_run *r, const struct cel_node *n)
{
	struct cel_value of = cel_evaluate(r, n->first);

	if (of.type == CEL_ERROR)
		return of;
	r->node = n;
	if (n->is_optional || of.type == CEL_OPTIONAL)
		return cel_optional_part(r, of, cel_string(n->name));
	return of.type == CEL_MAP ? find_key(r, n, of, cel_string(n->name)) : not_a_map(r, n, of);
}

static struct cel_value evaluate_has(struct cel_run *r, const struct cel_node *n)
{
	struct cel_value of = cel_evaluate(r, n->first), unused;
	bool found;

	if (of.type == CEL_ERROR)
		return of;
	if (of.type == CEL_OPTIONAL && !of.held)
		return cel_bool(false);
	if (of.type == CEL_OPTIONAL)
		of = *of.held;
	if (of.type == CEL_LIST)
		return not_a_map(r, n, of);
	/* what is neither has no fields, and is asked all the same */
	if (of.type != CEL_MAP)
		return cel_bool(false);
	found = cel_map_find(r, of.map, cel_string(n->name), &unused);
	return r->fatal ? cel_failed(r) : cel_bool(found);
}

/* What most expressions are made of: nothing is allocated. */
static struct cel_value evaluate_attribute(struct cel_run *r, const struct cel_node *n)
{
	const json_t *v = cel_device_get(r, n->is_capacity, n->domain, n->name);

	if (n->is_test)
		return cel_bool(v);
	r->node = n;
	if (!v)
		return cel_fault(r, "no such key", n->name + strlen(n->domain) + 1);
	return cel_device_value(r, n->is_capacity, v);
}

/* 1.0 and 1u are places of a list, too. */
static struct cel_value find_element(struct cel_run *r, const struct cel_node *n,
				     struct cel_value of, struct cel_value at)
{
	r->node = n;
	if (!cel_is_number(at))
		return cel_fault(r, "the place in a list is a number, not", cel_type_name(at.type));
	for (uint32_t i = 0; i < of.size && cel_charge(r, 1) == 0; i++)
		if (cel_order(at, cel_int(i)) == 0)
			return of.elements[i];
	return r->fatal ? cel_failed(r) : cel_fault(r, "the list has no such place", NULL);
}

static struct cel_value evaluate_index(struct cel_run *r, const struct cel_node *n)
{
	struct cel_value of = cel_evaluate(r, n->first), at = cel_evaluate(r, n->last);

	if (of.type == CEL_ERROR)
		return of;
	if (at.type == CEL_ERROR)
		return at;
	r->node = n;
	if (n->is_optional || of.type == CEL_OPTIONAL)
		return cel_optional_part(r, of, at);
	if (of.type == CEL_LIST)
		return find_element(r, n, of, at);
	return of.type == CEL_MAP ? find_key(r, n, of, at) : not_a_map(r, n, of);
}

/* -- operators -- */

static struct cel_value evaluate_call(struct cel_run *r, const struct cel_node *n)
{
	struct cel_value v[CEL_OPERANDS_MAX], ret;
	size_t i = 0;

	for (const struct cel_node *o = n->first; o; o = o->next, i++) {
		v[i] = cel_evaluate(r, o);
		if (v[i].type == CEL_ERROR)
			return v[i];
		if (i == 0 && cel_optional_decides(n, v[0], &ret))
			return ret;
	}
	return cel_function_call(r, n, v);
}

static struct cel_value evaluate_logic(struct cel_run *r, const struct cel_node *n)
{
	bool decisive = n->kind == CEL_OR;
	struct cel_value ret = cel_bool(!decisive);

	for (const struct cel_node *o = n->first; o; o = o->next)
		if (cel_decides(r, o, cel_evaluate(r, o), decisive, &ret))
			break;
	return ret;
}

static struct cel_value evaluate_conditional(struct cel_run *r, const struct cel_node *n)
{
	struct cel_value condition = cel_evaluate(r, n->first);

	if (condition.type == CEL_BOOL)
		return cel_evaluate(r, condition.truth ? n->first->next : n->last);
	r->node = n->first;
	return condition.type == CEL_ERROR ? condition :
					     cel_fault(r, "must be true or false, and is",
						       cel_type_name(condition.type));
}

/* -- lists and maps that are written -- */

static struct cel_value evaluate_element(struct cel_run *r, const struct cel_node *o)
{
	struct cel_value v = cel_evaluate(r, o);

	r->node = o;
	if (o->is_optional_entry && v.type != CEL_OPTIONAL && v.type != CEL_ERROR)
		return cel_fault(r, "is no optional value", cel_type_name(v.type));
	return v;
}

static struct cel_value evaluate_list(struct cel_run *r, const struct cel_node *n)
{
	struct cel_value *elements = cel_new(r, (n->count + 1) * sizeof(*elements));
	uint32_t i = 0;

	if (!elements)
		return cel_failed(r);
	for (const struct cel_node *o = n->first; o; o = o->next) {
		struct cel_value v = evaluate_element(r, o);

		if (v.type == CEL_ERROR)
			return v;
		if (!o->is_optional_entry)
			elements[i++] = v;
		else if (v.held)
			elements[i++] = *v.held;
	}
	return (struct cel_value){ .type = CEL_LIST, .size = i, .elements = elements };
}

struct cel_value cel_entry_put(struct cel_run *r, struct cel_map *m, struct cel_entry *entries,
			       struct cel_value key, struct cel_value value)
{
	size_t at;

	if (!cel_is_key(key))
		return cel_fault(r, "is no key of a map", cel_type_name(key.type));
	at = cel_map_place(r, m, key);
	if (r->fatal)
		return cel_failed(r);
	entries[at] = (struct cel_entry){ key, value };
	m->count += at == m->count;
	return key;
}

/* An optional value that is none takes out what has its key. */
static struct cel_value put_optional(struct cel_run *r, struct cel_map *m,
				     struct cel_entry *entries, struct cel_value key,
				     struct cel_value value)
{
	size_t at;

	if (value.type != CEL_OPTIONAL)
		return cel_fault(r, "is no optional value", cel_type_name(value.type));
	if (value.held)
		return cel_entry_put(r, m, entries, key, *value.held);
	at = cel_map_place(r, m, key);
	if (at < m->count)
		entries[at] = entries[--m->count];
	return r->fatal ? cel_failed(r) : value;
}

static struct cel_value put_entry(struct cel_run *r, const struct cel_node *n, struct cel_map *m,
				  struct cel_entry *entries, struct cel_value key,
				  struct cel_value value)
{
	return n->is_optional_entry ? put_optional(r, m, entries, key, value) :
				      cel_entry_put(r, m, entries, key, value);
}

static struct cel_value evaluate_map(struct cel_run *r, const struct cel_node *n)
{
	struct cel_entry *entries = cel_new(r, (n->count / 2 + 1) * sizeof(*entries));
	struct cel_map *m = cel_new(r, sizeof(*m));

	if (!entries || !m)
		return cel_failed(r);
	m->entries = entries;
	for (const struct cel_node *o = n->first; o; o = o->next->next) {
		struct cel_value key = cel_evaluate(r, o), value;

		if (key.type == CEL_ERROR)
			return key;
		value = cel_evaluate(r, o->next);
		r->node = o;
		if (value.type != CEL_ERROR)
			value = put_entry(r, o, m, entries, key, value);
		if (value.type == CEL_ERROR)
			return value;
	}
	return (struct cel_value){ .type = CEL_MAP, .map = m };
}

/* -- all of it -- */

static struct cel_value (*const evaluators[])(struct cel_run *r, const struct cel_node *n) = {
	[CEL_LITERAL] = evaluate_literal,
	[CEL_NAME] = evaluate_device,
	[CEL_VARIABLE] = evaluate_variable,
	[CEL_SELECT] = evaluate_select,
	[CEL_HAS] = evaluate_has,
	[CEL_ATTRIBUTE] = evaluate_attribute,
	[CEL_INDEX] = evaluate_index,
	[CEL_CALL] = evaluate_call,
	[CEL_AND] = evaluate_logic,
	[CEL_OR] = evaluate_logic,
	[CEL_CONDITIONAL] = evaluate_conditional,
	[CEL_MAKE_LIST] = evaluate_list,
	[CEL_MAKE_MAP] = evaluate_map,
	[CEL_MACRO] = cel_macro_evaluate,
	[CEL_BIND] = cel_bind_evaluate,
};

struct cel_value cel_evaluate_node(struct cel_run *r, const struct cel_node *n)
{
	return evaluators[n->kind](r, n);
}

struct cel_value cel_evaluate(struct cel_run *r, const struct cel_node *n)
{
	if (cel_charge(r, 1) < 0)
		return cel_failed(r);
	return r->trace ? r->trace->term(r, n) : cel_evaluate_node(r, n);
}
