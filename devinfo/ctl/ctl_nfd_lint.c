/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctl_nfd_lint.c - devinfoctl nfd lint: would Node Feature Discovery take these files as meant?
 *
 * They are read in the order of their names, as NFD reads a directory: what overrides what is told,
 * too.
 */
#include "devinfo/ctl/ctl.h"

#include "base/mem.h"
#include "devinfo/ctl/ctl_table.h"
#include "devinfo/inventory/join.h"
#include "devinfo/manifest/manifest.h"
#include "devinfo/nfd/feature_file.h"
#include "devinfo/nfd/nfd_lint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct linting {
	const char *file;		/* of this one: what it is called */
	const char *kind;
	json_t *problems;		/* {"file", "line", "level", "text"}, 0 being the whole */
	unsigned int errors, warnings;
	json_t *labels, *features;	/* of all feature files so far */
};

/* -- problems -- */

/* Names of files may be no UTF-8, and neither what is quoted and cut. */
static json_t *value_of(const char *text)
{
	json_t *v = json_string(text);
	char buf[600];

	if (v)
		return v;
	join_text(buf, sizeof(buf), text);
	return json_string(buf);
}

static void add_problem(struct linting *l, unsigned int line, bool is_error, const char *text)
{
	const char *level = is_error ? "error" : "warning";

	(void)json_array_append_new(l->problems, json_pack("{s:o,s:i,s:s,s:o}", "file",
							   value_of(l->file), "line", (int)line,
							   "level", level, "text",
							   value_of(text)));
	*(is_error ? &l->errors : &l->warnings) += 1;
}

/* Of the file as a whole, which need not be named twice. */
static void add_error(struct linting *l, const struct err *e)
{
	char text[sizeof(e->msg) + sizeof(e->details) + 4];
	size_t n = strlen(l->file);
	const char *msg = strncmp(e->msg, l->file, n) == 0 && strncmp(e->msg + n, ": ", 2) == 0 ?
				  e->msg + n + 2 : e->msg;

	(void)snprintf(text, sizeof(text), "%s%s%s%s", msg, *e->details ? " (" : "", e->details,
		       *e->details ? ")" : "");
	add_problem(l, 0, true, text);
}

static void hear_line(unsigned int line, bool is_error, const char *text, void *arg)
{
	struct linting *l = arg;

	add_problem(l, line, is_error, text);
}

static void hear_object(const char *where, bool is_error, const char *text, void *arg)
{
	struct linting *l = arg;
	char all[600];

	(void)snprintf(all, sizeof(all), "%s%s%s", where ? where : "", where ? ": " : "", text);
	add_problem(l, 0, is_error, all);
}

/* -- one file -- */

static void lint_features(struct linting *l, const char *path, const char *text, size_t len)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	struct err e;

	l->kind = "feature file";
	if (*base == '.')
		add_problem(l, 0, false, "NFD passes over a name that begins with '.'");
	if (feature_file_read(text, len, time(NULL), l->labels, l->features, hear_line, l, &e) < 0)
		add_error(l, &e);
}

static void lint_manifests(struct linting *l, const char *text, size_t len)
{
	auto_manifests struct manifests m = { 0 };
	const char *file = l->file;
	struct err e;

	l->kind = "manifest";
	if (manifests_read_with_lists(text, len, file, &m, &e) < 0) {
		add_error(l, &e);
		return;
	}
	for (size_t i = 0; i < m.n; i++) {
		l->file = m.list[i].source;
		nfd_lint_manifest(&m.list[i], hear_object, l);
	}
	l->file = file;
}

static void lint_file(struct linting *l, const char *path)
{
	auto_free char *text = NULL;
	size_t len = 0;
	struct err e;

	l->kind = "file";
	if (ctl_read_file(path, MANIFEST_BYTES_MAX, &text, &len, &e) < 0) {
		add_error(l, &e);
		return;
	}
	switch (nfd_file_kind(path, text, len)) {
	case NFD_FILE_FEATURES:
		lint_features(l, path, text, len);
		break;
	case NFD_FILE_MANIFESTS:
		lint_manifests(l, text, len);
		break;
	case NFD_FILE_HOOK:
		l->kind = "hook";
		add_problem(l, 0, true, "a hook: NFD runs none since v0.17, so what it "
			    "prints belongs into a file in features.d");
		break;
	}
}

/* -- what is told -- */

static void put_problem(const json_t *p)
{
	json_int_t line = json_integer_value(json_object_get(p, "line"));
	char at[24] = "";

	if (line > 0)
		(void)snprintf(at, sizeof(at), ":%" JSON_INTEGER_FORMAT, line);
	ctl_put_line(stdout, "%s%s: %s: %s", json_string_value(json_object_get(p, "file")), at,
		     json_string_value(json_object_get(p, "level")),
		     json_string_value(json_object_get(p, "text")));
}

static void put_result(const struct linting *l)
{
	const json_t *p;
	size_t i;

	json_array_foreach(l->problems, i, p) {
		put_problem(p);
	}
	if (l->errors > 0)
		return;
	if (l->warnings > 0)
		ctl_put_line(stdout, "%s: ok (%s, %u warning%s)", l->file, l->kind, l->warnings,
			     l->warnings == 1 ? "" : "s");
	else
		ctl_put_line(stdout, "%s: ok (%s)", l->file, l->kind);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All files, each with a row; the number of errors. */
static unsigned int lint_all(const char *const *paths, size_t n, bool is_quiet, json_t *rows)
{
	json_auto_t *labels = json_object(), *features = json_object();
	unsigned int errors = 0;

	for (size_t i = 0; i < n; i++) {
		struct linting l = { .labels = labels, .features = features,
				     .problems = json_array() };

		l.file = strcmp(paths[i], "-") == 0 ? "standard input" : paths[i];
		lint_file(&l, paths[i]);
		if (!is_quiet)
			put_result(&l);
		(void)json_array_append_new(rows, json_pack("{s:o,s:s,s:b,s:o}", "file",
							    value_of(l.file), "kind", l.kind,
							    "ok", l.errors == 0, "problems",
							    l.problems));
		errors += l.errors;
	}
	return errors;
}

enum ctl_status ctl_nfd_lint(const struct host *host, const struct ctl_options *opt,
			     char *const *operands)
{
	json_auto_t *rows = json_array();
	auto_free const char **paths = NULL;
	unsigned int errors;
	size_t n = 0;

	(void)host;
	while (operands[n])
		n++;
	paths = calloc(n + 1, sizeof(*paths));
	if (!paths)
		return ctl_error(&(struct err){ .msg = "no memory for the names of files" });
	memcpy(paths, operands, n * sizeof(*paths));
	qsort(paths, n, sizeof(*paths), by_path);
	errors = lint_all(paths, n, ctl_is_json(opt), rows);
	if (ctl_is_json(opt))
		ctl_put_json(rows);
	return errors > 0 ? CTL_FAILED : CTL_OK;
}
