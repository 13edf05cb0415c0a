/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.c - Kubernetes objects in files: one or many, in JSON or YAML */
#include "devinfo/manifest/manifest.h"

#include "base/deadline.h"
#include "base/fs.h"
#include "base/jx.h"
#include "base/jx_yaml.h"
#include "base/mem.h"
#include "devinfo/manifest/manifest_word.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void manifest_done(struct manifest *m)
{
	free(m->source);
	json_decref(m->doc);
	*m = (struct manifest){ 0 };
}

/* Leave the first n of them. */
static void cut(struct manifests *m, size_t n)
{
	while (m->n > n)
		manifest_done(&m->list[--m->n]);
}

void manifests_remove(struct manifests *m, size_t at)
{
	manifest_done(&m->list[at]);
	m->n--;
	memmove(&m->list[at], &m->list[at + 1], (m->n - at) * sizeof(m->list[0]));
}

void manifests_done(struct manifests *m)
{
	cut(m, 0);
	free(m->list);
	*m = (struct manifests){ 0 };
}

/* -- the documents of a text -- */

static json_t *read_json(const char *text, size_t len, const char *what, struct err *e)
{
	json_auto_t *list = json_array();
	size_t pos = 0;

	for (;;) {
		json_t *v = NULL;
		int r = jx_parse_next(text, len, &pos, ERR_NETCONF, what, &v, e);

		if (r <= 0)
			return r == 0 ? steal_ptr(&list) : NULL;
		(void)json_array_append_new(list, v);
		if (json_array_size(list) > MANIFESTS_MAX) {
			(void)err_set(e, ERR_NETCONF, 0, "%s: more than %d documents", what,
				      MANIFESTS_MAX);
			return NULL;
		}
	}
}

/* Lists are no objects of kubectl's, and NFD reads its rules as YAML: "[{name: r}]". */
static json_t *read_list(const char *text, size_t len, const char *what, struct err *e)
{
	struct err unused = { 0 };
	json_t *list = read_json(text, len, what, &unused);

	return list ? list : jx_yaml_parse_all(text, len, ERR_NETCONF, what, e);
}

static json_t *read_documents(const char *text, size_t len, const char *what, struct err *e)
{
	size_t at = 0;

	if (len > MANIFEST_BYTES_MAX) {
		(void)err_set(e, ERR_NETCONF, 0, "%s: has %zu bytes, at most %d are allowed", what,
			      len, MANIFEST_BYTES_MAX);
		return NULL;
	}
	while (at < len && memchr(" \t\r\n", text[at], 4))
		at++;
	if (at < len && text[at] == '[')
		return read_list(text, len, what, e);
	if (at < len && text[at] == '{')
		return read_json(text, len, what, e);
	return jx_yaml_parse_all(text, len, ERR_NETCONF, what, e);
}

/* -- what of it is an object -- */

struct reader {
	const char *what;
	bool may_be_lists;
	size_t first;			/* of to: what was there before */
	struct manifests *to;
};

/* A reader of API objects would refuse a kind that is no text, so it is wrong here. */
static int read_names(struct manifest *m, struct err *e)
{
	json_t *metadata = NULL;

	m->api_version = m->kind = m->name = "";
	if (!json_is_object(m->doc))
		return 0;
	return jx_string(m->doc, "", "apiVersion", &m->api_version, e) < 0 ||
			       jx_string(m->doc, "", "kind", &m->kind, e) < 0 ||
			       jx_object(m->doc, "", "metadata", &metadata, e) < 0 ||
			       jx_string(metadata, "metadata", "name", &m->name, e) < 0 ?
		       -1 : 0;
}

