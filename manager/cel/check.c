/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - what the names of an expression mean, and what is wrong for every device
 *
 * Types are known as far as a device need not be asked, as cel-go's checker knows them (static.h):
 * attributes are of any type.  On the way calls of macros become nodes of their own, and
 * `device.attributes["domain"].name` one look-up by "domain/name".
 */
#include "manager/cel/check.h"

#include "manager/cel/function.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int check_node(struct cel_checker *k, struct cel_node *n);

static int refuse_name(struct cel_checker *k, const struct cel_node *n, const char *what,
		       const char *name)
{
	return cel_refuse(k->c->text, n->at, k->e, "%s, there is no '%.64s'", what, name);
}

static int check_operands(struct cel_checker *k, struct cel_node *n)
{
	for (struct cel_node *o = n->first; o; o = o->next)
		if (check_node(k, o) < 0)
			return -1;
	return 0;
}

/* -- names -- */

static int check_name(struct cel_checker *k, struct cel_node *n)
{
	for (const struct cel_scope *s = k->scope; s; s = s->outer)
		if (strcmp(s->name, n->name) == 0) {
			n->kind = CEL_VARIABLE;
			n->slot = s->slot;
			n->is = s->is;
			return 0;
		}
	if (strcmp(n->name, "device") != 0)
		return refuse_name(k, n, "the only variable is 'device'", n->name);
	n->is = cel_static_of(CEL_DEVICE);
	return 0;
}

/* Members of the device: the types are signatures (function.h). */
static const struct {
	const char *name, *is;
} fields[] = {
	{ "driver", "s" },
	{ "attributes", "msms." },
	{ "capacity", "msmsq" },
	{ "allowMultipleAllocations", "b" },
};

