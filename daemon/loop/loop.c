/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.c - descriptors, timers and signals, by epoll(7)
 *
 * Theory of operation.  What is removed while functions are called may be meant by an event that
 * has been fetched already.  So a source or a timer that is removed only loses its function, and is
 * freed before the loop waits again.  There are some dozens of timers at most: they are a list that
 * is gone through for the next one, and one that has run out is found again from the head, since
 * any function may have changed the list.
 */
#include "daemon/loop/loop.h"

#include "base/deadline.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS_AT_ONCE = 64, SIGNALS_MAX = 8 };

struct loop_source {
	struct loop *loop;
	struct loop_source *next;
	int fd;
	void (*fn)(short revents, void *arg);	/* NULL: removed */
	void *arg;
};

struct loop_timer {
	struct loop *loop;
	struct loop_timer *next;
	int64_t at_ms;			/* 0: stands still */
	void (*fn)(void *arg);		/* NULL: removed */
	void *arg;
};

struct loop {
	int epoll, signals;		/* the latter -1 until one is caught */
	sigset_t caught;
	struct {
		int number;
		void (*fn)(void *arg);
		void *arg;
	} handlers[SIGNALS_MAX];
	size_t n_handlers;
	struct loop_source *sources;	/* owned */
	struct loop_timer *timers;	/* owned */
	bool dirty;			/* something in the lists was removed */
	bool stopped;
};

static_assert((int)EPOLLIN == POLLIN && (int)EPOLLOUT == POLLOUT && (int)EPOLLERR == POLLERR &&
	      (int)EPOLLHUP == POLLHUP, "events of epoll(7) are those of poll(2)");

int64_t loop_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct loop *loop_new(struct err *e)
{
	struct loop *l = calloc(1, sizeof(*l));
	int fd = l ? epoll_create1(EPOLL_CLOEXEC) : -1;

	if (fd < 0) {
		(void)err_set(e, ERR_IO, errno, "make the loop");
		free(l);
		return NULL;
	}
	*l = (struct loop){ .epoll = fd, .signals = -1 };
	(void)sigemptyset(&l->caught);
	return l;
}

/* Free what has been removed, or all. */
static void sweep(struct loop *l, bool all)
{
	for (struct loop_source **at = &l->sources; *at;) {
		struct loop_source *s = *at;

		if (s->fn && !all) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		free(s);
	}
	for (struct loop_timer **at = &l->timers; *at;) {
		struct loop_timer *t = *at;

		if (t->fn && !all) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		free(t);
	}
	l->dirty = false;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	sweep(l, true);
	if (l->signals >= 0) {
		(void)close(l->signals);
		(void)sigprocmask(SIG_UNBLOCK, &l->caught, NULL);
	}
	(void)close(l->epoll);
	free(l);
}

/* -- descriptors -- */

struct loop_source *loop_add(struct loop *l, int fd, short events,
			     void (*fn)(short revents, void *arg), void *arg, struct err *e)
{
	struct loop_source *s = malloc(sizeof(*s));
	struct epoll_event event = { .events = (uint16_t)events, .data.ptr = s };

	if (!s || epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &event) < 0) {
		(void)err_set(e, ERR_IO, errno, "wait for descriptor %d", fd);
		free(s);
		return NULL;
	}
	*s = (struct loop_source){ .loop = l, .next = l->sources, .fd = fd, .fn = fn, .arg = arg };
	l->sources = s;
	return s;
}

void loop_change(struct loop_source *s, short events)
{
	struct epoll_event event = { .events = (uint16_t)events, .data.ptr = s };

	(void)epoll_ctl(s->loop->epoll, EPOLL_CTL_MOD, s->fd, &event);
}

void loop_remove(struct loop_source *s)
{
	if (!s)
		return;
	(void)epoll_ctl(s->loop->epoll, EPOLL_CTL_DEL, s->fd, NULL);
	s->fn = NULL;
	s->loop->dirty = true;
}

/* -- timers -- */

