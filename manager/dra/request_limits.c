/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_limits.c - what a ResourceClaim may ask for, and what a DeviceTaintRule may say
 *
 * As the API server of 1.36 has it, which does not look at the names and values of capacities that
 * are asked for, and of a constraint with both attributes looks at the first alone.
 */
#include "manager/dra/limits.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "manager/dra/field.h"
#include "manager/dra/name.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MUST_DOMAIN "a DNS name of at most 253 bytes"

static int need_object(const json_t *v, struct err *e)
{
	return json_is_object(v) ? 0 : err_set(e, ERR_NETCONF, 0, "expected an object, got %s",
					       jx_type_name(v));
}

static bool is_set(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return v && !json_is_null(v);
}

/* -- tolerations -- */

static bool is_operator(const char *s)
{
	return !*s || strcmp(s, "Exists") == 0 || strcmp(s, "Equal") == 0;
}

static bool is_effect(const char *s)
{
	return !*s || strcmp(s, "NoSchedule") == 0 || strcmp(s, "NoExecute") == 0 ||
	       strcmp(s, "None") == 0;
}

static bool is_key_or_empty(const char *s)
{
	return !*s || dra_name_is_key(s);
}

/* An operator that is not said is Equal. */
static int check_toleration(const json_t *v, struct err *e)
{
	const char *op = "", *value = "";

	if (need_object(v, e) < 0 ||
	    dra_field_may_name(v, "key", is_key_or_empty, DRA_MUST_KEY, e) < 0 ||
	    dra_field_may_name(v, "operator", is_operator, "Exists or Equal", e) < 0 ||
	    dra_field_may_name(v, "effect", is_effect, "NoSchedule, NoExecute or None", e) < 0 ||
	    dra_field_may_name(v, "value", dra_name_is_value, "the value of a label", e) < 0 ||
	    jx_string(v, "", "operator", &op, e) < 0 || jx_string(v, "", "value", &value, e) < 0)
		return -1;
	return strcmp(op, "Exists") == 0 && *value ?
		       err_set(e, ERR_NETCONF, 0, "value: not with the operator Exists") : 0;
}

/* -- a request -- */

/* What is empty or 0 gets what is usual. */
static int check_mode(const json_t *o, struct err *e)
{
	const char *mode = "";
	json_int_t count = 0;

	if (jx_string(o, "", "allocationMode", &mode, e) < 0 ||
	    jx_int(o, "", "count", INT64_MIN, INT64_MAX, &count, e) < 0)
		return -1;
	if (strcmp(mode, "All") == 0)
		return count == 0 ? 0 : err_set(e, ERR_NETCONF, 0, "count: not with "
						"allocationMode All");
	if (*mode && strcmp(mode, "ExactCount") != 0)
		return err_set(e, ERR_NETCONF, 0, "allocationMode: '%.32s' is neither ExactCount "
			       "nor All", mode);
	return count >= 0 ? 0 : err_set(e, ERR_NETCONF, 0, "count: expected more than 0");
}

static int check_choice(const json_t *o, struct err *e)
{
	if (dra_field_name(o, "deviceClassName", name_is_dns_subdomain, MUST_DOMAIN, e) < 0 ||
	    dra_field_each(o, "selectors", DRA_SELECTORS_MAX, dra_selector_check, e) < 0 ||
	    check_mode(o, e) < 0)
		return -1;
	return dra_field_each(o, "tolerations", SIZE_MAX, check_toleration, e);
}

static int check_sub(const json_t *v, struct err *e)
{
	if (need_object(v, e) < 0 ||
	    dra_field_name(v, "name", name_is_dns_label, DRA_MUST_LABEL, e) < 0)
		return -1;
	return check_choice(v, e);
}

