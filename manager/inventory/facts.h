/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts.h - INVENTORY_FACTS, the file of a recorded node in place of its sockets
 *
 * INVENTORY_FACTS is one object:
 *
 *	{ "node": {...}, "functions": [{...}], "links": [...], "vfs": [...], "vdpas": [...],
 *	  "rdmas": [...], "mgmtdevs": [...], "attachments": [...], "allocations": [...] }
 *
 * in the form of the tables inv_..._fields, all of it optional.  A function, link or vDPA device is
 * read from the tree's sysfs; then members here with the same bdf or name replace those, and one
 * that sysfs does not have is added.
 */
#ifndef MANAGER_INVENTORY_FACTS_H
#define MANAGER_INVENTORY_FACTS_H

#include "base/err.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"

#include <jansson.h>
#include <stdbool.h>

/*
 * Get host->facts, or else read the tree's file: 1 with a new reference, 0 when there is none, -1.
 */
int facts_read(const struct host *host, json_t **ret, struct err *e) must_check;

/* Is this the machine that we run on: the root is "/", and has no such file?  1, 0, -1. */
int facts_is_live(const struct host *host, struct err *e) must_check;

/* How one list of an inventory is read from and written to facts. */
struct facts_list {
	const char *what;		/* "links": the member of the facts */
	const struct fields *fields;
	size_t list, n, size;		/* where it is in struct inventory, and of an element */
	/* Returns the place of this name in the sorted list; NULL: each element is new. */
	int (*find)(const struct inventory *inv, const char *name);
	const char *key;		/* the member that `find` goes by */
	/* The members that are written, up to NULL; NULL: all of them. */
	const char *const *members;
};

#define FACTS_LIST(of, table)								\
	.what = #of, .fields = &(table), .list = offsetof(struct inventory, of),	\
	.n = offsetof(struct inventory, n_##of), .size = sizeof(*((struct inventory *)NULL)->of)

/*
 * Fill a list from its array: each object is read into the element of its name, or into a new one
 * at the end.  The caller sorts the list again.
 */
int facts_fill(const json_t *facts, const struct facts_list *l, struct inventory *inv,
	       struct err *e) must_check;

/*
 * Return the facts of an inventory, which sysfs does not have, as a new reference.  Attachments and
 * allocations are in it if they were read before.  NULL with *e when a text is no UTF-8.
 */
json_t *inventory_facts(const struct inventory *inv, struct err *e) must_check;

/* Add to the devices what a recorded node's facts have and sysfs does not. */
int facts_read_devices(const json_t *facts, struct inventory *inv, struct err *e) must_check;

#endif
