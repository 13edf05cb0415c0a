/* SPDX-License-Identifier: Apache-2.0 */
/* status_list.c - a sandbox's list of entries of network-status */
#include "cni/call/status_list.h"

#include "cni/call/status_entry.h"

#include <string.h>

/* A network's own name has no '/': what is before it is a namespace. */
const char *status_list_network(const json_t *entry)
{
	const char *name = json_string_value(json_object_get(entry, "name"));
	const char *slash = name ? strchr(name, '/') : NULL;

	return slash ? slash + 1 : name;
}

bool status_list_is_of_network(const json_t *entry, const char *network)
{
	const char *name = status_list_network(entry);

	return name && strcmp(name, network) == 0;
}

static const char *text_of(const json_t *entry, const char *key)
{
	return json_string_value(json_object_get(entry, key));
}

const char *status_list_attachment(const json_t *entry)
{
	const char *of = text_of(entry, STATUS_OF);

	return of ? of : text_of(entry, "interface");
}

bool status_list_is_other(const json_t *entry)
{
	return text_of(entry, STATUS_OF) != NULL;
}

static bool is_of(const json_t *entry, const struct owner *o)
{
	const char *of = status_list_attachment(entry);

	return of && strcmp(of, o->ifname) == 0 && status_list_is_of_network(entry, o->network);
}

size_t status_list_place(const json_t *list, const struct owner *o)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry)
		if (!status_list_is_other(entry) && is_of(entry, o))
			return i;
	return json_array_size(list);
}

int status_list_take_out(json_t *list, const struct owner *o)
{
	int n = 0;

	for (size_t i = json_array_size(list); i-- > 0; )
		if (is_of(json_array_get(list, i), o)) {
			(void)json_array_remove(list, i);
			n++;
		}
	return n;
}

static bool is_told_elsewhere(const json_t *list, size_t at)
{
	const json_t *entry;
	const char *interface = text_of(json_array_get(list, at), "interface");
	size_t i;

	json_array_foreach(list, i, entry) {
		const char *its = text_of(entry, "interface");

		if (i != at && its && strcmp(its, interface) == 0 &&
		    (i < at || !status_list_is_other(entry)))
			return true;
	}
	return false;
}

void status_list_put_in(json_t *list, const json_t *entries)
{
	(void)json_array_extend(list, (json_t *)(uintptr_t)entries);
	for (size_t i = json_array_size(list); i-- > 0; ) {
		const json_t *entry = json_array_get(list, i);

		if (status_list_is_other(entry) && text_of(entry, "interface") &&
		    is_told_elsewhere(list, i))
			(void)json_array_remove(list, i);
	}
}

/* Those of an attachment's interface, out of one list to the end of another. */
static void move_entries(json_t *from, json_t *to, const char *ifname)
{
	for (size_t i = 0; i < json_array_size(from); ) {
		json_t *entry = json_array_get(from, i);
		const char *of = status_list_attachment(entry);

		if (!of || strcmp(of, ifname) != 0) {
			i++;
			continue;
		}
		(void)json_array_append(to, entry);
		(void)json_array_remove(from, i);
	}
}

void status_list_order(json_t *list, const json_t *ifnames)
{
	json_auto_t *ordered = json_array();

	for (size_t i = 0; i < json_array_size(ifnames); i++)
		move_entries(list, ordered, json_string_value(json_array_get(ifnames, i)));
	(void)json_array_extend(ordered, list);
	(void)json_array_clear(list);
	(void)json_array_extend(list, ordered);
}
