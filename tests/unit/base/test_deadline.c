/* SPDX-License-Identifier: Apache-2.0 */
/* test_deadline.c - deadlines, and waits that a signal ends */
#include "base/deadline.h"
#include "base/err.h"
#include "base/mem.h"
#include "tests/unit/tap.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t ms_now(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void deadlines(void)
{
	struct deadline d = deadline_in(10000), past = deadline_in(0);
	int64_t start = ms_now();
	struct err e;

	test("a deadline tells what is left of it");
	ok(deadline_left_ms(&d) > 9000 && deadline_left_ms(&d) <= 10000);
	ok(deadline_left_ms(&past) == 0);
	d = (struct deadline){ .at_ms = INT64_MAX };
	ok(deadline_left_ms(&d) > 1000000000);

	test("a sleep lasts as long as it says, and not beyond the deadline");
	d = deadline_in(10000);
	deadline_sleep(&d, 20);
	ok(ms_now() - start >= 19);
	start = ms_now();
	d = deadline_in(20);
	deadline_sleep(&d, 5000);
	deadline_sleep(&past, 5000);
	ok(ms_now() - start < 2000);

	test("a wait that ended by itself has the caller's code and ETIMEDOUT");
	ok(deadline_error(ERR_TRY_AGAIN, &e, "lock %s", "x") == -1);
	ok(e.code == ERR_TRY_AGAIN && e.sys == ETIMEDOUT);
	eq(e.msg, "lock x");

	test("SIGTERM ends all deadlines, and is the reason then");
	deadline_catch_signals();
	ok(!deadline_interrupted());
	(void)raise(SIGTERM);
	d = deadline_in(10000);
	ok(deadline_interrupted() && deadline_left_ms(&d) == 0);
	(void)deadline_error(ERR_TRY_AGAIN, &e, "lock");
	ok(e.code == ERR_INTERRUPTED && e.sys == EINTR);

	test("C-PRC-08: the roll-back that follows goes on, with less than a second for its waits");
	deadline_undo();
	d = deadline_in(10000);
	ok(!deadline_interrupted() && deadline_hurried());
	ok(deadline_left_ms(&d) > 0 && deadline_left_ms(&d) <= 1000);
	(void)poll(NULL, 0, 1000);
	ok(deadline_left_ms(&d) == 0);
	test("a roll-back has time until it is told to stop");
	deadline_catch_signals();
	deadline_undo();
	ok(!deadline_hurried() && deadline_left_ms(&d) > 5000);
	(void)raise(SIGINT);
	ok(deadline_hurried() && deadline_left_ms(&d) <= 1000);
	deadline_catch_signals();
	(void)signal(SIGTERM, SIG_DFL);
	(void)signal(SIGINT, SIG_DFL);
}

/* What is left of the call, whatever was asked for. */
static int left_of_call(void)
{
	struct deadline d = deadline_in(UINT_MAX);

	return deadline_left_ms(&d);
}

static bool is_about(int ms, int expected)
{
	return ms <= expected && ms > expected - 2000;
}

static void limits(void)
{
	const struct itimerval none = { .it_value = { 0 } };
	struct deadline d, firm;
	int64_t start;
	struct err e;

	test("C-CON-06, C-PIT-30: all waits of a call together have one limit, whatever each has");
	deadline_catch_signals();
	deadline_limit("addTimeoutMs", 60000, 10000);
	ok(is_about(left_of_call(), 50000));
	firm = deadline_firm_in(200000);
	ok(deadline_left_ms(&firm) > 190000);
	test("of it none of several steps takes what is the others', nor more than its own");
	d = deadline_share(NULL, UINT_MAX, 2);
	ok(is_about(deadline_left_ms(&d), 25000));
	d = deadline_share(NULL, 3000, 2);
	ok(is_about(deadline_left_ms(&d), 3000));
	d = deadline_in(30000);
	d = deadline_share(&d, 20000, 3);
	ok(is_about(deadline_left_ms(&d), 10000));
	test("the roll-back has time of its own, and no more of it when it begins early");
	deadline_undo();
	ok(is_about(left_of_call(), 10000) && !deadline_hurried());
	(void)raise(SIGTERM);
	ok(left_of_call() <= 1000);

	test("at the limit a wait ends, as when its own time is over, and says what is");
	deadline_catch_signals();
	deadline_limit("addTimeoutMs", 5040, 5000);
	d = deadline_in(60000);
	start = ms_now();
	ok(!deadline_poll(&d, NULL, 0) && ms_now() - start < 5000);
	ok(deadline_error(ERR_TRY_AGAIN, &e, "x") == -1);
	ok(e.code == ERR_TRY_AGAIN && e.sys == ETIMEDOUT);
	contains(e.details, "addTimeoutMs is over");
	ok(!deadline_interrupted());
	test("and the roll-back goes on");
	deadline_undo();
	ok(is_about(left_of_call(), 5000) && left_of_call() > 3000);

	test("a system call that blocks is interrupted then");
	deadline_catch_signals();
	deadline_limit("delTimeoutMs", 40, 0);
	start = ms_now();
	ok(poll(NULL, 0, 60000) < 0 && errno == EINTR && ms_now() - start < 30000);
	ok(left_of_call() == 0);
	test("and at that of a roll-back that begins early");
	deadline_catch_signals();
	deadline_limit("addTimeoutMs", 60000, 40);
	deadline_undo();
	start = ms_now();
	ok(poll(NULL, 0, 5000) < 0 && errno == EINTR && ms_now() - start < 5000);
	(void)setitimer(ITIMER_REAL, &none, NULL);

	test("without a limit there is none");
	deadline_catch_signals();
	ok(left_of_call() > 1000000000);
	(void)signal(SIGALRM, SIG_DFL);
	(void)signal(SIGTERM, SIG_DFL);
	(void)signal(SIGINT, SIG_DFL);
}

