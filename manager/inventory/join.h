/* SPDX-License-Identifier: Apache-2.0 */
/* join.h - the parts of inventory_join(), each of which adds to what is there */
#ifndef MANAGER_INVENTORY_JOIN_H
#define MANAGER_INVENTORY_JOIN_H

#include "base/err.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"

#include <jansson.h>

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

/* The pods of attachments whose record does not tell it, by the ledger. */
int join_pods(const struct host *host, struct inventory *inv, struct err *e) must_check;

/* Files in dp/ and cni/, and which attachments have an entry in a network-status. */
int join_files(const struct host *host, struct inventory *inv, struct err *e) must_check;

/* PCI functions that only others know; before places are kept anywhere, for it moves them all. */
int join_vanished(const struct host *host, struct inventory *inv, struct err *e) must_check;

/* Who has what: holder of the devices, function of the attachments, what sriov-cni gave away. */
int join_holders(const struct host *host, struct inventory *inv, struct err *e) must_check;

/* Is this the device of an attachment, by either of its names? */
bool join_has_device(const struct inv_attachment *a, const char *id);

#endif
