/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capacity_limits.c - what a capacity may be: a quantity, and how parts of it are asked for
 *
 * How quantities of a policy compare is not looked at: no device is shared here (D50).
 */
#include "manager/dra/device_limits.h"

#include "base/jx.h"
#include "manager/dra/field.h"
#include "manager/dra/limits.h"
#include "manager/dra/name.h"

#define MUST_QUANTITY "a quantity, as 8Gi or 500m"

/* Some write a plain number. */
static int check_quantity(const json_t *o, const char *key, struct err *e)
{
	return json_is_number(json_object_get(o, key)) ?
		       0 : dra_field_name(o, key, dra_name_is_quantity, MUST_QUANTITY, e);
}

int dra_capacity_check(const json_t *value, struct err *e)
{
	if (!json_is_object(value))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s",
			       jx_type_name(value));
	return check_quantity(value, "value", e);
}

/* -- how it is shared -- */

static int check_value(const json_t *v, struct err *e)
{
	const char *text = json_is_string(v) ? json_string_value(v) : "";

	return json_is_number(v) || dra_name_is_quantity(text) ?
		       0 : err_set(e, ERR_NETCONF, 0, "'%.64s': expected " MUST_QUANTITY, text);
}

/* The same, when it is there. */
static int check_may_quantity(const json_t *o, const char *key, struct err *e)
{
	const json_t *v = json_object_get(o, key);

	return !v || json_is_null(v) ? 0 : check_quantity(o, key, e);
}

static int check_range(const json_t *range, struct err *e)
{
	return check_quantity(range, "min", e) < 0 || check_may_quantity(range, "max", e) < 0 ||
			       check_may_quantity(range, "step", e) < 0 ?
		       err_wrap(e, "validRange") : 0;
}

static int check_policy(const json_t *policy, struct err *e)
{
	json_t *values = NULL, *range = NULL;
	size_t n;

	if (jx_array(policy, "", "validValues", &values, e) < 0 ||
	    jx_object(policy, "", "validRange", &range, e) < 0 ||
	    dra_field_each(policy, "validValues", DRA_OPTIONS_MAX, check_value, e) < 0 ||
	    check_may_quantity(policy, "default", e) < 0)
		return -1;
	n = json_array_size(values);
	if (n > 0 && range)
		return err_set(e, ERR_NETCONF, 0, "either validValues or validRange, not both");
	if ((n > 0 || range) && check_quantity(policy, "default", e) < 0)
		return -1;
	return range ? check_range(range, e) : 0;
}

int dra_shared_capacity_check(const json_t *value, struct err *e)
{
	json_t *policy = NULL;

	if (dra_capacity_check(value, e) < 0 ||
	    jx_object(value, "", "requestPolicy", &policy, e) < 0)
		return -1;
	return policy && check_policy(policy, e) < 0 ? err_wrap(e, "requestPolicy") : 0;
}

int dra_own_capacity_check(const json_t *value, struct err *e)
{
	const json_t *policy = json_object_get(value, "requestPolicy");

	if (policy && !json_is_null(policy))
		return err_set(e, ERR_NETCONF, 0,
			       "requestPolicy: only with allowMultipleAllocations");
	return dra_capacity_check(value, e);
}
