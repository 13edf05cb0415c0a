/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.c - Kubernetes objects in files: one or many, in JSON or YAML */
#include "devinfo/manifest/manifest.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/jx_yaml.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static bool is_ours(const char *name)
{
	const char *dot = strrchr(name, '.');

	return *name != '.' && dot &&
	       (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 || strcmp(dot, ".json") == 0);
}

static int note_name(const char *name, void *arg, struct err *e)
{
	json_t *names = arg;

	(void)e;
	if (is_ours(name))		/* one that is not UTF-8 is none of a manifest */
		(void)json_array_append_new(names, json_string(name));
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const json_t *const *x = a, *const *y = b;

	return strcmp(json_string_value(*x), json_string_value(*y));
}

static int read_file(int dir, const char *name, struct manifests *to, struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;
	int r = fs_read_file(dir, name, MANIFEST_BYTES_MAX, &text, &len, e);

	/* gone since its name was read */
	return r <= 0 ? r : manifests_read(text, len, name, to, e);
}

static void read_files(int dir, json_t *const *names, size_t n, struct manifests *to,
		       void (*bad)(const struct err *why, void *arg), void *arg)
{
	for (size_t i = 0; i < n; i++) {
		struct err why = { 0 };

		if (read_file(dir, json_string_value(names[i]), to, &why) < 0)
			bad(&why, arg);
	}
}

int manifests_read_dir(int root, const char *dir, struct manifests *to,
		       void (*bad)(const struct err *why, void *arg), void *arg, struct err *e)
{
	json_auto_t *names = json_array();
	auto_free json_t **sorted = NULL;
	auto_close int fd = -1;
	json_t *name;
	size_t i;
	int r = fs_each(root, dir, note_name, names, e);

	if (r == 0)
		r = fs_find_dir(root, dir, &fd, e);
	if (r <= 0)
		return r;
	sorted = calloc(json_array_size(names) + 1, sizeof(json_t *));
	if (!sorted)
		return err_set(e, ERR_IO, ENOMEM, "files of '%s'", dir);
	json_array_foreach(names, i, name)
		sorted[i] = name;
	qsort(sorted, i, sizeof(json_t *), by_name);
	read_files(fd, sorted, i, to, bad, arg);
	return 0;
}
