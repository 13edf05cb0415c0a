/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_match.c - expressions: every operator with NFD's meaning, both ways to write them
 *
 * The rows of the operators are the cases of NFD's own test (v0.18, evaluateMatchExpression), said
 * in our words: what it answers for a value that is there, for one that is absent, and what it
 * refuses.
 */
#include "manager/match/match.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/expression/op.h"
#include "manager/inventory/read.h"
#include "manager/match/attribute_table.h"
#include "tests/unit/tap.h"


/* 1, 0, -1: the answer; -2: not even read. */
static int answer(const char *text, const char *attributes, struct err *e)
{
	json_auto_t *o = json_loads(attributes, 0, NULL);
	auto_match struct match *m = match_parse(text, e);

	return m ? match_meets(m, o, e) : -2;
}

static const struct row {
	const char *text, *attributes;
	int want;
} rows[] = {
	{ "a In 1", "{}", 0 },
	{ "a In 1", "{\"a\":\"2\"}", 0 },
	{ "a In 1,2,3", "{\"a\":\"2\"}", 1 },
	{ "a In 1,2,3", "{\"b\":\"2\"}", 0 },
	{ "a In 1,2,3", "{\"a\":2}", 1 },
	{ "a In true", "{\"a\":true}", 1 },
	{ "a In TRUE", "{\"a\":true}", 0 },
	{ "{\"a\": 9007199254740993}", "{\"a\":9007199254740993}", 1 },
	{ "{\"a\": 9007199254740993}", "{\"a\":9007199254740992}", 0 },
	{ "a In \"\"", "{\"a\":\"\"}", 1 },
	{ "a In 1", "{\"a\":null}", 0 },
	{ "a In", "{\"a\":\"1\"}", -2 },
	{ "a in 1", "{\"a\":\"1\"}", -2 },

	{ "a NotIn 2", "{}", 0 },
	{ "a NotIn 1", "{\"a\":2}", 1 },
	{ "a NotIn 1,2,3", "{\"a\":\"2\"}", 0 },
	{ "a NotIn", "{\"a\":\"2\"}", -2 },

	{ "a InRegexp val-[0-9]$", "{}", 0 },
	{ "a InRegexp val-[0-9]$", "{\"a\":\"val-1\"}", 1 },
	{ "a InRegexp val-[0-9]$", "{\"a\":\"val-12\"}", 0 },
	{ "a InRegexp val-[0-9]$,al-[1-9]", "{\"a\":\"val-12\"}", 1 },
	{ "a InRegexp 1,[0-8]", "{\"a\":\"9\"}", 0 },
	{ "a InRegexp 1,[0-8]", "{\"a\":2}", 1 },
	{ "a InRegexp", "{\"a\":\"x\"}", -2 },
	{ "a InRegexp (", "{\"a\":\"x\"}", -2 },
	{ "a InRegexp (", "{}", -2 },

	{ "a Exists", "{}", 0 },
	{ "a Exists", "{\"a\":\"\"}", 1 },
	{ "a Exists", "{\"a\":false}", 1 },
	{ "a Exists", "{\"a\":null}", 0 },
	{ "a Exists 1", "{\"a\":1}", -2 },
	{ "a DoesNotExist", "{}", 1 },
	{ "a DoesNotExist", "{\"b\":1}", 1 },
	{ "a DoesNotExist", "{\"a\":false}", 0 },
	{ "a DoesNotExist 1", "{}", -2 },

	{ "a Gt 2", "{}", 0 },
	{ "a Gt 2", "{\"a\":2}", 0 },
	{ "a Gt 2", "{\"a\":3}", 1 },
	{ "a Gt 2", "{\"a\":\"3\"}", 1 },
	{ "a Gt -10", "{\"a\":-3}", 1 },
	{ "a Gt +2", "{\"a\":\"+3\"}", 1 },
	{ "a Gt 2", "{\"a\":\"3a\"}", -1 },
	{ "a Gt 2", "{\"a\":\" 3\"}", -1 },
	{ "a Gt 2", "{\"a\":\"\"}", -1 },
	{ "a Gt 2", "{\"a\":\"0x3\"}", -1 },
	{ "a Gt 2", "{\"a\":true}", -1 },
	{ "a Gt 2", "{\"a\":2.5}", -1 },
	{ "a Gt 2.0", "{\"a\":3}", -2 },
	{ "a Gt", "{\"a\":1}", -2 },
	{ "a Gt 1,2", "{\"a\":1}", -2 },
	{ "a Gt \"\"", "{\"a\":1}", -2 },
	{ "a Gt 9223372036854775807", "{\"a\":1}", 0 },
	{ "a Gt 9223372036854775808", "{\"a\":1}", -2 },
	{ "a Ge 2", "{}", 0 },
	{ "a Ge 2", "{\"a\":1}", 0 },
	{ "a Ge 2", "{\"a\":2}", 1 },
	{ "a Ge 2", "{\"a\":3}", 1 },
	{ "a Ge 2", "{\"a\":\"str\"}", -1 },
	{ "a Lt 2", "{}", 0 },
	{ "a Lt 2", "{\"a\":\"2\"}", 0 },
	{ "a Lt -10", "{\"a\":-3}", 0 },
	{ "a Lt 2", "{\"a\":\"1\"}", 1 },
	{ "a Lt 2", "{\"a\":\"1.0\"}", -1 },
	{ "a Lt a", "{\"a\":1}", -2 },
	{ "a Lt 1,2,3", "{\"a\":1}", -2 },
	{ "a Le 2", "{}", 0 },
	{ "a Le 2", "{\"a\":1}", 1 },
	{ "a Le 2", "{\"a\":2}", 1 },
	{ "a Le 2", "{\"a\":3}", 0 },
	{ "a Le 2", "{\"a\":\"1.0\"}", -1 },

	{ "a GtLt 1,10", "{}", 0 },
	{ "a GtLt 1,10", "{\"a\":1}", 0 },
	{ "a GtLt 1,10", "{\"a\":10}", 0 },
	{ "a GtLt 1,10", "{\"a\":2}", 1 },
	{ "a GtLt 1,10", "{\"a\":11}", 0 },
	{ "a GtLt -10,10", "{\"a\":-11}", 0 },
	{ "a GtLt -10,10", "{\"a\":-9}", 1 },
	{ "a GtLt 1,10", "{\"a\":\"1.0\"}", -1 },
	{ "a GtLt 1", "{\"a\":1}", -2 },
	{ "a GtLt 2,1", "{\"a\":1}", -2 },
	{ "a GtLt 1,1", "{\"a\":1}", -2 },
	{ "a GtLt 1,2,3", "{\"a\":1}", -2 },
	{ "a GtLt a,2", "{\"a\":1}", -2 },
	{ "a GeLe -10,10", "{}", 0 },
	{ "a GeLe -10,10", "{\"a\":10}", 1 },
	{ "a GeLe -10,10", "{\"a\":-10}", 1 },
	{ "a GeLe -10,10", "{\"a\":-11}", 0 },
	{ "a GeLe -10,10", "{\"a\":11}", 0 },
	{ "a GeLe -10,10", "{\"a\":\"str\"}", -1 },
	{ "a GeLe 2,1", "{\"a\":1}", -2 },

	{ "a IsTrue", "{}", 0 },
	{ "a IsTrue", "{\"a\":true}", 1 },
	{ "a IsTrue", "{\"a\":\"true\"}", 1 },
	{ "a IsTrue", "{\"a\":\"1\"}", 0 },
	{ "a IsTrue", "{\"a\":\"True\"}", 0 },
	{ "a IsTrue", "{\"a\":false}", 0 },
	{ "a IsTrue 1", "{\"a\":true}", -2 },
	{ "a IsFalse", "{}", 0 },
	{ "a IsFalse", "{\"a\":false}", 1 },
	{ "a IsFalse", "{\"a\":\"false\"}", 1 },
	{ "a IsFalse", "{\"a\":true}", 0 },
	{ "a IsFalse", "{\"a\":0}", 0 },
	{ "a IsFalse 1,2", "{\"a\":false}", -2 },

	/* versions */
	{ "a Gt:version 2", "{}", 0 },
	{ "a Gt:version 2", "{\"a\":\"2\"}", 0 },
	{ "a Gt:version 2", "{\"a\":3}", 1 },
	{ "a Gt:version 2.0", "{\"a\":\"2.0\"}", 0 },
	{ "a Gt:version 2.0", "{\"a\":\"2.1\"}", 1 },
	{ "a Gt:version 2.0.1", "{\"a\":\"2.0.1\"}", 0 },
	{ "a Gt:version 2.0.1", "{\"a\":\"2.0.2\"}", 1 },
	{ "a Gt:version 2.9", "{\"a\":\"2.10\"}", 1 },
	{ "a Gt:version 2.0.1", "{\"a\":\"str\"}", -1 },
	{ "a Gt:version str", "{\"a\":\"1\"}", -2 },
	{ "a Gt:version 1,2", "{\"a\":\"1\"}", -2 },
	{ "a Ge:version 2.0.1", "{\"a\":\"2.0.0\"}", 0 },
	{ "a Ge:version 2.0", "{\"a\":\"2\"}", 1 },
	{ "a Ge:version 2", "{\"a\":\"2.0.0\"}", 1 },
	{ "a Lt:version 2.0", "{\"a\":\"1.9\"}", 1 },
	{ "a Lt:version 2.0", "{\"a\":\"2.0\"}", 0 },
	{ "a Lt:version 2.0.1", "{\"a\":\"2.0.0\"}", 1 },
	{ "a Le:version 2.0.1", "{\"a\":\"2.0.2\"}", 0 },
	{ "a Le:version 2", "{\"a\":\"2.0.1\"}", 0 },
	{ "a GtLt:version 1.0.1,10.0.1", "{\"a\":\"10.0.1\"}", 0 },
	{ "a GtLt:version 1.0.1,10.0.1", "{\"a\":\"1.0.2\"}", 1 },
	{ "a GtLt:version 1.0.1,10.0.1", "{\"a\":\"0.0.9\"}", 0 },
	{ "a GeLe:version 1,10", "{\"a\":\"-11\"}", 0 },
	{ "a GeLe:version 1.0.1,10.0.1", "{\"a\":\"10.0.1\"}", 1 },
	{ "a GeLe:version 2,1", "{\"a\":\"1\"}", 0 },	/* so there, too */
	{ "a Ge:version 1.2.3", "{\"a\":\"1.2.3-flavor.2.3.4\"}", 1 },
	{ "a Gt:version 1.2.3", "{\"a\":\"1.2.3-flavor.2.3.4\"}", 0 },
	{ "a Ge:version 16.35", "{\"a\":\"16.35.2000 (MT_0000000012)\"}", 1 },
	{ "a Ge:version 1", "{\"a\":\"flavor-1.2.3\"}", -1 },
	{ "a Ge:version 1", "{\"a\":\"99999999999999999999999999\"}", -1 },
	{ "a Ge:version 1.1", "{\"a\":\"1.99999999999999999999\"}", 0 },
	{ "a In:version 1", "{\"a\":\"1\"}", 1 },
	{ "a Gt:number 1", "{\"a\":\"1\"}", -2 },

	/* lists, which NFD does not have: one has to meet it, of NotIn all */
	{ "a In x", "{\"a\":[\"y\",\"x\"]}", 1 },
	{ "a In x", "{\"a\":[\"y\",\"z\"]}", 0 },
	{ "a NotIn x", "{\"a\":[\"y\",\"x\"]}", 0 },
	{ "a NotIn x", "{\"a\":[\"y\",\"z\"]}", 1 },
	{ "a InRegexp ^z", "{\"a\":[\"y\",\"z\"]}", 1 },
	{ "a Exists", "{\"a\":[\"y\"]}", 1 },
	{ "a DoesNotExist", "{\"a\":[\"y\"]}", 0 },
	{ "a Gt 3", "{\"a\":[1,4]}", 1 },
	{ "a Gt 3", "{\"a\":[\"x\"]}", -1 },

	/* several, and how they are written */
	{ "a In 1; b In 2", "{\"a\":1,\"b\":2}", 1 },
	{ "a In 1; b In 2", "{\"a\":1,\"b\":3}", 0 },
	{ "a In 1; b In 2", "{\"a\":2,\"b\":2}", 0 },
	{ "a NotIn 1; a NotIn 2", "{\"a\":2}", 0 },
	{ "  a   Exists ;b\tDoesNotExist;  ", "{\"a\":1}", 1 },
	{ "a In x , y", "{\"a\":\"y\"}", 1 },
	{ "a In Intel Corporation", "{\"a\":\"Intel Corporation\"}", 1 },
	{ "a In \"x,y;z\" , w", "{\"a\":\"x,y;z\"}", 1 },
	{ "a In \" x\"", "{\"a\":\" x\"}", 1 },
	{ "a In \"\\\"\\\\\\d\"", "{\"a\":\"\\\"\\\\\\\\d\"}", 1 },
	{ "a InRegexp \"^[0-9]{2,3}$\"", "{\"a\":\"123\"}", 1 },
	{ "a In \"x", "{\"a\":\"x\"}", -2 },
	{ "a In \"x\"y", "{\"a\":\"x\"}", -2 },
	{ "a In x\"y\"", "{\"a\":\"x\"}", -2 },
	{ "a In x,", "{\"a\":\"x\"}", -2 },
	{ "a In ,x", "{\"a\":\"x\"}", -2 },
	{ "a", "{\"a\":\"x\"}", -2 },
	{ "", "{}", -2 },
	{ " ; ", "{}", -2 },
	{ "a In \xff", "{}", -2 },

	{ "{}", "{\"a\":1}", 1 },
	{ "{\"a\":{\"op\":\"In\",\"value\":[\"1\",\"2\"]}}", "{\"a\":2}", 1 },
	{ " {\"a\":{\"op\":\"In\",\"value\":\"2\"}}", "{\"a\":2}", 1 },
	{ "{\"a\":{\"op\":\"In\",\"value\":2}}", "{\"a\":\"2\"}", 1 },
	{ "{\"a\":{\"op\":\"In\",\"value\":true}}", "{\"a\":true}", 1 },
	{ "{\"a\":{\"Op\":\"In\",\"VALUE\":\"2\"}}", "{\"a\":2}", 1 },
	{ "{\"a\":{\"op\":\"Exists\",\"value\":null}}", "{\"a\":2}", 1 },
	{ "{\"a\":{\"op\":\"Ge\",\"value\":\"1.2\",\"type\":\"version\"}}", "{\"a\":\"1.2\"}", 1 },
	{ "{\"a\":{\"op\":\"Ge\",\"value\":\"1\",\"type\":\"\"}}", "{\"a\":\"1\"}", 1 },
	{ "{\"a\":\"1\",\"b\":true,\"c\":3,\"d\":[\"x\",\"y\"],\"e\":null}",
	  "{\"a\":1,\"b\":true,\"c\":3,\"d\":\"y\",\"e\":0}", 1 },
	{ "{\"e\":null}", "{}", 0 },
	{ "[\"a=1\",\"b\"]", "{\"a\":1,\"b\":\"\"}", 1 },
	{ "[\"a=1=2\"]", "{\"a\":\"1=2\"}", 1 },
	{ "[\"a=1\",\"b\"]", "{\"a\":1}", 0 },
	{ "{\"a\":{\"op\":\"In\",\"values\":[\"1\"]}}", "{}", -2 },
	{ "{\"a\":{\"op\":\"In\",\"value\":[1]}}", "{}", -2 },
	{ "{\"a\":{\"op\":\"In\",\"value\":{}}}", "{}", -2 },
	{ "{\"a\":{\"value\":[\"1\"]}}", "{}", -2 },
	{ "{\"a\":{\"op\":7}}", "{}", -2 },
	{ "{\"a\":[1]}", "{}", -2 },
	{ "[1]", "{}", -2 },
	{ "[\"a\"", "{}", -2 },
	{ "{\"a\":null} x", "{}", -2 },
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };
		int have = answer(rows[i].text, rows[i].attributes, &e);

		test(rows[i].text);
		ok(have == rows[i].want);
		if (have != rows[i].want)
			(void)printf("#  %s: have %d, want %d (%s)\n", rows[i].attributes, have,
				     rows[i].want, e.msg);
		if (have < 0)
			ok(e.code == ERR_NETCONF && *e.msg);
	}
}

