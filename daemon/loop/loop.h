/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.h - the one loop of the daemon: descriptors, timers and signals
 *
 * The room daemon/loop/ waits for all that the daemon waits for, by epoll(7), and calls a function
 * for each that is ready.  There are no threads: a function that is called runs to its end, and
 * nothing else does meanwhile, so it must not wait.  It may add, change and remove whatever it
 * wants, itself too.
 */
#ifndef DAEMON_LOOP_H
#define DAEMON_LOOP_H

#include "base/attr.h"
#include "base/err.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

struct loop;
struct loop_source;
struct loop_timer;

/* NULL with ERR_IO. */
struct loop *loop_new(struct err *e) must_check;
/* Its sources and timers are freed with it; descriptors stay open.  NULL is fine. */
void loop_free(struct loop *l);

/*
 * Call fn when fd, which is borrowed, is ready for one of events (POLLIN, POLLOUT; POLLERR and
 * POLLHUP always).  NULL with ERR_IO.
 */
struct loop_source *loop_add(struct loop *l, int fd, short events,
			     void (*fn)(short revents, void *arg), void *arg,
			     struct err *e) must_check;
/* Wait for these events from now on; 0: for errors alone. */
void loop_change(struct loop_source *s, short events);
/* Before its descriptor is closed.  Its function is not called any more.  NULL is fine. */
void loop_remove(struct loop_source *s);

/* A timer that stands still.  NULL with ERR_IO. */
struct loop_timer *loop_timer_new(struct loop *l, void (*fn)(void *arg), void *arg,
				  struct err *e) must_check;
/* Call its function once, ms from now, instead of when it was set to before; 0: not at all. */
void loop_timer_set(struct loop_timer *t, unsigned int ms);
bool loop_timer_is_set(const struct loop_timer *t);
void loop_timer_free(struct loop_timer *t);

/*
 * Call fn for this signal, which is blocked from now on: it interrupts nothing.  0, or -1 with
 * ERR_IO.
 *
 * A wait of base/deadline.h lets SIGTERM and SIGINT through even so: who catches them calls
 * deadline_catch_signals() first.  Such a wait ends then, and with it loop_run().
 */
int loop_catch(struct loop *l, int number, void (*fn)(void *arg), void *arg,
	       struct err *e) must_check;

/* Wait and call until loop_stop(), or a signal that has ended a wait.  0, or -1 with ERR_IO. */
int loop_run(struct loop *l, struct err *e) must_check;
/* Wait once, ms at most (-1: as long as it takes), and call what is ready. */
int loop_turn(struct loop *l, int ms, struct err *e) must_check;
void loop_stop(struct loop *l);

/* Milliseconds of CLOCK_MONOTONIC. */
int64_t loop_now(void);

#endif
