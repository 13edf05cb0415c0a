/* SPDX-License-Identifier: Apache-2.0 */
/* field.c - members of objects of resource.k8s.io are checked */
#include "manager/dra/field.h"

#include "base/jx.h"
#include "base/name.h"

#include <string.h>

static int check_name(const char *key, const char *value, bool (*is)(const char *s),
		      const char *must, struct err *e)
{
	return is(value) ? 0 : err_set(e, ERR_NETCONF, 0, "%s: '%.64s': expected %s", key, value,
				       must);
}

int dra_field_may_name(const json_t *o, const char *key, bool (*is)(const char *s),
		       const char *must, struct err *e)
{
	const char *value = NULL;
	int r = jx_string(o, "", key, &value, e);

	return r <= 0 ? r : check_name(key, value, is, must, e);
}

int dra_field_name(const json_t *o, const char *key, bool (*is)(const char *s), const char *must,
		   struct err *e)
{
	const char *value = NULL;
	int r = jx_string(o, "", key, &value, e);

	if (r == 0)
		return err_set(e, ERR_NETCONF, 0, "%s is missing", key);
	return r < 0 ? -1 : check_name(key, value, is, must, e);
}

int dra_field_each(const json_t *o, const char *key, size_t max,
		   int (*check)(const json_t *v, struct err *e), struct err *e)
{
	json_t *list = NULL, *v;
	size_t i;
	int r = jx_array(o, "", key, &list, e);

	if (r <= 0)
		return r;
	if (json_array_size(list) > max)
		return err_set(e, ERR_NETCONF, 0, "%s: %zu of them, at most %zu are allowed", key,
			       json_array_size(list), max);
	json_array_foreach(list, i, v)
		if (check(v, e) < 0)
			return err_wrap(e, "%s[%zu]", key, i);
	return 0;
}

int dra_field_map(const json_t *o, const char *key, size_t max, bool (*is)(const char *s),
		  const char *must, int (*check)(const json_t *v, struct err *e), struct err *e)
{
	json_t *map = NULL, *v;
	const char *name;
	int r = jx_object(o, "", key, &map, e);

	if (r <= 0)
		return r;
	if (json_object_size(map) > max)
		return err_set(e, ERR_NETCONF, 0, "%s: %zu of them, at most %zu are allowed", key,
			       json_object_size(map), max);
	json_object_foreach(map, name, v) {
		if (!is(name))
			return err_set(e, ERR_NETCONF, 0, "%s: '%.64s': expected %s", key, name,
				       must);
		if (check(v, e) < 0)
			return err_wrap(e, "%s[%.64s]", key, name);
	}
	return 0;
}

int dra_field_unique(const json_t *o, const char *key, const char *name, struct err *e)
{
	json_auto_t *seen = json_object();
	const json_t *v;
	size_t i;

	json_array_foreach(json_object_get(o, key), i, v) {
		const char *s = json_string_value(json_object_get(v, name));

		if (s && json_object_get(seen, s))
			return err_set(e, ERR_NETCONF, 0, "%s[%zu]: there is another one with %s "
				       "'%.64s'", key, i, name, s);
		if (s)
			(void)json_object_set_new(seen, s, json_true());
	}
	return 0;
}

static int check_metadata(const json_t *doc, struct err *e)
{
	json_t *metadata = NULL;
	int r = jx_object(doc, "", "metadata", &metadata, e);

	if (r < 0)
		return -1;
	if (json_object_get(metadata, "name"))
		r = dra_field_name(metadata, "name", name_is_dns_subdomain,
				   "a DNS name of at most 253 bytes", e);
	else if (!json_object_get(metadata, "generateName"))
		r = err_set(e, ERR_NETCONF, 0, "name is missing");
	return r < 0 ? err_wrap(e, "metadata") : 0;
}

int dra_field_spec(const json_t *doc, json_t **ret, struct err *e)
{
	int r;

	if (!json_is_object(doc))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s", jx_type_name(doc));
	if (check_metadata(doc, e) < 0)
		return -1;
	r = jx_object(doc, "", "spec", ret, e);
	return r > 0 ? 0 : r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "spec is missing");
}
