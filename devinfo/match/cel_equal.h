/* SPDX-License-Identifier: Apache-2.0 */
/* cel_equal.h - when two values are equal */
#ifndef DEVINFO_MATCH_CEL_EQUAL_H
#define DEVINFO_MATCH_CEL_EQUAL_H

#include "devinfo/match/cel_run.h"

/* As CEL has it: values of two types are not equal, but for numbers. */
bool cel_equal(struct cel_run *r, struct cel_value a, struct cel_value b);

#endif
