/* SPDX-License-Identifier: Apache-2.0 */
/*
 * covered.h - does a table have a row for each member of its struct?
 *
 *	COVER_BEGIN(&c, struct rate);
 *	cover_fields(&c, &rate_fields, 0);		what the rows are about
 *	cover_keys(&c, rate_keys, 0);
 *	COVER_MEMBER(&c, struct rate, doc);		what is no row's, on purpose
 *	covered(&c, "struct rate");			one check: nothing is left
 *
 * gcc says which bytes are padding.  clang 14 does not, so there a gap of less than 8 bytes counts
 * as padding.
 */
#ifndef TESTS_UNIT_COVERED_H
#define TESTS_UNIT_COVERED_H

#include "base/field.h"
#include "conf/key.h"
#include "tests/unit/tap.h"

#include <stdlib.h>

struct cover {
	size_t size;
	unsigned char *left;		/* of each byte: 0, it is padding or a row is about it */
	const char **row;		/* and the name of that row, for messages */
};

#if __has_builtin(__builtin_clear_padding)
enum { COVER_GAP = 0 };
#define cover_clear_padding(p) __builtin_clear_padding(p)
#else
enum { COVER_GAP = 7 };
#define cover_clear_padding(p) ((void)(p))
#endif

static inline unsigned char *cover_bytes(size_t size)
{
	unsigned char *p = malloc(size);

	if (!p)
		abort();
	(void)memset(p, 0xff, size);
	return p;
}

#define COVER_BEGIN(c, type)						\
	do {								\
		(c)->size = sizeof(type);				\
		(c)->left = cover_bytes(sizeof(type));			\
		(c)->row = calloc(sizeof(type), sizeof(*(c)->row));	\
		cover_clear_padding((type *)(void *)(c)->left);		\
	} while (0)

static inline void cover(struct cover *c, size_t offset, size_t size, const char *row)
{
	if (offset + size > c->size || !c->row)
		abort();
	memset(c->left + offset, 0, size);
	for (size_t i = offset; i < offset + size; i++)
		c->row[i] = row;
}

#define COVER_MEMBER(c, type, member) \
	cover(c, offsetof(type, member), sizeof(((type *)NULL)->member), #member)

/* The struct of these rows begins at `base` in that of c. */
static inline void cover_fields(struct cover *c, const struct fields *t, size_t base)
{
	for (const struct field *f = t->field; f < t->field + t->n; f++) {
		if (f->part)
			cover_fields(c, f->part, base + f->offset);
		else
			cover(c, base + f->offset, f->size, f->name);
		if (f->len)
			cover(c, base + f->len, f->each ? sizeof(size_t) : sizeof(uint8_t),
			      f->name);
		if (f->flag)
			cover(c, base + f->flag, sizeof(bool), f->name);
	}
}

static inline void cover_keys(struct cover *c, const struct conf_key *keys, size_t base)
{
	for (const struct conf_key *k = keys; k->name; k++) {
		cover(c, base + k->offset, k->size, k->name);
		if (k->said)
			cover(c, base + k->said, sizeof(bool), k->name);
	}
}

static inline void covered(struct cover *c, const char *name)
{
	size_t missing = 0, end, known;

	for (size_t i = 0; i < c->size; i = end + 1) {
		for (end = i; end < c->size && c->left[end]; end++)
			;
		if (end - i <= COVER_GAP)
			continue;
		for (known = i; known > 0 && !c->row[known]; known--)
			;
		(void)printf("#  no row is about the member at byte %zu of %s, %zu bytes, behind "
			     "that of '%s'\n", i, name, end - i,
			     c->row[known] ? c->row[known] : "");
		missing++;
	}
	ok(missing == 0);
	free(c->left);
	free(c->row);
}

#endif
