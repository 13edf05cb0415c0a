/* SPDX-License-Identifier: Apache-2.0 */
/* test_field.c - structs as JSON and back by a table: each type, presence, what is refused */
#include "base/attr.h"
#include "base/field.h"
#include "base/mac.h"
#include "base/name.h"
#include "tests/unit/tap.h"

#include <limits.h>

struct part {
	char name[8];
	unsigned int n;
};

struct all {
	char text[8];
	const char *string;
	bool flag, known;
	int number;
	uint8_t u8;
	uint16_t u16;
	uint32_t u32, known_number;
	uint64_t u64;
	uint8_t bytes[4], len, fixed[2];
	char raw[4];
	uint8_t mac[MAC_LEN];
	uint64_t guid;
	struct idset ids;
	const json_t *object;
	struct part part, other;
	bool has_other;
	unsigned int extra;
};

static const struct field part_field[] = {
	{ "name", FIELD(struct part, name), .required = true, .fits = name_is_ifname },
	{ "n", FIELD(struct part, n), .max = 9 },
};
static const struct fields part_fields = FIELDS(part_field, NULL);

static bool has_extra(const void *s)
{
	return ((const struct all *)s)->u8 == 7;
}

static const char *wrong(const void *s)
{
	const struct all *a = s;

	return a->u16 == 13 && a->u32 == 13 ? "both are 13" : NULL;
}

#define OF(member)	FIELD(struct all, member)
#define AT(member)	FIELD_AT(struct all, member)
#define OFFSET(member)	offsetof(struct all, member)

static const struct field all_field[] = {
	{ "text", OF(text), .fits = name_is_file, .optional = true },
	{ "string", OF(string), .optional = true },
	{ "flag", OF(flag), .optional = true },
	{ "number", OF(number), .min = 1, .optional = true },
	{ "u8", OF(u8) },
	{ "u16", OF(u16) },
	{ "u32", OF(u32), .optional = true },
	{ "u64", OF(u64) },
	{ "knownNumber", OF(known_number), .flag = OFFSET(known) },
	{ "bytes", OF(bytes), .len = OFFSET(len), .optional = true },
	{ "fixed", OF(fixed) },
	{ "raw", .type = &field_raw_text, AT(raw), .optional = true },
	{ "mac", .type = &field_mac, AT(mac) },
	{ "guid", .type = &field_guid, AT(guid) },
	{ "ids", OF(ids) },
	{ "object", OF(object), .optional = true },
	{ "part", AT(part), .part = &part_fields, .optional = true },
	{ "other", AT(other), .part = &part_fields,
	  .flag = OFFSET(has_other) },
	{ "extra", OF(extra), .when = has_extra },
};
static const struct fields all_fields = FIELDS(all_field, wrong);

/* -- writing -- */

static bool says(const struct all *a, const char *want)
{
	json_auto_t *o = field_write(&all_fields, a, json_object()), *w = json_loads(want, 0, NULL);

	return o && w && json_equal(o, w);
}

static void there_and_back(void)
{
	static const char full[] =
		"{\"text\":\"abcdefg\",\"string\":\"s\",\"flag\":true,\"number\":2147483647,"
		"\"u8\":255,\"u16\":65535,\"u32\":4294967295,\"u64\":-1,\"knownNumber\":0,"
		"\"bytes\":\"01ab\",\"fixed\":\"ff00\",\"raw\":\"ff21\","
		"\"mac\":\"02:01:00:00:00:00\",\"guid\":\"01:23:45:67:89:ab:cd:ef\","
		"\"ids\":[1,2,4095,4095],\"object\":{\"a\":1},\"part\":{\"name\":\"p\",\"n\":9},"
		"\"other\":{\"name\":\"o\",\"n\":0}}";
	json_auto_t *object = json_pack("{s:i}", "a", 1), *o = json_loads(full, 0, NULL);
	struct all a = {
		.text = "abcdefg", .string = "s", .flag = true, .known = true, .number = INT_MAX,
		.u8 = UINT8_MAX, .u16 = UINT16_MAX, .u32 = UINT32_MAX, .u64 = UINT64_MAX,
		.bytes = { 1, 0xab }, .len = 2, .fixed = { 0xff }, .raw = "\xff!",
		.mac = { 2, 1 }, .guid = 0x0123456789abcdef, .object = object,
		.part = { "p", 9 }, .other = { "o", 0 }, .has_other = true, .extra = 5,
	};
	struct all back = { .text = "" };
	struct err e;

	idset_add(&a.ids, 1);
	idset_add(&a.ids, 2);
	idset_add(&a.ids, 4095);
	test("each type of member is written in its way");
	ok(says(&a, full));
	test("and read again");
	ok(o && field_read(&all_fields, o, "", &back, &e) == 0 && says(&back, full));
	ok(back.u64 == UINT64_MAX && back.len == 2 && back.known && back.has_other);
	ok(memcmp(&back.ids, &a.ids, sizeof(a.ids)) == 0 && memcmp(back.mac, a.mac, 6) == 0);
	test("strings and objects are borrowed from what was read");
	ok(back.string == json_string_value(json_object_get(o, "string")));
	ok(back.object == json_object_get(o, "object"));
}

