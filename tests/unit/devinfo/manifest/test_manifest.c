/* SPDX-License-Identifier: Apache-2.0 */
/* test_manifest.c - Kubernetes objects in files: how many, whose, and what is refused */
#include "devinfo/manifest/manifest.h"

#include "base/jx.h"
#include "base/mem.h"
#include "devinfo/manifest/manifest_time.h"
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef int read_fn(const char *text, size_t len, const char *what, struct manifests *to,
		    struct err *e);

/* "SOURCE APIVERSION KIND NAME; ..." or "MESSAGE: DETAILS". */
static const char *list_of(const struct manifests *m)
{
	static char ret[4096];
	size_t used = 0;

	*ret = '\0';
	for (size_t i = 0; i < m->n; i++)
		used += (size_t)snprintf(ret + used, sizeof(ret) - used, "%s%s %s %s %s",
					 i ? "; " : "", m->list[i].source, m->list[i].api_version,
					 m->list[i].kind, m->list[i].name);
	return ret;
}

static const char *read_by(read_fn *read, const char *text)
{
	static char ret[4096];
	auto_manifests struct manifests m = { 0 };
	struct err e = { 0 };

	if (read(text, strlen(text), "f", &m, &e) == 0)
		return list_of(&m);
	ok(m.n == 0 && e.code == ERR_NETCONF);
	(void)snprintf(ret, sizeof(ret), "%s: %s", e.msg, e.details);
	return ret;
}

static void test_documents(void)
{
	test("one object, in YAML or JSON, has the file's name");
	eq(read_by(manifests_read, "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n"),
	   "f v1 Pod x");
	eq(read_by(manifests_read, "\n {\"apiVersion\":\"v1\",\"kind\":\"Pod\"}"), "f v1 Pod ");
	test("several are numbered, and an empty document is passed over");
	eq(read_by(manifests_read, "---\nkind: A\n---\n# none\n---\nkind: B\nmetadata: null\n"),
	   "f#1  A ; f#2  B ");
	eq(read_by(manifests_read, "{\"kind\":\"A\"}\n{\"kind\":\"B\"} {}\n"),
	   "f#1  A ; f#2  B ; f#3   ");
	eq(read_by(manifests_read, ""), "");
	eq(read_by(manifests_read, "---\n---\n"), "");
	test("a v1 List is what is in it, in a List, too");
	eq(read_by(manifests_read, "apiVersion: v1\nkind: List\nitems:\n- {kind: A}\n"
				   "- {apiVersion: v1, kind: List, items: [{kind: B}, {kind: C}]}\n"
				   "---\nkind: D\n"),
	   "f#1  A ; f#2  B ; f#3  C ; f#4  D ");
	eq(read_by(manifests_read, "apiVersion: v1\nkind: List\nitems: [{kind: A}]\n"), "f  A ");
	eq(read_by(manifests_read, "apiVersion: v1\nkind: List\n"), "");
	eq(read_by(manifests_read, "apiVersion: v2\nkind: List\nitems: [{kind: A}]\n"),
	   "f v2 List ");
}

static void test_refused(void)
{
	static const char *const cases[][2] = {
		{ "[]", "f: expected an object, got a list: " },
		{ "kind: A\n---\n- 1\n", "f: document 2: expected an object, got a list: " },
		{ "text", "f: neither an object nor a list: line 1" },
		{ "kind: 7", "f: kind: expected a string, got an integer: " },
		{ "apiVersion: []", "f: apiVersion: expected a string, got a list: " },
		{ "metadata: x", "f: metadata: expected an object, got a string: " },
		{ "metadata: {name: 1}", "f: metadata.name: expected a string, got an integer: " },
		{ "{\"kind\":\"A\"} x",
		  "f: not valid JSON: line 1, column 1: '[' or '{' expected" },
		{ "apiVersion: v1\nkind: List\nitems: [1]\n",
		  "f: items[0]: expected an object, got an integer: " },
		{ "apiVersion: v1\nkind: List\nitems: {}\n",
		  "f: items: expected a list, got an object: " },
		{ "{apiVersion: v1}",
		  "f: not valid JSON: line 1, column 11: string or '}' expected" },
	};

	test("of a text with a fault nothing is taken");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		eq(read_by(manifests_read, cases[i][0]), cases[i][1]);
	test("what was read before stays");
	{
		auto_manifests struct manifests m = { 0 };
		struct err e = { 0 };

		ok(manifests_read("kind: A", 7, "a", &m, &e) == 0);
		ok(manifests_read("kind: B\n---\n7", 13, "b", &m, &e) < 0);
		ok(manifests_read("kind: C", 7, "c", &m, &e) == 0);
		eq(list_of(&m), "a  A ; c  C ");
	}
}