/* What RE2 has, and what only others have. */
static const struct {
	const char *pattern, *text;
	int want;
} patterns[] = {
	{ "b+", "abbc", 1 }, { "^b", "ab", 0 }, { "a.c", "a\nc", 0 }, { "(?s)a.c", "a\nc", 1 },
	{ "a$", "a\n", 0 }, { "(?m)a$", "a\nb", 1 }, { "\\Aab\\z", "ab", 1 },
	{ "(?i)intel", "INTEL", 1 }, { "(?i:I)ntel", "intel", 1 }, { "(?P<x>a)(?<y>b)", "ab", 1 },
	{ "(?:ab){2}", "abab", 1 }, { "a{2,}", "aa", 1 }, { "a{1,2}?b", "aab", 1 },
	{ "a{,2}", "a{,2}", 1 }, { "x{y", "x{y", 1 }, { "[[:alpha:]]+\\d", "ab1", 1 },
	{ "[]a]", "]", 1 }, { "[^]a]", "]", 0 }, { "[\\]\\-]", "-", 1 }, { "[a\\d]", "7", 1 },
	{ "\\Qa+(?=\\E", "a+(?=", 1 }, { "\\Qa(?=", "a(?=", 1 }, { "\\p{Greek}", "\xce\xb1", 1 },
	{ "^.$", "\xce\xb1", 1 }, { "\\x{3b1}", "\xce\xb1", 1 }, { "\\x41\\.", "A.", 1 },
	{ "^a", "\xff\xff", 0 }, { "a{1000}", "a", 0 }, { "\\w\\W\\s\\S\\b", "a- x", 1 },
	{ "[[:^digit:]]", "5", 0 }, { "a|b|", "", 1 }, { "[(?=]", "=", 1 }, { "a??b", "b", 1 },
	{ "[+]+", "++", 1 }, { "\\++", "++", 1 },

	{ "(?m)\n^", "a\n", 1 }, { "\\p{^L}+\\PN", "__", 1 }, { "[\\x2b-\\x{2d}]", ",", 1 },
	{ "\\x4", "x", -2 }, { "\\xg", "x", -2 }, { "\\x{}", "x", -2 }, { "\\x{4", "x", -2 },
	{ "a\\E", "a", -2 }, { "[\\x4]", "x", -2 }, { "\\Qa\\E\\E", "a", -2 },

	{ "(a)\\1", "aa", -2 }, { "(?=a)", "a", -2 }, { "(?!a)", "a", -2 }, { "(?<=a)", "a", -2 },
	{ "(?<!a)b", "b", -2 }, { "(?>a)", "a", -2 }, { "(?P=x)", "a", -2 }, { "(?P>x)", "a", -2 },
	{ "(?<n>a)\\k<n>", "aa", -2 }, { "\\g1", "a", -2 }, { "a*+", "a", -2 }, { "a++", "a", -2 },
	{ "a?+", "a", -2 }, { "a{2}+", "aa", -2 }, { "(?R)", "a", -2 }, { "(?1)", "a", -2 },
	{ "(?|a|b)", "a", -2 }, { "(?(1)a)", "a", -2 }, { "(?#x)", "a", -2 }, { "(?C1)", "a", -2 },
	{ "(*UTF)a", "a", -2 }, { "(*ANYCRLF)a", "a", -2 }, { "a\\K", "a", -2 }, { "\\R", "a", -2 },
	{ "\\X", "a", -2 }, { "\\C", "a", -2 }, { "\\h", " ", -2 }, { "\\Z", "a", -2 },
	{ "\\G", "a", -2 }, { "\\c[", "a", -2 }, { "\\o{12}", "a", -2 }, { "\\N", "a", -2 },
	{ "[\\b]", "a", -2 }, { "(?x)a b", "ab", -2 }, { "(?J)a", "a", -2 }, { "(?)", "a", -2 },
	{ "a{1001}", "a", -2 }, { "a{1,99999}", "a", -2 }, { "[a", "a", -2 }, { "a)", "a", -2 },
	{ "*a", "a", -2 }, { "a**", "a", -2 }, { "a\\", "a", -2 }, { "(", "a", -2 },
	{ "[", "a", -2 }, { "(?", "a", -2 }, { "(?<", "a", -2 },
	{ "(((a{1000}){1000}){1000})", "a", -2 },

	/* classes and flags that PCRE2 alone has, or writes in more ways */
	{ "^\\p{Lu}\\pL[\\p{Nd}\\P{Han}]$", "Aa1", 1 }, { "^\\P{^Greek}$", "\xce\xb1", 1 },
	{ "[[:word:][:^alpha:]]", "a", 1 }, { "\\p{Any}", "a", 1 }, { "(?i-s:A)", "a", 1 },
	{ "(?-s)a(?U)a", "aa", 1 }, { "(?P<a_1>a)", "a", 1 }, { "[[:]]", ":]", 1 },
	{ "\\p{Xan}", "a", -2 }, { "\\p{Alphabetic}", "a", -2 }, { "\\p{greek}", "a", -2 },
	{ "\\p{L&}", "a", -2 }, { "\\p{sc:Greek}", "a", -2 }, { "\\p{ Lu}", "A", -2 },
	{ "\\p{^^Lu}", "A", -2 }, { "\\p{}", "A", -2 }, { "\\p{Lu", "A", -2 }, { "\\p", "p", -2 },
	{ "\\PA", "A", -2 }, { "[\\p{Emoji}]", "1", -2 }, { "\\p{Grek}", "a", -2 },
	{ "[[:<:]]a", "a", -2 }, { "[[:Alpha:]]", "a", -2 }, { "[[:^^alpha:]]", "a", -2 },
	{ "[[::]]", ":", -2 }, { "(?-)a", "a", -2 }, { "(?-:a)", "a", -2 }, { "(?i-:a)", "a", -2 },
	{ "(?i-s-m:a)", "a", -2 }, { "(?<\xc3\xa9>a)", "a", -2 }, { "\\\xc3\xa9", "\xc3\xa9", -2 },
};