static void presence(void)
{
	struct all a = { .text = "" };
	json_auto_t *o = NULL;
	struct err e;

	test("what is empty, unknown or meaningless is left out where its field says so");
	ok(says(&a, "{\"u8\":0,\"u16\":0,\"u64\":0,\"fixed\":\"0000\",\"ids\":[],"
		    "\"mac\":\"00:00:00:00:00:00\",\"guid\":\"00:00:00:00:00:00:00:00\"}"));
	a.u8 = 7;
	a.known = true;
	ok(says(&a, "{\"u8\":7,\"u16\":0,\"u64\":0,\"fixed\":\"0000\",\"ids\":[],"
		    "\"mac\":\"00:00:00:00:00:00\",\"guid\":\"00:00:00:00:00:00:00:00\","
		    "\"knownNumber\":0,\"extra\":0}"));
	test("a string is left out when there is none, not when it is empty");
	a = (struct all){ .string = "" };
	ok(says(&a, "{\"string\":\"\",\"u8\":0,\"u16\":0,\"u64\":0,\"fixed\":\"0000\",\"ids\":[],"
		    "\"mac\":\"00:00:00:00:00:00\",\"guid\":\"00:00:00:00:00:00:00:00\"}"));
	test("what is absent or null leaves its member, and other members are ignored");
	o = json_pack("{s:n, s:n, s:{}}", "u8", "knownNumber", "later");
	a = (struct all){ .u8 = 3 };
	ok(o && field_read(&all_fields, o, "", &a, &e) == 0 && a.u8 == 3 && !a.known);
	test("what JSON cannot say, in a part as well, is no object");
	a.text[0] = '\xff';
	ok(!field_write(&all_fields, &a, json_object()));
	a = (struct all){ .part = { "\xff", 0 } };
	ok(!field_write(&all_fields, &a, json_object()));
}

/* -- reading -- */

static void refused(void)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "{\"text\":7}", "p.text: must be a string" },
		{ "{\"text\":\"abcdefgh\"}", "p.text: too long" },
		{ "{\"text\":\"a/b\"}", "p.text: not valid" },
		{ "{\"text\":\"\"}", "p.text: not valid" },
		{ "{\"string\":[]}", "p.string: must be a string" },
		{ "{\"flag\":0}", "p.flag: must be a boolean" },
		{ "{\"number\":0}", "p.number: out of range" },
		{ "{\"number\":2147483648}", "p.number: out of range" },
		{ "{\"u8\":256}", "p.u8: out of range" },
		{ "{\"u16\":65536}", "p.u16: out of range" },
		{ "{\"u32\":4294967296}", "p.u32: out of range" },
		{ "{\"u32\":-1}", "p.u32: out of range" },
		{ "{\"u64\":\"1\"}", "p.u64: must be an integer" },
		{ "{\"bytes\":\"0102030405\"}", "p.bytes: too long" },
		{ "{\"bytes\":\"010\"}", "p.bytes: must be pairs of hexadecimal digits" },
		{ "{\"bytes\":\" 1\"}", "p.bytes: must be pairs of hexadecimal digits" },
		{ "{\"bytes\":\"0x\"}", "p.bytes: must be pairs of hexadecimal digits" },
		{ "{\"fixed\":\"010203\"}", "p.fixed: too long" },
		{ "{\"raw\":\"61626364\"}", "p.raw: too long" },
		{ "{\"mac\":\"02:01:00:00:00\"}", "p.mac: must be a MAC address" },
		{ "{\"guid\":\"01:23\"}", "p.guid: must be a GUID" },
		{ "{\"ids\":[4096,4096]}", "p.ids: must be runs that ascend" },
		{ "{\"ids\":[2,1]}", "p.ids: must be runs that ascend" },
		{ "{\"ids\":[5,6,6,7]}", "p.ids: must be runs that ascend" },
		{ "{\"ids\":[-1,7]}", "p.ids: must be runs that ascend" },
		{ "{\"ids\":{}}", "p.ids: must be a list of runs" },
		{ "{\"object\":[]}", "p.object: must be an object" },
		{ "{\"part\":7}", "p.part: must be an object" },
		{ "{\"part\":{\"n\":1}}", "p.part.name: missing" },
		{ "{\"part\":{\"name\":null}}", "p.part.name: missing" },
		{ "{\"part\":{\"name\":\"a b\"}}", "p.part.name: not valid" },
		{ "{\"part\":{\"name\":\"a\",\"n\":10}}", "p.part.n: out of range" },
		{ "{\"u16\":13,\"u32\":13}", "p: both are 13" },
	};

	test("what does not fit is refused, and the error names the member");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		json_auto_t *o = json_loads(bad[i].text, 0, NULL);
		struct all a = { .text = "" };
		struct err e = { .msg = "" };

		ok(o && field_read(&all_fields, o, "p", &a, &e) == -1 && e.code == ERR_DECODE);
		eq(e.msg, bad[i].why);
	}
}

