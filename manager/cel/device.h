/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.h - the device as an expression sees it, and maps
 *
 * What the variable `device` is, is declared by Kubernetes for selectors of Dynamic Resource
 * Allocation (dynamic-resource-allocation/cel): driver, attributes, capacity and
 * allowMultipleAllocations.  This file and the types of it in ast.h are all that the room knows of
 * that, and it is nothing of this node's: the caller gives a driver's name and the JSON of a slice.
 *
 * Attributes are looked up where they are, in the JSON of the slice.  What has no domain in its
 * name has the driver's.  device.attributes has every domain, as an empty map when the device has
 * no attribute of it; of a domain it has only the names that are there.
 */
#ifndef MANAGER_CEL_DEVICE_H
#define MANAGER_CEL_DEVICE_H

#include "manager/cel/run.h"

/* Looks an attribute, or a capacity, up by "domain/name"; NULL: the device has none. */
const json_t *cel_device_get(const struct cel_run *r, bool capacity, const char *domain,
			     const char *key);

/* Makes a value of what cel_device_get() found. */
struct cel_value cel_device_value(struct cel_run *r, bool capacity, const json_t *v);

/* Gives the value of `device` itself. */
struct cel_value cel_device_map(void);

/* Can the value be a key of a map that is written?  A version and bytes cannot, there neither. */
bool cel_is_key(struct cel_value v);

/* Finds where the very same key is among the entries; m->count: it is not there. */
size_t cel_map_place(struct cel_run *r, const struct cel_map *m, struct cel_value key);

/* Looks a key up in any map, and gives what it has; false: it has no such key. */
bool cel_map_find(struct cel_run *r, const struct cel_map *m, struct cel_value key,
		  struct cel_value *ret);

/* Answers `key in map`: of a domain, whether the device has an attribute of it. */
bool cel_map_has(struct cel_run *r, const struct cel_map *m, struct cel_value key);

/* Makes the same map as a list of its entries; NULL: r->fatal. */
const struct cel_map *cel_map_list(struct cel_run *r, const struct cel_map *m);

#endif
