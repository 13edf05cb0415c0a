/* SPDX-License-Identifier: Apache-2.0 */
/* print.c - a value as Go prints it: %v of package fmt, of what JSON has */
#include "manager/template/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool put_string(struct template_run *r, struct template_text *to, const char *s)
{
	return template_put(r, to, s, strlen(s));
}

/* The fewest digits that are read as the same number; an exponent below -4 and from 6 on. */
static bool put_real(struct template_run *r, struct template_text *to, double v)
{
	char text[64], *exponent;
	int digits = 0, e;

	do
		(void)snprintf(text, sizeof(text), "%.*e", digits, v);
	while (strtod(text, NULL) != v && ++digits < 17);	/* NOLINT: it is to be the same */
	exponent = strchr(text, 'e');
	e = exponent ? atoi(exponent + 1) : 0;
	if (e >= -4 && e < 6)
		(void)snprintf(text, sizeof(text), "%.*f", digits > e ? digits - e : 0, v);
	return put_string(r, to, text);
}

static bool print_value(struct template_run *r, struct template_text *to, const json_t *v,
			unsigned int nest);

static bool print_array(struct template_run *r, struct template_text *to, const json_t *v,
			unsigned int nest)
{
	const json_t *one;
	size_t i;

	if (!put_string(r, to, "["))
		return false;
	json_array_foreach(v, i, one)
		if ((i > 0 && !put_string(r, to, " ")) || !print_value(r, to, one, nest))
			return false;
	return put_string(r, to, "]");
}

static bool print_object(struct template_run *r, struct template_text *to, const json_t *v,
			 unsigned int nest)
{
	size_t n = json_object_size(v);
	const char **keys = template_keys(v);
	bool done = keys && template_steps(r, n) && put_string(r, to, "map[");

	for (size_t i = 0; done && i < n; i++)
		done = (i == 0 || put_string(r, to, " ")) && put_string(r, to, keys[i]) &&
		       put_string(r, to, ":") &&
		       print_value(r, to, json_object_get(v, keys[i]), nest);
	free(keys);
	return done && put_string(r, to, "]");
}

static bool print_value(struct template_run *r, struct template_text *to, const json_t *v,
			unsigned int nest)
{
	char number[32];

	if (nest > TEMPLATE_NEST_MAX) {
		(void)template_fail(r, "a value with more than %d lists in each other",
				    TEMPLATE_NEST_MAX);
		return false;
	}
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return print_object(r, to, v, nest + 1);
	case JSON_ARRAY:
		return print_array(r, to, v, nest + 1);
	case JSON_STRING:
		return template_put(r, to, json_string_value(v), json_string_length(v));
	case JSON_INTEGER:
		(void)snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
			       json_integer_value(v));
		return put_string(r, to, number);
	case JSON_REAL:
		return put_real(r, to, json_real_value(v));
	case JSON_NULL:
		return put_string(r, to, "<nil>");
	default:
		return put_string(r, to, json_is_true(v) ? "true" : "false");
	}
}

bool template_print(struct template_run *r, struct template_text *to, const json_t *v)
{
	return print_value(r, to, v, 0);
}
