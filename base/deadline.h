/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadline.h - every wait is bounded, and ends early when we are told to stop
 *
 * A deadline is a point on CLOCK_MONOTONIC.  SIGTERM and SIGINT end all of them:
 * the waiting function then reports ERR_INTERRUPTED and its caller rolls back.
 * The roll-back itself, after deadline_undo(), goes on, but with little time left for
 * all of its waits, whether the signal came before or comes during it.
 *
 * All waits of a call together have one limit, whatever each of them was given: deadline_limit().
 * So the sum of what each step may take does not matter, and the roll-back has time of its own.
 */
#ifndef BASE_DEADLINE_H
#define BASE_DEADLINE_H

#include "base/err.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

struct deadline {
	int64_t at_ms;
	bool firm;		/* no signal ends or shortens it */
};

struct deadline deadline_in(unsigned int ms);

/* For what is waited for even when we are told to stop: the end of a child that is killed. */
struct deadline deadline_firm_in(unsigned int ms);

/* The one of two that passes first; as firm as a is. */
struct deadline deadline_earlier(const struct deadline *a, struct deadline b);

/*
 * All that is waited for since deadline_catch_signals() ends within ms, but for what is firm.
 * undo_ms of them are kept for the roll-back, which has no more than these however early it
 * begins.  name, a constant, is told where a wait ends for it.  A system call that blocks is
 * interrupted then.
 */
void deadline_limit(const char *name, unsigned int ms, unsigned int undo_ms);

/*
 * For the next of n steps that come one after the other, none of which must cost the others their
 * time: its part of what is left of *all, of the call where that is NULL; ms at most.
 */
struct deadline deadline_share(const struct deadline *all, unsigned int ms, unsigned int n);

/* Milliseconds left, 0 when it has passed or a signal came. */
int deadline_left_ms(const struct deadline *d);

/*
 * The only wait there is.  As poll(2), it looks once when no time is left, and its revents tell
 * what is ready: true.  False when the time is over or a signal has ended it, be it one that came
 * just before; what else interrupts it does not.
 */
bool deadline_poll(const struct deadline *d, struct pollfd *fds, nfds_t n);

/*
 * Why a wait ended: fills ERR_INTERRUPTED after a signal, else code with ETIMEDOUT, and in the
 * details the name of the call's limit if that is over.  Returns -1.
 */
int deadline_error(enum err_code code, struct err *e, const char *fmt, ...) printflike(3, 4);

/* For such a message, that something has not happened: "in time", or that a signal came first. */
const char *deadline_end(void);

/* Sleep for ms at most, not beyond the deadline, not after a signal. */
void deadline_sleep(const struct deadline *d, unsigned int ms);

/* Install the handlers for SIGTERM and SIGINT; none has come so far. */
void deadline_catch_signals(void);
bool deadline_interrupted(void);
void deadline_undo(void);
/* We are undoing, and were told to stop: what matters most goes first. */
bool deadline_hurried(void);

#endif
