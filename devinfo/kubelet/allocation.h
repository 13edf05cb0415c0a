/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocation.h - what kubelet has given to one pod, whichever source says so
 *
 * Devices of device plugins by resource and id, and devices of claims (Dynamic Resource
 * Allocation) by driver, pool and name.  Every text in it has been checked and may become
 * a part of a file name, but for pools and names of CDI, which may contain '/'.
 *
 * What does not pass the check is left out and told to the debug log only: a device that
 * nobody here asks for may be called anything, and must not fail an ADD for another one.
 * One that is asked for is then missing, which is an error with a name.
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
#define ALLOCATION_MAX_TOLD	65536	/* devices of one pod, the same ones each time counted */

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
	struct claimed_device *claimed;	/* owned; in the order kubelet told them */
	size_t n_claimed;
	size_t ended;			/* devices of containers that are complete */
	size_t told;			/* how often something was to be added */
	const char *source;		/* who said so: "PodResources Get"; a constant */
	char tried[512];		/* why sources before it did not; "" if it was the first */
};

/*
 * Append a device unless (resource, id) is there already, as it is for each of its NUMA nodes, or
 * is not usable.
 */
int allocation_add_device(struct allocation *a, const char *resource, const char *id,
			  struct err *e) must_check;

/*
 * Append a copy, without those names of CDI that are none; unless the same device of the same claim
 * is there for another container, it is not usable, or nothing at all is said about it.
 */
int allocation_add_claimed(struct allocation *a, const struct claimed_device *c,
			   struct err *e) must_check;

/*
 * The devices added since the last call are those of one container: put them into natural order.
 * kubelet's order inside a container is random, that of containers is the pod's.
 */
void allocation_end_container(struct allocation *a);

/* Has it a device of this resource?  Claims do not count. */
bool allocation_has_resource(const struct allocation *a, const char *resource);

/*
 * Natural order of device ids: vf2 before vf10.  That of PCI addresses is the plain one, as their
 * digits are of base 16 and fixed in number; they come first.
 */
int device_id_compare(const char *a, const char *b);

/* Release what *a owns; zeroed structs are fine. */
void allocation_done(struct allocation *a);

#define auto_allocation auto_with(allocation_done)

#endif
