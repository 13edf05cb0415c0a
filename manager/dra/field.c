/* SPDX-License-Identifier: Apache-2.0 */
/* field.c - members of objects of resource.k8s.io are checked */
#include "manager/dra/field.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "manager/dra/name.h"

#include <stdio.h>
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
		if (is && !is(name))
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

/* -- quantities -- */

enum { QUANTITY_BYTES_MAX = 127 };

static int read_quantity(const char *text, struct quantity *ret, struct err *e)
{
	char trimmed[QUANTITY_BYTES_MAX + 1] = "";
	struct err ignored;	/* what is allowed is told below */
	size_t n;

	text += strspn(text, " \t\r\n");
	n = strlen(text);
	while (n > 0 && strchr(" \t\r\n", text[n - 1]))
		n--;
	if (n <= QUANTITY_BYTES_MAX)
		memcpy(trimmed, text, n);
	return quantity_parse(trimmed, ret, &ignored) == 0 ? 0 :
	       err_set(e, ERR_NETCONF, 0, "'%.64s': expected a quantity, as 8Gi or 500m", text);
}

int dra_field_quantity(const json_t *v, struct quantity *ret, struct err *e)
{
	char text[32];

	if (json_is_string(v))
		return read_quantity(json_string_value(v), ret, e);
	if (!v || json_is_null(v))
		(void)snprintf(text, sizeof(text), "0");
	else if (json_is_integer(v))
		(void)snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	else if (json_is_real(v))
		(void)snprintf(text, sizeof(text), "%.15g", json_real_value(v));
	else
		return err_set(e, ERR_NETCONF, 0, "expected a quantity, as 8Gi or 500m, got %s",
			       jx_type_name(v));
	return read_quantity(text, ret, e);
}

/* -- the whole object -- */

/* Each key is one of a label, and each value of a label, too, where values are checked. */
static int check_words(const json_t *metadata, const char *key, bool values, struct err *e)
{
	json_t *map = NULL, *v;
	const char *name;

	if (jx_object(metadata, "", key, &map, e) < 0)
		return -1;
	json_object_foreach(map, name, v) {
		if (!dra_name_is_key(name))
			return err_set(e, ERR_NETCONF, 0, "%s: '%.64s': expected " DRA_MUST_KEY,
				       key, name);
		if (values && json_is_string(v) && !dra_name_is_value(json_string_value(v)))
			return err_set(e, ERR_NETCONF, 0, "%s[%.64s]: '%.64s': expected the "
				       "value of a label", key, name, json_string_value(v));
	}
	return 0;
}

static bool is_said(const char *s)
{
	return *s;
}

static int check_owner(const json_t *v, struct err *e)
{
	static const char *const keys[] = { "apiVersion", "kind", "name", "uid" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (dra_field_name(v, keys[i], is_said, "a text", e) < 0)
			return -1;
	return 0;
}

/* What is to come behind it is the API server's. */
static bool is_name_prefix(const char *s)
{
	char text[DRA_POOL_MAX + 1];
	size_t n = strlen(s);

	if (n == 0 || n >= sizeof(text))
		return false;
	(void)snprintf(text, sizeof(text), "%s", s);
	if (n > 1 && text[n - 1] == '-')
		text[n - 1] = 'a';
	return name_is_dns_subdomain(text);
}

int dra_field_words(const json_t *metadata, struct err *e)
{
	return check_words(metadata, "labels", true, e) < 0 ||
	       check_words(metadata, "annotations", false, e) < 0 ||
	       dra_field_each(metadata, "ownerReferences", 1000, check_owner, e) < 0 ? -1 : 0;
}

static int check_own_name(const json_t *metadata, struct err *e)
{
	if (json_object_get(metadata, "name"))
		return dra_field_name(metadata, "name", name_is_dns_subdomain,
				      "a DNS name of at most 253 bytes", e);
	if (json_object_get(metadata, "generateName"))
		return dra_field_name(metadata, "generateName", is_name_prefix,
				      "the beginning of a DNS name", e);
	return err_set(e, ERR_NETCONF, 0, "name is missing");
}

int dra_field_metadata(const json_t *doc, struct err *e)
{
	json_t *metadata = NULL;

	if (jx_object(doc, "", "metadata", &metadata, e) < 0)
		return -1;
	return check_own_name(metadata, e) < 0 || dra_field_words(metadata, e) < 0 ?
		       err_wrap(e, "metadata") : 0;
}

int dra_field_spec(const json_t *doc, json_t **ret, struct err *e)
{
	int r;

	if (!json_is_object(doc))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s", jx_type_name(doc));
	if (dra_field_metadata(doc, e) < 0)
		return -1;
	r = jx_object(doc, "", "spec", ret, e);
	return r > 0 ? 0 : r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "spec is missing");
}
