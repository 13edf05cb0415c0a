/* SPDX-License-Identifier: Apache-2.0 */
/* patch.c - a ResourceSlicePatch of KEP-5027 */
#include "manager/dra/patch.h"

#include "base/jx.h"
#include "base/name.h"
#include "devinfo/manifest/manifest_time.h"
#include "manager/dra/name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool patch_is(const struct manifest *m)
{
	static const char group[] = "resource.k8s.io/";

	return strcmp(m->kind, "ResourceSlicePatch") == 0 &&
	       strncmp(m->api_version, group, sizeof(group) - 1) == 0;
}

/* -- names and values -- */

/* "domain/name", the name being an identifier of C. */
static bool is_qualified(const char *s)
{
	return strchr(s, '/') && dra_name_is_attribute(s);
}

static int check_name(const char *name, const char *path, struct err *e)
{
	if (is_qualified(name))
		return 0;
	return err_set(e, ERR_NETCONF, 0, "%s: '%.100s': expected DOMAIN/NAME%s", path, name,
		       strchr(name, '/') ? ", the name an identifier of at most 32 characters" :
					   "; where the driver publishes the name without a "
					   "domain, the domain is the driver's name");
}

static bool is_text(const json_t *v)
{
	return json_is_string(v) && json_string_length(v) <= DRA_VALUE_MAX;
}

static bool is_int(const json_t *v)
{
	return json_is_integer(v);
}

static bool is_bool(const json_t *v)
{
	return json_is_boolean(v);
}

static bool is_version(const json_t *v)
{
	return is_text(v) && dra_name_is_version(json_string_value(v));
}

static bool is_object(const json_t *v)
{
	return json_is_object(v);
}

static const struct {
	const char *key;
	bool (*is)(const json_t *v);
	const char *must;
} types[] = {
	{ "int", is_int, "an integer" },
	{ "bool", is_bool, "true or false" },
	{ "string", is_text, "a string of at most 64 bytes" },
	{ "version", is_version, "a semantic version of at most 64 bytes, as 1.2.3" },
	{ "null", is_object, "{}" },
};

/* Exactly one type; none that is known is no error, and no null either. */
static int read_attribute(const char *path, json_t *v, struct patch_value *ret, struct err *e)
{
	size_t n = 0;

	ret->what = PATCH_UNKNOWN;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		const json_t *of_type = json_object_get(v, types[i].key);

		if (json_is_null(of_type)) {	/* as good as absent */
			(void)json_object_del(v, types[i].key);
			continue;
		}
		if (!of_type)
			continue;
		if (!types[i].is(of_type))
			return err_set(e, ERR_NETCONF, 0, "%s[%s].%s: expected %s", path,
				       ret->name, types[i].key, types[i].must);
		ret->what = strcmp(types[i].key, "null") == 0 ? PATCH_REMOVES : PATCH_SETS;
		n++;
	}
	if (!json_is_object(v) && !json_is_null(v))
		return err_set(e, ERR_NETCONF, 0, "%s[%s]: expected an object, got %s", path,
			       ret->name, jx_type_name(v));
	ret->value = v;
	return n == 0 || json_object_size(v) == 1 ?
		       0 : err_set(e, ERR_NETCONF, 0, "%s[%s]: exactly one of int, bool, "
				   "string, version and null is allowed", path, ret->name);
}

/* A number may be written as one; then it becomes its text, as the API server has it. */
static void unquoted(json_t *capacity, const json_t *v)
{
	if (json_is_number(v))
		(void)json_object_set_new(capacity, "value", json_is_integer(v) ?
			json_sprintf("%" JSON_INTEGER_FORMAT, json_integer_value(v)) :
			json_sprintf("%.15g", json_real_value(v)));
}

static bool is_quantity(const json_t *v)
{
	return json_is_string(v) && dra_name_is_quantity(json_string_value(v));
}

static int read_capacity(const char *path, json_t *v, struct patch_value *ret, struct err *e)
{
	if (json_is_null(v) || json_object_get(v, "null"))
		return err_set(e, ERR_NETCONF, 0, "%s[%s]: a capacity cannot be removed; its value "
			       "may be 0", path, ret->name);
	unquoted(v, json_object_get(v, "value"));
	if (!is_quantity(json_object_get(v, "value")))
		return err_set(e, ERR_NETCONF, 0, "%s[%s].value: expected a quantity, as 10Gi",
			       path, ret->name);
	ret->value = v;
	ret->what = PATCH_SETS;
	return 0;
}

/* -- the parts of a patch -- */

static int read_values(const json_t *devices, const char *key, bool is_capacity, struct patch *p,
		       struct err *e)
{
	json_t *map = NULL, *v;
	const char *name;
	char path[40];

