/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.c - what is the same for each device is evaluated once, when the expression is compiled
 *
 * Quantities and versions that are written are read once; where one cannot be read, that is an
 * error of each evaluation, for || may be around it.  A conversion of a constant that fails is
 * refused, as cel-go refuses it, whatever is around it.
 */
#include "manager/cel/eval.h"

#include "manager/cel/function.h"

#include <string.h>

/* Written in the expression, or converted from what is. */
static bool is_constant(const struct cel_node *n)
{
	bool may_be = n->kind == CEL_MAKE_LIST || n->kind == CEL_MAKE_MAP ||
		      (n->kind == CEL_CALL && cel_is_conversion(n));

	for (const struct cel_node *o = n->first; o && may_be; o = o->next)
		may_be = is_constant(o);
	return may_be || n->kind == CEL_LITERAL;
}

static struct cel_value evaluate(struct cel *c, const struct cel_node *n)
{
	struct cel_run r = { .text = c->text, .arena = c->arena, .evaluate = cel_evaluate };
	struct cel_value ret = cel_evaluate(&r, n);

	c->arena = r.arena;
	return ret;
}

static int refuse(const struct cel *c, const struct cel_fault *f, struct err *e)
{
	char words[200];

	cel_fault_write(f, words, sizeof(words));
	return cel_refuse(c->text, f->at, e, "%s", words);
}

static int fold_call(struct cel *c, struct cel_node *n, struct err *e)
{
	struct cel_value v;

	if (!cel_is_conversion(n) && (n->functions_count != 1 || !n->functions[0]->is_folded))
		return 0;
	for (const struct cel_node *o = n->first; o; o = o->next)
		if (!is_constant(o))
			return 0;
	v = evaluate(c, n);
	if (v.type == CEL_ERROR)
		return cel_is_conversion(n) ? refuse(c, v.fault, e) : 0;
	if (cel_is_conversion(n))
		return 0;
	n->kind = CEL_LITERAL;
	n->value = v;
	return 0;
}

static int fold_node(struct cel *c, struct cel_node *n, struct err *e)
{
	for (struct cel_node *o = n->first; o; o = o->next)
		if (fold_node(c, o, e) < 0)
			return -1;
	return n->kind == CEL_CALL ? fold_call(c, n, e) : 0;
}

int cel_fold(struct cel *c, struct err *e)
{
	return fold_node(c, c->root, e);
}
