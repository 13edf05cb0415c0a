/* SPDX-License-Identifier: Apache-2.0 */
/* check_macro.c - what declares a variable: all(), map() and the like, cel.bind() */
#include "manager/cel/check.h"

#include <string.h>

enum { NAMES_MAX = 2 };			/* variables of one macro */

/* -- variables -- */

/* The operands behind the first that name variables are taken out. */
static int take_variables(struct cel_checker *k, struct cel_node *n, uint32_t count,
			  const char *names[NAMES_MAX])
{
	struct cel_node *variable = n->first->next;
	unsigned slot = k->scope ? k->scope->slot + 1U : 0;

	if (slot + count > CEL_VARIABLES_MAX)
		return cel_refuse(k->c->text, n->at, k->e, "too many variables in each other");
	for (uint32_t i = 0; i < count; i++, variable = variable->next) {
		if (variable->kind != CEL_NAME)
			return cel_refuse(k->c->text, variable->at, k->e,
					  "expected the name of a variable");
		if (strcmp(variable->name, "__result__") == 0)
			return cel_refuse(k->c->text, variable->at, k->e,
					  "CEL keeps the name '__result__' for itself");
		names[i] = variable->name;
	}
	n->slot = (uint16_t)slot;
	n->first->next = variable;
	n->count -= count;
	return 0;
}

static int check_with(struct cel_checker *k, struct cel_node *o, const char *name,
		      const struct cel_static *is, uint16_t slot)
{
	struct cel_scope inner = { .name = name, .is = is, .slot = slot, .outer = k->scope };
	int ret = 0;

	k->scope = &inner;
	for (; o && ret == 0; o = o->next)
		ret = k->check(k, o);
	k->scope = inner.outer;
	return ret;
}

/* The operands behind the first, with one variable or two. */
static int check_body(struct cel_checker *k, const struct cel_node *n,
		      const char *const names[NAMES_MAX],
		      const struct cel_static *const is[NAMES_MAX])
{
	struct cel_scope outer = { .name = names[0], .is = is[0], .slot = n->slot,
				   .outer = k->scope };
	int ret;

	if (!names[1])
		return check_with(k, n->first->next, names[0], is[0], n->slot);
	k->scope = &outer;
	ret = check_with(k, n->first->next, names[1], is[1], (uint16_t)(n->slot + 1));
	k->scope = outer.outer;
	return ret;
}

/* -- what it goes over, and gives -- */

/*
 * What the variables are: of a list its elements, of a map its keys; of two variables places and
 * elements, keys and values; of an optional value what it has.  false: it is none of them.
 */
static bool find_types(struct cel_checker *k, const struct cel_node *n,
		       const struct cel_static *is[NAMES_MAX])
{
	const struct cel_static *of = cel_check_resolve(k, n->first->is);
	const struct cel_static *any = cel_static_of(CEL_ANY);
	bool is_pair = n->macro->variables == 2;

	is[0] = is[1] = any;
	if (of->kind == CEL_PARAMETER)
		(void)cel_static_assign(&k->types, any, of);
	if (of->kind == CEL_ANY || of->kind == CEL_PARAMETER)
		return true;
	if (of->kind == CEL_OPTIONAL || n->macro->is_of_optional) {
		is[0] = of->part[0];
		return of->kind == CEL_OPTIONAL && n->macro->is_of_optional;
	}
	if (of->kind != CEL_LIST && of->kind != CEL_MAP)
		return false;
	is[0] = is_pair && of->kind == CEL_LIST ? cel_static_of(CEL_INT) : of->part[0];
	is[1] = of->kind == CEL_LIST ? of->part[0] : of->part[1];
	return true;
}

static const struct cel_static *result_of(struct cel_checker *k, const struct cel_node *n,
					  const struct cel_static *const is[NAMES_MAX])
{
	switch (n->macro->gives) {
	case CEL_GIVES_BOOL:
		return cel_static_of(CEL_BOOL);
	case CEL_GIVES_ELEMENTS:
		return cel_static_list(&k->types, is[0]);
	case CEL_GIVES_OPERANDS:
		return cel_static_list(&k->types, n->last->is);
	case CEL_GIVES_MAP:
		return cel_static_map(&k->types, is[0], n->last->is);
	case CEL_GIVES_OPTIONAL:
		return cel_static_optional(&k->types, n->last->is);
	case CEL_GIVES_OPERAND:
		break;
	}
	return cel_check_resolve(k, n->last->is);
}

static int refuse_operand(struct cel_checker *k, const struct cel_node *o, const char *what)
{
	char have[CEL_STATIC_TEXT];

	return cel_refuse(k->c->text, o->at, k->e, "%s, not %s", what,
			  cel_static_write(o->is, have));
}

/* The last operand of transformMapEntry() is a map, of optFlatMap() an optional value. */
static int check_last(struct cel_checker *k, const struct cel_node *n)
{
	const struct cel_static *of = cel_check_resolve(k, n->last->is);

	if (n->macro->gives != CEL_GIVES_OPERAND || of->kind == CEL_ANY ||
	    of->kind == (n->macro->is_of_optional ? CEL_OPTIONAL : CEL_MAP))
		return 0;
	return refuse_operand(k, n->last, n->macro->is_of_optional ? "expected an optional value" :
								     "expected a map");
}

/* What is a condition is the last operand, or the one before it. */
static int check_condition(struct cel_checker *k, const struct cel_node *n)
{
	if (n->macro->operands < 2 && n->macro->gives != CEL_GIVES_BOOL &&
	    (n->macro->gives != CEL_GIVES_ELEMENTS || n->macro->is_by_key))
		return 0;
	return cel_check_bool(k, n->first->next);
}

int cel_check_macro(struct cel_checker *k, struct cel_node *n)
{
	const struct cel_static *is[NAMES_MAX];
	const char *names[NAMES_MAX] = { NULL, NULL };
	char have[CEL_STATIC_TEXT];

	if (k->check(k, n->first) < 0 || take_variables(k, n, n->macro->variables, names) < 0)
		return -1;
	if (!find_types(k, n, is))
		return cel_refuse(k->c->text, n->at, k->e, "%s() is for %s, not for %s", n->name,
				  n->macro->is_of_optional ? "optional values" : "lists and maps",
				  cel_static_write(n->first->is, have));
	n->kind = CEL_MACRO;
	if (check_body(k, n, names, is) < 0 || check_condition(k, n) < 0 || check_last(k, n) < 0)
		return -1;
	n->is = result_of(k, n, is);
	return 0;
}

/* -- cel.bind() -- */

int cel_check_bind(struct cel_checker *k, struct cel_node *n)
{
	struct cel_node *variable = n->first->next, *value = variable->next;
	const struct cel_static *is[NAMES_MAX] = { NULL, NULL };
	const char *names[NAMES_MAX] = { NULL, NULL };

	/* value, variable, body: as of a macro */
	variable->next = value->next;
	value->next = variable;
	n->first = value;
	n->count--;
	if (k->check(k, n->first) < 0 || take_variables(k, n, 1, names) < 0)
		return -1;
	n->kind = CEL_BIND;
	is[0] = n->first->is;
	if (check_body(k, n, names, is) < 0)
		return -1;
	n->is = cel_check_resolve(k, n->last->is);
	return 0;
}
