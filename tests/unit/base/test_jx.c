/* SPDX-License-Identifier: Apache-2.0 */
/* test_jx.c - JSON: reading it within limits, getting values from it */
#include "base/err.h"
#include "base/jx.h"
#include "base/mem.h"
#include "tests/unit/tap.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ODD "a\"b"	/* needs no escaping in C output, only in JSON */

static json_t *parse(const char *text)
{
	struct err e;
	json_t *v = jx_parse(text, strlen(text), ERR_DECODE, "text", &e);

	if (!v) {
		(void)printf("Bail out! %s: %s\n", e.msg, e.details);
		exit(1);
	}
	return v;
}

static void json_getters(void)
{
	json_auto_t *o =
		parse("{\"s\":\"text\",\"i\":7,\"w\":1e3,\"r\":1.5,\"big\":1e300,\"t\":true,"
		      "\"f\":false,\"o\":{\"k\":1},\"l\":[1],\"n\":null}");
	const char *s = "before";
	json_int_t i = -9;
	json_t *v = NULL, *k;
	bool b = false;
	struct err e;

	test("a getter gives 1 and the value for a member of its type");
	ok(jx_string(o, "", "s", &s, &e) == 1);
	eq(s, "text");
	ok(jx_int(o, "", "i", 0, 7, &i, &e) == 1 && i == 7);
	ok(jx_bool(o, "", "t", &b, &e) == 1 && b);
	ok(jx_bool(o, "", "f", &b, &e) == 1 && !b);
	ok(jx_object(o, "", "o", &v, &e) == 1 && json_object_size(v) == 1);
	ok(jx_array(o, "", "l", &v, &e) == 1 && json_array_size(v) == 1);

	test("a real without fraction is an integer, as after Go's float64");
	ok(jx_int(o, "", "w", 0, 5000, &i, &e) == 1 && i == 1000);

	test("absent and null give 0 and leave the value alone");
	i = -9;
	s = "before";
	v = NULL;
	b = true;
	ok(jx_string(o, "", "none", &s, &e) == 0 && jx_string(o, "", "n", &s, &e) == 0);
	eq(s, "before");
	ok(jx_int(o, "", "n", 0, 1, &i, &e) == 0 && i == -9);
	ok(jx_bool(o, "", "n", &b, &e) == 0 && b);
	ok(jx_object(o, "", "n", &v, &e) == 0 && jx_array(o, "", "none", &v, &e) == 0 && !v);
	ok(jx_string(NULL, "", "s", &s, &e) == 0);

	test("another type is an error that names the path and both types");
	ok(jx_string(o, "runtimeConfig", "i", &s, &e) == -1 && e.code == ERR_NETCONF);
	eq(e.msg, "runtimeConfig.i: expected a string, got an integer");
	eq(s, "before");
	ok(jx_int(o, "", "s", 0, 1, &i, &e) == -1);
	eq(e.msg, "s: expected an integer, got a string");
	ok(jx_int(o, "", "r", 0, 9, &i, &e) == -1);
	eq(e.msg, "r: expected an integer, got a number");
	ok(jx_int(o, "", "big", 0, 9, &i, &e) == -1 && i == -9);
	ok(jx_bool(o, "", "l", &b, &e) == -1);
	eq(e.msg, "l: expected a boolean, got a list");
	ok(jx_object(o, "a", "t", &v, &e) == -1);
	eq(e.msg, "a.t: expected an object, got a boolean");
	ok(jx_array(o, "", "o", &v, &e) == -1 && !v);
	eq(e.msg, "o: expected a list, got an object");
	eq(jx_type_name(json_object_get(o, "n")), "null");

	test("a list of strings is one, or the error names the member that is none");
	v = NULL;
	ok(jx_strings(o, "a", "l", &v, &e) == -1 && !v && e.code == ERR_NETCONF);
	eq(e.msg, "a.l[0]: expected a string, got an integer");
	ok(jx_strings(o, "", "o", &v, &e) == -1);
	eq(e.msg, "o: expected a list, got an object");
	ok(jx_strings(o, "", "n", &v, &e) == 0 && !v);
	k = json_pack("{s:[s,s]}", "k", "a", "b");
	ok(jx_strings(k, "", "k", &v, &e) == 1 && json_array_size(v) == 2);
	(void)json_array_append_new(v, json_null());
	ok(jx_strings(k, "", "k", &v, &e) == -1);
	eq(e.msg, "k[2]: expected a string, got null");
	json_decref(k);

	test("an integer outside its range is an error that names the range");
	ok(jx_int(o, "", "i", 8, 4094, &i, &e) == -1 && i == -9);
	eq(e.msg, "i: expected an integer of 8 to 4094, got 7");
	ok(jx_int(o, "", "i", 0, 6, &i, &e) == -1);
}

