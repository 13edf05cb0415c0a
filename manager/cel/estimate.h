/* SPDX-License-Identifier: Apache-2.0 */
/*
 * estimate.h - what an expression may cost at most, before there is a device
 *
 * The API server refuses a selector by this estimate, not by what it costs in the end.  It is that
 * of cel-go (checker/cost.go, ext) with Kubernetes' own functions (apiserver/pkg/cel/library) and
 * sizes of a device (dynamic-resource-allocation/cel), in the same steps: sums and products stop at
 * UINT64_MAX, a tenth is rounded up.
 */
#ifndef MANAGER_CEL_ESTIMATE_H
#define MANAGER_CEL_ESTIMATE_H

#include "manager/cel/function.h"

/* How large a value may be: characters of a string, elements, entries; 1 for one of fixed size. */
struct cel_range {
	uint64_t min, max;
};

/* A part of the device, and how large it may be. */
struct cel_shape {
	uint64_t max;
	const struct cel_shape *keys, *values;
	bool has_any_field;			/* a.b is one of the values, too */
};

struct cel_estimated {
	const struct cel_node *node;
	uint64_t cost;
	bool is_sized;
	char holds;				/* CEL_LIST, CEL_MAP: keys, values are known; 0 */
	struct cel_range size, keys, values;
	const struct cel_shape *shape;		/* NULL: it is no part of the device */
};

/* -- estimate_range.c -- */

uint64_t cel_range_add(uint64_t a, uint64_t b);
uint64_t cel_range_multiply(uint64_t a, uint64_t b);

/* The least whole number that is not below d, at most UINT64_MAX. */
uint64_t cel_range_round_up(double d);

/* Rounds up. */
uint64_t cel_range_scale(uint64_t a, double factor);

/* Gives one that holds both. */
struct cel_range cel_range_union(struct cel_range a, struct cel_range b);

/* How large it may be; 0 to UINT64_MAX where nothing is known. */
struct cel_range cel_size_of(const struct cel_estimated *e);

/* Adds to *ret what calling the function costs, and how large the result is (estimate_call.c). */
void cel_estimate_call(const struct cel_function *f, const struct cel_node *n,
		       const struct cel_estimated *operands, struct cel_estimated *ret);

#endif
