/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch.h - a ResourceSlicePatch of KEP-5027: values that an administrator sets for devices instead
 * of their driver
 */
#ifndef MANAGER_DRA_PATCH_H
#define MANAGER_DRA_PATCH_H

#include "base/err.h"
#include "devinfo/manifest/manifest.h"
#include "devinfo/taint/device_filter.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PATCH_VALUES_MAX = 32 };		/* attributes and capacities of a patch, or of a device */

enum patch_what { PATCH_SETS, PATCH_REMOVES, PATCH_UNKNOWN };

/* One attribute or capacity of a patch; borrowed. */
struct patch_value {
	const char *name;		/* "domain/name" */
	json_t *value;			/* as it is in a device; of PATCH_SETS */
	enum patch_what what;		/* PATCH_UNKNOWN: its type is not known; no effect */
	bool is_capacity;
	size_t id;			/* for the reader of patches: see overrides.c */
};

struct patch {
	const char *source, *name;	/* borrowed from the manifest, as are the next three */
	struct device_filter filter;	/* not given, or empty: all devices */
	json_int_t priority;		/* 0 unless said; the highest wins */
	bool has_created;
	int64_t created;		/* seconds; the older wins */
	struct patch_value *values;	/* owned */
	size_t n;
};

/* Is this manifest a patch?  Of any version of resource.k8s.io. */
bool patch_is(const struct manifest *m);

/* ERR_NETCONF names the object and the member.  Release with patch_done(). */
int patch_read(const struct manifest *m, struct patch *ret, struct err *e) must_check;
void patch_done(struct patch *p);

/* Compare two patches by priority, age, name and place: below 0 when a wins. */
int patch_compare(const struct patch *a, const struct patch *b);
/* Do only name or place decide between them? */
bool patch_is_tied(const struct patch *a, const struct patch *b);

#endif
