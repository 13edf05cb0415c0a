/* SPDX-License-Identifier: Apache-2.0 */
/* slice_device.h - one device of the inventory as one of a ResourceSlice */
#ifndef MANAGER_DRA_SLICE_DEVICE_H
#define MANAGER_DRA_SLICE_DEVICE_H

#include "base/err.h"
#include "manager/dra/name.h"
#include "manager/dra/node_slices.h"
#include "manager/inventory/inventory.h"

#include <jansson.h>

/* New references: {"name", "attributes", "taints"}; NULL: the pool's name is no attribute's. */
json_t *slice_device_function(const struct inventory *inv, const struct node_slices_wish *wish,
			      const struct inv_function *f, struct err *e) must_check;
json_t *slice_device_auxiliary(const struct inventory *inv, const struct node_slices_wish *wish,
			       const struct inv_auxiliary *x, struct err *e) must_check;
json_t *slice_device_vdpa(const struct inventory *inv, const struct inv_vdpa *v);

/* The leading number of what a driver calls its version, as a semantic one; false: it has none. */
bool slice_device_version(const char *text, char ret[DRA_VALUE_MAX + 1]);

#endif