/* As the value of an expression in JSON, which needs no quotes of ours. */
static int answer_pattern(const char *pattern, const char *text, struct err *e)
{
	json_auto_t *value = json_pack("{s:{s:s,s:[s]}}", "a", "op", "InRegexp", "value", pattern);
	json_auto_t *o = json_object();
	auto_free char *doc = json_dumps(value, 0);
	auto_match struct match *m = match_parse(doc, e);

	(void)json_object_set_new(o, "a", json_stringn_nocheck(text, strlen(text)));
	return m ? match_meets(m, o, e) : -2;
}

static void test_patterns(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		struct err e = { 0 };
		int have = answer_pattern(patterns[i].pattern, patterns[i].text, &e);

		test(patterns[i].pattern);
		ok(have == patterns[i].want);
		if (have != patterns[i].want)
			(void)printf("#  have %d, want %d (%s)\n", have, patterns[i].want, e.msg);
		ok((have < 0) == (e.code == ERR_NETCONF));
	}
}

static void test_bounds(void)
{
	auto_free char *long_text = malloc(70000), *many = malloc(70000);
	char pattern[1100];
	struct err e = { 0 };

	test("a pattern that would take for ever is an error, soon");
	ok(answer_pattern("(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", &e) == -1);
	ok(strstr(e.msg, "limit") != NULL);

	test("a pattern has at most 1024 characters");
	memset(pattern, 'a', sizeof(pattern));
	pattern[1025] = '\0';
	ok(answer_pattern(pattern, "a", &e) == -2);
	pattern[1024] = '\0';
	ok(answer_pattern(pattern, "a", &e) == 0);

	test("a text has at most 64 KiB");
	memset(long_text, 'a', 70000);
	long_text[69999] = '\0';
	ok(answer(long_text, "{}", &e) == -2);
	ok(strstr(e.msg, "65536") != NULL);

	test("there are at most 256 expressions");
	*many = '\0';
	for (int i = 0; i < 257; i++)
		strcat(many, "a Exists;");
	ok(answer(many, "{}", &e) == -2);
	many[strlen(many) - strlen("a Exists;")] = '\0';
	ok(answer(many, "{\"a\":1}", &e) == 1);
}

