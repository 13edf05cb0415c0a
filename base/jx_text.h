/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jx_text.h - JSON looked through where it stands, for what is too large for a tree
 *
 * jansson makes a tree of all it reads, several times as large as the text.  Here objects and lists
 * are walked in the text.  What is passed over is looked through for its end only: whether it is
 * valid is nobody's business.  What is wanted goes to jx_parse_value().
 */
#ifndef BASE_JX_TEXT_H
#define BASE_JX_TEXT_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>

/* One value, a part of the text: its first byte tells the type. */
struct jx_text {
	const char *at;
	size_t len;
};

/* The one value that a text of len bytes is: 0, or -1 when it is torn, none, or has more behind. */
int jx_text_of(const char *text, size_t len, struct jx_text *ret) must_check;

/* An object or a list, from its first member or element on. */
struct jx_walk {
	const char *p, *end;
	bool has_keys, begun;
};

struct jx_walk jx_walk_of(struct jx_text v);

/* The next member, or element, whose key is not touched: 1; 0 at the end; -1: it is no JSON. */
int jx_walk_next(struct jx_walk *w, struct jx_text *key, struct jx_text *value) must_check;

/* Is the value this text, spelled without escapes? */
bool jx_text_is(struct jx_text v, const char *text);

/* "an object", "a list" ... by the first byte, for messages. */
const char *jx_text_type(struct jx_text v);

/* Behind the string that begins at p; NULL when it does not end before end. */
const char *jx_string_end(const char *p, const char *end);

#endif
