/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_literals.c - lists and maps that are written have values of one type
 *
 * CEL would take [device.attributes["d"].a, "b"], where one type is known and the other is not.
 * Kubernetes does not, but in the list of "...".format([...]).
 */
#include "manager/cel/ast.h"

#include <string.h>

/* Of a map each second operand is a key. */
static int check_mixed(const struct cel *c, const struct cel_node *n, struct err *e)
{
	const struct cel_node *first[2] = { n->first, n->first ? n->first->next : NULL };
	unsigned i = 0, step = n->kind == CEL_MAKE_MAP ? 2 : 1;

	for (const struct cel_node *o = n->first; o; o = o->next, i++)
		if (!cel_static_same(first[i % step]->is, o->is))
			return cel_refuse_two(c->text, o->at, e, "values of a list or map are",
					      first[i % step]->is, o->is);
	return 0;
}

static int check_node(const struct cel *c, const struct cel_node *n, bool is_free, struct err *e)
{
	bool is_container = n->kind == CEL_MAKE_LIST || n->kind == CEL_MAKE_MAP;

	if (is_container && !is_free && check_mixed(c, n, e) < 0)
		return -1;
	is_free = is_container ? is_free : n->kind == CEL_CALL && strcmp(n->name, "format") == 0;
	for (const struct cel_node *o = n->first; o; o = o->next)
		if (check_node(c, o, is_free, e) < 0)
			return -1;
	return 0;
}

int cel_check_literals(const struct cel *c, struct err *e)
{
	return check_node(c, c->root, false, e);
}