static void test_words(void)
{
	struct err e = { 0 };
	auto_match struct match *m = NULL;

	test("an error says which expression, and what was meant");
	ok(answer("driver Exists; vendor Exsts", "{}", &e) == -2);
	eq(e.msg, "expression 2, from character 16: 'Exsts' is no operator, did you mean Exists?");
	ok(answer("vendor Is x", "{}", &e) == -2);
	ok(strstr(e.msg, "'Is' is no operator: expected In, NotIn, InRegexp, ") != NULL);
	ok(answer("{\"driver\":null,\"vendor\":{\"op\":\"In\",\"values\":[]}}", "{}", &e) == -2);
	eq(e.msg, "vendor: unknown key 'values', did you mean value?");
	ok(answer("a GtLt 1", "{}", &e) == -2);
	eq(e.msg, "expression 1, from character 1: GtLt has 2 values, not 1");
	ok(answer("a Gt 7", "{\"a\":\"x\"}", &e) == -1);
	eq(e.msg, "a Gt: 'x' is no number");
	ok(answer("a InRegexp x(?=y)", "{}", &e) == -2);
	ok(strstr(e.msg, "'x(?=y)', character 2: a group that is not supported"));

	test("an attribute that no device can have is told");
	m = match_parse("driver Exists; vender In 8086", &e);
	ok(m && match_check_names(m, &e) == -1);
	eq(e.msg, "'vender' is no attribute of a device, did you mean vendor?");
}

