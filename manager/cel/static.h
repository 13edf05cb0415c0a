/* SPDX-License-Identifier: Apache-2.0 */
/*
 * static.h - what is known of the type of a value before there is a device
 *
 * As cel-go's checker has it: `any` fits every type, lists and maps have the types of what is in
 * them, and what is not known yet (the elements of []) is a parameter, which the first use binds.
 * Types are never changed, but for what a parameter is bound to; all are in the arena of the
 * expression, or constants.
 */
#ifndef MANAGER_CEL_STATIC_H
#define MANAGER_CEL_STATIC_H

#include "manager/cel/value.h"

/* The kind of a type is a letter of enum cel_type (value.h), or one of these. */
enum {
	CEL_ANY = '.',
	CEL_DEVICE = 'D',
	CEL_PARAMETER = '?',
};

struct cel_static {
	char kind;
	bool is_open;				/* there are parameters in it */
	const struct cel_static *part[2];	/* of a list; keys and values of a map */
	struct cel_parameter *parameter;
};

struct cel_parameter {
	struct cel_static is;
	const struct cel_static *bound;		/* NULL: may still be anything */
};

/* The types of one expression, while it is checked. */
struct cel_types {
	struct cel_arena *arena;
	struct cel_undo *undo;			/* what was bound, the last first */
	uint32_t steps;				/* at most CEL_STATIC_STEPS */
	bool has_no_memory;			/* types that were asked for are CEL_ANY */
};

/*
 * Types that are shared ({a: a}, of that {b: b}...) have exponentially many parts: what makes them,
 * compares them or fits them counts each part that it looks at.  Its answer is of no use when there
 * are no steps left, and the expression is refused.
 */
enum { CEL_STATIC_STEPS = 200000 };

static inline bool cel_static_is_spent(const struct cel_types *t)
{
	return t->steps > CEL_STATIC_STEPS;
}

/* Gives the type of that letter, which has no parts. */
const struct cel_static *cel_static_of(char kind);

const struct cel_static *cel_static_parameter(struct cel_types *t);
const struct cel_static *cel_static_list(struct cel_types *t, const struct cel_static *of);
const struct cel_static *cel_static_optional(struct cel_types *t, const struct cel_static *of);
const struct cel_static *cel_static_map(struct cel_types *t, const struct cel_static *keys,
					const struct cel_static *values);

/* How many parts types of a kind have. */
unsigned cel_static_parts(char kind);

/* What the letters of a signature (function.h) stand for in one call. */
struct cel_letters {
	const struct cel_static *parameters[3];	/* A, B, C; NULL: not met yet */
	const char *classes;			/* the types of N and K, in their order; */
	char first_class;			/* what the first of them was */
};

/* Reads one type of a signature, and goes behind it. */
const struct cel_static *cel_static_read(struct cel_types *t, const char **signature,
					 struct cel_letters *letters);

/*
 * May a value of type a be where one of type b is asked for?  Parameters in both are bound so that
 * it may.  false: nothing has changed.
 */
bool cel_static_assign(struct cel_types *t, const struct cel_static *a, const struct cel_static *b);

/* What is bound later can be taken back. */
static inline struct cel_undo *cel_static_mark(const struct cel_types *t)
{
	return t->undo;
}

void cel_static_back(struct cel_types *t, struct cel_undo *mark);

/* Puts in for parameters what they are bound to; is_last: and CEL_ANY for those that are not. */
const struct cel_static *cel_static_resolve(struct cel_types *t, const struct cel_static *a,
					    bool is_last);

/* The one of two that fit each other that says less. */
const struct cel_static *cel_static_general(struct cel_types *t, const struct cel_static *a,
					    const struct cel_static *b);

/* Are they the same type, also in all of their parts? */
bool cel_static_same(struct cel_types *t, const struct cel_static *a, const struct cel_static *b);

/* Writes it for messages: "map(string, list(int))"; "dyn" is any. */
enum { CEL_STATIC_TEXT = 64 };

const char *cel_static_write(const struct cel_static *a, char ret[CEL_STATIC_TEXT]);

#endif
