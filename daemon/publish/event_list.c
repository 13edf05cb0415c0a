/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_list.c - which Events are to be told of devices
 *
 * Theory of operation.  Of each device there is what it is and what was told of it.  So one that
 * fails and comes back before its turn is not told at all, and the VFs of a PF that goes down are
 * one Event: they have one reason.
 */
#include "daemon/publish/event_list.h"

#include "base/jx.h"

#include <stdio.h>
#include <string.h>

static json_t *key_of(const struct report_device *d)
{
	return json_sprintf("%s/%s", d->resource, d->id);
}

/* An Event is read by many who may not know who has what on the node. */
static const char *reason_of(const struct report_device *d)
{
	if (d->healthy)
		return "";
	return d->reason_names ? "who has it is told on the node, by devinfoctl watch" : d->reason;
}

static void put(json_t *devices, const struct report_device *d)
{
	json_t *key = key_of(d), *one;

	if (key) {			/* NULL: it is no UTF-8 */
		one = json_object_get(devices, json_string_value(key));
		if (!one) {
			one = json_pack("{s:s}", "told", "");
			(void)json_object_set_new(devices, json_string_value(key), one);
		}
		jx_put_text(one, "resource", d->resource);
		jx_put_text(one, "id", d->id);
		(void)json_object_set_new(one, "healthy", json_boolean(d->healthy));
		(void)json_object_set_new(one, "reason", json_string(reason_of(d)));
		(void)json_object_set_new(one, "since", json_integer(d->since_ms));
	}
	json_decref(key);
}

/* A complete list has all that there are. */
static void keep_those_of(json_t *devices, const struct report *r)
{
	json_t *now = json_object(), *value;
	const char *key;
	void *next;

	for (size_t i = 0; i < r->n_devices; i++) {
		json_t *its = key_of(&r->devices[i]);

		if (its)
			(void)json_object_set_new(now, json_string_value(its), json_true());
		json_decref(its);
	}
	json_object_foreach_safe(devices, next, key, value)
		if (!json_object_get(now, key))
			(void)json_object_del(devices, key);
	json_decref(now);
}

int event_list_take(json_t *devices, const struct report *r, struct err *e)
{
	if (r->complete)
		keep_those_of(devices, r);
	for (size_t i = 0; i < r->n_devices && json_object_size(devices) <= EVENT_DEVICES_MAX; i++)
		put(devices, &r->devices[i]);
	for (size_t i = 0; i < r->n_gone; i++)
		(void)json_object_del(devices, r->gone[i]);
	return json_object_size(devices) <= EVENT_DEVICES_MAX ? 0 :
		       err_set(e, ERR_LIMITED, 0, "devinfod tells of more than %d devices",
			       EVENT_DEVICES_MAX);
}

/* What an Event would say: "" of one that can be used, else why not. */
static const char *say_of(const json_t *device)
{
	const char *reason = jx_get_text(device, "reason");

	if (json_is_true(json_object_get(device, "healthy")))
		return "";
	return *reason ? reason : "no reason is known";
}

static json_t *entry_of(json_t *list, const json_t *device)
{
	json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry)
		if (strcmp(jx_get_text(entry, "say"), say_of(device)) == 0 &&
		    strcmp(jx_get_text(entry, "resource"), jx_get_text(device, "resource")) == 0)
			return entry;
	entry = json_pack("{s:s,s:s,s:O,s:i,s:[]}", "say", say_of(device), "resource",
			  jx_get_text(device, "resource"), "healthy",
			  json_object_get(device, "healthy"), "since", 0, "devices");
	(void)json_array_append_new(list, entry);
	return entry;
}

/* "intel.com/vf: 2 devices cannot be used, its PF eth0 is down: 0000:01:10.0, 0000:01:10.2" */
static void set_note(json_t *entry)
{
	const json_t *devices = json_object_get(entry, "devices"), *key;
	const char *say = jx_get_text(entry, "say"), *resource = jx_get_text(entry, "resource");
	size_t prefix = strlen(resource) + 1, n = json_array_size(devices), i;
	char note[EVENT_NOTE_MAX];
	int len = snprintf(note, sizeof(note), "%.253s: %zu device%s can%s be used%s%.300s: ",
			   resource, n, n == 1 ? "" : "s", *say ? "not" : "",
			   *say ? ", " : " again", say);

	json_array_foreach(devices, i, key) {
		const char *id = json_string_value(key) + prefix;

		if (len + strlen(id) + 24 > sizeof(note))
			break;
		len += snprintf(note + len, sizeof(note) - (size_t)len, "%s%s", i ? ", " : "", id);
	}
	if (i < n)
		(void)snprintf(note + len, sizeof(note) - (size_t)len, " and %zu more", n - i);
	(void)json_object_set_new(entry, "note", json_string(note));
}

json_t *event_list_due(json_t *devices)
{
	json_t *list = json_array(), *entry;
	const json_t *device;
	const char *key;
	size_t i;

	json_object_foreach(devices, key, device) {
		json_int_t since = json_integer_value(json_object_get(device, "since"));

		if (strcmp(say_of(device), jx_get_text(device, "told")) == 0)
			continue;
		entry = entry_of(list, device);
		(void)json_array_append_new(json_object_get(entry, "devices"), json_string(key));
		if (since > json_integer_value(json_object_get(entry, "since")))
			(void)json_object_set_new(entry, "since", json_integer(since));
	}
	json_array_foreach(list, i, entry) {
		set_note(entry);
	}
	return list;
}

void event_list_told(json_t *devices, const json_t *entry)
{
	const json_t *key;
	size_t i;

	json_array_foreach(json_object_get(entry, "devices"), i, key) {
		json_t *device = json_object_get(devices, json_string_value(key));

		if (device)
			(void)json_object_set(device, "told", json_object_get(entry, "say"));
	}
}
