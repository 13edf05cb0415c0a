/* SPDX-License-Identifier: Apache-2.0 */
/* feature_set.c - features in the form of features.h: looked up, checked, put together */
#include "manager/nfd/feature_set.h"

#include "base/jx.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const feature_types[FEATURE_TYPES] = { "flags", "attributes", "instances" };

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

int feature_texts(const json_t *o, const char *key, json_t **ret, struct err *e)
{
	json_t *map = NULL, *v;
	const char *name;
	int r = jx_object(o, "", key, &map, e);

	if (r <= 0)
		return r;
	json_object_foreach(map, name, v)
		if (!json_is_string(v))
			return err_set(e, ERR_NETCONF, 0,
				       "%s: '%.64s': expected a string, got %s%s", key, name,
				       jx_type_name(v),
				       json_is_object(v) || json_is_array(v) ? "" :
									       ": it needs quotes");
	*ret = map;
	return 1;
}

static int check_flags(const json_t *feature, struct err *e)
{
	json_t *set = NULL, *v;
	const char *name;

	if (jx_object(feature, "", "elements", &set, e) < 0)
		return -1;
	json_object_foreach(set, name, v)
		if (!json_is_null(v) && (!json_is_object(v) || json_object_size(v) > 0))
			return err_set(e, ERR_NETCONF, 0, "elements: '%.64s': a flag has no value: "
				       "expected {}", name);
	return 0;
}

static int check_attributes(const json_t *feature, struct err *e)
{
	json_t *set = NULL;

	return feature_texts(feature, "elements", &set, e) < 0 ? -1 : 0;
}

static int check_instance(const json_t *instance, struct err *e)
{
	json_t *set = NULL;
	int r;

	if (!json_is_object(instance))
		return err_set(e, ERR_NETCONF, 0, "expected an object, got %s",
			       jx_type_name(instance));
	r = feature_texts(instance, "attributes", &set, e);
	return r == 0 ? err_set(e, ERR_NETCONF, 0, "attributes: missing") : r;
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

/* In the order of feature_types. */
static const struct type {
	int (*check)(const json_t *feature, struct err *e);
	void (*merge)(json_t *feature, json_t *elements);
} types[FEATURE_TYPES] = {
	{ check_flags, merge_objects },
	{ check_attributes, merge_objects },
	{ check_instances, merge_lists },
};

int feature_check(size_t type, const char *name, const json_t *feature, struct err *e)
{
	if (!json_is_object(feature))
		(void)err_set(e, ERR_NETCONF, 0, "expected an object, got %s",
			      jx_type_name(feature));
	else if (types[type].check(feature, e) == 0)
		return 0;
	return err_wrap(e, "%s: %.64s", feature_types[type], name);
}

static int check_type(size_t type, const json_t *features, struct err *e)
{
	json_t *set = NULL, *feature;
	const char *name;

	if (jx_object(features, "", feature_types[type], &set, e) < 0)
		return -1;
	json_object_foreach(set, name, feature)
		if (feature_check(type, name, feature, e) < 0)
			return -1;
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

static void merge_type(size_t type, json_t *features, const json_t *others)
{
	json_t *feature, *to = object_in(features, feature_types[type]);
	const char *name;

	json_object_foreach(json_object_get(others, feature_types[type]), name, feature) {
		json_t *elements = json_object_get(feature, "elements");
		json_t *mine = object_in(to, name);

		if (elements && !json_is_null(elements))
			types[type].merge(mine, elements);
	}
}

int feature_set_merge(json_t *features, const json_t *others, struct err *e)
{
	if (!json_is_object(others))
		return err_set(e, ERR_NETCONF, 0, "features: expected an object, got %s",
			       jx_type_name(others));
	if (jx_only_exact_keys(others, "features", feature_types, FEATURE_TYPES, e) < 0)
		return -1;
	for (size_t i = 0; i < FEATURE_TYPES; i++)
		if (check_type(i, others, e) < 0)
			return err_wrap(e, "features");
	for (size_t i = 0; i < FEATURE_TYPES; i++)
		merge_type(i, features, others);
	return 0;
}

void feature_set_put(json_t *features, const char *name, const json_t *attributes)
{
	json_t *feature = object_in(object_in(features, "attributes"), name);

	(void)json_object_update(object_in(feature, "elements"), (json_t *)(uintptr_t)attributes);
}
