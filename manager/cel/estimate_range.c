/* SPDX-License-Identifier: Apache-2.0 */
/* estimate_range.c - sums and products of what may be without a bound (estimate.h) */
#include "manager/cel/estimate.h"

uint64_t cel_range_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t cel_range_multiply(uint64_t a, uint64_t b)
{
	return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

uint64_t cel_range_round_up(double d)
{
	uint64_t whole = d >= 0x1p64 ? UINT64_MAX : (uint64_t)d;

	return whole + ((double)whole < d && whole < UINT64_MAX);
}

uint64_t cel_range_scale(uint64_t a, double factor)
{
	return cel_range_round_up((double)a * factor);
}

struct cel_range cel_range_union(struct cel_range a, struct cel_range b)
{
	return (struct cel_range){ a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max };
}

struct cel_range cel_size_of(const struct cel_estimated *e)
{
	return e->is_sized ? e->size : (struct cel_range){ 0, UINT64_MAX };
}
