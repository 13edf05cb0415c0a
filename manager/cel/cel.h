/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cel.h - the Common Expression Language, as far as it selects devices
 *
 *	device.driver == "dra.example.com" && device.attributes["dra.example.com"].numa_node < 2
 *
 * The room manager/cel/ compiles an expression once and answers it for any number of devices.
 * DeviceClasses, ResourceClaims and ResourceSlicePatches of Dynamic Resource Allocation select
 * devices by it (resource.k8s.io/v1, CELDeviceSelector).
 *
 * What it follows:
 *
 *	google/cel-spec, doc/langdef.md	syntax, values, gradual type checking, evaluation, macros,
 *					standard definitions
 *	google/cel-go, cel and ext	strings, lists, sets, optional values, macros with two
 *					variables
 *	Kubernetes 1.31 to 1.37		dynamic-resource-allocation/cel: the variable `device`, the
 *					limits below; apiserver/pkg/cel/library: lists, regular
 *					expressions, quantities, versions, URLs, IP addresses,
 *					networks, formats
 *
 * What is not there: types as values and messages, which cel_compile() refuses; time zones by name
 * and the clause %e of format(), which fail when they are evaluated.  NOTES.md has each difference.
 *
 * The room includes base/, manager/regexp and manager/number.  It opens no file, keeps nothing
 * between two calls, and knows no device of this node: device.c alone knows what `device` is, the
 * object that the API server declares for selectors, and reads it from the JSON of a slice.
 *
 * Bounds: an expression has CEL_LENGTH_MAX bytes, its tree is 250 high (ast.h), and it may cost
 * CEL_COST_MAX as the API server estimates it (estimate.h).  An evaluation costs CEL_COST_MAX, of
 * which memory is a part (16 MB at most), and a string that it makes has 65,536 bytes (run.h).
 *
 * To be read in this order: lex.c and parse.c make the tree of ast.h; check.c and check_*.c check
 * it with the types of static.c; estimate.c and estimate_*.c say what it may cost; fold.c evaluates
 * what is constant; eval.c evaluates it with the values of value.c, which run.c counts and device.c
 * takes from the device, and macro.c; function.c finds the rows of the tables in *_function.c;
 * trace.c tells people why.
 */
#ifndef MANAGER_CEL_CEL_H
#define MANAGER_CEL_CEL_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>

enum {
	CEL_LENGTH_MAX = 10 * 1024,	/* bytes of an expression, Kubernetes' limit */
	CEL_COST_MAX = 1000000,		/* CELSelectorExpressionMaxCost, of one evaluation */
};

/*
 * One device, as an expression sees it.  The caller keeps what the members point to for the call.
 * Each may be NULL.
 */
struct cel_device {
	const char *driver;
	const json_t *attributes;	/* of v1: "name" or "domain/name" -> {"string": "x"} */
	const json_t *capacity;		/* the same -> {"value": "10Gi"} */
	bool allow_multiple;
};

struct cel;

/*
 * Compiles an expression, which the caller owns and frees by cel_free().  NULL with ERR_NETCONF:
 * the message says what is wrong, the details say in which line and column.
 */
struct cel *cel_compile(const char *text, struct err *e) must_check;

/*
 * Answers a compiled expression for one device: 1 or 0.  -1 with ERR_NETCONF when the expression
 * fails for this device: an attribute is absent, the result is no bool, it takes too much work.
 */
int cel_matches(const struct cel *c, const struct cel_device *d, struct err *e) must_check;

/*
 * Answers as cel_matches() does, and tells why: *ret becomes a new reference, also when the
 * expression fails.  It is a tree of the terms that were evaluated: {"term": "<its text>",
 * "value": <what it is> or "error": "<why>", "terms": [...]}.  Literals are not among them, nor
 * device.attributes and the like as a whole.  Quantities and versions are strings; a value that is
 * very long ends with "...".
 */
int cel_trace(const struct cel *c, const struct cel_device *d, json_t **ret,
	      struct err *e) must_check;

/* Frees an expression; NULL is accepted. */
void cel_free(struct cel *c);
void cel_free_at(struct cel *const *c);

#define auto_cel auto_with(cel_free_at)

#endif