static void json_documents(void)
{
	static const char *const bad[] = {
		"",
		"{",
		"{}x",
		"{} {}",
		"\xef\xbb\xbf{}",
		"{\"a\":\"\\u0000\"}",
		"nul",
		"{'a':1}",
		"{\"a\":}",
		"[1,]",
	};
	auto_free char *deep = malloc(8001);
	auto_free char *text = NULL;
	json_auto_t *v = NULL;
	json_t *k;
	struct err e;
	size_t len;

	test("C-REQ-02: what is no single JSON document is an error with the code asked for");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		e.code = ERR_OK;
		ok(!jx_parse(bad[i], strlen(bad[i]), ERR_DECODE, "stdin", &e) &&
		   e.code == ERR_DECODE);
		eq(e.msg, "stdin: not valid JSON");
		begins(e.details, "line ");
	}
	test("a NUL after the document is an error");
	ok(!jx_parse("{}\0", 3, ERR_DECODE, "stdin", &e));
	test("nesting is bounded");
	if (deep)
		memset(deep, '[', 8000);
	ok(deep && !jx_parse(deep, 8000, ERR_DECODE, "stdin", &e));

	test("a dump is compact, keeps the order of keys and ends with a newline");
	v = parse(" { \"z\" : 1, \"a\" : [ true , null ] } ");
	text = jx_dump(v, &len);
	eq(text, "{\"z\":1,\"a\":[true,null]}\n");
	ok(len == strlen(text));
	free(steal_ptr(&text));
	test("a bare string can be dumped, escaped");
	k = json_string(ODD);
	text = jx_dump(k, &len);
	json_decref(k);
	eq(text, "\"a\\\"b\"\n");
}

static void numbers(void)
{
	static const char *const same[] = {
		"[1,-1,0,1.5,9223372036854775807,-9223372036854775808]\n",
		"{\"interface\":1,\"rate\":9007199254740993}\n",
	};
	auto_free char *text = NULL;
	json_auto_t *v = NULL;
	json_int_t n = 0;
	struct err e;
	size_t len;

	test("C-JSN-04: a number of at most 64 bits is printed as it was read, to its last digit");
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		v = parse(same[i]);
		text = jx_dump(v, &len);
		eq(text, same[i]);
		free(steal_ptr(&text));
		json_decref(steal_ptr(&v));
	}
	test("C-JSN-04: the floating form of large integers in Go is accepted");
	v = parse("{\"n\":1e+21}");
	ok(json_is_real(json_object_get(v, "n")));
	json_decref(steal_ptr(&v));

	test("C-JSN-01: an integer beyond 64 bits does not fail a document");
	v = parse("{\"huge\":123456789012345678901234567890,\"vlan\":100,\"l\":[[2],{\"i\":-3}],"
		  "\"r\":1.5,\"s\":\"4.0\",\"e\":1e3,\"u\":18446744073709551615,\"max\":1e300}");
	test("C-JSN-02: and its other integers are integers, at any depth");
	ok(jx_int(v, "", "vlan", 0, 4094, &n, &e) == 1 && n == 100);
	ok(json_is_integer(json_object_get(v, "vlan")));
	text = jx_dump(v, &len);
	eq(text, "{\"huge\":1.2345678901234568e29,\"vlan\":100,\"l\":[[2],{\"i\":-3}],"
		 "\"r\":1.5,\"s\":\"4.0\",\"e\":1000,\"u\":1.8446744073709552e19,"
		 "\"max\":1.0000000000000001e300}\n");
	free(steal_ptr(&text));
	json_decref(steal_ptr(&v));
	test("a bare whole number is one, too");
	v = json_pack("[o]", parse("[18446744073709551616]"));
	ok(json_is_real(json_array_get(json_array_get(v, 0), 0)));
	test("a number that no double holds is one clean error");
	ok(!jx_parse("[1e400]", 7, ERR_DECODE, "stdin", &e) && e.code == ERR_DECODE);
	ok(!jx_parse("[1e400,18446744073709551616]", 28, ERR_DECODE, "stdin", &e));
}

