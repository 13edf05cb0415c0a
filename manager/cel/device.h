/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.h - the device as an expression sees it, and maps
 *
 * Attributes are looked up where they are, in the JSON of the slice.  What has no domain in its
 * name has the driver's.  device.attributes has every domain, as an empty map when the device has
 * no attribute of it; of a domain it has only the names that are there.
 */
#ifndef MANAGER_CEL_DEVICE_H
#define MANAGER_CEL_DEVICE_H

#include "manager/cel/run.h"

/* An attribute, or a capacity, by "domain/name"; NULL: the device has none. */
const json_t *cel_device_get(const struct cel_run *r, bool capacity, const char *domain,
			     const char *key);

/* What it is worth. */
struct cel_value cel_device_value(struct cel_run *r, bool capacity, const json_t *v);

/* `device` itself. */
struct cel_value cel_device_map(void);

bool cel_map_find(struct cel_run *r, const struct cel_map *m, struct cel_value key,
		  struct cel_value *ret);

/* `key in map`: of a domain, whether the device has an attribute of it. */
bool cel_map_has(struct cel_run *r, const struct cel_map *m, struct cel_value key);

/* The same map, as its entries; NULL: r->fatal. */
const struct cel_map *cel_map_list(struct cel_run *r, const struct cel_map *m);

#endif
