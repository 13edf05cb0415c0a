/* SPDX-License-Identifier: Apache-2.0 */
/* deadline.c - bounded waits that SIGTERM ends */
#include "base/deadline.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#define HURRY_MS	1000	/* after SIGTERM: few who send it have SIGKILL follow sooner */

static volatile sig_atomic_t interrupted;
static bool undoing;		/* a signal shortens the waits, it does not end them */
static int64_t hurry_until;	/* of a roll-back in a hurry; 0: there is time */

static int64_t now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);	/* cannot fail for this clock */
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
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

int deadline_left_ms(const struct deadline *d)
{
	int64_t now = now_ms(), left = d->at_ms - now;

	if (!d->firm && deadline_hurried() && hurry_until - now < left)
		left = hurry_until - now;
	if ((!d->firm && deadline_interrupted()) || left <= 0)
		return 0;
	return left > INT_MAX ? INT_MAX : (int)left;
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

/* From the look at what is left to the wait in the kernel no signal comes: ppoll(2) takes it. */
bool deadline_poll(const struct deadline *d, struct pollfd *fds, nfds_t n)
{
	sigset_t before, during;
	int ready, left;

	block(&before, &during);
	do {
		left = deadline_left_ms(d);
		ready = ppoll(fds, n,
			      &(struct timespec){ left / 1000, left % 1000 * 1000000L }, &during);
	} while (ready <= 0 && deadline_left_ms(d) > 0);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return ready > 0;
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
	return err_set(e, code, ETIMEDOUT, "%s", what);
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

void deadline_catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };	/* no SA_RESTART: waits must end */

	interrupted = 0;
	undoing = false;
	hurry_until = 0;
	(void)sigaction(SIGTERM, &sa, NULL);
	(void)sigaction(SIGINT, &sa, NULL);
}

bool deadline_interrupted(void)
{
	return interrupted && !undoing;
}

void deadline_undo(void)
{
	undoing = true;
}
