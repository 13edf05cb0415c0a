/* SPDX-License-Identifier: Apache-2.0 */
/* deadline.c - bounded waits that SIGTERM ends */
#include "base/deadline.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define HURRY_MS	1000	/* after SIGTERM: few who send it have SIGKILL follow sooner */

static volatile sig_atomic_t interrupted;
static bool undoing;		/* a signal shortens the waits, it does not end them */
static int64_t hurry_until;	/* of a roll-back in a hurry; 0: there is time */

/* Of the call as a whole. */
static struct {
	int64_t begun;
	int64_t until;		/* 0: no limit is known */
	int64_t undo_until;
	unsigned int undo_ms;
	const char *name;
	bool alarmed;		/* SIGALRM has its handler */
} call;

static int64_t now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);	/* cannot fail for this clock */
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static unsigned int min_ms(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

struct deadline deadline_in(unsigned int ms)
{
	return (struct deadline){ .at_ms = now_ms() + ms };
}

struct deadline deadline_firm_in(unsigned int ms)
{
	return (struct deadline){ .at_ms = now_ms() + ms, .firm = true };
}

struct deadline deadline_earlier(const struct deadline *a, struct deadline b)
{
	b.firm = a->firm;
	return a->at_ms < b.at_ms ? *a : b;
}

bool deadline_hurried(void)
{
	if (undoing && interrupted && !hurry_until)
		hurry_until = now_ms() + HURRY_MS;
	return hurry_until != 0;
}

static bool call_is_over(int64_t now)
{
	return call.until != 0 && now >= call.until;
}

int deadline_left_ms(const struct deadline *d)
{
	int64_t now = now_ms(), left = d->at_ms - now;

	if (!d->firm && call.until && call.until - now < left)
		left = call.until - now;
	if (!d->firm && deadline_hurried() && hurry_until - now < left)
		left = hurry_until - now;
	if ((!d->firm && deadline_interrupted()) || left <= 0)
		return 0;
	return left > INT_MAX ? INT_MAX : (int)left;
}

struct deadline deadline_share(const struct deadline *all, unsigned int ms, unsigned int n)
{
	static const struct deadline never = { .at_ms = INT64_MAX };
	unsigned int left = (unsigned int)deadline_left_ms(all ? all : &never);

	return deadline_in(min_ms(ms, left / n));
}

/* The signals that end a wait: blocked, and in `during` let through. */
static void block(sigset_t *before, sigset_t *during)
{
	sigset_t ours;

	(void)sigemptyset(&ours);
	(void)sigaddset(&ours, SIGTERM);
	(void)sigaddset(&ours, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &ours, before);
	*during = *before;
	(void)sigdelset(during, SIGTERM);
	(void)sigdelset(during, SIGINT);
}

/*
 * What is ready, as stdin and stdout mostly are, needs no wait, whatever signal has come.
 * From the look at what is left to the wait in the kernel no signal comes: ppoll(2) takes it.
 */
bool deadline_poll(const struct deadline *d, struct pollfd *fds, nfds_t n)
{
	sigset_t before, during;
	int ready, left;

	if (n > 0 && poll(fds, n, 0) > 0)
		return true;
	block(&before, &during);
	do {
		left = deadline_left_ms(d);
		ready = ppoll(fds, n,
			      &(struct timespec){ left / 1000, left % 1000 * 1000000L }, &during);
	} while (ready <= 0 && deadline_left_ms(d) > 0);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return ready > 0;
}

at_start bool deadline_poll_in(struct deadline *d, unsigned int ms, struct pollfd *fds, nfds_t n)
{
	if (poll(fds, n, 0) > 0)
		return true;
	if (!d->at_ms)
		*d = deadline_in(ms);
	return deadline_poll(d, fds, n);
}

const char *deadline_end(void)
{
	return deadline_interrupted() ? "before this call was interrupted" : "in time";
}

int deadline_error(enum err_code code, struct err *e, const char *fmt, ...)
{
	char what[sizeof(e->msg)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (deadline_interrupted())
		return err_set(e, ERR_INTERRUPTED, EINTR, "%s", what);
	(void)err_set(e, code, ETIMEDOUT, "%s", what);
	return call_is_over(now_ms()) ? err_detail(e, "%s is over", call.name) : -1;
}

void deadline_sleep(const struct deadline *d, unsigned int ms)
{
	struct deadline until = deadline_earlier(d, deadline_in(ms));

	(void)deadline_poll(&until, NULL, 0);
}

static void on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

/* The clock is looked at by who waits. */
static void on_alarm(int sig)
{
	(void)sig;
}

void deadline_catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };	/* no SA_RESTART: waits must end */

	interrupted = 0;
	undoing = false;
	hurry_until = 0;
	memset(&call, 0, sizeof(call));
	call.begun = now_ms();
	(void)sigaction(SIGTERM, &sa, NULL);
	(void)sigaction(SIGINT, &sa, NULL);
}

/* When the limit is reached, and again when the roll-back's is, and so on. */
static void set_alarm(void)
{
	const struct sigaction sa = { .sa_handler = on_alarm };		/* no SA_RESTART */
	int64_t first = call.until - now_ms(), next = call.undo_ms > 1000 ? call.undo_ms : 1000;

	if (first < 1)
		first = 1;
	if (!call.alarmed)
		(void)sigaction(SIGALRM, &sa, NULL);
	call.alarmed = true;
	(void)setitimer(ITIMER_REAL, &(struct itimerval){
		.it_value = { first / 1000, first % 1000 * 1000 },
		.it_interval = { next / 1000, next % 1000 * 1000 },
	}, NULL);
}

void deadline_limit(const char *name, unsigned int ms, unsigned int undo_ms)
{
	int64_t undo_until = call.begun + ms;
	bool same = call.until && call.undo_ms == undo_ms && call.undo_until == undo_until;

	call.name = name;
	call.undo_ms = undo_ms;
	call.undo_until = undo_until;
	call.until = undo_until - undo_ms;
	if (!same)	/* the alarm is set, when the node's settings are the defaults */
		set_alarm();
}

bool deadline_interrupted(void)
{
	return interrupted && !undoing;
}

void deadline_undo(void)
{
	int64_t until = now_ms() + call.undo_ms;

	undoing = true;
	if (!call.until)
		return;
	call.until = until < call.undo_until ? until : call.undo_until;
	set_alarm();
}
