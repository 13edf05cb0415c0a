/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capacity_limits.c - what a capacity may be: a quantity, and how parts of it are asked for
 *
 * As validateRequestPolicy() of Kubernetes 1.36 has it, which counts steps in whole numbers: what
 * has a fraction is rounded up before.
 */
#include "manager/dra/device_limits.h"

#include "base/jx.h"
#include "manager/dra/field.h"
#include "manager/dra/limits.h"

#include <stddef.h>

/* 0, where nothing is said. */
static int read_value(const json_t *o, const char *key, struct quantity *ret, struct err *e)
{
	const json_t *v = json_object_get(o, key);

	quantity_set(0, ret);
	return !v || dra_field_quantity(v, ret, e) == 0 ? 0 : err_wrap(e, "%s", key);
}

int dra_capacity_check(const json_t *value, struct err *e)
{
	struct quantity ignored;

	if (!json_is_object(value))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s",
			       jx_type_name(value));
	return read_value(value, "value", &ignored, e);
}

/* -- how it is shared -- */

/* One quantity of a policy; has: it is there. */
struct bound {
	struct quantity q;
	bool has;
	const char *key;
};

static int read_bound(const json_t *o, const char *key, struct bound *ret, struct err *e)
{
	const json_t *v = json_object_get(o, key);

	*ret = (struct bound){ .has = v && !json_is_null(v), .key = key };
	return read_value(o, key, &ret->q, e);
}

static int tell(struct err *e, const struct bound *b, const char *how, const char *other,
		const struct quantity *q)
{
	char have[QUANTITY_TEXT], limit[QUANTITY_TEXT];

	quantity_write(&b->q, have);
	quantity_write(q, limit);
	return err_set(e, ERR_NETCONF, 0, "%s: %s is %s %s, which is %s", b->key, have, how, other,
		       limit);
}

static int at_most(const struct bound *b, const char *other, const struct quantity *q,
		   struct err *e)
{
	return !b->has || quantity_compare(&b->q, q) <= 0 ? 0 : tell(e, b, "more than", other, q);
}

static int at_least(const struct bound *b, const char *other, const struct quantity *q,
		    struct err *e)
{
	return !b->has || quantity_compare(&b->q, q) >= 0 ? 0 : tell(e, b, "less than", other, q);
}

/* -- steps -- */

static int is_step(const struct bound *b, const struct bound *min, const struct bound *step,
		   struct err *e)
{
	quantity_int above = quantity_whole(&b->q) - quantity_whole(&min->q);

	return !b->has || above % quantity_whole(&step->q) == 0 ? 0 :
	       tell(e, b, "no whole number of steps from min; see", "step", &step->q);
}

static int check_step(const struct bound *step, const struct bound *min, const struct bound *max,
		      const struct bound *usual, const struct quantity *capacity, struct err *e)
{
	struct bound first = { .has = true, .key = "min and one step" };
	struct quantity zero = { 0 };

	if (!step->has)
		return 0;
	if (quantity_compare(&step->q, &zero) <= 0)
		return err_set(e, ERR_NETCONF, 0, "step: expected more than 0");
	if (quantity_add(&min->q, &step->q, &first.q, e) < 0 ||
	    at_most(&first, "value", capacity, e) < 0 || is_step(usual, min, step, e) < 0)
		return -1;
	return is_step(max, min, step, e);
}

static int check_range(const json_t *range, const struct bound *usual,
		       const struct quantity *capacity, struct err *e)
{
	struct bound min, max, step;

	if (read_bound(range, "min", &min, e) < 0 || read_bound(range, "max", &max, e) < 0 ||
	    read_bound(range, "step", &step, e) < 0)
		return -1;
	if (!min.has)
		return err_set(e, ERR_NETCONF, 0, "min is missing");
	if (at_most(&min, "value", capacity, e) < 0 || at_least(usual, "min", &min.q, e) < 0 ||
	    at_least(&max, "min", &min.q, e) < 0 || at_most(&max, "value", capacity, e) < 0 ||
	    (max.has && at_most(usual, "max", &max.q, e) < 0))
		return -1;
	return check_step(&step, &min, &max, usual, capacity, e);
}

/* -- a list -- */

/* They are compared in whole numbers, too. */
static int check_before(const struct quantity *list, size_t i, struct err *e)
{
	if (i > 0 && quantity_compare(&list[i - 1], &list[i]) > 0)
		return err_set(e, ERR_NETCONF, 0, "validValues[%zu]: expected ascending order", i);
	for (size_t k = 0; k < i; k++)
		if (quantity_whole(&list[k]) == quantity_whole(&list[i]))
			return err_set(e, ERR_NETCONF, 0, "validValues[%zu]: in whole numbers the "
				       "same as validValues[%zu]", i, k);
	return 0;
}

static int check_values(const json_t *values, const struct bound *usual,
			const struct quantity *capacity, struct err *e)
{
	struct quantity list[DRA_OPTIONS_MAX];
	bool is_usual = false;
	const json_t *v;
	size_t i;

	if (json_array_size(values) > DRA_OPTIONS_MAX)
		return err_set(e, ERR_NETCONF, 0, "validValues: %zu of them, at most %d are "
			       "allowed", json_array_size(values), DRA_OPTIONS_MAX);
	json_array_foreach(values, i, v) {
		if (dra_field_quantity(v, &list[i], e) < 0)
			return err_wrap(e, "validValues[%zu]", i);
		if (check_before(list, i, e) < 0)
			return -1;
		if (quantity_compare(&list[i], capacity) > 0)
			return err_set(e, ERR_NETCONF, 0, "validValues[%zu]: more than value", i);
		is_usual |= quantity_compare(&list[i], &usual->q) == 0;
	}
	return is_usual ? 0 : err_set(e, ERR_NETCONF, 0, "default: expected one of validValues");
}

/* Without a list or range the default may be anything. */
static int check_policy(const json_t *policy, const struct quantity *capacity, struct err *e)
{
	json_t *values = NULL, *range = NULL;
	struct bound usual;

	if (jx_array(policy, "", "validValues", &values, e) < 0 ||
	    jx_object(policy, "", "validRange", &range, e) < 0 ||
	    read_bound(policy, "default", &usual, e) < 0)
		return -1;
	if (json_array_size(values) > 0 && range)
		return err_set(e, ERR_NETCONF, 0, "either validValues or validRange, not both");
	if (json_array_size(values) == 0 && !range)
		return 0;
	if (!usual.has)
		return err_set(e, ERR_NETCONF, 0, "default is missing");
	if (!range)
		return check_values(values, &usual, capacity, e);
	return check_range(range, &usual, capacity, e) < 0 ? err_wrap(e, "validRange") : 0;
}

int dra_shared_capacity_check(const json_t *value, struct err *e)
{
	struct quantity capacity;
	json_t *policy = NULL;

	if (dra_capacity_check(value, e) < 0 || read_value(value, "value", &capacity, e) < 0 ||
	    jx_object(value, "", "requestPolicy", &policy, e) < 0)
		return -1;
	return policy && check_policy(policy, &capacity, e) < 0 ? err_wrap(e, "requestPolicy") : 0;
}

int dra_own_capacity_check(const json_t *value, struct err *e)
{
	const json_t *policy = json_object_get(value, "requestPolicy");

	if (policy && !json_is_null(policy))
		return err_set(e, ERR_NETCONF, 0,
			       "requestPolicy: only with allowMultipleAllocations");
	return dra_capacity_check(value, e);
}
