/* SPDX-License-Identifier: Apache-2.0 */
/* repair.h - apply a safe remedy by the plugin's own code */
#ifndef MANAGER_DOCTOR_REPAIR_H
#define MANAGER_DOCTOR_REPAIR_H

#include "base/err.h"
#include "base/host.h"
#include "manager/doctor/finding.h"

/* Does repair have a remedy for this finding? */
bool repair_can(const struct finding *f);

/*
 * Apply the remedy, after checking the finding again under the plugin's locks: 1 done, 0 the
 * problem is gone, -1.  It can be killed at any point and called again.
 */
int repair_carry_out(const struct host *host, const struct finding *f, struct err *e) must_check;

#endif
