/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prestart.c - PreStartContainer: are a container's devices still there and well?
 *
 * A call goes through its devices in order, and stops at one that is being reset.  A timer looks at
 * all of them, often while one is under way; one whose child hangs in the kernel it only waits for,
 * and the call has been answered.
 */
#include "daemon/plugin/prestart.h"

#include "base/log.h"
#include "daemon/plugin/allocate.h"
#include "daemon/plugin/plugin_part.h"
#include "daemon/plugin/reset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOOK_MS = 10,
	LATE_MS = 1000,			/* for a child that hangs in the kernel */
	AT_ONCE = 4,			/* resets, each of which is up to two processes */
	FAILURES_MAX = 1024,
};

struct prestart {
	struct prestart *next;
	struct resource *of;		/* as long as there is a call */
	struct grpc_call *call;		/* NULL: it was answered, or given up */
	char resource[OFFER_RESOURCE];
	struct id_list ids;		/* owned */
	size_t at;			/* of them */
	struct reset *reset;		/* of ids.id[at]; owned; NULL: none is under way */
};

/* -- failures -- */

static void forget(struct offer_failures *f, const char *id)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->list[i].id, id) == 0) {
			f->list[i] = f->list[--f->n];
			return;
		}
}

/* The reason is for the log and kubelet's operators: the path in it is the device's own. */
static void note(struct prestarts *all, const char *id, const struct err *e)
{
	struct offer_failures *f = &all->failures;
	struct offer_failure *bigger;

	forget(f, id);
	bigger = f->n < FAILURES_MAX ? realloc(f->list, (f->n + 1) * sizeof(*bigger)) : NULL;
	if (!bigger)
		return;
	f->list = bigger;
	bigger += f->n++;
	(void)snprintf(bigger->id, sizeof(bigger->id), "%s", id);
	(void)snprintf(bigger->reason, sizeof(bigger->reason), "%.150s%s%.50s", e->msg,
		       *e->details ? ": " : "", e->details);
	if (all->plugin->opt.failed)
		all->plugin->opt.failed(all->plugin->opt.arg);
}

/* -- the answer -- */

static void answer(struct prestart *p, enum grpc_status status, const struct err *e)
{
	char text[sizeof(e->msg) + sizeof(e->details) + 2];

	if (!p->call)
		return;
	(void)snprintf(text, sizeof(text), "%s%s%s", e->msg, *e->details ? ": " : "", e->details);
	if (status != GRPC_OK)
		log_warning("resource=%s msg=\"container may not start\" why=%s details=%s "
			    "private=%s", p->resource, e->msg, e->details, e->private);
	if (status != GRPC_OK || grpc_call_send(p->call, NULL, 0) == 0)
		grpc_call_end(p->call, status, status == GRPC_OK ? NULL : text);
	serve_wait(p->of->serve);
	p->call = NULL;
	p->of = NULL;
}

static void closed(struct grpc_call *call, void *arg)
{
	struct prestart *p = arg;

	(void)call;
	p->call = NULL;
	p->of = NULL;
}

/* -- one device after the other -- */

/* One that hangs in the kernel, and whose call was answered, keeps nobody waiting. */
static size_t count_resets(const struct prestarts *all)
{
	size_t n = 0;

	for (const struct prestart *p = all->list; p; p = p->next)
		n += p->reset && p->at < p->ids.n;
	return n;
}

/* 1: its reset is under way, or has to wait for others'; 0: nothing is to be waited for; -1. */
static int start_device(const struct prestarts *all, struct prestart *p, enum grpc_status *status,
			struct err *e)
{
	struct access_world w = resource_world(p->of);
	const struct offered *d;
	int r;

	*status = allocate_check(&w, p->ids.id[p->at], &d, e);
	if (*status != GRPC_OK)
		return -1;
	if (!all->plugin->opt.reset || d->function == INV_NONE || d->auxiliary != INV_NONE)
		return 0;
	if (count_resets(all) >= AT_ONCE)
		return 1;
	r = reset_begin(w.host, d->id, &p->reset, e);
	*status = r < 0 ? GRPC_UNAVAILABLE : GRPC_OK;
	return r;
}

