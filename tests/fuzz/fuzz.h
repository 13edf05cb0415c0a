/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz.h - what all fuzz targets have in common
 *
 * A target is one file with one function, fuzz_one(), which gives an input of the fuzzer to a
 * parser.  The sanitizers see what the parser does with memory; must() is for what it promises.
 *
 * An input ends where the next page cannot be read: jansson, nghttp2 and protobuf-c are built
 * without sanitizers, and shall be seen to read too far as well.
 *
 * Two variables of the environment serve to show that a target sees something: FUZZ_OVERRUN makes
 * the input of each call one byte longer than its memory, FUZZ_TELL prints a line for each
 * accepted().
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "base/err.h"
#include "base/mem.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sanitizer/asan_interface.h>
#include <string.h>
#include <sys/mman.h>

#define must(cond)                                                                          \
	do {                                                                                \
		if (!(cond)) {                                                              \
			(void)fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__,       \
				      __LINE__, #cond);                                     \
			abort();                                                            \
		}                                                                           \
	} while (0)

/* An error is filled if and only if the result says so; e was zeroed before the call. */
static inline void must_agree(int rc, const struct err *e)
{
	must(rc == -1 || rc == 0 || rc == 1);
	must(rc >= 0 || (e->code != ERR_OK && *e->msg));
}

enum { FUZZ_ROOM = 1024 * 1024, FUZZ_PAGE = 65536 };

static bool fuzz_overrun, fuzz_tell;
static char *fuzz_end;			/* of the memory for inputs */

/* For what the parser took, not refused. */
static inline void accepted(void)
{
	if (fuzz_tell)
		(void)fprintf(stderr, "accepted\n");
}

/* text has no NUL at its end: what is behind it belongs to somebody else. */
static void fuzz_one(const char *text, size_t len);

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	fuzz_overrun = getenv("FUZZ_OVERRUN");
	fuzz_tell = getenv("FUZZ_TELL");
	json_object_seed(1);		/* a finding is one the next time as well */
	fuzz_end = mmap(NULL, FUZZ_ROOM + FUZZ_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(fuzz_end != MAP_FAILED);
	fuzz_end += FUZZ_ROOM;
	must(mprotect(fuzz_end, FUZZ_PAGE, PROT_NONE) == 0);
	return 0;
}

/* What is before the input is nobody's, and the input only to be read. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_end - size;

	if (size > FUZZ_ROOM)
		return 0;
	memcpy(text, data, size);
	ASAN_POISON_MEMORY_REGION(fuzz_end - FUZZ_ROOM, FUZZ_ROOM - size);
	fuzz_one(text, size + fuzz_overrun);
	ASAN_UNPOISON_MEMORY_REGION(fuzz_end - FUZZ_ROOM, FUZZ_ROOM);
	must(memcmp(text, data, size) == 0);
	return 0;
}

#endif
