/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - when samples are collected, and who gets them */
#include "daemon/metrics/metrics.h"

#include "base/log.h"
#include "base/mem.h"
#include "daemon/metrics/collection.h"
#include "daemon/metrics/http.h"
#include "daemon/metrics/listen.h"
#include "daemon/metrics/textfile.h"
#include "devinfo/tally/tally.h"

#include <errno.h>
#include <stdlib.h>

enum {
	FRESH_MS = 1000,		/* samples of that age are told again */
	EXPOSITIONS_MAX = 2,		/* while slow clients have more, others get the last */
	SLICE_MS = 5,			/* of a collection at a time, and then */
	PAUSE_MS = 1,
	FIRST_MS = 1000,		/* until the first file, */
	PERIOD_MS = 60 * 1000,		/* and until the next; a failed socket is tried then, too */
};

struct metrics {
	struct loop *loop;
	const struct host *host;
	const struct inventory *inv;
	const struct offers *offers;
	struct loop_timer *step, *period;

	struct http *http;		/* NULL: no address, or it cannot be had now */
	struct collection *collection;	/* NULL: none is under way */
	struct exposition *last;	/* owned; NULL: there are none yet */
	int64_t last_ms;
	bool for_file;			/* the collection's samples are written, too */
	bool told_address, told_file;	/* what is wrong, once */
	struct file_id socket;	/* of the address */
};

/* -- collecting -- */

static void write_file(struct metrics *m, const struct exposition *x)
{
	struct err e;

	m->for_file = false;
	if (!x)
		return;
	if (textfile_write(m->host, m->host->set.metrics_file, x, &e) == 0) {
		m->told_file = false;
	} else if (!m->told_file) {
		log_warning("msg=\"metrics: %s\" details=\"%s\"", e.msg, e.details);
		m->told_file = true;
	}
}

static void finish(struct metrics *m)
{
	struct exposition *x = m->collection ? collection_take(m->collection) : NULL;

	collection_free(m->collection);
	m->collection = NULL;
	exposition_release(m->last);
	m->last = x;
	m->last_ms = loop_now();
	if (m->for_file)
		write_file(m, x);
	if (m->http)
		http_answer(m->http, x);
}

static void on_step(void *arg)
{
	struct metrics *m = arg;
	int64_t until = loop_now() + SLICE_MS;

	if (!m->collection) {		/* nobody gets the last ones any more */
		exposition_release(m->last);
		m->last = NULL;
		m->collection = collection_new(m->host, m->inv, m->offers);
	}
	while (m->collection && collection_step(m->collection))
		if (loop_now() >= until) {
			loop_timer_set(m->step, PAUSE_MS);
			return;
		}
	finish(m);
}

static void begin(struct metrics *m)
{
	if (!m->collection && !loop_timer_is_set(m->step))
		loop_timer_set(m->step, PAUSE_MS);
}

static struct exposition *on_ask(void *arg)
{
	struct metrics *m = arg;

	if (m->last && (loop_now() - m->last_ms < FRESH_MS ||
			exposition_count() > EXPOSITIONS_MAX))
		return exposition_share(m->last);
	begin(m);
	return NULL;
}

/* -- where they are told -- */

static void serve(struct metrics *m)
{
	const struct http_source source = { .ask = on_ask, .arg = m };
	const char *address = m->host->set.metrics_address;
	struct err e;
	int fd = listen_open(m->host, address, &m->socket, &e);

	m->http = fd >= 0 ? http_new(m->loop, fd, &source, &e) : NULL;
	if (m->http) {
		log_info("msg=\"metrics are served\" address=%s", address);
	} else if (!m->told_address) {
		log_error("msg=\"metrics are not served: %s\" details=\"%s\"", e.msg, e.details);
		m->told_address = true;
	}
}

static void count_calls(const struct host *host)
{
	struct err e;
	int r = tally_make(host, &e);

	if (r == 0)
		log_info("msg=\"calls of the plugin are not counted: runDir is on no tmpfs\" "
			 "runDir=%s", host->set.run_dir);
	if (r < 0)
		log_warning("msg=\"calls of the plugin are not counted: %s\" details=\"%s\"",
			    e.msg, e.details);
}

/* The file that counts calls may have been removed, with all that was in runDir. */
static void on_period(void *arg)
{
	struct metrics *m = arg;
	struct err ignored;

	(void)!tally_make(m->host, &ignored);
	if (m->host->set.metrics_address && !m->http)
		serve(m);
	if (m->host->set.metrics_file) {
		m->for_file = true;
		begin(m);
	}
	loop_timer_set(m->period, PERIOD_MS);
}

struct metrics *metrics_new(struct loop *l, const struct host *host, const struct inventory *inv,
			    const struct offers *offers, struct err *e)
{
	struct metrics *m = calloc(1, sizeof(*m));

	if (!m) {
		(void)err_set(e, ERR_IO, ENOMEM, "tell metrics");
		return NULL;
	}
	*m = (struct metrics){ .loop = l, .host = host, .inv = inv, .offers = offers };
	m->step = loop_timer_new(l, on_step, m, e);
	m->period = m->step ? loop_timer_new(l, on_period, m, e) : NULL;
	if (!m->period) {
		metrics_free(m);
		return NULL;
	}
	if (!host->set.metrics_address && !host->set.metrics_file)
		return m;
	count_calls(host);
	if (host->set.metrics_address)
		serve(m);
	loop_timer_set(m->period, FIRST_MS);
	return m;
}

void metrics_free(struct metrics *m)
{
	if (!m)
		return;
	loop_timer_free(m->step);
	loop_timer_free(m->period);
	if (m->http)
		listen_remove(m->host, m->host->set.metrics_address, &m->socket);
	http_free(m->http);
	if (m->host->set.metrics_file)
		textfile_remove(m->host, m->host->set.metrics_file);
	collection_free(m->collection);
	exposition_release(m->last);
	free(m);
}
