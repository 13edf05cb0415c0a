/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c - an object is compared with the members that its kind has */
#include "manager/dra/schema.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "devinfo/manifest/manifest_time.h"
#include "manager/dra/field.h"
#include "manager/number/quantity.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define GROUP "resource.k8s.io/"

enum { PATH_SIZE = 320, TOLD_MAX = 100, NAMES_MAX = 64 };

/* -- kinds -- */

bool schema_has_kind(const char *kind)
{
	for (size_t i = 0; i < schema_n_kinds; i++)
		if (strcmp(schema_kinds[i].kind, kind) == 0)
			return true;
	return false;
}

/* "v1, v1beta2, v1beta1": the versions that have it; of NULL all. */
static void list_versions(const char *kind, char ret[128])
{
	size_t len = 0;

	*ret = '\0';
	for (size_t i = 0; i < schema_n_kinds && len < 100; i++) {
		const struct schema_kind *k = &schema_kinds[i];

		if ((!kind || strcmp(k->kind, kind) == 0) && !strstr(ret, k->version))
			len += (size_t)snprintf(ret + len, 128 - len, "%s%s", len ? ", " : "",
						k->version);
	}
}

const struct schema_kind *schema_find(const char *api_version, const char *kind, struct err *e)
{
	const char *version = api_version + strlen(GROUP);
	char versions[128];

	if (strncmp(api_version, GROUP, strlen(GROUP)) == 0)
		for (size_t i = 0; i < schema_n_kinds; i++)
			if (strcmp(schema_kinds[i].version, version) == 0 &&
			    strcmp(schema_kinds[i].kind, kind) == 0)
				return &schema_kinds[i];
	list_versions(schema_has_kind(kind) ? kind : NULL, versions);
	if (schema_has_kind(kind))
		(void)err_set(e, ERR_NETCONF, 0, "apiVersion: '%.64s' has no kind %.64s in "
			      "Kubernetes 1.36: it is in " GROUP "%s", api_version, kind, versions);
	else
		(void)err_set(e, ERR_NETCONF, 0, "kind: " GROUP "%s have none that is called "
			      "'%.64s'", versions, kind);
	return NULL;
}

/* -- what is told -- */

struct checking {
	schema_say *say;
	void *arg;
	size_t told;
};

static void tell(struct checking *c, const char *path, const char *text)
{
	char all[PATH_SIZE + 256];

	if (c->told++ >= TOLD_MAX)
		return;
	(void)snprintf(all, sizeof(all), "%s: %s", *path ? path : "the object", text);
	c->say(all, c->arg);
}

static void tell_type(struct checking *c, const char *path, const char *expected, const json_t *v)
{
	char text[160];

	(void)snprintf(text, sizeof(text), "expected %s, got %s", expected, jx_type_name(v));
	tell(c, path, text);
}

static void tell_unknown(struct checking *c, const struct schema_type *type, const char *path,
			 const char *key)
{
	const char *names[NAMES_MAX];
	char text[NEAREST_HINT + 64], hint[NEAREST_HINT];
	size_t n = 0;

	for (; n < type->n && n < NAMES_MAX; n++)
		names[n] = type->members[n].key;
	nearest_hint(key, names, n, hint);
	(void)snprintf(text, sizeof(text), "Kubernetes 1.36 has no such member%s", hint);
	tell(c, path, text);
}

/* -- values -- */

static bool is_time(const json_t *v)
{
	int64_t ignored;

	return json_is_string(v) && manifest_time(json_string_value(v), &ignored);
}

static bool is_quantity(const json_t *v)
{
	struct quantity ignored;
	struct err why;

	return dra_field_quantity(v, &ignored, &why) == 0;
}

static bool is_text(const json_t *v)
{
	return json_is_string(v);
}

static bool is_bool(const json_t *v)
{
	return json_is_boolean(v);
}