/* As far as it goes without waiting. */
static void go_on(const struct prestarts *all, struct prestart *p)
{
	struct err e = { 0 };
	enum grpc_status status = GRPC_OK;
	int r = 0;

	while (p->call && p->at < p->ids.n && r == 0) {
		r = start_device(all, p, &status, &e);
		p->at += r == 0;
	}
	if (r <= 0)
		answer(p, status, &e);
}

/* What is in use has not failed; a file that is missing, or what the kernel says, has. */
static void failed(struct prestarts *all, struct prestart *p, struct err *e)
{
	const char *id = p->ids.id[p->at];

	(void)err_wrap(e, "reset of device %s", id);
	if (e->code != ERR_TRY_AGAIN && e->code != ERR_INTERRUPTED)
		note(all, id, e);
	answer(p, GRPC_UNAVAILABLE, e);
	p->at = p->ids.n;
}

static void look_at_reset(struct prestarts *all, struct prestart *p)
{
	const char *id = p->ids.id[p->at];
	struct err e = { 0 };
	int r = reset_look(p->reset, &e);

	if (r == 0)
		return;
	if (r < 0) {
		failed(all, p, &e);
		return;
	}
	log_info("resource=%s device=%s msg=reset", p->resource, id);
	forget(&all->failures, id);
	p->at++;
	reset_free(p->reset);
	p->reset = NULL;
}

/* -- all of them -- */

static void prestart_free(struct prestart *p)
{
	if (p->call)
		grpc_call_on_closed(p->call, NULL, NULL);
	reset_free(p->reset);
	id_list_done(&p->ids);
	free(p);
}

/* It has its answer, and no child. */
static bool is_over(struct prestart *p)
{
	if (p->reset && p->at == p->ids.n && reset_has_ended(p->reset)) {
		reset_free(p->reset);
		p->reset = NULL;
	}
	return !p->call && !p->reset;
}

static void set_timer(struct prestarts *all)
{
	unsigned int ms = all->list ? LATE_MS : 0;

	for (const struct prestart *p = all->list; p; p = p->next)
		if (p->at < p->ids.n)
			ms = LOOK_MS;
	loop_timer_set(all->timer, ms);
}

static void look(void *arg)
{
	struct prestarts *all = arg;

	for (struct prestart **at = &all->list, *p; (p = *at);) {
		if (p->reset && p->at < p->ids.n)
			look_at_reset(all, p);
		if (!p->reset && p->call)
			go_on(all, p);
		if (!is_over(p)) {
			at = &p->next;
			continue;
		}
		*at = p->next;
		prestart_free(p);
	}
	set_timer(all);
}

void prestart_begin(struct resource *s, struct grpc_call *call, const unsigned char *msg,
		    size_t len)
{
	struct prestarts *all = &s->plugin->prestarts;
	struct prestart *p = calloc(1, sizeof(*p)), **last = &all->list;
	struct err e = { 0 };

	if (!p) {
		grpc_call_end(call, GRPC_RESOURCE_EXHAUSTED, "out of memory");
		return;
	}
	p->of = s;
	p->call = call;
	grpc_call_on_closed(call, closed, p);
	(void)snprintf(p->resource, sizeof(p->resource), "%s", s->name);
	if (prestart_request_decode(msg, len, &p->ids, &e) < 0)
		answer(p, GRPC_INVALID_ARGUMENT, &e);
	else
		go_on(all, p);
	if (is_over(p)) {
		prestart_free(p);
		return;
	}
	while (*last)			/* who came first is first */
		last = &(*last)->next;
	*last = p;
	set_timer(all);
}

int prestarts_open(struct plugin *p, struct prestarts *ret, struct err *e)
{
	*ret = (struct prestarts){ .plugin = p };
	ret->timer = loop_timer_new(p->loop, look, ret, e);
	return ret->timer ? 0 : -1;
}

void prestarts_done(struct prestarts *all)
{
	while (all->list) {
		struct prestart *p = all->list;

		all->list = p->next;
		prestart_free(p);
	}
	loop_timer_free(all->timer);
	free(all->failures.list);
}
