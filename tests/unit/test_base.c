/* SPDX-License-Identifier: Apache-2.0 */
/* test_base.c - base/ without its files: errors, names, JSON, deadlines, the log, the host */
#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "base/siphash.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#define ODD "a\"b"	/* needs no escaping in C output, only in JSON */

static void errors(void)
{
	char text[600];
	struct err e, other;

	test("an error carries code, errno, message and the errno's words");
	ok(err_set(&e, ERR_IO, ENOENT, "open '%s'", "/x") == -1);
	ok(e.code == ERR_IO && e.sys == ENOENT);
	eq(e.msg, "open '/x'");
	eq(e.details, "No such file or directory");

	test("an error without errno has no details");
	(void)err_set(&e, ERR_NETCONF, 0, "vlan: 5000");
	eq(e.details, "");

	test("wrapping puts what was done before the message and keeps the rest");
	(void)err_set(&e, ERR_DEVICE, ENODEV, "inner");
	ok(err_wrap(&e, "outer %d", 1) == -1);
	eq(e.msg, "outer 1: inner");
	ok(e.code == ERR_DEVICE && e.sys == ENODEV);

	test("details are appended with a semicolon, and stand alone when they are the first");
	(void)err_set(&e, ERR_IO, 0, "m");
	ok(err_detail(&e, "one") == -1);
	eq(e.details, "one");
	(void)err_detail(&e, "two");
	eq(e.details, "one; two");

	test("what is for the log alone is in no other text, and stays when wrapped or joined");
	(void)err_set(&e, ERR_IO, 0, "m");
	ok(err_private(&e, "of %s", "one") == -1);
	ok(err_private(&e, "of two") == -1);
	(void)err_wrap(&e, "outer");
	eq(e.msg, "outer: m");
	eq(e.details, "");
	eq(e.private, "of one; of two");
	other = e;
	err_join(&other, &e);
	eq(other.private, "of one; of two; of one; of two");
	eq(other.details, "and outer: m");

	test("a whole error is hidden: its code and the kernel's words stay");
	(void)err_set(&e, ERR_IO, ENOENT, "open 'x'");
	(void)err_private(&e, "of one");
	ok(err_hide(&e, "look at %d", 7) == -1);
	ok(e.code == ERR_IO && e.sys == ENOENT);
	eq(e.msg, "look at 7");
	eq(e.details, "No such file or directory");
	eq(e.private, "open 'x': No such file or directory; of one");

	test("an error may be set from its own text");
	(void)err_set(&e, ERR_IO, 0, "inner");
	(void)err_set(&e, ERR_DEVICE, 0, "again: %s", e.msg);
	eq(e.msg, "again: inner");

	test("texts that are too long are cut, never overrun");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	(void)err_set(&e, ERR_IO, 0, "%s", text);
	ok(strlen(e.msg) == sizeof(e.msg) - 1);
	(void)err_wrap(&e, "%s", text);
	ok(strlen(e.msg) == sizeof(e.msg) - 1);
	(void)err_wrap(&e, "head");
	ok(strncmp(e.msg, "head: xxx", 9) == 0 && strlen(e.msg) == sizeof(e.msg) - 1);
	for (int i = 0; i < 3; i++)
		(void)err_detail(&e, "%s", text);
	ok(strlen(e.details) == sizeof(e.details) - 1);
	(void)err_hide(&e, "%s", text);
	ok(strlen(e.msg) == sizeof(e.msg) - 1 && strlen(e.private) == sizeof(e.private) - 1);
}

struct name_case {
	const char *text;
	bool valid;
};

