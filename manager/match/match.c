/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.c - a list of expressions is read, from a text or from JSON, and met
 *
 *	vendor In 15b3,8086; firmware Ge:version 22.31; device_name InRegexp "ConnectX-[56]"
 *
 * In the text expressions end with ';' and values with ','; what has one of these, or blanks around
 * it, is put in double quotes, where \" and \\ stand for these two.  JSON is as in a rule of NFD:
 * manager/expression/expression.h.
 */
#include "manager/match/match.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/expression/expression.h"
#include "manager/match/attribute_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 64 * 1024 };

#define BLANKS	" \t\n"

struct match {
	struct expressions all;
};

/* -- a text -- */

/* A word ends at a blank or ';'; owned by the caller, NULL when there is none. */
static char *take_word(const char **p)
{
	size_t n;

	*p += strspn(*p, BLANKS);
	n = strcspn(*p, BLANKS ";");
	*p += n;
	return n > 0 ? strndup(*p - n, n) : NULL;
}

/* p is behind the quote that begins it, and will be behind the one that ends it. */
static int take_quoted(const char **p, json_t *values, struct err *e)
{
	auto_free char *value = strdup(*p);
	size_t n = 0;

	while (value && **p && **p != '"') {
		*p += **p == '\\' && ((*p)[1] == '"' || (*p)[1] == '\\');
		value[n++] = *(*p)++;
	}
	if (!value || **p != '"')
		return err_set(e, ERR_NETCONF, 0, "a quote that is not closed");
	++*p;
	if (json_array_append_new(values, json_stringn(value, n)) < 0)
		return err_set(e, ERR_NETCONF, 0, "a value that is not UTF-8");
	return 0;
}

static int take_bare(const char **p, json_t *values, struct err *e)
{
	const char *begin = *p;
	size_t n;

	*p += strcspn(*p, ",;\"");
	n = (size_t)(*p - begin);
	while (n > 0 && strchr(BLANKS, begin[n - 1]))
		n--;
	if (n == 0)
		return err_set(e, ERR_NETCONF, 0, "an empty value, which is written \"\"");
	if (json_array_append_new(values, json_stringn(begin, n)) < 0)
		return err_set(e, ERR_NETCONF, 0, "a value that is not UTF-8");
	return 0;
}

/* Up to the ';' or the end. */
static int take_values(const char **p, json_t *values, struct err *e)
{
	*p += strspn(*p, BLANKS);
	while (**p && **p != ';') {
		bool quoted = **p == '"';

		*p += quoted;
		if ((quoted ? take_quoted(p, values, e) : take_bare(p, values, e)) < 0)
			return -1;
		*p += strspn(*p, BLANKS);
		if (**p && **p != ';' && **p != ',')
			return err_set(e, ERR_NETCONF, 0, "',' or ';' is missing after a value");
		if (**p == ',') {
			++*p;
			*p += strspn(*p, BLANKS);
			if (!**p || **p == ';')
				return err_set(e, ERR_NETCONF, 0, "a value is missing after ','");
		}
	}
	return 0;
}

/* The operator may say how it compares: "Ge:version". */
static int take_expression(const char **p, struct match *m, struct err *e)
{
	auto_free char *name = take_word(p), *op = take_word(p);
	json_auto_t *values = json_array();
	char *type = op ? strchr(op, ':') : NULL;
	struct expression x = { 0 };

	if (!name || !op)
		return err_set(e, ERR_NETCONF, 0, "expected ATTRIBUTE OPERATOR [VALUE,...]");
	if (type)
		*type++ = '\0';
	if (take_values(p, values, e) < 0 ||
	    expression_make(&expressions_of_device, name, op, type, values, &x, e) < 0)
		return -1;
	return expressions_append(&m->all, &x, e);
}

static int read_text(const char *text, struct match *m, struct err *e)
{
	const char *p = text + strspn(text, BLANKS);

	if (!*p)
		return err_set(e, ERR_NETCONF, 0, "expressions: there is none");
	while (*p) {
		const char *begin = p;

		if (take_expression(&p, m, e) < 0)
			return err_wrap(e, "expression %zu, from character %td", m->all.n + 1,
					begin - text + 1);
		p += *p == ';';
		p += strspn(p, BLANKS);
	}
	return 0;
}

static int read_json(const char *text, struct match *m, struct err *e)
{
	json_auto_t *doc = jx_parse_value(text, strlen(text), ERR_NETCONF, "expressions", e);

	return doc ? expressions_from_json(doc, &expressions_of_device, &m->all, e) : -1;
}

/* -- all of them -- */

int match_check_names(const struct match *m, struct err *e)
{
	for (size_t i = 0; i < m->all.n; i++)
		if (attribute_check(m->all.list[i].name, e) < 0)
			return -1;
	return 0;
}

bool match_has_name(const struct match *m, const char *name)
{
	for (size_t i = 0; i < m->all.n; i++)
		if (strcmp(m->all.list[i].name, name) == 0)
			return true;
	return false;
}

struct match *match_parse(const char *text, struct err *e)
{
	auto_match struct match *m = calloc(1, sizeof(*m));
	const char *p = text + strspn(text, BLANKS);

	if (!m)
		(void)err_set(e, ERR_IO, ENOMEM, "expressions");
	else if (strlen(text) > TEXT_MAX)
		(void)err_set(e, ERR_NETCONF, 0, "expressions: longer than %d bytes", TEXT_MAX);
	else if ((*p == '{' || *p == '[' ? read_json(p, m, e) : read_text(text, m, e)) == 0)
		return steal_ptr(&m);
	return NULL;
}

int match_meets(const struct match *m, const json_t *attributes, struct err *e)
{
	for (size_t i = 0; i < m->all.n; i++) {
		int r = expression_meets(&m->all.list[i], attributes, e);

		if (r <= 0)
			return r;
	}
	return 1;
}

void match_free(struct match *m)
{
	if (m)
		expressions_done(&m->all);
	free(m);
}

void match_free_at(struct match *const *m)
{
	match_free(*m);
}