static int append(const struct reader *r, json_t *doc, struct err *e)
{
	struct manifests *to = r->to;
	struct manifest *list, *m;

	if (to->n == MANIFESTS_MAX)
		return err_set(e, ERR_NETCONF, 0, "more than %d objects", MANIFESTS_MAX);
	list = reallocarray(to->list, to->n + 1, sizeof(*list));
	if (!list)
		return err_set(e, ERR_IO, ENOMEM, "objects");
	to->list = list;
	m = &list[to->n++];
	*m = (struct manifest){ .source = strdup(r->what), .doc = json_incref(doc) };
	return m->source ? read_names(m, e) : err_set(e, ERR_IO, ENOMEM, "objects");
}

static bool is_list(const json_t *doc)
{
	const char *version = json_string_value(json_object_get(doc, "apiVersion"));
	const char *kind = json_string_value(json_object_get(doc, "kind"));

	return version && kind && strcmp(version, "v1") == 0 && strcmp(kind, "List") == 0;
}

static int take_document(const struct reader *r, json_t *doc, unsigned int depth, struct err *e);

static int take_items(const struct reader *r, const json_t *list, unsigned int depth,
		      struct err *e)
{
	json_t *items = NULL, *v;
	size_t i;

	if (depth == 2)
		return err_set(e, ERR_NETCONF, 0, "a List in a List in a List");
	if (jx_array(list, "", "items", &items, e) < 0)
		return -1;
	json_array_foreach(items, i, v) {
		if (!json_is_object(v))
			return err_set(e, ERR_NETCONF, 0, "items[%zu]: expected an object, got %s",
				       i, jx_type_name(v));
		if (take_document(r, v, depth + 1, e) < 0)
			return -1;
	}
	return 0;
}

static int take_document(const struct reader *r, json_t *doc, unsigned int depth, struct err *e)
{
	if (is_list(doc))
		return take_items(r, doc, depth, e);
	if (json_is_object(doc) || (json_is_array(doc) && r->may_be_lists))
		return append(r, doc, e);
	return err_set(e, ERR_NETCONF, 0, "expected an object, got %s", jx_type_name(doc));
}

/* Of several objects each gets its number. */
static int number(const struct reader *r, struct err *e)
{
	if (r->to->n - r->first < 2)
		return 0;
	for (size_t i = r->first; i < r->to->n; i++) {
		struct manifest *m = &r->to->list[i];

		free(m->source);
		m->source = NULL;
		if (asprintf(&m->source, "%s#%zu", r->what, i - r->first + 1) < 0)
			return err_set(e, ERR_IO, ENOMEM, "objects");
	}
	return 0;
}

static int take_all(const struct reader *r, const json_t *docs, struct err *e)
{
	json_t *doc;
	size_t i;

	json_array_foreach(docs, i, doc)
		if (!json_is_null(doc) && take_document(r, doc, 0, e) < 0)
			return json_array_size(docs) > 1 ?
				       err_wrap(e, "%s: document %zu", r->what, i + 1) :
				       err_wrap(e, "%s", r->what);
	return number(r, e);
}

static int read_text(const struct reader *r, const char *text, size_t len, struct err *e)
{
	json_auto_t *docs = read_documents(text, len, r->what, e);

	if (docs && take_all(r, docs, e) == 0)
		return 0;
	cut(r->to, r->first);
	return -1;
}

int manifests_read(const char *text, size_t len, const char *what, struct manifests *to,
		   struct err *e)
{
	return read_text(&(struct reader){ what, false, to->n, to }, text, len, e);
}

int manifests_read_with_lists(const char *text, size_t len, const char *what,
			      struct manifests *to, struct err *e)
{
	return read_text(&(struct reader){ what, true, to->n, to }, text, len, e);
}

/* -- a directory -- */

enum { READ_MS = 10000 };		/* for all of it; a node's own has some milliseconds */

struct reading {
	const struct manifest_dir *how;
	const char *path;		/* of the directory */
	int dir;
	struct deadline until;
	size_t bytes;			/* of all files so far */
	json_t *names;			/* owned */
	struct manifests *to;
	void (*bad)(const struct err *why, void *arg);
	void *arg;
};

