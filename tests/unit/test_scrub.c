/* SPDX-License-Identifier: Apache-2.0 */
/* test_scrub.c - secrets go, hardware addresses become others, and all else stays */
#include "devinfo/inventory/base64.h"
#include "devinfo/inventory/scrub.h"

#include "base/jx.h"
#include "base/mem.h"
#include "tests/unit/tap.h"

static struct scrub scrub;

/* Is the document this one afterwards? */
static bool becomes(const char *before, const char *after)
{
	struct err e = { 0 };
	json_auto_t *doc = jx_parse(before, strlen(before), ERR_DECODE, "test", &e);
	json_auto_t *want = jx_parse(after, strlen(after), ERR_DECODE, "test", &e);
	auto_free char *text = NULL;

	if (!doc || !want)
		return false;
	scrub_json(&scrub, doc);
	text = json_dumps(doc, JSON_COMPACT);
	if (!json_equal(doc, want))
		(void)printf("# %s\n", text);
	return json_equal(doc, want);
}

static bool text_becomes(const char *before, const char *after)
{
	auto_free char *text = scrub_text(&scrub, before);

	if (strcmp(text, after) != 0)
		(void)printf("# %s\n", text);
	return strcmp(text, after) == 0;
}

static void test_secrets(void)
{
	static const char *const names[] = {
		"password", "dbPassword", "PASSWD", "token", "bearerToken", "secret",
		"clientSecret", "credentials",
		"apiKey", "private_key", "Authorization", "psk", "serialNumber",
	};
	char text[200];

	test("what is called a secret is left out, of whatever depth");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		(void)snprintf(text, sizeof(text), "{\"ipam\":[{\"%s\":\"hunter2\"}]}", names[i]);
		(void)snprintf(text + 100, 100, "{\"ipam\":[{\"%s\":\"left-out\"}]}", names[i]);
		ok(becomes(text, text + 100));
	}
	ok(becomes("{\"secrets\":{\"a\":[\"x\"]}}", "{\"secrets\":{\"a\":[\"left-out\"]}}"));
	ok(becomes("[{\"name\":\"DB_PASSWORD\",\"value\":\"x\"},{\"name\":\"A\",\"value\":\"x\"}]",
		   "[{\"name\":\"DB_PASSWORD\",\"value\":\"left-out\"},"
		   "{\"name\":\"A\",\"value\":\"x\"}]"));
	ok(becomes("{\"url\":\"https://me:word@host:2379/a\"}",
		   "{\"url\":\"https://xxxxxxx@host:2379/a\"}"));
	test("what only leads to one, or says that there is one, stays");
	ok(becomes("{\"secretFile\":\"/etc/s\",\"tokenPath\":\"/a\"}",
		   "{\"secretFile\":\"/etc/s\",\"tokenPath\":\"/a\"}"));
	ok(becomes("{\"secret\":false,\"secret2\":\"\"}", "{\"secret\":false,\"secret2\":\"\"}"));
	ok(becomes("{\"url\":\"https://host/a@b\",\"vlan\":7}",
		   "{\"url\":\"https://host/a@b\",\"vlan\":7}"));
	test("a document in a string, or in base64, is one");
	ok(becomes("{\"request\":\"{\\\"token\\\":\\\"t\\\"}\\n\"}",
		   "{\"request\":\"{\\\"token\\\":\\\"left-out\\\"}\\n\"}"));
	ok(becomes("{\"request\":\"{\\\"token\\\":\\\"t\"}", "{\"request\":\"left-out\"}"));
	/* {"token":"t"}, and the answer {"token":"left-out"}\n */
	ok(becomes("{\"config\":\"eyJ0b2tlbiI6InQifQ==\"}",
		   "{\"config\":\"eyJ0b2tlbiI6ImxlZnQtb3V0In0K\"}"));
}

static void test_addresses(void)
{
	static const char *const none[] = {
		"00:00:00:00:00:00 ff:ff:ff:ff:ff:ff", "0000:01:10.0", "01:02:03:04:05",
		"01:02:03:04:05:06:07", "12:34:56:78:9a:bcd", "1:02:03:04:05:06:07",
	};
	auto_free char *hex = NULL;

	test("an address becomes another, the same each time, in each form");
	ok(becomes("{\"mac\":\"DE:AC:a6:f0:68:05\",\"n\":{\"addr\":\"deaca6f06805\"}}",
		   "{\"mac\":\"02:00:00:00:00:01\",\"n\":{\"addr\":\"020000000001\"}}"));
	ok(becomes("{\"mac\":"
		   "\"deaca6f068050000000000000000000000000000000000000000000000000000\"}",
		   "{\"mac\":"
		   "\"0200000000010000000000000000000000000000000000000000000000000000\"}"));
	ok(text_becomes("enxdeaca6f06805 is de:ac:a6:f0:68:05, not de:ac:a6:f0:68:06.",
			"enx020000000001 is 02:00:00:00:00:01, not 02:00:00:00:00:02."));
	ok(text_becomes("00:11:22:33:44:55:66:77", "02:00:00:00:00:00:00:03"));
	hex = scrub_hex(&scrub, "0011:2233:4455:6677");
	eq(hex, "0200:0000:0000:0003");
	ok(becomes("{\"ips\":[\"fe80::dcac:a6ff:fef0:6805/64\",\"fd00::1/64\"]}",
		   "{\"ips\":[\"fe80::/64\",\"fd00::1/64\"]}"));
	test("what is none stays");
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		ok(text_becomes(none[i], none[i]));
	ok(becomes("{\"address\":\"deaca6f06805\"}", "{\"address\":\"deaca6f06805\"}"));
}

static void test_base64(void)
{
	static const char *const plain[] = { "", "f", "fo", "foo", "foob", "fooba", "foobar" };
	static const char *const coded[] = { "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=",
					     "Zm9vYmFy" };	/* RFC 4648, section 10 */

	test("base64 there and back");
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		auto_free char *there = base64_encode(plain[i], strlen(plain[i]));
		size_t len = 99;
		auto_free char *back = base64_decode(coded[i], &len);

		eq(there, coded[i]);
		eq(back, plain[i]);
		ok(len == strlen(plain[i]));
	}
	ok(!base64_decode("Zm9-", &(size_t){ 0 }));
}

int main(void)
{
	jx_init(NULL);
	scrub_init(&scrub);
	test_secrets();
	test_addresses();
	test_base64();
	scrub_done(&scrub);
	return tap_end();
}
