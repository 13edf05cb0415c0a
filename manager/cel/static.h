/* SPDX-License-Identifier: Apache-2.0 */
/* static.h - what is known of types before there is a device (struct cel_static) */
#ifndef MANAGER_CEL_STATIC_H
#define MANAGER_CEL_STATIC_H

#include "manager/cel/ast.h"

/* For tables: the type, and nothing known of its elements. */
#define CEL_GIVES(t) { .type = (t), .element = CEL_ANY }

/* For messages: "int", "map", "device"; "dyn" is any. */
const char *cel_static_name(char type);

/*
 * May a value of this type be an operand of that letter (function.h)?  first is the type of
 * the first operand, which '=' stands for.
 */
bool cel_static_takes(char letter, char type, char first);

/* What a map's values are; 0: it is no map. */
char cel_static_value(char type);

/* What all() and the like go over: a list's elements, a map's keys; 0: it is neither. */
char cel_static_element(struct cel_static is);

#endif
