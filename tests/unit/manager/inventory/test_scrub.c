/* SPDX-License-Identifier: Apache-2.0 */
/* test_scrub.c - secrets go, hardware addresses become others, and all else stays */
#include "manager/inventory/base64.h"
#include "manager/inventory/scrub.h"

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
		"preSharedKey", "client-key-data", "etcd_key", "auth", "adminPwd",
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
	ok(becomes("{\"key\":\"password\",\"value\":\"hunter2\"}",
		   "{\"key\":\"left-out\",\"value\":\"left-out\"}"));
	ok(becomes("{\"url\":\"https://me:word@host:2379/a\"}",
		   "{\"url\":\"https://xxxxxxx@host:2379/a\"}"));
	ok(becomes("{\"psk\":12345678,\"pin\":1,\"token\":0.5}",
		   "{\"psk\":0,\"pin\":1,\"token\":0.0}"));
	ok(becomes("{\"url\":\"https://me:w@rd@host/a\"}",
		   "{\"url\":\"https://xxxxxxx@host/a\"}"));
	test("so is what stands behind its name, in a pair or an assignment");
	ok(becomes("{\"cniArgs\":[[\"K8S_POD_NAME\",\"p\"],[\"DB_PASSWORD\",\"hunter2\"]]}",
		   "{\"cniArgs\":[[\"K8S_POD_NAME\",\"p\"],[\"DB_PASSWORD\",\"left-out\"]]}"));
	ok(becomes("{\"command\":[\"--token\",\"hunter2\",\"-v\"]}",
		   "{\"command\":[\"--token\",\"left-out\",\"-v\"]}"));
	ok(becomes("{\"env\":[\"A=1\",\"DB_PASSWORD=hunter2\",\"T_TOKEN='hunter2 x' B=2\"]}",
		   "{\"env\":[\"A=1\",\"DB_PASSWORD=xxxxxxx\",\"T_TOKEN='xxxxxxxxx' B=2\"]}"));
	ok(becomes("{\"url\":\"http://h/?a=b&token=hunter2&c=d\"}",
		   "{\"url\":\"http://h/?a=b&token=xxxxxxx&c=d\"}"));
	ok(becomes("{\"yaml\":\"a: 1\\ntoken: hunter2\\nb: 2\",\"ini\":\"password = hunter2\"}",
		   "{\"yaml\":\"a: 1\\ntoken: xxxxxxx\\nb: 2\",\"ini\":\"password = xxxxxxx\"}"));
	ok(becomes("{\"h\":\"Authorization: Bearer hunter2\",\"token\":\"\",\"a\":\"token:7\"}",
		   "{\"h\":\"Authorization: xxxxxxxxxxxxxx\",\"token\":\"\",\"a\":\"token:7\"}"));
	test("and what is a key or a token by its own form");
	ok(becomes("{\"a\":\"-----BEGIN PRIVATE KEY-----\\nMII\",\"b\":\"LS0tLS1CRUdJTiBSU0Eg\"}",
		   "{\"a\":\"left-out\",\"b\":\"left-out\"}"));
	ok(becomes("{\"a\":\"it is eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.x-_y\"}",
		   "{\"a\":\"left-out\"}"));
	test("what only leads to one, or says that there is one, stays");
	ok(becomes("{\"secretFile\":\"/etc/s\",\"tokenPath\":\"/a\"}",
		   "{\"secretFile\":\"/etc/s\",\"tokenPath\":\"/a\"}"));
	ok(becomes("{\"pkey\":\"0x8001\",\"pKeys\":[\"0x1\"],\"id\":\"e3a1b2c3d4e5f607\"}",
		   "{\"pkey\":\"0x8001\",\"pKeys\":[\"0x1\"],\"id\":\"e3a1b2c3d4e5f607\"}"));
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

/* {"token": "hunter2"}, so many times in a string: none of them is seen. */
static void test_nested(void)
{
	json_t *doc = json_pack("{s:s}", "token", "hunter2");
	auto_free char *text = NULL;

	test("nor does it help to put it into a document in a string, however often");
	for (int i = 0; i < 12; i++) {
		auto_free char *inner = json_dumps(doc, 0);

		json_decref(doc);
		doc = json_pack("{s:s}", "a", inner);
	}
	scrub_json(&scrub, doc);
	text = json_dumps(doc, 0);
	ok(!strstr(text, "hunter2"));
	json_decref(doc);
}

static void test_addresses(void)
{
	static const char *const none[] = {
		"00:00:00:00:00:00 ff:ff:ff:ff:ff:ff", "0000:01:10.0", "01:02:03:04:05",
		"12:34:56:78:9a:bcd", "1:02:03:04:05:06:07", "std::abc::d", "2001:db8::1", "::",
		"aa-bb-cc-dd-ee-ff-web", "enxdeaca6f068051", "0a7f1c9e-90b6-4a65-8f43-4a1f2f2b3c10",
		"1:2:3:4", "2001:0db8:0000:0001::/64",
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
	test("also in the client's identifier of DHCP, in names by a GUID, as a key");
	ok(text_becomes("00:01:00:01:2a:3b:4c:5d:de:ac:a6:f0:68:05",
			"02:00:00:00:00:00:00:00:00:00:00:00:00:04"));
	ok(text_becomes("de-ac-a6-f0-68-05 rocexdeaca6fffef06805 de:ac:a6:ff:fe:f0:68:05",
			"02-00-00-00-00-01 rocex0200000000000005 02:00:00:00:00:00:00:05"));
	ok(text_becomes("GUID deac:a6ff:fef0:6805, not 0000:0000:0000:0000",
			"GUID 0200:0000:0000:0005, not 0000:0000:0000:0000"));
	ok(becomes("{\"x\":{\"de:ac:a6:f0:68:05\":{\"macAddress\":\"deaca6f06805\"}}}",
		   "{\"x\":{\"02:00:00:00:00:01\":{\"macAddress\":\"020000000001\"}}}"));
	test("in an IPv6 address that is made of one, the same; of the link's scope nothing stays");
	ok(text_becomes("2001:db8::dcac:a6ff:fef0:6805/64, fe80::dcac:a6ff:fef0:6805.",
			"2001:db8::ff:fe00:1/64, fe80::."));
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
	test_nested();
	test_addresses();
	test_base64();
	scrub_done(&scrub);
	return tap_end();
}
