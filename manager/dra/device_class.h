/* SPDX-License-Identifier: Apache-2.0 */
/* device_class.h - DeviceClasses for the devices of node_slices.h */
#ifndef MANAGER_DRA_DEVICE_CLASS_H
#define MANAGER_DRA_DEVICE_CLASS_H

#include "manager/dra/kubernetes.h"
#include "manager/match/pool.h"

#include <jansson.h>

/*
 * A list of DeviceClass objects of resource.k8s.io/v1, new reference: one for each pool, by which
 * a pod may also ask for the pool's resource, where the cluster has that; without pools one for all
 * devices of the driver, which has its name.
 */
json_t *device_classes(const char *driver, const struct pools *pools,
		       const struct kubernetes *kubernetes);

#endif
