/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.h - find the devices that a claim would get on this node
 *
 * A dry run of what the scheduler does for one node: the first set of devices, in the order of
 * drivers, pools, slices and devices, that meets the requests of all claims at once, as if they
 * were of one pod.  Nothing is allocated.
 */
#ifndef MANAGER_DRA_SELECT_H
#define MANAGER_DRA_SELECT_H

#include "base/deadline.h"
#include "base/err.h"
#include "devinfo/manifest/manifest.h"
#include "manager/dra/kubernetes.h"
#include "manager/dra/slice.h"
#include "manager/inventory/inventory.h"

#include <jansson.h>
#include <stdbool.h>

struct select_question {
	/*
	 * ResourceClaims and ResourceClaimTemplates; the DeviceClasses that they name.  A claim
	 * with a status.allocation is not selected for: its devices are taken.
	 */
	const struct manifests *manifests;
	const struct dra_devices *devices;
	const struct dra_devices *unruled;	/* without rules of v1beta2; NULL: the same */
	const struct kubernetes *kubernetes;	/* whose scheduler; NULL: one without faults */
	const char *node;		/* its name in the cluster; those of others do not count */
	json_t *taken;			/* select_taken()'s, or NULL */
	bool why;			/* also add the trace of each selector */
	const struct deadline *until;	/* then the partial answer is given; NULL: no end */
};

/*
 * The answer, new reference in *ret:
 *
 *	{"claims": [{"claim": "NAMESPACE/NAME", "source": "claim.yaml",
 *		     "satisfied": true, "reason": "",	why not
 *		     "status": {"allocation": ...},	as the API has it, where satisfied
 *		     "requests": [{"request": "r/sub", "class": "vf", "reason": "",
 *				   "devices": [{"driver", "pool", "device", "taken": true,
 *						"reason": "", "why": [{"selector", "trace"}]}]}]}],
 *	 "notes": ["what cannot be told here"],
 *	 "otherwise": {"faults": ["..."], "claims": [{"claim", "satisfied", "reason", "status"}]}}
 *
 * "otherwise" is there where the version that is asked for is known to decide by a fault, and has
 * what would be right.
 *
 * 1 when all are satisfied, 0 when not.  -1: the manifests cannot be understood, or there is no
 * claim among them.
 */
int select_devices(const struct select_question *q, json_t **ret, struct err *e) must_check;

/*
 * Find the devices that pods have already, by kubelet's allocations: "driver/pool/device" -> "pod
 * NAMESPACE/NAME".  New reference.
 */
json_t *select_taken(const struct inventory *inv, const struct dra_devices *devices);

#endif
