/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim.h - find the host's device of a claim's device
 *
 * kubelet reports driver, pool and name, and CDI names.  The device is found on the node, without
 * the API server, from the first of these sources that has it:
 *
 *	1. the driver's metadata file (KEP-5304), see metadata.h
 *	2. an environment variable of a CDI specification, see cdi.h
 *	3. the device's name itself, if it is a PCI address spelled dddd-bb-dd-f
 */
#ifndef DEVINFO_KUBELET_CLAIM_H
#define DEVINFO_KUBELET_CLAIM_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "devinfo/kubelet/allocation.h"
#include "devinfo/kubelet/claim_info.h"

/*
 * Resolve a claim's device: 1 with ret->id filled; 0 when no source has it, as for other than
 * network devices (the rest of *ret is filled as far as found, source NULL).  A truncated or
 * damaged file is named in ret->tried, and the next source is read. -1: ERR_INTERRUPTED,
 * ERR_TRY_AGAIN (see cdi_find()), or ERR_IO for an error of this node.
 */
int claim_resolve(const struct host *h, const struct claimed_device *c, const struct deadline *d,
		  struct claim_info *ret, struct err *e) must_check;

#endif
