/* SPDX-License-Identifier: Apache-2.0 */
/* function.c - the functions of templates */
#include "manager/template/part.h"

#include "base/jx.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

/* -- len, index -- */

static json_t *call_len(struct template_run *r, json_t *const *args, size_t n)
{
	(void)n;
	if (json_is_string(*args))
		return json_integer((json_int_t)json_string_length(*args));
	if (json_is_array(*args))
		return json_integer((json_int_t)json_array_size(*args));
	if (json_is_object(*args))
		return json_integer((json_int_t)json_object_size(*args));
	return template_fail(r, "len of %s: expected a text, a list or a map",
			     jx_type_name(*args));
}

/* What others in it are like; NULL: there are none. */
static const json_t *member_of(const json_t *of)
{
	if (json_is_array(of))
		return json_array_get(of, 0);
	return json_object_iter_value(json_object_iter((json_t *)(uintptr_t)of));
}

/* What Go has for a key that is not there: nothing, of the type that others have. */
static json_t *no_value(const json_t *other)
{
	if (json_is_array(other))
		return json_array();
	return json_is_object(other) ? json_object() : json_string("");
}

static json_t *index_number(struct template_run *r, json_t *of, const json_t *at)
{
	json_int_t size = json_is_array(of) ? (json_int_t)json_array_size(of) :
					      (json_int_t)json_string_length(of);
	json_int_t i = json_integer_value(at);

	if (!json_is_integer(at))
		return template_fail(r, "index of %s: expected an integer, got %s",
				     jx_type_name(of), jx_type_name(at));
	if (i < 0 || i >= size)
		return template_fail(r, "index %" JSON_INTEGER_FORMAT ": there are %"
				     JSON_INTEGER_FORMAT, i, size);
	if (json_is_array(of))
		return json_incref(json_array_get(of, (size_t)i));
	return json_integer((unsigned char)json_string_value(of)[i]);
}

/* `other`: what its members are like. */
static json_t *index_one(struct template_run *r, json_t *of, const json_t *other,
			 const json_t *at)
{
	json_t *v;

	if (json_is_array(of) || json_is_string(of))
		return index_number(r, of, at);
	if (!json_is_object(of))
		return template_fail(r, "index of %s: expected a list or a map",
				     jx_type_name(of));
	if (!json_is_string(at))
		return template_fail(r, "index of a map: expected a text, got %s",
				     jx_type_name(at));
	v = json_object_get(of, json_string_value(at));
	return v ? json_incref(v) : no_value(other);
}

static json_t *call_index(struct template_run *r, json_t *const *args, size_t n)
{
	const json_t *like = member_of(*args);
	json_t *v;

	if (json_is_null(*args))
		return template_fail(r, "index of nil");
	v = json_incref(*args);
	for (size_t i = 1; v && i < n; i++, like = member_of(like)) {
		json_t *one = index_one(r, v, like, args[i]);

		json_decref(v);
		v = one;
	}
	return v;
}

/* -- comparisons -- */

static bool is_basic(const json_t *v)
{
	return json_is_boolean(v) || json_is_number(v) || json_is_string(v);
}

static bool same_kind(const json_t *a, const json_t *b)
{
	return json_typeof(a) == json_typeof(b) || (json_is_boolean(a) && json_is_boolean(b));
}

/* -1, 0, 1 of two that are basic and of one kind. */
static int compare(const json_t *a, const json_t *b)
{
	if (json_is_string(a))
		return strcmp(json_string_value(a), json_string_value(b));
	if (json_is_integer(a))
		return (json_integer_value(a) > json_integer_value(b)) -
		       (json_integer_value(a) < json_integer_value(b));
	if (json_is_real(a))
		return (json_real_value(a) > json_real_value(b)) -
		       (json_real_value(a) < json_real_value(b));
	return json_is_true(a) - json_is_true(b);
}

/* 1, 0, -1: it failed */
static int is_equal(struct template_run *r, const json_t *a, const json_t *b)
{
	if (json_is_null(a) || json_is_null(b))
		return json_is_null(a) && json_is_null(b);
	if (is_basic(a) && same_kind(a, b))
		return template_steps(r, json_string_length(a) / 16) ? compare(a, b) == 0 : -1;
	if (!is_basic(a) && same_kind(a, b))
		(void)template_fail(r, "lists and maps cannot be compared");
	else
		(void)template_fail(r, "%s cannot be compared with %s", jx_type_name(a),
				    jx_type_name(b));
	return -1;
}

