/* SPDX-License-Identifier: Apache-2.0 */
/* podres.h - kubelet's PodResources API, one question at a time */
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
	PODRES_ALLOCATABLE,	/* v1 GetAllocatableResources: what it could give; 1.21, 1.23 */
};

/* What one question came to; *e says why unless it is PODRES_FOUND. */
enum podres_answer {
	PODRES_FAILED = -1, /* no answer, or a broken one: e->sys as h2_unary()'s */
	PODRES_FOUND,       /* the pod is known, with or without devices */
	PODRES_NO_POD,      /* it is not (yet) known */
	PODRES_NOT_OFFERED, /* this kubelet lacks the method, or its feature gate is off */
	PODRES_AGAIN,       /* RESOURCE_EXHAUSTED, UNAVAILABLE...: a later question may succeed */
	PODRES_AMBIGUOUS,   /* two of this name: before 1.34 List has terminated pods too */
};

/* "PodResources Get" ...: a constant. */
const char *podres_name(enum podres_method m);

/* Ask for everything this pod has.  *ret, whose source is podres_name(), only if PODRES_FOUND. */
enum podres_answer podres_ask(const struct host *h, enum podres_method m, const struct pod *pod,
			      const struct deadline *d, struct allocation *ret,
			      struct err *e) must_check;

/*
 * A device of a container of a pod, or, where these are "", one that kubelet could give: of a
 * device plugin or of a claim, the other is NULL.  All is borrowed for the call.
 */
struct podres_device {
	const char *name_space, *pod, *container;
	const struct plugin_device *device;
	const struct claimed_device *claimed;
};
typedef int podres_device_fn(const struct podres_device *d, void *arg, struct err *e);

/*
 * All devices of all pods (PODRES_LIST), or all that could be given (PODRES_ALLOCATABLE), claims
 * left out.  What an allocation leaves out is left out here.  A device of several NUMA nodes may
 * come more than once.  PODRES_FOUND; PODRES_FAILED also when fn returns non-zero, which ends it;
 * none of those that are about one pod.
 */
enum podres_answer podres_each(const struct host *h, enum podres_method m, const struct deadline *d,
			       podres_device_fn *fn, void *arg, struct err *e) must_check;

/*
 * Could kubelet be asked?  0, or -1 saying why not.  Only whether it listens and greets us: a
 * question would count against its rate limit.  One that does neither in time is ETIMEDOUT.
 */
int podres_probe(const struct host *h, const struct deadline *d, struct err *e) must_check;

/* The decoders alone, for what did not come over a socket: the body of an answer to m. */
enum podres_answer podres_decode(enum podres_method m, const unsigned char *body, size_t len,
				 const struct pod *pod, struct allocation *ret,
				 struct err *e) must_check;
int podres_each_decode(enum podres_method m, const unsigned char *body, size_t len,
		       podres_device_fn *fn, void *arg, struct err *e) must_check;

#endif
