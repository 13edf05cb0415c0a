/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_trace.h - why a rule matches or not: a tree of what was evaluated, each with its value
 *
 *	{"term": "pci.device", "value": false, "terms": [
 *		{"term": "instance 1", "value": false, "terms": [
 *			{"term": "vendor In 15b3", "value": false, "is": "8086"}]}]}
 *
 * "error" stands in place of a value.  "is" is the value that an expression was evaluated for: null
 * is an absent one, true a flag.  The first argument of each function is a list of terms, or NULL
 * where no trace is wanted.
 */
#ifndef MANAGER_NFD_RULE_TRACE_H
#define MANAGER_NFD_RULE_TRACE_H

#include "base/err.h"
#include "manager/expression/op.h"

#include <jansson.h>
#include <stddef.h>

/* A message, be a character of what it quotes cut. */
json_t *trace_text(const char *text);

/* A term behind the others: the list of those below it, borrowed. */
json_t *trace_add(json_t *terms, const char *term);
json_t *trace_add_instance(json_t *terms, size_t i);
/* What the last one came to: 1, 0, or -1 with the error. */
void trace_set(json_t *terms, int r, const struct err *why);

/* One expression, of attributes and flags (either may be NULL). */
void trace_expression(json_t *terms, const struct expression *x, const json_t *attributes,
		      const json_t *flags, int r, const struct err *why);
/* The expression on names. */
void trace_name(json_t *terms, const struct expression *x, int r, const struct err *why);

#endif
