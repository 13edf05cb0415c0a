/* SPDX-License-Identifier: Apache-2.0 */
/* test_jx_yaml.c - YAML as the tree of the same in JSON, and what is refused */
#include "base/jx_yaml.h"
#include "base/jx.h"
#include "base/mem.h"
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>

/* What it becomes, as one line of JSON; an error as "message: details". */
static const char *read_bytes(const char *text, size_t len)
{
	static char ret[4096];
	struct err e = { 0 };
	json_auto_t *v = jx_yaml_parse(text, len, ERR_DEVINFO, "file", &e);
	auto_free char *json = NULL;
	size_t n;

	if (!v) {
		(void)snprintf(ret, sizeof(ret), "%s: %s", e.msg, e.details);
		return e.code == ERR_DEVINFO ? ret : "an error of another code";
	}
	json = jx_dump(v, &n);
	(void)snprintf(ret, sizeof(ret), "%.*s", (int)n - 1, json);
	return ret;
}

static void bail_out(void)
{
	(void)printf("Bail out! memory\n");
	exit(1);
}

static const char *read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static void test_types(void)
{
	static const char *const cases[][2] = {
		{ "", "null" }, { "~", "null" }, { "null", "null" }, { "Null", "null" },
		{ "NULL", "null" }, { "nULL", "\"nULL\"" }, { "'null'", "\"null\"" },
		{ "true", "true" }, { "True", "true" }, { "TRUE", "true" }, { "tRUE", "\"tRUE\"" },
		{ "yes", "true" }, { "Yes", "true" }, { "on", "true" }, { "y", "true" },
		{ "No", "false" }, { "OFF", "false" }, { "n", "false" }, { "false", "false" },
		{ "\"no\"", "\"no\"" }, { "nO", "\"nO\"" }, { "none", "\"none\"" },
		{ "0", "0" }, { "-7", "-7" }, { "+7", "7" }, { "1_000", "1000" },
		{ "0x1F", "31" }, { "-0x10", "-16" }, { "0o17", "15" }, { "0660", "432" },
		{ "0b101", "5" }, { "0x", "\"0x\"" }, { "0xfg", "\"0xfg\"" }, { "0b2", "\"0b2\"" },
		{ "9223372036854775807", "9223372036854775807" },
		{ "-9223372036854775808", "-9223372036854775808" },
		{ "9223372036854775808", "9.2233720368547758e18" },
		{ "1.5", "1.5" }, { "-.5", "-0.5" }, { "1.", "1.0" }, { "1e3", "1000.0" },
		{ "08", "8.0" }, { "1e999", "\"1e999\"" }, { ".", "\".\"" }, { "+", "\"+\"" },
		{ "1e", "\"1e\"" }, { "1.2.3", "\"1.2.3\"" }, { "0.3.0", "\"0.3.0\"" },
		{ "2001-12-14", "\"2001-12-14\"" }, { "0000:65:00.1", "\"0000:65:00.1\"" },
		{ "190:20:30", "\"190:20:30\"" }, { "!!str 7", "\"7\"" }, { "! '7'", "\"7\"" },
		{ "\"7\"", "\"7\"" }, { "\"\\u00e4\\n\"", "\"ä\\n\"" }, { "a b", "\"a b\"" },
		{ "|\n  x\n  y\n", "\"x\\ny\\n\"" }, { ">\n  x\n  y\n", "\"x y\\n\"" },
		{ "[a, {b: 1}, []]", "[\"a\",{\"b\":1},[]]" }, { "{}", "{}" },
		{ "!!map {}", "{}" }, { "!!seq []", "[]" },
	};
	char text[256], want[256];

	test("plain texts have the types that Kubernetes' reader gives them, quoted are texts");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		(void)snprintf(text, sizeof(text), "v: %s\n", cases[i][0]);
		(void)snprintf(want, sizeof(want), "{\"v\":%s}", cases[i][1]);
		eq(read_text(text), want);
	}
}

