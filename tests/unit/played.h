/* SPDX-License-Identifier: Apache-2.0 */
/*
 * played.h - functions that are played (see WRAP in GNUmakefile): each notes that it was asked, and
 * fails when it is told to
 *
 * Who includes it has a struct before, `play`, with these members:
 *
 *	const char *fails, *absent;	names, each between two blanks: what fails, what returns 0
 *					instead of 1
 *	enum err_code code;		of the error
 *	char asked[512];		what was asked, in that order
 */
#ifndef TESTS_UNIT_PLAYED_H
#define TESTS_UNIT_PLAYED_H

#include "base/err.h"

#include <stdio.h>
#include <string.h>

static int played(const char *what, int r, struct err *e)
{
	size_t used = strlen(play.asked);
	char word[64];

	(void)snprintf(play.asked + used, sizeof(play.asked) - used, "%s%s", used ? " " : "", what);
	(void)snprintf(word, sizeof(word), " %s ", what);
	if (strstr(play.fails, word))
		return err_set(e, play.code, 0, "%s", what);
	return r > 0 && strstr(play.absent, word) ? 0 : r;
}

#define PLAY(name, ret, ...)                     \
	int __wrap_##name(__VA_ARGS__);          \
	int __wrap_##name(__VA_ARGS__)           \
	{                                        \
		return played(#name, ret, e);    \
	}

/* most parameters are nobody's here */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#endif
