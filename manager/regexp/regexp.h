/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regexp.h - regular expressions of RE2's syntax, which NFD's rules are written in
 *
 * RE2 takes time that is linear in the text, and so has no back references, lookaround, atomic
 * groups or possessive quantifiers.  PCRE2 runs them here, within limits: what RE2 refuses is
 * refused, so that no rule works here and not in NFD.
 */
#ifndef MANAGER_REGEXP_REGEXP_H
#define MANAGER_REGEXP_REGEXP_H

#include "base/err.h"

struct regexp;

enum {
	MATCH_REGEXP_MAX = 1024,	/* bytes of a pattern */
	MATCH_REGEXP_STEPS = 200000,	/* of a match: a few milliseconds */
};

/* NULL with ERR_NETCONF and where in the pattern it is wrong. */
struct regexp *regexp_parse(const char *pattern, struct err *e) must_check;

/* Is it anywhere in the text?  1, 0, -1 (it would take too long to find out). */
int regexp_is_in(const struct regexp *re, const char *text, struct err *e) must_check;

/* The same with fewer steps than it may take (MATCH_REGEXP_STEPS, a few milliseconds). */
int regexp_is_in_steps(const struct regexp *re, const char *text, unsigned steps,
		       struct err *e) must_check;

void regexp_free(struct regexp *re);

#endif
