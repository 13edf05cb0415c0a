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
	return of.type == CEL_MAP ? find_key(r, n, of, cel_string(n->name)) : not_a_map(r, n, of);
}

static struct cel_value evaluate_has(struct cel_run *r, const struct cel_node *n)
{
	struct cel_value of = cel_evaluate(r, n->first), unused;
	bool found;

	if (of.type == CEL_ERROR)
		return of;
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
	if (of.type == CEL_LIST)
		return find_element(r, n, of, at);
	return of.type == CEL_MAP ? find_key(r, n, of, at) : not_a_map(r, n, of);
}

/* -- operators -- */

static struct cel_value evaluate_call(struct cel_run *r, const struct cel_node *n)
{
	struct cel_value v[CEL_OPERANDS_MAX];
	size_t i = 0;

	for (const struct cel_node *o = n->first; o; o = o->next, i++) {
		v[i] = cel_evaluate(r, o);
		if (v[i].type == CEL_ERROR)
			return v[i];
	}
	return cel_function_call(r, n, v);
}

/*
 * One more operand of && (which false decides) or || (true).  *so_far is what the result is if
 * none decides: the first error, or the other truth.  true: this one does.
 */
static bool decides(struct cel_run *r, const struct cel_node *n, struct cel_value v, bool decisive,
		    struct cel_value *so_far)
{
	if (v.type == CEL_BOOL && v.truth == decisive) {
		*so_far = v;
		return true;
	}
	if (v.type != CEL_BOOL && so_far->type != CEL_ERROR) {
		r->node = n;
		*so_far = v.type == CEL_ERROR ?
				  v :
				  cel_fault(r, "must be true or false, and is",
					    cel_type_name(v.type));
	}
	if (r->fatal)
		*so_far = cel_failed(r);
	return r->fatal;
}

static struct cel_value evaluate_logic(struct cel_run *r, const struct cel_node *n)
{
	bool decisive = n->kind == CEL_OR;
	struct cel_value ret = cel_bool(!decisive);

	for (const struct cel_node *o = n->first; o; o = o->next)
		if (decides(r, o, cel_evaluate(r, o), decisive, &ret))
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

static struct cel_value evaluate_list(struct cel_run *r, const struct cel_node *n)
{
	struct cel_value *elements = cel_new(r, (n->count + 1) * sizeof(*elements));
	uint32_t i = 0;

	if (!elements)
		return cel_failed(r);
	for (const struct cel_node *o = n->first; o; o = o->next, i++) {
		elements[i] = cel_evaluate(r, o);
		if (elements[i].type == CEL_ERROR)
			return elements[i];
	}
	return (struct cel_value){ .type = CEL_LIST, .size = n->count, .elements = elements };
}

/* Of two with one key the later counts. */
static struct cel_value put_entry(struct cel_run *r, struct cel_map *m, struct cel_entry *entries,
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
			value = put_entry(r, m, entries, key, value);
		if (value.type == CEL_ERROR)
			return value;
	}
	return (struct cel_value){ .type = CEL_MAP, .map = m };
}

/* -- macros: all(), map() and the like, cel.bind() -- */

/* What the n-th operand, from 1, is with this element. */
static struct cel_value for_element(struct cel_run *r, const struct cel_node *n, unsigned operand,
				    struct cel_value element)
{
	const struct cel_node *o = n->first;

	for (; operand > 0; operand--)
		o = o->next;
	r->variables[n->slot] = element;
	return cel_evaluate(r, o);
}

static struct cel_value quantify(struct cel_run *r, const struct cel_node *n,
				 const struct cel_value *elements, uint32_t count, bool decisive)
{
	struct cel_value ret = cel_bool(!decisive);

	for (uint32_t i = 0; i < count; i++)
		if (decides(r, n->first->next, for_element(r, n, 1, elements[i]), decisive, &ret))
			break;
	return ret;
}

static struct cel_value macro_all(struct cel_run *r, const struct cel_node *n,
				  const struct cel_value *elements, uint32_t count)
{
	return quantify(r, n, elements, count, false);
}

static struct cel_value macro_exists(struct cel_run *r, const struct cel_node *n,
				     const struct cel_value *elements, uint32_t count)
{
	return quantify(r, n, elements, count, true);
}

/* Those that are true go to the front of ret; *found is how many.  What is no bool: an error. */
static struct cel_value select_elements(struct cel_run *r, const struct cel_node *n,
					const struct cel_value *elements, uint32_t count,
					struct cel_value *ret, uint32_t *found)
{
	*found = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct cel_value so_far = cel_bool(false);

