/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint.c - kubelet's own note of which pod has which devices
 *
 *	{"Data": {"PodDeviceEntries": [{"PodUID", "ContainerName", "ResourceName",
 *		  "DeviceIDs": {"0": ["id"], "-1": ["id"]}, "AllocResp"}], "RegisteredDevices"},
 *	 "Checksum": 1}
 *
 * It has what each device plugin answered (AllocResp) and all devices of the node: several MB on a
 * large one, and as a tree of jansson's up to ten times that.  So it is walked where it stands
 * (jx_text.h), and of the pod's own entries alone a tree is made; what is passed over need not even
 * be valid.
 *
 * kubelet replaces the file by rename, so that it is whole whenever we open it.  Its checksum is
 * not verified: it is a hash of how Go prints the structs, which differs between releases.
 *
 * There is an entry for each resource of each container, in random order.
 */
#include "devinfo/kubelet/checkpoint.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/jx_text.h"
#include "base/mem.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define FILE_NAME	"kubelet_internal_checkpoint"
#define WHAT		"kubelet's checkpoint"

/* What functions that fill in a value may leave as it is. */
#define NOTHING		{ .at = "" }

enum { MAX_ENTRIES = 4096 };	/* containers times resources, of what was asked for */

/* An entry of the pod, borrowed from the document. */
struct entry {
	const char *container, *resource;
	json_t *ids;		/* a list, or lists by NUMA node; NULL for none */
};

struct entries {
	struct entry *list;	/* owned */
	size_t count;
	json_t *docs;		/* owned: what each of them borrows from */
};

static void entries_done(struct entries *s)
{
	free(s->list);
	json_decref(s->docs);
}

/* What is wrong, by jx.h or fs.h, is wrong with this file and not with our configuration. */
static int malformed(struct err *e)
{
	e->code = ERR_PODRES;
	return err_wrap(e, WHAT);
}

/* -- the text: of 15 MB, the pod's own entries alone become a tree -- */

static int not_json(struct err *e)
{
	return err_set(e, ERR_PODRES, 0, WHAT ": not valid JSON");
}

static int wrong_type(struct jx_text v, const char *path, const char *expected, struct err *e)
{
	return err_set(e, ERR_PODRES, 0, WHAT ": %s: expected %s, got %s", path, expected,
		       jx_text_type(v));
}

static int lacks(struct err *e, const char *path, const char *key)
{
	return err_set(e, ERR_PODRES, 0, WHAT ": %s has no %s", path, key);
}

/* A member of an object: 1, 0 when it is absent or null, -1. */
static int find_member(struct jx_text o, const char *key, struct jx_text *ret, struct err *e)
{
	struct jx_walk w = jx_walk_of(o);
	struct jx_text its_key = NOTHING, value = NOTHING, found = { 0 };
	int r;

	while ((r = jx_walk_next(&w, &its_key, &value)) > 0) {
		if (!jx_text_is(its_key, key))
			continue;
		if (found.at)
			return err_set(e, ERR_PODRES, 0, WHAT ": duplicate key \"%s\"", key);
		found = value;
	}
	if (r < 0)
		return not_json(e);
	if (!found.at || *found.at == 'n')
		return 0;
	*ret = found;
	return 1;
}

/* What is read of an entry, as a tree: a new reference. */
static json_t *cut_out(struct jx_text entry, struct err *e)
{
	static const char *const keys[] = { "ContainerName", "ResourceName", "DeviceIDs" };
	json_auto_t *o = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct jx_text v = NOTHING;
		json_t *value;
		int r = find_member(entry, keys[i], &v, e);

		if (r < 0)
			return NULL;
		if (r == 0)
			continue;
		value = jx_parse_value(v.at, v.len, ERR_PODRES, WHAT, e);
		if (!value)
			return NULL;
		(void)json_object_set_new(o, keys[i], value);
	}
	return steal_ptr(&o);
}

/* -- an entry -- */

