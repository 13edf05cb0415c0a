/* SPDX-License-Identifier: Apache-2.0 */
/* feature_set.c - features in the form of features.h: looked up, checked, put together */
#include "devinfo/nfd/feature_set.h"

#include "base/jx.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- looked up -- */

json_t *feature_elements(const json_t *features, const char *type, const char *name)
{
	return json_object_get(json_object_get(json_object_get(features, type), name), "elements");
}

bool feature_is_known(const json_t *features, const char *name)
{
	return json_object_get(json_object_get(features, "flags"), name) ||
	       json_object_get(json_object_get(features, "attributes"), name) ||
	       json_object_get(json_object_get(features, "instances"), name);
}

static int by_text(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

struct feature_names feature_names_of(const json_t *set)
{
	struct feature_names ret = { 0 };
	const char *name;
	json_t *v;

	ret.list = calloc(json_object_size(set) + 1, sizeof(*ret.list));
	if (!ret.list)
		return ret;
	json_object_foreach((json_t *)(uintptr_t)set, name, v) {
		ret.list[ret.n++] = name;
	}
	qsort(ret.list, ret.n, sizeof(*ret.list), by_text);
	return ret;
}

void feature_names_done(struct feature_names *names)
{
	free(names->list);
	*names = (struct feature_names){ 0 };
}

/* -- checked -- */

static int check_texts(const json_t *set, struct err *e)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)set, name, v)
		if (!json_is_string(v))
			return err_set(e, ERR_NETCONF, 0, "'%.64s': expected a string, got %s%s",
				       name, jx_type_name(v),
				       json_is_object(v) || json_is_array(v) ? "" :
									       ": it needs quotes");
	return 0;
}

static int check_flags(const json_t *feature, struct err *e)
{
	json_t *set = NULL;

	return jx_object(feature, "", "elements", &set, e) < 0 ? -1 : 0;
}

static int check_attributes(const json_t *feature, struct err *e)
{
	json_t *set = NULL;

	if (jx_object(feature, "", "elements", &set, e) < 0)
		return -1;
	return check_texts(set, e) < 0 ? err_wrap(e, "elements") : 0;
}

static int check_instance(const json_t *instance, struct err *e)
{
	json_t *set = NULL;

	if (!json_is_object(instance))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s",
			       jx_type_name(instance));
	if (jx_object(instance, "", "attributes", &set, e) < 0)
		return -1;
	return check_texts(set, e) < 0 ? err_wrap(e, "attributes") : 0;
}

static int check_instances(const json_t *feature, struct err *e)
{
	json_t *list = NULL;
	const json_t *v;
	size_t i;

	if (jx_array(feature, "", "elements", &list, e) < 0)
		return -1;
	json_array_foreach(list, i, v)
		if (check_instance(v, e) < 0)
			return err_wrap(e, "elements[%zu]", i);
	return 0;
}

static void merge_objects(json_t *feature, json_t *elements)
{
	json_t *to = json_object_get(feature, "elements");

	if (!to)
		(void)json_object_set_new(feature, "elements", json_deep_copy(elements));
	else
		(void)json_object_update(to, elements);
}

static void merge_lists(json_t *feature, json_t *elements)
{
	json_t *to = json_object_get(feature, "elements");

	if (!to)
		(void)json_object_set_new(feature, "elements", json_deep_copy(elements));
	else
		(void)json_array_extend(to, elements);
}

static const struct type {
	const char *name;
	int (*check)(const json_t *feature, struct err *e);
	void (*merge)(json_t *feature, json_t *elements);
} types[] = {
	{ "flags", check_flags, merge_objects },
	{ "attributes", check_attributes, merge_objects },
	{ "instances", check_instances, merge_lists },
};

static int check_type(const struct type *t, const json_t *features, struct err *e)
{
	json_t *set = NULL, *feature;
	const char *name;

	if (jx_object(features, "", t->name, &set, e) < 0)
		return -1;
	json_object_foreach(set, name, feature) {
		if (!json_is_object(feature))
			(void)err_set(e, ERR_NETCONF, 0, "expected an object, got %s",
				      jx_type_name(feature));
		else if (t->check(feature, e) == 0)
			continue;
		return err_wrap(e, "%s: %.64s", t->name, name);
	}
	return 0;
}

/* -- put together -- */

/* The member of this name, which is made when it is absent. */
static json_t *object_in(json_t *o, const char *name)
{
	json_t *v = json_object_get(o, name);

	if (v)
		return v;
	v = json_object();
	(void)json_object_set_new(o, name, v);
	return v;
}

static void merge_type(const struct type *t, json_t *features, const json_t *others)
{
	json_t *feature, *to = object_in(features, t->name);
	const char *name;

	json_object_foreach(json_object_get(others, t->name), name, feature) {
		json_t *elements = json_object_get(feature, "elements");
		json_t *mine = object_in(to, name);

		if (elements && !json_is_null(elements))
			t->merge(mine, elements);
	}
}

int feature_set_merge(json_t *features, const json_t *others, struct err *e)
{
	static const char *const keys[] = { "flags", "attributes", "instances" };

	if (!json_is_object(others))
		return err_set(e, ERR_NETCONF, 0, "features: expected an object, got %s",
			       jx_type_name(others));
	if (jx_only_keys(others, "features", keys, ARRAY_SIZE(keys), e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (check_type(&types[i], others, e) < 0)
			return err_wrap(e, "features");
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		merge_type(&types[i], features, others);
	return 0;
}

void feature_set_put(json_t *features, const char *name, const json_t *attributes)
{
	json_t *feature = object_in(object_in(features, "attributes"), name);

	(void)json_object_update(object_in(feature, "elements"), (json_t *)(uintptr_t)attributes);
}
