/* SPDX-License-Identifier: Apache-2.0 */
/* set_function.c - lists as sets, and the sum of a list */
#include "manager/cel/function.h"

static bool has(struct cel_run *r, const struct cel_value *list, struct cel_value what)
{
	for (uint32_t i = 0; i < list->size && cel_charge(r, 1) == 0; i++)
		if (cel_equal(r, list->elements[i], what))
			return true;
	return false;
}

static bool has_all(struct cel_run *r, const struct cel_value *list, const struct cel_value *of)
{
	for (uint32_t i = 0; i < of->size; i++)
		if (!has(r, list, of->elements[i]))
			return false;
	return true;
}

static struct cel_value contains(struct cel_run *r, const struct cel_value *v)
{
	bool is_in = has_all(r, &v[0], &v[1]);

	return r->fatal ? cel_failed(r) : cel_bool(is_in);
}

static struct cel_value equivalent(struct cel_run *r, const struct cel_value *v)
{
	bool is_same = has_all(r, &v[0], &v[1]) && has_all(r, &v[1], &v[0]);

	return r->fatal ? cel_failed(r) : cel_bool(is_same);
}

static struct cel_value intersects(struct cel_run *r, const struct cel_value *v)
{
	bool is_in = false;

	for (uint32_t i = 0; i < v[0].size && !is_in && !r->fatal; i++)
		is_in = has(r, &v[1], v[0].elements[i]);
	return r->fatal ? cel_failed(r) : cel_bool(is_in);
}

/* -- sum() -- */

static bool add(struct cel_value *sum, struct cel_value v)
{
	switch (v.type) {
	case CEL_UINT:
		return !__builtin_add_overflow(sum->natural, v.natural, &sum->natural);
	case CEL_DOUBLE:
		sum->real += v.real;
		return true;
	default:
		return !__builtin_add_overflow(sum->integer, v.integer, &sum->integer);
	}
}

static struct cel_value sum(struct cel_run *r, const struct cel_value *v, enum cel_type type)
{
	struct cel_value ret = { .type = type };

	if (type == CEL_DOUBLE)
		ret.real = 0;
	for (uint32_t i = 0; i < v->size && cel_charge(r, 1) == 0; i++) {
		if (v->elements[i].type != type)
			return cel_fault(r, "sum() is for values of one type, not also for",
					 cel_type_name(v->elements[i].type));
		if (!add(&ret, v->elements[i]))
			return cel_fault(r, "the sum does not fit into 64 bits", NULL);
	}
	return r->fatal ? cel_failed(r) : ret;
}

static struct cel_value sum_of_ints(struct cel_run *r, const struct cel_value *v)
{
	return sum(r, v, CEL_INT);
}

static struct cel_value sum_of_uints(struct cel_run *r, const struct cel_value *v)
{
	return sum(r, v, CEL_UINT);
}

static struct cel_value sum_of_doubles(struct cel_run *r, const struct cel_value *v)
{
	return sum(r, v, CEL_DOUBLE);
}

static struct cel_value sum_of_durations(struct cel_run *r, const struct cel_value *v)
{
	return sum(r, v, CEL_DURATION);
}

const struct cel_function cel_set_functions[] = {
	{ "sets.contains", CEL_FUNCTION, "lAlA", "b", contains, false },
	{ "sets.equivalent", CEL_FUNCTION, "lAlA", "b", equivalent, false },
	{ "sets.intersects", CEL_FUNCTION, "lAlA", "b", intersects, false },
	{ "sum", CEL_METHOD, "li", "i", sum_of_ints, false },
	{ "sum", CEL_METHOD, "lu", "u", sum_of_uints, false },
	{ "sum", CEL_METHOD, "ld", "d", sum_of_doubles, false },
	{ "sum", CEL_METHOD, "lr", "r", sum_of_durations, false },
	{ NULL, CEL_OPERATOR, NULL, NULL, NULL, false },
};
