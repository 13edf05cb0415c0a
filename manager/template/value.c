/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - values of a template: when one is true, what fields and keys it has */
#include "manager/template/part.h"

#include "base/jx.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool template_truth(const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return json_object_size(v) > 0;
	case JSON_ARRAY:
		return json_array_size(v) > 0;
	case JSON_STRING:
		return json_string_length(v) > 0;
	case JSON_INTEGER:
		return json_integer_value(v) != 0;
	case JSON_REAL:
		return json_real_value(v) < 0 || json_real_value(v) > 0;
	default:
		return json_is_true(v);
	}
}

/* -- fields -- */

/*
 * Rules find features without regard to case, templates have them as the rule writes them, so this
 * is where somebody looks for the reason.
 */
static json_t *no_field(struct template_run *r, const json_t *of, const char *name)
{
	const char *key;
	json_t *value;

	if (!template_steps(r, json_object_size(of)))
		return NULL;
	json_object_foreach((json_t *)(uintptr_t)of, key, value)
		if (strcasecmp(key, name) == 0)
			return template_fail(r, "there is no key '%.64s', NFD regards the case: "
					     "there is '%.64s'", name, key);
	return template_fail(r, "there is no key '%.64s'", name);
}

json_t *template_field(struct template_run *r, json_t *of, const char *name)
{
	json_t *v;

	if (!json_is_object(of))
		return template_fail(r, "there is no .%.64s in %s", name, jx_type_name(of));
	v = json_object_get(of, name);
	return v ? json_incref(v) : no_field(r, of, name);
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **template_keys(const json_t *o)
{
	size_t n = json_object_size(o), i = 0;
	const char **keys = calloc(n + 1, sizeof(*keys));
	const char *key;
	json_t *value;

	if (!keys)
		return NULL;
	json_object_foreach((json_t *)(uintptr_t)o, key, value)
		keys[i++] = key;
	qsort(keys, n, sizeof(*keys), compare_keys);
	return keys;
}
