/* SPDX-License-Identifier: Apache-2.0 */
/* slice_version.h - objects of resource.k8s.io/v1 in the versions before it */
#ifndef MANAGER_DRA_SLICE_VERSION_H
#define MANAGER_DRA_SLICE_VERSION_H

#include "base/err.h"

#include <jansson.h>

/* "v1", "v1beta2", "v1beta1"; NULL is v1.  0, or -1, ERR_NETCONF. */
int slice_version_check(const char *version, struct err *e) must_check;

/*
 * Change a list of ResourceSlices, DeviceClasses or ResourceClaims with a status from v1 to a
 * version that was checked.  In v1beta1 what a device has is in its "basic".
 */
void slice_version_set(json_t *objects, const char *version);

#endif
