/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - what the names of an expression mean, and what is wrong for every device
 *
 * Types are known as far as a device need not be asked: attributes are of any type.  On the way
 * calls of macros become nodes of their own, and `device.attributes["domain"].name` one look-up by
 * "domain/name".
 */
#include "manager/cel/eval.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct scope {
	const char *name;
	struct cel_static is;
	uint16_t slot;
	const struct scope *outer;
};

struct checker {
	struct cel *c;
	const struct scope *scope;
	struct err *e;
};

static int check_node(struct checker *k, struct cel_node *n);

static const struct cel_static any = CEL_GIVES(CEL_ANY), is_bool = CEL_GIVES(CEL_BOOL);

static int refuse_name(struct checker *k, const struct cel_node *n, const char *what,
		       const char *name)
{
	return cel_refuse(k->c->text, n->at, k->e, "%s, there is no '%.64s'", what, name);
}

static int check_operands(struct checker *k, struct cel_node *n)
{
	for (struct cel_node *o = n->first; o; o = o->next)
		if (check_node(k, o) < 0)
			return -1;
	return 0;
}

/* -- types -- */

static int check_bool(struct checker *k, const struct cel_node *n)
{
	if (cel_static_takes(CEL_BOOL, n->is.type, CEL_ANY))
		return 0;
	return cel_refuse(k->c->text, n->at, k->e, "must be true or false, and is of type %s",
			  cel_static_name(n->is.type));
}

/* -- names -- */

static int check_name(struct checker *k, struct cel_node *n)
{
	for (const struct scope *s = k->scope; s; s = s->outer)
		if (strcmp(s->name, n->name) == 0) {
			n->kind = CEL_VARIABLE;
			n->slot = s->slot;
			n->is = s->is;
			return 0;
		}
	if (strcmp(n->name, "device") != 0)
		return refuse_name(k, n, "the only variable is 'device'", n->name);
	n->is = (struct cel_static)CEL_GIVES(CEL_DEVICE);
	return 0;
}

static const struct {
	const char *name;
	struct cel_static is;
} fields[] = {
	{ "driver", CEL_GIVES(CEL_STRING) },
	{ "attributes", CEL_GIVES(CEL_ATTRIBUTES) },
	{ "capacity", CEL_GIVES(CEL_CAPACITY) },
	{ "allowMultipleAllocations", CEL_GIVES(CEL_BOOL) },
};

static int check_field(struct checker *k, struct cel_node *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (strcmp(fields[i].name, n->name) == 0) {
			n->is = fields[i].is;
			return 0;
		}
	return refuse_name(k, n,
			   "a device has driver, attributes, capacity and allowMultipleAllocations",
			   n->name);
}

/* The key of device.attributes["d"].n, when n is one: what it is of, and how it is written. */
static const char *written_key(const struct cel_node *n)
{
	if (n->kind == CEL_SELECT)
		return n->name;
	if (n->kind == CEL_INDEX && n->last->kind == CEL_LITERAL &&
	    n->last->value.type == CEL_STRING)
		return n->last->value.text;
	return NULL;
}

static bool is_part_of_device(const struct cel_node *n)
{
	return n->kind == CEL_SELECT && n->first->kind == CEL_NAME;
}

/* `is_test`: of has(), whose field n->name is. */
static int make_attribute(struct checker *k, struct cel_node *n, const char *name, bool is_test)
{
	struct cel_node *of = n->first;
	const char *domain = written_key(of);
	size_t size;
	char *key;

	if ((of->is.type != CEL_ATTRIBUTE_NAMES && of->is.type != CEL_CAPACITY_NAMES) || !domain ||
	    !name || !is_part_of_device(of->first))
		return 0;
	size = strlen(domain) + 1 + strlen(name) + 1;
	key = cel_arena_new(&k->c->arena, size);
	if (!key)
		return err_set(k->e, ERR_IO, ENOMEM, "expression");
	(void)snprintf(key, size, "%s/%s", domain, name);
	n->kind = CEL_ATTRIBUTE;
	n->is_capacity = of->is.type == CEL_CAPACITY_NAMES;
	n->is_test = is_test;
	n->domain = domain;
	n->name = key;
	return 0;
}

static int check_member_type(struct checker *k, struct cel_node *n)
{
	char type = n->first->is.type;

	if (type == CEL_DEVICE)
		return check_field(k, n);
	n->is.type = type == CEL_ANY ? CEL_ANY : cel_static_value(type);
	n->is.element = CEL_ANY;
	if (n->is.type)
		return 0;
	return cel_refuse(k->c->text, n->at, k->e, "type %s has no members, so no '%.64s'",
			  cel_static_name(type), n->name);
}

