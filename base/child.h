/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.h - a child process: begun, waited for until a deadline, ended
 *
 * What it does is its caller's: to make a system call that may hang (bounded.h), or to become
 * another program (cni/plugins/program.h).
 */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include "base/deadline.h"
#include "base/mem.h"

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;		/* 0 before its start, and when its end has been seen */
	int status;		/* of its end, as wait(2) has it; -1 where that cannot be told */
	int pidfd;		/* private; -1 before Linux 5.3: then we look now and then */
};

#define CHILD_NONE	{ .pidfd = -1 }

/*
 * As fork(2): 0 in the child, which dies with us and has none of our handlers, nor do we ignore a
 * signal for it; 1; -1 with errno.
 */
int child_fork(struct child *c) must_check;

/* Wait for its end, or for one of fds, whose first of n is filled here: as deadline_poll(). */
bool child_poll(struct child *c, struct pollfd *fds, nfds_t n, const struct deadline *d);

/* Wait for its end: whether it has come.  It looks once when no time is left. */
bool child_wait(struct child *c, const struct deadline *d);

/* Send it this signal and wait so long for its end, also when we have been told to stop. */
bool child_kill(struct child *c, int sig, unsigned int ms);

/* One that has not ended is left to init. */
void child_done(struct child *c);

#define auto_child auto_with(child_done)

#endif
