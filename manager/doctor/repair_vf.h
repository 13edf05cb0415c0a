/* SPDX-License-Identifier: Apache-2.0 */
/* repair_vf.h - restore the attributes of a free VF */
#ifndef MANAGER_DOCTOR_REPAIR_VF_H
#define MANAGER_DOCTOR_REPAIR_VF_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"

/*
 * Remove VLAN, rates and trust, and set the link state to auto, except for values that all VFs of
 * its PF have.  The caller holds the device's lock and knows that no attachment of ours has it;
 * sriov-cni's lock is taken here, until *d.  1 done, 0 nothing to do or it is in use, -1.
 */
int repair_vf(const struct host *host, const char *bdf, const struct deadline *d,
	      struct err *e) must_check;

#endif
