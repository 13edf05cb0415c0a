/* SPDX-License-Identifier: Apache-2.0 */
/* task.h - a piece of work that is done when something has changed, and again until it succeeds */
#ifndef DAEMON_PUBLISH_TASK_H
#define DAEMON_PUBLISH_TASK_H

#include "base/err.h"
#include "daemon/publish/publish.h"

struct task;

enum {
	TASK_GATHER_MS = 50,		/* from the first change until the work begins */
	TASK_DUTY = 10,			/* of the time one in ten at most goes to it */
};

/* name is a constant, for the log.  fn returns 0, or -1: it is called again after a back-off. */
struct task *task_new(const struct publishing *p, const char *name,
		      int (*fn)(void *arg, struct err *e), void *arg, struct err *e) must_check;
/* Something has changed; while the task backs off that alters nothing. */
void task_due(struct task *t);
/* The work is to be done after so many milliseconds, unless it is done earlier.  0 is no time. */
void task_due_in(struct task *t, unsigned int ms);
void task_free(struct task *t);

#endif