/* A number of YAML may be 1.0. */
static bool is_int(const json_t *v)
{
	return json_is_integer(v) ||
	       (json_is_real(v) && json_real_value(v) >= -9e15 && json_real_value(v) <= 9e15 &&
		(double)(int64_t)json_real_value(v) == json_real_value(v));
}

static bool is_any(const json_t *v)
{
	return v;
}

static bool is_object(const json_t *v)
{
	return json_is_object(v);
}

static const struct {
	bool (*is)(const json_t *v);
	const char *expected;
} forms[] = {
	[SCHEMA_TEXT] = { is_text, "a string" },
	[SCHEMA_INT] = { is_int, "an integer of at most 64 bits" },
	[SCHEMA_BOOL] = { is_bool, "a boolean" },
	[SCHEMA_QUANTITY] = { is_quantity, "a quantity, as 8Gi or 500m" },
	[SCHEMA_TIME] = { is_time, "a time, as 2026-01-31T12:00:00Z" },
	[SCHEMA_ANY] = { is_any, "a value" },
	[SCHEMA_OBJECT] = { is_object, "an object" },
};
static_assert(ARRAY_SIZE(forms) == SCHEMA_FORMS, "a form has no row");

static void check_object(struct checking *c, const struct schema_type *type, const char *path,
			 json_t *o);

/* null is as absent, also as a member of a list. */
static void check_one(struct checking *c, const struct schema_member *m, const char *path,
		      json_t *v)
{
	if (json_is_null(v))
		return;
	if (!forms[m->form].is(v))
		tell_type(c, path, forms[m->form].expected, v);
	else if (m->form == SCHEMA_OBJECT)
		check_object(c, m->type, path, v);
}

static void check_list(struct checking *c, const struct schema_member *m, const char *path,
		       const json_t *list)
{
	char at[PATH_SIZE];
	json_t *v;
	size_t i;

	json_array_foreach(list, i, v) {
		(void)snprintf(at, sizeof(at), "%.*s[%zu]", PATH_SIZE - 24, path, i);
		check_one(c, m, at, v);
	}
}

static void check_map(struct checking *c, const struct schema_member *m, const char *path,
		      json_t *map)
{
	char at[PATH_SIZE];
	const char *key;
	json_t *v;

	json_object_foreach(map, key, v) {
		(void)snprintf(at, sizeof(at), "%.*s[%.64s]", PATH_SIZE - 80, path, key);
		check_one(c, m, at, v);
	}
}

static void check_member(struct checking *c, const struct schema_member *m, const char *path,
			 json_t *v)
{
	if (m->many == SCHEMA_ONE)
		check_one(c, m, path, v);
	else if (m->many == SCHEMA_LIST && json_is_array(v))
		check_list(c, m, path, v);
	else if (m->many == SCHEMA_MAP && json_is_object(v))
		check_map(c, m, path, v);
	else if (!json_is_null(v))
		tell_type(c, path, m->many == SCHEMA_LIST ? "a list" : "an object", v);
}

static const struct schema_member *find_member(const struct schema_type *type, const char *key)
{
	for (size_t i = 0; i < type->n; i++)
		if (strcmp(type->members[i].key, key) == 0)
			return &type->members[i];
	return NULL;
}

/* Objects nest only as deep as their types do. */
static void check_object(struct checking *c, const struct schema_type *type, const char *path,
			 json_t *o)
{
	const struct schema_member *m;
	char at[PATH_SIZE];
	const char *key;
	json_t *v;

	json_object_foreach(o, key, v) {
		m = find_member(type, key);
		(void)snprintf(at, sizeof(at), "%.*s%s%.64s", PATH_SIZE - 80, path,
			       *path ? "." : "", key);
		if (m)
			check_member(c, m, at, v);
		else
			tell_unknown(c, type, at, key);
	}
}

size_t schema_check(const struct schema_kind *kind, json_t *doc, schema_say *say, void *arg)
{
	struct checking c = { .say = say, .arg = arg };

	if (!json_is_object(doc))
		tell_type(&c, "", "an object", doc);
	else
		check_object(&c, kind->type, "", doc);
	return c.told;
}
