/* SPDX-License-Identifier: Apache-2.0 */
/* slice_version.h - objects of resource.k8s.io/v1 in the versions before it */
#ifndef MANAGER_DRA_SLICE_VERSION_H
#define MANAGER_DRA_SLICE_VERSION_H

#include "base/err.h"
#include "manager/dra/kubernetes.h"

#include <jansson.h>

/*
 * The version of the API for a cluster: "v1", "v1beta2", "v1beta1"; NULL is the newest that the
 * cluster has, which is set.  0, or -1, ERR_NETCONF: it is none, or none of the cluster.
 */
int slice_version_choose(const char **version, const struct kubernetes *k,
			 struct err *e) must_check;

/*
 * Change a list of ResourceSlices, DeviceClasses or ResourceClaims with a status from v1 to a
 * version that was chosen.  In v1beta1 what a device has is in its "basic".
 */
void slice_version_set(json_t *objects, const char *version);

#endif
