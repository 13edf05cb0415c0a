/* SPDX-License-Identifier: Apache-2.0 */
/* check_macro.c - what declares a variable: all(), map() and the like, cel.bind() */
#include "manager/cel/check.h"

#include <string.h>

/* The operand behind n->first is the variable's name: it is taken out. */
static int take_variable(struct cel_checker *k, struct cel_node *n)
{
	struct cel_node *variable = n->first->next;

	if (variable->kind != CEL_NAME)
		return cel_refuse(k->c->text, variable->at, k->e,
				  "expected the name of a variable");
	if (strcmp(variable->name, "__result__") == 0)
		return cel_refuse(k->c->text, variable->at, k->e,
				  "CEL keeps the name '__result__' for itself");
	n->slot = k->scope ? k->scope->slot + 1 : 0;
	if (n->slot >= CEL_VARIABLES_MAX)
		return cel_refuse(k->c->text, n->at, k->e, "too many variables in each other");
	n->name = variable->name;
	n->first->next = variable->next;
	n->count--;
	return 0;
}

/* The operands behind the first, with the variable. */
static int check_body(struct cel_checker *k, const struct cel_node *n,
		      const struct cel_static *variable)
{
	struct cel_scope inner = { .name = n->name, .is = variable, .slot = n->slot,
			       .outer = k->scope };
	int ret = 0;

	k->scope = &inner;
	for (struct cel_node *o = n->first->next; o && ret == 0; o = o->next)
		ret = k->check(k, o);
	k->scope = inner.outer;
	return ret;
}

/* What a macro goes over: elements, keys; NULL: neither. */
static const struct cel_static *element_of(struct cel_checker *k, const struct cel_node *n)
{
	const struct cel_static *of = cel_check_resolve(k, n->is), *any = cel_static_of(CEL_ANY);

	if (of->kind == CEL_LIST || of->kind == CEL_MAP)
		return of->part[0];
	if (of->kind == CEL_PARAMETER)
		(void)cel_static_assign(&k->types, any, of);
	return of->kind == CEL_ANY || of->kind == CEL_PARAMETER ? any : NULL;
}

static const struct cel_static *macro_result(struct cel_checker *k, const struct cel_node *n,
					     const struct cel_static *element)
{
	if (n->macro->gives == CEL_GIVES_BOOL)
		return cel_static_of(CEL_BOOL);
	return cel_static_list(&k->types,
			       n->macro->gives == CEL_GIVES_ELEMENTS ? element : n->last->is);
}

int cel_check_macro(struct cel_checker *k, struct cel_node *n)
{
	const char *name = n->name;
	const struct cel_static *element;
	char have[CEL_STATIC_TEXT];

	if (k->check(k, n->first) < 0 || take_variable(k, n) < 0)
		return -1;
	element = element_of(k, n->first);
	if (!element)
		return cel_refuse(k->c->text, n->at, k->e, "%s() is for lists and maps, not for %s",
				  name, cel_static_write(n->first->is, have));
	n->kind = CEL_MACRO;
	if (check_body(k, n, element) < 0)
		return -1;
	n->is = macro_result(k, n, element);
	/* the last operand of map() may be anything */
	return n->macro->gives == CEL_GIVES_OPERANDS && n->macro->operands == 1 ?
		       0 :
		       cel_check_bool(k, n->first->next);
}

int cel_check_bind(struct cel_checker *k, struct cel_node *n)
{
	struct cel_node *variable = n->first->next, *value = variable->next;

	/* value, variable, body: as of a macro */
	variable->next = value->next;
	value->next = variable;
	n->first = value;
	n->count--;
	if (k->check(k, n->first) < 0 || take_variable(k, n) < 0)
		return -1;
	n->kind = CEL_BIND;
	if (check_body(k, n, n->first->is) < 0)
		return -1;
	n->is = cel_check_resolve(k, n->last->is);
	return 0;
}
