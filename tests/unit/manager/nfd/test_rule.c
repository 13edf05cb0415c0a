/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_rule.c - one rule of Node Feature Discovery: read, and matched with features of all types
 *
 * The rows say what NFD's own tests of its matcher say (v0.18, MatchKeys, MatchValues,
 * MatchInstances, MatchMulti, Execute), in our words, and what its code does besides.
 */
#include "manager/nfd/rule.h"

#include "base/jx.h"
#include "base/jx_yaml.h"
#include "base/mem.h"
#include "manager/nfd/feature_set.h"
#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char features_text[] =
	"flags:\n"
	"  k.f: {elements: {a: {}, b: {}}}\n"
	"  k.empty: {elements: {}}\n"
	"  k.none: {}\n"
	"  m.f: {elements: {flag: {}, both: {}}}\n"
	"  Upper.f: {elements: {a: {}}}\n"
	"  plain: {elements: {a: {}}}\n"
	"attributes:\n"
	"  v.f: {elements: {one: '1', two: '2', text: abc, yes: 'true', 'no': 'false', none: '',\n"
	"        version: 1.10.3-rc1}}\n"
	"  v.empty: {elements: {}}\n"
	"  n.f: {elements: {tiny: '-0.00001', huge: '1000000000000000000000',\n"
	"        long: '1234567890123456800', real: '12.75', zero: '0'}}\n"
	"  m.f: {elements: {attribute: '5', both: '7'}}\n"
	"instances:\n"
	"  i.f: {elements: [{attributes: {a: '1', b: x}}, {attributes: {a: '2', b: w}},\n"
	"                   {attributes: {a: '2', c: z}}]}\n"
	"  i.empty: {elements: []}\n"
	"  m.f: {elements: [{attributes: {inside: '1'}}, {attributes: {inside: '2', flag: x}}]}\n";

static json_t *features;

static json_t *yaml(const char *text)
{
	struct err e = { 0 };
	json_t *v = jx_yaml_parse(text, strlen(text), ERR_NETCONF, "test", &e);

	if (!v) {
		(void)printf("Bail out! %s: %s (%s)\n", text, e.msg, e.details);
		exit(1);
	}
	return v;
}

static void note_warning(const char *text, void *arg)
{
	(void)snprintf(arg, 256, "%s", text);
}

static char warned[256];

/* 1, 0, -1: the answer; -2: not even read. */
static int answer_of(const char *text, const struct rule_kind *kind, struct rule_match *m,
		     struct err *e)
{
	json_auto_t *doc = yaml(text);
	struct rule rule = { 0 };
	json_auto_t *before = json_deep_copy(doc);
	int r = rule_read(doc, kind, &rule, note_warning, warned, e);

	if (!json_equal(doc, before)) {
		(void)printf("Bail out! %s was changed\n", text);
		exit(1);
	}
	if (r < 0)
		return -2;
	r = rule_matches(&rule, features, m, e);
	rule_done(&rule);
	return r;
}

#define EXPR(feature, list) "{feature: " feature ", matchExpressions: {" list "}}"

struct row {
	const char *terms;	/* of matchFeatures */
	int want;
};

static void check_rows(const struct row *rows, size_t n, const struct rule_kind *kind)
{
	for (size_t i = 0; i < n; i++) {
		struct rule_match m = { 0 }, traced = { .why = json_array(), .why_left = 1000 };
		struct err e = { 0 }, e2 = { 0 };
		char text[1024];
		int have;

		(void)snprintf(text, sizeof(text), "{name: r, matchFeatures: [%s]}",
			       rows[i].terms);
		have = answer_of(text, kind, &m, &e);
		ok(have == rows[i].want);
		if (have != rows[i].want)
			(void)printf("#  %s: have %d, want %d (%s)\n", rows[i].terms, have,
				     rows[i].want, e.msg);
		ok((have < 0) == (e.code == ERR_NETCONF && *e.msg));
		/* who asks why gets the same answer */
		ok(answer_of(text, kind, &traced, &e2) == have);
		rule_match_done(&traced);
	}
}

#define CHECK(rows) check_rows(rows, ARRAY_SIZE(rows), &rule_of_object)

