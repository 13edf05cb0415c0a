/* SPDX-License-Identifier: Apache-2.0 */
/* blank.c - blanks as Unicode has them */
#include "base/blank.h"

#include <string.h>

enum { BLANK_MAX = 3 };		/* bytes */

size_t blank_length(const char *s)
{
	static const char *const blanks[] = {
		"\xc2\x85", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",
		"\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a",
		"\u2028", "\u2029", "\u202f", "\u205f", "\u3000",
	};

	if (*s && strchr(" \t\n\v\f\r", *s))
		return 1;
	for (size_t i = 0; *s && i < ARRAY_SIZE(blanks); i++)
		if (strncmp(blanks[i], s, strlen(blanks[i])) == 0)
			return strlen(blanks[i]);
	return 0;
}

/* How many bytes the blank has with which the text ends. */
static size_t last_length(const char *s, size_t len)
{
	for (size_t n = 1; n <= BLANK_MAX && n <= len; n++)
		if (blank_length(s + len - n) == n)
			return n;
	return 0;
}

char *blank_trim(char *s)
{
	size_t len = strlen(s), n;

	while ((n = last_length(s, len)) > 0) {
		len -= n;
		s[len] = '\0';
	}
	while ((n = blank_length(s)) > 0)
		s += n;
	return s;
}
