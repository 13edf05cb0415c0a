/* SPDX-License-Identifier: Apache-2.0 */
/* test_jx_text.c - JSON that is walked where it stands, whole and torn */
#include "base/jx_text.h"
#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

/* The members of a text, or its elements, "|" between; what is wrong is "-1". */
static const char *walked(const char *text)
{
	static char ret[256];
	struct jx_text v, key, value;
	struct jx_walk w;
	size_t n = 0;
	int r;

	if (jx_text_of(text, strlen(text), &v) < 0)
		return "-1";
	if (*v.at != '{' && *v.at != '[')
		return jx_text_type(v);
	w = jx_walk_of(v);
	*ret = '\0';
	while ((r = jx_walk_next(&w, &key, &value)) > 0) {
		if (*v.at == '{')
			n += (size_t)snprintf(ret + n, sizeof(ret) - n, "%.*s=", (int)key.len,
					      key.at);
		n += (size_t)snprintf(ret + n, sizeof(ret) - n, "%.*s|", (int)value.len, value.at);
	}
	if (r < 0)
		(void)snprintf(ret + n, sizeof(ret) - n, "-1");
	return ret;
}

static void walks(void)
{
	static const char *const torn[] = {
		"", " ", "{", "[", "[1", "{\"a\":1", "\"a", "\"a\\\"", "[1]]", "[1],", "{} {}", "]",
		",", "[\"]", ":",
	};
	struct jx_text v;

	test("a text is walked where it stands, whatever is in what is passed over");
	eq(walked("{\"a\":1,\"b\":{\"c\":[1,{}]} , \"d\" : \"}]\\\"{\"}"),
	   "\"a\"=1|\"b\"={\"c\":[1,{}]}|\"d\"=\"}]\\\"{\"|");
	eq(walked(" [ true,-1.5e3 ,null,[[]],\"\"]\n"), "true|-1.5e3|null|[[]]|\"\"|");
	eq(walked("{}"), "");
	eq(walked("[ ]"), "");
	eq(walked("[{1 2},rubbish]"), "{1 2}|rubbish|");
	test("where a member or element should be and is not, it ends");
	eq(walked("[1,]"), "1|-1");
	eq(walked("[,1]"), "-1");
	eq(walked("[1 2]"), "1|-1");
	eq(walked("{1:2}"), "-1");
	eq(walked("{\"a\" 2}"), "-1");
	eq(walked("{\"a\":}"), "-1");
	eq(walked("{\"a\":1,}"), "\"a\"=1|-1");
	test("what is torn, or more than one value, is none");
	for (size_t i = 0; i < ARRAY_SIZE(torn); i++)
		eq(walked(torn[i]), "-1");
	ok(jx_text_of("[\0]", 3, &v) == 0 && jx_text_of("\0", 1, &v) == -1);
	test("types and texts are seen from the first byte, and whole");
	eq(walked("\"a\""), "a string");
	eq(walked("-7"), "a number");
	eq(walked("false"), "a boolean");
	eq(walked("null"), "null");
	ok(jx_text_of("\"ab\"", 4, &v) == 0 && jx_text_is(v, "ab") && !jx_text_is(v, "a") &&
	   !jx_text_is(v, "abc"));
}

int main(void)
{
	walks();
	return tap_end();
}