/* -- the attributes of devices -- */

enum { PF, VF, PF2, FUNCTIONS };
enum { UPLINK, REP, VF_LINK, SF_LINK, SF_REP, LINKS };

static struct inv_function functions[FUNCTIONS] = {
	[PF] = { .bdf = "0000:01:00.0", .vendor = "15b3", .device = "1017", .driver = "mlx5_core",
		 .subsystem_vendor = "15b3", .subsystem_device = "0001", .class = "020000",
		 .vendor_name = "Mellanox", .device_name = "ConnectX-5",
		 .drivers_version = "6.1", .firmware = "16.35\xff", .pcie_root = "pci0000:00",
		 .iommu_group = "7", .has_numa = true, .total_vfs = 8, .num_vfs = 1,
		 .eswitch = "switchdev", .has_aer = true, .has_acpi_index = true, .acpi_index = 3,
		 .health = "degraded", .health_reason = "no carrier" },
	[VF] = { .bdf = "0000:01:00.1", .driver_override = "vfio-pci", .is_vf = true,
		 .pf_bdf = "0000:01:00.0" },
	[PF2] = { .bdf = "0000:02:00.0", .total_vfs = 8 },
};

static struct inv_link links[LINKS] = {
	[UPLINK] = { .name = "eth0", .parent_bus = "pci", .parent = "0000:01:00.0",
		     .switch_id = "ab", .port_name = "p0", .altnames = { "enp1s0", "enp1s0np0" },
		     .n_altnames = 2, .type = "ether", .address = "02:00:00:00:00:01", .mtu = 1500,
		     .up = true, .operstate = "down", .speed = 25000, .master = "bond0",
		     .ips = { "192.0.2.1/24" }, .n_ips = 1, .default_route = true },
	[REP] = { .name = "eth0_0", .parent_bus = "pci", .parent = "0000:01:00.0",
		  .switch_id = "ab", .port_name = "pf0vf0" },
	[VF_LINK] = { .name = "eth1", .parent_bus = "pci", .parent = "0000:01:00.1" },
	[SF_LINK] = { .name = "eth2", .parent_bus = "auxiliary", .parent = "mlx5_core.sf.4" },
	[SF_REP] = { .name = "eth3", .parent_bus = "pci", .parent = "0000:01:00.0",
		     .switch_id = "ab", .port_name = "pf0sf88" },
};

