/* SPDX-License-Identifier: Apache-2.0 */
/* join_text.h - copy texts from outside into an inventory, and find elements by them */
#ifndef MANAGER_INVENTORY_JOIN_TEXT_H
#define MANAGER_INVENTORY_JOIN_TEXT_H

#include "manager/inventory/inventory.h"

#include <jansson.h>
#include <stddef.h>

/* Copy as much as fits, cut between characters; bytes that are no UTF-8 become '?'.  NULL is "". */
void join_text(char *ret, size_t size, const char *text);
/* Return the message `wrong` without the file name that may precede it; borrowed from wrong. */
const char *join_behind_name(const char *wrong, const char *name);
#define JOIN_TEXT(to, text)	join_text(to, sizeof(to), text)

/*
 * Map the names in a list of n structs, each with its name at `offset`, to places; a new reference.
 * Of equal names the first counts; "" is no name.
 */
json_t *join_map(const void *list, size_t n, size_t size, size_t offset);
#define JOIN_MAP(list, n, type, member) \
	join_map(list, n, sizeof(type), offsetof(type, member))
/* Return the place of a name; INV_NONE when it is not in the map. */
int join_place(const json_t *map, const char *name);

#endif
