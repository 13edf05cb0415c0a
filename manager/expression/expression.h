/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expression.h - expressions in JSON, as NFD's rules have them
 *
 *	{ "vendor": { "op": "In", "value": ["15b3"] }, "driver": { "op": "Exists" } }
 *
 * There are three dialects.  An API server takes the one above from a NodeFeatureRule, and nothing
 * else.  The rules in nfd-worker's configuration may be short: a value alone is In, null and a name
 * alone are Exists, "NAME=VALUE" in a list is In; without "op" anything meets it.  Expressions
 * about devices may be short, too, but have an operator.
 */
#ifndef MANAGER_EXPRESSION_EXPRESSION_H
#define MANAGER_EXPRESSION_EXPRESSION_H

#include "base/err.h"
#include "manager/expression/op.h"

#include <jansson.h>
#include <stdbool.h>

struct expression_dialect {
	bool may_be_short;
	bool any_without_op;
	bool last_of_name;		/* in a list the last one of a name counts */
	bool has_reals_alone;		/* also an integer is a float64 */
};

extern const struct expression_dialect expressions_of_rule, expressions_of_worker,
	expressions_of_device;

/* Append those of a document; it may get more spellings of its keys.  Errors name the attribute. */
int expressions_from_json(json_t *doc, const struct expression_dialect *d, struct expressions *to,
			  struct err *e) must_check;

/* One, of that attribute. */
int expression_from_json(const char *name, json_t *v, const struct expression_dialect *d,
			 struct expression *ret, struct err *e) must_check;

#endif
