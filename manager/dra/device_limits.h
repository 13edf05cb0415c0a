/* SPDX-License-Identifier: Apache-2.0 */
/* device_limits.h - what one device of a ResourceSlice may be; of limits.h */
#ifndef MANAGER_DRA_DEVICE_LIMITS_H
#define MANAGER_DRA_DEVICE_LIMITS_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>

/* One of "devices": the nodes of all are in the slice, or each has its own. */
int dra_device_check(const json_t *device, struct err *e) must_check;
int dra_device_with_nodes_check(const json_t *device, struct err *e) must_check;

bool dra_attribute_is_list(const json_t *value);

/* nodeName, nodeSelector and allNodes of a slice or device; how many are there is added to *n. */
int dra_nodes_check(const json_t *o, int *n, struct err *e) must_check;
/* It is absent or true. */
int dra_flag_check(const json_t *o, const char *key, bool *ret, struct err *e) must_check;
/* A capacity of a device that several claims may share, by a requestPolicy; and of others. */
int dra_shared_capacity_check(const json_t *value, struct err *e) must_check;
int dra_own_capacity_check(const json_t *value, struct err *e) must_check;
/* "counters" of a set, or of what a device consumes of one. */
int dra_counters_check(const json_t *o, struct err *e) must_check;

#endif