/* Of v1beta1: does the request itself ask for something? */
static bool asks_itself(const json_t *o)
{
	static const char *const keys[] = { "selectors", "adminAccess", "tolerations", "capacity" };
	const char *class = json_string_value(json_object_get(o, "deviceClassName"));
	const char *mode = json_string_value(json_object_get(o, "allocationMode"));

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (is_set(o, keys[i]))
			return true;
	return (class && *class) || (mode && *mode) ||
	       json_number_value(json_object_get(o, "count")) != 0;
}

/* exactly: what it asks for, NULL where that is nothing. */
static int check_form(const json_t *o, const json_t *exactly, struct err *e)
{
	bool has_first = json_array_size(json_object_get(o, "firstAvailable")) > 0;

	if (has_first == (exactly != NULL))
		return err_set(e, ERR_NETCONF, 0, "expected either what it asks for exactly, or "
			       "firstAvailable, and there is %s", has_first ? "both" : "neither");
	if (exactly)
		return need_object(exactly, e) < 0 || check_choice(exactly, e) < 0 ? -1 : 0;
	if (dra_field_each(o, "firstAvailable", DRA_CHOICES_MAX, check_sub, e) < 0)
		return -1;
	return dra_field_unique(o, "firstAvailable", "name", e);
}

static int check_request(const json_t *v, struct err *e)
{
	if (need_object(v, e) < 0 ||
	    dra_field_name(v, "name", name_is_dns_label, DRA_MUST_LABEL, e) < 0)
		return -1;
	return check_form(v, is_set(v, "exactly") ? json_object_get(v, "exactly") : NULL, e);
}

static int check_flat_request(const json_t *v, struct err *e)
{
	if (need_object(v, e) < 0 ||
	    dra_field_name(v, "name", name_is_dns_label, DRA_MUST_LABEL, e) < 0)
		return -1;
	return check_form(v, asks_itself(v) ? v : NULL, e);
}

/* -- what names requests -- */

static const char *name_of(const json_t *o)
{
	const char *name = json_string_value(json_object_get(o, "name"));

	return name ? name : "";
}

/* New reference: {"request": true, "request/subrequest": true}. */
static json_t *names_of(const json_t *devices)
{
	json_t *ret = json_object(), *request, *sub;
	char both[130];
	size_t i, k;

	json_array_foreach(json_object_get(devices, "requests"), i, request) {
		(void)json_object_set_new(ret, name_of(request), json_true());
		json_array_foreach(json_object_get(request, "firstAvailable"), k, sub) {
			(void)snprintf(both, sizeof(both), "%.63s/%.63s", name_of(request),
				       name_of(sub));
			(void)json_object_set_new(ret, both, json_true());
		}
	}
	return ret;
}

static int check_named(const json_t *o, const json_t *names, struct err *e)
{
	json_auto_t *seen = json_object();
	json_t *list = NULL, *v;
	size_t i;

	if (jx_strings(o, "", "requests", &list, e) < 0)
		return -1;
	if (json_array_size(list) > DRA_REQUESTS_MAX)
		return err_set(e, ERR_NETCONF, 0, "requests: %zu of them, at most %d are allowed",
			       json_array_size(list), DRA_REQUESTS_MAX);
	json_array_foreach(list, i, v) {
		const char *name = json_string_value(v);

		if (!json_object_get(names, name))
			return err_set(e, ERR_NETCONF, 0, "requests[%zu]: the claim has no request "
				       "'%.64s'", i, name);
		if (json_object_get(seen, name))
			return err_set(e, ERR_NETCONF, 0, "requests[%zu]: a second '%.64s'", i,
				       name);
		(void)json_object_set_new(seen, name, json_true());
	}
	return 0;
}

static int check_each_named(const json_t *devices, const char *key, const json_t *names,
			    struct err *e)
{
	const json_t *v;
	size_t i;

	json_array_foreach(json_object_get(devices, key), i, v)
		if (check_named(v, names, e) < 0)
			return err_wrap(e, "%s[%zu]", key, i);
	return 0;
}