static const struct row elements[] = {
	/* of a flag only that it is there, or is not */
	{ EXPR("k.f", "a: {op: Exists}"), 1 },
	{ EXPR("k.f", "a: {op: Exists}, b: {op: Exists}"), 1 },
	{ EXPR("k.f", "a: {op: Exists}, c: {op: Exists}"), 0 },
	{ EXPR("k.f", "a: {op: DoesNotExist}"), 0 },
	{ EXPR("k.f", "c: {op: DoesNotExist}"), 1 },
	{ EXPR("k.f", "a: {op: In, value: [a, '']}"), 0 },
	{ EXPR("k.f", "a: {op: NotIn, value: [x]}"), 0 },
	{ EXPR("k.f", "a: {op: InRegexp, value: ['.*']}"), 0 },
	{ EXPR("k.f", "a: {op: Gt, value: ['1']}"), 0 },
	{ EXPR("k.f", "a: {op: GtLt, value: ['1', '2']}"), 0 },
	{ EXPR("k.f", "a: {op: IsTrue}"), 0 },
	{ EXPR("k.f", "a: {op: IsFalse}"), 0 },
	{ EXPR("k.f", ""), 1 },
	{ EXPR("k.empty", ""), 1 },
	{ EXPR("k.empty", "a: {op: DoesNotExist}"), 1 },
	{ EXPR("k.empty", "a: {op: Exists}"), 0 },
	{ EXPR("k.none", ""), 0 },	/* it has no elements at all */
	{ EXPR("k.none", "a: {op: DoesNotExist}"), 0 },
	{ "{feature: k.f}", 1 },
	{ "{feature: k.none}", 1 },

	/* of an attribute its value */
	{ EXPR("v.f", "one: {op: In, value: ['1']}"), 1 },
	{ EXPR("v.f", "one: {op: In, value: ['2', '1']}"), 1 },
	{ EXPR("v.f", "one: {op: In, value: ['2']}"), 0 },
	{ EXPR("v.f", "none: {op: In, value: ['']}"), 1 },
	{ EXPR("v.f", "absent: {op: In, value: ['']}"), 0 },
	{ EXPR("v.f", "one: {op: NotIn, value: ['2']}"), 1 },
	{ EXPR("v.f", "one: {op: NotIn, value: ['2', '1']}"), 0 },
	{ EXPR("v.f", "absent: {op: NotIn, value: ['2']}"), 0 },
	{ EXPR("v.f", "text: {op: InRegexp, value: ['^a']}"), 1 },
	{ EXPR("v.f", "text: {op: InRegexp, value: [b]}"), 1 },
	{ EXPR("v.f", "text: {op: InRegexp, value: ['^b', 'c$']}"), 1 },
	{ EXPR("v.f", "text: {op: InRegexp, value: ['^b']}"), 0 },
	{ EXPR("v.f", "text: {op: Exists}"), 1 },
	{ EXPR("v.f", "none: {op: Exists}"), 1 },
	{ EXPR("v.f", "absent: {op: Exists}"), 0 },
	{ EXPR("v.f", "text: {op: DoesNotExist}"), 0 },
	{ EXPR("v.f", "absent: {op: DoesNotExist}"), 1 },
	{ EXPR("v.f", "one: {op: Gt, value: ['0']}"), 1 },
	{ EXPR("v.f", "one: {op: Gt, value: ['1']}"), 0 },
	{ EXPR("v.f", "one: {op: Ge, value: ['1']}"), 1 },
	{ EXPR("v.f", "one: {op: Lt, value: ['2']}"), 1 },
	{ EXPR("v.f", "one: {op: Lt, value: ['1']}"), 0 },
	{ EXPR("v.f", "one: {op: Le, value: ['1']}"), 1 },
	{ EXPR("v.f", "two: {op: GtLt, value: ['1', '3']}"), 1 },
	{ EXPR("v.f", "two: {op: GtLt, value: ['2', '3']}"), 0 },
	{ EXPR("v.f", "two: {op: GeLe, value: ['2', '3']}"), 1 },
	{ EXPR("v.f", "absent: {op: Gt, value: ['0']}"), 0 },
	{ EXPR("v.f", "text: {op: Gt, value: ['0']}"), -1 },
	{ EXPR("v.f", "none: {op: Lt, value: ['0']}"), -1 },
	{ EXPR("v.f", "text: {op: GtLt, value: ['0', '1']}"), -1 },
	{ EXPR("v.f", "'yes': {op: IsTrue}"), 1 },
	{ EXPR("v.f", "'no': {op: IsTrue}"), 0 },
	{ EXPR("v.f", "'no': {op: IsFalse}"), 1 },
	{ EXPR("v.f", "text: {op: IsFalse}"), 0 },
	{ EXPR("v.f", "absent: {op: IsFalse}"), 0 },
	{ EXPR("v.f", "version: {op: Gt, type: version, value: ['1.9']}"), 1 },
	{ EXPR("v.f", "version: {op: Lt, type: version, value: ['1.10.3']}"),
	  0 },
	{ EXPR("v.f", "version: {op: Gt, value: ['1']}"), -1 },
	{ EXPR("v.f", "one: {op: Exists}, text: {op: In, value: [abc]}"), 1 },
	{ EXPR("v.f", "one: {op: Exists}, text: {op: In, value: [x]}"), 0 },
	/* behind the first that is not met nothing counts; they go by name */
	{ "{feature: v.f, matchExpressions: {one: {op: In, value: ['7']}, text: {op: Gt, value: "
	  "['0']}}}", 0 },
	{ "{feature: v.f, matchExpressions: {two: {op: In, value: ['7']}, text: {op: Gt, value: "
	  "['0']}}}", -1 },
	{ EXPR("v.empty", ""), 1 },
	{ EXPR("v.empty", "a: {op: DoesNotExist}"), 1 },
	{ "{feature: v.f}", 1 },
};

static const struct row instances[] = {
	/* one instance has to meet them all */
	{ EXPR("i.f", "a: {op: In, value: ['1']}"), 1 },
	{ EXPR("i.f", "a: {op: In, value: ['3']}"), 0 },
	{ EXPR("i.f", "a: {op: In, value: ['1']}, b: {op: In, value: [x]}"),
	  1 },
	{ EXPR("i.f", "a: {op: In, value: ['1']}, b: {op: In, value: [w]}"),
	  0 },
	{ EXPR("i.f", "a: {op: In, value: ['2']}, b: {op: DoesNotExist}"),
	  1 },
	{ EXPR("i.f", "a: {op: In, value: ['1']}, b: {op: DoesNotExist}"),
	  0 },
	{ EXPR("i.f", "d: {op: DoesNotExist}"), 1 },
	{ EXPR("i.f", "b: {op: NotIn, value: [x, w]}"), 0 },
	{ EXPR("i.f", "a: {op: Ge, value: ['2']}, c: {op: Exists}"), 1 },
	{ EXPR("i.f", "b: {op: Gt, value: ['1']}"), -1 },
	/* a fault in any instance is one of the rule, and so also behind one that matches */
	{ EXPR("i.f", "c: {op: DoesNotExist}, b: {op: Gt, value: ['0']}"), -1 },
	{ EXPR("i.f", "a: {op: In, value: ['2']}, b: {op: Gt, value: ['0']}"),
	  -1 },
	{ EXPR("i.f", "a: {op: In, value: ['7']}, b: {op: Gt, value: ['0']}"),
	  0 },
	{ EXPR("i.f", ""), 1 },
	{ EXPR("i.empty", ""), 0 },
	{ EXPR("i.empty", "a: {op: DoesNotExist}"), 0 },
	{ "{feature: i.empty}", 1 },

	/* two terms may be met by two instances */
	{ "{feature: i.f, matchExpressions: {a: {op: In, value: ['1']}}}, "
	  EXPR("i.f", "c: {op: Exists}"), 1 },
};

