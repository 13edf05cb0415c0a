/* SPDX-License-Identifier: Apache-2.0 */
/* repair.h - carry a safe remedy out, by the plugin's own code */
#ifndef MANAGER_DOCTOR_REPAIR_H
#define MANAGER_DOCTOR_REPAIR_H

#include "base/err.h"
#include "base/host.h"
#include "manager/doctor/finding.h"

/* Whether repair does something about it at all. */
bool repair_can(const struct finding *f);

/*
 * Carry it out, after looking once more whether it still is so, under the locks that the plugin
 * takes: 1 done, 0 it is not so any more, -1.  May be killed at any point and be called again.
 */
int repair_carry_out(const struct host *host, const struct finding *f, struct err *e) must_check;

#endif
