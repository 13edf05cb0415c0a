/* SPDX-License-Identifier: Apache-2.0 */
/* related.h - find the element at a place of an inventory, and what belongs to a device */
#ifndef MANAGER_MATCH_RELATED_H
#define MANAGER_MATCH_RELATED_H

#include "manager/inventory/inventory.h"

#include <stdbool.h>

/* Return the element at a place; NULL for INV_NONE. */
const struct inv_function *related_function(const struct inventory *inv, int place);
const struct inv_link *related_link(const struct inventory *inv, int place);
const struct inv_vf *related_vf(const struct inventory *inv, int place);
const struct inv_attachment *related_attachment(const struct inventory *inv, int place);

/* Return the PF of a VF, or NULL when it is missing; for any other function itself. */
const struct inv_function *related_pf(const struct inventory *inv, const struct inv_function *f);

/*
 * Is an RDMA, vDPA or management device on this one, a function's address or an auxiliary device's
 * name?  What is on an auxiliary device is not the function's.
 */
bool related_rdma_is_on(const struct inv_rdma *r, const char *id);
bool related_vdpa_is_on(const struct inv_vdpa *v, const char *id);
bool related_mgmtdev_is_on(const struct inv_mgmtdev *m, const char *id);

#endif
