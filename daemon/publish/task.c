/* SPDX-License-Identifier: Apache-2.0 */
/* task.c - a piece of work that is done when something has changed, and again until it succeeds */
#include "daemon/publish/task.h"

#include "base/log.h"
#include "daemon/api/backoff.h"

#include <errno.h>
#include <stdlib.h>

struct task {
	const struct publishing *publishing;
	const char *name;
	int (*fn)(void *arg, struct err *e);
	void *arg;
	struct loop_timer *timer;
	int64_t due_at;			/* 0: it is not */
	int64_t not_before;		/* after the last run */
	struct backoff backoff;
	bool fails;
};

static void set_due(struct task *t, int64_t at)
{
	int64_t now = loop_now();

	if (at < t->not_before)
		at = t->not_before;
	if (t->due_at != 0 && t->due_at <= at)
		return;
	t->due_at = at;
	loop_timer_set(t->timer, at > now ? (unsigned int)(at - now) : 1);
}

static void tell_failure(const struct task *t, const struct err *e, unsigned int wait_ms)
{
	log_warning("msg=\"%s is tried again: %s\" after_ms=%u details=\"%s\"", t->name, e->msg,
		    wait_ms, e->details);
}

static void on_time(void *arg)
{
	struct task *t = arg;
	int64_t start = loop_now(), took;
	struct err e = { 0 };
	unsigned int wait_ms;
	int r;

	t->due_at = 0;
	r = t->fn(t->arg, &e);
	took = loop_now() - start;
	if (r == 0) {
		if (t->fails)
			log_info("msg=\"%s succeeds again\"", t->name);
		t->fails = false;
		t->backoff = (struct backoff){ 0 };
		t->not_before = loop_now() + TASK_DUTY * took;
		return;
	}
	wait_ms = backoff_next(&t->backoff, api_retry_after_ms(t->publishing->api));
	tell_failure(t, &e, wait_ms);
	t->fails = true;
	t->not_before = loop_now() + wait_ms;
	t->due_at = 0;
	set_due(t, t->not_before);
}

struct task *task_new(const struct publishing *p, const char *name,
		      int (*fn)(void *arg, struct err *e), void *arg, struct err *e)
{
	struct task *t = calloc(1, sizeof(*t));

	if (!t) {
		(void)err_set(e, ERR_IO, ENOMEM, "%s", name);
		return NULL;
	}
	*t = (struct task){ .publishing = p, .name = name, .fn = fn, .arg = arg };
	t->timer = loop_timer_new(p->loop, on_time, t, e);
	if (t->timer)
		return t;
	free(t);
	return NULL;
}

void task_due(struct task *t)
{
	set_due(t, loop_now() + TASK_GATHER_MS);
}

void task_due_in(struct task *t, unsigned int ms)
{
	if (ms > 0)
		set_due(t, loop_now() + ms);
}

void task_free(struct task *t)
{
	if (!t)
		return;
	loop_timer_free(t->timer);
	free(t);
}
