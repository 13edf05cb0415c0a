/* SPDX-License-Identifier: Apache-2.0 */
/* expression.c - expressions in JSON, as NFD's rules have them */
#include "manager/expression/expression.h"

#include "base/jx.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct expression_dialect expressions_of_rule = { .fails_when_met = true };
const struct expression_dialect expressions_of_worker = {
	.may_be_short = true, .any_without_op = true, .last_of_name = true, .has_reals_alone = true,
	.fails_when_met = true,
};
const struct expression_dialect expressions_of_device = {
	.may_be_short = true, .version_goes_on = true,
};

enum { DIGITS_MAX = 17, REAL_MAX = 400, EXACT_MAX_BITS = 53 };

/* The fewest digits that are this number, "1.5e+00"; how many they are. */
static int fewest_digits(double d, char *ret, size_t size)
{
	int n = 0;

	do
		(void)snprintf(ret, size, "%.*e", n++, d);
	while (n < DIGITS_MAX && strtod(ret, NULL) != d);
	return n;
}

/* As Go writes a float64 without exponent, which is what NFD reads a number as. */
static json_t *text_of_real(double d)
{
	char e[32], digits[DIGITS_MAX + 1] = "", text[REAL_MAX];
	int n = fewest_digits(d < 0 ? -d : d, e, sizeof(e));
	int point = 1 + atoi(strchr(e, 'e') + 1);
	const char *minus = d < 0 ? "-" : "";
	char zeros[REAL_MAX - 64];

	memset(zeros, '0', sizeof(zeros));
	digits[0] = e[0];
	if (n > 1)
		memcpy(digits + 1, e + 2, (size_t)n - 1);
	if (point <= 0)
		(void)snprintf(text, sizeof(text), "%s0.%.*s%s", minus, -point, zeros, digits);
	else if (point >= n)
		(void)snprintf(text, sizeof(text), "%s%s%.*s", minus, digits, point - n,
			       zeros);
	else
		(void)snprintf(text, sizeof(text), "%s%.*s.%s", minus, point, digits,
			       digits + point);
	return json_string(text);
}

static bool is_exact(json_int_t n)
{
	return n >= -(1LL << EXACT_MAX_BITS) && n <= 1LL << EXACT_MAX_BITS;
}

/* One value is a list of it, as in NFD, where true and 1 become texts.  NULL: it is an object. */
static json_t *text_of(const json_t *v, const struct expression_dialect *d)
{
	char number[32];

	if (json_is_string(v))
		return json_string(json_string_value(v));
	if (json_is_boolean(v))
		return json_string(json_is_true(v) ? "true" : "false");
	if (!json_is_number(v))
		return NULL;
	if (json_is_real(v) || (d->has_reals_alone && !is_exact(json_integer_value(v))))
		return text_of_real(json_number_value(v));
	(void)snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	return json_string(number);
}

static int read_value(const json_t *v, const struct expression_dialect *d, json_t *values,
		      struct err *e)
{
	const json_t *one;
	size_t i;

	if (!v || json_is_null(v))
		return 0;
	if (!json_is_array(v)) {
		if (d->may_be_short && json_array_append_new(values, text_of(v, d)) == 0)
			return 0;
		return err_set(e, ERR_NETCONF, 0, "value: expected a list of strings, got %s",
			       jx_type_name(v));
	}
	json_array_foreach(v, i, one)
		if (!json_is_string(one) || json_array_append_new(values, text_of(one, d)) < 0)
			return err_set(e, ERR_NETCONF, 0,
				       "value[%zu]: expected a string, got %s", i,
				       jx_type_name(one));
	return 0;
}

/* {"op": "In", "value": ["15b3"], "type": "version"} */
static int read_object(const char *name, json_t *o, const struct expression_dialect *d,
		       struct expression *ret, struct err *e)
{
	static const char *const keys[] = { "op", "value", "type" };
	json_auto_t *values = json_array();
	const char *op = "", *type = NULL;
	int r;