static int check_field(struct cel_checker *k, struct cel_node *n)
{
	struct cel_letters none = { .classes = "" };

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (strcmp(fields[i].name, n->name) == 0) {
			const char *signature = fields[i].is;

			n->is = cel_static_read(&k->types, &signature, &none);
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

/* `device.attributes` */
static bool is_part_of_device(const struct cel_node *n, const char *name)
{
	return n->kind == CEL_SELECT && n->first->kind == CEL_NAME && strcmp(n->name, name) == 0;
}

/* `is_test`: of has(), whose field n->name is. */
static int make_attribute(struct cel_checker *k, struct cel_node *n, const char *name, bool is_test)
{
	struct cel_node *of = n->first;
	const char *domain = written_key(of);
	bool is_capacity = domain && is_part_of_device(of->first, "capacity");
	size_t size;
	char *key;

	if (n->is_optional || of->is_optional || !domain || !name ||
	    (!is_capacity && !is_part_of_device(of->first, "attributes")))
		return 0;
	size = strlen(domain) + 1 + strlen(name) + 1;
	key = cel_arena_new(&k->c->arena, size);
	if (!key)
		return err_set(k->e, ERR_IO, ENOMEM, "expression");
	(void)snprintf(key, size, "%s/%s", domain, name);
	n->kind = CEL_ATTRIBUTE;
	n->is_capacity = is_capacity;
	n->is_test = is_test;
	n->domain = domain;
	n->name = key;
	return 0;
}

static int check_member_type(struct cel_checker *k, struct cel_node *n,
			     const struct cel_static *of)
{
	char have[CEL_STATIC_TEXT];

	n->is = cel_static_of(CEL_ANY);
	switch (of->kind) {
	case CEL_DEVICE:
		return check_field(k, n);
	case CEL_MAP:
		n->is = cel_check_resolve(k, of->part[1]);
		return 0;
	case CEL_PARAMETER:
		(void)cel_static_assign(&k->types, n->is, of);
		return 0;
	case CEL_ANY:
		return 0;
	default:
		return cel_refuse(k->c->text, n->at, k->e,
				  "type %s has no members, so no '%.64s'",
				  cel_static_write(of, have), n->name);
	}
}

/* What is behind an optional value is one, too. */
static int check_member(struct cel_checker *k, struct cel_node *n)
{
	const struct cel_static *of = cel_check_resolve(k, n->first->is);
	bool is_optional = n->is_optional || of->kind == CEL_OPTIONAL;

	if (of->kind == CEL_OPTIONAL)
		of = cel_check_resolve(k, of->part[0]);
	if (check_member_type(k, n, of) < 0)
		return -1;
	if (is_optional)
		n->is = cel_static_optional(&k->types, n->is);
	return 0;
}

static int check_select(struct cel_checker *k, struct cel_node *n)
{
	if (check_node(k, n->first) < 0 || check_member(k, n) < 0)
		return -1;
	return make_attribute(k, n, n->name, false);
}

static int check_has(struct cel_checker *k, struct cel_node *n)
{
	if (check_node(k, n->first) < 0 || check_member(k, n) < 0)
		return -1;
	n->is = cel_static_of(CEL_BOOL);
	return make_attribute(k, n, n->name, true);
}

static int refuse_index(struct cel_checker *k, const struct cel_node *n)
{
	char of[CEL_STATIC_TEXT], at[CEL_STATIC_TEXT];
	char kind = cel_check_resolve(k, n->first->is)->kind;

	(void)cel_static_write(n->first->is, of);
	if (kind != CEL_LIST && kind != CEL_MAP && kind != CEL_ANY)
		return cel_refuse(k->c->text, n->at, k->e, "type %s has no members in brackets",
				  of);
	return cel_refuse(k->c->text, n->at, k->e, "type %s is no key of a %s",
			  cel_static_write(n->last->is, at), of);
}

static int check_index(struct cel_checker *k, struct cel_node *n)
{
	static const struct cel_function of[] = {
		{ "[]", CEL_OPERATOR, "lAi", "A", NULL, false },
		{ "[]", CEL_OPERATOR, "mABA", "B", NULL, false },
		{ "[]", CEL_OPERATOR, "olAi", "oA", NULL, false },
		{ "[]", CEL_OPERATOR, "omABA", "oB", NULL, false },
	}, optional[] = {
		{ "[?]", CEL_OPERATOR, "lAi", "oA", NULL, false },
		{ "[?]", CEL_OPERATOR, "mABA", "oB", NULL, false },
		{ "[?]", CEL_OPERATOR, "olAi", "oA", NULL, false },
		{ "[?]", CEL_OPERATOR, "omABA", "oB", NULL, false },
	};
	const struct cel_function *found[ARRAY_SIZE(of)];
	struct cel_resolution r = { .types = &k->types, .found = found };

	if (check_operands(k, n) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(of); i++)
		cel_resolve(&r, n->is_optional ? &optional[i] : &of[i], n);
	if (!r.result)
		return refuse_index(k, n);
	n->is = r.result;
	return make_attribute(k, n, written_key(n), false);
}

/* -- calls -- */

static bool is_bind(const struct cel_node *n)
{
	return n->is_method && strcmp(n->name, "bind") == 0 && n->first->kind == CEL_NAME &&
	       strcmp(n->first->name, "cel") == 0;
}

static int check_call_has(struct cel_checker *k, struct cel_node *n)
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

/* `sets.contains(a, b)` is a function: its name has a point, and no operand before it. */
static int check_qualified(struct cel_checker *k, struct cel_node *n)
{
	size_t size = strlen(n->first->name) + 1 + strlen(n->name) + 1;
	char *name = cel_arena_new(&k->c->arena, size);

	if (!name)
		return err_set(k->e, ERR_IO, ENOMEM, "expression");
	(void)snprintf(name, size, "%s.%s", n->first->name, n->name);
	if (!cel_function_is(name))
		return 0;
	n->is_method = false;
	n->name = name;
	n->first = n->first->next;
	n->last = n->first ? n->last : NULL;
	n->count--;
	return 0;
}

static int check_call(struct cel_checker *k, struct cel_node *n)
{
	if (!n->is_method && strcmp(n->name, "has") == 0)
		return check_call_has(k, n);
	if (is_bind(n))
		return n->count == 4 ? cel_check_bind(k, n) :
				       cel_refuse(k->c->text, n->at, k->e,
						  "expected cel.bind(variable, value, expression)");
	if (n->is_method && cel_macro_is(n->name)) {
		n->macro = cel_macro_find(n->name, n->count - 1);
		return n->macro ? cel_check_macro(k, n) :
				  cel_refuse(k->c->text, n->at, k->e,
					     "expected %s(variable, expression)", n->name);
	}
	if (n->is_method && n->first->kind == CEL_NAME && check_qualified(k, n) < 0)
		return -1;
	return check_operands(k, n) < 0 ? -1 : cel_check_call(k->c, &k->types, n, k->e);
}

/* -- the rest -- */

static int check_literal(struct cel_checker *k, struct cel_node *n)
{
	(void)k;
	n->is = cel_static_of((char)n->value.type);
	return 0;
}

static int check_logic(struct cel_checker *k, struct cel_node *n)
{
	for (struct cel_node *o = n->first; o; o = o->next)
		if (check_node(k, o) < 0 || cel_check_bool(k, o) < 0)
			return -1;
	n->is = cel_static_of(CEL_BOOL);
	return 0;
}

static int check_conditional(struct cel_checker *k, struct cel_node *n)
{
	const struct cel_node *yes = n->first->next, *no = n->last;
	const struct cel_static *both = cel_static_parameter(&k->types);

	if (check_operands(k, n) < 0 || cel_check_bool(k, n->first) < 0)
		return -1;
	if (!cel_static_assign(&k->types, yes->is, both) ||
	    !cel_static_assign(&k->types, no->is, both))
		return cel_refuse_two(k->c->text, no->at, k->e, "both results are", yes->is,
				      no->is);
	n->is = cel_check_resolve(k, both);
	return 0;
}

/* Each `?x` is optional, or of any type; in maps the key is marked. */
static int check_optional_entries(struct cel_checker *k, const struct cel_node *n)
{
	bool is_map = n->kind == CEL_MAKE_MAP;

	for (const struct cel_node *o = n->first; o; o = is_map ? o->next->next : o->next) {
		const struct cel_node *v = is_map ? o->next : o;
		char kind = cel_check_resolve(k, v->is)->kind;

		if (o->is_optional_entry && kind != CEL_OPTIONAL && kind != CEL_ANY)
			return cel_refuse(k->c->text, v->at, k->e,
					  "only an optional value is put in by '?'");
	}
	return 0;
}

/*
 * What the values of a list (step 1), or keys or values of a map (step 2, which 0 or 1), are: of
 * several types any, which check_literals.c refuses but for format().
 */
static const struct cel_static *join(struct cel_checker *k, const struct cel_node *n, unsigned step,
				     unsigned which)
{
	const struct cel_static *ret = NULL;

	for (const struct cel_node *o = n->first; o; o = step == 2 ? o->next->next : o->next) {
		const struct cel_node *v = which == 1 ? o->next : o;
		const struct cel_static *is = cel_check_resolve(k, v->is);

		is = cel_entry_type(is, o->is_optional_entry && which == step - 1);
		if (ret && !cel_static_assign(&k->types, ret, is))
			ret = cel_static_of(CEL_ANY);
		ret = ret ? cel_static_general(&k->types, ret, is) : is;
	}
	return ret ? ret : cel_static_parameter(&k->types);
}

static int check_list(struct cel_checker *k, struct cel_node *n)
{
	if (check_operands(k, n) < 0 || check_optional_entries(k, n) < 0)
		return -1;
	n->is = cel_static_list(&k->types, join(k, n, 1, 0));
	return 0;
}

static int check_map(struct cel_checker *k, struct cel_node *n)
{
	const struct cel_static *keys;

	if (check_operands(k, n) < 0 || check_optional_entries(k, n) < 0)
		return -1;
	keys = join(k, n, 2, 0);
	n->is = cel_static_map(&k->types, keys, join(k, n, 2, 1));
	return 0;
}

static int (*const checks[])(struct cel_checker *k, struct cel_node *n) = {
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

static int check_node(struct cel_checker *k, struct cel_node *n)
{
	return checks[n->kind](k, n);
}

/* -- when all is known -- */

static void finish(struct cel_checker *k, struct cel_node *n)
{
	n->is = cel_static_resolve(&k->types, n->is, true);
	for (struct cel_node *o = n->first; o; o = o->next)
		finish(k, o);
}

static int check_types(struct cel_checker *k)
{
	if (cel_static_is_spent(&k->types))
		return cel_refuse(k->c->text, 0, k->e, "has types that are too large");
	if (k->types.has_no_memory)
		return err_set(k->e, ERR_IO, ENOMEM, "expression");
	return 0;
}

int cel_check(struct cel *c, struct err *e)
{
	struct cel_checker k = { .c = c, .check = check_node, .types = { .arena = &c->arena },
				 .e = e };
	int ret = check_node(&k, c->root);

	if (check_types(&k) < 0 || ret < 0)
		return -1;
	finish(&k, c->root);
	if (check_types(&k) < 0)
		return -1;
	ret = cel_check_literals(&k);
	if (check_types(&k) < 0 || ret < 0)
		return -1;
	return cel_check_bool(&k, c->root);
}
