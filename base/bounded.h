/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounded.h - a system call that may block for ever, made by a child, until a deadline
 *
 * Some requests to the kernel wait where no signal reaches them, for something that another process
 * does or does not do.  Who makes one cannot end until it is over.  So a child makes it, and is
 * killed and left behind when it is late.
 */
#ifndef BASE_BOUNDED_H
#define BASE_BOUNDED_H

#include "base/deadline.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Called in the child: 0 or more, or -1 with *e filled.  answer is zeroed memory for the result.
 * Nothing else that it changes in memory is seen by the caller.
 */
typedef int bounded_fn(const void *arg, void *answer, struct err *e);

struct bounded {
	bounded_fn *fn;
	const void *arg;
	void *answer;		/* where the result goes when fn did not fail; may be NULL */
	size_t size;		/* bytes of it */
	int keep;		/* a descriptor above 2 that the child keeps for fn; 0: none */
	unsigned int grace_ms;	/* it is begun, and has this, when no time is left; 0: it is not */
	bool *left;		/* the late child hangs in the kernel still; may be NULL */
};

/*
 * Do it: the result of fn and its answer, or its error.  Of our descriptors the child has none but
 * keep, so that whoever waits for the end of our stdout, or for our locks, does not wait for it;
 * it dies with us.
 *
 * ERR_TRY_AGAIN (ERR_INTERRUPTED after a signal) when it is late: then it has been killed.  A child
 * that hangs in the kernel dies when that lets go of it, and what it asked for may be done after
 * all, long after we have said that it is not: look before it is asked for again.  What was not in
 * time before it began was not begun.
 */
int bounded_run(const struct bounded *b, const struct deadline *d, struct err *e) must_check;

#endif