static void bad_texts(void)
{
	static const struct {
		const char *text, *msg, *details;
	} bad[] = {
		{ "{\"a\":1,\"a\":2}", "stdin: duplicate key \"a\"",
		  "line 1, column 10: duplicate object key" },
		{ "{\"o\":{\"k\\\"\\\\\":1,\n\"k\\\"\\\\\" :2}}",
		  "stdin: duplicate key \"k\\\"\\\\\"",
		  "line 2, column 7: duplicate object key" },
		{ "{\"a key of more than twenty bytes\":1,\"a key of more than twenty bytes\":2}",
		  "stdin: duplicate key \"a key of more than twenty bytes\"",
		  "line 1, column 70: duplicate object key" },
		{ "{\"password\":secret}", "stdin: not valid JSON",
		  "line 1, column 18: invalid token" },
		{ "{\"password\":\"secret", "stdin: not valid JSON",
		  "line 1, column 19: premature end of input" },
		{ "[\"secret\xff\"]", "stdin: not valid JSON",
		  "line 1, column 8: unable to decode byte 0xff" },
		{ "[\"\\ud800 secret\"]", "stdin: not valid JSON",
		  "line 1, column 16: invalid Unicode '\\uD800'" },
		{ "[\"\\udc00\\ud800\"]", "stdin: not valid JSON",
		  "line 1, column 15: invalid Unicode '\\uDC00'" },
	};
	struct err e;

	test("C-JSN-03: bad UTF-8, lone surrogates and duplicate keys are errors; a key is named, "
	     "and no value");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ok(!jx_parse(bad[i].text, strlen(bad[i].text), ERR_DECODE, "stdin", &e) &&
		   e.code == ERR_DECODE);
		eq(e.msg, bad[i].msg);
		eq(e.details, bad[i].details);
	}
}

/* A list of n times this text. */
static char *list_of(const char *item, size_t n, size_t *len)
{
	size_t size = strlen(item) + 1;
	char *text = malloc(n * size + 2);

	if (!text)
		exit(1);
	*text = '[';
	for (size_t i = 0; i < n; i++) {
		memcpy(text + 1 + i * size, item, size - 1);
		text[(i + 1) * size] = ',';
	}
	text[n * size] = ']';
	*len = n * size + 1;
	return text;
}

static void sizes(void)
{
	static const struct {
		const char *item;
		size_t values;		/* keys and values in it */
	} items[] = {
		{ "1", 1 }, { "[]", 1 }, { "{ }", 1 }, { "[ 1,2]", 3 }, { "{\"k\":0}", 3 },
		{ "\"[,{:\\\"[,\"", 1 }, { "[[[]]]", 3 },
	};
	struct err e;

	test("C-REQ-11: a document has at most a million keys and values");
	for (size_t i = 0; i < ARRAY_SIZE(items); i++) {
		size_t len = 0, n = (JX_VALUES_MAX - 1) / items[i].values;
		auto_free char *most = list_of(items[i].item, n, &len);
		json_auto_t *v = jx_parse(most, len, ERR_DECODE, "stdin", &e);
		auto_free char *more = list_of(items[i].item, n + 1, &len);

		ok(json_array_size(v) == n);
		ok(!jx_parse(more, len, ERR_DECODE, "stdin", &e) && e.code == ERR_DECODE);
		eq(e.msg, "stdin: over 1000000 keys and values");
	}
}

/* The documents of a stream, each printed, "|" between them; then how it ended and where. */
static const char *stream(const char *text, size_t len)
{
	static char said[256];
	size_t pos = 0, used = 0;
	struct err e = { 0 };
	int r;

	*said = '\0';
	for (;;) {
		json_auto_t *v = NULL;
		auto_free char *one = NULL;
		size_t n = 0;

		r = jx_parse_next(text, len, &pos, ERR_DEVINFO, "stream", &v, &e);
		if (r <= 0)
			break;
		one = jx_dump(v, &n);
		used += (size_t)snprintf(said + used, sizeof(said) - used, "%.*s|", (int)n - 1,
					 one);
	}
	(void)snprintf(said + used, sizeof(said) - used, "%d@%zu%s%s", r, pos, r < 0 ? " " : "",
		       r < 0 ? e.msg : "");
	return said;
}

