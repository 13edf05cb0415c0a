/* SPDX-License-Identifier: Apache-2.0 */
/* siphash.h - a keyed hash, for texts that somebody hostile may choose (SipHash-2-4) */
#ifndef BASE_SIPHASH_H
#define BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

enum { SIPHASH_KEY = 16 };		/* bytes */

/* Hash len bytes; without the key nobody can find two texts with the same hash. */
uint64_t siphash(const uint8_t key[SIPHASH_KEY], const void *data, size_t len);

/* Hash a list of texts with their borders: "a", "bc" differ from "ab", "c". */
enum { SIPHASH_TEXTS = 4 };		/* at most */
uint64_t siphash_texts(const uint8_t key[SIPHASH_KEY], const char *const texts[], size_t n);

#endif