	if (d->may_be_short)
		jx_fold_keys(o, keys, ARRAY_SIZE(keys));
	if ((d->may_be_short ? jx_only_keys(o, "", keys, ARRAY_SIZE(keys), e) :
			       jx_only_exact_keys(o, "", keys, ARRAY_SIZE(keys), e)) < 0 ||
	    jx_string(o, "", "type", &type, e) < 0 ||
	    read_value(json_object_get(o, "value"), d, values, e) < 0)
		return -1;
	r = jx_string(o, "", "op", &op, e);
	if (r < 0)
		return -1;
	if (!*op && d->any_without_op && json_array_size(values) == 0)
		return expression_make_any(name, ret, e);
	if (r == 0)
		return err_set(e, ERR_NETCONF, 0, "op: missing");
	return expression_make(d, name, op, type, values, ret, e);
}

/* A value alone means In, null that it exists. */
int expression_from_json(const char *name, json_t *v, const struct expression_dialect *d,
			 struct expression *ret, struct err *e)
{
	json_auto_t *values = json_array();

	if (json_is_object(v))
		return read_object(name, v, d, ret, e);
	if (!d->may_be_short)
		return err_set(e, ERR_NETCONF, 0, "expected an object with op and value, got %s",
			       jx_type_name(v));
	if (json_is_null(v))
		return expression_make(d, name, "Exists", NULL, NULL, ret, e);
	return read_value(v, d, values, e) < 0 ?
		       -1 : expression_make(d, name, "In", NULL, values, ret, e);
}

/* "NAME" or "NAME=VALUE" */
static int read_short(const struct expression_dialect *d, const char *text,
		      struct expression *ret, struct err *e)
{
	auto_free char *name = strdup(text);
	char *value = name ? strchr(name, '=') : NULL;
	json_auto_t *values = json_array();

	if (!name) {
		(void)err_set(e, ERR_IO, ENOMEM, "expression");
		return -1;
	}
	if (!value)
		return expression_make(d, name, "Exists", NULL, NULL, ret, e);
	*value++ = '\0';
	(void)json_array_append_new(values, json_string(value));
	return expression_make(d, name, "In", NULL, values, ret, e);
}

static int append(const struct expression_dialect *d, struct expression *x, struct expressions *to,
		  struct err *e)
{
	for (size_t i = 0; d->last_of_name && i < to->n; i++)
		if (strcmp(to->list[i].name, x->name) == 0) {
			expression_done(&to->list[i]);
			to->list[i] = *x;
			return 0;
		}
	return expressions_append(to, x, e);
}

static int read_list(const json_t *list, const struct expression_dialect *d,
		     struct expressions *to, struct err *e)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v) {
		struct expression x = { 0 };

		if (!json_is_string(v))
			return err_set(e, ERR_NETCONF, 0,
				       "expression %zu: expected \"ATTRIBUTE\" or "
				       "\"ATTRIBUTE=VALUE\", got %s",
				       i + 1, jx_type_name(v));
		if (read_short(d, json_string_value(v), &x, e) < 0 || append(d, &x, to, e) < 0)
			return err_wrap(e, "expression %zu", i + 1);
	}
	return 0;
}

int expressions_from_json(json_t *doc, const struct expression_dialect *d, struct expressions *to,
			  struct err *e)
{
	const char *name;
	json_t *v;

	if (json_is_array(doc) && d->may_be_short)
		return read_list(doc, d, to, e);
	if (!json_is_object(doc))
		return err_set(e, ERR_NETCONF, 0, "expected an object of expressions, got %s",
			       jx_type_name(doc));
	json_object_foreach(doc, name, v) {
		struct expression x = { 0 };

		if (expression_from_json(name, v, d, &x, e) < 0 ||
		    expressions_append(to, &x, e) < 0)
			return err_wrap(e, "%.64s", name);
	}
	return 0;
}
