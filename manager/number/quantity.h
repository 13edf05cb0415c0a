/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantity.h - Kubernetes' quantities ("10Gi", "1500m"), exact
 *
 * The room manager/number/ reads, compares and writes the two kinds of numbers that devices of
 * Kubernetes have: quantities (this header) and versions (semver.h).
 *
 * What it follows: the serialization format that apimachinery's pkg/api/resource, type Quantity,
 * states.  A quantity is kept in billionths, the smallest that Kubernetes has, and what is smaller
 * is rounded up, away from zero; one with a binary suffix is capped at 2^63-1.
 *
 * What is not there: what does not fit into 128 bits, from 1.7e29 on, is refused, where Kubernetes
 * goes on with numbers of any length.  The suffix that a quantity was written with is not kept, but
 * how Kubernetes keeps the number, which decides what it calls an integer.  NOTES.md has each
 * difference.
 *
 * The room includes base/ alone.  Its functions allocate nothing and keep nothing: a struct
 * quantity is a value, to be copied and forgotten.  Whatever fails leaves *ret untouched.
 */
#ifndef MANAGER_NUMBER_QUANTITY_H
#define MANAGER_NUMBER_QUANTITY_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { QUANTITY_TEXT = 48 };		/* bytes of one that is written, with the NUL */

__extension__ typedef __int128 quantity_int;

/*
 * Kubernetes keeps a quantity as an int64 times a power of ten, or, where it was written with a
 * fraction and a binary suffix or with many digits, as a decimal number of any length.
 */
struct quantity {
	quantity_int nano;
	int16_t scale;			/* the power of ten; of a decimal number nothing */
	bool is_decimal;
};

/* Reads the whole text as one quantity.  ERR_NETCONF: it is none, or too large. */
int quantity_parse(const char *text, struct quantity *ret, struct err *e) must_check;

/* Makes the quantity of a whole number. */
void quantity_set(int64_t whole, struct quantity *ret);

/* Add b to a, or subtract it.  ERR_NETCONF: the result is too large. */
int quantity_add(const struct quantity *a, const struct quantity *b,
		 struct quantity *ret, struct err *e) must_check;
int quantity_sub(const struct quantity *a, const struct quantity *b,
		 struct quantity *ret, struct err *e) must_check;

/* Compares by what both are worth: -1, 0, 1 as a is less than b, the same, or greater. */
int quantity_compare(const struct quantity *a, const struct quantity *b);

/*
 * Gives a whole number: 1.  0: the quantity is none to Kubernetes, which asks how it is kept: it
 * has a fraction, also one of zeros ("1.0", "1000m"), needs more than 64 bits, or is a decimal
 * number.
 */
int quantity_integer(const struct quantity *q, int64_t *ret);

/*
 * Gives how much it is in whole numbers, rounded up, away from zero.  The largest quantity becomes
 * more than a quantity holds.
 */
quantity_int quantity_whole(const struct quantity *q);

/* Makes the quantity of so much.  ERR_NETCONF: it is too large. */
int quantity_from_whole(quantity_int whole, struct quantity *ret, struct err *e) must_check;

/* Gives the nearest double. */
double quantity_double(const struct quantity *q);

/* Writes a quantity's decimal digits, without a suffix: "1536", "-0.5". */
void quantity_write(const struct quantity *q, char ret[QUANTITY_TEXT]);

#endif
