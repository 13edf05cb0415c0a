/* SPDX-License-Identifier: Apache-2.0 */
/* device_limits.c - what one device of a ResourceSlice may be */
#include "manager/dra/device_limits.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/manifest/manifest_time.h"
#include "manager/dra/field.h"
#include "manager/dra/limits.h"
#include "manager/dra/name.h"

#include <string.h>

static int need_object(const json_t *v, struct err *e)
{
	return json_is_object(v) ? 0 : err_set(e, ERR_NETCONF, 0, "expected an object, got %s",
					       jx_type_name(v));
}

/* -- attributes -- */

static int check_int(const json_t *v, struct err *e)
{
	return json_is_integer(v) ? 0 : err_set(e, ERR_NETCONF, 0, "expected an integer, got %s",
						jx_type_name(v));
}

static int check_bool(const json_t *v, struct err *e)
{
	return json_is_boolean(v) ? 0 : err_set(e, ERR_NETCONF, 0, "expected a boolean, got %s",
						jx_type_name(v));
}

static int check_string(const json_t *v, struct err *e)
{
	if (!json_is_string(v))
		return err_set(e, ERR_NETCONF, 0, "expected a string, got %s", jx_type_name(v));
	if (json_string_length(v) > DRA_VALUE_MAX)
		return err_set(e, ERR_NETCONF, 0, "%zu bytes, at most %d are allowed",
			       json_string_length(v), DRA_VALUE_MAX);
	return 0;
}

static int check_version(const json_t *v, struct err *e)
{
	if (check_string(v, e) < 0)
		return -1;
	return dra_name_is_version(json_string_value(v)) ? 0 :
		       err_set(e, ERR_NETCONF, 0, "'%.64s' is no semantic version, as 1.2.3",
			       json_string_value(v));
}

static const struct attribute_type {
	const char *key, *list;
	int (*check)(const json_t *v, struct err *e);
} types[] = {
	{ "int", "ints", check_int },
	{ "bool", "bools", check_bool },
	{ "string", "strings", check_string },
	{ "version", "versions", check_version },
};

/* The member unless it is absent or null, which is the same to the API server. */
static const json_t *member(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_null(v) ? NULL : v;
}

bool dra_attribute_is_list(const json_t *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (member(value, types[i].list))
			return true;
	return false;
}

/* How many values: one, or those of a list. */
static size_t count_values(const json_t *value)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		n += member(value, types[i].key) != NULL;
		n += json_array_size(json_object_get(value, types[i].list));
	}
	return n;
}

/* A value of this type, or a list of them; how many of the two are there is added to *n. */
static int check_type(const json_t *value, const struct attribute_type *t, int *n, struct err *e)
{
	const json_t *one = member(value, t->key), *list = member(value, t->list);

	*n += one != NULL;
	*n += list != NULL;
	if (one && t->check(one, e) < 0)
		return err_wrap(e, "%s", t->key);
	if (json_is_array(list) && json_array_size(list) == 0)
		return err_set(e, ERR_NETCONF, 0, "%s: a list has a value at least", t->list);
	return dra_field_each(value, t->list, DRA_VALUES_MAX, t->check, e);
}

