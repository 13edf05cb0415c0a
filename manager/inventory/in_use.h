/* SPDX-License-Identifier: Apache-2.0 */
/* in_use.h - does anybody have a function: an attachment, a pod, sriov-cni, the host itself */
#ifndef MANAGER_INVENTORY_IN_USE_H
#define MANAGER_INVENTORY_IN_USE_H

#include "base/host.h"
#include "manager/inventory/inventory.h"

#include <stdbool.h>
#include <stddef.h>

/* sriov-cni has given it to a namespace, which is not known to be gone. */
bool in_use_sriov_cnis(const struct host *host, const struct inventory *inv,
		       const struct inv_function *f);

/*
 * Nobody has it, and its driver_override names another driver than its own.  "none" is how an
 * administrator keeps all drivers away.
 */
bool in_use_is_kept(const struct inv_function *f);

/*
 * A VF that nobody is known to have, and that an ADD could not attach as it is: why, in *why.
 * Where somebody uses it whom we do not know (in another network namespace, with an interface or a
 * program of XDP on it) that may well be right: of another CNI plugin, or of the host.  One without
 * a driver is of no use to anybody, but what all VFs of its PF are (sriov_drivers_autoprobe) is the
 * administrator's wish.
 */
enum reach { REACH_YES, REACH_USED, REACH_USELESS };
enum reach in_use_reach(const struct host *host, const struct inventory *inv,
			const struct inv_function *f, char *why, size_t size);

/* kubelet is on the node, and does not say what pods have. */
bool in_use_is_unknown(const struct host *host, const struct inventory *inv);

/*
 * Also an attachment that lives or not, be its record one that cannot be read; a pod by kubelet;
 * the host.  One that is not in use is free beyond doubt.
 */
bool in_use_by_anybody(const struct host *host, const struct inventory *inv,
		       const struct inv_function *f);

#endif
