/* SPDX-License-Identifier: Apache-2.0 */
/* equal.h - when two values are equal */
#ifndef MANAGER_CEL_EQUAL_H
#define MANAGER_CEL_EQUAL_H

#include "manager/cel/run.h"

/* As CEL has it: values of two types are not equal, but for numbers. */
bool cel_equal(struct cel_run *r, struct cel_value a, struct cel_value b);

#endif
