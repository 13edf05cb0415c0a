/* SPDX-License-Identifier: Apache-2.0 */
/* podres.h - which devices did kubelet give this pod? */
#ifndef DEVINFO_PODRES_H
#define DEVINFO_PODRES_H

#include "base/deadline.h"
#include "base/err.h"
#include "base/host.h"

#include <stddef.h>

#define PODRES_MAX_REPLY	(16 * 1024 * 1024)	/* bytes of an answer, as Multus has it */
#define PODRES_MAX_MEMORY	(64 * 1024 * 1024)	/* bytes it may take when decoded */
#define PODRES_MAX_IDS		4096			/* devices of one resource in one pod */

struct podres_pod {
	const char *name_space, *name;	/* borrowed */
};

struct podres_devices {
	char **ids;			/* owned, and so is each; valid by name_is_device_id() */
	size_t count;
	const char *source;		/* who said so: "PodResources Get"; a constant */
};

/*
 * The ids of one resource that kubelet has allocated to a pod, from the PodResources API behind
 * h->set.kubelet_socket: kubelet's order of containers, natural order inside each container, no id
 * twice.  Asks Get; a kubelet without Get (before 1.27) or with Get disabled (before 1.34) is asked
 * List.  1: at least one id; 0: the pod is known and has no device of this resource; *ret is filled
 * in both cases.
 *
 * Errors: ERR_TRY_AGAIN when kubelet says that a later call may succeed (rate limit, starting up),
 * or while List has two pods of this name; ERR_PODRES for everything else, e->sys as h2_unary()
 * leaves it; ERR_INTERRUPTED.
 */
int podres_devices(const struct host *h, const struct podres_pod *pod, const char *resource,
		   const struct deadline *d, struct podres_devices *ret, struct err *e) must_check;

/*
 * Could kubelet be asked?  0, or -1 saying why not.  Only whether it listens: a question would
 * count against its rate limit.  One that is too busy to accept us is there, but ETIMEDOUT.
 */
int podres_probe(const struct host *h, const struct deadline *d, struct err *e) must_check;

/* Release what *p owns; zeroed structs are fine. */
void podres_devices_done(struct podres_devices *p);

#define auto_podres_devices auto_with(podres_devices_done)

#endif
