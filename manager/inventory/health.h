/* SPDX-License-Identifier: Apache-2.0 */
/* health.h - is a device well, and if not, why */
#ifndef MANAGER_INVENTORY_HEALTH_H
#define MANAGER_INVENTORY_HEALTH_H

#include "base/host.h"
#include "manager/inventory/inventory.h"

/*
 * "ok"; "degraded": it works, and something is not as it should be (no carrier, errors that were
 * corrected); "failed": it cannot be used (no driver, as after a reset that failed; a fatal error);
 * "changed": nobody has it, and it is not as a free device is; "vanished": a record or kubelet
 * knows it, the node does not have it.
 */
enum inv_health { HEALTH_OK, HEALTH_DEGRADED, HEALTH_FAILED, HEALTH_CHANGED, HEALTH_VANISHED };

/*
 * Fill changes, health and health_reason of each function, and the latter two of each auxiliary
 * device; inventory_join() calls it.
 */
void health_judge(const struct host *host, struct inventory *inv);

const char *health_name(enum inv_health h);

#endif