static json_t *bool_of(int result)
{
	return result < 0 ? NULL : json_boolean(result);
}

/* The first with any of the others. */
static json_t *call_eq(struct template_run *r, json_t *const *args, size_t n)
{
	int equal = 0;

	for (size_t i = 1; i < n && equal == 0; i++)
		equal = is_equal(r, args[0], args[i]);
	return bool_of(equal);
}

static json_t *call_ne(struct template_run *r, json_t *const *args, size_t n)
{
	int equal = is_equal(r, args[0], args[1]);

	(void)n;
	return bool_of(equal < 0 ? -1 : !equal);
}

/* The order of both: 0, or -1: they have none. */
static int order_of(struct template_run *r, json_t *const *args, int *ret)
{
	if (!is_basic(args[0]) || json_is_boolean(args[0]) || !same_kind(args[0], args[1])) {
		(void)template_fail(r, "%s and %s have no order", jx_type_name(args[0]),
				    jx_type_name(args[1]));
		return -1;
	}
	*ret = compare(args[0], args[1]);
	return template_steps(r, json_string_length(args[0]) / 16) ? 0 : -1;
}

static json_t *call_lt(struct template_run *r, json_t *const *args, size_t n)
{
	int order;

	(void)n;
	return bool_of(order_of(r, args, &order) < 0 ? -1 : order < 0);
}

static json_t *call_le(struct template_run *r, json_t *const *args, size_t n)
{
	int order;

	(void)n;
	return bool_of(order_of(r, args, &order) < 0 ? -1 : order <= 0);
}

static json_t *call_gt(struct template_run *r, json_t *const *args, size_t n)
{
	int order;

	(void)n;
	return bool_of(order_of(r, args, &order) < 0 ? -1 : order > 0);
}

static json_t *call_ge(struct template_run *r, json_t *const *args, size_t n)
{
	int order;

	(void)n;
	return bool_of(order_of(r, args, &order) < 0 ? -1 : order >= 0);
}

static json_t *call_not(struct template_run *r, json_t *const *args, size_t n)
{
	(void)r, (void)n;
	return json_boolean(!template_truth(args[0]));
}

/* -- texts -- */

/* Of print there is a blank only between two of which neither is a text. */
static json_t *print_all(struct template_run *r, json_t *const *args, size_t n, bool is_line)
{
	auto_template_text struct template_text text = { 0 };
	bool done = true;

	for (size_t i = 0; done && i < n; i++) {
		bool apart = i > 0 && (is_line || (!json_is_string(args[i]) &&
						   !json_is_string(args[i - 1])));

		done = (!apart || template_put(r, &text, " ", 1)) &&
		       template_print(r, &text, args[i]);
	}
	done = done && (!is_line || template_put(r, &text, "\n", 1));
	return done ? template_text_value(r, &text) : NULL;
}

static json_t *call_print(struct template_run *r, json_t *const *args, size_t n)
{
	return print_all(r, args, n, false);
}

static json_t *call_println(struct template_run *r, json_t *const *args, size_t n)
{
	return print_all(r, args, n, true);
}

static const struct template_function functions[] = {
	{ "and", 1, UINT_MAX, NULL },
	{ "eq", 2, UINT_MAX, call_eq },
	{ "ge", 2, 2, call_ge },
	{ "gt", 2, 2, call_gt },
	{ "index", 1, UINT_MAX, call_index },
	{ "le", 2, 2, call_le },
	{ "len", 1, 1, call_len },
	{ "lt", 2, 2, call_lt },
	{ "ne", 2, 2, call_ne },
	{ "not", 1, 1, call_not },
	{ "or", 1, UINT_MAX, NULL },
	{ "print", 0, UINT_MAX, call_print },
	{ "printf", 1, UINT_MAX, template_printf },
	{ "println", 0, UINT_MAX, call_println },
};

const struct template_function *template_function_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (strlen(functions[i].name) == len && memcmp(functions[i].name, name, len) == 0)
			return &functions[i];
	return NULL;
}

bool template_function_is_lazy(const struct template_function *f)
{
	return !f->call;
}
