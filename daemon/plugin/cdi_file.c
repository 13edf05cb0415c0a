/* SPDX-License-Identifier: Apache-2.0 */
/* cdi_file.c - specifications of the Container Device Interface about the devices of resources */
#include "daemon/plugin/cdi_file.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "daemon/plugin/cdi_name.h"
#include "daemon/plugin/holder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CDI_VERSION "0.5.0"	/* the first with hostPath and names that begin with a digit */

enum { FILE_MAX = 8 * 1024 * 1024, FILES_MAX = 4096 };

/* -- what was told -- */

void cdi_told_turn(struct cdi_told *t)
{
	free(t->before);
	*t = (struct cdi_told){ .before = t->now, .n_before = t->n_now };
}

void cdi_told_done(struct cdi_told *t)
{
	free(t->before);
	free(t->now);
	*t = (struct cdi_told){ .n_now = 0 };
}

/* Where there is no memory it is told again. */
bool cdi_told_is_new(struct cdi_told *t, const char *resource, const char *id)
{
	uint64_t h = name_hash(name_hash(0, resource), id);
	uint64_t *bigger = realloc(t->now, (t->n_now + 1) * sizeof(*bigger));

	if (bigger) {
		t->now = bigger;
		bigger[t->n_now++] = h;
	}
	for (size_t i = 0; i < t->n_before; i++)
		if (t->before[i] == h)
			return false;
	return true;
}

/* -- the file that is there -- */

/* A new reference; one that cannot be used is as none, for it is replaced. */
static json_t *read_there(int dir, const char *name)
{
	auto_free char *text = NULL;
	struct err e = { 0 };
	json_t *doc = NULL;
	size_t len;

	if (fs_read_file(dir, name, FILE_MAX, &text, &len, &e) > 0)
		doc = jx_parse(text, len, ERR_IO, name, &e);
	if (json_is_object(doc))
		return doc;
	json_decref(doc);
	return NULL;
}

/* What it says of a device; NULL: nothing.  Borrowed. */
static json_t *find_device(const json_t *doc, const char *id)
{
	json_t *list = json_object_get(doc, "devices"), *d;
	size_t i;

	json_array_foreach(list, i, d) {
		const char *name = json_string_value(json_object_get(d, "name"));

		if (name && strcmp(name, id) == 0)
			return d;
	}
	return NULL;
}

/* -- what it should say -- */

static json_t *node_of(const struct access_node *n)
{
	json_t *o = json_pack("{s:s}", "path", n->container);

	if (strcmp(n->container, n->host) != 0)
		(void)json_object_set_new(o, "hostPath", json_string(n->host));
	(void)json_object_set_new(o, "permissions", json_string(n->permissions));
	return o;
}

/* A new reference; NULL: it has no nodes, or they cannot be told. */
static json_t *device_of(const struct access_world *w, const struct offered *d,
			 struct cdi_told *t)
{
	auto_access struct access a = { .n_nodes = 0 };
	struct err e = { 0 };
	json_t *nodes;

	if (access_device(w, d, &a, NULL, &e) < 0) {
		if (!t || cdi_told_is_new(t, w->offer->resource, d->id))
			log_warning("resource=%s device=%s msg=\"not in the CDI specification\" "
				    "why=%s", w->offer->resource, d->id, e.msg);
		return NULL;
	}
	if (a.n_nodes == 0)
		return NULL;
	nodes = json_array();
	for (size_t i = 0; i < a.n_nodes; i++)
		(void)json_array_append_new(nodes, node_of(&a.nodes[i]));
	return json_pack("{s:s,s:{s:o}}", "name", d->id, "containerEdits", "deviceNodes", nodes);
}

/* One that nobody has is described anew, one that is in use stays as its container knows it. */
static json_t *list_devices(const struct access_world *w, const json_t *there,
			    struct cdi_told *t)
{
	json_t *list = json_array();

	for (size_t i = 0; i < w->offer->n; i++) {
		const struct offered *d = &w->offer->list[i];
		json_t *known = d->held ? find_device(there, d->id) : NULL;
		json_t *one = known ? json_incref(known) : device_of(w, d, t);

		if (one)
			(void)json_array_append_new(list, one);
	}
	return list;
}

static json_t *list_held(const struct offer *o, const json_t *there)
{
	json_t *list = json_array();

	for (size_t i = 0; i < o->n; i++) {
		json_t *known = o->list[i].held ? find_device(there, o->list[i].id) : NULL;

		if (known)
			(void)json_array_append(list, known);
	}
	return list;
}

/* -- writing -- */