		(void)decides(r, n->first->next, for_element(r, n, 1, elements[i]), true, &so_far);
		if (so_far.type == CEL_ERROR)
			return so_far;
		if (so_far.truth)
			ret[(*found)++] = elements[i];
	}
	return cel_bool(true);
}

static struct cel_value macro_filter(struct cel_run *r, const struct cel_node *n,
				     const struct cel_value *elements, uint32_t count)
{
	struct cel_value *ret = cel_new(r, (count + 1) * sizeof(*ret)), error;
	uint32_t found;

	if (!ret)
		return cel_failed(r);
	error = select_elements(r, n, elements, count, ret, &found);
	if (error.type == CEL_ERROR)
		return error;
	return (struct cel_value){ .type = CEL_LIST, .size = found, .elements = ret };
}

static struct cel_value macro_exists_one(struct cel_run *r, const struct cel_node *n,
					 const struct cel_value *elements, uint32_t count)
{
	struct cel_value list = macro_filter(r, n, elements, count);

	return list.type == CEL_ERROR ? list : cel_bool(list.size == 1);
}

static struct cel_value map_elements(struct cel_run *r, const struct cel_node *n, unsigned operand,
				     const struct cel_value *elements, uint32_t count)
{
	struct cel_value *ret = cel_new(r, (count + 1) * sizeof(*ret));

	if (!ret)
		return cel_failed(r);
	for (uint32_t i = 0; i < count; i++) {
		ret[i] = for_element(r, n, operand, elements[i]);
		if (ret[i].type == CEL_ERROR)
			return ret[i];
	}
	return (struct cel_value){ .type = CEL_LIST, .size = count, .elements = ret };
}

static struct cel_value macro_map(struct cel_run *r, const struct cel_node *n,
				  const struct cel_value *elements, uint32_t count)
{
	return map_elements(r, n, 1, elements, count);
}

static struct cel_value macro_map_some(struct cel_run *r, const struct cel_node *n,
				       const struct cel_value *elements, uint32_t count)
{
	struct cel_value list = macro_filter(r, n, elements, count);

	return list.type == CEL_ERROR ? list : map_elements(r, n, 2, list.elements, list.size);
}

static const struct cel_macro macros[] = {
	{ "all", 1, CEL_GIVES_BOOL, macro_all },
	{ "exists", 1, CEL_GIVES_BOOL, macro_exists },
	{ "exists_one", 1, CEL_GIVES_BOOL, macro_exists_one },
	{ "filter", 1, CEL_GIVES_ELEMENTS, macro_filter },
	{ "map", 1, CEL_GIVES_OPERANDS, macro_map },
	{ "map", 2, CEL_GIVES_OPERANDS, macro_map_some },
};

const struct cel_macro *cel_macro_find(const char *name, uint32_t operands)
{
	for (size_t i = 0; i < ARRAY_SIZE(macros); i++)
		if (strcmp(macros[i].name, name) == 0 && macros[i].operands == operands)
			return &macros[i];
	return NULL;
}

bool cel_macro_is(const char *name)
{
	return cel_macro_find(name, 1);
}

/* Of a map its keys. */
static struct cel_value elements_of(struct cel_run *r, const struct cel_node *n,
				    struct cel_value of)
{
	const struct cel_map *m;
	struct cel_value *keys;

	r->node = n;
	if (of.type == CEL_LIST || of.type == CEL_ERROR)
		return of;
	if (of.type != CEL_MAP)
		return cel_fault(r, "is for lists and maps, not for", cel_type_name(of.type));
	m = cel_map_list(r, of.map);
	keys = m ? cel_new(r, (m->count + 1) * sizeof(*keys)) : NULL;
	if (!keys)
		return cel_failed(r);
	for (size_t i = 0; i < m->count; i++)
		keys[i] = m->entries[i].key;
	return (struct cel_value){ .type = CEL_LIST, .size = (uint32_t)m->count, .elements = keys };
}

static struct cel_value evaluate_macro(struct cel_run *r, const struct cel_node *n)
{
	struct cel_value of = elements_of(r, n, cel_evaluate(r, n->first));

	return of.type == CEL_ERROR ? of : n->macro->evaluate(r, n, of.elements, of.size);
}

/* An error in what is bound is one where it is used. */
static struct cel_value evaluate_bind(struct cel_run *r, const struct cel_node *n)
{
	return for_element(r, n, 1, cel_evaluate(r, n->first));
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
	[CEL_MACRO] = evaluate_macro,
	[CEL_BIND] = evaluate_bind,
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
