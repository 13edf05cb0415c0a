/* SPDX-License-Identifier: Apache-2.0 */
/* test_manifest_word.c - a text that is said to be without a word has it in no form */
#include "devinfo/manifest/manifest_word.h"

#include "base/jx.h"
#include "base/mem.h"
#include "devinfo/manifest/manifest.h"
#include "tests/unit/tap.h"

#include <string.h>

static bool may_have(const char *text, size_t len)
{
	static const char *const words[] = { "other", "net-a.b", NULL };

	return manifest_may_have(text, len, words);
}

/* Is that the name of its only object?  Then it has to be found. */
static bool is_named(const char *text, size_t len)
{
	auto_manifests struct manifests m = { 0 };
	struct err e = { 0 };

	return manifests_read(text, len, "f", &m, &e) == 0 && m.n == 1 &&
	       strcmp(m.list[0].name, "net-a.b") == 0;
}

/* Each way of YAML and JSON to write the name. */
static void test_written(void)
{
	static const char *const texts[] = {
		"metadata: {name: net-a.b}", "metadata: {name: 'net-a.b'}",
		"metadata: {name: \"net-a.b\"}", "metadata:\n  name: >-\n    net-a.b\n",
		"metadata:\n  name: |-\n    net-a.b\n", "metadata: {name:   net-a.b  }",
		"metadata:\n  name:\n    net-a.b\n", "x: &n net-a.b\nmetadata: {name: *n}",
		"metadata: {? name : ! net-a.b}", "metadata: {name: !!str net-a.b}",
		"metadata: {name: \"net-\\x61.b\"}", "metadata: {name: \"net-\\u0061.b\"}",
		"metadata: {name: \"net-\\U00000061.b\"}", "metadata: {name: \"net-\\\n  a.b\"}",
		"metadata: {name: \"net-\\\r\n  a.b\"}", "metadata: {name: \"net-\\\xc2\x85 a.b\"}",
		"metadata: {name: \"net-\\\xe2\x80\xa8 a.b\"}",
		"{\"metadata\":{\"name\":\"net-a.b\"}}",
		"{\"metadata\":{\"name\":\"net-\\u0061.b\"}}",
		"{\"x\":\"\\\\\",\"metadata\":{\"name\":\"net\\u002da.b\"}}",
		"\xef\xbb\xbfmetadata: {name: net-a.b}",
	};
	static const char plain[] = "metadata: {name: net-a.b}";
	char wide[2][2 + 2 * sizeof(plain)] = { "\xff\xfe", "\xfe\xff" };

	test("a name is found however it is written");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!ok(is_named(texts[i], strlen(texts[i]))) ||
		    !ok(may_have(texts[i], strlen(texts[i]))))
			(void)printf("#  %s\n", texts[i]);
	test("but no text is in UTF-16, where it could not be");
	for (size_t i = 0; i < strlen(plain); i++)
		wide[0][2 + 2 * i] = wide[1][3 + 2 * i] = plain[i];
	for (size_t i = 0; i < 2; i++)
		ok(!is_named(wide[i], 2 * sizeof(plain)));
}

/* What is in most files is no reason to parse them. */
static void test_others(void)
{
	static const char *const texts[] = {
		"", "metadata: {name: net-a}", "metadata: {name: net-a b}",
		"metadata: {name: net-A.b}",
		"spec:\n  config: |\n    {\"type\": \"bridge\"}\n",
		"{\"spec\":{\"config\":\"{\\\"type\\\":\\\"a\\\",\\n\\t\\\"x\\\":\\\"\\/\\\"}\"}}",
		"metadata: {name: \"net-\n  a.b\"}", "metadata: {name: net-\n  a.b}",
		"metadata:\n  name: >-\n    net-\n    a.b\n",
	};

	test("a text without the name and without odd escapes is known to have it not");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		ok(!may_have(texts[i], strlen(texts[i])) &&
		   !is_named(texts[i], strlen(texts[i])));
	test("what ends within an escape is not known, nor read behind its end");
	ok(may_have("a\\", 2));
	ok(!may_have("net-a.b", 6));
	test("each of the words counts");
	ok(may_have("another", 7));
}

int main(void)
{
	jx_init(NULL);
	test_written();
	test_others();
	return tap_end();
}
