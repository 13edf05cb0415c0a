/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_regexp.c - a pattern, and behind a NUL a text that it is looked for in: within bounded steps
 *
 * A match that needs more steps than it may take is an error, and never another answer: who allows
 * fewer steps gets the same answer or none.  The steps take no more than the time limit of a run
 * (tests/fuzz/run.sh).
 */
#include "manager/regexp/regexp.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

enum { FEW = 50 };

static int look(const struct regexp *re, const char *text, unsigned steps)
{
	struct err e = { 0 };
	int r = steps ? regexp_is_in_steps(re, text, steps, &e) : regexp_is_in(re, text, &e);

	must_agree(r, &e);
	must(r == -1 ? e.code == ERR_NETCONF : e.code == ERR_OK);
	must(r >= 0 || strncmp(e.msg, "regular expression on '", 23) == 0);
	return r;
}

static void fuzz_one(const char *text, size_t len)
{
	auto_free char *pattern = strndup(text, len), *in = NULL;
	size_t n = strlen(pattern);
	struct err e = { 0 };
	struct regexp *re = regexp_parse(pattern, &e);
	int all, few;

	must(!re == (e.code == ERR_NETCONF));
	if (!re) {
		must(strncmp(e.msg, "regular expression '", 20) == 0);
		return;
	}
	must(n <= REGEXP_MAX);
	accepted();
	in = strndup(text + n + (n < len), len - n - (n < len));
	all = look(re, in, 0);
	few = look(re, in, FEW);
	must(few == -1 || few == all);
	must(look(re, in, 0) == all);
	regexp_free(re);
}
