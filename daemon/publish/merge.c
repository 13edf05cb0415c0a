/* SPDX-License-Identifier: Apache-2.0 */
/* merge.c - our entries in an annotation of network-status that others write as well */
#include "daemon/publish/merge.h"

#include "base/jx.h"
#include "cni/call/status_entry.h"

#include <stdbool.h>
#include <string.h>

static const char *interface_of(const json_t *entry)
{
	return jx_get_text(entry, "interface");
}

/* The place of an interface; the size of the list: it has none. */
static size_t place_of(const json_t *list, const char *interface)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry)
		if (strcmp(interface_of(entry), interface) == 0)
			break;
	return i;
}

static bool is_empty(const json_t *v)
{
	return json_is_null(v) || (json_is_object(v) && json_object_size(v) == 0) ||
	       (json_is_array(v) && json_array_size(v) == 0) ||
	       (json_is_string(v) && json_string_length(v) == 0);
}

/* As it is in an annotation: our own member is for the file. */
static json_t *plain(const json_t *entry)
{
	json_t *copy = json_deep_copy(entry);

	(void)json_object_del(copy, STATUS_OF);
	return copy;
}

static json_t *joined(json_t *theirs, const json_t *ours)
{
	json_t *ret = plain(ours), *value;
	const char *key;

	json_object_foreach(theirs, key, value)
		if (is_empty(json_object_get(ret, key)) || !json_object_get(ret, key))
			(void)json_object_set(ret, key, value);
	return ret;
}

static bool is_given_up(const json_t *entry, const json_t *entries, const json_t *before)
{
	const char *name = interface_of(entry);
	json_t *was = json_array_get(before, place_of(before, name));
	json_t *as_written = was ? plain(was) : NULL;
	bool ret = as_written && json_equal(as_written, entry) &&
		   place_of(entries, name) == json_array_size(entries);

	json_decref(as_written);
	return ret;
}

/* Is it just what we say of its interface, so that nobody else has written there? */
static bool is_ours(const json_t *entry, const json_t *ours)
{
	json_auto_t *as_written = plain(ours);

	return json_equal(entry, as_written);
}

/* Those of ours that are in the annotation already, in our order. */
static json_t *in_order(const json_t *have, const json_t *entries)
{
	json_t *ret = json_array(), *entry;
	size_t i;

	json_array_foreach(entries, i, entry) {
		const char *name = interface_of(entry);

		if (place_of(entries, name) == i &&
		    is_ours(json_array_get(have, place_of(have, name)), entry))
			(void)json_array_append_new(ret, plain(entry));
	}
	return ret;
}

json_t *merge_status(const json_t *have, const json_t *entries, const json_t *before)
{
	json_t *ret = json_array(), *entry;
	json_auto_t *placed = json_object(), *ours = in_order(have, entries);
	size_t i, k = 0;

	json_array_foreach(have, i, entry) {
		size_t at = place_of(entries, interface_of(entry));

		if (!json_is_object(entry) || at == json_array_size(entries)) {
			if (!is_given_up(entry, entries, before))
				(void)json_array_append(ret, entry);
			continue;
		}
		if (json_object_get(placed, interface_of(entry)))
			continue;
		(void)json_object_set_new(placed, interface_of(entry), json_true());
		if (is_ours(entry, json_array_get(entries, at)))
			(void)json_array_append(ret, json_array_get(ours, k++));
		else
			(void)json_array_append_new(ret, joined(entry, json_array_get(entries,
										      at)));
	}
	json_array_foreach(entries, i, entry) {
		if (json_object_get(placed, interface_of(entry)))
			continue;
		(void)json_object_set_new(placed, interface_of(entry), json_true());
		(void)json_array_append_new(ret, plain(entry));
	}
	return ret;
}
