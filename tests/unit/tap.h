/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tap.h - the Test Anything Protocol in three macros
 *
 *	test("a sentence about what holds");	names the checks that follow
 *	ok(cond);  eq(have, want);		one check each; eq compares strings
 *	return tap_end();			prints the plan, non-zero when one failed
 */
#ifndef TESTS_UNIT_TAP_H
#define TESTS_UNIT_TAP_H

#include <stdio.h>
#include <string.h>

static int tap_no, tap_failed;
static const char *tap_name = "";

#define test(sentence) (tap_name = (sentence))

#define ok(cond)                                                                             \
	do {                                                                                 \
		int ok_ = !!(cond);                                                          \
		tap_failed += !ok_;                                                          \
		(void)printf("%sok %d - %s: %s:%d %s\n", ok_ ? "" : "not ", ++tap_no, tap_name, \
			     __FILE__, __LINE__, #cond);                                     \
	} while (0)

#define eq(have, want)                                                                       \
	do {                                                                                 \
		const char *have_ = (have), *want_ = (want);                                 \
		ok(strcmp(have_, want_) == 0);                                               \
		if (strcmp(have_, want_) != 0)                                               \
			(void)printf("#  have %s\n#  want %s\n", have_, want_);              \
	} while (0)

static inline int tap_end(void)
{
	(void)printf("1..%d\n", tap_no);
	return tap_failed != 0;
}

#endif
