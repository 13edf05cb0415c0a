/* SPDX-License-Identifier: Apache-2.0 */
/* vf_change.h - the attributes of a free VF that differ from a free VF's defaults */
#ifndef MANAGER_INVENTORY_VF_CHANGE_H
#define MANAGER_INVENTORY_VF_CHANGE_H

#include "base/host.h"
#include "manager/inventory/inventory.h"

/* Find the values that all VFs of a PF have; call it before vf_change_tell(). */
void vf_change_compare(struct inventory *inv);

/*
 * Describe the differences of a function: "vlan 100 qos 0, trust on"; "" when there are none, it
 * may be in use, or it is no VF in its PF's list.
 */
void vf_change_tell(const struct host *host, const struct inventory *inv, int function, char *ret,
		    size_t size);

#endif
