/* SPDX-License-Identifier: Apache-2.0 */
/* siphash.h - a keyed hash, for texts that somebody hostile may choose (SipHash-2-4) */
#ifndef BASE_SIPHASH_H
#define BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

enum { SIPHASH_KEY = 16 };		/* bytes */

/* Without the key nobody finds two texts with one hash. */
uint64_t siphash(const uint8_t key[SIPHASH_KEY], const void *data, size_t len);

#endif
