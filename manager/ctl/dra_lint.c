/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dra_lint.c - devinfoctl dra lint: would the API server take these objects?
 *
 * All files together are looked at: a claim goes by the Namespace that is in another one.
 */
#include "manager/ctl/ctl.h"

#include "base/mem.h"
#include "devinfo/manifest/manifest.h"
#include "manager/ctl/lint.h"
#include "manager/ctl/table.h"
#include "manager/dra/lint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct linting {
	struct manifests all;		/* of all files */
	struct kubernetes kubernetes;	/* zeroed: none was said */
	bool is_quiet;
	json_t *rows;			/* owned */
	unsigned int errors;
};

static void linting_done(struct linting *l)
{
	manifests_done(&l->all);
	json_decref(l->rows);
}

static void hear(bool is_error, const char *text, void *arg)
{
	ctl_lint_add(arg, 0, is_error ? SEVERITY_ERROR : SEVERITY_WARNING, text);
}

/* The reference to what it has is taken. */
static void put(struct linting *l, struct ctl_lint *lint)
{
	if (!l->is_quiet)
		ctl_lint_put(lint, lint->kind);
	(void)json_array_append_new(l->rows, ctl_lint_row(lint));
	l->errors += lint->told[SEVERITY_ERROR];
	ctl_lint_done(lint);
}

static void lint_object(struct linting *l, size_t i)
{
	const struct manifest *m = &l->all.list[i];
	struct ctl_lint lint = { .file = m->source, .kind = m->kind };
	char object[330];

	if (!dra_lint_is(m))
		return;
	(void)snprintf(object, sizeof(object), "%.63s %.253s", m->kind, *m->name ? m->name : "-");
	lint.object = object;
	dra_lint_manifest(&l->all, i, hear, &lint);
	if (l->kubernetes.minor > 0)
		dra_lint_version(m, &l->kubernetes, hear, &lint);
	put(l, &lint);
}

static const char *name_of(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

static void add_fault(struct linting *l, const char *path, const struct err *why)
{
	struct ctl_lint lint = { .file = name_of(path), .kind = "file" };

	ctl_lint_add_err(&lint, why);
	put(l, &lint);
}

/* One that cannot be read does not keep the others from being looked at. */
static void read_file(struct linting *l, const char *path)
{
	auto_free char *text = NULL;
	struct err why = { 0 };
	size_t len = 0;

	if (ctl_read_file(path, MANIFEST_BYTES_MAX, &text, &len, &why) < 0 ||
	    manifests_read(text, len, name_of(path), &l->all, &why) < 0)
		add_fault(l, path, &why);
}

static void tell_nothing(struct linting *l, const char *path)
{
	struct ctl_lint lint = { .file = name_of(path), .kind = "file" };

	ctl_lint_add(&lint, 0, SEVERITY_WARNING, "nothing of resource.k8s.io is in it");
	put(l, &lint);
}

/* The objects of one file are those that came with it. */
static void lint_file(struct linting *l, const char *path, size_t first, size_t end)
{
	bool has_any = first == end;

	for (size_t i = first; i < end; i++) {
		has_any |= dra_lint_is(&l->all.list[i]);
		lint_object(l, i);
	}
	if (!has_any)
		tell_nothing(l, path);
}

static int lint_all(struct linting *l, char *const *paths, size_t n)
{
	auto_free size_t *ends = calloc(n + 1, sizeof(*ends));

	if (!ends)
		return -1;
	for (size_t i = 0; i < n; i++) {
		read_file(l, paths[i]);
		ends[i + 1] = l->all.n;
	}
	for (size_t i = 0; i < n; i++)
		lint_file(l, paths[i], ends[i], ends[i + 1]);
	return 0;
}

enum ctl_status ctl_dra_lint(const struct host *host, const struct ctl_options *opt,
			     char *const *operands)
{
	auto_with(linting_done) struct linting l = {
		.is_quiet = ctl_is_json(opt), .rows = json_array(),
	};
	struct err e = { 0 };
	size_t n = 0;

	(void)host;
	if (kubernetes_parse(opt->kubernetes, &l.kubernetes, &e) < 0)
		return ctl_usage("%s", e.msg);
	while (operands[n])
		n++;
	if (lint_all(&l, operands, n) < 0)
		return ctl_error(&(struct err){ .msg = "no memory for the files" });
	if (l.is_quiet)
		ctl_put_json(l.rows);
	return l.errors > 0 ? CTL_FAILED : CTL_OK;
}