static const struct row several_types[] = {
	{ EXPR("m.f", "flag: {op: Exists}"), 1 },
	{ EXPR("m.f", "attribute: {op: In, value: ['5']}"), 1 },
	{ EXPR("m.f", "flag: {op: Exists}, attribute: {op: In, value: ['5']}"),
	  1 },
	{ EXPR("m.f", "both: {op: Exists}"), 1 },
	{ EXPR("m.f", "both: {op: In, value: ['7']}"), 1 },
	{ EXPR("m.f", "both: {op: In, value: ['8']}"), 0 },
	/* absence has to be in both; an instance without it is enough, too */
	{ EXPR("m.f", "absent: {op: DoesNotExist}"), 1 },
	{ EXPR("m.f", "flag: {op: DoesNotExist}, inside: {op: Exists}"), 1 },
	{ "{feature: m.f, matchExpressions: {flag: {op: DoesNotExist}, inside: {op: In, value: "
	  "['2']}}}", 0 },
	{ "{feature: m.f, matchExpressions: {both: {op: DoesNotExist}, inside: {op: In, value: "
	  "['3']}}}", 0 },
	{ EXPR("m.f", "attribute: {op: DoesNotExist}, x: {op: Exists}"), 0 },
	/* instances are apart: nothing is met half by one and half by the others */
	{ EXPR("m.f", "inside: {op: In, value: ['2']}"), 1 },
	{ EXPR("m.f", "inside: {op: Exists}, attribute: {op: Exists}"), 0 },
	{ EXPR("m.f", "attribute: {op: Lt, value: ['1']}"), 0 },
};

static const struct row names[] = {
	{ "{feature: k.f, matchName: {op: In, value: [a, x]}}", 1 },
	{ "{feature: k.f, matchName: {op: In, value: [x]}}", 0 },
	{ "{feature: k.f, matchName: {op: InRegexp, value: ['^[ab]$']}}", 1 },
	{ "{feature: k.f, matchName: {op: NotIn, value: [a]}}", 1 },
	{ "{feature: k.f, matchName: {op: NotIn, value: [a, b]}}", 0 },
	{ "{feature: k.f, matchName: {op: Exists}}", 1 },
	{ "{feature: k.f, matchName: {op: DoesNotExist}}", 0 },
	{ "{feature: k.empty, matchName: {op: Exists}}", 0 },
	{ "{feature: v.f, matchName: {op: InRegexp, value: [vers]}}", 1 },
	{ "{feature: v.f, matchName: {op: In, value: [abc]}}", 0 },	/* a value */
	{ "{feature: v.f, matchName: {op: Gt, value: ['1']}}", -1 },
	{ "{feature: i.f, matchName: {op: In, value: [c]}}", 1 },
	{ "{feature: i.f, matchName: {op: In, value: [z]}}", 0 },
	{ "{feature: i.empty, matchName: {op: Exists}}", 0 },
	{ "{feature: v.f, matchExpressions: {one: {op: In, value: ['1']}}, "
	  "matchName: {op: In, value: [text]}}", 1 },
	{ "{feature: v.f, matchExpressions: {one: {op: In, value: ['2']}}, "
	  "matchName: {op: In, value: [text]}}", 0 },
	{ "{feature: v.f, matchExpressions: {one: {op: In, value: ['1']}}, "
	  "matchName: {op: In, value: [absent]}}", 0 },
	{ "{feature: v.f, matchExpressions: {one: {op: In, value: ['2']}}, "
	  "matchName: {op: Gt, value: ['1']}}", 0 },
};

static const struct row absent[] = {
	{ EXPR("no.such", "a: {op: DoesNotExist}"), 0 },
	{ EXPR("no.such", ""), 0 },
	{ "{feature: no.such, matchName: {op: DoesNotExist}}", 0 },
	{ "{feature: no.such}", 0 },
	/* and what is behind it is not looked at */
	{ "{feature: no.such}, " EXPR("v.f", "text: {op: Gt, value: ['0']}"), 0 },
	{ EXPR("v.f", "text: {op: Gt, value: ['0']}") ", {feature: no.such}", -1 },
};

static const struct row spellings[] = {
	{ EXPR("V.F", "one: {op: Exists}"), 1 },
	{ EXPR("K.f", "a: {op: Exists}"), 1 },
	{ EXPR("v.f", "One: {op: Exists}"), 0 },	/* elements are as written */
	{ EXPR("Upper.f", "a: {op: Exists}"), 0 },
};

static const struct row all_of[] = {
	{ "", 1 },
	{ "{feature: k.f, matchExpressions: {a: {op: Exists}}}, "
	  EXPR("v.f", "one: {op: In, value: ['1']}"), 1 },
	{ "{feature: k.f, matchExpressions: {a: {op: Exists}}}, "
	  EXPR("v.f", "one: {op: In, value: ['2']}"), 0 },
	{ "{feature: k.f, matchExpressions: {x: {op: Exists}}}, "
	  EXPR("v.f", "one: {op: In, value: ['1']}"), 0 },
};

static void test_rows(void)
{
	test("N43, N44, N45, N46, N47, N48, N52: an expression is met by the flag or attribute of "
	     "its name");
	CHECK(elements);
	test("N53: one instance has to meet all expressions, each is asked separately");
	CHECK(instances);
	test("N54: flags and attributes of one feature are a union, its instances are apart");
	CHECK(several_types);
	test("N42: matchName is asked of the names of elements, and after matchExpressions");
	CHECK(names);
	test("N57: of a feature that is not there nothing is met, nor that something is absent");
	CHECK(absent);
	test("N55: the case of a feature's name does not matter");
	CHECK(spellings);
	test("N08, N59: all terms have to match, and of no terms all do");
	CHECK(all_of);
}

