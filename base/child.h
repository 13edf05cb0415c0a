/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.h - a child process: begun, waited for until a deadline, ended
 *
 * The caller decides what the child does: it makes a system call that may hang (bounded.h), or
 * executes another program (cni/plugins/program.h).
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
	int status;		/* its exit status as of wait(2); -1: not known */
	int pidfd;		/* private; -1 before Linux 5.3: then we poll at intervals */
};

#define CHILD_NONE	{ .pidfd = -1 }

/*
 * As fork(2): returns 0 in the child, 1 in the parent, -1 with errno.  The child dies with us;
 * signals that we handle or ignore have their default action there.
 */
int child_fork(struct child *c) must_check;

/*
 * Wait for the child's end or for one of n fds, as deadline_poll(); this function fills in fds[0].
 */
bool child_poll(struct child *c, struct pollfd *fds, nfds_t n, const struct deadline *d);

/* Has it ended?  One system call, for who has several of them. */
bool child_has_ended(struct child *c);

/* Wait for the child's end; true when it has ended.  It looks once when no time is left. */
bool child_wait(struct child *c, const struct deadline *d);

/* Send the child this signal and wait up to ms for its end, even after SIGTERM or SIGINT came. */
bool child_kill(struct child *c, int sig, unsigned int ms);

/* Release *c; a child that still runs is left to init. */
void child_done(struct child *c);

#define auto_child auto_with(child_done)

#endif
