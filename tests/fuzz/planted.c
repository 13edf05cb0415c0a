/* SPDX-License-Identifier: Apache-2.0 */
/* planted.c - a target with a bug, so that the fuzzer can show that it finds one from nothing */
#include "tests/fuzz/fuzz.h"

static void fuzz_one(const char *text, size_t len)
{
	auto_free char *copy = malloc(len + 1);

	must(copy);
	memcpy(copy, text, len);
	if (len > 3 && copy[0] == 'v' && copy[1] == 'f' && copy[2] == '1')
		copy[len + 1] = '0';
}
