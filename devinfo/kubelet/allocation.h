/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocation.h - the devices that kubelet has given to one pod, from any source
 *
 * Devices of device plugins by resource and id, and devices of claims (Dynamic Resource
 * Allocation) by driver, pool and name.  Every text in it has been checked and may become
 * a part of a file name, but for pools and names of CDI, which may contain '/'.
 *
 * What fails the check is skipped and only logged at debug level: a device that no attachment needs
 * may have any name, and must not fail an ADD for another one.  An attachment that needs it gets an
 * error that names it.
 */
#ifndef DEVINFO_KUBELET_ALLOCATION_H
#define DEVINFO_KUBELET_ALLOCATION_H

#include "base/attr.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define ALLOCATION_MAX_DEVICES	4096	/* of one pod */
#define ALLOCATION_MAX_CLAIMED	512
#define ALLOCATION_MAX_CDI	32	/* names of one device of a claim; more are left out */
#define ALLOCATION_MAX_TOLD	65536	/* devices of one pod, duplicates counted each time */

/* A pod as kubelet knows it. */
struct pod {
	const char *name_space, *name;	/* borrowed; a static pod is called NAME-NODENAME */
	const char *uid;		/* NULL: not known */
};

/* A device of a device plugin. */
struct plugin_device {
	char *resource, *id;		/* owned; name_is_resource(), name_is_device_id() */
};

/*
 * A device of a claim.  Texts are owned and never NULL; "" is "not said": driver, pool and device
 * came with Kubernetes 1.31, share ids with 1.35.
 */
struct claimed_device {
	char *name_space, *claim;	/* name_is_file(), as are the next three unless "" */
	char *driver, *device, *share;
	char *pool;			/* domains with '/' between them: never a part of a path */
	char **cdi;			/* owned, and so is each: "vendor.com/class=name" */
	size_t n_cdi;
};

struct allocation {
	struct plugin_device *devices;	/* owned; see allocation_end_container() for the order */
	size_t n_devices;
	struct claimed_device *claimed;	/* owned; in kubelet's order */
	size_t n_claimed;
	size_t ended;			/* devices of containers that are complete */
	size_t told;			/* how many were offered, duplicates included */
	const char *source;		/* "PodResources Get"...; a constant */
	char tried[512];		/* why sources before it failed; "": it was the first */
};

/*
 * Append a device, unless (resource, id) is in the list already (kubelet repeats it for each NUMA
 * node) or is not valid.
 */
int allocation_add_device(struct allocation *a, const char *resource, const char *id,
			  struct err *e) must_check;

/*
 * Append a copy without invalid CDI names, unless the same device of the same claim is in the list
 * already, for another container, or it is invalid or empty.
 */
int allocation_add_claimed(struct allocation *a, const struct claimed_device *c,
			   struct err *e) must_check;

/* The same of all that another one has, in its order. */
int allocation_copy(const struct allocation *from, struct allocation *ret, struct err *e)
	must_check;

/*
 * Sort the devices added since the last call, which are one container's, in natural order.
 * kubelet's order inside a container is random, that of containers is the pod's.
 */
void allocation_end_container(struct allocation *a);

/* Does it have a device of this resource?  Claims do not count. */
bool allocation_has_resource(const struct allocation *a, const char *resource);

/*
 * Compare device ids in natural order: vf2 before vf10.  PCI addresses come first, in plain order,
 * because their digits are hexadecimal and fixed in number.
 */
int device_id_compare(const char *a, const char *b);

/* Release what *a owns; zeroed structs are fine. */
void allocation_done(struct allocation *a);

#define auto_allocation auto_with(allocation_done)

#endif