/* devices: a list, whose reference is taken. */
static int put(int dir, const struct offer *o, const char *name, const json_t *there,
	       json_t *devices, struct err *e)
{
	char kind[CDI_KIND_SIZE];
	auto_free char *text = NULL;
	json_auto_t *doc = NULL;
	size_t len;

	cdi_kind(o->resource, kind);
	doc = json_pack("{s:s,s:s,s:o}", "cdiVersion", CDI_VERSION, "kind", kind, "devices",
			devices);
	if (json_array_size(devices) == 0)
		return fs_remove(dir, name, e) < 0 ? -1 : 0;
	if (there && json_equal(doc, there))
		return 0;
	text = jx_dump(doc, &len);
	return fs_write_file(dir, name, text, len, 0644, FS_THIS_BOOT, e);
}

int cdi_file_write(const struct access_world *w, struct cdi_told *t, struct err *e)
{
	auto_close int dir = fs_open_dir(w->host->root, CDI_DIR, 0755, e);
	json_auto_t *there = NULL;
	char name[256];

	if (dir < 0)
		return -1;
	cdi_file_name(w->offer->resource, name);
	there = read_there(dir, name);
	return put(dir, w->offer, name, there, list_devices(w, there, t), e);
}

/* The first of the names that its file does not have; NULL: it has all. */
static const char *find_missing(const struct access_world *w, const struct access *a)
{
	json_auto_t *there = NULL;
	auto_close int dir = -1;
	struct err ignored;		/* who writes the file tells it */
	char name[256];

	cdi_file_name(w->offer->resource, name);
	if (fs_find_dir(w->host->root, CDI_DIR, &dir, &ignored) > 0)
		there = read_there(dir, name);
	for (size_t i = 0; i < a->n_cdi; i++)
		if (!find_device(there, strchr(a->cdi[i], '=') + 1))
			return a->cdi[i];
	return NULL;
}

int cdi_file_ensure(const struct access_world *w, const struct access *a, struct err *e)
{
	const char *missing;

	if (a->n_cdi == 0 || !find_missing(w, a))
		return 0;
	if (cdi_file_write(w, NULL, e) < 0)
		return err_wrap(e, "CDI specification of %.128s", w->offer->resource);
	missing = find_missing(w, a);
	return missing ? err_set(e, ERR_TRY_AGAIN, 0, "%s is not in the CDI specification",
				 missing) : 0;
}

int cdi_file_withdraw(const struct host *host, const struct offer *o, struct err *e)
{
	auto_close int dir = -1;
	json_auto_t *there = NULL;
	char name[256];
	int r = fs_find_dir(host->root, CDI_DIR, &dir, e);

	if (r <= 0)
		return r;
	cdi_file_name(o->resource, name);
	there = read_there(dir, name);
	return put(dir, o, name, there, list_held(o, there), e);
}

/* -- those of other resources -- */

struct others {
	const struct offers *o;
	char (*name)[256];		/* owned */
	size_t n;
};

static void others_done(struct others *x)
{
	free(x->name);
}

static int keep_other(const char *name, void *arg, struct err *e)
{
	struct others *x = arg;
	char own[256];
	char (*bigger)[256];

	if (strncmp(name, CDI_FILE_PREFIX, strlen(CDI_FILE_PREFIX)) != 0 || x->n == FILES_MAX)
		return 0;
	for (size_t i = 0; i < x->o->n; i++) {
		cdi_file_name(x->o->list[i].resource, own);
		if (strcmp(own, name) == 0)
			return 0;
	}
	bigger = realloc(x->name, (x->n + 1) * sizeof(*bigger));
	if (!bigger)
		return err_set(e, ERR_IO, ENOMEM, "names of files");
	x->name = bigger;
	memcpy(x->name[x->n++], name, strlen(name) + 1);
	return 0;
}

/* Is it on offer by another resource, as one that a pod has? */
static bool is_held(const struct offers *o, const char *id)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct offered *d = offer_find(&o->list[i], id);

		if (d && d->held)
			return true;
	}
	return false;
}

/* Does a pod have a device by this specification?  One that cannot be told counts. */
static bool is_needed(const struct host *host, const struct offers *o, const json_t *there)
{
	const json_t *list = json_object_get(there, "devices"), *d;
	struct err ignored;
	size_t i;

	json_array_foreach(list, i, d) {
		const char *id = json_string_value(json_object_get(d, "name"));

		if (id && (is_held(o, id) || holder_lives(host, id, &ignored) != 0))
			return true;
	}
	return false;
}

int cdi_file_remove_others(const struct host *host, const struct offers *o, struct err *e)
{
	auto_with(others_done) struct others x = { .o = o };
	auto_close int dir = -1;
	int r = fs_find_dir(host->root, CDI_DIR, &dir, e);

	if (r <= 0)
		return r;
	if (fs_each_in(dir, CDI_DIR, keep_other, &x, e) < 0)
		return -1;
	for (size_t i = 0; i < x.n; i++) {
		json_auto_t *there = read_there(dir, x.name[i]);

		if (!is_needed(host, o, there) && fs_remove(dir, x.name[i], e) < 0)
			return -1;
	}
	return 0;
}
