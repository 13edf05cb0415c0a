/* SPDX-License-Identifier: Apache-2.0 */
/* deadline.c - bounded waits that SIGTERM ends */
#include "base/deadline.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static volatile sig_atomic_t interrupted;

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

int deadline_left_ms(const struct deadline *d)
{
	int64_t left = d->at_ms - now_ms();

	if (interrupted || left <= 0)
		return 0;
	return left > INT_MAX ? INT_MAX : (int)left;
}

int deadline_error(enum err_code code, struct err *e, const char *fmt, ...)
{
	char what[sizeof(e->msg)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (interrupted)
		return err_set(e, ERR_INTERRUPTED, EINTR, "%s", what);
	return err_set(e, code, ETIMEDOUT, "%s", what);
}

void deadline_sleep(const struct deadline *d, unsigned int ms)
{
	int left = deadline_left_ms(d);

	if (left > 0)
		(void)poll(NULL, 0,
			   (unsigned int)left < ms ? left : (int)ms); /* EINTR: our signal */
}

static void on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

void deadline_catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };	/* no SA_RESTART: waits must end */

	(void)sigaction(SIGTERM, &sa, NULL);
	(void)sigaction(SIGINT, &sa, NULL);
}

bool deadline_interrupted(void)
{
	return interrupted;
}

void deadline_ignore_signals(void)
{
	(void)signal(SIGTERM, SIG_IGN);
	(void)signal(SIGINT, SIG_IGN);
	interrupted = 0;
}
