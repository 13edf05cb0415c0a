/* SPDX-License-Identifier: Apache-2.0 */
/* podres.h - kubelet's PodResources API, one request at a time */
#ifndef DEVINFO_KUBELET_PODRES_H
#define DEVINFO_KUBELET_PODRES_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"
#include "devinfo/kubelet/allocation.h"

#define PODRES_MAX_REPLY	(16 * 1024 * 1024)	/* bytes of an answer, as Multus has it */
#define PODRES_MAX_MEMORY	(64 * 1024 * 1024)	/* bytes it may take when decoded */

enum podres_method {
	PODRES_GET,		/* v1 Get: one pod, cheap; Kubernetes 1.27, on by default in 1.34 */
	PODRES_LIST,		/* v1 List: the whole node; 1.20 */
	PODRES_ALLOCATABLE,	/* v1 GetAllocatableResources: what it can give; 1.21, 1.23 */
};

/* The result of one request; *e has the reason unless it is PODRES_FOUND. */
enum podres_answer {
	PODRES_FAILED = -1, /* no answer, or a broken one: e->sys as grpc_unary()'s */
	PODRES_FOUND,       /* the pod is known, with or without devices */
	PODRES_NO_POD,      /* it is not (yet) known */
	PODRES_NOT_OFFERED, /* this kubelet lacks the method, or its feature gate is off */
	PODRES_AGAIN,       /* RESOURCE_EXHAUSTED, UNAVAILABLE...: a later request may succeed */
	PODRES_AMBIGUOUS,   /* two of this name: before 1.34 List has terminated pods too */
};

/* "PodResources Get" ...: a constant. */
const char *podres_name(enum podres_method m);

/* Ask for everything this pod has.  *ret, whose source is podres_name(), only if PODRES_FOUND. */
enum podres_answer podres_ask(const struct host *h, enum podres_method m, const struct pod *pod,
			      const struct deadline *d, struct allocation *ret,
			      struct err *e) must_check;

/*
 * A device of a container of a pod, or, where these are "", one that kubelet can give.  Either
 * `device` (a device plugin's) or `claimed` is set, the other is NULL.  All is borrowed for the
 * call.
 */
struct podres_device {
	const char *name_space, *pod, *container;
	const struct plugin_device *device;
	const struct claimed_device *claimed;
};
typedef int podres_device_fn(const struct podres_device *d, void *arg, struct err *e);

/*
 * Call fn for all devices of all pods (PODRES_LIST), or all that kubelet can give without claims
 * (PODRES_ALLOCATABLE).  What an allocation skips is skipped here.  A device of several NUMA nodes
 * may come more than once.  Returns PODRES_FOUND; PODRES_FAILED also when fn returns non-zero,
 * which ends the calls; never an answer about one pod.
 */
enum podres_answer podres_each(const struct host *h, enum podres_method m, const struct deadline *d,
			       podres_device_fn *fn, void *arg, struct err *e) must_check;

/*
 * Check that kubelet listens and speaks HTTP/2: 0, or -1 with the reason; sys is ETIMEDOUT when it
 * is late.  No request is made, as it would count against kubelet's rate limit.
 */
int podres_probe(const struct host *h, const struct deadline *d, struct err *e) must_check;

/* The decoders alone: decode the body of an answer to m. */
enum podres_answer podres_decode(enum podres_method m, const unsigned char *body, size_t len,
				 const struct pod *pod, struct allocation *ret,
				 struct err *e) must_check;
int podres_each_decode(enum podres_method m, const unsigned char *body, size_t len,
		       podres_device_fn *fn, void *arg, struct err *e) must_check;

#endif