/* The result of a name function for each text of a table, the text being the test's sentence. */
#define check_names(fn, cases)                                                        \
	do {                                                                          \
		for (size_t i_ = 0; i_ < ARRAY_SIZE(cases); i_++) {                   \
			ok(fn((cases)[i_].text) == (cases)[i_].valid);                \
			if (fn((cases)[i_].text) != (cases)[i_].valid)                \
				(void)printf("#  %s '%s'\n", #fn, (cases)[i_].text);  \
		}                                                                     \
	} while (0)

static void names_of_cni(void)
{
	static const struct name_case id[] = {
		{ "c0ffee", true }, { "A.b-c_d", true }, { "0", true },
		{ "", false }, { ".a", false }, { "-a", false }, { "_a", false }, { "a/b", false },
		{ "..", false }, { "a\n", false }, { "a b", false }, { "\xc3\xa9", false },
		{ "a\xc3\xa9", false }, { "a:b", false },
	};
	static const struct name_case ifname[] = {
		{ "eth0", true },
		{ "123456789012345", true },
		{ "a.b-c", true },
		{ "...", true },
		{ "\xc3\xa9", true },
		{ "", false },
		{ "1234567890123456", false },
		{ ".", false },
		{ "..", false },
		{ "a/b", false },
		{ "a:b", false },
		{ "eth%d", false },
		{ "a b", false },
		{ "a\t", false },
		{ "a\n", false },
		{ "a\x7f", false },
		{ "a\xc2\x85", false },
		{ "a\xc2\xa0", false },
	};
	char longer[5001];

	test("C-ENV-05: container ids are letters, digits and _.- with an alphanumeric head");
	check_names(name_is_cni_id, id);
	test("C-ENV-06: a long container id is valid");
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	ok(name_is_cni_id(longer));
	test("C-ENV-07, C-ENV-08: interface names are those the kernel takes as they are");
	check_names(name_is_ifname, ifname);
}

static void names_of_devices(void)
{
	static const struct name_case file[] = {
		{ "a", true }, { "a b", true }, { ".hidden", true }, { "...", true },
		{ "", false }, { ".", false }, { "..", false }, { "a/b", false }, { "a\n", false },
		{ "\x1b", false },
	};
	static const struct name_case device[] = {
		{ "0000:03:02.0", true }, { "vdpa0", true }, { "a/b", true }, { "uuid_req0", true },
		{ "", false }, { ".a", false }, { "/a", false }, { "a/", false }, { "a//b", false },
		{ "a/../b", false }, { "../../x", false }, { "a/.b", false }, { "a b", false },
		{ "a\n", false }, { "a;b", false },
	};
	static const struct name_case resource[] = {
		{ "intel.com/sriov", true },
		{ "sriov", true },
		{ "a-b.c_d/e", true },
		{ "", false },
		{ "/a", false },
		{ "a/", false },
		{ "a/b/c", false },
		{ ".a/b", false },
		{ "a/.b", false },
		{ "../b", false },
		{ "a/b c", false },
		{ "a:b", false },
	};
	static const struct name_case bdf[] = {
		{ "0000:03:02.0", true },       { "00010000:ff:1f.7", true },
		{ "ABCD:aB:0c.1", true },       { "", false },
		{ "03:02.0", false },           { "0000:03:02", false },
		{ "0000:03:02.8", false },      { "0000:03:02.0x", false },
		{ "0000-03:02.0", false },      { "0000:03:0g.0", false },
		{ "000000000:03:02.0", false }, { "0000:03-02.0", false },
		{ "0000:03:02:0", false },
	};
	char longer[257];

	test("file names are single components without control characters");
	check_names(name_is_file, file);
	test("C-SEC-02: device ids cannot lead out of a directory");
	check_names(name_is_device_id, device);
	test("C-SEC-02: resource names have at most one slash and no dot-dot");
	check_names(name_is_resource, resource);
	test("PCI addresses are complete and nothing but hexadecimal");
	check_names(name_is_bdf, bdf);
	test("names over their limits are refused");
	memset(longer, 'a', sizeof(longer) - 1);
	longer[256] = '\0';
	ok(!name_is_file(longer));
	ok(name_is_file(longer + 1));
	ok(!name_is_device_id(longer + 2) && name_is_device_id(longer + 3));
	ok(!name_is_resource(longer + 2) && name_is_resource(longer + 3));
}

static void names_of_kubernetes(void)
{
	static const struct name_case label[] = {
		{ "default", true }, { "kube-system", true }, { "0", true }, { "a--b", true },
		{ "", false }, { "-a", false }, { "a-", false }, { "-", false }, { "A", false },
		{ "a.b", false }, { "a_b", false }, { "a/b", false }, { "..", false },
		{ "a\n", false }, { "\xc3\xa9", false },
	};
	static const struct name_case subdomain[] = {
		{ "p1", true }, { "etcd-node1.example.com", true }, { "1.2", true },
		{ "", false }, { ".", false }, { "..", false }, { ".a", false }, { "a.", false },
		{ "a..b", false }, { "a.-b", false }, { "a-.b", false }, { "a/b", false },
		{ "P1", false }, { "a_b", false }, { "a b", false }, { "a\n", false },
	};
	char longer[255];

	test("namespaces are labels of RFC 1123");
	check_names(name_is_dns_label, label);
	test("names of pods are subdomains of RFC 1123");
	check_names(name_is_dns_subdomain, subdomain);
	test("a label has 63 bytes at most, a subdomain 253, in one label or many");
	memset(longer, 'a', sizeof(longer) - 1);
	longer[254] = '\0';
	ok(!name_is_dns_subdomain(longer) && name_is_dns_subdomain(longer + 1));
	ok(!name_is_dns_label(longer + 190) && name_is_dns_label(longer + 191));
}

static void names_to_files(void)
{
	char text[400], other[400], a[256], b[256];

	test("a text becomes a file name, slashes becoming dashes");
	name_to_file("a/b/c", a);
	eq(a, "a-b-c");
	test("texts that cannot be names get a hash");
	name_to_file("..", a);
	ok(name_is_file(a) && strlen(a) > 16);
	name_to_file(".", b);
	ok(name_is_file(b) && strcmp(a, b) != 0);
	name_to_file("", a);
	ok(name_is_file(a));
	test("long texts that differ at their end only get different names of at most 255 bytes");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(other, text, sizeof(text));
	other[398] = 'y';
	name_to_file(text, a);
	name_to_file(other, b);
	ok(strlen(a) == 255 && strlen(b) == 255 && strcmp(a, b) != 0);
	test("255 bytes are kept as they are");
	text[255] = '\0';
	name_to_file(text, a);
	eq(a, text);

	test("the hash is 64-bit FNV-1a and can be continued");
	ok(name_hash(0, "") == UINT64_C(0xcbf29ce484222325));
	ok(name_hash(0, "a") == UINT64_C(0xaf63dc4c8601ec8c));
	ok(name_hash(0, "foobar") == UINT64_C(0x85944171f73967e8));
	ok(name_hash(name_hash(0, "foo"), "bar") == name_hash(0, "foobar"));
}

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
		ok(strncmp(e.details, "line ", 5) == 0);
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
	auto_free char *two = calloc(1, len + 5);
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

	test("all that is left has at most a million keys and values");
	if (!two)
		exit(1);
	memcpy(two, many, len);
	ok(jx_parse_next(two, len, &pos, ERR_DEVINFO, "stream", &v, &e) == 1 && pos == len);
	ok(json_array_size(v) == n);
	json_decref(v);
	memcpy(two + len, "[1,2]", 5);
	pos = 0;
	ok(jx_parse_next(two, len + 5, &pos, ERR_DEVINFO, "stream", &v, &e) == -1 && pos == 0);
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

static int64_t ms_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void deadlines(void)
{
	struct deadline d = deadline_in(10000), past = deadline_in(0);
	int64_t start = ms_now();
	struct err e;

	test("a deadline tells what is left of it");
	ok(deadline_left_ms(&d) > 9000 && deadline_left_ms(&d) <= 10000);
	ok(deadline_left_ms(&past) == 0);
	d = (struct deadline){ .at_ms = INT64_MAX };
	ok(deadline_left_ms(&d) > 1000000000);

	test("a sleep lasts as long as it says, and not beyond the deadline");
	d = deadline_in(10000);
	deadline_sleep(&d, 20);
	ok(ms_now() - start >= 19);
	start = ms_now();
	d = deadline_in(20);
	deadline_sleep(&d, 5000);
	deadline_sleep(&past, 5000);
	ok(ms_now() - start < 2000);

	test("a wait that ended by itself has the caller's code and ETIMEDOUT");
	ok(deadline_error(ERR_TRY_AGAIN, &e, "lock %s", "x") == -1);
	ok(e.code == ERR_TRY_AGAIN && e.sys == ETIMEDOUT);
	eq(e.msg, "lock x");

	test("SIGTERM ends all deadlines, and is the reason then");
	deadline_catch_signals();
	ok(!deadline_interrupted());
	(void)raise(SIGTERM);
	d = deadline_in(10000);
	ok(deadline_interrupted() && deadline_left_ms(&d) == 0);
	(void)deadline_error(ERR_TRY_AGAIN, &e, "lock");
	ok(e.code == ERR_INTERRUPTED && e.sys == EINTR);

	test("C-PRC-08: the roll-back that follows goes on, with less than a second for its waits");
	deadline_undo();
	d = deadline_in(10000);
	ok(!deadline_interrupted() && deadline_hurried());
	ok(deadline_left_ms(&d) > 0 && deadline_left_ms(&d) <= 1000);
	(void)poll(NULL, 0, 1000);
	ok(deadline_left_ms(&d) == 0);
	test("a roll-back has time until it is told to stop");
	deadline_catch_signals();
	deadline_undo();
	ok(!deadline_hurried() && deadline_left_ms(&d) > 5000);
	(void)raise(SIGINT);
	ok(deadline_hurried() && deadline_left_ms(&d) <= 1000);
	deadline_catch_signals();
	(void)signal(SIGTERM, SIG_DFL);
	(void)signal(SIGINT, SIG_DFL);
}

static void ignore(int sig)
{
	(void)sig;
}

static void raise_term(int sig)
{
	(void)sig;
	(void)raise(SIGTERM);
}

static void raise_int(int sig)
{
	(void)sig;
	(void)raise(SIGINT);
}

/* A signal that is pending when the wait begins comes between the look at the clock and it. */
static void pend(int sig)
{
	sigset_t one;

	(void)sigemptyset(&one);
	(void)sigaddset(&one, sig);
	(void)sigprocmask(SIG_BLOCK, &one, NULL);
	(void)raise(sig);
}

static bool is_blocked(int sig)
{
	sigset_t now;

	return sigprocmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, sig) == 1;
}