static int check_select(struct checker *k, struct cel_node *n)
{
	if (check_node(k, n->first) < 0 || check_member_type(k, n) < 0)
		return -1;
	return make_attribute(k, n, n->name, false);
}

static int check_has(struct checker *k, struct cel_node *n)
{
	if (check_node(k, n->first) < 0 || check_member_type(k, n) < 0)
		return -1;
	n->is = is_bool;
	return make_attribute(k, n, n->name, true);
}

static int check_index(struct checker *k, struct cel_node *n)
{
	struct cel_static of, at;
	char value;

	if (check_operands(k, n) < 0)
		return -1;
	of = n->first->is;
	at = n->last->is;
	value = of.type == CEL_LIST ? cel_static_element(of) : cel_static_value(of.type);
	n->is = (struct cel_static){ of.type == CEL_ANY ? CEL_ANY : value, CEL_ANY };
	if (!n->is.type)
		return cel_refuse(k->c->text, n->at, k->e, "type %s has no members in brackets",
				  cel_static_name(of.type));
	if (!cel_static_takes(of.type == CEL_LIST ? CEL_INT : cel_static_element(of), at.type,
			      CEL_ANY))
		return cel_refuse(k->c->text, n->at, k->e, "type %s is no key of a %s",
				  cel_static_name(at.type), cel_static_name(of.type));
	return make_attribute(k, n, written_key(n), false);
}

/* -- macros -- */

/* The operand behind n->first is the variable's name: it is taken out. */
static int take_variable(struct checker *k, struct cel_node *n)
{
	struct cel_node *variable = n->first->next;

	if (variable->kind != CEL_NAME)
		return cel_refuse(k->c->text, variable->at, k->e,
				  "expected the name of a variable");
	n->slot = k->scope ? k->scope->slot + 1 : 0;
	if (n->slot >= CEL_VARIABLES_MAX)
		return cel_refuse(k->c->text, n->at, k->e, "too many variables in each other");
	n->name = variable->name;
	n->first->next = variable->next;
	n->count--;
	return 0;
}

/* The operands behind the first, with the variable. */
static int check_body(struct checker *k, const struct cel_node *n, struct cel_static variable)
{
	struct scope inner = { .name = n->name, .is = variable, .slot = n->slot,
			       .outer = k->scope };
	int ret = 0;

	k->scope = &inner;
	for (struct cel_node *o = n->first->next; o && ret == 0; o = o->next)
		ret = check_node(k, o);
	k->scope = inner.outer;
	return ret;
}

static int check_macro(struct checker *k, struct cel_node *n)
{
	const char *name = n->name;
	struct cel_static element = any;

	if (check_node(k, n->first) < 0 || take_variable(k, n) < 0)
		return -1;
	element.type = cel_static_element(n->first->is);
	if (!element.type)
		return cel_refuse(k->c->text, n->at, k->e, "%s() is for lists and maps, not for %s",
				  name, cel_static_name(n->first->is.type));
	n->kind = CEL_MACRO;
	if (check_body(k, n, element) < 0)
		return -1;
	n->is = n->macro->result;
	if (n->is.type == CEL_LIST)
		n->is.element = strcmp(name, "map") == 0 ? n->last->is.type : element.type;
	/* the body of map() alone may be anything; it is the last */
	return n->last == n->first->next && strcmp(name, "map") == 0 ? 0 :
								      check_bool(k, n->first->next);
}

/* cel.bind(x, value, body): the operand `cel` is taken out, too. */
static int check_bind(struct checker *k, struct cel_node *n)
{
	struct cel_node *variable = n->first->next, *value = variable->next;

	/* value, variable, body: as of a macro */
	variable->next = value->next;
	value->next = variable;
	n->first = value;
	n->count--;
	if (check_node(k, n->first) < 0 || take_variable(k, n) < 0)
		return -1;
	n->kind = CEL_BIND;
	if (check_body(k, n, n->first->is) < 0)
		return -1;
	n->is = n->last->is;
	return 0;
}

static bool is_bind(const struct cel_node *n)
{
	return n->is_method && strcmp(n->name, "bind") == 0 && n->first->kind == CEL_NAME &&
	       strcmp(n->first->name, "cel") == 0;
}

