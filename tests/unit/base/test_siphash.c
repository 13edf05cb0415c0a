/* SPDX-License-Identifier: Apache-2.0 */
/* test_siphash.c - the keyed hash */
#include "base/siphash.h"
#include "tests/unit/tap.h"

#include <stdint.h>

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

static void texts(void)
{
	static const char *const abc[] = { "a", "bc", "" }, *const ab_c[] = { "ab", "c", "" };
	uint8_t key[SIPHASH_KEY] = { 1 }, other[SIPHASH_KEY] = { 2 };

	test("texts are told apart from others that read alike when joined, and by the key");
	ok(siphash_texts(key, abc, 3) == siphash_texts(key, abc, 3));
	ok(siphash_texts(key, abc, 3) != siphash_texts(key, ab_c, 3));
	ok(siphash_texts(key, abc, 3) != siphash_texts(key, abc, 2));
	ok(siphash_texts(key, abc, 3) != siphash_texts(other, abc, 3));
}

int main(void)
{
	keyed_hash();
	texts();
	return tap_end();
}
