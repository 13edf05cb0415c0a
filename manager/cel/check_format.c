/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_format.c - "%d of %s".format([1, "a"]), as far as it is written
 *
 * cel-go checks the clauses of a text that is written against the values of a list that is (the
 * validator of ext.Strings): their count, and their types where they are known.
 */
#include "manager/cel/check.h"

#include "base/mem.h"
#include "manager/cel/format_text.h"
#include "manager/cel/function.h"

#include <string.h>

/* The kinds of type (value.h) that a clause is for. */
static const struct {
	const char *letters, *kinds;
} clauses[] = {
	{ "s", "lmiudbsTyrn" }, { "do", "iu" }, { "fe", "ds" }, { "b", "iub" }, { "xX", "iusy" },
};

static bool takes(const char *kinds, const struct cel_node *n)
{
	return n->is->kind == CEL_ANY || n->is->kind == CEL_PARAMETER ||
	       strchr(kinds, n->is->kind);
}

/* One that does not fit, of a list or map that is written also in it; NULL: there is none. */
static const struct cel_node *find_wrong(char letter, const struct cel_node *n)
{
	const struct cel_node *wrong = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(clauses); i++)
		if (strchr(clauses[i].letters, letter) && !takes(clauses[i].kinds, n))
			return n;
	if (n->kind != CEL_MAKE_LIST && n->kind != CEL_MAKE_MAP)
		return NULL;
	for (const struct cel_node *o = n->first; o && !wrong; o = o->next)
		wrong = find_wrong(letter, o);
	return wrong;
}

static int check_clauses(const struct cel *c, const struct cel_node *text,
			 const struct cel_node *list, struct err *e)
{
	const struct cel_node *value = list->first, *wrong;
	struct cel_clause clause;
	char have[CEL_STATIC_TEXT];
	const char *s = text->value.text, *what;

	for (s = strchr(s, '%'); s; s = strchr(s, '%')) {
		if (s[1] == '%') {
			s += 2;
			continue;
		}
		what = value ? cel_clause_read(&s, &clause) :
			       "format() has more clauses than values";
		if (what)
			return cel_refuse(c->text, text->at, e, "%s", what);
		wrong = find_wrong(clause.letter, value);
		if (wrong)
			return cel_refuse(c->text, wrong->at, e,
					  "the clause %%%c of format() is not for this type: %s",
					  clause.letter, cel_static_write(wrong->is, have));
		value = value->next;
	}
	return value ? cel_refuse(c->text, value->at, e, "format() has more values than clauses") :
		       0;
}

int cel_check_format(const struct cel *c, const struct cel_node *n, struct err *e)
{
	const struct cel_node *text = n->first, *list = text ? text->next : NULL;

	if (strcmp(n->name, "format") != 0 || !n->is_method || !list ||
	    text->kind != CEL_LITERAL || list->kind != CEL_MAKE_LIST)
		return 0;
	return check_clauses(c, text, list, e);
}
