/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regexp.h - regular expressions of Go's syntax
 *
 * The room manager/regexp/ answers whether a pattern is in a text, as Go's package regexp does.
 * Node Feature Discovery's operator InRegexp and CEL's matches() are it.
 *
 * What it follows: Go's regexp/syntax, which is RE2's syntax; scripts as Unicode 15 names them.
 * Each pattern is read as Go reads it, what Go refuses is refused, and the rest is written for
 * PCRE2, which carries it out.
 *
 * What is not there: the places of groups.  NOTES.md has where both differ; make upstream compares
 * them.
 *
 * The room includes base/ alone, and keeps nothing between two calls but the pattern.
 *
 * Bounds: a pattern has REGEXP_MAX bytes and 64 KiB for PCRE2, its groups stand 400 deep,
 * repetitions are 1000 at most together, and a match takes REGEXP_STEPS steps and 2 MiB at most;
 * one that would take more is an error.
 *
 * To be read in this order: translate.c reads a pattern, with text.c and the classes of
 * charclass.c, whose names and letters are in property.c and folded.c; regexp.c has it carried out.
 */
#ifndef MANAGER_REGEXP_REGEXP_H
#define MANAGER_REGEXP_REGEXP_H

#include "base/err.h"

#include <stddef.h>

struct regexp;

enum {
	REGEXP_MAX = 10240,		/* bytes of a pattern */
	REGEXP_STEPS = 200000,		/* of a match: a few milliseconds */
};

/*
 * Reads a pattern, which the caller owns and frees by regexp_free().  NULL with ERR_NETCONF: the
 * message says at which character the pattern is wrong.
 */
struct regexp *regexp_parse(const char *pattern, struct err *e) must_check;

/*
 * Is the pattern anywhere in the text?  1 or 0; -1 with ERR_NETCONF: it would take too long to find
 * out.  A byte of it that is no UTF-8 counts as U+FFFD.
 */
int regexp_is_in(const struct regexp *re, const char *text, struct err *e) must_check;

/* Answers the same within fewer steps than REGEXP_STEPS. */
int regexp_is_in_steps(const struct regexp *re, const char *text, unsigned steps,
		       struct err *e) must_check;

/*
 * Finds the first match that begins at the byte `from` of the text or behind it: 1, and range has
 * its first byte and the one behind it; 0: there is none.  The text is UTF-8.  ERR_NETCONF as
 * above.
 */
int regexp_find(const struct regexp *re, const char *text, size_t from, size_t range[2],
		struct err *e) must_check;

/* Frees a pattern; NULL is accepted. */
void regexp_free(struct regexp *re);

#endif