static void test_documents(void)
{
	test("lists and objects, in blocks and in a flow, are those of JSON, which is YAML, too");
	eq(read_text("a:\n- b\n- c: 1\n  d: {e: [f]}\n"),
	   "{\"a\":[\"b\",{\"c\":1,\"d\":{\"e\":[\"f\"]}}]}");
	eq(read_text("{\"a\": [1, null, \"x\"], \"b\": {}}"), "{\"a\":[1,null,\"x\"],\"b\":{}}");
	eq(read_text("%YAML 1.1\n---\n- a # comment\n...\n"), "[\"a\"]");
	test("a key is the text that is written");
	eq(read_text("1: a\ntrue: b\n'x y': c\n? d\n: e\n~: f\n"),
	   "{\"1\":\"a\",\"true\":\"b\",\"x y\":\"c\",\"d\":\"e\",\"~\":\"f\"}");
	eq(read_text("'<<': {a: 1}\n"), "{\"<<\":{\"a\":1}}");

	test("an alias is a copy of what its anchor named last");
	eq(read_text("a: &x [1, 2]\nb: *x\nc: &x t\nd: *x\n"),
	   "{\"a\":[1,2],\"b\":[1,2],\"c\":\"t\",\"d\":\"t\"}");
	test("and belongs to nobody else");
	{
		struct err e;
		static const char text[] = "a: &x {b: 1}\nc: *x\n";
		json_auto_t *v = jx_yaml_parse(text, strlen(text), ERR_DEVINFO, "file", &e);

		ok(v && json_object_get(v, "a") != json_object_get(v, "c"));
		ok(v && json_object_get(v, "a")->refcount == 1);
	}
}

static const char *read_all(const char *text)
{
	static char ret[4096];
	struct err e = { 0 };
	json_auto_t *v = jx_yaml_parse_all(text, strlen(text), ERR_DEVINFO, "file", &e);
	auto_free char *json = v ? json_dumps(v, JSON_COMPACT) : NULL;

	(void)snprintf(ret, sizeof(ret), json ? "%s" : "%s%s: %s", json ? json : "", e.msg,
		       e.details);
	return ret;
}

static void test_streams(void)
{
	test("a stream has any number of documents, of which an empty one is null");
	eq(read_all(""), "[]");
	eq(read_all("# nothing\n"), "[]");
	eq(read_all("a: 1\n"), "[{\"a\":1}]");
	eq(read_all("---\na: 1\n---\n- 2\n...\n---\n# none\n---\nb: {}\n"),
	   "[{\"a\":1},[2],null,{\"b\":{}}]");
	test("an anchor is its document's, and a faulty document is told with its line");
	eq(read_all("a: &x 1\nb: *x\n---\nc: 2\n"), "[{\"a\":1,\"b\":1},{\"c\":2}]");
	eq(read_all("a: &x 1\n---\nb: *x\n"), "file: an alias of nothing before it: line 3");
	eq(read_all("a: 1\n---\ntext\n"), "file: neither an object nor a list: line 3");
	eq(read_all("a: 1\n---\nb: [\n"),
	   "file: not valid YAML: line 4, column 1: did not find expected node content");
	test("but where one is wanted, an empty one is none");
	eq(read_text("---\n"), "file: neither an object nor a list: line 2");
}

static void test_refused(void)
{
	static const char *const cases[][2] = {
		{ "", "no document: line 1" },
		{ "# nothing\n", "no document: line 2" },
		{ "text", "neither an object nor a list: line 1" },
		{ "{}\n---\n{}\n", "more than one document: line 2" },
		{ "a: [1\n", "not valid YAML: line 2, column 1: did not find expected ',' or ']'" },
		{ "a: \"x", "not valid YAML: line 1, column 6: found unexpected end of stream" },
		{ "a: b: c", "not valid YAML: line 1, column 5: mapping values are not allowed in "
			     "this context" },
		{ "a:\n\t- b", "not valid YAML: line 2, column 1: found character that cannot "
			       "start any token" },
		{ "a: 1\nb: 2\na: 3\n", "duplicate key \"a\": line 3" },
		{ "{1: x, \"1\": y}", "duplicate key \"1\": line 1" },
		{ "? [a]\n: b\n", "a key that is no text: line 1" },
		{ "a: &x b\n*x : c\n", "a key that is no text: line 2" },
		{ "a: &x {b: 1}\nc:\n  <<: *x\n", "a merge key, which is not read: line 3" },
		{ "a: *x\nb: &x 1\n", "an alias of nothing before it: line 1" },
		{ "a: &x [*x]\n", "an alias of nothing before it: line 1" },
		{ "a: .inf\n", "a number without end: line 1" },
		{ "a: -.INF\n", "a number without end: line 1" },
		{ "a: .NaN\n", "a number without end: line 1" },
		{ "a: !!int 7\n", "a tag that is not read: line 1" },
		{ "a: !x []\n", "a tag that is not read: line 1" },
		{ "a: !!seq {}\n", "a tag that is not read: line 1" },
		{ "%TAG !a! b\n---\n{}\n", "tags of its own, which are not read: line 1" },
		{ "# x\n%TAG !a! b\n---\n{}\n", "tags of its own, which are not read: line 1" },
		{ "# x\xc2\x85%TAG !a! b\xe2\x80\xa8---\n{}\n",	/* as lines end there, too */
		  "tags of its own, which are not read: line 1" },
		{ "a: \"\\0\"\n", "a NUL in a text: line 1" },
		{ "\"\\0\": a\n", "a NUL in a text: line 1" },
		{ "a: \"\\ud800\"\n", "not valid YAML: line 1, column 7: found invalid Unicode "
				      "character escape code" },
		{ "a: \xff\n", "not valid YAML: line 1, column 1: invalid leading UTF-8 octet" },
	};
	char want[256];

	test("what is wrong is told with its line, and nothing of the text but a duplicate key");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		(void)snprintf(want, sizeof(want), "file: %s", cases[i][1]);
		eq(read_text(cases[i][0]), want);
	}
	test("UTF-16 is no YAML here, nor is a NUL outside a text");
	eq(read_bytes("\xff\xfe{\0}\0", 6),
	   "file: not valid YAML: line 1, column 1: invalid leading UTF-8 octet");
	eq(read_bytes("a: b\0c\n", 7),
	   "file: not valid YAML: line 1, column 1: control characters are not allowed");
}