static int check_call_has(struct checker *k, struct cel_node *n)
{
	struct cel_node *of = n->first;

	if (n->count != 1 || of->kind != CEL_SELECT)
		return cel_refuse(k->c->text, n->at, k->e, "has() asks for a field: has(a.b)");
	n->kind = CEL_HAS;
	n->name = of->name;
	n->first = of->first;
	n->last = of->last;
	return check_has(k, n);
}

static int check_call(struct checker *k, struct cel_node *n)
{
	if (!n->is_method && strcmp(n->name, "has") == 0)
		return check_call_has(k, n);
	if (is_bind(n))
		return n->count == 4 ? check_bind(k, n) :
				       cel_refuse(k->c->text, n->at, k->e,
						  "expected cel.bind(variable, value, expression)");
	if (n->is_method && cel_macro_is(n->name)) {
		n->macro = n->count >= 2 ? cel_macro_find(n->name, n->count - 2) : NULL;
		return n->macro ? check_macro(k, n) :
				  cel_refuse(k->c->text, n->at, k->e,
					     "expected %s(variable, expression)", n->name);
	}
	return check_operands(k, n) < 0 ? -1 : cel_check_call(k->c, n, k->e);
}

/* -- the rest -- */

static int check_literal(struct checker *k, struct cel_node *n)
{
	(void)k;
	n->is = (struct cel_static)CEL_GIVES((char)n->value.type);
	return 0;
}

static int check_logic(struct checker *k, struct cel_node *n)
{
	for (struct cel_node *o = n->first; o; o = o->next)
		if (check_node(k, o) < 0 || check_bool(k, o) < 0)
			return -1;
	n->is = is_bool;
	return 0;
}

static int check_conditional(struct checker *k, struct cel_node *n)
{
	const struct cel_node *yes = n->first->next, *no = n->last;

	if (check_operands(k, n) < 0 || check_bool(k, n->first) < 0)
		return -1;
	if (!cel_static_takes(yes->is.type, no->is.type, CEL_ANY))
		return cel_refuse(k->c->text, no->at, k->e, "both results are of one type: %s, %s",
				  cel_static_name(yes->is.type), cel_static_name(no->is.type));
	n->is = yes->is.type == no->is.type ? yes->is : any;
	return 0;
}

/* Every step-th operand from o on is of one type, which is told in *ret. */
static int check_same(struct checker *k, const struct cel_node *o, unsigned step, char *ret)
{
	struct cel_static first = o ? o->is : any;

	*ret = first.type;
	while (o) {
		if (!cel_static_takes(first.type, o->is.type, CEL_ANY))
			return cel_refuse(k->c->text, o->at, k->e,
					  "values of a list or map are of one type: %s, %s",
					  cel_static_name(first.type),
					  cel_static_name(o->is.type));
		if (o->is.type != first.type)
			*ret = CEL_ANY;
		for (unsigned i = 0; o && i < step; i++)
			o = o->next;
	}
	return 0;
}

static int check_list(struct checker *k, struct cel_node *n)
{
	n->is.type = CEL_LIST;
	if (check_operands(k, n) < 0)
		return -1;
	return check_same(k, n->first, 1, &n->is.element);
}

static int check_map(struct checker *k, struct cel_node *n)
{
	char unused;

	n->is.type = CEL_MAP;
	if (check_operands(k, n) < 0 || check_same(k, n->first, 2, &n->is.element) < 0)
		return -1;
	return n->first ? check_same(k, n->first->next, 2, &unused) : 0;
}

static int (*const checks[])(struct checker *k, struct cel_node *n) = {
	[CEL_LITERAL] = check_literal,
	[CEL_NAME] = check_name,
	[CEL_SELECT] = check_select,
	[CEL_INDEX] = check_index,
	[CEL_CALL] = check_call,
	[CEL_AND] = check_logic,
	[CEL_OR] = check_logic,
	[CEL_CONDITIONAL] = check_conditional,
	[CEL_MAKE_LIST] = check_list,
	[CEL_MAKE_MAP] = check_map,
	/* which the others make of names, selections and calls */
	[CEL_VARIABLE] = NULL, [CEL_HAS] = NULL, [CEL_ATTRIBUTE] = NULL, [CEL_MACRO] = NULL,
	[CEL_BIND] = NULL,
};

static int check_node(struct checker *k, struct cel_node *n)
{
	return checks[n->kind](k, n);
}

int cel_check(struct cel *c, struct err *e)
{
	struct checker k = { .c = c, .e = e };

	if (check_node(&k, c->root) < 0)
		return -1;
	return check_bool(&k, c->root);
}
