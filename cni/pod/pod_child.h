/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_child.h - a call of this program in a process of its own, forked and not executed
 *
 * It costs less than a start, and shares what has been read.  Its standard output is a file in
 * memory, which takes all at once: so nobody has to read while it runs, and its end says that the
 * answer is whole.  It dies with us.
 */
#ifndef CNI_POD_CHILD_H
#define CNI_POD_CHILD_H

#include "base/child.h"
#include "base/deadline.h"
#include "base/err.h"

#include <jansson.h>
#include <stddef.h>

struct pod_child {
	struct child child;
	int out;			/* its standard output; private; -1: none */
};

#define POD_CHILD_NONE	{ .child = CHILD_NONE, .out = -1 }

/* What it does; its answer is printed.  Returns the exit status. */
typedef int pod_child_fn(void *arg);

int pod_child_start(struct pod_child *c, pod_child_fn *fn, void *arg, struct err *e) must_check;

/* Wait until one of n children has ended: its index; n when the time is over or a signal came. */
size_t pod_child_wait(struct pod_child *const *c, size_t n, const struct deadline *d);

/* Tell them to roll back; those that have not ended three seconds later are killed. */
void pod_child_stop(struct pod_child *const *c, size_t n);

/*
 * What one that has ended has printed: 0 and *ret, a new reference, NULL when it printed nothing;
 * -1 with its own error, or ERR_TRY_AGAIN of one that hangs in the kernel.  Once.
 */
int pod_child_collect(struct pod_child *c, json_t **ret, struct err *e) must_check;

/* Wait for its end and collect it; one that does not end in time is stopped. */
int pod_child_await(struct pod_child *c, const struct deadline *d, json_t **ret, struct err *e)
	must_check;

#endif