/* -- matchAny -- */

#define YES "{matchFeatures: [{feature: k.f, matchExpressions: {a: {op: Exists}}}]}"
#define NO "{matchFeatures: [{feature: k.f, matchExpressions: {x: {op: Exists}}}]}"
#define BAD "{matchFeatures: [{feature: v.f, matchExpressions: {text: {op: Gt, value: ['0']}}}]}"
#define TERM(s) "matchFeatures: [{feature: k.f, matchExpressions: {" s ": {op: Exists}}}]"

static void test_any(void)
{
	static const struct row rows[] = {
		{ "matchAny: [" YES "]", 1 },
		{ "matchAny: [" NO "]", 0 },
		{ "matchAny: [" NO ", " YES "]", 1 },
		{ "matchAny: [" NO ", " NO "]", 0 },
		{ "matchAny: []", 1 },
		{ "matchAny: [{matchFeatures: []}]", 1 },
		{ "matchAny: [" YES "], " TERM("a"), 1 },
		{ "matchAny: [" YES "], " TERM("x"), 0 },
		{ "matchAny: [" NO "], " TERM("a"), 0 },
		/* behind the first that matches none is looked at, unless templates need it */
		{ "matchAny: [" YES ", " BAD "]", 1 },
		{ "matchAny: [" BAD ", " YES "]", -1 },
		{ "matchAny: [" NO ", " BAD "]", -1 },
		{ "matchAny: [" NO "], matchFeatures: [{feature: v.f, matchExpressions: {text: "
		  "{op: Gt, value: ['0']}}}]", 0 },
	};

	test("N58: one of matchAny has to match, and matchFeatures besides");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rule_match m = { 0 }, traced = { .why = json_array(), .why_left = 1000 };
		struct err e = { 0 };
		char text[1024];
		int have;

		(void)snprintf(text, sizeof(text), "{name: r, %s}", rows[i].terms);
		have = answer_of(text, &rule_of_object, &m, &e);
		ok(have == rows[i].want);
		if (have != rows[i].want)
			(void)printf("#  %s: have %d (%s)\n", rows[i].terms, have, e.msg);
		ok(answer_of(text, &rule_of_object, &traced, &e) == have);
		rule_match_done(&traced);
	}
	test("with templates, whose data it has to make, each is looked at");
	{
		struct rule_match m = { .data = json_array() };
		struct err e = { 0 };

		ok(answer_of("{name: r, matchAny: [" YES ", " BAD "]}", &rule_of_object, &m, &e) ==
		   -1);
		rule_match_done(&m);
	}
}

/* -- the dialects -- */

