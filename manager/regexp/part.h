/* SPDX-License-Identifier: Apache-2.0 */
/*
 * part.h - what the parts of the regular expressions share: the pattern that is written for PCRE2
 *
 * regexp.h says which file does what.
 */
#ifndef MANAGER_REGEXP_PART_H
#define MANAGER_REGEXP_PART_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	REPEAT_MAX = 1000,		/* Go's: a{1000}, and of nested ones the product */
	NEST_MAX = 400,			/* groups in groups */
	RUNE_MAX = 0x10ffff,
};

/* As they are at a place of the pattern. */
struct regexp_flags {
	bool fold, multiline, dot_all, lazy;	/* i, m, s, U */
};

/* An open group, [0] is the whole pattern. */
struct regexp_group {
	struct regexp_flags before;	/* which its end brings back */
	bool folds;			/* how PCRE2 was told at its beginning */
	size_t start;			/* of its text in the output */
	int repeats;			/* the greatest product in it */
};

struct regexp_text {
	const char *pattern, *p;	/* p: what is read next */
	struct err *e;
	struct regexp_flags flags;
	struct regexp_group group[NEST_MAX + 1];
	unsigned int nest;
	/* what a quantifier repeats: out[atom] to the end */
	bool has_atom, is_assertion, is_repeated;
	size_t atom;
	int repeats;			/* the greatest product in it */
	bool folds;			/* how PCRE2 was told so far */
	/* of a class what cannot stand in its brackets: "|(?![x])\\P{Y}" */
	char apart[512];
	char *out;			/* owned */
	size_t len, room;
	bool no_memory;
};

/* Fills the error with the place of p; -1. */
int regexp_refuse(const struct regexp_text *t, const char *what);
/* Appends to the output. */
void regexp_put(struct regexp_text *t, const char *text);
/* Puts a text before what out has at a place. */
void regexp_insert(struct regexp_text *t, size_t at, const char *text);
/* Appends one character, as a literal or as an end of a range. */
void regexp_put_rune(struct regexp_text *t, unsigned long c);
/* Begins what a quantifier may repeat. */
void regexp_begin_atom(struct regexp_text *t);

/* The character at p, which is moved behind it.  The pattern is UTF-8. */
unsigned long regexp_rune(const char **p);
/* Is it UTF-8 all through?  The length of what is. */
size_t regexp_utf8_length(const char *text);
/* Reads an escape that means one character; p is at the backslash. */
int regexp_escape(struct regexp_text *t, unsigned long *ret) must_check;

/* -- classes (charclass.c) -- */

/* p is at the '['. */
int regexp_class(struct regexp_text *t) must_check;
/* "\d" and its like, or "\p": 1; 0: it is none; -1: it is wrong. */
int regexp_class_escape(struct regexp_text *t, bool in_class) must_check;
/* Is it a general category or a script of Unicode's, as Go names them (property.c)? */
bool regexp_is_property(const char *name, size_t len);
/* Is it a category, and not a script? */
bool regexp_is_category(const char *name, size_t len);
/* Which letters a category has with (?i): ends of ranges, in order (folded.c).  NULL: its own. */
const unsigned int *regexp_folded(const char *name, size_t len, size_t *ret);

/*
 * Writes for PCRE2 what a pattern of Go's means.  A text that the caller owns; NULL: what is wrong.
 */
char *regexp_translate(const char *pattern, struct err *e) must_check;

#endif
