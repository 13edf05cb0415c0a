/* SPDX-License-Identifier: Apache-2.0 */
/* allocated.h - a device that kubelet gave to a pod: its kind, who has it, whether the pod waits */
#ifndef MANAGER_INVENTORY_ALLOCATED_H
#define MANAGER_INVENTORY_ALLOCATED_H

#include "base/deadline.h"
#include "base/host.h"
#include "manager/inventory/inventory.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A device plugin may call its devices as it likes.  So a device is also of a network when
 * something tells it: its device plugin's file, a device-info file, or another device of the same
 * resource, or of a claim's driver.
 */
enum allocated_kind {
	ALLOCATED_NETWORK,
	ALLOCATED_GONE,			/* a PCI address that the node does not have */
	ALLOCATED_OTHER,		/* the node has it, and it is no network device */
	ALLOCATED_UNKNOWN,
};
enum allocated_kind allocated_kind(const struct inventory *inv, const struct inv_allocation *g);

/* The name of a device plugin's file about it, as section 4 of the specification makes it. */
enum { ALLOCATED_FILE = 640 };
void allocated_file_name(const struct inv_allocation *g, char ret[ALLOCATED_FILE]);

/* Was this one given to the pod's container before in the list?  Init containers share theirs. */
bool allocated_is_again(const struct inventory *inv, size_t i);

/* The attachment that has it, of whichever pod; NULL. */
const struct inv_attachment *allocated_holder(const struct inventory *inv,
					      const struct inv_allocation *g);

/*
 * Has an attachment of its pod it?  Of a claim that is unresolved: one whose device kubelet's
 * answer does not have otherwise.
 */
bool allocated_is_attached(const struct inventory *inv, const struct inv_allocation *g);

/*
 * Set in each allocation how long its pod waits for its networks, by the directories that kubelet
 * makes for the logs of pods and containers, and by what the runtime remembers.  When the time is
 * over before all of them are looked at, it is known of none.
 */
void allocated_set_waits(const struct host *host, const struct deadline *until,
			 struct inventory *inv);

#endif
