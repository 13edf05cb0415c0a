/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_filter.h - which devices an administrator's object is about
 *
 * The room devinfo/taint/ reads the manifests in which an administrator taints devices, and knows
 * which devices they name.  The plugin asks it in an ADD, so it is about names alone: what needs
 * the attributes of devices is for manager/dra.
 *
 * A ResourceSlicePatch and a DeviceTaintRule have the same members: driver, pool and device are
 * those of a ResourceSlice; what a class or a selector says is for whoever has the devices.
 */
#ifndef DEVINFO_TAINT_DEVICE_FILTER_H
#define DEVINFO_TAINT_DEVICE_FILTER_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>

/* Texts are borrowed from the object. */
struct device_filter {
	bool is_given;			/* there is one, and be it empty */
	const char *driver, *pool, *device;	/* NULL: any */
	const char *device_class;	/* NULL: any */
	const json_t *selectors;	/* a list with something in it; NULL: none */
};

/*
 * Read the member `key` of an object that is called `path`.  *ret stays zeroed when the member is
 * absent or null.  A member of it that is not known is an error: the filter would be about all
 * devices without it.
 */
int device_filter_read(const json_t *o, const char *path, const char *key,
		       struct device_filter *ret, struct err *e) must_check;

/* May it be about devices of this pool, or about one of it?  Names alone decide. */
bool device_filter_has_pool(const struct device_filter *f, const char *driver, const char *pool);
bool device_filter_has_device(const struct device_filter *f, const char *device);

/* Are names all that it goes by? */
bool device_filter_is_by_name(const struct device_filter *f);

#endif
