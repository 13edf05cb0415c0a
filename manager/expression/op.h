/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op.h - one expression: an attribute, an operator and its values, as NFD has them
 *
 * What NFD tells only when a device has the attribute (the wrong number of values, a limit that is
 * no number) is told here when the expression is read.
 */
#ifndef MANAGER_EXPRESSION_OP_H
#define MANAGER_EXPRESSION_OP_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { MATCH_VALUES_MAX = 1024 };

/* 1.2.3: as many numbers as it has. */
struct expression_version {
	int64_t part[3];
};

struct expression_op;
struct regexp;

struct expression {
	char *name;			/* owned, as all of it */
	const struct expression_op *op;
	bool is_version;		/* "type": "version" */
	json_t *values;			/* strings */
	int64_t number[2];		/* of those that compare */
	struct expression_version version[2];
	struct regexp **regexp;	/* one a value, of InRegexp */
};

/*
 * The values are a list of strings, or NULL for none.  type may be NULL.  Errors, ERR_NETCONF, do
 * not name the attribute.
 */
int expression_make(const char *name, const char *op, const char *type, const json_t *values,
		    struct expression *ret, struct err *e) must_check;

/* Any value meets it, and none: NFD's operator without a name. */
int expression_make_any(const char *name, struct expression *ret, struct err *e) must_check;

/* 1, 0, -1.  Of an attribute that is a list, one has to meet it; of NotIn, all have to. */
int expression_meets(const struct expression *x, const json_t *attributes,
		     struct err *e) must_check;

/*
 * The same of one thing, whatever its name: 1, 0, -1.  is_there and no value: a flag, which meets
 * nothing but that it exists.
 */
int expression_meets_value(const struct expression *x, bool is_there, const char *value,
			   struct err *e) must_check;

/* Is it met by what is absent?  Then of flags and attributes in one both have to meet it. */
bool expression_wants_absence(const struct expression *x);

/* For people: "vendor In 15b3,8086", new reference. */
json_t *expression_show(const struct expression *x);

void expression_done(struct expression *x);

/* A list of them. */
struct expressions {
	struct expression *list;	/* owned */
	size_t n;
};

enum { EXPRESSIONS_MAX = 256 };

/* Takes *x, also when it fails, and leaves nothing there. */
int expressions_append(struct expressions *to, struct expression *x, struct err *e) must_check;
void expressions_done(struct expressions *x);

#endif
