/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_call.c - which functions a call may mean, and what can be done for all devices at once
 *
 * Quantities, versions and regular expressions that are written are read once.
 */
#include "manager/cel/function.h"

#include "manager/regexp/regexp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { OVERLOADS_MAX = 24 };		/* of one name */

/* cel-go has these, too. */
static const char *const unsupported[] = {
	"base64", "bytes", "cidr", "duration", "find", "findAll", "format", "getDate", "getHours",
	"ip", "isCIDR", "isIP", "isURL", "optional", "quote", "reverse", "sets", "sum", "timestamp",
	"transformList", "transformMap", "type", "url",
};

static int refuse_call(const struct cel *c, const struct cel_node *n, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(unsupported); i++)
		if (strcmp(unsupported[i], n->name) == 0)
			return cel_refuse(c->text, n->at, e,
					  "this function of CEL is not supported: '%s'", n->name);
	return cel_refuse(c->text, n->at, e, "there is no %s '%.64s'",
			  n->is_method ? "method" : "function", n->name);
}

static int refuse_operands(const struct cel *c, const struct cel_node *n, struct err *e)
{
	char types[96] = "";

	for (const struct cel_node *o = n->first; o; o = o->next)
		(void)snprintf(types + strlen(types), sizeof(types) - strlen(types), "%s%s",
			       o == n->first ? "" : ", ", cel_static_name(o->is.type));
	return cel_refuse(c->text, n->at, e, "no such overload: %.40s(%s)", n->name, types);
}

static enum cel_style style_of(const struct cel_node *n)
{
	if (n->is_method)
		return CEL_METHOD;
	return strchr("=!<>+-*/%", *n->name) || strcmp(n->name, "in") == 0 ? CEL_OPERATOR :
									   CEL_FUNCTION;
}

/* `1 in ["a"]` is never true, and so a mistake. */
static bool is_in_vain(const struct cel_node *n)
{
	return n->first && strcmp(n->name, "in") == 0 &&
	       !cel_static_takes(cel_static_element(n->last->is), n->first->is.type, CEL_ANY);
}

static int find_functions(struct cel *c, struct cel_node *n, struct err *e)
{
	const struct cel_function *found[OVERLOADS_MAX];
	struct cel_static operands[CEL_OPERANDS_MAX] = { 0 };
	size_t i = 0, named = 0;

	for (const struct cel_node *o = n->first; o && i < CEL_OPERANDS_MAX; o = o->next)
		operands[i++] = o->is;
	n->functions_count = cel_function_find(n->name, style_of(n), operands, n->count, found,
					       ARRAY_SIZE(found), &named);
	if (named == 0)
		return refuse_call(c, n, e);
	if (n->functions_count == 0 || is_in_vain(n))
		return refuse_operands(c, n, e);
	n->functions = cel_arena_new(&c->arena, n->functions_count * sizeof(found[0]));
	if (!n->functions)
		return err_set(e, ERR_IO, ENOMEM, "expression");
	memcpy(n->functions, found, n->functions_count * sizeof(found[0]));
	n->is = (struct cel_static)CEL_GIVES(CEL_ANY);
	return 0;
}

/* One bool for all of several: <(NN), <(ss) */
static void find_result(struct cel_node *n)
{
	for (size_t i = 1; i < n->functions_count; i++)
		if (strcmp(n->functions[i]->result, n->functions[0]->result) != 0)
			return;
	n->is.type = strchr("ABCNK", *n->functions[0]->result) ? CEL_ANY : *n->functions[0]->result;
	if (n->is.type == CEL_LIST && !strchr("ABCNK", n->functions[0]->result[1]))
		n->is.element = n->functions[0]->result[1];
}

/* What it fails with, it fails with for each device: || may be around it. */
static void fold(struct cel *c, struct cel_node *n)
{
	struct cel_value operands[CEL_OPERANDS_MAX], v;
	struct cel_run r = { .arena = c->arena };
	size_t i = 0;

	if (!n->functions[0]->is_folded || n->functions_count != 1)
		return;
	for (const struct cel_node *o = n->first; o; o = o->next) {
		if (o->kind != CEL_LITERAL)
			return;
		operands[i++] = o->value;
	}
	v = n->functions[0]->call(&r, operands);
	c->arena = r.arena;
	if (v.type == CEL_ERROR)
		return;
	n->kind = CEL_LITERAL;
	n->value = v;
}

static int read_regexp(struct cel *c, struct cel_node *n, struct err *e)
{
	if (strcmp(n->name, "matches") != 0 || n->last->kind != CEL_LITERAL)
		return 0;
	n->regexp = regexp_parse(n->last->value.text, e);
	if (!n->regexp) {
		cel_position(c->text, n->last->at, e);
		return err_wrap(e, "expression");
	}
	n->next_regexp = c->regexps;
	c->regexps = n;
	return 0;
}

int cel_check_call(struct cel *c, struct cel_node *n, struct err *e)
{
	if (find_functions(c, n, e) < 0)
		return -1;
	find_result(n);
	if (read_regexp(c, n, e) < 0)
		return -1;
	fold(c, n);
	return 0;
}