int dra_attribute_check(const json_t *value, struct err *e)
{
	int n = 0;

	if (need_object(value, e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (check_type(value, &types[i], &n, e) < 0)
			return -1;
	return n == 1 ? 0 : err_set(e, ERR_NETCONF, 0, "exactly one of int, bool, string and "
				    "version has to be there, and there are %d", n);
}

/* -- counters -- */

int dra_counters_check(const json_t *o, struct err *e)
{
	if (json_object_size(json_object_get(o, "counters")) == 0)
		return err_set(e, ERR_NETCONF, 0, "counters are missing");
	return dra_field_map(o, "counters", DRA_COUNTERS_MAX, name_is_dns_label, DRA_MUST_LABEL,
			     dra_capacity_check, e);
}

static int check_consumed(const json_t *v, struct err *e)
{
	if (dra_field_name(v, "counterSet", name_is_dns_label, DRA_MUST_LABEL, e) < 0)
		return -1;
	return dra_counters_check(v, e);
}

/* -- taints -- */

static bool is_effect(const char *s)
{
	return strcmp(s, "None") == 0 || strcmp(s, "NoSchedule") == 0 ||
	       strcmp(s, "NoExecute") == 0;
}

static bool is_time(const char *s)
{
	int64_t ignored;

	return manifest_time(s, &ignored);
}

int dra_taint_check(const json_t *taint, struct err *e)
{
	if (need_object(taint, e) < 0 ||
	    dra_field_name(taint, "key", dra_name_is_key, DRA_MUST_KEY, e) < 0 ||
	    dra_field_may_name(taint, "value", dra_name_is_value, "the value of a label", e) < 0 ||
	    dra_field_may_name(taint, "timeAdded", is_time, "a time as 2026-01-31T12:00:00Z",
			       e) < 0)
		return -1;
	return dra_field_name(taint, "effect", is_effect, "None, NoSchedule or NoExecute", e);
}

/* -- all of it -- */

static int check_count(const json_t *device, struct err *e)
{
	json_t *attributes = json_object_get(device, "attributes"), *v;
	size_t n = json_object_size(attributes) +
		   json_object_size(json_object_get(device, "capacity"));
	size_t values = 0;
	const char *name;

	if (n > DRA_ATTRIBUTES_MAX)
		return err_set(e, ERR_NETCONF, 0, "%zu attributes and capacities, at most %d are "
			       "allowed", n, DRA_ATTRIBUTES_MAX);
	json_object_foreach(attributes, name, v)
		values += count_values(v);
	if (values > DRA_VALUES_MAX)
		return err_set(e, ERR_NETCONF, 0, "%zu values of attributes, at most %d are "
			       "allowed", values, DRA_VALUES_MAX);
	return 0;
}

static int check_condition(const json_t *v, struct err *e)
{
	return json_is_string(v) && dra_name_is_key(json_string_value(v)) ? 0 :
		       err_set(e, ERR_NETCONF, 0, "expected " DRA_MUST_KEY);
}

/* None of a list has been seen in it, or in the one before. */
static int check_once(const json_t *device, const char *key, json_t *seen, struct err *e)
{
	const json_t *v;
	size_t i;

	json_array_foreach(json_object_get(device, key), i, v) {
		if (json_object_get(seen, json_string_value(v)))
			return err_set(e, ERR_NETCONF, 0, "%s[%zu]: a second '%.64s'", key, i,
				       json_string_value(v));
		(void)json_object_set_new(seen, json_string_value(v), json_true());
	}
	return 0;
}

static int check_conditions(const json_t *device, struct err *e)
{
	static const char *const keys[] = { "bindingConditions", "bindingFailureConditions" };
	json_auto_t *seen = json_object();
	bool has[ARRAY_SIZE(keys)];

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		has[i] = json_array_size(json_object_get(device, keys[i])) > 0;
		if (dra_field_each(device, keys[i], DRA_CONDITIONS_MAX, check_condition, e) < 0 ||
		    check_once(device, keys[i], seen, e) < 0)
			return -1;
	}
	return has[0] == has[1] ? 0 : err_set(e, ERR_NETCONF, 0, "%s and %s have to be there both, "
					      "or neither", keys[0], keys[1]);
}

static int check_parts(const json_t *device, struct err *e)
{
	bool multiple = false;

	if (check_count(device, e) < 0 ||
	    dra_field_map(device, "attributes", DRA_ATTRIBUTES_MAX, dra_name_is_attribute,
			  DRA_MUST_ATTRIBUTE, dra_attribute_check, e) < 0 ||
	    jx_bool(device, "", "allowMultipleAllocations", &multiple, e) < 0 ||
	    dra_field_map(device, "capacity", DRA_ATTRIBUTES_MAX, dra_name_is_attribute,
			  DRA_MUST_ATTRIBUTE, multiple ? dra_shared_capacity_check :
			  dra_own_capacity_check, e) < 0 ||
	    dra_field_each(device, "taints", DRA_TAINTS_MAX, dra_taint_check, e) < 0 ||
	    dra_field_each(device, "consumesCounters", DRA_CONSUMES_MAX, check_consumed, e) < 0 ||
	    dra_field_unique(device, "consumesCounters", "counterSet", e) < 0)
		return -1;
	return check_conditions(device, e);
}

static int check_device(const json_t *device, int nodes, struct err *e)
{
	int n = 0;

	if (need_object(device, e) < 0 ||
	    dra_field_name(device, "name", name_is_dns_label, DRA_MUST_LABEL, e) < 0 ||
	    check_parts(device, e) < 0 || dra_nodes_check(device, &n, e) < 0)
		return -1;
	if (n == nodes)
		return 0;
	return err_set(e, ERR_NETCONF, 0, nodes > 0 ?
		       "perDeviceNodeSelection wants exactly one of nodeName, nodeSelector and "
		       "allNodes, and there are %d" :
		       "%d of nodeName, nodeSelector and allNodes without the slice's "
		       "perDeviceNodeSelection", n);
}

int dra_device_check(const json_t *device, struct err *e)
{
	return check_device(device, 0, e);
}

int dra_device_with_nodes_check(const json_t *device, struct err *e)
{
	return check_device(device, 1, e);
}
