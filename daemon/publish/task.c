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

static void on_success(struct task *t, int64_t began)
{
	int64_t now = loop_now();

	if (t->backoff.tries > 0)
		log_info("msg=\"%s succeeds again\"", t->name);
	t->backoff = (struct backoff){ 0 };
	t->not_before = now + TASK_DUTY * (now - began);
}

/* What the work has said meanwhile of when it is due does not count. */
static void on_failure(struct task *t, const struct err *e)
{
	unsigned int wait_ms = backoff_next(&t->backoff, api_retry_after_ms(t->publishing->api));

	log_warning("msg=\"%s is tried again: %s\" after_ms=%u details=\"%s\"", t->name, e->msg,
		    wait_ms, e->details);
	t->not_before = loop_now() + wait_ms;
	t->due_at = 0;
	set_due(t, t->not_before);
}

static void on_time(void *arg)
{
	struct task *t = arg;
	int64_t began = loop_now();
	struct err e = { 0 };

	t->due_at = 0;
	if (t->fn(t->arg, &e) == 0)
		on_success(t, began);
	else
		on_failure(t, &e);
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
