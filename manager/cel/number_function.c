/* SPDX-License-Identifier: Apache-2.0 */
/* number_function.c - comparison, arithmetic without overflow, conversions */
#include "manager/cel/double_text.h"
#include "manager/cel/function.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char overflow[] = "the result does not fit into 64 bits";
static const char zero[] = "division by zero";

/* -- comparison -- */

/* What Kubernetes adds to CEL's types is not compared with another type, but for null. */
static bool is_compared_with_its_own(const struct cel_value *v)
{
	return v->type == CEL_QUANTITY || v->type == CEL_VERSION || v->type == CEL_IP ||
	       v->type == CEL_CIDR || v->type == CEL_URL || v->type == CEL_FORMAT;
}

static struct cel_value equal(struct cel_run *r, const struct cel_value *v)
{
	if (v[0].type == CEL_OPTIONAL && v[1].type == CEL_OPTIONAL && v[0].held && v[1].held) {
		const struct cel_value held[] = { *v[0].held, *v[1].held };

		return equal(r, held);
	}
	if (is_compared_with_its_own(v) && v[1].type != v[0].type && v[1].type != CEL_NULL)
		return cel_no_overload(r, v);
	return cel_bool(cel_equal(r, v[0], v[1]));
}

/* Where equal() is an error, this is true. */
static struct cel_value unequal(struct cel_run *r, const struct cel_value *v)
{
	return cel_bool(!cel_equal(r, v[0], v[1]));
}

static struct cel_value is_ordered(struct cel_run *r, int order, bool truth)
{
	return order == 2 ? cel_fault(r, "NaN has no order", NULL) : cel_bool(truth);
}

static struct cel_value less(struct cel_run *r, const struct cel_value *v)
{
	int order = cel_order(v[0], v[1]);

	return is_ordered(r, order, order < 0);
}

static struct cel_value less_equal(struct cel_run *r, const struct cel_value *v)
{
	int order = cel_order(v[0], v[1]);

	return is_ordered(r, order, order <= 0);
}

static struct cel_value greater(struct cel_run *r, const struct cel_value *v)
{
	int order = cel_order(v[0], v[1]);

	return is_ordered(r, order, order > 0);
}

static struct cel_value greater_equal(struct cel_run *r, const struct cel_value *v)
{
	int order = cel_order(v[0], v[1]);

	return is_ordered(r, order, order >= 0);
}

static struct cel_value not_bool(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_bool(!v->truth);
}

/* -- arithmetic -- */

static struct cel_value give_int(struct cel_run *r, bool is_over, int64_t i)
{
	return is_over ? cel_fault(r, overflow, NULL) : cel_int(i);
}

static struct cel_value give_uint(struct cel_run *r, bool is_over, uint64_t u)
{
	if (is_over)
		return cel_fault(r, overflow, NULL);
	return (struct cel_value){ .type = CEL_UINT, .natural = u };
}

static struct cel_value int_add(struct cel_run *r, const struct cel_value *v)
{
	int64_t i = 0;
	bool is_over = __builtin_add_overflow(v[0].integer, v[1].integer, &i);

	return give_int(r, is_over, i);
}

static struct cel_value int_subtract(struct cel_run *r, const struct cel_value *v)
{
	int64_t i = 0;
	bool is_over = __builtin_sub_overflow(v[0].integer, v[1].integer, &i);

	return give_int(r, is_over, i);
}

static struct cel_value int_multiply(struct cel_run *r, const struct cel_value *v)
{
	int64_t i = 0;
	bool is_over = __builtin_mul_overflow(v[0].integer, v[1].integer, &i);

	return give_int(r, is_over, i);
}

static bool is_least_by_minus_one(const struct cel_value *v)
{
	return v[0].integer == INT64_MIN && v[1].integer == -1;
}

static struct cel_value int_divide(struct cel_run *r, const struct cel_value *v)
{
	if (v[1].integer == 0)
		return cel_fault(r, zero, NULL);
	if (is_least_by_minus_one(v))
		return cel_fault(r, overflow, NULL);
	return cel_int(v[0].integer / v[1].integer);
}

static struct cel_value int_remainder(struct cel_run *r, const struct cel_value *v)
{
	if (v[1].integer == 0)
		return cel_fault(r, zero, NULL);
	if (is_least_by_minus_one(v))
		return cel_fault(r, overflow, NULL);
	return cel_int(v[0].integer % v[1].integer);
}

static struct cel_value int_negate(struct cel_run *r, const struct cel_value *v)
{
	int64_t i = 0;
	bool is_over = __builtin_sub_overflow((int64_t)0, v->integer, &i);

	return give_int(r, is_over, i);
}

