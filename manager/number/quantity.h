/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantity.h - Kubernetes' quantities ("10Gi", "1500m"), exact
 *
 * They are kept in billionths, the smallest that Kubernetes has: what is smaller is rounded up.
 * What does not fit into 128 bits, from 1.7e29 on, is refused; Kubernetes goes on with numbers of
 * any length.
 */
#ifndef MANAGER_NUMBER_QUANTITY_H
#define MANAGER_NUMBER_QUANTITY_H

#include "base/err.h"

#include <stdint.h>

enum { CEL_QUANTITY_TEXT = 48 };	/* bytes of one that is written, with the NUL */

struct quantity {
	__extension__ __int128 nano;
};

/* ERR_NETCONF: it is none, or too large. */
int quantity_parse(const char *text, struct quantity *ret, struct err *e) must_check;

void quantity_set(int64_t whole, struct quantity *ret);

/* ERR_NETCONF: the sum, or the difference, is too large. */
int quantity_add(const struct quantity *a, const struct quantity *b,
		 struct quantity *ret, struct err *e) must_check;
int quantity_sub(const struct quantity *a, const struct quantity *b,
		 struct quantity *ret, struct err *e) must_check;

/* -1, 0, 1: as a is less than b, the same, or greater. */
int quantity_compare(const struct quantity *a, const struct quantity *b);

/* 1, or 0: it has a fraction, or needs more than 64 bits. */
int quantity_integer(const struct quantity *q, int64_t *ret);

double quantity_double(const struct quantity *q);

/* Its decimal digits, without a suffix: "1536", "-0.5". */
void quantity_write(const struct quantity *q, char ret[CEL_QUANTITY_TEXT]);

#endif
