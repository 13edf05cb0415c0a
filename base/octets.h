/* SPDX-License-Identifier: Apache-2.0 */
/* octets.h - bytes as hexadecimal digits, two each, with or without a separator between */
#ifndef BASE_OCTETS_H
#define BASE_OCTETS_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>

/* sep: one character, or '\0' for none.  Lower case; ret has room for 2n + 1, with one 3n. */
void octets_format(const void *octets, size_t n, char sep, char *ret);
/* Parse exactly n octets in digits of either case, nothing else; on false ret is unchanged. */
bool octets_parse(const char *text, char sep, void *ret, size_t n) must_check;

#endif
