/* SPDX-License-Identifier: Apache-2.0 */
/* op.h - one expression: an attribute, an operator and its values, made and met */
#ifndef MANAGER_EXPRESSION_OP_H
#define MANAGER_EXPRESSION_OP_H

#include "base/err.h"
#include "manager/number/semver.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { EXPRESSION_VALUES_MAX = 1024 };

/* Who makes expressions, and how they are taken. */
struct expression_dialect {
	bool may_be_short;
	bool any_without_op;
	bool last_of_name;		/* in a list the last one of a name counts */
	bool has_reals_alone;		/* also an integer is a float64 */
	bool fails_when_met;		/* wrong values are no error before they are asked for */
	bool version_goes_on;		/* what is behind the numbers does not matter */
};

struct expression_op;
struct regexp;

struct expression {
	char *name;			/* owned, as all of it */
	const struct expression_op *op;
	bool is_version;		/* "type": "version" */
	bool version_goes_on;		/* the dialect's */
	json_t *values;			/* strings */
	int64_t number[2];		/* of those that compare */
	struct semver version[2];
	struct regexp **regexp;	/* one a value, of InRegexp */
	char *fault;			/* why nothing meets it, and who asks fails; NULL */
};

/*
 * Makes an expression of its parts, which are copied: the values are a list of strings, or NULL for
 * none, and type may be NULL.  ERR_NETCONF: the message does not name the attribute, and *ret is
 * not touched.  Where the dialect fails_when_met, wrong values become the fault of the expression.
 */
int expression_make(const struct expression_dialect *d, const char *name, const char *op,
		    const char *type, const json_t *values, struct expression *ret,
		    struct err *e) must_check;

/* Makes the expression that any value meets, and none: NFD's operator without a name. */
int expression_make_any(const char *name, struct expression *ret, struct err *e) must_check;

/*
 * Do the attributes, an object, meet the expression?  1 or 0; -1 with ERR_NETCONF: the value of the
 * attribute is none that the operator takes, or the expression has a fault.  Of an attribute that
 * is a list, one has to meet the expression; of NotIn, all have to.
 */
int expression_meets(const struct expression *x, const json_t *attributes,
		     struct err *e) must_check;

/*
 * Answers the same for the value of one attribute, whatever its name: 1, 0, -1.  One that is_there
 * and has no value is a flag, which meets nothing but that it exists.
 */
int expression_meets_value(const struct expression *x, bool is_there, const char *value,
			   struct err *e) must_check;

/* Is it met by what is absent?  Then of flags and attributes in one both have to meet it. */
bool expression_wants_absence(const struct expression *x);

/* Gives people the text of an expression, "vendor In 15b3,8086", cut short: a new reference. */
json_t *expression_show(const struct expression *x);

/* Releases what an expression owns and leaves it empty. */
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