static void reading_done(const struct reading *d)
{
	json_decref(d->names);
	if (d->dir >= 0)
		(void)close(d->dir);
}

static bool is_ours(const char *const *endings, const char *name)
{
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; *name != '.' && dot && endings[i]; i++)
		if (strcmp(dot, endings[i]) == 0)
			return true;
	return false;
}

static int note_name(const char *name, void *arg, struct err *e)
{
	const struct reading *d = arg;

	if (is_ours(d->how->endings, name))	/* one that is not UTF-8 is none of a manifest */
		(void)json_array_append_new(d->names, json_string(name));
	return json_array_size(d->names) <= MANIFESTS_MAX ?
		       0 : err_set(e, ERR_NETCONF, 0, "'%s' has more than %d files", d->path,
				   MANIFESTS_MAX);
}

/* Of one that has grown too large in sum nobody knows what it lacks. */
static int check_limits(const struct reading *d, struct err *e)
{
	if (d->bytes > MANIFEST_BYTES_MAX)
		return err_set(e, ERR_NETCONF, 0, "the files of '%s' have more than %d bytes",
			       d->path, MANIFEST_BYTES_MAX);
	return deadline_left_ms(&d->until) > 0 ?
		       0 : deadline_error(ERR_TRY_AGAIN, e, "read the files of '%s'", d->path);
}

/* Absent: gone since its name was read. */
static int read_file(struct reading *d, const char *name, struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;
	int r = (d->how->own ? fs_read_own_file : fs_read_file)(d->dir, name, MANIFEST_BYTES_MAX,
								 &text, &len, e);

	d->bytes += len;
	if (r <= 0 || (d->how->words && !manifest_may_have(text, len, d->how->words)))
		return r;
	return manifests_read(text, len, name, d->to, e);
}

static int read_files(struct reading *d, json_t *const *names, size_t n, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		struct err why = { 0 };

		if (read_file(d, json_string_value(names[i]), &why) < 0)
			d->bad(&why, d->arg);
		r = check_limits(d, e);
	}
	return r;
}

static int by_name(const void *a, const void *b)
{
	const json_t *const *x = a, *const *y = b;

	return strcmp(json_string_value(*x), json_string_value(*y));
}

static int read_sorted(struct reading *d, struct err *e)
{
	size_t n = json_array_size(d->names), i;
	auto_free json_t **sorted = calloc(n + 1, sizeof(json_t *));
	json_t *name;

	if (!sorted)
		return err_set(e, ERR_IO, ENOMEM, "files of '%s'", d->path);
	json_array_foreach(d->names, i, name)
		sorted[i] = name;
	qsort(sorted, n, sizeof(json_t *), by_name);
	return read_files(d, sorted, n, e);
}

int manifests_read_dir_as(int root, const char *dir, const struct manifest_dir *how,
			  struct manifests *to, void (*bad)(const struct err *why, void *arg),
			  void *arg, struct err *e)
{
	auto_with(reading_done) struct reading d = {
		.how = how, .path = dir, .dir = -1, .until = deadline_in(READ_MS), .to = to,
		.bad = bad, .arg = arg,
	};
	int r = how->own ? fs_open_own_dir(root, dir, false, &d.dir, e) :
			   fs_find_dir(root, dir, &d.dir, e);

	if (r <= 0)
		return r;
	d.names = json_array();
	return fs_each_in(d.dir, dir, note_name, &d, e) < 0 || read_sorted(&d, e) < 0 ? -1 : 1;
}

int manifests_read_dir(int root, const char *dir, struct manifests *to,
		       void (*bad)(const struct err *why, void *arg), void *arg, struct err *e)
{
	static const char *const endings[] = { ".yaml", ".yml", ".json", NULL };
	static const struct manifest_dir how = { .endings = endings };

	return manifests_read_dir_as(root, dir, &how, to, bad, arg, e) < 0 ? -1 : 0;
}
