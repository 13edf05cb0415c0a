/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regexp.h - regular expressions of RE2's syntax
 *
 * The room manager/regexp/ answers whether a pattern is in a text, as Go's package regexp does.
 * Node Feature Discovery's operator InRegexp and CEL's matches() are it.
 *
 * What it follows: RE2's syntax (github.com/google/re2/wiki/Syntax), which Go's regexp/syntax has,
 * too; scripts as Unicode 15 names them.  RE2 takes time that is linear in the text, and so has no
 * back references, lookaround, atomic groups or possessive quantifiers.  PCRE2 carries a pattern
 * out here: what RE2 refuses is refused before PCRE2 sees it, so that no pattern works here and not
 * there.
 *
 * What is not there: \v, \C, the octal \1 to \7, a quantifier behind an assertion, [\w-a],
 * [:alpha:] outside brackets, and the place of a match.  regexp_parse() refuses what it does not
 * have.  NOTES.md has how both were compared.
 *
 * The room includes base/ alone, and keeps nothing between two calls but the pattern.
 *
 * Bounds: a pattern has REGEXP_MAX bytes, its groups stand 100 deep, a repetition is 1000 at most,
 * and a match takes REGEXP_STEPS steps and 2 MiB at most; one that would take more is an error.
 */
#ifndef MANAGER_REGEXP_REGEXP_H
#define MANAGER_REGEXP_REGEXP_H

#include "base/err.h"

struct regexp;

enum {
	REGEXP_MAX = 1024,		/* bytes of a pattern */
	REGEXP_STEPS = 200000,		/* of a match: a few milliseconds */
};

/*
 * Reads a pattern, which the caller owns and frees by regexp_free().  NULL with ERR_NETCONF: the
 * message says at which character the pattern is wrong.
 */
struct regexp *regexp_parse(const char *pattern, struct err *e) must_check;

/*
 * Is the pattern anywhere in the text?  1 or 0; -1 with ERR_NETCONF: it would take too long to find
 * out.  A text need not be UTF-8; bytes that are none match nothing.
 */
int regexp_is_in(const struct regexp *re, const char *text, struct err *e) must_check;

/* Answers the same within fewer steps than REGEXP_STEPS. */
int regexp_is_in_steps(const struct regexp *re, const char *text, unsigned steps,
		       struct err *e) must_check;

/* Frees a pattern; NULL is accepted. */
void regexp_free(struct regexp *re);

#endif
