/* SPDX-License-Identifier: Apache-2.0 */
/* join_text.h - texts of others in an inventory, and what is found by them */
#ifndef MANAGER_INVENTORY_JOIN_TEXT_H
#define MANAGER_INVENTORY_JOIN_TEXT_H

#include "manager/inventory/inventory.h"

#include <jansson.h>
#include <stddef.h>

/* Copy as much as fits, cut between characters; what is no UTF-8 becomes '?'.  NULL is "". */
void join_text(char *ret, size_t size, const char *text);
/* What is wrong with a file, without its name, which may be in front of it: a part of the text. */
const char *join_behind_name(const char *wrong, const char *name);
#define JOIN_TEXT(to, text)	join_text(to, sizeof(to), text)

/*
 * Which place in a list has what is called so: a map, new reference, of a list of n structs that
 * have their name at an offset; of equal names the first.  "" is no name.
 */
json_t *join_map(const void *list, size_t n, size_t size, size_t offset);
#define JOIN_MAP(list, n, type, member) \
	join_map(list, n, sizeof(type), offsetof(type, member))
/* INV_NONE when it is not in the map. */
int join_place(const json_t *map, const char *name);

#endif
