/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slice.h - ResourceSlices, and the devices in them
 *
 * The room manager/dra/ is about Dynamic Resource Allocation: it makes ResourceSlices of an
 * inventory, reads those of others, applies an administrator's overrides to their devices, and
 * selects devices as the scheduler would.  It changes nothing but the state file of its own slices
 * (slice_state.h), and reads nothing of the node but the
 * inventory and the administrator's directory of overrides.
 *
 * Whatever version a slice was written in, here it has the form of resource.k8s.io/v1.
 */
#ifndef MANAGER_DRA_SLICE_H
#define MANAGER_DRA_SLICE_H

#include "base/err.h"
#include "devinfo/manifest/manifest.h"
#include "manager/cel/cel.h"

#include <jansson.h>
#include <stddef.h>

/* The texts are borrowed from doc, but for source. */
struct dra_slice {
	const char *source;		/* borrowed from the manifest: its file, or "this node" */
	const char *name, *driver, *pool;
	json_int_t generation;		/* of the pool */
	json_t *doc;			/* owned */
};

struct dra_device {
	const struct dra_slice *slice;
	const char *name;		/* borrowed from the slice */
	const json_t *published;	/* borrowed: as the slice has it */
	json_t *device;			/* owned reference: that very object, until something else
					   is laid over it */
};

struct dra_devices {
	struct dra_slice *slices;	/* owned */
	size_t n_slices;
	struct dra_device *list;	/* owned; in the order of the slices and in them */
	size_t n;
};

/*
 * A slice of any version to v1: a new reference, or NULL with what is wrong with it (ERR_NETCONF).
 * Its devices are those of doc, where the version allows it.
 */
json_t *dra_slice_normalise(const json_t *doc, const char *source, struct err *e) must_check;

/*
 * The ResourceSlices among the manifests, of each pool those of its newest generation (the rest is
 * obsolete).  Other kinds are passed over.  -1 names the first that is wrong.
 */
int dra_devices_read(const struct manifests *m, struct dra_devices *ret, struct err *e) must_check;

void dra_devices_done(struct dra_devices *d);

/* As expressions see it, with what is laid over it; borrowed. */
struct cel_device dra_device_for_cel(const struct dra_device *d);

#define auto_dra_devices auto_with(dra_devices_done)

#endif
