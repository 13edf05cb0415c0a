/* SPDX-License-Identifier: Apache-2.0 */
/* check_call.c - which functions a call may mean; regular expressions that are written are read */
#include "manager/cel/function.h"

#include "manager/regexp/regexp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { OVERLOADS_MAX = 24 };		/* of one name */

/* cel-go has these, too: types are values that nothing but their names is compared with. */
static const char *const unsupported[] = { "type" };

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
	char types[160] = "", one[CEL_STATIC_TEXT];

	for (const struct cel_node *o = n->first; o; o = o->next)
		(void)snprintf(types + strlen(types), sizeof(types) - strlen(types), "%s%s",
			       o == n->first ? "" : ", ", cel_static_write(o->is, one));
	return cel_refuse(c->text, n->at, e, "no such overload: %.40s(%s)", n->name, types);
}

static enum cel_style style_of(const struct cel_node *n)
{
	if (n->is_method)
		return CEL_METHOD;
	return strchr("=!<>+-*/%", *n->name) || strcmp(n->name, "in") == 0 ? CEL_OPERATOR :
									   CEL_FUNCTION;
}

/* -- which rows of the tables fit -- */

static const char numbers[] = { CEL_INT, CEL_UINT, CEL_DOUBLE };
static const char ordered[] = { CEL_INT, CEL_UINT, CEL_DOUBLE, CEL_BOOL, CEL_DURATION,
				CEL_TIMESTAMP, CEL_STRING, CEL_BYTES };

/* Tries the row with these types for its letters N and K; NULL: it does not fit. */
static const struct cel_static *try_classes(struct cel_types *t, const struct cel_function *f,
					    const struct cel_node *n, const char *classes)
{
	struct cel_letters letters = { .classes = classes };
	struct cel_undo *before = cel_static_mark(t);
	const char *s = f->operands;

	for (const struct cel_node *o = n->first; o; o = o->next)
		if (!*s || !cel_static_assign(t, o->is, cel_static_read(t, &s, &letters))) {
			cel_static_back(t, before);
			return NULL;
		}
	s = f->result;
	letters.classes = "";
	return cel_static_resolve(t, cel_static_read(t, &s, &letters), false);
}

static void add_result(struct cel_resolution *r, const struct cel_function *f,
		       const struct cel_static *result)
{
	if (r->count == 0 || r->found[r->count - 1] != f)
		r->found[r->count++] = f;
	if (!r->result || cel_static_same(r->types, r->result, result))
		r->result = result;
	else
		r->result = cel_static_of(CEL_ANY);
}

/* One letter of a class stands for as many rows, two of them for each with each. */
void cel_resolve(struct cel_resolution *r, const struct cel_function *f, const struct cel_node *n)
{
	const char *class = strpbrk(f->operands, "NK");
	const char *types = class && *class == 'N' ? numbers : ordered;
	size_t count = !class ? 1 : *class == 'N' ? ARRAY_SIZE(numbers) : ARRAY_SIZE(ordered);
	size_t twice = class && strpbrk(class + 1, "NK") ? count : 1;

	if (cel_signature_count(f->operands) != n->count)
		return;
	for (size_t i = 0; i < count * twice; i++) {
		const char classes[] = { types[i / twice], twice > 1 ? types[i % twice] : 0, 0 };
		const struct cel_static *result =
			try_classes(r->types, f, n, class ? classes : "");

		if (result)
			add_result(r, f, result);
	}
}

static int find_functions(struct cel *c, struct cel_types *t, struct cel_node *n, struct err *e)
{
	const struct cel_function *named[OVERLOADS_MAX], *found[OVERLOADS_MAX];
	struct cel_resolution r = { .types = t, .found = found };
	size_t count = cel_function_find(n->name, style_of(n), named, ARRAY_SIZE(named));

	if (count == 0)
		return refuse_call(c, n, e);
	for (size_t i = 0; i < count; i++)
		cel_resolve(&r, named[i], n);
	if (!r.result)
		return refuse_operands(c, n, e);
	n->functions = cel_arena_new(&c->arena, r.count * sizeof(found[0]));
	if (!n->functions)
		return err_set(e, ERR_IO, ENOMEM, "expression");
	memcpy(n->functions, found, r.count * sizeof(found[0]));
	n->functions_count = r.count;
	n->is = r.result;
	return 0;
}

static bool takes_regexp(const char *name)
{
	return strcmp(name, "matches") == 0 || strcmp(name, "find") == 0 ||
	       strcmp(name, "findAll") == 0;
}

static int read_regexp(struct cel *c, struct cel_node *n, struct err *e)
{
	const struct cel_node *pattern = n->first ? n->first->next : NULL;

	if (!takes_regexp(n->name) || !pattern || pattern->kind != CEL_LITERAL)
		return 0;
	n->regexp = regexp_parse(pattern->value.text, e);
	if (!n->regexp) {
		cel_position(c->text, pattern->at, e);
		return err_wrap(e, "expression");
	}
	n->next_regexp = c->regexps;
	c->regexps = n;
	return 0;
}

int cel_check_call(struct cel *c, struct cel_types *t, struct cel_node *n, struct err *e)
{
	if (find_functions(c, t, n, e) < 0 || read_regexp(c, n, e) < 0)
		return -1;
	return cel_check_format(c, n, e);
}
