/* SPDX-License-Identifier: Apache-2.0 */
/* repair_vf.h - the attributes of a VF that nobody has */
#ifndef MANAGER_DOCTOR_REPAIR_VF_H
#define MANAGER_DOCTOR_REPAIR_VF_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"

/*
 * Give it no VLAN, no rates, no trust, and the link state auto, but for what all VFs of its PF
 * have.  The caller holds the device's lock and knows that no attachment of ours has it;
 * sriov-cni's lock is taken here, for so long at most.  1 done, 0 it is so already or somebody uses
 * it, -1.
 */
int repair_vf(const struct host *host, const char *bdf, const struct deadline *d,
	      struct err *e) must_check;

#endif
