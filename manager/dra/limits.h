/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.h - the limits of resource.k8s.io/v1 on its objects: names, lengths, counts, one-of
 *
 * The API server refuses what these functions refuse.  Each returns 0, or -1 with ERR_NETCONF: the
 * field, its value, and what is allowed.  Unknown members are ignored: they are schema.h's.
 */
#ifndef MANAGER_DRA_LIMITS_H
#define MANAGER_DRA_LIMITS_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>

enum {
	DRA_DEVICES_MAX = 128,		/* of one slice */
	DRA_DEVICES_MAX_FEW = 64,	/* when one has taints, consumes counters, or has lists */
	DRA_ATTRIBUTES_MAX = 32,	/* and capacities, of a device */
	DRA_VALUES_MAX = 48,		/* of these attributes, each of a list counted */
	DRA_TAINTS_MAX = 16,		/* of a device */
	DRA_CONSUMES_MAX = 2,		/* sets of counters of a device */
	DRA_COUNTER_SETS_MAX = 8,	/* of a slice */
	DRA_COUNTERS_MAX = 32,		/* of a set, and of what a device consumes of one */
	DRA_OPTIONS_MAX = 10,		/* validValues of a capacity */
	DRA_CONDITIONS_MAX = 4,		/* binding conditions of a device */
	DRA_SELECTORS_MAX = 32,		/* of a class or request */
	DRA_EXPRESSION_MAX = 10 * 1024,
	DRA_CONFIG_MAX = 32,		/* of a class or claim */
	DRA_PARAMETERS_MAX = 10 * 1024,	/* bytes of what it tells a driver */
	DRA_REQUESTS_MAX = 32,		/* of a claim, and of what names them */
	DRA_CHOICES_MAX = 8,		/* of firstAvailable */
	DRA_CONSTRAINTS_MAX = 32,
	DRA_RESULTS_MAX = 32,		/* devices of a claim */
	DRA_LABEL_VALUE_MAX = 63,
	DRA_IPS_MAX = 16,		/* of networkData */
	DRA_IFNAME_MAX = 256,
	DRA_HWADDR_MAX = 128,
};

/*
 * A ResourceSlice in the form of v1.  API servers before 1.35 wanted devices and sharedCounters in
 * one slice, which is refused since.
 */
int dra_slice_check(const json_t *doc, struct err *e) must_check;

/* One value of "attributes": exactly one of its types, within its bounds. */
int dra_attribute_check(const json_t *value, struct err *e) must_check;
/* One value of "capacity" or "counters": {"value": a quantity, or nothing, which counts as 0}. */
int dra_capacity_check(const json_t *value, struct err *e) must_check;
/* One of "taints". */
int dra_taint_check(const json_t *taint, struct err *e) must_check;

/* A DeviceClass. */
int dra_class_check(const json_t *doc, struct err *e) must_check;
/* One of "selectors" of a class or request, whose expression is compiled. */
int dra_selector_check(const json_t *v, struct err *e) must_check;
/* A ResourceClaim or ResourceClaimTemplate of any version; flat: as in v1beta1. */
int dra_claim_check(const json_t *doc, bool flat, struct err *e) must_check;
/* Its spec.devices: NULL, borrowed. */
json_t *dra_claim_devices(const json_t *doc);
/* A DeviceTaintRule. */
int dra_rule_check(const json_t *doc, struct err *e) must_check;
/* One of "config" of a DeviceClass or claim. */
int dra_config_check(const json_t *config, struct err *e) must_check;
/* One of a ResourceClaim's "status.devices". */
int dra_status_check(const json_t *device, struct err *e) must_check;

#endif