static void unblock(void)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void waits(void)
{
	static const int ends[] = { SIGTERM, SIGINT };
	const struct itimerval soon = { .it_value = { .tv_usec = 20000 } };
	struct deadline d = deadline_in(20), firm;
	int64_t start = ms_now();
	int fd[2];

	if (pipe(fd) < 0)
		return;
	struct pollfd p = { .fd = fd[0], .events = POLLIN };

	test("a wait ends when its time is over, or at once when something is ready");
	ok(!deadline_poll(&d, &p, 1) && ms_now() - start >= 19);
	ok(write(fd[1], "x", 1) == 1);
	ok(deadline_poll(&d, &p, 1) && p.revents == POLLIN);
	p.fd = -1;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		test("C-PRC-08: a signal to end that comes just before the wait ends it");
		deadline_catch_signals();
		pend(ends[i]);
		start = ms_now();
		d = deadline_in(10000);
		ok(!deadline_poll(&d, &p, 1) && ms_now() - start < 5000);
		ok(deadline_interrupted());
		test("and one that comes meanwhile, of which none is left blocked");
		unblock();
		deadline_catch_signals();
		(void)signal(SIGALRM, i == 0 ? raise_term : raise_int);
		(void)setitimer(ITIMER_REAL, &soon, NULL);
		ok(!deadline_poll(&d, &p, 1) && ms_now() - start < 5000);
		ok(deadline_interrupted() && !is_blocked(ends[i]));
	}
	test("what is ready is told even so");
	p.fd = fd[0];
	ok(deadline_poll(&d, &p, 1));
	test("a firm wait has its time");
	p.fd = -1;
	start = ms_now();
	firm = deadline_firm_in(50);
	ok(deadline_left_ms(&firm) > 0);
	firm = deadline_earlier(&firm, deadline_in(60000));
	pend(SIGTERM);
	ok(!deadline_poll(&firm, &p, 1) && ms_now() - start >= 49);
	unblock();
	test("another signal does not end a wait");
	deadline_catch_signals();
	(void)signal(SIGALRM, ignore);
	start = ms_now();
	d = deadline_in(100);
	(void)setitimer(ITIMER_REAL, &soon, NULL);
	ok(!deadline_poll(&d, &p, 1) && ms_now() - start >= 99);

	(void)signal(SIGALRM, SIG_DFL);
	(void)signal(SIGTERM, SIG_DFL);
	(void)signal(SIGINT, SIG_DFL);
	(void)close(fd[0]);
	(void)close(fd[1]);
}

