/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_expression.c - expressions: every operator with NFD's meaning, read from JSON and met
 *
 * The rows of the operators are the cases of NFD's own test (v0.18, evaluateMatchExpression), said
 * in our words: what it answers for a value that is there, for one that is absent, and what it
 * refuses.
 */
#include "manager/expression/expression.h"

#include "base/jx.h"
#include "base/mem.h"
#include "tests/unit/tap.h"

/* "NAME OP[:TYPE] VALUE,VALUE...", where "" is the empty value: as rules have it. */
static int make(const char *text, struct expression *ret, struct err *e)
{
	auto_free char *copy = strdup(text);
	json_auto_t *values = json_array();
	char *rest = copy, *name = strsep(&rest, " "), *op = strsep(&rest, " ");
	char *type = strchr(op, ':');

	if (type)
		*type++ = '\0';
	for (char *v; (v = strsep(&rest, ","));)
		(void)json_array_append_new(values, json_string(strcmp(v, "\"\"") ? v : ""));
	return expression_make(&expressions_of_rule, name, op, type, values, ret, e);
}

/* As devices have them. */
static int make_json(const char *text, struct expressions *ret, struct err *e)
{
	json_auto_t *doc = json_loads(text, 0, NULL);

	return expressions_from_json(doc, &expressions_of_device, ret, e);
}

