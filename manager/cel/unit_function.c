/* SPDX-License-Identifier: Apache-2.0 */
/* unit_function.c - functions of quantities and of versions */
#include "manager/cel/function.h"

#include <string.h>

/* -- quantities -- */

static struct cel_value quantity_of_string(struct cel_run *r, const struct cel_value *v)
{
	struct quantity q;

	if (quantity_parse(v->text, &q, &r->e) < 0)
		return cel_fault_e(r);
	return cel_quantity_value(r, &q);
}

static struct cel_value is_quantity(struct cel_run *r, const struct cel_value *v)
{
	struct quantity q;

	return cel_bool(quantity_parse(v->text, &q, &r->e) == 0);
}

static struct cel_value quantity_sign(struct cel_run *r, const struct cel_value *v)
{
	const struct quantity none = { 0 };

	(void)r;
	return cel_int(quantity_compare(v->quantity, &none));
}

static struct cel_value quantity_greater(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_bool(quantity_compare(v[0].quantity, v[1].quantity) > 0);
}

static struct cel_value quantity_less(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_bool(quantity_compare(v[0].quantity, v[1].quantity) < 0);
}

static struct cel_value quantity_compare_to(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_int(quantity_compare(v[0].quantity, v[1].quantity));
}

static struct cel_value quantity_as_integer(struct cel_run *r, const struct cel_value *v)
{
	int64_t i;

	if (!quantity_integer(v->quantity, &i))
		return cel_fault(r, "the quantity is no integer of 64 bits", NULL);
	return cel_int(i);
}

static struct cel_value quantity_is_integer(struct cel_run *r, const struct cel_value *v)
{
	int64_t i;

	(void)r;
	return cel_bool(quantity_integer(v->quantity, &i));
}

static struct cel_value quantity_as_double(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_double(quantity_double(v->quantity));
}

/* The second operand is an int, or a quantity. */
static struct quantity second(const struct cel_value *v)
{
	struct quantity q;

	if (v[1].type == CEL_QUANTITY)
		return *v[1].quantity;
	quantity_set(v[1].integer, &q);
	return q;
}

static struct cel_value quantity_sum(struct cel_run *r, const struct cel_value *v)
{
	struct quantity by = second(v), sum;

	if (quantity_add(v[0].quantity, &by, &sum, &r->e) < 0)
		return cel_fault_e(r);
	return cel_quantity_value(r, &sum);
}

static struct cel_value quantity_difference(struct cel_run *r, const struct cel_value *v)
{
	struct quantity by = second(v), difference;

	if (quantity_sub(v[0].quantity, &by, &difference, &r->e) < 0)
		return cel_fault_e(r);
	return cel_quantity_value(r, &difference);
}

/* -- versions -- */

static struct cel_value semver_of_string(struct cel_run *r, const struct cel_value *v)
{
	struct semver version;

	if (semver_parse(v->text, &version, &r->e) < 0)
		return cel_fault_e(r);
	return cel_version_value(r, &version);
}

/* semver(text, true) */
static struct cel_value semver_normalized(struct cel_run *r, const struct cel_value *v)
{
	char text[SEMVER_MAX];
	struct cel_value copy;

	if (!v[1].truth)
		return semver_of_string(r, v);
	if (semver_normalize(v->text, text, &r->e) < 0)
		return cel_fault_e(r);
	copy = cel_copy(r, text, strlen(text));
	return copy.type == CEL_ERROR ? copy : semver_of_string(r, &copy);
}

static struct cel_value is_semver(struct cel_run *r, const struct cel_value *v)
{
	struct semver version;

	return cel_bool(semver_parse(v->text, &version, &r->e) == 0);
}

static struct cel_value is_semver_normalized(struct cel_run *r, const struct cel_value *v)
{
	char text[SEMVER_MAX];
	struct semver version;

	if (!v[1].truth)
		return is_semver(r, v);
	return cel_bool(semver_normalize(v->text, text, &r->e) == 0 &&
			semver_parse(text, &version, &r->e) == 0);
}

static struct cel_value part(struct cel_run *r, const struct cel_value *v, size_t i)
{
	if (v->version->part[i] > INT64_MAX)
		return cel_fault(r, "a number of the version does not fit into an int", NULL);
	return cel_int((int64_t)v->version->part[i]);
}

static struct cel_value semver_major(struct cel_run *r, const struct cel_value *v)
{
	return part(r, v, 0);
}

static struct cel_value semver_minor(struct cel_run *r, const struct cel_value *v)
{
	return part(r, v, 1);
}

static struct cel_value semver_patch(struct cel_run *r, const struct cel_value *v)
{
	return part(r, v, 2);
}

static struct cel_value semver_greater(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_bool(semver_compare(v[0].version, v[1].version) > 0);
}

static struct cel_value semver_less(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_bool(semver_compare(v[0].version, v[1].version) < 0);
}

static struct cel_value semver_compare_to(struct cel_run *r, const struct cel_value *v)
{
	(void)r;
	return cel_int(semver_compare(v[0].version, v[1].version));
}

const struct cel_function cel_unit_functions[] = {
	{ "quantity", CEL_FUNCTION, "s", "q", quantity_of_string, true },
	{ "isQuantity", CEL_FUNCTION, "s", "b", is_quantity, false },
	{ "sign", CEL_FUNCTION, "q", "i", quantity_sign, false },
	{ "isGreaterThan", CEL_METHOD, "qq", "b", quantity_greater, false },
	{ "isLessThan", CEL_METHOD, "qq", "b", quantity_less, false },
	{ "compareTo", CEL_METHOD, "qq", "i", quantity_compare_to, false },
	{ "asInteger", CEL_METHOD, "q", "i", quantity_as_integer, false },
	{ "isInteger", CEL_METHOD, "q", "b", quantity_is_integer, false },
	{ "asApproximateFloat", CEL_METHOD, "q", "d", quantity_as_double, false },
	{ "add", CEL_METHOD, "qq", "q", quantity_sum, false },
	{ "add", CEL_METHOD, "qi", "q", quantity_sum, false },
	{ "sub", CEL_METHOD, "qq", "q", quantity_difference, false },
	{ "sub", CEL_METHOD, "qi", "q", quantity_difference, false },

	{ "semver", CEL_FUNCTION, "s", "v", semver_of_string, true },
	{ "semver", CEL_FUNCTION, "sb", "v", semver_normalized, true },
	{ "isSemver", CEL_FUNCTION, "s", "b", is_semver, false },
	{ "isSemver", CEL_FUNCTION, "sb", "b", is_semver_normalized, false },
	{ "major", CEL_METHOD, "v", "i", semver_major, false },
	{ "minor", CEL_METHOD, "v", "i", semver_minor, false },
	{ "patch", CEL_METHOD, "v", "i", semver_patch, false },
	{ "isGreaterThan", CEL_METHOD, "vv", "b", semver_greater, false },
	{ "isLessThan", CEL_METHOD, "vv", "b", semver_less, false },
	{ "compareTo", CEL_METHOD, "vv", "i", semver_compare_to, false },
	{ NULL, CEL_OPERATOR, NULL, NULL, NULL, false },
};
