/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint.c - kubelet's own note of which pod has which devices
 *
 *	{"Data": {"PodDeviceEntries": [{"PodUID", "ContainerName", "ResourceName",
 *		  "DeviceIDs": {"0": ["id"], "-1": ["id"]}, "AllocResp"}], "RegisteredDevices"},
 *	 "Checksum": 1}
 *
 * kubelet replaces the file by rename, so that it is whole whenever we open it.  Its checksum is
 * not verified: it is a hash of how Go prints the structs, which differs between releases.
 *
 * There is an entry for each resource of each container, in random order.
 */
#include "devinfo/kubelet/checkpoint.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define FILE_NAME "kubelet_internal_checkpoint"

enum { MAX_ENTRIES = 4096 };	/* of one pod: containers times resources */

/* An entry of the pod, borrowed from the document. */
struct entry {
	const char *container, *resource;
	json_t *ids;		/* a list, or lists by NUMA node; NULL for none */
};

struct entries {
	struct entry *list;	/* owned */
	size_t count;
};

static void entries_done(struct entries *s)
{
	free(s->list);
}

/* -- the document -- */

/* What is wrong, by jx.h or fs.h, is wrong with this file and not with our configuration. */
static int malformed(struct err *e)
{
	e->code = ERR_PODRES;
	return err_wrap(e, "kubelet's checkpoint");
}

static int lacks(struct err *e, const char *path, const char *key)
{
	return err_set(e, ERR_PODRES, 0, "kubelet's checkpoint: %s has no %s", path, key);
}

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
	else if (ids && !json_is_null(ids))
		return err_set(e, ERR_PODRES, 0, "kubelet's checkpoint: %s.DeviceIDs: expected a "
			       "list or an object, got %s", path, jx_type_name(ids));
	return 0;
}

/* 1 when it is an entry of this pod, 0 of another one, which is not looked at further; -1. */
static int read_entry(const json_t *o, size_t index, const char *uid, struct entry *ret,
		      struct err *e)
{
	struct entry entry = { 0 };
	const char *its_uid = NULL;
	char path[64];

	(void)snprintf(path, sizeof(path), "PodDeviceEntries[%zu]", index);
	if (!json_is_object(o))
		return err_set(e, ERR_PODRES, 0, "kubelet's checkpoint: %s: expected an object, "
			       "got %s", path, jx_type_name(o));
	if (want_string(o, path, "PodUID", &its_uid, e) < 0)
		return -1;
	if (strcmp(its_uid, uid) != 0)
		return 0;
	if (want_string(o, path, "ContainerName", &entry.container, e) < 0 ||
	    want_string(o, path, "ResourceName", &entry.resource, e) < 0 ||
	    read_ids(o, path, &entry.ids, e) < 0)
		return -1;
	*ret = entry;
	return 1;
}

static int find_entries(const json_t *all, const char *uid, struct entries *ret, struct err *e)
{
	const json_t *o;
	size_t i;

	ret->list = calloc(MAX_ENTRIES, sizeof(*ret->list));
	if (!ret->list)
		return err_set(e, ERR_PODRES, ENOMEM, "kubelet's checkpoint");
	json_array_foreach(all, i, o) {
		struct entry entry;
		int r = read_entry(o, i, uid, &entry, e);

		if (r < 0)
			return -1;
		if (r == 0)
			continue;
		if (ret->count == MAX_ENTRIES)
			return err_set(e, ERR_PODRES, E2BIG, "kubelet's checkpoint has more than "
				       "%d entries of pod %.64s", MAX_ENTRIES, uid);
		ret->list[ret->count++] = entry;
	}
	return 0;
}

/* -- the devices -- */

static int add_list(struct allocation *a, const char *resource, const json_t *ids, struct err *e)
{
	const json_t *id;
	size_t i;

	if (json_is_null(ids))
		return 0;
	if (!json_is_array(ids))
		return err_set(e, ERR_PODRES, 0, "kubelet's checkpoint: DeviceIDs of %.128s: "
			       "expected a list, got %s", resource, jx_type_name(ids));
	json_array_foreach(ids, i, id) {
		if (!json_is_string(id))
			return err_set(e, ERR_PODRES, 0, "kubelet's checkpoint: DeviceIDs of "
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

static int read_document(const json_t *doc, const char *uid, struct allocation *ret, struct err *e)
{
	auto_allocation struct allocation found = { .source = "kubelet's checkpoint" };
	auto_with(entries_done) struct entries entries = { 0 };
	json_t *data = NULL, *all = NULL;
	int r = jx_object(doc, "", "Data", &data, e);

	if (r == 0)
		return lacks(e, "it", "Data");
	if (r < 0 || jx_array(data, "Data", "PodDeviceEntries", &all, e) < 0)
		return malformed(e);
	if (find_entries(all, uid, &entries, e) < 0)
		return -1;
	if (entries.count == 0) {
		(void)err_set(e, ERR_PODRES, 0, "kubelet's checkpoint knows no pod of UID %.64s",
			      uid);
		return 0;
	}
	for (size_t i = 0; i < entries.count; i++)
		if (is_first(&entries, i) && add_container(&found, &entries, i, e) < 0)
			return -1;
	*ret = found;
	found = (struct allocation){ 0 };
	return 1;
}

int checkpoint_parse(const char *text, size_t len, const char *uid, struct allocation *ret,
		     struct err *e)
{
	json_auto_t *doc = jx_parse(text, len, ERR_PODRES, "kubelet's checkpoint", e);

	return doc ? read_document(doc, uid, ret, e) : -1;
}

/* -- the file -- */

static int absent(struct err *e, const char *dir)
{
	(void)err_set(e, ERR_PODRES, 0, "kubelet's checkpoint %.128s/" FILE_NAME " is not there",
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

	return r > 0 ? 0 : r < 0 ? -1 : err_set(e, ERR_PODRES, ENOENT, "kubelet's checkpoint");
}
