/* SPDX-License-Identifier: Apache-2.0 */
/*
 * told.c - what was told last of each device, since when, and the last changes; the log of these
 *
 * An inventory is freed with the next look, so what is told is copied: a piece of memory for each
 * device, about 200 bytes.  What was told and what is are sorted, and gone through side by side.
 */
#include "daemon/report/told.h"

#include "base/log.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct err *e)
{
	return err_set(e, ERR_IO, ENOMEM, "a report of devices");
}

/* -- lists of devices -- */

struct devices {
	struct report_device **list;	/* owned, as is each */
	size_t n;
};

static void devices_done(struct devices *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->list[i]);
	free(d->list);
	*d = (struct devices){ .n = 0 };
}

static int compare(const void *a, const void *b)
{
	const struct report_device *const *x = a, *const *y = b;
	int r = strcmp((*x)->resource, (*y)->resource);

	return r ? r : strcmp((*x)->id, (*y)->id);
}

static const struct report_device *find(const struct told *t, const char *resource, const char *id)
{
	const struct report_device key = { .resource = resource, .id = id }, *at = &key;
	struct report_device **found = t->n == 0 ? NULL :
		bsearch(&at, t->list, t->n, sizeof(struct report_device *), compare);

	return found ? *found : NULL;
}

static int add_device(const struct told *t, const struct inventory *inv, const char *resource,
		      const struct offered *o, int64_t now_ms, struct devices *ret)
{
	const struct report_device *was = find(t, resource, o->id);
	struct report_device d = told_describe(inv, resource, o, was), *copy;

	d.since_ms = was && told_equal(was, &d) ? was->since_ms : now_ms;
	copy = told_copy(&d);
	if (!copy)
		return -1;
	ret->list[ret->n++] = copy;
	return 0;
}

static int make_devices(const struct told *t, const struct inventory *inv, const struct offers *o,
			int64_t now_ms, struct devices *ret, struct err *e)
{
	size_t total = 0;

	for (size_t i = 0; i < o->n; i++)
		total += o->list[i].n;
	ret->list = calloc(total + 1, sizeof(struct report_device *));
	if (!ret->list)
		return no_memory(e);
	for (size_t i = 0; i < o->n; i++)
		for (size_t k = 0; k < o->list[i].n; k++)
			if (add_device(t, inv, o->list[i].resource, &o->list[i].list[k], now_ms,
				       ret) < 0)
				return no_memory(e);
	if (ret->n > 0)
		qsort(ret->list, ret->n, sizeof(struct report_device *), compare);
	return 0;
}

/* -- what has changed -- */

void told_news_done(struct told_news *n)
{
	free(n->report.devices);
	free(n->report.gone);
	free(n->report.past);
	free(n->gone);
	*n = (struct told_news){ .gone = NULL };
}

/* Room for these, which are put in later. */
static int news_room(struct told_news *n, size_t devices, size_t gone, size_t past, struct err *e)
{
	n->report.devices = calloc(devices + 1, sizeof(*n->report.devices));
	n->report.gone = calloc(gone + 1, sizeof(*n->report.gone));
	n->report.past = calloc(past + 1, sizeof(*n->report.past));
	n->gone = calloc(gone + 1, sizeof(*n->gone));
	return n->report.devices && n->report.gone && n->report.past && n->gone ? 0 : no_memory(e);
}

static void put_changed(const struct report_device *d, struct told_news *n)
{
	n->report.devices[n->report.n_devices++] = *d;
}

static void put_gone(const struct report_device *d, struct told_news *n)
{
	char *text = n->gone[n->report.n_gone];

	(void)snprintf(text, TOLD_NAME, "%s/%s", d->resource, d->id);
	n->report.gone[n->report.n_gone++] = text;
}

/* A device before and now: NULL where there is none. */
typedef void pair_fn(const struct report_device *was, const struct report_device *is, void *arg);

static void each_pair(const struct told *t, const struct devices *is, pair_fn *fn, void *arg)
{
	for (size_t i = 0, k = 0; i < t->n || k < is->n;) {
		int c = i == t->n ? 1 : k == is->n ? -1 : compare(&t->list[i], &is->list[k]);

		fn(c <= 0 ? t->list[i] : NULL, c >= 0 ? is->list[k] : NULL, arg);
		i += c <= 0;
		k += c >= 0;
	}
}

