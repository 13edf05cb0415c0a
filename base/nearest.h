/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearest.h - the word that was most likely meant by one with a typing error
 *
 * An edit is one character that is missing, too many or another one, or two neighbours that are
 * swapped (Damerau-Levenshtein, no place being edited twice).  The case of letters is no edit.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

enum {
	NEAREST_EDITS = 2,		/* more than that are another word */
	NEAREST_LEN = 64,		/* longer words are near to none */
	NEAREST_HINT = NEAREST_LEN + 24,
};

/* The number of edits between both; NEAREST_EDITS + 1 for all that are more, or too long. */
unsigned int nearest_edits(const char *a, const char *b);

/*
 * The first of those words with the fewest edits, or NULL.  Where the shorter of both has six
 * characters there may be two, where it has three, one, and none where it is shorter still.
 */
const char *nearest_word(const char *word, const char *const *words, size_t n);

/* ", did you mean vlan?" for the end of a message, or "". */
void nearest_hint(const char *word, const char *const *words, size_t n, char ret[NEAREST_HINT]);

#endif
