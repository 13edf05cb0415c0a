/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim.h - which device is behind a device of a claim?
 *
 * kubelet tells driver, pool and name, and names of CDI.  What they stand for is found on
 * the node, without the API server, from the first of these that says it:
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
 * 1 with ret->id filled; 0 when nothing says what device it is, as for what is no network device
 * (the rest of *ret is what was found all the same, source NULL).  A file that is torn or damaged
 * is named in ret->tried and the next source looked at.  -1: ERR_INTERRUPTED, ERR_TRY_AGAIN (see
 * cdi_find()), or what is wrong with this node (ERR_IO).
 */
int claim_resolve(const struct host *h, const struct claimed_device *c, const struct deadline *d,
		  struct claim_info *ret, struct err *e) must_check;

#endif
