/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.c - a list of expressions is read, from a text or from JSON, and met
 *
 *	vendor In 15b3,8086; firmware Ge:version 22.31; device_name InRegexp "ConnectX-[56]"
 *
 * In the text expressions end with ';' and values with ','; what has one of these, or blanks around
 * it, is put in double quotes, where \" and \\ stand for these two.  JSON is as in a rule of NFD:
 * an object of expressions by attribute, or a list of "NAME" (it exists) and "NAME=VALUE".
 */
#include "devinfo/match/match.h"

#include "base/jx.h"
#include "base/mem.h"
#include "devinfo/match/attribute_table.h"
#include "devinfo/match/match_op.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 64 * 1024, EXPRESSIONS_MAX = 256 };

#define BLANKS	" \t\n"

struct match {
	struct expression *list;
	size_t n;
};

static int append(struct match *m, const char *name, const char *op, const char *type,
		  const json_t *values, struct err *e)
{
	struct expression *list;

	if (m->n == EXPRESSIONS_MAX)
		return err_set(e, ERR_NETCONF, 0, "more than %d expressions", EXPRESSIONS_MAX);
	list = realloc(m->list, (m->n + 1) * sizeof(*list));
	if (!list)
		return err_set(e, ERR_IO, ENOMEM, "expressions");
	m->list = list;
	if (expression_make(name, op, type, values, &list[m->n], e) < 0)
		return -1;
	m->n++;
	return 0;
}

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

	if (!name || !op)
		return err_set(e, ERR_NETCONF, 0, "expected ATTRIBUTE OPERATOR [VALUE,...]");
	if (type)
		*type++ = '\0';
	return take_values(p, values, e) < 0 ? -1 : append(m, name, op, type, values, e);
}

static int read_text(const char *text, struct match *m, struct err *e)
{
	const char *p = text + strspn(text, BLANKS);

	if (!*p)
		return err_set(e, ERR_NETCONF, 0, "expressions: there is none");
	while (*p) {
		const char *begin = p;

		if (take_expression(&p, m, e) < 0)
			return err_wrap(e, "expression %zu, from character %td", m->n + 1,
					begin - text + 1);
		p += *p == ';';
		p += strspn(p, BLANKS);
	}
	return 0;
}

/* -- JSON -- */

/* One value is a list of it, as in NFD, where true and 1 become texts.  NULL: it is an object. */
static json_t *text_of(const json_t *v)
{
	char number[32];

	if (json_is_string(v))
		return json_string(json_string_value(v));
	if (json_is_boolean(v))
		return json_string(json_is_true(v) ? "true" : "false");
	if (!json_is_number(v))
		return NULL;
	(void)(json_is_integer(v) ? snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
					     json_integer_value(v)) :
				    snprintf(number, sizeof(number), "%.15g", json_real_value(v)));
	return json_string(number);
}

static int read_value(const json_t *v, json_t *values, struct err *e)
{
	const json_t *one;
	size_t i;

	if (!v || json_is_null(v))
		return 0;
	if (!json_is_array(v))
		return json_array_append_new(values, text_of(v)) == 0 ? 0 :
		       err_set(e, ERR_NETCONF, 0, "value: expected a list of strings");
	json_array_foreach(v, i, one)
		if (!json_is_string(one) || json_array_append_new(values, text_of(one)) < 0)
			return err_set(e, ERR_NETCONF, 0,
				       "value[%zu]: expected a string, got %s", i,
				       jx_type_name(one));
	return 0;
}

/* {"op": "In", "value": ["15b3"], "type": "version"} */
static int read_object(const char *name, json_t *o, struct match *m, struct err *e)
{
	static const char *const keys[] = { "op", "value", "type" };
	json_auto_t *values = json_array();
	const char *op = NULL, *type = NULL;
	int r;

	jx_fold_keys(o, keys, ARRAY_SIZE(keys));
	if (jx_only_keys(o, "", keys, ARRAY_SIZE(keys), e) < 0 ||
	    jx_string(o, "", "type", &type, e) < 0 ||
	    read_value(json_object_get(o, "value"), values, e) < 0)
		return -1;
	r = jx_string(o, "", "op", &op, e);
	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "op: missing");
	return append(m, name, op, type, values, e);
}

/* A value alone means In, null that it exists. */
static int read_member(const char *name, json_t *v, struct match *m, struct err *e)
{
	json_auto_t *values = json_array();

	if (json_is_object(v))
		return read_object(name, v, m, e);
	if (json_is_null(v))
		return append(m, name, "Exists", NULL, NULL, e);
	return read_value(v, values, e) < 0 ? -1 : append(m, name, "In", NULL, values, e);
}

/* "NAME" or "NAME=VALUE" */
static int read_short(const char *text, struct match *m, struct err *e)
{
	auto_free char *name = strdup(text);
	char *value = name ? strchr(name, '=') : NULL;
	json_auto_t *values = json_array();

	if (!name)
		return err_set(e, ERR_IO, ENOMEM, "expression");
	if (!value)
		return append(m, name, "Exists", NULL, NULL, e);
	*value++ = '\0';
	(void)json_array_append_new(values, json_string(value));
	return append(m, name, "In", NULL, values, e);
}

static int read_list(const json_t *list, struct match *m, struct err *e)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v) {
		if (!json_is_string(v))
			return err_set(e, ERR_NETCONF, 0,
				       "expression %zu: expected \"ATTRIBUTE\" or "
				       "\"ATTRIBUTE=VALUE\", got %s",
				       i + 1, jx_type_name(v));
		if (read_short(json_string_value(v), m, e) < 0)
			return err_wrap(e, "expression %zu", i + 1);
	}
	return 0;
}

static int read_json(const char *text, struct match *m, struct err *e)
{
	json_auto_t *doc = jx_parse_value(text, strlen(text), ERR_NETCONF, "expressions", e);
	const char *name;
	json_t *v;

	if (!doc)
		return -1;
	if (json_is_array(doc))
		return read_list(doc, m, e);
	json_object_foreach(doc, name, v)
		if (read_member(name, v, m, e) < 0)
			return err_wrap(e, "%.64s", name);
	return 0;
}

/* -- all of them -- */

int match_check_names(const struct match *m, struct err *e)
{
	for (size_t i = 0; i < m->n; i++)
		if (attribute_check(m->list[i].name, e) < 0)
			return -1;
	return 0;
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
	for (size_t i = 0; i < m->n; i++) {
		int r = expression_meets(&m->list[i], attributes, e);

		if (r <= 0)
			return r;
	}
	return 1;
}

void match_free(struct match *m)
{
	for (size_t i = 0; m && i < m->n; i++)
		expression_done(&m->list[i]);
	if (m)
		free(m->list);
	free(m);
}

void match_free_at(struct match *const *m)
{
	match_free(*m);
}
