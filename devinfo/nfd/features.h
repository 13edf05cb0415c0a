/* SPDX-License-Identifier: Apache-2.0 */
/*
 * features.h - what Node Feature Discovery would know of this node
 *
 * The room devinfo/nfd/ speaks Node Feature Discovery: it tells it of the node's devices in the files
 * and objects that it reads, and evaluates rules as it does.  It changes nothing but the one feature
 * file of ours.
 *
 * Features have the form of spec.features of a NodeFeature object (nfd.k8s-sigs.io/v1alpha1):
 *
 *	{ "flags":      { "kernel.loadedmodule": { "elements": { "igb": {} } } },
 *	  "attributes": { "kernel.version": { "elements": { "major": "6" } } },
 *	  "instances":  { "pci.device": { "elements": [ { "attributes": { "vendor": "15b3" } } ] } } }
 *
 * Values are texts.
 */
#ifndef DEVINFO_NFD_FEATURES_H
#define DEVINFO_NFD_FEATURES_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/inventory/inventory.h"

#include <jansson.h>

/*
 * The features of a node: network, pci, kernel and system as NFD has them, and ours of its devices.
 * New reference; NULL with *e filled.
 */
json_t *nfd_features(const struct host *host, const struct inventory *inv,
		     struct err *e) must_check;

#endif