struct loop_timer *loop_timer_new(struct loop *l, void (*fn)(void *arg), void *arg, struct err *e)
{
	struct loop_timer *t = malloc(sizeof(*t));

	if (!t) {
		(void)err_set(e, ERR_IO, ENOMEM, "make a timer");
		return NULL;
	}
	*t = (struct loop_timer){ .loop = l, .next = l->timers, .fn = fn, .arg = arg };
	l->timers = t;
	return t;
}

void loop_timer_set(struct loop_timer *t, unsigned int ms)
{
	t->at_ms = ms > 0 ? loop_now() + ms : 0;
}

bool loop_timer_is_set(const struct loop_timer *t)
{
	return t->at_ms != 0;
}

void loop_timer_free(struct loop_timer *t)
{
	if (!t)
		return;
	t->at_ms = 0;
	t->fn = NULL;
	t->loop->dirty = true;
}

/* The one that runs out first; NULL: none is set. */
static struct loop_timer *next_timer(const struct loop *l)
{
	struct loop_timer *first = NULL;

	for (struct loop_timer *t = l->timers; t; t = t->next)
		if (t->at_ms != 0 && (!first || t->at_ms < first->at_ms))
			first = t;
	return first;
}

/* Those that have run out by now; one that is set again meanwhile has its next turn later. */
static void run_timers(struct loop *l, int64_t now)
{
	struct loop_timer *t;

	while (!l->stopped && (t = next_timer(l)) && t->at_ms <= now) {
		t->at_ms = 0;
		t->fn(t->arg);
	}
}

static int wait_ms(const struct loop *l, int ms)
{
	const struct loop_timer *t = next_timer(l);
	int64_t left = t ? t->at_ms - loop_now() : INT32_MAX;

	if (left < 0)
		left = 0;
	return t && (ms < 0 || left < ms) ? (int)left : ms;
}

/* -- signals -- */

static void on_signal(short revents, void *arg)
{
	struct loop *l = arg;
	struct signalfd_siginfo info;

	(void)revents;
	while (read(l->signals, &info, sizeof(info)) == sizeof(info))
		for (size_t i = 0; i < l->n_handlers; i++)
			if (l->handlers[i].number == (int)info.ssi_signo)
				l->handlers[i].fn(l->handlers[i].arg);
}

int loop_catch(struct loop *l, int number, void (*fn)(void *arg), void *arg, struct err *e)
{
	bool is_first = l->signals < 0;
	int fd;

	if (l->n_handlers == SIGNALS_MAX)
		return err_set(e, ERR_IO, ENOSPC, "catch signal %d", number);
	(void)sigaddset(&l->caught, number);
	fd = signalfd(l->signals, &l->caught, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd >= 0)
		l->signals = fd;
	if (fd < 0 || sigprocmask(SIG_BLOCK, &l->caught, NULL) < 0)
		return err_set(e, ERR_IO, errno, "catch signal %d", number);
	l->handlers[l->n_handlers].number = number;
	l->handlers[l->n_handlers].fn = fn;
	l->handlers[l->n_handlers++].arg = arg;
	return is_first && !loop_add(l, fd, POLLIN, on_signal, l, e) ? -1 : 0;
}

/* -- the loop -- */

int loop_turn(struct loop *l, int ms, struct err *e)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	int n = epoll_wait(l->epoll, events, EVENTS_AT_ONCE, wait_ms(l, ms));

	if (n < 0 && errno != EINTR)
		return err_set(e, ERR_IO, errno, "wait");
	for (int i = 0; i < n && !l->stopped; i++) {
		const struct loop_source *s = events[i].data.ptr;

		if (s->fn)
			s->fn((short)events[i].events, s->arg);
	}
	run_timers(l, loop_now());
	if (l->dirty)
		sweep(l, false);
	return 0;
}

int loop_run(struct loop *l, struct err *e)
{
	l->stopped = false;
	while (!l->stopped && !deadline_interrupted())
		if (loop_turn(l, -1, e) < 0)
			return -1;
	return 0;
}

void loop_stop(struct loop *l)
{
	l->stopped = true;
}