static void read_text(const char *dir, const char *name, char *ret, size_t size)
{
	char path[128];
	FILE *f;
	size_t n = 0;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (f) {
		n = fread(ret, 1, size - 1, f);
		(void)fclose(f);
	}
	ret[n] = '\0';
}

static void levels(void)
{
	enum log_level level = LOG_LEVEL_DEBUG;

	test("log levels have sriov-cni's names");
	ok(log_level_from_name("error", &level) == 1 && level == LOG_LEVEL_ERROR);
	ok(log_level_from_name("info", &level) == 1 && level == LOG_LEVEL_INFO);
	ok(log_level_from_name("panic", &level) == 1 && level == LOG_LEVEL_ERROR);
	test("... in any case, and its verbose is debug");
	ok(log_level_from_name("INFO", &level) == 1 && level == LOG_LEVEL_INFO);
	ok(log_level_from_name("Panic", &level) == 1 && level == LOG_LEVEL_ERROR);
	ok(log_level_from_name("verbose", &level) == 1 && level == LOG_LEVEL_DEBUG);
	ok(log_level_from_name("loud", &level) == 0 && level == LOG_LEVEL_DEBUG);
	ok(log_level_from_name("", &level) == 0);
}

/* What was logged since it was last asked for. */
static void logged(const struct fake_node *n, char text[8192])
{
	char path[80];

	read_text(n->dir, "log", text, 8192);
	(void)snprintf(path, sizeof(path), "%s/log", n->dir);
	(void)!truncate(path, 0);
}

