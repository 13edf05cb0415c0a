/* SPDX-License-Identifier: Apache-2.0 */
/* test_key.c - rows of keys: each type read, its bounds, and what is said of a wrong value */
#include "conf/key.h"

#include "tests/unit/tap.h"

#include <sys/types.h>

enum color { COLOR_UNSET, COLOR_RED, COLOR_GREEN };

struct conf {
	const char *text, *path, *checked;
	enum color color, flag;
	mode_t mode;
	uint16_t small;
	int number;
	int64_t large;
	bool has_number, switched, second, has_form;
	uint32_t form;
	const json_t *object, *list;
};

static bool is_short(const char *text)
{
	return strlen(text) <= 4;
}

static bool take_form(const char *text, void *ret)
{
	return key_take_id(&text, ret) && !*text;
}

static int check_word(const char *text, const char *name, struct err *e)
{
	return strcmp(text, "bad") ? 0 : err_set(e, ERR_NETCONF, 0, "%s: not that one", name);
}

#define TO(member) KEY_AT(struct conf, member)
static const char *const colors[] = { "", "red", "green", NULL };
static const char *const orders[] = { "first", "second", NULL };

static const char *const shapes[] = { "a", "b", "c", NULL };

static const struct conf_key keys[] = {
	{ "text", KEY_TEXT, 0, TO(text), .fits = is_short, .must = "4 bytes at most" },
	{ "secret", KEY_TEXT, 0, TO(text), .fits = is_short, .secret = true, .must = "short" },
	{ "path", KEY_PATH, 0, TO(path) },
	{ "checked", KEY_TEXT, 0, TO(checked), .check = check_word },
	{ "form", KEY_FORM, 0, TO(form), KEY_SAID(struct conf, has_form), .take = take_form,
	  .must = "a number" },
	{ "color", KEY_CHOICE, 0, TO(color), .choices = colors },
	{ "shape", KEY_TEXT, 0, .choices = shapes },
	{ "order", KEY_CHOICE, 0, TO(second), .choices = orders },
	{ "mode", KEY_MODE, 0, TO(mode), .max = 0777, .by_default = "0640" },
	{ "small", KEY_INT, 0, TO(small), .max = 65535 },
	{ "number", KEY_INT, 0, TO(number), KEY_SAID(struct conf, has_number), .min = -5,
	  .max = 4094, .by_default = "7" },
	{ "large", KEY_INT, 0, TO(large), .max = INT64_MAX },
	{ "switched", KEY_BOOL, 0, TO(switched) },
	{ "flag", KEY_BOOL_OR_UNSET, 0, TO(flag) },
	{ "object", KEY_OBJECT, 0, TO(object) },
	{ "list", KEY_TEXTS, 0, TO(list), .fits = is_short, .must = "4 bytes at most" },
	{ "checkedList", KEY_TEXTS, 0, .choices = orders },
	KEY_ROW("other", KEY_OTHER, 0),
	KEY_END
};

static json_t *doc;

/* Into a struct whose members are as before a configuration is read. */
static int read_keys(const char *text, const char *path, struct conf *ret, struct err *e)
{
	json_decref(doc);
	doc = json_loads(text, 0, NULL);
	if (!doc)
		exit(1);
	*ret = (struct conf){ .large = -1 };
	return key_read(doc, path, keys, ret, e);
}

static void absent(void)
{
	static const char *const texts[] = {
		"{}", "{\"text\":\"\",\"path\":\"\",\"checked\":\"\",\"color\":\"\",\"mode\":\"\","
		"\"form\":\"\",\"number\":null,\"switched\":null,\"object\":null,\"list\":null}",
	};
	struct conf c;
	struct err e;

	test("what is absent, null or empty has its default, or stays as it was");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		ok(read_keys(texts[i], "", &c, &e) == 0);
		ok(!c.text && !c.path && !c.checked && !c.color && !c.flag && !c.switched);
		ok(!c.object && !c.list && c.large == -1 && !c.has_form);
		ok(c.mode == 0640 && c.number == 7 && !c.has_number);
	}
	test("no object is one without members");
	c = (struct conf){ .large = -1 };
	ok(key_read(NULL, "", keys, &c, &e) == 0 && c.number == 7 && c.large == -1);
}

