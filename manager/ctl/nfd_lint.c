/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nfd_lint.c - devinfoctl nfd lint: would Node Feature Discovery take these files as meant?
 *
 * They are read in the order of their names, as NFD reads a directory: what overrides what is told,
 * too.
 */
#include "manager/ctl/ctl.h"

#include "base/mem.h"
#include "devinfo/manifest/manifest.h"
#include "manager/ctl/lint.h"
#include "manager/ctl/table.h"
#include "manager/nfd/feature_file.h"
#include "manager/nfd/lint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct linting {
	struct ctl_lint lint;		/* of this file */
	json_t *labels, *features;	/* of all feature files so far */
};

static void hear_line(unsigned int line, bool is_error, const char *text, void *arg)
{
	struct linting *l = arg;

	ctl_lint_add(&l->lint, line, is_error ? SEVERITY_ERROR : SEVERITY_WARNING, text);
}

static void hear_object(const char *where, bool is_error, const char *text, void *arg)
{
	char all[600];

	(void)snprintf(all, sizeof(all), "%s%s%s", where ? where : "", where ? ": " : "", text);
	hear_line(0, is_error, all, arg);
}

/* -- one file -- */

static void lint_features(struct linting *l, const char *path, const char *text, size_t len)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	struct err e;

	l->lint.kind = "feature file";
	if (*base == '.')
		hear_line(0, false, "NFD passes over a name that begins with '.'", l);
	if (feature_file_read(text, len, time(NULL), l->labels, l->features, hear_line, l, &e) < 0)
		ctl_lint_add_err(&l->lint, &e);
}

static void lint_manifests(struct linting *l, const char *text, size_t len)
{
	auto_manifests struct manifests m = { 0 };
	const char *file = l->lint.file;
	struct err e;

	l->lint.kind = "manifest";
	if (manifests_read_with_lists(text, len, file, &m, &e) < 0) {
		ctl_lint_add_err(&l->lint, &e);
		return;
	}
	for (size_t i = 0; i < m.n; i++) {
		l->lint.file = m.list[i].source;
		nfd_lint_manifest(&m.list[i], hear_object, l);
	}
	l->lint.file = file;
}

static void lint_file(struct linting *l, const char *path)
{
	auto_free char *text = NULL;
	size_t len = 0;
	struct err e;

	l->lint.kind = "file";
	if (ctl_read_file(path, MANIFEST_BYTES_MAX, &text, &len, &e) < 0) {
		ctl_lint_add_err(&l->lint, &e);
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
		l->lint.kind = "hook";
		hear_line(0, true, "a hook: NFD runs none since v0.17, so what it "
			    "prints belongs into a file in features.d", l);
		break;
	}
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
		struct linting l = { .labels = labels, .features = features };

		l.lint.file = strcmp(paths[i], "-") == 0 ? "standard input" : paths[i];
		lint_file(&l, paths[i]);
		if (!is_quiet)
			ctl_lint_put(&l.lint, l.lint.kind);
		(void)json_array_append_new(rows, ctl_lint_row(&l.lint));
		errors += l.lint.told[SEVERITY_ERROR];
		ctl_lint_done(&l.lint);
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