/* Times the same text, in memory of one's own. */
static char *times(size_t n, const char *text)
{
	char *ret = calloc(n, strlen(text) + 1), *p = ret;

	if (!ret)
		exit(1);
	for (; n > 0; n--)
		p = stpcpy(p, text);
	return ret;
}

/* A few lines that would unfold to 16 MB; as in "- &x\n  WORD\n". */
static void check_long_alias(const char *before, const char *behind, const char *want)
{
	auto_free char *word = times(1 << 16, "x"), *aliases = times(256, "- *x\n");
	auto_free char *text = NULL;

	if (asprintf(&text, "%s%s%s%s", before, word, behind, aliases) < 0)
		bail_out();
	eq(read_text(text), want);
}

static void test_bounds(void)
{
	auto_free char *deep = times(JX_YAML_DEPTH, "["), *close = times(JX_YAML_DEPTH, "]");
	auto_free char *many = times(JX_YAML_ALIASED - 1, "0,"), *text = NULL, *flood = NULL;
	auto_free char *tags = times(95000, "%TAG !a! b\n"), *nest = times(500000, "[");
	static const char laughs[] = "a: &a [x,x,x,x,x,x,x,x,x]\n"
				     "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
				     "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
				     "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
				     "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
				     "f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n";

	test("lists nest to a bound, by themselves and by aliases");
	if (asprintf(&text, "%s%s", deep, close) < 0)
		bail_out();
	begins(read_text(text), "[[[[");
	free(text);
	if (asprintf(&text, "[%s%s]", deep, close) < 0)
		bail_out();
	eq(read_text(text), "file: nests too deep: line 1");
	eq(read_text(nest), "file: nests too deep: line 1");
	free(text);
	if (asprintf(&text, "- &x %s%s\n- *x\n", deep + 1, close + 1) < 0)
		bail_out();
	begins(read_text(text), "[[[[");
	free(text);
	if (asprintf(&text, "- &x %s%s\n- [*x]\n", deep + 1, close + 1) < 0)
		bail_out();
	eq(read_text(text), "file: nests too deep: line 2");

	test("aliases repeat to a bound, also when they are of aliases");
	free(text);
	if (asprintf(&text, "- &x [%s]\n- *x\n", many) < 0)
		bail_out();
	begins(read_text(text), "[[0,");
	free(text);
	if (asprintf(&text, "- &x [%s0]\n- *x\n", many) < 0)
		bail_out();
	eq(read_text(text), "file: aliases repeat too much: line 2");
	eq(read_text(laughs), "file: aliases repeat too much: line 5");

	test("so do the bytes of a long text, and of a long key");
	check_long_alias("- &x\n  ", "\n", "file: aliases repeat too much: line 19");
	check_long_alias("- &x\n  ? ", "\n  : 0\n", "file: aliases repeat too much: line 20");

	test("so do keys and values");
	flood = times(JX_VALUES_MAX, "-\n");
	eq(read_text(flood), "file: too many keys and values: line 1000000");

	test("a MiB of directives takes no time");
	eq(read_text(tags), "file: tags of its own, which are not read: line 1");
}

int main(void)
{
	jx_init(NULL);
	test_types();
	test_documents();
	test_streams();
	test_refused();
	test_bounds();
	return tap_end();
}
