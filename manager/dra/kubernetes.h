/* SPDX-License-Identifier: Apache-2.0 */
/* kubernetes.h - the version of a cluster, and what clusters of it do with devices */
#ifndef MANAGER_DRA_KUBERNETES_H
#define MANAGER_DRA_KUBERNETES_H

#include "base/err.h"

#include <stdbool.h>

enum {
	KUBERNETES_MINOR_MIN = 32,	/* before it devices had another API */
	KUBERNETES_MINOR_KNOWN = 37,	/* what later ones change is not known here */
	KUBERNETES_PATCH_ANY = -1,	/* "1.36": none was said */
};

/* 1.minor.patch; zeroed: no version was said. */
struct kubernetes {
	int minor, patch;
};

/* What a cluster has unless its administrator says otherwise. */
enum kubernetes_feature {
	KUBERNETES_PARTITIONS,		/* counters that devices share */
	KUBERNETES_TAINTS,		/* of devices */
	KUBERNETES_TAINT_RULES,		/* an administrator's taints; up to 1.34 a part of TAINTS */
	KUBERNETES_EXTENDED_RESOURCES,	/* of classes */
	KUBERNETES_ADMIN_ACCESS,	/* to devices that somebody has */
	KUBERNETES_ALTERNATIVES,	/* of a request, the first that there is */
	KUBERNETES_CONSUMPTION,		/* devices that many claims share by their capacity */
	KUBERNETES_BINDING,		/* conditions that a pod's node waits for */
	KUBERNETES_LISTS,		/* attributes with several values */
	KUBERNETES_NODE_RESOURCES,	/* what a device takes of the node's cpu or memory */
	KUBERNETES_CLAIM_STATUS,	/* what a driver says of a claim's devices */
	KUBERNETES_FEATURES,
};

/*
 * Parse "1.34", "v1.36.2", or what `kubectl version` prints, as "v1.34.1+k3s1": 0, or -1 with
 * ERR_NETCONF.  NULL is no version.
 */
int kubernetes_parse(const char *text, struct kubernetes *ret, struct err *e) must_check;

/*
 * Is it of an earlier version than 1.minor.patch?  One without a patch is of the first one of its
 * minor version; no version is later than all.
 */
bool kubernetes_is_before(const struct kubernetes *k, int minor, int patch);

/* No version has all features. */
bool kubernetes_has(const struct kubernetes *k, enum kubernetes_feature feature);

/* The name of its feature gate. */
const char *kubernetes_gate(enum kubernetes_feature feature);

#endif
