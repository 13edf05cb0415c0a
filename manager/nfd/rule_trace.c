/* SPDX-License-Identifier: Apache-2.0 */
/* rule_trace.c - why a rule matches or not: a tree of what was evaluated, each with its value */
#include "manager/nfd/rule_trace.h"

#include "manager/inventory/join_text.h"

#include <stdio.h>

json_t *trace_text(const char *text)
{
	char valid[2048];

	JOIN_TEXT(valid, text);
	return json_string(valid);
}

/* With its "terms", which stay a list. */
static json_t *append(json_t *terms, json_t *term)
{
	json_t *inside = json_array();

	(void)json_array_append_new(terms, json_pack("{s:o,s:o}", "term", term, "terms", inside));
	return inside;
}

json_t *trace_add(json_t *terms, const char *term)
{
	return terms ? append(terms, json_string(term)) : NULL;
}

json_t *trace_add_instance(json_t *terms, size_t i)
{
	return terms ? append(terms, json_sprintf("instance %zu", i + 1)) : NULL;
}

static void put_result(json_t *node, int r, const struct err *why)
{
	if (r < 0)
		(void)json_object_set_new(node, "error", trace_text(why->msg));
	else
		(void)json_object_set_new(node, "value", json_boolean(r));
}

void trace_set(json_t *terms, int r, const struct err *why)
{
	if (terms)
		put_result(json_array_get(terms, json_array_size(terms) - 1), r, why);
}

void trace_expression(json_t *terms, const struct expression *x, const json_t *attributes,
		      const json_t *flags, int r, const struct err *why)
{
	json_t *node, *is;

	if (!terms)
		return;
	is = json_incref(json_object_get(attributes, x->name));
	if (!is)
		is = json_object_get(flags, x->name) ? json_true() : json_null();
	node = json_pack("{s:o,s:o}", "term", expression_show(x), "is", is);
	put_result(node, r, why);
	(void)json_array_append_new(terms, node);
}

void trace_name(json_t *terms, const struct expression *x, int r, const struct err *why)
{
	json_t *node, *text;

	if (!terms)
		return;
	text = expression_show(x);
	node = json_pack("{s:o}", "term", json_sprintf("matchName: %s", json_string_value(text)));
	json_decref(text);
	put_result(node, r, why);
	(void)json_array_append_new(terms, node);
}
