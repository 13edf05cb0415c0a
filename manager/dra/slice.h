/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slice.h - ResourceSlices, and the devices in them
 *
 * The room manager/dra/ is about Dynamic Resource Allocation: it makes ResourceSlices of an
 * inventory, reads those of others, applies an administrator's overrides to their devices, and
 * selects devices as the scheduler would.  It changes nothing but the state file of its own slices
 * (slice_state.h), and reads nothing of the node but the inventory and the administrator's
 * directory of overrides.
 *
 * To be read in this order:
 *
 *	node_slices.c		the slices of this node; slice_device.c one device of them,
 *				device_class.c the classes, slice_state.c the generation of the
 *				pool, slice_taint.c since when taints are there, slice_version.c
 *				objects in the versions before v1
 *	slice.c			slices of any driver and version are read
 *	kubernetes.c		what clusters of a version have, and do otherwise
 *	lint.c			what the API server would refuse: schema.c has the members of all
 *				objects (schema_table.c), limits.c what their values may be, with
 *				*_limits.c for the parts of an object; field.c and name.c are the
 *				forms that all go by
 *	overrides.c		patches (patch.c) and taint rules (devinfo/taint/) are read;
 *				override_condition.c asks which devices they are about,
 *				override_apply.c lays them over these, override_explain.c says where
 *				each value is from, override_unseen.c leaves out rules that a
 *				scheduler does not see; node_view.c is all of it for this node
 *	select.c		which devices a claim would get: select_claim.c and select_class.c
 *				read what is asked for, select_pool.c what there is, select_search.c
 *				and select_take.c find the devices by select_constraint.c,
 *				select_counter.c, select_capacity.c, select_group.c and
 *				select_taint.c, select_allocation.c and select_report.c answer
 *				(select_part.h); select_fault.c has what schedulers are known to
 *				decide otherwise, kubernetes.c their versions
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
/* The same without a look at what is in it; NULL: its apiVersion has no slices. */
json_t *dra_slice_convert(const json_t *doc, struct err *e) must_check;

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
