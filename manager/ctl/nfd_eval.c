/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nfd_eval.c - devinfoctl nfd eval: what would rules of Node Feature Discovery give this node?
 *
 * The features are those of the node and of its feature files, as nfd-worker would find them, or
 * those of NodeFeature objects in a file.
 */
#include "manager/ctl/ctl.h"

#include "base/jx.h"
#include "base/mem.h"
#include "devinfo/manifest/manifest.h"
#include "manager/ctl/table.h"
#include "manager/inventory/inventory.h"
#include "manager/inventory/join_text.h"
#include "manager/nfd/eval.h"
#include "manager/nfd/feature_file.h"
#include "manager/nfd/feature_set.h"
#include "manager/nfd/features.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct ctl_column columns[] = {
	{ "NAME", "name", .wide = false },   { "KIND", "kind", .wide = false },
	{ "VALUE", "value", .wide = false }, { "RULE", "rule", .wide = false },
	{ "OBJECT", "object", .wide = true }, { "NOTE", "note", .below = "  " },
};

/* -- what is read -- */

typedef int read_fn(const char *text, size_t len, const char *what, struct manifests *to,
		    struct err *e);

/* The name of a file may be no UTF-8, and what is found in it is told in JSON. */
static int read_manifests(const char *path, read_fn *read, struct manifests *to, struct err *e)
{
	auto_free char *text = NULL;
	char what[PATH_MAX];
	size_t len = 0;

	if (ctl_read_file(path, MANIFEST_BYTES_MAX, &text, &len, e) < 0)
		return -1;
	join_text(what, sizeof(what), path);
	return read(text, len, strcmp(path, "-") == 0 ? "standard input" : what, to, e);
}

static int read_given(const char *path, struct manifests *given, struct nfd_eval *v,
		      struct err *e)
{
	if (read_manifests(path, manifests_read, given, e) < 0)
		return -1;
	if (given->n == 0)
		return err_set(e, ERR_NETCONF, 0, "%s: there is no NodeFeature in it", path);
	return nfd_eval_add_manifests(v, given, e) < 0 ? err_wrap(e, "--features") : 0;
}

static int read_node(const struct host *host, struct nfd_eval *v, struct err *e)
{
	auto_inventory struct inventory inv = { 0 };
	json_auto_t *features = NULL, *labels = NULL;

	if (inventory_read(host, &inv, e) < 0 || inventory_join(host, &inv, e) < 0)
		return -1;
	features = nfd_features(host, &inv, e);
	if (!features)
		return -1;
	if (v->node_name)
		nfd_features_set_name(features, v->node_name);
	labels = feature_file_labels(feature_elements(features, "attributes", "local.label"));
	return nfd_eval_add(v, features, labels, "feature files", e);
}

/* -- what is told -- */

static const char *text_in(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static void put_problems(const struct nfd_eval *v)
{
	const json_t *p;
	size_t i;

	json_array_foreach(v->problems, i, p) {
		const char *rule = text_in(p, "rule");

		ctl_put_line(stderr, "devinfoctl: %s%s%s%s: %s%s", text_in(p, "object"),
			     rule ? ": rule '" : "", rule ? rule : "", rule ? "'" : "",
			     json_is_true(json_object_get(p, "skipped")) ? "skipped: " : "",
			     text_in(p, "problem"));
	}
}

static const char *word_of(const json_t *term)
{
	return json_object_get(term, "error") ? "fails" :
	       json_is_true(json_object_get(term, "value")) ? "yes" : "no";
}

/* What an expression was asked of. */
static void put_asked(const json_t *term)
{
	const json_t *is = json_object_get(term, "is");

	if (json_is_string(is)) {
		(void)fputs(" (it is '", stdout);
		ctl_put_text(stdout, json_string_value(is));
		(void)fputs("')", stdout);
	} else if (is) {
		(void)fputs(json_is_true(is) ? " (it is there)" : " (it is absent)", stdout);
	}
}

static void put_term(const json_t *term, int depth)
{
	const char *error = text_in(term, "error");

	(void)printf("%*s", 2 * depth, "");
	ctl_put_text(stdout, text_in(term, "term"));
	(void)printf(": %s", word_of(term));
	put_asked(term);
	if (error) {
		(void)fputs(": ", stdout);
		ctl_put_text(stdout, error);
	}
	(void)fputc('\n', stdout);
}

enum { INSTANCES_SHOWN = 10 };

/* Of many instances the first are told. */
static void put_terms(const json_t *terms, int depth)
{
	const json_t *term;
	size_t i, n = json_array_size(terms);

	json_array_foreach(terms, i, term) {
		const char *text = text_in(term, "term");

		if (i == INSTANCES_SHOWN && strncmp(text, "instance ", 9) == 0) {
			(void)printf("%*sand %zu more, see --json\n", 2 * depth, "", n - i);
			return;
		}
		put_term(term, depth);
		put_terms(json_object_get(term, "terms"), depth + 1);
	}
}

static void put_why(const struct nfd_eval *v)
{
	const json_t *rule;
	size_t i;

	json_array_foreach(v->why, i, rule) {
		const char *error = text_in(rule, "error");
		bool matches = json_is_true(json_object_get(rule, "value"));

		(void)fputc('\n', stdout);
		ctl_put_line(stdout, "%s: rule '%s' %s%s", text_in(rule, "object"),
			     text_in(rule, "rule"),
			     error ? "fails: " : matches ? "matches" : "does not match",
			     error ? error : "");
		put_terms(json_object_get(rule, "terms"), 1);
	}
}

static void put_json(const struct nfd_eval *v)
{
	json_auto_t *doc = json_pack("{s:O,s:O}", "outputs", v->rows, "problems", v->problems);

	if (v->why)
		(void)json_object_set(doc, "why", v->why);
	ctl_put_json(doc);
}

enum { EVAL_MS = 10000 };	/* all rules; a node's are done in milliseconds */

enum ctl_status ctl_nfd_eval(const struct host *host, const struct ctl_options *opt,
			     char *const *operands)
{
	auto_manifests struct manifests m = { 0 }, given = { 0 };
	auto_nfd_eval struct nfd_eval v = { 0 };
	struct deadline until;
	struct err e = { 0 };

	nfd_eval_init(&v, opt->node_name, opt->why);
	for (; *operands; operands++)
		if (read_manifests(*operands, manifests_read_with_lists, &m, &e) < 0)
			return ctl_error(&e);
	if ((opt->features ? read_given(opt->features, &given, &v, &e) :
			     read_node(host, &v, &e)) < 0)
		return ctl_error(&e);
	until = deadline_in(EVAL_MS);
	v.until = &until;
	nfd_eval_run(&v, &m);
	put_problems(&v);
	if (ctl_is_json(opt)) {
		put_json(&v);
	} else {
		ctl_put_rows(opt, columns, ARRAY_SIZE(columns), v.rows, "no rule gives anything");
		if (!ctl_is_name(opt))
			put_why(&v);
	}
	return v.is_bad ? CTL_FAILED : CTL_OK;
}
