/* SPDX-License-Identifier: Apache-2.0 */
/* health.h - the health of devices, and its reasons */
#ifndef MANAGER_INVENTORY_HEALTH_H
#define MANAGER_INVENTORY_HEALTH_H

#include "base/host.h"
#include "manager/inventory/inventory.h"

/*
 * "ok"; "degraded": it works with a fault (no carrier, corrected errors); "failed": it cannot be
 * used (no driver, for example after a failed reset; a fatal error); "changed": it is free, but its
 * attributes are not a free device's; "vanished": a record or kubelet has it, the node does not.
 */
enum inv_health { HEALTH_OK, HEALTH_DEGRADED, HEALTH_FAILED, HEALTH_CHANGED, HEALTH_VANISHED };

/*
 * Fill changes, away, reach, reach_why, health and health_reason of each function, and the latter
 * two of each auxiliary device; inventory_join() calls it.
 */
void health_judge(const struct host *host, struct inventory *inv);

const char *health_name(enum inv_health h);

#endif