/* key=word or key="text" and a blank, to the line's end. */
static bool is_pairs(const char *s)
{
	for (;;) {
		size_t key = strspn(s, "abcdefghijklmnopqrstuvwxyz");

		if (key == 0 || s[key] != '=')
			return false;
		s += key + 1;
		if (*s == '"')
			for (s++; *s != '"'; s++)
				if (!*s || *s == '\n' || (*s == '\\' && !*++s))
					return false;
		s += strcspn(s, " \n");
		if (*s++ != ' ')
			return s[-1] == '\n';
	}
}

static void logging(void)
{
	char text[8192], path[80], longer[3000];
	struct fake_node n;
	struct stat st;
	struct err e;

	node_open(NULL, &n);
	test("C-PRC-06: the log file is private");
	(void)umask(0);
	ok(log_open(n.host.root, "/log", &e) == 0);
	(void)snprintf(path, sizeof(path), "%s/log", n.dir);
	ok(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600);

	test("a line has time, level, container, interface and the text, which stays on one line");
	log_set_level(LOG_LEVEL_INFO);
	log_context("c0ffee", "net1");
	log_info("msg=\"%s\"", "one\ntwo\rthree");
	read_text(n.dir, "log", text, sizeof(text));
	ok(strlen(text) > 25 && text[10] == 'T' && text[23] == 'Z');
	eq(text + 24, " level=info id=c0ffee if=net1 msg=\"one\\x0atwo\\x0dthree\"\n");

	test("lines below the level are not written");
	log_debug("msg=hidden");
	read_text(n.dir, "log", text, sizeof(text));
	ok(!strstr(text, "hidden"));

	test("a value can end neither its quotes nor its line, and gets quotes if it needs some");
	logged(&n, text);
	log_info("msg=\"%s\" a=%s b=%s c=%s d=%d u=%u", "x\" id=\"y\\", "plain", "two words", "",
		 -1, 2U);
	logged(&n, text);
	eq(text + 24, " level=info id=c0ffee if=net1 msg=\"x\\\" id=\\\"y\\\\\" a=plain "
		      "b=\"two words\" c=\"\" d=-1 u=2\n");
	log_info("a=%s b=%s", "x\nlevel=error", "k=v");
	logged(&n, text);
	eq(text + 24,
	   " level=info id=c0ffee if=net1 a=\"x\\x0alevel=error\" b=\"k=v\"\n");

	test("nothing but printable ASCII reaches the log, from no byte");
	log_info("a=%s b=\"%s\"", "\x1b[2J\x7f",
		 "\xc2\x9b\xe2\x80\xa8\xe2\x80\xae\xff\xc3\xa9");
	logged(&n, text);
	eq(text + 24, " level=info id=c0ffee if=net1 a=\"\\x1b[2J\\x7f\" b=\"\\xc2\\x9b"
		      "\\xe2\\x80\\xa8\\xe2\\x80\\xae\\xff\\xc3\\xa9\"\n");

	test("so do the container's id and the interface, which nobody has checked yet");
	log_context("c\nlevel=error", "a\"b");
	log_info("msg=x");
	logged(&n, text);
	eq(text + 24, " level=info id=\"c\\x0alevel=error\" if=\"a\\\"b\" msg=x\n");

	test("an unknown call is a dash, and a long line is cut, its quote and its end kept");
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	log_context(NULL, "");
	log_error("msg=\"%s\" k=v", longer);
	logged(&n, text);
	ok(strncmp(text + 24, " level=error id=- if=- msg=\"xxx", 31) == 0);
	ok(strcspn(text, "\n") == 2047 && strstr(text, "xxx\"\n") != NULL);
	for (size_t len = 1960; len < 2048; len++) {	/* whichever of the next fits no more */
		longer[len] = '\0';
		log_error("msg=\"%s\" code=%d details=\"%s\"", longer, 7, "\xff");
		logged(&n, text);
		ok(strlen(text) <= 2048 && text[strlen(text) - 1] == '\n' && is_pairs(text + 25));
		longer[len] = 'x';
	}
	log_context(longer, longer);
	log_error("msg=x");
	logged(&n, text);
	ok(strlen(text) < 150 && strstr(text, "x if=xxxxxxxxxxxxxxx msg=x\n") != NULL);
	log_context(NULL, NULL);

	test("a log file that is a link, a directory or in no directory is an error");
	(void)snprintf(path, sizeof(path), "%s/link", n.dir);
	ok(symlink("log", path) == 0);
	ok(log_open(n.host.root, "/link", &e) == -1 && e.code == ERR_IO);
	eq(e.msg, "open log file '/link'");
	ok(log_open(n.host.root, "/", &e) == -1);
	ok(log_open(n.host.root, "/none/log", &e) == -1);

	test("another log file takes over");
	ok(log_open(n.host.root, "/log2", &e) == 0);
	log_error("msg=moved");
	read_text(n.dir, "log2", text, sizeof(text));
	ok(strstr(text, "msg=moved") != NULL);
	node_close(&n);
}

