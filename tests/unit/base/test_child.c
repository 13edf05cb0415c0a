/* SPDX-License-Identifier: Apache-2.0 */
/* test_child.c - a child is waited for until a deadline, also without a pidfd, and ended */
#include "base/child.h"
#include "tests/unit/plugin.h"
#include "tests/unit/tap.h"

#include <time.h>

static int out[2];	/* a pipe from the child */

static long long ms_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* One that ends at once with this status, or never and is deaf to SIGTERM. */
static struct child begin(int status)
{
	struct child c = CHILD_NONE;
	int r = child_fork(&c);

	if (r < 0)
		exit(1);
	if (r == 0 && status)
		_exit(status);
	if (r == 0) {
		(void)signal(SIGTERM, SIG_IGN);
		(void)!write(out[1], "x", 1);
		for (;;)
			(void)pause();
	}
	return c;
}

/* Linux before 5.3 has none. */
static void without_pidfd(struct child *c)
{
	(void)close(c->pidfd);
	c->pidfd = -1;
}

static void ending(void)
{
	struct deadline d = deadline_in(60000);

	for (int old = 0; old < 2; old++) {
		auto_child struct child c = begin(3);

		test("its end and its status are seen, with a pidfd and without");
		ok(c.pidfd >= 0);
		if (old)
			without_pidfd(&c);
		ok(child_wait(&c, &d) && c.pid == 0);
		ok(child_has_ended(&c));
		ok(WIFEXITED(c.status) && WEXITSTATUS(c.status) == 3);
		ok(child_kill(&c, SIGKILL, 60000));	/* signals nobody */
	}
}

static void untold(void)
{
	struct deadline d = deadline_in(60000);

	test("where our parent has us ignore how children end, that it has is seen");
	(void)signal(SIGCHLD, SIG_IGN);
	auto_child struct child c = begin(3);
	ok(child_wait(&c, &d) && c.status == -1);
	(void)signal(SIGCHLD, SIG_DFL);
}

static void killing(void)
{
	for (int old = 0; old < 2; old++) {
		auto_child struct child c = begin(0);
		struct deadline d = deadline_in(60000), soon;
		struct pollfd fds[] = { { .fd = -1 }, { .fd = out[0], .events = POLLIN } };
		bool ready = false;
		char byte;

		if (old)
			without_pidfd(&c);
		test("another descriptor ends the wait as well");
		while (!ready && deadline_left_ms(&d) > 0)
			ready = child_poll(&c, fds, ARRAY_SIZE(fds), &d);
		ok(ready && fds[1].revents && read(out[0], &byte, 1) == 1);
		test("one that does not end is waited for until the deadline");
		soon = deadline_in(50);
		ok(!child_wait(&c, &soon) && deadline_left_ms(&soon) == 0);
		ok(!child_has_ended(&c));
		ok(!child_kill(&c, SIGTERM, 50));
		test("SIGTERM to us ends the wait, but not that for one that we kill");
		deadline_catch_signals();
		(void)raise(SIGTERM);
		long long start = ms_now();
		ok(!child_wait(&c, &d) && ms_now() - start < 10000);
		ok(child_kill(&c, SIGKILL, 60000));
		ok(WIFSIGNALED(c.status) && WTERMSIG(c.status) == SIGKILL);
		deadline_catch_signals();
	}
}

static void signals(void)
{
	struct sigaction sa = { .sa_handler = SIG_DFL };
	struct deadline d = deadline_in(60000);
	auto_child struct child c = CHILD_NONE;
	int r;

	test("a child has none of our handlers, and ignores only what our parent has us ignore");
	deadline_catch_signals();
	(void)signal(SIGHUP, SIG_IGN);
	r = child_fork(&c);
	if (r == 0) {
		bool good = sigaction(SIGTERM, NULL, &sa) == 0 && sa.sa_handler == SIG_DFL &&
			    sigaction(SIGPIPE, NULL, &sa) == 0 && sa.sa_handler == SIG_DFL &&
			    sigaction(SIGHUP, NULL, &sa) == 0 && sa.sa_handler == SIG_IGN;

		_exit(good ? 7 : 8);
	}
	ok(r == 1 && child_wait(&c, &d) && WEXITSTATUS(c.status) == 7);
	(void)signal(SIGHUP, SIG_DFL);
}

int main(void)
{
	(void)setvbuf(stdout, NULL, _IOLBF, 0);	/* nothing for a fork to print again */
	(void)signal(SIGPIPE, SIG_IGN);
	if (pipe2(out, O_CLOEXEC) < 0)
		return 1;
	leaves_nothing(ending);
	leaves_nothing(untold);
	leaves_nothing(killing);
	leaves_nothing(signals);
	return tap_end();
}
