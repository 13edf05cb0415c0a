/* SPDX-License-Identifier: Apache-2.0 */
/* optional.h - optional values in the middle of an expression (optional_function.c) */
#ifndef MANAGER_CEL_OPTIONAL_H
#define MANAGER_CEL_OPTIONAL_H

#include "manager/cel/device.h"

/* x.or(y), x.orValue(y): does x, which has a value, give *ret before y is evaluated? */
bool cel_optional_decides(const struct cel_node *n, struct cel_value v, struct cel_value *ret);

/*
 * Gives what `of` has for the key, as an optional value: a.?b, a[?b], and everything behind one.
 * What is no map and no list has nothing.
 */
struct cel_value cel_optional_part(struct cel_run *r, struct cel_value of, struct cel_value key);

#endif