static void test_dialects(void)
{
	static const struct row both[] = {
		{ EXPR("v.f", "one: {op: In, value: ['1']}"), 1 },
		{ EXPR("v.f", "one: {op: In, values: ['1']}"), -2 },
		{ "{v.f: {one: '1'}}", -2 },
		{ "{feature: v.f, matchOn: []}", -2 },
		{ "{feature: 7}", -2 },
		{ "{}", -2 },
		{ "x", -2 },
		{ EXPR("v.f", "one: {op: Is, value: ['1']}"), -2 },
		{ EXPR("v.f", "one: {op: In, value: [1]}"), -2 },
		{ "{feature: v.f, matchName: {op: Is}}", -2 },
		{ "{feature: v.f, matchExpressions: 7}", -2 },
	};
	/* the API server takes them, and they fail where a node has the attribute */
	static const struct row faulty[] = {
		{ EXPR("v.f", "one: {op: In}"), -1 },
		{ EXPR("v.f", "one: {op: In, value: []}"), -1 },
		{ EXPR("v.f", "one: {op: Exists, value: ['1']}"), -1 },
		{ EXPR("v.f", "one: {op: DoesNotExist, value: ['']}"), -1 },
		{ EXPR("v.f", "one: {op: IsTrue, value: ['1']}"), -1 },
		{ EXPR("v.f", "one: {op: NotIn}"), -1 },
		{ EXPR("v.f", "one: {op: InRegexp}"), -1 },
		{ EXPR("v.f", "one: {op: InRegexp, value: ['(?=x)']}"), -1 },
		{ EXPR("v.f", "one: {op: Gt}"), -1 },
		{ EXPR("v.f", "one: {op: Gt, value: ['1', '2']}"), -1 },
		{ EXPR("v.f", "one: {op: Gt, value: [x]}"), -1 },
		{ EXPR("v.f", "one: {op: GtLt, value: ['1']}"), -1 },
		{ EXPR("v.f", "one: {op: GtLt, value: ['2', '1']}"), -1 },
		{ EXPR("v.f", "absent: {op: In}"), 0 },
		{ EXPR("v.f", "absent: {op: Gt, value: [x]}"), 0 },
		{ EXPR("v.f", "absent: {op: Exists, value: ['1']}"), -1 },
		{ EXPR("k.f", "a: {op: Gt, value: [x]}"), 0 },
	};
	static const struct {
		const char *terms;
		int worker, object;
	} shorts[] = {
		{ EXPR("v.f", "one: ['1']"), 1, -2 },
		{ EXPR("v.f", "one: '1'"), 1, -2 },
		{ EXPR("v.f", "one: 1"), 1, -2 },
		{ EXPR("v.f", "yes: true"), 1, -2 },
		{ EXPR("v.f", "one: '2'"), 0, -2 },
		{ EXPR("v.f", "one: null"), 1, -2 },
		{ EXPR("v.f", "absent: null"), 0, -2 },
		{ "{feature: v.f, matchExpressions: ['one=1', text]}", 1, -2 },
		{ "{feature: v.f, matchExpressions: ['one=2', text]}", 0, -2 },
		{ "{feature: v.f, matchExpressions: ['one=2', 'one=1']}", 1, -2 },
		{ EXPR("v.f", "absent: {}"), 1, -2 },
		{ EXPR("v.f", "absent: {op: ''}"), 1, -2 },
		{ EXPR("v.f", "absent: {value: ['1']}"), -2, -2 },
		{ EXPR("v.f", "one: {op: In, value: '1'}"), 1, -2 },
		{ EXPR("v.f", "one: {Op: In, Value: 1}"), 1, -2 },
		{ "{feature: v.f, matchName: text}", 1, -2 },
		{ "{feature: v.f, matchExpressions: [1]}", -2, -2 },
		{ EXPR("v.f", "one: [1]"), -2, -2 },
		{ EXPR("v.f", "version: {op: Gt, value: ['1'], Type: version}"), 1, -2 },
		/* a number is what Go's float64 makes of it, without exponent */
		{ EXPR("n.f", "tiny: -1e-5"), 1, -2 },
		{ EXPR("n.f", "huge: {op: In, value: 1e21}"), 1, -2 },
		{ EXPR("n.f", "long: 1234567890123456789"), 1, -2 },
		{ EXPR("n.f", "real: 12.750"), 1, -2 },
		{ EXPR("n.f", "zero: 0.0"), 1, -2 },
	};
	struct rule_match m = { 0 };
	struct err e = { 0 };

	test("a feature without a domain is one, too, but NFD has none, and that is told");
	ok(answer_of("{name: r, matchFeatures: [{feature: Plain, matchExpressions: {a: {op: "
		     "Exists}}}]}", &rule_of_object, &m, &e) == 1);
	eq(warned, "feature 'Plain' is no DOMAIN.FEATURE: NFD has none of that name, and templates "
	   "cannot use it");
	ok(answer_of("{name: r, labelsTemplate: 'a=b', matchAny: [{matchFeatures: [{feature: pci}]}"
		     "]}", &rule_of_worker, &m, &e) == 0);
	test("the worker takes keys in any case, the API server as they are");
	ok(answer_of("{Name: r, MatchFeatures: [{Feature: no.such}]}", &rule_of_worker, &m, &e) ==
	   0);
	ok(answer_of("{name: r, MatchFeatures: []}", &rule_of_object, &m, &e) == -2);
	eq(e.msg, "unknown key 'MatchFeatures', did you mean matchFeatures?");
	ok(answer_of("{name: r, matchFeatures: [{Feature: a.b}]}", &rule_of_object, &m, &e) == -2);
	ok(answer_of("{name: r, matchAny: [{MatchFeatures: []}]}", &rule_of_object, &m, &e) == -2);
	test("N50, N51: a misspelled term or expression is an error, wherever the rule is");
	CHECK(both);
	check_rows(both, ARRAY_SIZE(both), &rule_of_worker);
	test("wrong values of an expression fail when they are asked for");
	CHECK(faulty);
	check_rows(faulty, ARRAY_SIZE(faulty), &rule_of_worker);
	test("N49: the worker's rules may be short, and anything meets no operator; in a "
	     "NodeFeatureRule neither is allowed");
	for (size_t i = 0; i < ARRAY_SIZE(shorts); i++) {
		struct row row = { shorts[i].terms, shorts[i].worker };

		check_rows(&row, 1, &rule_of_worker);
		row.want = shorts[i].object;
		check_rows(&row, 1, &rule_of_object);
	}
}

/* -- what is said of a wrong rule -- */

static const char *error_of(const char *text, const struct rule_kind *kind)
{
	static char ret[1400];
	struct rule_match m = { 0 };
	struct err e = { 0 };

	(void)snprintf(ret, sizeof(ret), "%d", answer_of(text, kind, &m, &e));
	if (*e.msg)
		(void)snprintf(ret, sizeof(ret), "%s%s%s", e.msg, *e.details ? "; " : "",
			       e.details);
	return ret;
}

