/* SPDX-License-Identifier: Apache-2.0 */
/*
 * siphash.c - a keyed hash, for texts that somebody hostile may choose
 *
 * SipHash-2-4 of Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012); its test vectors
 * are in tests/unit/base/test_siphash.c.
 */
#include "base/siphash.h"

#include <string.h>

static uint64_t rotate(uint64_t x, unsigned int by)
{
	return x << by | x >> (64 - by);
}

/* Little endian, as many bytes as there are. */
static uint64_t load(const uint8_t *p, size_t len)
{
	uint64_t x = 0;

	for (size_t i = 0; i < len && i < 8; i++)
		x |= (uint64_t)p[i] << (8 * i);
	return x;
}

static void rounds(uint64_t v[4], int n)
{
	while (n-- > 0) {
		v[0] += v[1];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[0] = rotate(v[0], 32);
		v[2] += v[3];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[2] = rotate(v[2], 32);
	}
}

static void absorb(uint64_t v[4], uint64_t m)
{
	v[3] ^= m;
	rounds(v, 2);
	v[0] ^= m;
}

uint64_t siphash(const uint8_t key[SIPHASH_KEY], const void *data, size_t len)
{
	const uint64_t k0 = load(key, 8), k1 = load(key + 8, 8);
	uint64_t v[4] = {
		k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d,
		k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573,
	};
	const uint8_t *p = data;
	size_t left;

	for (left = len; left >= 8; left -= 8, p += 8)
		absorb(v, load(p, 8));
	absorb(v, load(p, left) | (uint64_t)(len & 0xff) << 56);
	v[2] ^= 0xff;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t siphash_texts(const uint8_t key[SIPHASH_KEY], const char *const texts[], size_t n)
{
	uint64_t hash[SIPHASH_TEXTS];

	for (size_t i = 0; i < n; i++)
		hash[i] = siphash(key, texts[i], strlen(texts[i]));
	return siphash(key, hash, n * sizeof(*hash));
}
