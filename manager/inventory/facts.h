/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts.h - what a recorded tree says in place of the sockets of a node
 *
 * INVENTORY_FACTS is one object:
 *
 *	{ "node": {...}, "functions": [{...}], "links": [...], "vfs": [...], "vdpas": [...],
 *	  "rdmas": [...], "mgmtdevs": [...], "attachments": [...], "allocations": [...] }
 *
 * in the form of the tables inv_..._fields, all of it optional.  A function, link or vDPA device is
 * what the tree's sysfs says, and over that what is said here of the same bdf or name; one that
 * sysfs does not have is added.
 */
#ifndef MANAGER_INVENTORY_FACTS_H
#define MANAGER_INVENTORY_FACTS_H

#include "base/err.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"

#include <jansson.h>
#include <stdbool.h>

/* host->facts, or else the tree's file: 1 with a new reference, 0 when there is none, -1. */
int facts_read(const struct host *host, json_t **ret, struct err *e) must_check;

/* Is this the machine that we run on: the root is "/", and has no such file?  1, 0, -1. */
int facts_is_live(const struct host *host, struct err *e) must_check;

/* One list of an inventory, for facts. */
struct facts_list {
	const char *what;		/* "links": the member of the facts */
	const struct fields *fields;
	size_t list, n, size;		/* where it is in struct inventory, and of an element */
	/* Place of what is called so, in the sorted list; NULL: each one is new. */
	int (*find)(const struct inventory *inv, const char *name);
	const char *key;		/* the member that `find` goes by */
	/* What is written: these members, up to NULL; or all of them. */
	const char *const *members;
};

#define FACTS_LIST(of, table)								\
	.what = #of, .fields = &(table), .list = offsetof(struct inventory, of),	\
	.n = offsetof(struct inventory, n_##of), .size = sizeof(*((struct inventory *)NULL)->of)

/*
 * Fill one from its array: each of the objects is read over the element of its name, or over a new
 * one at the end: the list is to be sorted again.
 */
int facts_fill(const json_t *facts, const struct facts_list *l, struct inventory *inv,
	       struct err *e) must_check;

/*
 * The facts of an inventory, new reference: what sysfs does not say.  Attachments and allocations
 * are in it as far as they were joined and asked for.  NULL when what the node says of itself is no
 * UTF-8.
 */
json_t *inventory_facts(const struct inventory *inv, struct err *e) must_check;

/* What sysfs does not say of the devices, from a recorded tree's facts. */
int facts_read_devices(const json_t *facts, struct inventory *inv, struct err *e) must_check;

#endif
