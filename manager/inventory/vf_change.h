/* SPDX-License-Identifier: Apache-2.0 */
/* vf_change.h - what of a VF that nobody has is not as a free one's */
#ifndef MANAGER_INVENTORY_VF_CHANGE_H
#define MANAGER_INVENTORY_VF_CHANGE_H

#include "base/host.h"
#include "manager/inventory/inventory.h"

/* Find what all VFs of a PF have, before what is asked below. */
void vf_change_compare(struct inventory *inv);

/*
 * Of a function: "vlan 100 qos 0, trust on"; "" when all is as it should be, when somebody may have
 * it, or it is no VF whose PF shows it.
 */
void vf_change_tell(const struct host *host, const struct inventory *inv, int function, char *ret,
		    size_t size);

#endif