static void streams(void)
{
	size_t len = 0, pos = 0, n = (JX_VALUES_MAX - 1) / 2;
	auto_free char *many = list_of("[[]]", n, &len);
	auto_free char *two = calloc(1, len + 16);
	json_t *v = NULL;
	struct err e;

	test("a stream is read one document after the other, to its end");
	eq(stream("{\"a\":1}{\"b\":2}", 14), "{\"a\":1}|{\"b\":2}|0@14");
	eq(stream(" [1]\n\t[2]\r\n ", 12), "[1]|[2]|0@9");
	eq(stream("[\"}{\"][]", 8), "[\"}{\"]|[]|0@8");
	eq(stream("", 0), "0@0");
	eq(stream(" \n", 2), "0@0");
	eq(stream("{}[1]", 2), "{}|0@2");

	test("what is none ends it with an error, behind the last good document");
	eq(stream("{\"a\":1}{\"b\":", 11), "{\"a\":1}|-1@7 stream: not valid JSON");
	eq(stream("{}x", 3), "{}|-1@2 stream: not valid JSON");
	eq(stream("{}\0", 3), "{}|-1@2 stream: not valid JSON");
	eq(stream("[1],[2]", 7), "[1]|-1@3 stream: not valid JSON");
	eq(stream("{} {\"a\":1,\"a\":2}", 16), "{}|-1@2 stream: duplicate key \"a\"");

	test("a number beyond 64 bits does not hide the next document");
	eq(stream("[18446744073709551616,7][1]", 27), "[1.8446744073709552e19,7]|[1]|0@27");

	test("each document has at most a million keys and values, whatever is behind it");
	if (!two)
		exit(1);
	memcpy(two, many, len);
	ok(jx_parse_next(two, len, &pos, ERR_DEVINFO, "stream", &v, &e) == 1 && pos == len);
	ok(json_array_size(v) == n);
	json_decref(v);
	memcpy(two + len, "[1,2]", 5);
	pos = 0;
	ok(jx_parse_next(two, len + 5, &pos, ERR_DEVINFO, "stream", &v, &e) == 1 && pos == len);
	json_decref(v);
	memcpy(two, "[1,2]", 5);
	memcpy(two + 5, many, len - 1);
	memcpy(two + len + 4, ",[],[]]", 7);
	pos = 0;
	ok(jx_parse_next(two, len + 11, &pos, ERR_DEVINFO, "stream", &v, &e) == 1 && pos == 5);
	json_decref(v);
	ok(jx_parse_next(two, len + 11, &pos, ERR_DEVINFO, "stream", &v, &e) == -1 && pos == 5);
	eq(e.msg, "stream: over 1000000 keys and values");
}

/* jansson's own is not called: what jx_init() gives it is all there is to see. */
static size_t seeds[2];
static int seeded;

__attribute__((visibility("default"))) void json_object_seed(size_t seed)
{
	seeds[seeded++ % 2] = seed;
}

static void seeding(void)
{
	test("C-JSN-07: the hash of objects gets a seed that nobody can know");
	jx_init(NULL);
	jx_init(NULL);
	ok(seeded == 2 && seeds[0] != 0 && seeds[1] != 0 && seeds[0] != seeds[1]);
}

/* AddressSanitizer would end the program at an impossible size. */
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void say_last_words(void)
{
	(void)!write(STDOUT_FILENO, "last", 4);
}

static void lost_memory(void)
{
	char said[8] = "";
	int status = 0, out[2];
	pid_t pid;

	test("C-JSN-08: an allocation that fails says the last words and exits");
	ok(pipe(out) == 0);
	(void)fflush(stdout);	/* not to be printed by the child again */
	pid = fork();
	if (pid == 0) {
		json_malloc_t alloc;
		json_free_t release;

		(void)dup2(out[1], STDOUT_FILENO);
		jx_init(say_last_words);
		json_get_alloc_funcs(&alloc, &release);
		_exit(alloc(SIZE_MAX / 2) ? 0 : 2);
	}
	(void)close(out[1]);
	ok(pid > 0 && waitpid(pid, &status, 0) == pid);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	ok(read(out[0], said, 4) == 4);
	eq(said, "last");
	(void)close(out[0]);
}

static void test_only_keys(void)
{
	static const char *const keys[] = { "vendors", "isRdma" };
	json_auto_t *good = json_pack("{s:i,s:i}", "vendors", 1, "ISRDMA", 2);
	json_auto_t *bad = json_pack("{s:i,s:i}", "vendors", 1, "vendor", 2);
	struct err e = { 0 };

	test("a key that is none of those that there are is told, with what it may have meant");
	ok(jx_only_keys(good, "a", keys, 2, &e) == 0);
	ok(jx_only_keys(bad, "a", keys, 2, &e) == -1 && e.code == ERR_NETCONF);
	eq(e.msg, "a: unknown key 'vendor', did you mean vendors?");
	ok(jx_only_keys(bad, "", keys + 1, 1, &e) == -1);
	eq(e.msg, "unknown key 'vendors'");
}

static void test_texts(void)
{
	json_auto_t *o = json_pack("{s:s,s:i,s:n}", "a", "x", "n", 1, "null");

	test("the text of a member; of one that is absent or no string there is none");
	eq(jx_get_text(o, "a"), "x");
	eq(jx_get_text(o, "n"), "");
	eq(jx_get_text(o, "null"), "");
	eq(jx_get_text(o, "absent"), "");
	eq(jx_get_text(NULL, "a"), "");
	test("an empty text is no member");
	jx_put_text(o, "b", "y");
	jx_put_text(o, "c", "");
	jx_put_text(o, "d", NULL);
	eq(jx_get_text(o, "b"), "y");
	eqi(json_object_size(o), 4);
}

int main(void)
{
	json_getters();
	json_documents();
	numbers();
	bad_texts();
	sizes();
	streams();
	seeding();
	lost_memory();
	test_only_keys();
	test_texts();
	return tap_end();
}
