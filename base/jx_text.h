/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jx_text.h - walk JSON in its text, for documents that are too large for a tree
 *
 * jansson makes a tree of all it reads, several times as large as the text.  Here objects and lists
 * are walked in the text.  Of a value that is skipped only the end is found; it is not validated.
 * Values that are wanted go to jx_parse_value().
 */
#ifndef BASE_JX_TEXT_H
#define BASE_JX_TEXT_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>

/* One value within the text; its first byte gives its type. */
struct jx_text {
	const char *at;
	size_t len;
};

/*
 * Find the single value of a text of len bytes: 0; -1 when it is cut off, absent or followed by
 * more.
 */
int jx_text_of(const char *text, size_t len, struct jx_text *ret) must_check;

/* The position in an object or a list, at first before its first member or element. */
struct jx_walk {
	const char *p, *end;
	bool has_keys, begun;
};

struct jx_walk jx_walk_of(struct jx_text v);

/*
 * Step to the next member or element (key stays unchanged): 1; 0 at the end; -1 when it is no JSON.
 */
int jx_walk_next(struct jx_walk *w, struct jx_text *key, struct jx_text *value) must_check;

/* Is the value this text, spelled without escapes? */
bool jx_text_is(struct jx_text v, const char *text);

/* "an object", "a list" ... by the first byte, for messages. */
const char *jx_text_type(struct jx_text v);

/* Return the end of the string that begins at p; NULL when it does not end before `end`. */
const char *jx_string_end(const char *p, const char *end);

#endif