/* 1, 0, -1: the answer; -2: not even read. */
static int answer(const char *text, const char *attributes, struct err *e)
{
	json_auto_t *o = json_loads(attributes, 0, NULL);
	struct expressions all = { 0 };
	struct expression x = { 0 };
	int r = 1;

	if (strchr("{[ ", *text)) {
		r = make_json(text, &all, e) < 0 ? -2 : 1;
	} else {
		r = make(text, &x, e) < 0 ? -2 : 1;
		if (r == 1 && expressions_append(&all, &x, e) < 0)
			r = -2;
	}
	for (size_t i = 0; r == 1 && i < all.n; i++)
		r = expression_meets(&all.list[i], o, e);
	expressions_done(&all);
	return r;
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
	{ "a In", "{\"a\":\"1\"}", -1 },
	{ "a in 1", "{\"a\":\"1\"}", -2 },

	{ "a NotIn 2", "{}", 0 },
	{ "a NotIn 1", "{\"a\":2}", 1 },
	{ "a NotIn 1,2,3", "{\"a\":\"2\"}", 0 },
	{ "a NotIn", "{\"a\":\"2\"}", -1 },

	{ "a InRegexp val-[0-9]$", "{}", 0 },
	{ "a InRegexp val-[0-9]$", "{\"a\":\"val-1\"}", 1 },
	{ "a InRegexp val-[0-9]$", "{\"a\":\"val-12\"}", 0 },
	{ "a InRegexp val-[0-9]$,al-[1-9]", "{\"a\":\"val-12\"}", 1 },
	{ "a InRegexp 1,[0-8]", "{\"a\":\"9\"}", 0 },
	{ "a InRegexp 1,[0-8]", "{\"a\":2}", 1 },
	{ "a InRegexp", "{\"a\":\"x\"}", -1 },
	{ "a InRegexp (", "{\"a\":\"x\"}", -1 },
	{ "a InRegexp (", "{}", 0 },

	{ "a Exists", "{}", 0 },
	{ "a Exists", "{\"a\":\"\"}", 1 },
	{ "a Exists", "{\"a\":false}", 1 },
	{ "a Exists", "{\"a\":null}", 0 },
	{ "a Exists 1", "{\"a\":1}", -1 },
	{ "a DoesNotExist", "{}", 1 },
	{ "a DoesNotExist", "{\"b\":1}", 1 },
	{ "a DoesNotExist", "{\"a\":false}", 0 },
	{ "a DoesNotExist 1", "{}", -1 },

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
	{ "a Gt 2.0", "{\"a\":3}", -1 },
	{ "a Gt", "{\"a\":1}", -1 },
	{ "a Gt 1,2", "{\"a\":1}", -1 },
	{ "a Gt \"\"", "{\"a\":1}", -1 },
	{ "a Gt 9223372036854775807", "{\"a\":1}", 0 },
	{ "a Gt 9223372036854775808", "{\"a\":1}", -1 },
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
	{ "a Lt a", "{\"a\":1}", -1 },
	{ "a Lt 1,2,3", "{\"a\":1}", -1 },
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
	{ "a GtLt 1", "{\"a\":1}", -1 },
	{ "a GtLt 2,1", "{\"a\":1}", -1 },
	{ "a GtLt 1,1", "{\"a\":1}", -1 },
	{ "a GtLt 1,2,3", "{\"a\":1}", -1 },
	{ "a GtLt a,2", "{\"a\":1}", -1 },
	{ "a GeLe -10,10", "{}", 0 },
	{ "a GeLe -10,10", "{\"a\":10}", 1 },
	{ "a GeLe -10,10", "{\"a\":-10}", 1 },
	{ "a GeLe -10,10", "{\"a\":-11}", 0 },
	{ "a GeLe -10,10", "{\"a\":11}", 0 },
	{ "a GeLe -10,10", "{\"a\":\"str\"}", -1 },
	{ "a GeLe 2,1", "{\"a\":1}", -1 },

	{ "a IsTrue", "{}", 0 },
	{ "a IsTrue", "{\"a\":true}", 1 },
	{ "a IsTrue", "{\"a\":\"true\"}", 1 },
	{ "a IsTrue", "{\"a\":\"1\"}", 0 },
	{ "a IsTrue", "{\"a\":\"True\"}", 0 },
	{ "a IsTrue", "{\"a\":false}", 0 },
	{ "a IsTrue 1", "{\"a\":true}", -1 },
	{ "a IsFalse", "{}", 0 },
	{ "a IsFalse", "{\"a\":false}", 1 },
	{ "a IsFalse", "{\"a\":\"false\"}", 1 },
	{ "a IsFalse", "{\"a\":true}", 0 },
	{ "a IsFalse", "{\"a\":0}", 0 },
	{ "a IsFalse 1,2", "{\"a\":false}", -1 },

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
	{ "a Gt:version str", "{\"a\":\"1\"}", -1 },
	{ "a Gt:version str", "{}", 0 },
	{ "a Gt:version 1,2", "{\"a\":\"1\"}", -1 },
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
	{ "a GeLe:version 1,10", "{\"a\":\"-11\"}", -1 },
	{ "a GeLe:version 1.0.1,10.0.1", "{\"a\":\"10.0.1\"}", 1 },
	{ "a GeLe:version 2,1", "{\"a\":\"1\"}", 0 },	/* so there, too */
	{ "a Ge:version 1.2.3", "{\"a\":\"1.2.3-flavor.2.3.4\"}", 1 },
	{ "a Gt:version 1.2.3", "{\"a\":\"1.2.3-flavor.2.3.4\"}", 0 },
	{ "a Ge:version 16.35", "{\"a\":\"16.35.2000 (MT_0000000012)\"}", -1 },
	{ "a Le:version 1.2.3", "{\"a\":\"1.2.3-rc.1+build.01\"}", 1 },
	{ "a Lt:version 1.2.3", "{\"a\":\"1.2.3-rc.1\"}", 0 },
	{ "a Ge:version 1.2.3-rc2", "{\"a\":\"1.2.3-rc1\"}", 1 },
	{ "a Ge:version 5.14", "{\"a\":\"5.14.0-427.13.1.el9_4.x86_64\"}", -1 },
	{ "a Ge:version 5.14", "{\"a\":\"5.14.0-427.13.1.el9.x86-64\"}", 1 },
	{ "a Ge:version 6.1", "{\"a\":\"v6.1\"}", 1 },
	{ "a Gt:version v6.1", "{\"a\":\"6.01\"}", 0 },
	{ "a Ge:version 1", "{\"a\":\"V6.1\"}", -1 },
	{ "a Ge:version 1", "{\"a\":\"1.2.3.4\"}", -1 },
	{ "a Ge:version 1", "{\"a\":\"1.\"}", -1 },
	{ "a Ge:version 1", "{\"a\":\"+5\"}", -1 },
	{ "a Ge:version 1", "{\"a\":\" 5\"}", -1 },
	{ "a Ge:version 1", "{\"a\":\"0x10\"}", -1 },
	{ "a Ge:version 1", "{\"a\":\"1.2-\"}", -1 },
	{ "a Ge:version 1", "{\"a\":\"1.2+\"}", -1 },
	{ "a Ge:version 1", "{\"a\":\"1.2-01\"}", -1 },
	{ "a Ge:version 1", "{\"a\":\"1.2-99999999999999999999\"}", 1 },
	{ "a Ge:version 1", "{\"a\":\"\"}", -1 },
	{ "a Lt:version 18446744073709551615", "{\"a\":\"9223372036854775808\"}", 1 },
	{ "a Ge:version 1", "{\"a\":\"flavor-1.2.3\"}", -1 },
	{ "a Ge:version 1", "{\"a\":\"99999999999999999999999999\"}", -1 },
	{ "a Ge:version 1.1", "{\"a\":\"1.99999999999999999999\"}", -1 },
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

	/* as JSON */
	{ "{}", "{\"a\":1}", 1 },
	{ "{\"a\":{\"op\":\"In\",\"value\":[\"1\",\"2\"]}}", "{\"a\":2}", 1 },
	{ " {\"a\":{\"op\":\"In\",\"value\":\"2\"}}", "{\"a\":2}", 1 },
	{ "{\"a\":{\"op\":\"In\",\"value\":2}}", "{\"a\":\"2\"}", 1 },
	{ "{\"a\":{\"op\":\"In\",\"value\":true}}", "{\"a\":true}", 1 },
	{ "{\"a\":{\"Op\":\"In\",\"VALUE\":\"2\"}}", "{\"a\":2}", 1 },
	{ "{\"a\":{\"op\":\"Exists\",\"value\":null}}", "{\"a\":2}", 1 },
	{ "{\"a\":{\"op\":\"Ge\",\"value\":\"1.2\",\"type\":\"version\"}}", "{\"a\":\"1.2\"}", 1 },
	/* of a device's version its numbers count, whatever is behind them */
	{ "{\"a\":{\"op\":\"Ge\",\"value\":\"16.35\",\"type\":\"version\"}}",
	  "{\"a\":\"16.35.2000 (MT_0000000012)\"}", 1 },
	{ "{\"a\":{\"op\":\"Ge\",\"value\":\"5.14\",\"type\":\"version\"}}",
	  "{\"a\":\"5.14.0-427.el9_4.x86_64\"}", 1 },
	{ "{\"a\":{\"op\":\"Ge\",\"value\":\"1.1\",\"type\":\"version\"}}",
	  "{\"a\":\"1.99999999999999999999\"}", 0 },
	{ "{\"a\":{\"op\":\"Ge\",\"value\":\"1\",\"type\":\"version\"}}",
	  "{\"a\":\"flavor-1.2.3\"}", -1 },
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
	{ "{\"a\":{\"op\":\"In\"}}", "{}", -2 },
	{ "{\"a\":{\"op\":\"Exists\",\"value\":[\"1\"]}}", "{}", -2 },
	{ "{\"a\":{\"op\":\"Gt\",\"value\":[\"x\"]}}", "{}", -2 },
	{ "{\"a\":{\"op\":\"InRegexp\",\"value\":[\"(\"]}}", "{}", -2 },
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

static void test_show(void)
{
	json_auto_t *values = json_pack("[s,s]", "15b3", "8086"), *text = NULL;
	struct expression x = { 0 }, all = { 0 };
	struct err e = { 0 };
	char value[200];

	test("an expression is shown with its values");
	ok(expression_make(&expressions_of_rule, "vendor", "In", NULL, values, &x, &e) == 0);
	text = expression_show(&x);
	eq(json_string_value(text), "vendor In 15b3,8086");
	expression_done(&x);
	test("of many values the first 1024 bytes are shown, to the end of a value");
	memset(value, 'v', sizeof(value));
	while (json_array_size(values) < EXPRESSION_VALUES_MAX)
		(void)json_array_append_new(values, json_stringn(value, sizeof(value)));
	ok(expression_make(&expressions_of_rule, "", "NotIn", NULL, values, &all, &e) == 0);
	json_decref(text);
	text = expression_show(&all);
	ok(json_string_length(text) ==
	   strlen("NotIn 15b3,8086") + 6 * (sizeof(value) + 1) + strlen(",..."));
	expression_done(&all);
}

static int met(struct expression *x, bool is_there, const char *value, struct err *e)
{
	*e = (struct err){ 0 };
	return expression_meets_value(x, is_there, value, e);
}

static void test_value(void)
{
	struct expression in = { 0 }, exists = { 0 }, absent = { 0 }, limit = { 0 }, any = { 0 };
	struct expression fault = { 0 };
	struct err e = { 0 };

	ok(make("a In x", &in, &e) == 0 && make("a Exists", &exists, &e) == 0);
	ok(make("a DoesNotExist", &absent, &e) == 0 && make("a Gt 1", &limit, &e) == 0);
	ok(expression_make_any("a", &any, &e) == 0);
	test("a value meets an expression by itself, whatever its name");
	ok(met(&in, true, "x", &e) == 1 && met(&in, true, "y", &e) == 0);
	ok(met(&limit, true, "2", &e) == 1);
	ok(met(&limit, true, "x", &e) == -1);
	eq(e.msg, "a Gt: 'x' is no number");
	test("wrong values of a rule's expression fail when they are asked for, not before");
	ok(make("a Gt x", &fault, &e) == 0 && fault.fault);
	ok(met(&fault, false, NULL, &e) == 0 && met(&fault, true, NULL, &e) == 0);
	ok(met(&fault, true, "1", &e) == -1);
	eq(e.msg, "a: Gt: 'x' is no number");
	expression_done(&fault);
	ok(make("a Exists 1", &fault, &e) == 0 && met(&fault, false, NULL, &e) == -1);
	eq(e.msg, "a: Exists has no values");
	expression_done(&fault);
	test("a flag meets nothing but that it exists");
	ok(met(&in, true, NULL, &e) == 0 && met(&limit, true, NULL, &e) == 0);
	ok(met(&exists, true, NULL, &e) == 1 && met(&absent, true, NULL, &e) == 0);
	test("what is absent meets DoesNotExist, and an expression without operator");
	ok(met(&in, false, NULL, &e) == 0 && met(&exists, false, NULL, &e) == 0);
	ok(met(&absent, false, NULL, &e) == 1 && expression_wants_absence(&absent));
	ok(met(&any, false, NULL, &e) == 1 && met(&any, true, "x", &e) == 1);
	ok(!expression_wants_absence(&in) && !expression_wants_absence(&exists));
	expression_done(&in);
	expression_done(&exists);
	expression_done(&absent);
	expression_done(&limit);
	expression_done(&any);
}

static void test_bounds(void)
{
	struct expressions all = { 0 };
	struct expression x = { 0 };
	struct err e = { 0 };
	int rc = 0;

	test("there are at most 256 expressions in a list, which takes what it is given");
	for (int i = 0; i < EXPRESSIONS_MAX && rc == 0; i++)
		rc = make("a Exists", &x, &e) < 0 ? -1 : expressions_append(&all, &x, &e);
	ok(rc == 0 && all.n == EXPRESSIONS_MAX);
	ok(make("a Exists", &x, &e) == 0 && expressions_append(&all, &x, &e) == -1);
	ok(all.n == EXPRESSIONS_MAX && !x.name && e.code == ERR_NETCONF);
	expressions_done(&all);
}

int main(void)
{
	jx_init(NULL);
	test_show();
	test_rows();
	test_value();
	test_bounds();
	return tap_end();
}