static int want_string(const json_t *o, const char *path, const char *key, const char **ret,
		       struct err *e)
{
	int r = jx_string(o, path, key, ret, e);

	if (r < 0)
		return malformed(e);
	return r == 0 ? lacks(e, path, key) : 0;
}

static int read_ids(const json_t *o, const char *path, json_t **ret, struct err *e)
{
	json_t *ids = json_object_get(o, "DeviceIDs");

	if (json_is_array(ids) || json_is_object(ids))
		*ret = ids;
	else if (ids)
		return err_set(e, ERR_PODRES, 0, WHAT ": %s.DeviceIDs: expected a list or an "
			       "object, got %s", path, jx_type_name(ids));
	return 0;
}

static int read_entry(const json_t *o, const char *path, struct entry *ret, struct err *e)
{
	struct entry entry = { 0 };

	if (want_string(o, path, "ContainerName", &entry.container, e) < 0 ||
	    want_string(o, path, "ResourceName", &entry.resource, e) < 0 ||
	    read_ids(o, path, &entry.ids, e) < 0)
		return -1;
	*ret = entry;
	return 0;
}

/* Is it one of this pod (NULL: of any)?  Of others nothing else is looked at.  1, 0, -1. */
static int is_of_pod(struct jx_text entry, const char *path, const char *uid, struct err *e)
{
	struct jx_text v = NOTHING;
	char where[80];
	int r;

	if (*entry.at != '{')
		return wrong_type(entry, path, "an object", e);
	r = find_member(entry, "PodUID", &v, e);
	if (r <= 0)
		return r < 0 ? -1 : lacks(e, path, "PodUID");
	if (*v.at == '"')
		return !uid || jx_text_is(v, uid);
	(void)snprintf(where, sizeof(where), "%s.PodUID", path);
	return wrong_type(v, where, "a string", e);
}

static int add_to(struct entries *s, struct jx_text text, size_t index, const char *uid,
		  struct err *e)
{
	char path[64];
	json_t *o;
	int r;

	(void)snprintf(path, sizeof(path), "PodDeviceEntries[%zu]", index);
	r = is_of_pod(text, path, uid, e);
	if (r <= 0)
		return r;
	if (s->count == MAX_ENTRIES)
		return err_set(e, ERR_PODRES, E2BIG, WHAT " has more than %d entries of %s%.64s",
			       MAX_ENTRIES, uid ? "pod " : "all pods", uid ? uid : "");
	o = cut_out(text, e);
	if (!o)
		return -1;
	(void)json_array_append_new(s->docs, o);
	return read_entry(o, path, &s->list[s->count++], e);
}

static int find_entries(struct jx_text all, const char *uid, struct entries *ret, struct err *e)
{
	struct jx_walk w = jx_walk_of(all);
	struct jx_text entry = NOTHING;
	size_t i = 0;
	int r;

	ret->docs = json_array();
	ret->list = calloc(MAX_ENTRIES, sizeof(*ret->list));
	if (!ret->list)
		return err_set(e, ERR_PODRES, ENOMEM, WHAT);
	for (; (r = jx_walk_next(&w, NULL, &entry)) > 0; i++)
		if (add_to(ret, entry, i, uid, e) < 0)
			return -1;
	return r < 0 ? not_json(e) : 0;
}

/* The list of all entries: 1, 0 when there is none, -1. */
static int find_list(struct jx_text doc, struct jx_text *ret, struct err *e)
{
	struct jx_text data = NOTHING, list = NOTHING;
	int r = *doc.at == '{' ? find_member(doc, "Data", &data, e) : 0;

	if (r <= 0)
		return r < 0 ? -1 : lacks(e, "it", "Data");
	if (*data.at != '{')
		return wrong_type(data, "Data", "an object", e);
	r = find_member(data, "PodDeviceEntries", &list, e);
	if (r > 0 && *list.at != '[')
		return wrong_type(list, "Data.PodDeviceEntries", "a list", e);
	if (r > 0)
		*ret = list;
	return r;
}

/* -- the devices -- */