static void test_errors(void)
{
	static const struct {
		const char *rule, *want;
	} cases[] = {
		{ "[]", "expected an object, got a list" },
		{ "{}", "name: missing" },
		{ "{name: ''}", "name: missing" },
		{ "{name: 7}", "name: expected a string, got an integer" },
		{ "{name: r, lables: {}}", "unknown key 'lables', did you mean labels?" },
		{ "{name: r, labels: {a: true}}",
		  "labels: 'a': expected a string, got a boolean: it needs quotes" },
		{ "{name: r, labels: []}", "labels: expected an object, got a list" },
		{ "{name: r, matchFeatures: {}}", "matchFeatures: expected a list, got an object" },
		{ "{name: r, matchFeatures: [{feature: a.b, matchExpressions: {x: {op: Exsts}}}]}",
		  "matchFeatures[0]: matchExpressions: x: 'Exsts' is no operator, did you mean "
		  "Exists?" },
		{ "{name: r, matchFeatures: [{feature: a.b, matchExpressions: {x: {op: In, values: "
		  "[w]}}}]}",
		  "matchFeatures[0]: matchExpressions: x: unknown key 'values', did you mean "
		  "value?" },
		{ "{name: r, matchFeatures: [{pci.device: {vendor: x}}]}",
		  "matchFeatures[0]: unknown key 'pci.device'; a term is {feature: NAME, "
		  "matchExpressions: {...}}" },
		{ "{name: r, matchAny: [{feature: a.b}]}", "matchAny[0]: unknown key 'feature'" },
		{ "{name: r, matchAny: [7]}", "matchAny[0]: expected an object, got an integer" },
		{ "{name: r, taints: [7]}", "taints[0]: expected an object, got an integer" },
		{ "{name: r, taints: [{Key: x}]}",
		  "taints[0]: unknown key 'Key', did you mean key?" },
		{ "{name: r, taints: [{key: 7}]}",
		  "taints[0]: key: expected a string, got an integer" },
		{ "{name: r, matchOn: [{pciId: {vendor: ['15b3']}}]}",
		  "matchOn: rules of that form were removed in v0.15: write matchFeatures with "
		  "feature and matchExpressions" },
		{ "{name: r, MatchOn: []}",
		  "matchOn: rules of that form were removed in v0.15: write matchFeatures with "
		  "feature and matchExpressions" },
	};

	test("N35, N50, N51, N75: a wrong rule is refused, with the key and what is allowed");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		eq(error_of(cases[i].rule, &rule_of_object), cases[i].want);
		if (!strstr(cases[i].rule, "taints"))
			eq(error_of(cases[i].rule, &rule_of_worker), cases[i].want);
	}
	test("a matcher of matchAny has matchFeatures, but for custom rules, where it matches");
	eq(error_of("{name: r, matchAny: [{}]}", &rule_of_object),
	   "matchAny[0]: matchFeatures: missing");
	eq(error_of("{name: r, matchAny: [{matchFeatures: }]}", &rule_of_object),
	   "matchAny[0]: matchFeatures: missing");
	eq(error_of("{name: r, matchAny: [{}]}", &rule_of_worker), "1");
	test("N47: a value that is no number is told when the rule is evaluated");
	eq(error_of("{name: r, matchFeatures: [{feature: v.f, matchExpressions: {text: {op: Gt, "
		    "value: ['1']}}}]}", &rule_of_object), "text Gt: 'abc' is no number");
	test("N32: taints, extended resources and annotations of custom rules are passed over");
	*warned = '\0';
	eq(error_of("{name: r, taints: [7]}", &rule_of_worker), "1");
	contains(warned, "taints: passed over");
	*warned = '\0';
	eq(error_of("{name: r, extendedResources: {a: 1}}", &rule_of_worker), "1");
	contains(warned, "extendedResources: passed over");
}

static void test_bounds(void)
{
	auto_free char *text = malloc(20000);
	struct rule_match m = { 0 };
	struct err e = { 0 };

	test("a rule has at most 256 terms, and at most 256 matchers");
	ok(text != NULL);
	if (!text)
		return;
	strcpy(text, "{name: r, matchFeatures: [");
	for (int i = 0; i < 256; i++)
		strcat(text, "{feature: k.f},");
	strcat(text, "]}");
	ok(answer_of(text, &rule_of_object, &m, &e) == 1);
	text[strlen(text) - 2] = '\0';
	strcat(text, "{feature: k.f}]}");
	ok(answer_of(text, &rule_of_object, &m, &e) == -2);
	eq(e.msg, "matchFeatures: more than 256 terms");
	strcpy(text, "{name: r, matchAny: [");
	for (int i = 0; i < 257; i++)
		strcat(text, "{},");
	strcat(text, "]}");
	ok(answer_of(text, &rule_of_object, &m, &e) == -2);
	eq(e.msg, "matchAny: more than 256 matchers");
}

/* -- what matched, and why -- */

static const char *data_of(const char *text)
{
	static char ret[2048];
	struct rule_match m = { .data = json_array() };
	struct err e = { 0 };
	auto_free char *json = NULL;

	if (answer_of(text, &rule_of_object, &m, &e) != 1)
		return "no match";
	json = json_dumps(m.data, JSON_COMPACT | JSON_SORT_KEYS);
	(void)snprintf(ret, sizeof(ret), "%s", json);
	rule_match_done(&m);
	return ret;
}

static void test_data(void)
{
	test("N69: flags give Name, attributes Name and Value, instances their attributes");
	eq(data_of("{name: r, matchFeatures: [" EXPR("k.f", "b: {op: Exists}, a: {op: Exists}, "
		   "x: {op: DoesNotExist}") "]}"),
	   "[{\"k\":{\"f\":[{\"Name\":\"a\"},{\"Name\":\"b\"},{\"Name\":\"x\"}]}}]");
	eq(data_of("{name: r, matchFeatures: [{feature: v.f, matchExpressions: {two: {op: Exists}, "
		   "one: {op: Exists}, x: {op: DoesNotExist}}}]}"),
	   "[{\"v\":{\"f\":[{\"Name\":\"one\",\"Value\":\"1\"},{\"Name\":\"two\",\"Value\":\"2\"},"
	   "{\"Name\":\"x\",\"Value\":\"\"}]}}]");
	eq(data_of("{name: r, matchFeatures: [{feature: i.f, matchExpressions: {a: {op: In, value: "
		   "['2']}}}]}"),
	   "[{\"i\":{\"f\":[{\"a\":\"2\",\"b\":\"w\"},{\"a\":\"2\",\"c\":\"z\"}]}}]");
	test("matchName gives what it matched, behind the others; instances as a whole");
	eq(data_of("{name: r, matchFeatures: [{feature: v.f, "
		   "matchExpressions: {one: {op: Exists}}, matchName: {op: InRegexp, "
		   "value: ['^t']}}]}"),
	   "[{\"v\":{\"f\":[{\"Name\":\"one\",\"Value\":\"1\"},"
	   "{\"Name\":\"text\",\"Value\":\"abc\"},"
	   "{\"Name\":\"two\",\"Value\":\"2\"}]}}]");
	eq(data_of("{name: r, matchFeatures: [{feature: i.f, matchName: {op: In, value: [c]}}]}"),
	   "[{\"i\":{\"f\":[{\"a\":\"2\",\"c\":\"z\"}]}}]");
	test("terms of the same feature give one list");
	eq(data_of("{name: r, matchFeatures: [{feature: k.f, matchExpressions: {b: {op: Exists}}}, "
		   "{feature: k.f, matchExpressions: {a: {op: Exists}}}]}"),
	   "[{\"k\":{\"f\":[{\"Name\":\"b\"},{\"Name\":\"a\"}]}}]");
	test("N56: a template has a feature as the rule writes it; one without a dot is a domain");
	eq(data_of("{name: r, matchFeatures: [" EXPR("K.F", "a: {op: Exists}") "]}"),
	   "[{\"K\":{\"F\":[{\"Name\":\"a\"}]}}]");
	eq(data_of("{name: r, matchFeatures: [" EXPR("Plain", "a: {op: Exists}") "]}"),
	   "[{\"plain\":{\"\":[{\"Name\":\"a\"}]}}]");
	test("N72: with matchAny there is data of each matcher that matches");
	eq(data_of("{name: r, matchAny: [" YES ", " NO ", {matchFeatures: [{feature: k.f, "
		   "matchExpressions: {b: {op: Exists}}}]}], " TERM("a") "}"),
	   "[{\"k\":{\"f\":[{\"Name\":\"a\"}]}},{\"k\":{\"f\":[{\"Name\":\"b\"}]}},"
	   "{\"k\":{\"f\":[{\"Name\":\"a\"}]}}]");
	eq(data_of("{name: r}"), "[]");
}

