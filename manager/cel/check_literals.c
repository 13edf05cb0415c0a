/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_literals.c - lists and maps that are written have values of one type
 *
 * CEL would take [device.attributes["d"].a, "b"], where one type is known and the other is not.
 * Kubernetes does not, but in the list of "...".format([...]).
 */
#include "manager/cel/check.h"

#include <string.h>

/* which: of a map (step 2) 0 the keys, 1 the values. */
static int check_mixed(struct cel_checker *k, const struct cel_node *n, unsigned step,
		       unsigned which)
{
	const struct cel_static *first = NULL;

	for (const struct cel_node *o = n->first; o; o = step == 2 ? o->next->next : o->next) {
		const struct cel_node *v = which == 1 ? o->next : o;
		const struct cel_static *is =
			cel_entry_type(v->is, o->is_optional_entry && which == step - 1);

		first = first ? first : is;
		if (!cel_static_same(&k->types, first, is))
			return cel_refuse_two(k->c->text, v->at, k->e,
					      "values of a list or map are", first, is);
	}
	return 0;
}

static int check_node(struct cel_checker *k, const struct cel_node *n, bool is_free)
{
	bool is_container = n->kind == CEL_MAKE_LIST || n->kind == CEL_MAKE_MAP;
	unsigned step = n->kind == CEL_MAKE_MAP ? 2 : 1;

	for (unsigned which = 0; is_container && !is_free && which < step; which++)
		if (check_mixed(k, n, step, which) < 0)
			return -1;
	is_free = is_container ? is_free : n->kind == CEL_CALL && strcmp(n->name, "format") == 0;
	for (const struct cel_node *o = n->first; o; o = o->next)
		if (check_node(k, o, is_free) < 0)
			return -1;
	return 0;
}

int cel_check_literals(struct cel_checker *k)
{
	return check_node(k, k->c->root, false);
}