static int add_list(struct allocation *a, const char *resource, const json_t *ids, struct err *e)
{
	const json_t *id;
	size_t i;

	if (json_is_null(ids))
		return 0;
	if (!json_is_array(ids))
		return err_set(e, ERR_PODRES, 0, WHAT ": DeviceIDs of %.128s: "
			       "expected a list, got %s", resource, jx_type_name(ids));
	json_array_foreach(ids, i, id) {
		if (!json_is_string(id))
			return err_set(e, ERR_PODRES, 0, WHAT ": DeviceIDs of "
				       "%.128s: expected a string, got %s", resource,
				       jx_type_name(id));
		if (allocation_add_device(a, resource, json_string_value(id), e) < 0)
			return -1;
	}
	return 0;
}

static int add_entry(struct allocation *a, const struct entry *entry, struct err *e)
{
	const char *node;
	json_t *ids;

	if (!json_is_object(entry->ids))
		return entry->ids ? add_list(a, entry->resource, entry->ids, e) : 0;
	json_object_foreach(entry->ids, node, ids)
		if (add_list(a, entry->resource, ids, e) < 0)
			return -1;
	return 0;
}

/* Is this the first entry of its container? */
static bool is_first(const struct entries *s, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(s->list[i].container, s->list[index].container) == 0)
			return false;
	return true;
}

/* All entries of the container of this one, which is its first. */
static int add_container(struct allocation *a, const struct entries *s, size_t first,
			 struct err *e)
{
	for (size_t i = first; i < s->count; i++)
		if (strcmp(s->list[i].container, s->list[first].container) == 0 &&
		    add_entry(a, &s->list[i], e) < 0)
			return -1;
	allocation_end_container(a);
	return 0;
}

int checkpoint_parse(const char *text, size_t len, const char *uid, struct allocation *ret,
		     struct err *e)
{
	auto_allocation struct allocation found = { .source = WHAT };
	auto_with(entries_done) struct entries entries = { 0 };
	struct jx_text doc = NOTHING, all = NOTHING;
	int r;

	if (jx_text_of(text, len, &doc) < 0)
		return not_json(e);
	r = find_list(doc, &all, e);
	if (r < 0 || (r > 0 && find_entries(all, uid, &entries, e) < 0))
		return -1;
	if (entries.count == 0) {
		(void)err_set(e, ERR_PODRES, 0, WHAT " knows no pod%s%.64s",
			      uid ? " of UID " : "", uid ? uid : "");
		return 0;
	}
	for (size_t i = 0; i < entries.count; i++)
		if (is_first(&entries, i) && add_container(&found, &entries, i, e) < 0)
			return -1;
	*ret = found;
	found = (struct allocation){ 0 };
	return 1;
}

/* -- the file -- */

static int absent(struct err *e, const char *dir)
{
	(void)err_set(e, ERR_PODRES, 0, WHAT " %.128s/" FILE_NAME " is not there",
		      dir);
	return 0;
}

int checkpoint_read(const struct host *h, const char *uid, struct allocation *ret, struct err *e)
{
	auto_free char *text = NULL;
	auto_close int fd = -1;
	char dir[PATH_MAX];
	size_t len = 0;
	int r;

	(void)snprintf(dir, sizeof(dir), "%s/device-plugins", h->set.kubelet_dir);
	r = fs_find_dir(h->root, dir, &fd, e);
	if (r > 0)
		r = fs_read_file(fd, FILE_NAME, CHECKPOINT_MAX, &text, &len, e);
	if (r < 0)
		return malformed(e);
	return r == 0 ? absent(e, dir) : checkpoint_parse(text, len, uid, ret, e);
}

int checkpoint_probe(const struct host *h, struct err *e)
{
	int r = fs_exists(h->root, e, "%s/device-plugins/" FILE_NAME, h->set.kubelet_dir);

	return r > 0 ? 0 : r < 0 ? -1 : err_set(e, ERR_PODRES, ENOENT, WHAT);
}