/* The fault by which the rule may fail, or not. */
static const char *chance_of(const char *text, int want)
{
	static char ret[sizeof(((struct err *)NULL)->msg)];
	struct rule_match m = { .data = json_array() };
	struct rule_match traced = { .why = json_array(), .why_left = 1000 };
	struct err e = { 0 }, e2 = { 0 };

	ok(answer_of(text, &rule_of_object, &m, &e) == want);
	(void)snprintf(ret, sizeof(ret), "%s", m.chance.msg);
	(void)answer_of(text, &rule_of_object, &traced, &e2);
	eq(traced.chance.msg, ret);
	rule_match_done(&m);
	rule_match_done(&traced);
	return ret;
}

#define V_F(list)	EXPR("v.f", list)

static void test_chance(void)
{
	test("of expressions one of which is not met and one fails, NFD may come upon either");
	eq(chance_of("{name: r, matchFeatures: [" V_F("one: {op: IsTrue}, text: {op: Gt, value: "
		     "['1']}") "]}", 0), "text Gt: 'abc' is no number");
	eq(chance_of("{name: r, matchFeatures: [" V_F("text: {op: Gt, value: ['1']}, two: {op: "
		     "IsTrue}") "]}", -1), "text Gt: 'abc' is no number");
	eq(chance_of("{name: r, matchFeatures: [" EXPR("i.f", "a: {op: In, value: ['3']}, b: {op: "
		     "Gt, value: ['1']}") "]}", 0), "b Gt: 'x' is no number");
	eq(chance_of("{name: r, matchAny: [{matchFeatures: [" V_F("one: {op: IsTrue}, text: {op: "
		     "Gt, value: ['1']}") "]}]}", 0), "text Gt: 'abc' is no number");
	test("but not where all fail that are not met, or an earlier term or matcher decides");
	eq(chance_of("{name: r, matchFeatures: [" V_F("one: {op: Exists}, text: {op: Gt, value: "
		     "['1']}") "]}", -1), "");
	eq(chance_of("{name: r, matchFeatures: [" EXPR("k.f", "x: {op: Exists}") ", "
		     V_F("one: {op: IsTrue}, text: {op: Gt, value: ['1']}") "]}", 0), "");
	eq(chance_of("{name: r, matchAny: [" NO "], matchFeatures: [" V_F("one: {op: IsTrue}, "
		     "text: {op: Gt, value: ['1']}") "]}", 0), "");
}

static void note_all(const char *text, void *arg)
{
	(void)snprintf((char *)arg + strlen(arg), 1024 - strlen(arg), "%s\n", text);
}

static void test_faults(void)
{
	json_auto_t *doc = yaml("{name: r, matchFeatures: [" V_F("one: {op: Gt, value: [x]}, two: "
				"{op: Exists}") "], matchAny: [{matchFeatures: [{feature: v.f, "
				"matchName: {op: In}}]}]}");
	struct rule rule = { 0 };
	struct err e = { 0 };
	char said[1024] = "";

	test("what of a rule will fail is told, with its place");
	ok(rule_read(doc, &rule_of_object, &rule, note_warning, warned, &e) == 0);
	rule_tell_faults(&rule, note_all, said);
	eq(said, "matchFeatures[0]: one: Gt: 'x' is no number: the API server takes this, but NFD "
		 "skips the rule where it asks a node for it\n"
		 "matchAny[0]: matchFeatures[0]: matchName: In has 1 to 1024 values, not 0: the "
		 "API server takes this, but NFD skips the rule where it asks a node for it\n");
	rule_done(&rule);
}

static const char *why_of(const char *text)
{
	static char ret[4096];
	struct rule_match m = { .why = json_array(), .why_left = 1000 };
	struct err e = { 0 };
	auto_free char *json = NULL;

	(void)answer_of(text, &rule_of_object, &m, &e);
	json = json_dumps(m.why, JSON_COMPACT | JSON_SORT_KEYS);
	(void)snprintf(ret, sizeof(ret), "%s", json);
	rule_match_done(&m);
	return ret;
}

