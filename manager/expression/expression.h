/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expression.h - expressions of Node Feature Discovery: they are read from JSON
 *
 *	{ "vendor": { "op": "In", "value": ["15b3"] }, "driver": { "op": "Exists" } }
 *
 * The room manager/expression/ reads expressions (this header, expression.c) and answers whether
 * attributes meet them (op.h, op.c).  An expression is the name of an attribute, an operator and
 * its values; attributes are any JSON object.
 *
 * What it follows: matchExpressions of Node Feature Discovery v0.18 (api/nfd/v1alpha1,
 * MatchExpression and MatchExpressionSet; pkg/apis/nfd/nodefeaturerule, evaluateMatchExpression),
 * and for InRegexp manager/regexp.
 *
 * What is there and not in NFD: an attribute may be a list (op.h), and a key that an expression
 * does not have is an error.  NOTES.md has each difference.
 *
 * The room includes base/, manager/regexp and manager/number.  It opens no file and keeps nothing
 * between two calls but what it has read.
 *
 * Bounds: there are EXPRESSIONS_MAX expressions in a list and EXPRESSION_VALUES_MAX values in each;
 * a regular expression has its own bounds (regexp.h).
 *
 * There are three dialects.  An API server takes the one above from a NodeFeatureRule, and nothing
 * else.  The rules in nfd-worker's configuration may be short: a value alone is In, null and a name
 * alone are Exists, "NAME=VALUE" in a list is In; without "op" anything meets it.  In both, as in
 * NFD, the wrong number of values, or a limit that is no number, fails only when a node has the
 * attribute.  Expressions about devices may be short, too, but have an operator, their values are
 * judged when they are read, and what is behind the numbers of a version does not matter.
 */
#ifndef MANAGER_EXPRESSION_EXPRESSION_H
#define MANAGER_EXPRESSION_EXPRESSION_H

#include "base/err.h"
#include "manager/expression/op.h"

#include <jansson.h>
#include <stdbool.h>

extern const struct expression_dialect expressions_of_rule, expressions_of_worker,
	expressions_of_device;

/*
 * Reads the expressions of a document and appends them to a list, which the caller owns and
 * releases by expressions_done(), also after a failure.  The document may get more spellings of its
 * keys.  ERR_NETCONF: the message names the attribute and what is wrong with its expression.
 */
int expressions_from_json(json_t *doc, const struct expression_dialect *d, struct expressions *to,
			  struct err *e) must_check;

/*
 * Reads one expression about that attribute, which the caller owns and releases by
 * expression_done().  *ret is not touched on failure.
 */
int expression_from_json(const char *name, json_t *v, const struct expression_dialect *d,
			 struct expression *ret, struct err *e) must_check;

#endif