static struct cel_value uint_add(struct cel_run *r, const struct cel_value *v)
{
	uint64_t u = 0;
	bool is_over = __builtin_add_overflow(v[0].natural, v[1].natural, &u);

	return give_uint(r, is_over, u);
}

static struct cel_value uint_subtract(struct cel_run *r, const struct cel_value *v)
{
	uint64_t u = 0;
	bool is_over = __builtin_sub_overflow(v[0].natural, v[1].natural, &u);

	return give_uint(r, is_over, u);
}

static struct cel_value uint_multiply(struct cel_run *r, const struct cel_value *v)
{
	uint64_t u = 0;
	bool is_over = __builtin_mul_overflow(v[0].natural, v[1].natural, &u);

	return give_uint(r, is_over, u);
}

static struct cel_value uint_divide(struct cel_run *r, const struct cel_value *v)
{
	if (v[1].natural == 0)
		return cel_fault(r, zero, NULL);
	return give_uint(r, false, v[0].natural / v[1].natural);
}

static struct cel_value uint_remainder(struct cel_run *r, const struct cel_value *v)
{
	if (v[1].natural == 0)
		return cel_fault(r, zero, NULL);
	return give_uint(r, false, v[0].natural % v[1].natural);
}

static struct cel_value double_add(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_double(v[0].real + v[1].real);
}

static struct cel_value double_subtract(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_double(v[0].real - v[1].real);
}

static struct cel_value double_multiply(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_double(v[0].real * v[1].real);
}

/* By zero it is infinite, or not a number; C would call that undefined. */
static struct cel_value double_divide(struct cel_run *r, const struct cel_value *v)
{
	double a = v[0].real, b = v[1].real;

	(void)r;
	if (b != 0)
		return cel_double(a / b);
	if (a == 0 || isnan(a) || isnan(b))
		return cel_double(NAN);
	return cel_double(!signbit(a) == !signbit(b) ? (double)INFINITY : (double)-INFINITY);
}

static struct cel_value double_negate(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_double(-v->real);
}

/* -- conversions -- */

static struct cel_value same(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return *v;
}

static struct cel_value int_of_uint(struct cel_run *r, const struct cel_value *v)
{
	return give_int(r, v->natural > INT64_MAX, v->integer);
}

static struct cel_value int_of_double(struct cel_run *r, const struct cel_value *v)
{
	/* also of NaN; the ends are left out, as in cel-go */
	if (!(fabs(v->real) < 0x1p63))
		return cel_fault(r, overflow, NULL);
	return cel_int((int64_t)v->real);
}

static struct cel_value int_of_string(struct cel_run *r, const struct cel_value *v)
{
	const char *s = v->text + (*v->text == '-' || *v->text == '+');
	size_t n = strspn(s, "0123456789");
	int64_t i;

	errno = 0;
	i = strtoll(v->text, NULL, 10);
	if (n == 0 || s[n] || errno)
		return cel_fault(r, "no int", v->text);
	return cel_int(i);
}

static struct cel_value uint_of_int(struct cel_run *r, const struct cel_value *v)
{
	return give_uint(r, v->integer < 0, v->natural);
}

static struct cel_value uint_of_double(struct cel_run *r, const struct cel_value *v)
{
	if (!(v->real >= 0 && v->real < 0x1p64))
		return cel_fault(r, overflow, NULL);
	return give_uint(r, false, (uint64_t)v->real);
}

static struct cel_value uint_of_string(struct cel_run *r, const struct cel_value *v)
{
	size_t n = strspn(v->text, "0123456789");
	uint64_t u;

	errno = 0;
	u = strtoull(v->text, NULL, 10);
	if (n == 0 || v->text[n] || errno)
		return cel_fault(r, "no uint", v->text);
	return give_uint(r, false, u);
}

static struct cel_value double_of_int(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_double((double)v->integer);
}

static struct cel_value double_of_uint(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_double((double)v->natural);
}

static struct cel_value double_of_string(struct cel_run *r, const struct cel_value *v)
{
	double d;

	return cel_double_read(v->text, &d) ? cel_double(d) : cel_fault(r, "no double", v->text);
}

static struct cel_value bool_of_string(struct cel_run *r, const struct cel_value *v)
{
	static const char *const words[2][6] = {
		{ "false", "False", "FALSE", "f", "F", "0" },
		{ "true", "True", "TRUE", "t", "T", "1" },
	};

	for (int truth = 0; truth < 2; truth++)
		for (size_t i = 0; i < ARRAY_SIZE(words[0]); i++)
			if (strcmp(words[truth][i], v->text) == 0)
				return cel_bool(truth);
	return cel_fault(r, "no bool", v->text);
}