static void said(void)
{
	struct conf c;
	struct err e;

	test("each type of value goes to its member, and what is noted is noted");
	ok(read_keys("{\"text\":\"abcd\",\"path\":\"/a/b//\",\"checked\":\"good\",\"form\":\"12\","
		     "\"color\":\"green\",\"order\":\"second\",\"mode\":\"00777\",\"small\":65535,"
		     "\"number\":-5,\"large\":9223372036854775807,\"switched\":true,"
		     "\"flag\":false,\"object\":{\"a\":1},\"list\":[\"a\",\"\"],\"other\":[7]}",
		     "", &c, &e) == 0);
	eq(c.text, "abcd");
	eq(c.path, "/a/b");
	eq(c.checked, "good");
	ok(c.form == 12 && c.has_form && c.color == COLOR_GREEN && c.second && c.mode == 0777);
	ok(c.small == 65535 && c.number == -5 && c.has_number && c.large == INT64_MAX);
	ok(c.switched && c.flag == COLOR_RED);	/* 1: said, and false */
	ok(json_object_size(c.object) == 1 && json_array_size(c.list) == 2);
	ok(read_keys("{\"flag\":true,\"order\":\"first\",\"path\":\"/\"}", "", &c, &e) == 0);
	ok(c.flag == COLOR_GREEN && !c.second);
	eq(c.path, "/");
}

static void wrong(void)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{ "{\"text\":\"abcde\"}", "invalid o.text 'abcde': must be 4 bytes at most" },
		{ "{\"text\":7}", "o.text: expected a string, got an integer" },
		{ "{\"secret\":\"abcde\"}", "invalid o.secret: must be short" },
		{ "{\"path\":\"a\"}", "invalid o.path 'a': must be an absolute path" },
		{ "{\"path\":\"/a/../b\"}", "invalid o.path '/a/../b': must be an absolute path" },
		{ "{\"checked\":\"bad\"}", "o.checked: not that one" },
		{ "{\"form\":\"x\"}", "invalid o.form 'x': must be a number" },
		{ "{\"form\":\"4294967295\"}", "invalid o.form '4294967295': must be a number" },
		{ "{\"color\":\"blue\"}", "invalid o.color 'blue': must be red or green" },
		{ "{\"shape\":\"d\"}", "invalid o.shape 'd': must be a, b or c" },
		{ "{\"color\":true}", "o.color: expected a string, got a boolean" },
		{ "{\"order\":\"third\"}", "invalid o.order 'third': must be first or second" },
		{ "{\"mode\":\"01777\"}",
		  "invalid o.mode '01777': must be permissions in octal, 000 to 0777" },
		{ "{\"mode\":\"77\"}",
		  "invalid o.mode '77': must be permissions in octal, 000 to 0777" },
		{ "{\"mode\":\"000777\"}",
		  "invalid o.mode '000777': must be permissions in octal, 000 to 0777" },
		{ "{\"mode\":\"0787\"}",
		  "invalid o.mode '0787': must be permissions in octal, 000 to 0777" },
		{ "{\"mode\":640}", "o.mode: expected a string, got an integer" },
		{ "{\"number\":4095}", "o.number: expected an integer of -5 to 4094, got 4095" },
		{ "{\"number\":-6}", "o.number: expected an integer of -5 to 4094, got -6" },
		{ "{\"number\":\"1\"}", "o.number: expected an integer, got a string" },
		{ "{\"switched\":1}", "o.switched: expected a boolean, got an integer" },
		{ "{\"flag\":\"on\"}", "o.flag: expected a boolean, got a string" },
		{ "{\"object\":[]}", "o.object: expected an object, got a list" },
		{ "{\"list\":{}}", "o.list: expected a list, got an object" },
		{ "{\"list\":[\"a\",7]}", "o.list[1]: expected a string, got an integer" },
		{ "{\"list\":[\"a\",\"abcde\"]}",
		  "invalid o.list[1] 'abcde': must be 4 bytes at most" },
		{ "{\"checkedList\":[\"first\",\"\"]}",
		  "invalid o.checkedList[1] '': must be first or second" },
	};
	struct conf c;
	struct err e;

	test("a wrong value is refused with key, value and what it must be");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ok(read_keys(cases[i].text, "o", &c, &e) == -1 && e.code == ERR_NETCONF);
		eq(e.msg, cases[i].msg);
	}
	test("at the top the key stands alone");
	ok(read_keys("{\"color\":\"blue\"}", "", &c, &e) == -1);
	eq(e.msg, "invalid color 'blue': must be red or green");

	test("the first that is wrong is told, in the table's order, and what is right is taken");
	ok(read_keys("{\"number\":9000,\"color\":\"blue\",\"text\":\"a\",\"small\":7}", "", &c,
		     &e) == -1);
	eq(e.msg, "invalid color 'blue': must be red or green");
	eq(c.text, "a");
	ok(c.small == 7 && c.number == 7 && !c.has_number && !c.color);
}

int main(void)
{
	absent();
	said();
	wrong();
	json_decref(doc);
	return tap_end();
}
