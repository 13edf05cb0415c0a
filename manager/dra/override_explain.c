/* SPDX-License-Identifier: Apache-2.0 */
/* override_explain.c - where each value of a device is from */
#include "manager/dra/overrides.h"

#include <string.h>

static void set_text(json_t *o, const char *key, const char *text)
{
	(void)json_object_set_new(o, key, json_string(text));
}

/* {"string": "x"} and {"value": "10Gi"}: what is in it. */
static json_t *plain(const json_t *value)
{
	const char *key;
	json_t *v;

	if (json_object_size(value) == 1)
		json_object_foreach((json_t *)(uintptr_t)value, key, v)
			return json_incref(v);
	return json_incref((json_t *)(uintptr_t)value);
}

static const struct override_change *find_change(const struct override_of_device *changes,
						 int what, const char *name)
{
	for (size_t i = 0; changes && i < changes->n; i++)
		if ((int)changes->list[i].what == what && strcmp(changes->list[i].name, name) == 0)
			return &changes->list[i];
	return NULL;
}

static void put_origin(json_t *row, const struct override_change *c)
{
	const struct override_rule *by = c ? c->by : NULL;

	if (!by) {
		set_text(row, "origin", "published");
		return;
	}
	(void)json_object_set_new(row, "origin",
				  json_sprintf("%s %s", by->patch ? "ResourceSlicePatch" :
					       "DeviceTaintRule",
					       by->patch ? by->patch->name : by->taint->name));
	set_text(row, "source", by->patch ? by->patch->source : by->taint->source);
	if (by->patch)
		(void)json_object_set_new(row, "priority", json_integer(by->patch->priority));
	if (c->before)
		(void)json_object_set_new(row, "replaces", plain(c->before));
	if (c->beaten)
		(void)json_object_set_new(row, "beats", c->n_beaten == 1 ?
			json_string(c->beaten->name) :
			json_sprintf("%s and %zu more", c->beaten->name, c->n_beaten - 1));
}

static json_t *values_of(const json_t *device, const char *key, int what,
			 const struct override_of_device *changes)
{
	json_t *rows = json_array(), *row, *v;
	const char *name;

	json_object_foreach(json_object_get(device, key), name, v) {
		row = json_pack("{s:s, s:o}", "name", name, "value", plain(v));
		put_origin(row, find_change(changes, what, name));
		(void)json_array_append_new(rows, row);
	}
	return rows;
}

/* "key=value:effect", as kubectl has them; a taint of a rule is that very object. */
static json_t *taints_of(const json_t *device, const struct override_of_device *changes)
{
	json_t *rows = json_array(), *row;
	const json_t *t;
	size_t i;

	json_array_foreach(json_object_get(device, "taints"), i, t) {
		const char *key = json_string_value(json_object_get(t, "key"));
		const char *value = json_string_value(json_object_get(t, "value"));
		const char *effect = json_string_value(json_object_get(t, "effect"));
		const struct override_change *by = NULL;

		for (size_t k = 0; changes && k < changes->n && !by; k++)
			if (changes->list[k].after == t)
				by = &changes->list[k];
		row = json_pack("{s:s, s:o}", "name", key ? key : "", "value",
				json_sprintf("%s%s%s", value ? value : "",
					     value && *value ? ":" : "", effect ? effect : ""));
		put_origin(row, by);
		(void)json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *removed_of(const struct override_of_device *changes)
{
	json_t *rows = json_array(), *row;

	for (size_t i = 0; changes && i < changes->n; i++) {
		if (changes->list[i].after || !changes->list[i].before)
			continue;
		row = json_pack("{s:s}", "name", changes->list[i].name);
		put_origin(row, &changes->list[i]);
		(void)json_array_append_new(rows, row);
	}
	return rows;
}

json_t *overrides_explain(const struct dra_device *d, const struct override_of_device *changes)
{
	json_t *attributes = values_of(d->device, "attributes", OVERRIDE_ATTRIBUTE, changes);
	json_t *capacity = values_of(d->device, "capacity", OVERRIDE_CAPACITY, changes);

	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "name", d->name, "driver",
			 d->slice->driver, "pool", d->slice->pool, "attributes", attributes,
			 "capacity", capacity, "taints", taints_of(d->device, changes), "removed",
			 removed_of(changes));
}
