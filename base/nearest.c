/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.c - the word that was most likely meant by one with a typing error */
#include "base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 3 };			/* of the matrix of edits: this one and two before */

static bool is_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* row[i % ROWS][j]: the edits between the first i characters of a and the first j of b. */
static unsigned int edits(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned int row[ROWS][NEAREST_LEN + 1];

	for (size_t j = 0; j <= b_len; j++)
		row[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned int *now = row[i % ROWS], *before = row[(i + ROWS - 1) % ROWS];

		now[0] = (unsigned int)i;
		for (size_t j = 1; j <= b_len; j++) {
			now[j] = least(before[j - 1] + !is_same(a[i - 1], b[j - 1]),
				       least(before[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) &&
			    is_same(a[i - 2], b[j - 1]))
				now[j] = least(now[j], row[(i - 2) % ROWS][j - 2] + 1);
		}
	}
	return row[a_len % ROWS][b_len];
}

unsigned int nearest_edits(const char *a, const char *b)
{
	size_t a_len = strnlen(a, NEAREST_LEN + 1), b_len = strnlen(b, NEAREST_LEN + 1);

	if (a_len > NEAREST_LEN || b_len > NEAREST_LEN || a_len > b_len + NEAREST_EDITS ||
	    b_len > a_len + NEAREST_EDITS)
		return NEAREST_EDITS + 1;
	return least(edits(a, a_len, b, b_len), NEAREST_EDITS + 1);
}

/* By the shorter of both words: with more, a short one is near to many that nobody has meant. */
static unsigned int edits_allowed(const char *a, const char *b)
{
	size_t a_len = strnlen(a, NEAREST_LEN), b_len = strnlen(b, NEAREST_LEN);
	size_t len = a_len < b_len ? a_len : b_len;

	return len < 3 ? 0 : len < 6 ? 1 : NEAREST_EDITS;
}

const char *nearest_word(const char *word, const char *const *words, size_t n)
{
	unsigned int best = NEAREST_EDITS + 1;
	const char *ret = NULL;

	for (size_t i = 0; i < n; i++) {
		unsigned int have = nearest_edits(word, words[i]);

		if (have < best && have <= edits_allowed(word, words[i])) {
			best = have;
			ret = words[i];
		}
	}
	return ret;
}

void nearest_hint(const char *word, const char *const *words, size_t n, char ret[NEAREST_HINT])
{
	const char *near = nearest_word(word, words, n);

	(void)snprintf(ret, NEAREST_HINT, "%s%s%s", near ? ", did you mean " : "",
		       near ? near : "", near ? "?" : "");
}
