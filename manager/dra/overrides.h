/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overrides.h - apply administrators' overrides to the devices that drivers publish
 *
 * ResourceSlicePatches (KEP-5027) set, add and remove attributes and capacities, DeviceTaintRules
 * add taints, DeviceClasses say which devices some of both are about.  The slices themselves are
 * not changed: overrides are only in the reader's list of devices.  Of several patches of one key
 * the highest priority wins, then age, then name; each looks at a device as its driver published
 * it, so the result does not depend on their order.
 *
 * An invalid one is not applied and becomes a finding; the others are applied all the same.
 */
#ifndef MANAGER_DRA_OVERRIDES_H
#define MANAGER_DRA_OVERRIDES_H

#include "base/err.h"
#include "devinfo/manifest/manifest.h"
#include "devinfo/taint/taint_rule.h"
#include "manager/dra/override_condition.h"
#include "manager/dra/patch.h"
#include "manager/dra/slice.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { OVERRIDE_FINDINGS_MAX = 1000 };	/* what is beyond is counted */

struct override_finding {
	bool is_fault;			/* something is not applied; else a warning */
	char object[160];		/* "ResourceSlicePatch numa of a.yaml"; "": no single one */
	char device[80];		/* the first of those that it is about; "": all, or none */
	size_t devices;			/* how many those are */
	char text[400];
	const void *about[2];		/* what makes it the same finding for the next device */
};

/* An override, and which devices it is about. */
struct override_rule {
	const struct patch *patch;	/* one of both */
	const struct taint_rule *taint;
	struct override_condition condition;
};

struct overrides {
	struct manifests from;		/* owned; the rest borrows from it */
	struct patch *patches;		/* owned; those that could be read, in order */
	struct taint_rule *taints;	/* owned; likewise, in their order */
	struct override_classes classes;
	struct override_rule *rules;	/* owned; those that can be applied: patches, then taints */
	size_t n_patches, n_taints, n_rules;
	size_t n_keys;			/* different names in all patches */
	struct override_finding *findings;	/* owned */
	size_t n_findings, more_findings;
};

/* One member of one device that an override changes. */
struct override_change {
	enum { OVERRIDE_ATTRIBUTE, OVERRIDE_CAPACITY, OVERRIDE_TAINT } what;
	const char *name;		/* as the device has it; of a taint its key */
	const json_t *before, *after;	/* NULL: not there; both: nothing to remove */
	const struct override_rule *by;
	const struct patch *beaten;	/* the first other one that set it; NULL */
	size_t n_beaten;
};

/* All changes of each device, in the order of the devices. */
struct override_changes {
	struct override_of_device {
		struct override_change *list;	/* owned */
		size_t n;
	} *devices;			/* owned */
	size_t n;
};

/* What is wrong with a file; for manifests_read_dir(), arg being the overrides. */
void overrides_bad_file(const struct err *why, void *arg);

/*
 * Make overrides of ret->from, which the caller has filled.  -1 only where there is no memory.
 * Release with overrides_done(), also after an error.
 */
int overrides_compile(struct overrides *ret, struct err *e) must_check;

/*
 * Apply them to the devices, once: a changed device gets an object of its own that shares unchanged
 * members.  The changes refer to o and to the slices of d.  Findings go to o.
 */
int overrides_apply(struct overrides *o, struct dra_devices *d, struct override_changes *ret,
		    struct err *e) must_check;

/*
 * Return the origin of each value of a device, a new reference: {"name": ..., "driver": ...,
 * "pool": ..., "attributes": [{"name", "value", "origin": "published" or "ResourceSlicePatch X",
 * and of the latter "source", "priority", "replaces", "beats"}], "capacity": [...], "taints":
 * [...], "removed": [...]}.
 */
json_t *overrides_explain(const struct dra_device *d, const struct override_of_device *changes);

/* The findings as rows, new reference: {"severity", "object", "device", "devices", "text"}. */
json_t *overrides_findings(const struct overrides *o);

/*
 * The devices without the taints that DeviceTaintRules of this version of the API add: 1; 0 where
 * there are no such rules; -1.  ret borrows the slices of d; overrides_unseen_done() releases it.
 */
int overrides_unseen(const struct overrides *o, const struct dra_devices *d,
		     const struct override_changes *changes, const char *api_version,
		     struct dra_devices *ret, struct err *e) must_check;
void overrides_unseen_done(struct dra_devices *d);

void overrides_done(struct overrides *o);
void override_changes_done(struct override_changes *c);

#define auto_overrides auto_with(overrides_done)
#define auto_override_changes auto_with(override_changes_done)

/* -- for the room's own -- */

/* Add a finding, or count one more device of an existing one; d NULL: of no single device. */
void override_tell(struct overrides *o, bool is_fault, const struct override_rule *by,
		   const void *detail, const struct dra_device *d, const char *fmt, ...)
	printflike(6, 7);

#endif