static void test_why(void)
{
	test("why: each expression with what it was asked of, also behind the first not met");
	eq(why_of("{name: r, matchFeatures: [" EXPR("v.f", "one: {op: In, value: ['2', '3']}, "
		  "text: {op: Gt, value: ['1']}, x: {op: DoesNotExist}") ", {feature: no.such}]}"),
	   "[{\"term\":\"matchFeatures\",\"terms\":["
	   "{\"term\":\"v.f\",\"terms\":["
	   "{\"is\":\"1\",\"term\":\"one In 2,3\",\"value\":false},"
	   "{\"error\":\"text Gt: 'abc' is no number\",\"is\":\"abc\",\"term\":\"text Gt 1\"},"
	   "{\"is\":null,\"term\":\"x DoesNotExist\",\"value\":true}],\"value\":false},"
	   "{\"term\":\"no.such\",\"terms\":[{\"term\":\"the node has this feature\",\"terms\":[],"
	   "\"value\":false}],\"value\":false}],\"value\":false}]");
	eq(why_of("{name: r, matchFeatures: [{feature: k.f, matchExpressions: {a: {op: Exists}}, "
		  "matchName: {op: In, value: [x]}}]}"),
	   "[{\"term\":\"matchFeatures\",\"terms\":[{\"term\":\"k.f\",\"terms\":["
	   "{\"is\":true,\"term\":\"a Exists\",\"value\":true},"
	   "{\"term\":\"matchName: In x\",\"value\":false}],\"value\":false}],\"value\":false}]");
	test("and of each instance");
	eq(why_of("{name: r, matchAny: [{matchFeatures: [{feature: i.f, matchExpressions: {c: {op: "
		  "Exists}}}]}]}"),
	   "[{\"term\":\"matchAny\",\"terms\":[{\"term\":\"matchFeatures\",\"terms\":["
	   "{\"term\":\"i.f\",\"terms\":["
	   "{\"term\":\"instance 1\",\"terms\":["
	   "{\"is\":null,\"term\":\"c Exists\",\"value\":false}],"
	   "\"value\":false},"
	   "{\"term\":\"instance 2\",\"terms\":["
	   "{\"is\":null,\"term\":\"c Exists\",\"value\":false}],"
	   "\"value\":false},"
	   "{\"term\":\"instance 3\",\"terms\":["
	   "{\"is\":\"z\",\"term\":\"c Exists\",\"value\":true}],"
	   "\"value\":true}],\"value\":true}],\"value\":true}],\"value\":true}]");
}

/* -- features -- */

static const char *merged(const char *one, const char *other)
{
	static char ret[1024];
	json_auto_t *a = json_object(), *b = yaml(one), *c = yaml(other);
	struct err e = { 0 };
	auto_free char *json = NULL;

	if (feature_set_merge(a, b, &e) < 0 || feature_set_merge(a, c, &e) < 0) {
		(void)snprintf(ret, sizeof(ret), "%s", e.msg);
		return ret;
	}
	json = json_dumps(a, JSON_COMPACT | JSON_SORT_KEYS);
	(void)snprintf(ret, sizeof(ret), "%s", json);
	return ret;
}

static void test_features(void)
{
	test("N02, N05: flags, attributes and instances of several objects are joined");
	eq(merged("{flags: {a.b: {elements: {x: {}}}}, attributes: {c.d: {elements: {y: '1', z: "
		  "'2'}}}, instances: {e.f: {elements: [{attributes: {g: '1'}}]}}}",
		  "{flags: {a.b: {elements: {w: {}}}}, attributes: {c.d: {elements: {y: '3'}}}, "
		  "instances: {e.f: {elements: [{attributes: {g: '1'}}]}}}"),
	   "{\"attributes\":{\"c.d\":{\"elements\":{\"y\":\"3\",\"z\":\"2\"}}},"
	   "\"flags\":{\"a.b\":{\"elements\":{\"w\":{},\"x\":{}}}},"
	   "\"instances\":{\"e.f\":{\"elements\":[{\"attributes\":{\"g\":\"1\"}},"
	   "{\"attributes\":{\"g\":\"1\"}}]}}}");
	eq(merged("{}", "{flags: {a.b: {}}, attributes: {a.b: {elements: null}}}"),
	   "{\"attributes\":{\"a.b\":{}},\"flags\":{\"a.b\":{}},\"instances\":{}}");
	test("features of another form are refused");
	eq(merged("{}", "[]"), "features: expected an object, got a list");
	eq(merged("{}", "{flag: {}}"), "features: unknown key 'flag', did you mean flags?");
	eq(merged("{}", "{Flags: {a.b: {elements: {x: {}}}}}"),
	   "features: unknown key 'Flags', did you mean flags?");
	eq(merged("{}", "{flags: {a.b: {elements: [x]}}}"),
	   "features: flags: a.b: elements: expected an object, got a list");
	eq(merged("{}", "{attributes: {a.b: {elements: {x: 1}}}}"),
	   "features: attributes: a.b: elements: 'x': expected a string, got an integer: it needs "
	   "quotes");
	eq(merged("{}", "{instances: {a.b: {elements: [{attributes: {x: {}}}]}}}"),
	   "features: instances: a.b: elements[0]: attributes: 'x': expected a string, got an "
	   "object");
	eq(merged("{}", "{instances: {a.b: {elements: [{}]}}}"),
	   "features: instances: a.b: elements[0]: attributes: missing");
	eq(merged("{}", "{flags: {a.b: {elements: {x: '1'}}}}"),
	   "features: flags: a.b: elements: 'x': a flag has no value: expected {}");
	eq(merged("{}", "{instances: {a.b: {elements: [7]}}}"),
	   "features: instances: a.b: elements[0]: expected an object, got an integer");
	eq(merged("{}", "{flags: {a.b: 7}}"),
	   "features: flags: a.b: expected an object, got an integer");
}

int main(void)
{
	json_auto_t *given = NULL;
	struct err e = { 0 };

	jx_init(NULL);
	features = json_object();
	given = yaml(features_text);
	ok(feature_set_merge(features, given, &e) == 0);
	test_rows();
	test_any();
	test_dialects();
	test_errors();
	test_bounds();
	test_data();
	test_chance();
	test_faults();
	test_why();
	test_features();
	json_decref(features);
	return tap_end();
}
