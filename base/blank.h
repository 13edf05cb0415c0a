/* SPDX-License-Identifier: Apache-2.0 */
/* blank.h - blanks as Unicode has them, White_Space, which Go's TrimSpace and CEL's trim cut */
#ifndef BASE_BLANK_H
#define BASE_BLANK_H

#include "base/attr.h"

#include <stddef.h>

/* How many bytes the blank has with which this text in UTF-8 begins; 0: it begins with none. */
size_t blank_length(const char *s) must_check;

/* Cuts blanks off both ends of a text, which is changed; returns where it begins now. */
char *blank_trim(char *s) must_check;

#endif