static void test_bounds(void)
{
	auto_manifests struct manifests m = { 0 };
	auto_free char *text = malloc(MANIFEST_BYTES_MAX + 1);
	char lists[400] = "";
	struct err e = { 0 };

	test("a text has at most 16 MiB");
	ok(text != NULL);
	if (!text)
		return;
	memset(text, '\n', MANIFEST_BYTES_MAX + 1);
	ok(manifests_read(text, MANIFEST_BYTES_MAX, "f", &m, &e) == 0);
	ok(manifests_read(text, MANIFEST_BYTES_MAX + 1, "f", &m, &e) < 0);
	eq(e.msg, "f: has 16777217 bytes, at most 16777216 are allowed");

	test("all together are at most 10000 objects");
	for (size_t i = 0; i <= MANIFESTS_MAX; i++)
		memcpy(text + 3 * i, "{}\n", 3);
	ok(manifests_read(text, 3 * (size_t)MANIFESTS_MAX, "f", &m, &e) == 0);
	ok(m.n == MANIFESTS_MAX);
	eq(m.list[MANIFESTS_MAX - 1].source, "f#10000");
	ok(manifests_read("{}", 2, "g", &m, &e) < 0);
	eq(e.msg, "g: more than 10000 objects");
	ok(m.n == MANIFESTS_MAX);
	ok(manifests_read(text, 3 * (size_t)(MANIFESTS_MAX + 1), "f", &m, &e) < 0);
	eq(e.msg, "f: more than 10000 documents");

	test("Lists nest twice");
	for (int i = 0; i < 3; i++)
		strcat(lists, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
	strcat(lists, "]}]}]}");
	ok(manifests_read(lists, strlen(lists), "f", &m, &e) < 0);
	eq(e.msg, "f: a List in a List in a List");
}

static void test_lists(void)
{
	test("where lists are allowed, one is a document without names");
	eq(read_by(manifests_read_with_lists, "- name: x\n---\nkind: A\n---\n[]\n"),
	   "f#1   ; f#2  A ; f#3   ");
	eq(read_by(manifests_read_with_lists, "[{}]"), "f   ");
	eq(read_by(manifests_read_with_lists, "apiVersion: v1\nkind: List\nitems: [[]]\n"),
	   "f: items[0]: expected an object, got a list: ");
}

/* -- a directory -- */

static char dir[] = "/tmp/test_manifest.XXXXXX";

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/d/%s", dir, name);
	f = fopen(path, "w");
	ok(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void note(const struct err *why, void *arg)
{
	strcat(arg, why->msg);
	strcat(arg, ";");
}

static void test_directory(void)
{
	auto_manifests struct manifests m = { 0 };
	auto_close int root = -1;
	char bad[1024] = "", path[256];
	struct err e = { 0 };

	ok(mkdtemp(dir) != NULL);
	root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	test("a directory that is absent has none");
	ok(manifests_read_dir(root, "/d", &m, note, bad, &e) == 0);
	ok(m.n == 0 && !*bad);

	(void)snprintf(path, sizeof(path), "%s/d", dir);
	ok(mkdir(path, 0755) == 0);
	put("b.yaml", "kind: B\n---\nkind: C\n");
	put("a.json", "{\"kind\":\"A\"}");
	put("c.yml", "kind: D\n");
	put("bad.yaml", "kind: 1\n");
	put(".hidden.yaml", "kind: X\n");
	put("readme.txt", "kind: X\n");
	put("yaml", "kind: X\n");
	(void)snprintf(path, sizeof(path), "%s/d/link.yaml", dir);
	ok(symlink("c.yml", path) == 0);
	test("files are read by name; a faulty one is told, and keeps no other away");
	ok(manifests_read_dir(root, "/d", &m, note, bad, &e) == 0);
	eq(list_of(&m), "a.json  A ; b.yaml#1  B ; b.yaml#2  C ; c.yml  D ");
	eq(bad, "bad.yaml: kind: expected a string, got an integer;open 'link.yaml';");
	(void)snprintf(path, sizeof(path), "rm -r '%s'", dir);
	ok(system(path) == 0);
}

static void test_times(void)
{
	static const struct {
		const char *text;
		int64_t seconds;		/* -1: it is none */
	} rows[] = {
		{ "1970-01-01T00:01:40Z", 100 },	{ "1970-01-01T0:01:40Z", 100 },
		{ "1970-01-01T00:01:40.5Z", 100 },	{ "1970-01-01T00:01:40,25Z", 100 },
		{ "1970-01-01T01:01:40+01:00", 100 },	{ "1969-12-31T23:01:40-01:00", 100 },
		{ "2024-02-29T00:00:00Z", 1709164800 },	{ "2023-02-29T00:00:00Z", -1 },
		{ "1970-01-01T00:01:60Z", -1 },		{ "1970-01-01T24:00:00Z", -1 },
		{ "1970-1-1T00:01:40Z", -1 },		{ " 1970-01-01T00:01:40Z", -1 },
		{ "1970-01-01T00:01:40.Z", -1 },	{ "1970-01-01T00:01:40", -1 },
		{ "1970-01-01T00:01:40+ 1:00", -1 },	{ "1970-01-01T00:01:40+99:00", -1 },
		{ "1970-01-02T00:01:40+24:00", 100 },	{ "1970-01-02T01:01:40+24:60", 100 },
		{ "1970-01-02T01:01:40+25:00", -1 },	{ "1970-01-02T01:02:41+24:61", -1 },
		{ "1970-01-01T00:01:40ZZ", -1 },	{ "1970-01-01", -1 },
		{ "", -1 },
	};

	test("a time is one that Go reads as RFC 3339, of a day that there is");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int64_t seconds = -1;
		bool is_time = manifest_time(rows[i].text, &seconds);

		ok(is_time ? seconds == rows[i].seconds : rows[i].seconds < 0);
		if (is_time != (rows[i].seconds >= 0))
			printf("# '%s'\n", rows[i].text);
	}
}

int main(void)
{
	jx_init(NULL);
	test_documents();
	test_refused();
	test_bounds();
	test_lists();
	test_directory();
	test_times();
	return tap_end();
}
