/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selection.h - what the pod's author asked for: the network selection annotation
 *
 * Engines hand the pod's annotations to a plugin that declares the capability
 * "io.kubernetes.cri.pod-annotations".  Of k8s.v1.cni.cncf.io/networks (multi-network
 * specification, section 4.1) we read the elements about this network.  Multus tells
 * its plugins the same by runtimeConfig.deviceID.
 */
#ifndef CONF_SELECTION_H
#define CONF_SELECTION_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>

/* The capability, and the member of runtimeConfig with all annotations of the pod. */
#define POD_ANNOTATIONS	"io.kubernetes.cri.pod-annotations"

/*
 * The annotation's list, new reference, from runtimeConfig; NULL when it is absent, has the short
 * form (names only, which ask for nothing), or is no JSON: that is for the pod's author and the
 * one who acts on it.
 */
json_t *selection_from_runtime(const json_t *runtime);

/*
 * The deviceID asked for by the one element that is about this network and interface; NULL when
 * there is none, or more than one.  Borrowed from list, and a valid device id.
 */
const char *selection_device_id(const json_t *list, const char *network, const char *ifname);

/*
 * The namespace of the definition, by what each element that is about this network and interface
 * says: *ret stays as it was when there is none, or they differ.
 */
void selection_namespace(const json_t *list, const char *network, const char *ifname,
			 const char *pod_namespace, char ret[64]);

/* Is there a deviceID among several elements of which each may be about this interface? */
bool selection_is_ambiguous(const json_t *list, const char *network, const char *ifname);

#endif