/* The log has all at first, and then what has become of a device, whoever has it. */
static void log_pair(const struct report_device *was, const struct report_device *is, void *arg)
{
	(void)arg;
	if (was && !is)
		log_info("msg=\"device is offered no more\" resource=%s device=%s",
			 was->resource, was->id);
	else if (is && (!was || was->healthy != is->healthy ||
			strcmp(was->reason, is->reason) != 0))
		log_info("msg=\"device\" resource=%s device=%s health=%s why=\"%s\"",
			 is->resource, is->id, is->healthy ? "Healthy" : "Unhealthy", is->reason);
}

static void count_gone(const struct report_device *was, const struct report_device *is, void *arg)
{
	size_t *n = arg;

	*n += was && !is;
}

static void put_news(const struct report_device *was, const struct report_device *is, void *arg)
{
	if (is && (!was || !told_equal(was, is)))
		put_changed(is, arg);
	else if (was && !is)
		put_gone(was, arg);
}

/* -- the last changes -- */

struct noting {
	struct told *told;
	int64_t now_ms;
};

/* Without memory for it one is not remembered. */
static void note(const struct report_device *was, const struct report_device *is, void *arg)
{
	const struct noting *n = arg;
	struct told *t = n->told;
	size_t at = t->n_past % TOLD_PAST;
	struct report_device *copy;

	if (was && is && told_equal(was, is))
		return;
	copy = told_copy(is ? is : was);
	if (!copy)
		return;
	free(t->past[at].device);
	t->past[at].device = copy;
	t->past[at].at_ms = n->now_ms;
	t->past[at].gone = !is;
	t->n_past++;
}

static void put_past(const struct told *t, struct told_news *n)
{
	for (size_t i = t->n_past > TOLD_PAST ? t->n_past - TOLD_PAST : 0; i < t->n_past; i++) {
		size_t at = i % TOLD_PAST;

		n->report.past[n->report.n_past++] = (struct report_change){
			.at_ms = t->past[at].at_ms, .gone = t->past[at].gone,
			.device = *t->past[at].device,
		};
	}
}

/* -- from outside -- */

static void take(struct told *t, struct devices *is)
{
	const struct devices was = { t->list, t->n };

	t->list = is->list;
	t->n = is->n;
	t->begun = true;
	*is = was;
}

int told_update(struct told *t, const struct inventory *inv, const struct offers *o, int64_t now_ms,
		struct told_news *ret, struct err *e)
{
	auto_with(devices_done) struct devices is = { .n = 0 };
	auto_told_news struct told_news news = { .report.at_ms = now_ms };
	struct noting noting = { t, now_ms };
	size_t n_gone = 0;

	if (make_devices(t, inv, o, now_ms, &is, e) < 0)
		return -1;
	each_pair(t, &is, count_gone, &n_gone);
	if (news_room(&news, is.n, n_gone, 0, e) < 0)
		return -1;
	each_pair(t, &is, log_pair, NULL);
	if (t->begun) {
		each_pair(t, &is, put_news, &news);
		each_pair(t, &is, note, &noting);
	}
	take(t, &is);
	*ret = news;
	news = (struct told_news){ .gone = NULL };
	return 0;
}

int told_all(const struct told *t, bool past, int64_t now_ms, struct told_news *ret, struct err *e)
{
	auto_told_news struct told_news news = {
		.report = { .complete = true, .at_ms = now_ms },
	};

	if (news_room(&news, t->n, 0, past ? TOLD_PAST : 0, e) < 0)
		return -1;
	for (size_t i = 0; i < t->n; i++)
		put_changed(t->list[i], &news);
	if (past)
		put_past(t, &news);
	*ret = news;
	news = (struct told_news){ .gone = NULL };
	return 0;
}

void told_done(struct told *t)
{
	struct devices all = { t->list, t->n };

	devices_done(&all);
	for (size_t i = 0; i < TOLD_PAST; i++)
		free(t->past[i].device);
	*t = (struct told){ .n = 0 };
}