	if (jx_object(devices, "spec.devices", key, &map, e) < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "spec.devices.%s", key);
	if (p->n + json_object_size(map) > PATCH_VALUES_MAX)
		return err_set(e, ERR_NETCONF, 0, "spec.devices: %zu attributes and capacities, "
			       "more than %d", p->n + json_object_size(map), PATCH_VALUES_MAX);
	json_object_foreach(map, name, v) {
		struct patch_value *one = &p->values[p->n];

		*one = (struct patch_value){ .name = name, .is_capacity = is_capacity };
		if (check_name(name, path, e) < 0 ||
		    (is_capacity ? read_capacity : read_attribute)(path, v, one, e) < 0)
			return -1;
		p->n++;
	}
	return 0;
}

static int read_devices(const json_t *devices, struct patch *p, struct err *e)
{
	static const char *const keys[] = { "filter", "priority", "attributes", "capacity" };

	if (json_object_get(devices, "taints") || json_object_get(devices, "taint"))
		return err_set(e, ERR_NETCONF, 0, "spec.devices.taints: a patch has none; they are "
			       "of a DeviceTaintRule");
	if (jx_only_exact_keys(devices, "spec.devices", keys, ARRAY_SIZE(keys), e) < 0 ||
	    device_filter_read(devices, "spec.devices", "filter", &p->filter, e) < 0 ||
	    jx_int(devices, "spec.devices", "priority", INT32_MIN, INT32_MAX, &p->priority, e) < 0)
		return -1;
	p->values = calloc(PATCH_VALUES_MAX, sizeof(*p->values));
	if (!p->values)
		return err_set(e, ERR_IO, ENOMEM, "values of a patch");
	return read_values(devices, "attributes", false, p, e) < 0 ||
	       read_values(devices, "capacity", true, p, e) < 0 ? -1 : 0;
}

static int read_spec(const json_t *doc, struct patch *p, struct err *e)
{
	static const char *const keys[] = { "devices" };
	json_t *spec = NULL, *devices = NULL;
	int r = jx_object(doc, "", "spec", &spec, e);

	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "spec is missing");
	if (json_is_array(json_object_get(spec, "devices")))
		return err_set(e, ERR_NETCONF, 0, "spec.devices: expected one object, not a list");
	if (jx_only_exact_keys(spec, "spec", keys, ARRAY_SIZE(keys), e) < 0)
		return -1;
	r = jx_object(spec, "spec", "devices", &devices, e);
	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "spec.devices is missing");
	return read_devices(devices, p, e);
}

static int read_metadata(const json_t *doc, struct patch *p, struct err *e)
{
	json_t *metadata = NULL;
	const char *created = NULL;

	if (jx_object(doc, "", "metadata", &metadata, e) < 0 ||
	    jx_string(metadata, "metadata", "creationTimestamp", &created, e) < 0)
		return -1;
	if (json_object_get(metadata, "namespace"))
		return err_set(e, ERR_NETCONF, 0, "metadata.namespace: a ResourceSlicePatch is of "
			       "the whole cluster and has none");
	p->has_created = created != NULL;
	if (created && !manifest_time(created, &p->created))
		return err_set(e, ERR_NETCONF, 0, "metadata.creationTimestamp cannot be '%.64s': "
			       "expected a time as 2026-01-31T12:00:00Z", created);
	return 0;
}

static int check_object(const struct manifest *m, struct err *e)
{
	if (strcmp(m->api_version, "resource.k8s.io/v1alpha3") != 0)
		return err_set(e, ERR_NETCONF, 0, "apiVersion cannot be '%.64s': expected "
			       "resource.k8s.io/v1alpha3", m->api_version);
	if (!name_is_dns_subdomain(m->name))
		return err_set(e, ERR_NETCONF, 0, "metadata.name cannot be '%.64s'", m->name);
	return 0;
}

int patch_read(const struct manifest *m, struct patch *ret, struct err *e)
{
	struct patch p = { .source = m->source, .name = m->name };

	if (check_object(m, e) < 0 || read_metadata(m->doc, &p, e) < 0 ||
	    read_spec(m->doc, &p, e) < 0) {
		patch_done(&p);
		return err_wrap(e, "ResourceSlicePatch %.64s of %.64s", m->name, m->source);
	}
	*ret = p;
	return 0;
}

void patch_done(struct patch *p)
{
	free(p->values);
	p->values = NULL;
	p->n = 0;
}

/* -- which one is decisive -- */

/* One that says when it was made is older than one that does not. */
static int compare_age(const struct patch *a, const struct patch *b)
{
	if (a->has_created != b->has_created)
		return a->has_created ? -1 : 1;
	return a->created < b->created ? -1 : a->created > b->created;
}

bool patch_is_tied(const struct patch *a, const struct patch *b)
{
	return a->priority == b->priority && compare_age(a, b) == 0;
}

int patch_compare(const struct patch *a, const struct patch *b)
{
	int r = a->priority > b->priority ? -1 : a->priority < b->priority;

	if (r == 0)
		r = compare_age(a, b);
	if (r == 0)
		r = strcmp(a->name, b->name);
	return r ? r : strcmp(a->source, b->source);
}