static struct inv_auxiliary sfs[] = {
	{ .name = "mlx5_core.sf.4", .type = "sf", .driver = "mlx5_core.sf",
	  .pf_bdf = "0000:01:00.0", .has_sf = true, .sf = 88 },
};
static struct inv_vf vfs[] = {
	{ .pf = "eth0", .index = 0, .mac = "02:00:00:00:00:02", .vlan = 7, .qos = 1,
	  .link_state = "auto", .spoofchk = true, .min_tx_rate = 1, .max_tx_rate = 2 },
	{ .pf = "eth9", .index = 0, .vlan = 1 },
};
static struct inv_rdma rdmas[] = {
	{ .name = "mlx5_0", .parent = "0000:01:00.0" },
	{ .name = "mlx5_1", .parent = "mlx5_core.sf.4" },
};
static struct inv_vdpa vdpas[] = {
	{ .name = "v0", .driver = "vhost_vdpa", .bdf = "0000:01:00.1" },
	{ .name = "v1", .driver = "virtio_vdpa", .bdf = "0000:01:00.0",
	  .auxiliary = "mlx5_core.sf.4" },
};
static struct inv_mgmtdev mgmtdevs[] = { { .name = "pci/0000:01:00.1" } };
static struct inv_attachment attachments[] = {
	{ .network = "net-a", .ifname = "net1", .pod_namespace = "default", .pod_name = "p",
	  .state = "live" },
};
static struct inv_allocation allocations[] = {
	{ .resource = "example.com/vf", .id = "pci:0000:01:00.1", .function = VF },
	{ .resource = "example.com/vf", .id = "0000:01:00.1", .function = VF,
	  .pod_namespace = "default", .pod_name = "p" },
	{ .resource = "example.com/sf", .id = "mlx5_core.sf.4", .function = INV_NONE },
};

