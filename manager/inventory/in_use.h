/* SPDX-License-Identifier: Apache-2.0 */
/* in_use.h - whether a function is in use: by an attachment, a pod, sriov-cni or the host itself */
#ifndef MANAGER_INVENTORY_IN_USE_H
#define MANAGER_INVENTORY_IN_USE_H

#include "base/host.h"
#include "manager/inventory/inventory.h"

#include <stdbool.h>
#include <stddef.h>

/* Has sriov-cni moved it to a namespace that is not known to be gone? */
bool in_use_sriov_cnis(const struct host *host, const struct inventory *inv,
		       const struct inv_function *f);

/*
 * Is it free, with a driver_override that names another driver than its own?  "none" does not
 * count: administrators set it to keep all drivers away.
 */
bool in_use_is_kept(const struct inv_function *f);

/* Has it a network device that is in another network namespace than ours? */
bool in_use_is_away(const struct host *host, const struct inv_function *f);

/*
 * Can an ADD attach a VF that has no known user?  Its member `away` is set already.  If not, *why
 * has the reason.  REACH_USED: an unknown user (another network namespace, an interface or an XDP
 * program on it), which can be another CNI plugin or the host, so it need not be a fault.
 * REACH_USELESS: it has no driver, which counts only when other VFs of its PF have one
 * (sriov_drivers_autoprobe).
 */
enum reach { REACH_YES, REACH_USED, REACH_USELESS };
enum reach in_use_reach(const struct host *host, const struct inventory *inv,
			const struct inv_function *f, char *why, size_t size);

/* Does kubelet run on the node without answering which devices pods have? */
bool in_use_is_unknown(const struct host *host, const struct inventory *inv);

/*
 * Is it in use by anybody?  An attachment counts whether it lives or not, even with an unreadable
 * record; so do a pod by kubelet, and the host.  False only when it is certainly free.
 */
bool in_use_by_anybody(const struct host *host, const struct inventory *inv,
		       const struct inv_function *f);

#endif
