/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadline.h - every wait is bounded, and ends early at SIGTERM or SIGINT
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

/* A deadline that no signal ends: for the end of a child that is killed. */
struct deadline deadline_firm_in(unsigned int ms);

/* The one of two that passes first; as firm as a is. */
struct deadline deadline_earlier(const struct deadline *a, struct deadline b);

/*
 * Limit all waits of the call, but for firm ones, to ms since deadline_catch_signals(). undo_ms of
 * them are kept for the roll-back, which gets no more than these however early it begins. name, a
 * constant, is in the error of a wait that this limit ends.  A system call that blocks is
 * interrupted then.
 */
void deadline_limit(const char *name, unsigned int ms, unsigned int undo_ms);

/*
 * The deadline of the next of n steps in a row, so that none uses up the time of the others: an
 * equal share of what is left of *all (NULL: of the call), ms at most.
 */
struct deadline deadline_share(const struct deadline *all, unsigned int ms, unsigned int n);

/* Milliseconds left, 0 when it has passed or a signal came. */
int deadline_left_ms(const struct deadline *d);

/*
 * Every wait goes through this function.  As poll(2), it returns true when something is ready,
 * which the revents say, and looks once when no time is left.  It returns false when the time is
 * over or SIGTERM or SIGINT came, even before the call; other signals do not end it.
 */
bool deadline_poll(const struct deadline *d, struct pollfd *fds, nfds_t n);

/*
 * The same for the first of several waits that have ms together: *d, zeroed before, is set when
 * something is not ready at once, as most is: that needs no look at the clock.
 */
bool deadline_poll_in(struct deadline *d, unsigned int ms, struct pollfd *fds, nfds_t n);

/*
 * Why a wait ended: fills ERR_INTERRUPTED after a signal, else code with ETIMEDOUT, and in the
 * details the name of the call's limit if that is over.  Returns -1.
 */
int deadline_error(enum err_code code, struct err *e, const char *fmt, ...) printflike(3, 4);

/* The end of a message that something has not happened: "in time", or that a signal came first. */
const char *deadline_end(void);

/* Sleep for ms at most, not beyond the deadline, not after a signal. */
void deadline_sleep(const struct deadline *d, unsigned int ms);

/* Install the handlers for SIGTERM and SIGINT, and forget earlier ones. */
void deadline_catch_signals(void);
bool deadline_interrupted(void);
void deadline_undo(void);
/* Is this a roll-back after a signal, so that what matters most has to be undone first? */
bool deadline_hurried(void);

#endif
