/* SPDX-License-Identifier: Apache-2.0 */
/* manifest_word.c - may a text in JSON or YAML, which is not parsed for it, have a word? */
#include "devinfo/manifest/manifest_word.h"

#include <string.h>

/*
 * A backslash can stand before what makes a letter of no letter, as \u0061 and YAML's \x61, or
 * joins two lines.  What it makes of these is in no word.
 */
static bool has_escapes(const char *text, size_t len)
{
	static const char harmless[] = "\"\\/bfnrt";
	const char *end = text + len, *p = text;

	while ((p = memchr(p, '\\', (size_t)(end - p)))) {
		if (p + 1 == end || !memchr(harmless, p[1], sizeof(harmless) - 1))
			return true;
		p++;
	}
	return false;
}

/*
 * All else of YAML leaves a word in one piece: lines that are folded have a blank or newline
 * between them.  Both are read as UTF-8 alone.
 */
bool manifest_may_have(const char *text, size_t len, const char *const *words)
{
	for (; *words; words++)
		if (memmem(text, len, *words, strlen(*words)))
			return true;
	return has_escapes(text, len);
}
