/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tap.h - the Test Anything Protocol in a few macros
 *
 *	test("a sentence about what holds");	names the checks that follow
 *	ok(cond);				one check
 *	eq(have, want);				one check each, of texts: where it fails both
 *	begins(have, want);			are printed, each on a line of its own
 *	contains(have, want);
 *	eqi(have, want);			the same for integers
 *	return tap_end();			prints the plan, non-zero when one failed
 */
#ifndef TESTS_UNIT_TAP_H
#define TESTS_UNIT_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_no, tap_failed;
static const char *tap_name = "";

#define test(sentence) (tap_name = (sentence))

static inline bool tap_ok(bool holds, const char *file, int line, const char *what)
{
	tap_failed += !holds;
	(void)printf("%sok %d - %s: %s:%d %s\n", holds ? "" : "not ", ++tap_no, tap_name, file,
		     line, what);
	return holds;
}

/* "#  have text": a further line of it is a comment, too. */
static inline void tap_side(const char *side, const char *text)
{
	(void)printf("#  %s ", side);
	for (text = text ? text : "(null)"; *text; text++)
		(void)fputs(*text == '\n' ? "\n#       " : (char[]){ *text, '\0' }, stdout);
	(void)printf("\n");
}

static inline bool tap_compare(const char *have, const char *want, bool holds, const char *file,
			       int line, const char *what)
{
	if (tap_ok(holds, file, line, what))
		return true;
	tap_side("have", have);
	tap_side("want", want);
	return false;
}

static inline bool tap_eq(const char *have, const char *want, const char *file, int line,
			  const char *what)
{
	return tap_compare(have, want, have && want && strcmp(have, want) == 0, file, line, what);
}

static inline bool tap_begins(const char *have, const char *want, const char *file, int line,
			      const char *what)
{
	return tap_compare(have, want, have && strncmp(have, want, strlen(want)) == 0, file, line,
			   what);
}

static inline bool tap_contains(const char *have, const char *want, const char *file, int line,
				const char *what)
{
	return tap_compare(have, want, have && strstr(have, want), file, line, what);
}

static inline bool tap_eqi(long long have, long long want, const char *file, int line,
			   const char *what)
{
	char sides[2][24];

	(void)snprintf(sides[0], sizeof(sides[0]), "%lld", have);
	(void)snprintf(sides[1], sizeof(sides[1]), "%lld", want);
	return tap_compare(sides[0], sides[1], have == want, file, line, what);
}

/* Each of them says whether it held: what cannot be looked at without it is left out. */
#define ok(cond) tap_ok(!!(cond), __FILE__, __LINE__, #cond)
#define eq(have, want) tap_eq(have, want, __FILE__, __LINE__, #have " is " #want)
#define begins(have, want) \
	tap_begins(have, want, __FILE__, __LINE__, #have " begins with " #want)
#define contains(have, want) \
	tap_contains(have, want, __FILE__, __LINE__, #have " contains " #want)
#define eqi(have, want) \
	tap_eqi((long long)(have), (long long)(want), __FILE__, __LINE__, #have " is " #want)

static inline int tap_end(void)
{
	(void)printf("1..%d\n", tap_no);
	return tap_failed != 0;
}

#endif
