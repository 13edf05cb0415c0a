/* SPDX-License-Identifier: Apache-2.0 */
/* child.c - a child process: begun, waited for until a deadline, ended */
#include "base/child.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { TICK_MS = 20 };	/* how often it is asked without a pidfd */

/* What we handle or ignore ourselves; what our parent has us ignore stays so. */
static void default_signals(void)
{
	static const int ours[] = {
		SIGTERM, SIGINT, SIGALRM, SIGPIPE, SIGXFSZ,
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT,
	};

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		(void)signal(ours[i], SIG_DFL);
}

int child_fork(struct child *c)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return -1;
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		default_signals();
		if (getppid() != parent)	/* it died before we said so */
			_exit(1);
		return 0;
	}
	*c = (struct child){ .pid = pid, .pidfd = (int)syscall(SYS_pidfd_open, pid, 0) };
	return 1;
}

/* Also when it cannot be told, for our parent has us ignore how children end. */
static void look_for_end(struct child *c)
{
	pid_t ended = waitpid(c->pid, &c->status, WNOHANG);

	if (ended < 0 && errno == EINTR)
		return;
	if (ended < 0)
		c->status = -1;
	if (ended != 0)
		c->pid = 0;
}

bool child_has_ended(struct child *c)
{
	if (c->pid)
		look_for_end(c);
	return c->pid == 0;
}

bool child_poll(struct child *c, struct pollfd *fds, nfds_t n, const struct deadline *d)
{
	struct deadline tick = deadline_earlier(d, deadline_in(TICK_MS));
	bool ready;

	fds[0] = (struct pollfd){ .fd = c->pidfd, .events = POLLIN };
	ready = deadline_poll(c->pidfd >= 0 ? d : &tick, fds, n);
	if (c->pid && (c->pidfd < 0 || fds[0].revents))
		look_for_end(c);
	return ready;
}

bool child_wait(struct child *c, const struct deadline *d)
{
	struct pollfd p;
	int left = 1;

	while (c->pid && left > 0) {
		left = deadline_left_ms(d);
		(void)child_poll(c, &p, 1, d);
	}
	return c->pid == 0;
}

bool child_kill(struct child *c, int sig, unsigned int ms)
{
	struct deadline d = deadline_firm_in(ms);

	if (c->pid)
		(void)kill(c->pid, sig);
	return child_wait(c, &d);
}

void child_done(struct child *c)
{
	mem_close_fd(&c->pidfd);
	*c = (struct child)CHILD_NONE;
}