static void hosts(void)
{
	struct host h;
	struct err e;

	test("a host has the node's root and the default settings");
	ok(host_open(NULL, &h, &e) == 0 && h.root >= 0);
	eq(h.set.state_dir, "/var/lib/cni/devinfo");
	ok(h.set.log_level == LOG_LEVEL_WARNING && !h.set.log_file);
	host_done(&h);
	ok(h.root == -1);
	host_done(&h);

	test("a root that is not there, or is no directory, is an error that names it");
	ok(host_open("/nowhere/at/all", &h, &e) == -1 && e.code == ERR_IO);
	eq(e.msg, "open root '/nowhere/at/all'");
	ok(host_open("/dev/null", &h, &e) == -1 && e.sys == ENOTDIR);
}

/* Of the paper: key 00 01 .. 0f, texts 00 01 .. of each length. */
static void keyed_hash(void)
{
	uint8_t key[SIPHASH_KEY], text[64];

	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)i;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)i;
	test("SipHash-2-4 has the values of its authors");
	ok(siphash(key, text, 0) == 0x726fdb47dd0e0e31);
	ok(siphash(key, text, 1) == 0x74f839c593dc67fd);
	ok(siphash(key, text, 8) == 0x93f5f5799a932462);
	ok(siphash(key, text, 15) == 0xa129ca6149be45e5);
	test("and goes by its key");
	key[15] ^= 1;
	ok(siphash(key, text, 15) != 0xa129ca6149be45e5);
}

int main(void)
{
	errors();
	names_of_cni();
	names_of_devices();
	names_of_kubernetes();
	names_to_files();
	json_getters();
	json_documents();
	numbers();
	bad_texts();
	sizes();
	streams();
	seeding();
	lost_memory();
	deadlines();
	waits();
	levels();
	logging();
	hosts();
	keyed_hash();
	return tap_end();
}