static void ignore(int sig)
{
	(void)sig;
}

static void raise_term(int sig)
{
	(void)sig;
	(void)raise(SIGTERM);
}

static void raise_int(int sig)
{
	(void)sig;
	(void)raise(SIGINT);
}

/* A signal that is pending when the wait begins comes between the look at the clock and it. */
static void pend(int sig)
{
	sigset_t one;

	(void)sigemptyset(&one);
	(void)sigaddset(&one, sig);
	(void)sigprocmask(SIG_BLOCK, &one, NULL);
	(void)raise(sig);
}

static bool is_blocked(int sig)
{
	sigset_t now;

	return sigprocmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, sig) == 1;
}

static void unblock(void)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void waits(void)
{
	static const int ends[] = { SIGTERM, SIGINT };
	const struct itimerval soon = { .it_value = { .tv_usec = 20000 } };
	struct deadline d = deadline_in(20), firm;
	int64_t start = ms_now();
	int fd[2];

	if (pipe(fd) < 0)
		return;
	struct pollfd p = { .fd = fd[0], .events = POLLIN };

	test("a wait ends when its time is over, or at once when something is ready");
	ok(!deadline_poll(&d, &p, 1) && ms_now() - start >= 19);
	ok(write(fd[1], "x", 1) == 1);
	ok(deadline_poll(&d, &p, 1) && p.revents == POLLIN);
	p.fd = -1;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		test("C-PRC-08: a signal to end that comes just before the wait ends it");
		deadline_catch_signals();
		pend(ends[i]);
		start = ms_now();
		d = deadline_in(10000);
		ok(!deadline_poll(&d, &p, 1) && ms_now() - start < 5000);
		ok(deadline_interrupted());
		test("and one that comes meanwhile, of which none is left blocked");
		unblock();
		deadline_catch_signals();
		(void)signal(SIGALRM, i == 0 ? raise_term : raise_int);
		(void)setitimer(ITIMER_REAL, &soon, NULL);
		ok(!deadline_poll(&d, &p, 1) && ms_now() - start < 5000);
		ok(deadline_interrupted() && !is_blocked(ends[i]));
	}
	test("what is ready is told even so");
	p.fd = fd[0];
	ok(deadline_poll(&d, &p, 1));
	test("a firm wait has its time");
	p.fd = -1;
	start = ms_now();
	firm = deadline_firm_in(50);
	ok(deadline_left_ms(&firm) > 0);
	firm = deadline_earlier(&firm, deadline_in(60000));
	pend(SIGTERM);
	ok(!deadline_poll(&firm, &p, 1) && ms_now() - start >= 49);
	unblock();
	test("another signal does not end a wait");
	deadline_catch_signals();
	(void)signal(SIGALRM, ignore);
	start = ms_now();
	d = deadline_in(100);
	(void)setitimer(ITIMER_REAL, &soon, NULL);
	ok(!deadline_poll(&d, &p, 1) && ms_now() - start >= 99);

	(void)signal(SIGALRM, SIG_DFL);
	(void)signal(SIGTERM, SIG_DFL);
	(void)signal(SIGINT, SIG_DFL);
	(void)close(fd[0]);
	(void)close(fd[1]);
}

static void shared_waits(void)
{
	struct deadline d = { .at_ms = 0 };
	struct pollfd p = { .events = POLLIN };
	int pipefd[2], copy[2];
	int64_t start = ms_now();

	if (pipe(pipefd) < 0 || pipe(copy) < 0)
		exit(1);
	test("a time that several waits share begins with the first that has to wait");
	p.fd = pipefd[0];
	ok(write(pipefd[1], "x", 1) == 1 && deadline_poll_in(&d, 20, &p, 1) && d.at_ms == 0);
	p.fd = copy[0];
	ok(!deadline_poll_in(&d, 20, &p, 1) && ms_now() - start >= 19 && d.at_ms != 0);
	test("and is not given again");
	start = d.at_ms;
	ok(!deadline_poll_in(&d, 60000, &p, 1) && d.at_ms == start);
	for (int i = 0; i < 2; i++) {
		(void)close(pipefd[i]);
		(void)close(copy[i]);
	}
}

int main(void)
{
	deadlines();
	limits();
	waits();
	shared_waits();
	return tap_end();
}