static struct inventory node = {
	.functions = functions, .n_functions = FUNCTIONS, .links = links, .n_links = LINKS,
	.auxiliaries = sfs, .n_auxiliaries = 1, .vfs = vfs, .n_vfs = 2, .rdmas = rdmas,
	.n_rdmas = 2, .vdpas = vdpas, .n_vdpas = 2, .mgmtdevs = mgmtdevs, .n_mgmtdevs = 1,
	.attachments = attachments, .n_attachments = 1, .allocations = allocations,
	.n_allocations = 3,
};

/* The order of members does not matter; ' stands for ". */
static void eq_json(const json_t *have, const char *want)
{
	auto_free char *text = strdup(want), *have_text = json_dumps(have, JSON_ENCODE_ANY);
	json_auto_t *o = NULL;

	for (char *p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	o = json_loads(text, JSON_DECODE_ANY, NULL);
	ok(o && json_equal(o, have));
	if (!o || !json_equal(o, have))
		(void)printf("#  have %s\n#  want %s\n", have_text, text);
}

static void test_attributes(void)
{
	json_auto_t *pf = match_attributes(&node, &functions[PF]);
	json_auto_t *vf = match_attributes(&node, &functions[VF]);
	json_auto_t *sf = match_attributes_of_auxiliary(&node, &sfs[0]);

	test("a PF has its uplink, not the ports of the functions behind it");
	eq_json(pf, "{'id': '0000:01:00.0', 'bus': 'pci', 'vendor': '15b3', 'device': '1017',"
		    " 'subsystem_vendor': '15b3', 'subsystem_device': '0001', 'class': '020000',"
		    " 'vendor_name': 'Mellanox', 'device_name': 'ConnectX-5',"
		    " 'driver_version': '6.1', 'firmware': '16.35?', 'pcie_root': 'pci0000:00',"
		    " 'numa_node': 0, 'acpi_index': 3, 'driver': 'mlx5_core', 'iommu_group': '7',"
		    " 'is_vf': false, 'total_vfs': 8, 'num_vfs': 1, 'eswitch': 'switchdev',"
		    " 'vhost_net': false, 'aer_correctable': 0, 'aer_nonfatal': 0, 'aer_fatal': 0,"
		    " 'health': 'degraded', 'health_reason': 'no carrier', 'pf_name': 'eth0',"
		    " 'link': 'eth0', 'link_type': 'ether', 'mac': '02:00:00:00:00:01',"
		    " 'mtu': 1500, 'is_up': true, 'carrier': false, 'operstate': 'down',"
		    " 'speed': 25000, 'master': 'bond0', 'default_route': true,"
		    " 'altnames': ['enp1s0', 'enp1s0np0'], 'ips': ['192.0.2.1/24'],"
		    " 'is_rdma': true, 'rdma': ['mlx5_0'], 'makes_vdpa': false,"
		    " 'is_held': false}");
	test("a VF has what its PF, kubelet and the journal say of it");
	eq_json(vf, "{'id': '0000:01:00.1', 'bus': 'pci', 'driver_override': 'vfio-pci',"
		    " 'is_vf': true, 'vf_index': 0, 'pf': '0000:01:00.0', 'vhost_net': false,"
		    " 'pf_name': 'eth0', 'link': 'eth1', 'is_up': false, 'carrier': false,"
		    " 'default_route': false, 'representor': 'eth0_0',"
		    " 'admin_mac': '02:00:00:00:00:02', 'vlan': 7, 'qos': 1,"
		    " 'link_state': 'auto', 'spoofchk': true, 'trust': false,"
		    " 'min_tx_rate': 1, 'max_tx_rate': 2, 'is_rdma': false, 'makes_vdpa': true,"
		    " 'vdpa': ['v0'], 'vdpa_type': ['vhost'], 'is_held': true,"
		    " 'pod': 'default/p', 'network': 'net-a', 'interface': 'net1',"
		    " 'attachment_state': 'live', 'resource': ['example.com/vf'],"
		    " 'allocated_to': ['default/p']}");
	test("a sub-function has the identity of its function, and parts of its own");
	eq_json(json_object_get(sf, "vendor"), "'15b3'");
	eq_json(json_object_get(sf, "id"), "'mlx5_core.sf.4'");
	eq_json(json_object_get(sf, "driver"), "'mlx5_core.sf'");
	eq_json(json_object_get(sf, "link"), "'eth2'");
	eq_json(json_object_get(sf, "pf_name"), "'eth0'");
	eq_json(json_object_get(sf, "representor"), "'eth3'");
	eq_json(json_object_get(sf, "rdma"), "['mlx5_1']");
	eq_json(json_object_get(sf, "vdpa_type"), "['virtio']");
	eq_json(json_object_get(sf, "resource"), "['example.com/sf']");
	eq_json(json_object_get(sf, "sf"), "88");
}

static bool is_somewhere(const char *name)
{
	json_auto_t *pf = match_attributes(&node, &functions[PF]);
	json_auto_t *vf = match_attributes(&node, &functions[VF]);
	json_auto_t *sf = match_attributes_of_auxiliary(&node, &sfs[0]);

	return json_object_get(pf, name) || json_object_get(vf, name) || json_object_get(sf, name);
}

static void test_names(void)
{
	json_auto_t *all = match_attributes(&node, &functions[PF]);
	json_auto_t *vf = match_attributes(&node, &functions[VF]);
	json_auto_t *sf = match_attributes_of_auxiliary(&node, &sfs[0]);
	struct err e = { 0 };
	const char *name;
	json_t *v;

	test("each name of the table is that of an attribute");
	for (const struct attribute *a = attribute_table; a->name; a++) {
		if (strcmp(a->name, "pool") == 0)	/* who has a file of pools adds it */
			continue;
		ok(is_somewhere(a->name));
		if (!is_somewhere(a->name))
			(void)printf("#  %s\n", a->name);
	}
	test("each attribute is in the table");
	(void)json_object_update(all, vf);
	(void)json_object_update(all, sf);
	json_object_foreach(all, name, v)
		ok(attribute_check(name, &e) == 0);
}

static void test_show(void)
{
	json_auto_t *values = json_pack("[s,s]", "15b3", "8086"), *text = NULL;
	struct expression x = { 0 }, all = { 0 };
	struct err e = { 0 };
	char value[200];

	test("an expression is shown with its values");
	ok(expression_make("vendor", "In", NULL, values, &x, &e) == 0);
	text = expression_show(&x);
	eq(json_string_value(text), "vendor In 15b3,8086");
	expression_done(&x);
	test("of many values the first 1024 bytes are shown, to the end of a value");
	memset(value, 'v', sizeof(value));
	while (json_array_size(values) < MATCH_VALUES_MAX)
		(void)json_array_append_new(values, json_stringn(value, sizeof(value)));
	ok(expression_make("", "NotIn", NULL, values, &all, &e) == 0);
	json_decref(text);
	text = expression_show(&all);
	ok(json_string_length(text) ==
	   strlen("NotIn 15b3,8086") + 6 * (sizeof(value) + 1) + strlen(",..."));
	expression_done(&all);
}

int main(void)
{
	struct err e = { 0 };

	jx_init(NULL);
	test_show();
	if (places_set(&node, &e) < 0)
		return 1;
	functions[VF].holder = 0;
	test_rows();
	test_patterns();
	test_bounds();
	test_words();
	test_attributes();
	test_names();
	return tap_end();
}
