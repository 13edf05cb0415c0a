/* SPDX-License-Identifier: Apache-2.0 */
/* double_text.h - doubles as Go reads and writes them (strconv, format 'g' and 'f') */
#ifndef MANAGER_CEL_DOUBLE_TEXT_H
#define MANAGER_CEL_DOUBLE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { CEL_DOUBLE_TEXT = 352 };		/* bytes of one that is written, with the NUL */

/*
 * Reads the whole text: "1.5", "1_000", "0x1p-3", "inf", "NaN".  false: it is none, or too large;
 * *ret is not touched then.
 */
bool cel_double_read(const char *text, double *ret);

/*
 * Writes as few digits as are read back as the same number, from 1e+06 on and below 1e-04 with an
 * exponent: "20", "1.5e-07", "+Inf".  Returns the length.
 */
size_t cel_double_write(double d, char ret[CEL_DOUBLE_TEXT]);

/* Writes as few digits, never with an exponent. */
size_t cel_double_write_plain(double d, char ret[CEL_DOUBLE_TEXT]);

#endif
