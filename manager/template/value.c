/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - values of a template: truth, fields, and how Go prints them */
#include "manager/template/part.h"

#include "base/jx.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

json_t *template_fail(const struct template_run *r, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)err_set(r->e, ERR_NETCONF, 0, "line %u: %s", r->line, text);
	return NULL;
}

bool template_steps(struct template_run *r, size_t n)
{
	if (r->steps + n <= NFD_TEMPLATE_STEPS_MAX) {
		r->steps += n;
		return true;
	}
	(void)template_fail(r, "the template takes more than %d steps", NFD_TEMPLATE_STEPS_MAX);
	return false;
}

bool template_truth(const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return json_object_size(v) > 0;
	case JSON_ARRAY:
		return json_array_size(v) > 0;
	case JSON_STRING:
		return json_string_length(v) > 0;
	case JSON_INTEGER:
		return json_integer_value(v) != 0;
	case JSON_REAL:
		return json_real_value(v) < 0 || json_real_value(v) > 0;
	default:
		return json_is_true(v);
	}
}

/* -- fields -- */

static bool is_attributes(const json_t *of)
{
	void *first = json_object_iter((json_t *)(uintptr_t)of);

	return json_is_string(json_object_iter_value(first));
}

/*
 * What is in other case, and why that is not the same.  Features are found by rules without regard
 * to case, so a template may have them otherwise than the rule; attributes are not.
 */
static json_t *folded_field(struct template_run *r, json_t *of, const char *name)
{
	const char *key;
	json_t *value;
	char text[200];

	json_object_foreach(of, key, value) {
		if (strcasecmp(key, name) != 0)
			continue;
		(void)snprintf(text, sizeof(text), "'.%.60s' is taken for '%.60s': NFD regards the "
			       "case, and would fail", name, key);
		if (r->t->say)
			r->t->say(r->line, text, r->t->say_arg);
		return value;
	}
	return NULL;
}

json_t *template_field(struct template_run *r, json_t *of, const char *name)
{
	json_t *v;

	if (!json_is_object(of))
		return template_fail(r, "there is no .%.64s in %s", name, jx_type_name(of));
	v = json_object_get(of, name);
	if (!v && !is_attributes(of)) {
		if (!template_steps(r, json_object_size(of)))
			return NULL;
		v = folded_field(r, of, name);
	}
	return v ? json_incref(v) : template_fail(r, "there is no key '%.64s'", name);
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **template_keys(const json_t *o)
{
	size_t n = json_object_size(o), i = 0;
	const char **keys = calloc(n + 1, sizeof(*keys));
	const char *key;
	json_t *value;

	if (!keys)
		return NULL;
	json_object_foreach((json_t *)(uintptr_t)o, key, value)
		keys[i++] = key;
	qsort(keys, n, sizeof(*keys), compare_keys);
	return keys;
}

/* -- texts -- */

/* false: it would be longer than NFD_TEMPLATE_MAX. */
static bool text_add(struct template_text *t, const char *s, size_t len)
{
	if (len > NFD_TEMPLATE_MAX - t->len)
		return false;
	if (len > t->room - t->len) {
		size_t room = t->room + len < 256 ? 256 : 2 * (t->room + len);
		char *more = realloc(t->s, room);

		if (!more)
			return false;
		t->s = more;
		t->room = room;
	}
	if (len > 0)
		memcpy(t->s + t->len, s, len);
	t->len += len;
	return true;
}

void template_text_done(struct template_text *t)
{
	free(t->s);
	*t = (struct template_text){ 0 };
}

json_t *template_text_value(struct template_run *r, const struct template_text *text)
{
	json_t *v = json_stringn(text->len ? text->s : "", text->len);

	return v ? v : template_fail(r, "a text that is not UTF-8 was made");
}

/* -- printing -- */

bool template_put(struct template_run *r, struct template_text *to, const char *s, size_t len)
{
	if (!template_steps(r, 1 + len / 16))
		return false;
	if (text_add(to, s, len))
		return true;
	(void)template_fail(r, "the text that is made is longer than %d bytes", NFD_TEMPLATE_MAX);
	return false;
}

static bool put_string(struct template_run *r, struct template_text *to, const char *s)
{
	return template_put(r, to, s, strlen(s));
}

/* The fewest digits that are read as the same number; an exponent below -4 and from 21 on. */
static bool put_real(struct template_run *r, struct template_text *to, double v)
{
	char text[64], *exponent;
	int digits = 0, e;

	do
		(void)snprintf(text, sizeof(text), "%.*e", digits, v);
	while (strtod(text, NULL) != v && ++digits < 17);	/* NOLINT: it is to be the same */
	exponent = strchr(text, 'e');
	e = exponent ? atoi(exponent + 1) : 0;
	if (e >= -4 && e < 21)
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