static void empty_bytes(void)
{
	json_auto_t *o = json_pack("{s:s, s:s}", "bytes", "", "raw", "");
	json_auto_t *cut = json_pack("{s:s}", "fixed", "00");
	struct all a = { .text = "" };
	struct err e;

	test("no bytes are none; of those that are always there none may be missing");
	ok(o && field_read(&all_fields, o, "", &a, &e) == 0 && a.len == 0 && !*a.raw);
	ok(cut && field_read(&all_fields, cut, "", &a, &e) == -1);
	eq(e.msg, "fixed: must have all its bytes");
}

struct words {
	size_t n;
	char (*list)[4];
};

static const struct field words_field[] = {
	{ "list", FIELD_TEXTS(struct words, list, n, 3), .fits = name_is_file, .optional = true },
};
static const struct fields words_fields = FIELDS(words_field, NULL);

static const char *list_refused(const char *text)
{
	json_auto_t *o = json_loads(text, 0, NULL);
	static struct err e;
	struct words w = { .n = 0 };

	e = (struct err){ .msg = "" };
	ok(o && field_read(&words_fields, o, "", &w, &e) == -1 && w.n == 0 && !w.list);
	return e.msg;
}

static void texts(void)
{
	char said[][4] = { "a", "bcd" }, no_utf8[][4] = { "\xff" };
	struct words w = { .n = 2, .list = said }, back = { .n = 0 };
	json_auto_t *o = NULL, *none = NULL;
	struct err e = { .msg = "" };

	test("a list of strings is written as long as it is, and read again");
	o = field_write(&words_fields, &w, json_object());
	ok(o && json_array_size(json_object_get(o, "list")) == 2);
	ok(o && field_read(&words_fields, o, "", &back, &e) == 0 && back.n == 2);
	eq(back.list[1], "bcd");
	test("what is read takes the place of what was there");
	ok(o && field_read(&words_fields, o, "", &back, &e) == 0 && back.n == 2);
	eq(back.list[0], "a");
	free(back.list);
	w = (struct words){ .n = 0 };
	none = field_write(&words_fields, &w, json_object());
	ok(none && json_object_size(none) == 0);
	test("one that has too many, too long or other values is refused");
	eq(list_refused("{\"list\":{}}"), "list: must be a list of strings");
	eq(list_refused("{\"list\":[\"a\",\"b\",\"c\",\"d\"]}"), "list: has too many of them");
	eq(list_refused("{\"list\":[\"abcd\"]}"), "list: too long");
	eq(list_refused("{\"list\":[1]}"), "list: must be a string");
	eq(list_refused("{\"list\":[\"/\"]}"), "list: not valid");
	test("of what JSON cannot say there is no list");
	w = (struct words){ .n = 1, .list = no_utf8 };
	ok(!field_write(&words_fields, &w, json_object()));
}

int main(void)
{
	there_and_back();
	presence();
	refused();
	empty_bytes();
	texts();
	return tap_end();
}
