/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cel.h - the part of the Common Expression Language in which devices of Dynamic Resource
 * Allocation are selected
 *
 *	device.driver == "dra.example.com" && device.attributes["dra.example.com"].numa_node < 2
 *
 * `device` is what a DeviceClass, a claim and a ResourceSlicePatch select by (resource.k8s.io/v1,
 * CELDeviceSelector).  What is not in this part is refused when the expression is compiled, with
 * line and column.
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

/* One device, as an expression sees it; borrowed.  Each may be NULL. */
struct cel_device {
	const char *driver;
	const json_t *attributes;	/* of v1: "name" or "domain/name" -> {"string": "x"} */
	const json_t *capacity;		/* the same -> {"value": "10Gi"} */
	bool allow_multiple;
};

struct cel;

/* NULL with ERR_NETCONF: what is wrong; the details have line and column.  Free by cel_free(). */
struct cel *cel_compile(const char *text, struct err *e) must_check;

/*
 * 1, 0, or -1: it fails for this device (an attribute that is not there, a result that is no bool,
 * too much work).  One that was compiled may be used for any number of devices.
 */
int cel_matches(const struct cel *c, const struct cel_device *d, struct err *e) must_check;

/*
 * The same, and why: a new reference in *ret, also when it fails.  A tree of the terms that were
 * evaluated: {"term": "<its text>", "value": <what it is> or "error": "<why>", "terms": [...]}.
 * Literals are not among them, nor device.attributes and the like as a whole.  Quantities and
 * versions are strings; what is very long ends with "...".
 */
int cel_trace(const struct cel *c, const struct cel_device *d, json_t **ret,
	      struct err *e) must_check;

void cel_free(struct cel *c);
void cel_free_at(struct cel *const *c);

#define auto_cel auto_with(cel_free_at)

#endif
