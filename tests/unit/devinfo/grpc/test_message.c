/* SPDX-License-Identifier: Apache-2.0 */
/* test_message.c - messages in pieces, and grpc-message there and back */
#include "devinfo/grpc/message.h"
#include "tests/unit/tap.h"

#include <stdint.h>

static void test_incoming(void)
{
	static const unsigned char bytes[] = "\0\0\0\0\5hello";
	unsigned char prefix[GRPC_PREFIX];

	test("a message is the same wherever its pieces end");
	for (size_t cut = 0; cut <= 10; cut++) {
		struct incoming in = { .max = 5 };

		ok(incoming_take(&in, bytes, cut) == INCOMING_OK);
		ok(incoming_is_whole(&in) == (cut == 10));
		ok(incoming_take(&in, bytes + cut, 10 - cut) == INCOMING_OK);
		ok(incoming_is_whole(&in) && in.expected == 5 && memcmp(in.body, "hello", 5) == 0);
		ok(incoming_take(&in, bytes, 1) == INCOMING_BEYOND);
		incoming_done(&in);
		ok(!in.body);
		incoming_done(&in);
	}

	test("one byte more than there may be is refused by the prefix");
	struct incoming small = { .max = 4 };
	ok(incoming_take(&small, bytes, 5) == INCOMING_TOO_LARGE);
	ok(!small.body && !incoming_is_whole(&small) && small.expected == 5);

	test("a compressed one is refused");
	struct incoming compressed = { .max = 5 };
	memcpy(prefix, "\1\0\0\0\5", sizeof(prefix));
	ok(incoming_take(&compressed, prefix, sizeof(prefix)) == INCOMING_COMPRESSED);

	test("the prefix has the length, most significant byte first");
	message_prefix(0x12345678, prefix);
	ok(memcmp(prefix, "\0\x12\x34\x56\x78", sizeof(prefix)) == 0);
	message_prefix(UINT32_MAX, prefix);
	ok(memcmp(prefix, "\0\xff\xff\xff\xff", sizeof(prefix)) == 0);
}

static void expect_encoded(const char *in, size_t size, const char *want, const char *back)
{
	char text[64], decoded[64];

	memset(text, 'z', sizeof(text));
	message_encode(in, text, size);
	eq(text, want);
	message_decode(text, strlen(text), decoded, sizeof(decoded));
	eq(decoded, back);
}

static void test_text(void)
{
	test("what is not printable ASCII, and the percent sign, is encoded");
	expect_encoded("", 64, "", "");
	expect_encoded("plain text, ~", 64, "plain text, ~", "plain text, ~");
	expect_encoded("50%", 64, "50%25", "50%");
	expect_encoded("a\tb\177", 64, "a%09b%7F", "a b ");
	expect_encoded("\342\202\254", 64, "%E2%82%AC", "???");

	test("a space at an end, which HTTP/2 forbids, is encoded as well");
	expect_encoded(" a b ", 64, "%20a b%20", " a b ");
	expect_encoded(" ", 64, "%20", " ");

	test("what does not fit is left out, whole characters of it");
	expect_encoded("abcdef", 4, "abc", "abc");
	expect_encoded("ab%cd", 5, "ab", "ab");
	expect_encoded("ab%cd", 6, "ab%25", "ab%");
	expect_encoded("ab cd", 4, "ab", "ab");
	expect_encoded("abc", 1, "", "");
}

int main(void)
{
	test_incoming();
	test_text();
	return tap_end();
}
