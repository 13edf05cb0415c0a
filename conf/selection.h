/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selection.h - the network selection annotation, in which the pod's author selects devices
 *
 * Engines hand the pod's annotations to a plugin that declares the capability
 * "io.kubernetes.cri.pod-annotations".  Of k8s.v1.cni.cncf.io/networks (multi-network
 * specification, section 4.1) we read the elements about this network.  Multus passes the same to
 * its plugins as runtimeConfig.deviceID.
 */
#ifndef CONF_SELECTION_H
#define CONF_SELECTION_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>

/* The capability, and the member of runtimeConfig with all annotations of the pod. */
#define POD_ANNOTATIONS	"io.kubernetes.cri.pod-annotations"

/*
 * Return the annotation's list from runtimeConfig, a new reference; NULL when it is absent, has the
 * short form (names only, which select no device), or is no JSON: the engine that acts on the
 * annotation reports that to the pod's author.
 */
json_t *selection_from_runtime(const json_t *runtime);

/*
 * Return the deviceID of the only element about this network and interface; NULL when there is
 * none, or more than one.  It is borrowed from list, and a valid device id.
 */
const char *selection_device_id(const json_t *list, const char *network, const char *ifname);

/*
 * Get the namespace of the network's definition from the elements about this network and interface;
 * *ret is unchanged when there is none, or they differ.
 */
void selection_namespace(const json_t *list, const char *network, const char *ifname,
			 const char *pod_namespace, char ret[64]);

/* Do several elements match this interface, at least one of them with a deviceID? */
bool selection_is_ambiguous(const json_t *list, const char *network, const char *ifname);

#endif