static struct cel_value string_of_int(struct cel_run *r, const struct cel_value *v)
{
	char text[24];

	return cel_copy(r, text, (size_t)snprintf(text, sizeof(text), "%" PRId64, v->integer));
}

static struct cel_value string_of_uint(struct cel_run *r, const struct cel_value *v)
{
	char text[24];

	return cel_copy(r, text, (size_t)snprintf(text, sizeof(text), "%" PRIu64, v->natural));
}

static struct cel_value string_of_bool(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_string(v->truth ? "true" : "false");
}

static struct cel_value string_of_double(struct cel_run *r, const struct cel_value *v)
{
	char text[CEL_DOUBLE_TEXT];

	return cel_copy(r, text, cel_double_write(v->real, text));
}

#define COMPARISON(name, call) \
	{ name, CEL_OPERATOR, "bb", "b", call, false }, \
	{ name, CEL_OPERATOR, "NN", "b", call, false }, \
	{ name, CEL_OPERATOR, "ss", "b", call, false }, \
	{ name, CEL_OPERATOR, "yy", "b", call, false }, \
	{ name, CEL_OPERATOR, "TT", "b", call, false }, \
	{ name, CEL_OPERATOR, "rr", "b", call, false }

const struct cel_function cel_number_functions[] = {
	{ "==", CEL_OPERATOR, "AA", "b", equal, false },
	{ "!=", CEL_OPERATOR, "AA", "b", unequal, false },
	COMPARISON("<", less),
	COMPARISON("<=", less_equal),
	COMPARISON(">", greater),
	COMPARISON(">=", greater_equal),
	{ "!", CEL_OPERATOR, "b", "b", not_bool, false },

	{ "+", CEL_OPERATOR, "ii", "i", int_add, false },
	{ "-", CEL_OPERATOR, "ii", "i", int_subtract, false },
	{ "*", CEL_OPERATOR, "ii", "i", int_multiply, false },
	{ "/", CEL_OPERATOR, "ii", "i", int_divide, false },
	{ "%", CEL_OPERATOR, "ii", "i", int_remainder, false },
	{ "-", CEL_OPERATOR, "i", "i", int_negate, false },
	{ "+", CEL_OPERATOR, "uu", "u", uint_add, false },
	{ "-", CEL_OPERATOR, "uu", "u", uint_subtract, false },
	{ "*", CEL_OPERATOR, "uu", "u", uint_multiply, false },
	{ "/", CEL_OPERATOR, "uu", "u", uint_divide, false },
	{ "%", CEL_OPERATOR, "uu", "u", uint_remainder, false },
	{ "+", CEL_OPERATOR, "dd", "d", double_add, false },
	{ "-", CEL_OPERATOR, "dd", "d", double_subtract, false },
	{ "*", CEL_OPERATOR, "dd", "d", double_multiply, false },
	{ "/", CEL_OPERATOR, "dd", "d", double_divide, false },
	{ "-", CEL_OPERATOR, "d", "d", double_negate, false },

	{ "dyn", CEL_FUNCTION, "A", ".", same, false },
	{ "int", CEL_FUNCTION, "i", "i", same, false },
	{ "int", CEL_FUNCTION, "u", "i", int_of_uint, false },
	{ "int", CEL_FUNCTION, "d", "i", int_of_double, false },
	{ "int", CEL_FUNCTION, "s", "i", int_of_string, false },
	{ "uint", CEL_FUNCTION, "u", "u", same, false },
	{ "uint", CEL_FUNCTION, "i", "u", uint_of_int, false },
	{ "uint", CEL_FUNCTION, "d", "u", uint_of_double, false },
	{ "uint", CEL_FUNCTION, "s", "u", uint_of_string, false },
	{ "double", CEL_FUNCTION, "d", "d", same, false },
	{ "double", CEL_FUNCTION, "i", "d", double_of_int, false },
	{ "double", CEL_FUNCTION, "u", "d", double_of_uint, false },
	{ "double", CEL_FUNCTION, "s", "d", double_of_string, false },
	{ "bool", CEL_FUNCTION, "b", "b", same, false },
	{ "bool", CEL_FUNCTION, "s", "b", bool_of_string, false },
	{ "string", CEL_FUNCTION, "s", "s", same, false },
	{ "string", CEL_FUNCTION, "i", "s", string_of_int, false },
	{ "string", CEL_FUNCTION, "u", "s", string_of_uint, false },
	{ "string", CEL_FUNCTION, "b", "s", string_of_bool, false },
	{ "string", CEL_FUNCTION, "d", "s", string_of_double, false },
	{ NULL, CEL_OPERATOR, NULL, NULL, NULL, false },
};
