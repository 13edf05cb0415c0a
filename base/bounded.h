/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounded.h - a system call that may block for ever, made by a child, until a deadline
 *
 * Some requests to the kernel sleep uninterruptibly until another process does something.  The
 * process that makes such a request cannot end before it is over.  So a child makes it; a child
 * that is late is killed and not waited for any longer.
 */
#ifndef BASE_BOUNDED_H
#define BASE_BOUNDED_H

#include "base/deadline.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The function that the child calls: it returns 0 or more, or -1 with *e filled.  answer is zeroed
 * memory for the result.  The caller sees nothing else that it changes in memory.
 */
typedef int bounded_fn(const void *arg, void *answer, struct err *e);

struct bounded {
	bounded_fn *fn;
	const void *arg;
	void *answer;		/* where the result goes when fn did not fail; may be NULL */
	size_t size;		/* bytes of it */
	int keep;		/* a descriptor above 2 that the child keeps for fn; 0: none */
	unsigned int grace_ms;	/* when no time is left, the child gets this; 0: no child starts */
	bool *left;		/* set when the late child still hangs in the kernel; may be NULL */
};

/*
 * Run fn in a child and return its result, its answer or its error.  The child keeps none of our
 * descriptors but `keep`, so that nobody who waits for the end of our stdout, or for our locks,
 * waits for the child; it dies with us.
 *
 * A child that is late is killed, and the error is ERR_TRY_AGAIN, or ERR_INTERRUPTED after a
 * signal.  One that hangs in the kernel dies only when the kernel returns from the request, which
 * may still be carried out long after this error: look before you repeat it.  When the deadline had
 * passed before the start, no child was started (see grace_ms).
 */
int bounded_run(const struct bounded *b, const struct deadline *d, struct err *e) must_check;

/* -- for who has a loop, and waits for other things as well -- */

struct bounded_job;

/*
 * Begin fn in a child, and do not wait for it; grace_ms and left are not used.  What b points to
 * need not outlive this call, but for b->answer.  NULL with ERR_IO.
 */
struct bounded_job *bounded_begin(const struct bounded *b, struct err *e) must_check;

/*
 * Has the child ended?  Then *ret is its result, and *e its error when that is -1.  There is no
 * descriptor to wait for: it is one system call, for a timer.
 */
bool bounded_has_ended(struct bounded_job *j, int *ret, struct err *e);

/* Kill a child that is late; it may hang in the kernel still: see bounded_has_ended(). */
void bounded_kill(const struct bounded_job *j);

/* Kill it if it runs, and release the job.  NULL is fine. */
void bounded_free(struct bounded_job *j);

#endif
