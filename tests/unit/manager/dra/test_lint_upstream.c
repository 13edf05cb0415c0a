/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_lint_upstream.c - what the API server of Kubernetes 1.36.2 said of the documents of
 * tests/upstream/apiserver.json
 *
 * Each verdict is ours, or a row of tests/upstream/apiserver.known: NAME, ours, reason, with a tab
 * between.  A row about a verdict that agrees is an error, too.  The documents were created in a
 * namespace without labels, which is therefore among the files.  The slices that were published
 * then (tests/upstream/slices) were all taken.
 */
#include "manager/dra/lint.h"

#include "base/jx.h"
#include "base/mem.h"
#include "tests/unit/tap.h"

#include <glob.h>
#include <stdlib.h>

#define CASES "tests/upstream/apiserver.json"
#define KNOWN "tests/upstream/apiserver.known"
#define NAMESPACE                                                                                  \
	"{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \"default\"}}"

struct heard {
	bool is_refused;
	char text[400]; /* the first reason */
};

static void hear(bool is_error, const char *text, void *arg)
{
	struct heard *h = arg;

	if (!is_error || h->is_refused)
		return;
	h->is_refused = true;
	(void)snprintf(h->text, sizeof(h->text), "%s", text);
}

/* Of a text with one object or a list of them; each is looked at. */
static void judge(const char *text, struct heard *ret)
{
	auto_manifests struct manifests m = { 0 };
	struct err e = { 0 };

	*ret = (struct heard) { .is_refused = false };
	if (manifests_read(text, strlen(text), "case", &m, &e) < 0 ||
	    manifests_read(NAMESPACE, strlen(NAMESPACE), "namespace", &m, &e) < 0) {
		hear(true, e.msg, ret);
		return;
	}
	for (size_t i = 0; i < m.n; i++)
		dra_lint_manifest(&m, i, hear, ret);
}

/* -- what is known to differ -- */

/* New reference: {name: [ours, reason]}. */
static json_t *read_known(void)
{
	FILE *f = fopen(KNOWN, "re");
	json_t *ret = json_object();
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		char *ours = strchr(line, '\t'), *reason = ours ? strchr(ours + 1, '\t') : NULL;

		if (*line == '#' || !reason)
			continue;
		*ours++ = *reason++ = '\0';
		reason[strcspn(reason, "\n")] = '\0';
		(void)json_object_set_new(ret, line, json_pack("[s,s]", ours, reason));
	}
	if (f)
		(void)fclose(f);
	return ret;
}

static void check_case(const json_t *a_case, json_t *known)
{
	const char *name = json_string_value(json_object_get(a_case, "name"));
	const char *theirs = json_string_value(json_object_get(a_case, "verdict"));
	const json_t *row = json_object_get(known, name);
	const char *expected = row ? json_string_value(json_array_get(row, 0)) : theirs;
	auto_free char *text = json_dumps(json_object_get(a_case, "document"), 0);
	struct heard h;

	judge(text, &h);
	ok(!row || strcmp(expected, theirs) != 0);
	ok(strcmp(h.is_refused ? "refused" : "taken", expected) == 0);
	if (h.is_refused != (strcmp(expected, "refused") == 0))
		printf("#  %s: upstream: %s, expected: %s\n#  upstream's message: %.300s\n"
		       "#  ours: %s\n",
		       name, theirs, expected,
		       json_string_value(json_object_get(a_case, "message")),
		       h.is_refused ? h.text : "taken");
	(void)json_object_del(known, name);
}

static void replay(void)
{
	json_auto_t *all = json_load_file(CASES, 0, NULL), *known = read_known();
	const json_t *a_case;
	size_t i;

	test("the API server's verdict of each document is ours, or is known to differ");
	json_array_foreach(all, i, a_case) check_case(a_case, known);
	eqi((long long)json_array_size(all), 90);
	test("each row of what is known is about a document");
	eqi((long long)json_object_size(known), 0);
}

static void published(void)
{
	glob_t g = { 0 };

	test("slices that were published are taken");
	ok(glob("tests/upstream/slices/*.json", 0, NULL, &g) == 0 && g.gl_pathc >= 5);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		json_auto_t *doc = json_load_file(g.gl_pathv[i], 0, NULL);
		json_auto_t *list = json_is_array(doc)
					    ? json_pack("{s:s,s:s,s:O}", "apiVersion", "v1", "kind",
							"List", "items", doc)
					    : json_incref(doc);
		auto_free char *text = json_dumps(list, 0);
		struct heard h;

		judge(text ? text : "", &h);
		ok(!h.is_refused);
		if (h.is_refused)
			printf("#  %s: %s\n", g.gl_pathv[i], h.text);
	}
	globfree(&g);
}

int main(void)
{
	jx_init(NULL);
	replay();
	published();
	return tap_end();
}