static bool is_full_attribute(const char *s)
{
	return strchr(s, '/') && dra_name_is_attribute(s);
}

static int check_constraint(const json_t *v, struct err *e)
{
	static const char must[] = "DOMAIN/NAME, the name a C identifier of at most 32 bytes";

	if (need_object(v, e) < 0)
		return -1;
	if (is_set(v, "matchAttribute"))
		return dra_field_name(v, "matchAttribute", is_full_attribute, must, e);
	if (is_set(v, "distinctAttribute"))
		return dra_field_name(v, "distinctAttribute", is_full_attribute, must, e);
	return err_set(e, ERR_NETCONF, 0, "expected one of matchAttribute and distinctAttribute");
}

/* -- a claim -- */

static bool is_template(const json_t *doc)
{
	const char *kind = json_string_value(json_object_get(doc, "kind"));

	return kind && strcmp(kind, "ResourceClaimTemplate") == 0;
}

json_t *dra_claim_devices(const json_t *doc)
{
	const json_t *spec = json_object_get(doc, "spec");

	return json_object_get(is_template(doc) ? json_object_get(spec, "spec") : spec, "devices");
}

static int check_devices(const json_t *devices, bool flat, struct err *e)
{
	json_auto_t *names = names_of(devices);

	if (dra_field_each(devices, "requests", DRA_REQUESTS_MAX,
			   flat ? check_flat_request : check_request, e) < 0 ||
	    dra_field_unique(devices, "requests", "name", e) < 0 ||
	    dra_field_each(devices, "constraints", DRA_CONSTRAINTS_MAX, check_constraint, e) < 0 ||
	    dra_field_each(devices, "config", DRA_CONFIG_MAX, dra_config_check, e) < 0 ||
	    check_each_named(devices, "constraints", names, e) < 0)
		return -1;
	return check_each_named(devices, "config", names, e);
}

/* Objects that are made of a template get labels and the like from it. */
static int check_template(const json_t *doc, struct err *e)
{
	json_t *spec = NULL, *metadata = NULL;

	if (jx_object(doc, "", "spec", &spec, e) < 0 ||
	    jx_object(spec, "spec", "metadata", &metadata, e) < 0)
		return -1;
	return dra_field_words(metadata, e) < 0 ? err_wrap(e, "spec.metadata") : 0;
}

int dra_claim_check(const json_t *doc, bool flat, struct err *e)
{
	const json_t *devices = dra_claim_devices(doc);

	if (dra_field_metadata(doc, e) < 0 || (is_template(doc) && check_template(doc, e) < 0))
		return -1;
	return check_devices(devices, flat, e) < 0 ?
		       err_wrap(e, is_template(doc) ? "spec.spec.devices" : "spec.devices") : 0;
}

/* -- a rule -- */

static int check_device_selector(const json_t *selector, struct err *e)
{
	if (dra_field_may_name(selector, "driver", dra_name_is_driver, DRA_MUST_DRIVER, e) < 0 ||
	    dra_field_may_name(selector, "pool", dra_name_is_pool, DRA_MUST_POOL, e) < 0 ||
	    dra_field_may_name(selector, "device", name_is_dns_label, DRA_MUST_LABEL, e) < 0)
		return err_wrap(e, "deviceSelector");
	return 0;
}

int dra_rule_check(const json_t *doc, struct err *e)
{
	json_t *spec = NULL, *taint = NULL, *selector = NULL;

	if (dra_field_spec(doc, &spec, e) < 0 || jx_object(spec, "spec", "taint", &taint, e) < 0 ||
	    jx_object(spec, "spec", "deviceSelector", &selector, e) < 0)
		return -1;
	if (!taint)
		return err_set(e, ERR_NETCONF, 0, "spec.taint is missing");
	if (dra_taint_check(taint, e) < 0)
		return err_wrap(e, "spec.taint");
	return selector && check_device_selector(selector, e) < 0 ? err_wrap(e, "spec") : 0;
}
