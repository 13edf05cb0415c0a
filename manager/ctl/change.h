/* SPDX-License-Identifier: Apache-2.0 */
/* change.h - what devinfod tells of a device, as a row */
#ifndef MANAGER_CTL_CHANGE_H
#define MANAGER_CTL_CHANGE_H

#include "manager/report/report.h"

#include <jansson.h>
#include <stdint.h>

/*
 * A row: change ("listed", "changed", "gone"), at, resource, device, health, why, since, and who
 * has it.  Of a device with since_ms 0 nothing is known but what it is called.
 */
json_t *ctl_change_row(const char *change, int64_t at_ms, const struct report_device *d);

#endif
