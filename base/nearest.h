/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearest.h - find the word that was most likely meant by a mistyped one
 *
 * An edit is one character that is missing, too many or another one, or two neighbours that are
 * swapped (Damerau-Levenshtein, no place being edited twice).  The case of letters is no edit.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

enum {
	NEAREST_EDITS = 2,		/* a word with more is another one */
	NEAREST_LEN = 64,		/* longer words are not compared */
	NEAREST_HINT = NEAREST_LEN + 24,
};

/* Count the edits between both; NEAREST_EDITS + 1 when there are more, or one is too long. */
unsigned int nearest_edits(const char *a, const char *b);

/*
 * Find the first of the words with the fewest edits, or NULL.  Two edits are allowed when the
 * shorter word has six characters or more, one when it has three or more, else none.
 */
const char *nearest_word(const char *word, const char *const *words, size_t n);

/* ", did you mean vlan?" for the end of a message, or "". */
void nearest_hint(const char *word, const char *const *words, size_t n, char ret[NEAREST_HINT]);

#endif
