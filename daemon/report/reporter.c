/* SPDX-License-Identifier: Apache-2.0 */
/* reporter.c - the daemon's own socket: the readers, and what each is sent */
#include "daemon/report/reporter.h"

#include "base/log.h"
#include "base/mem.h"
#include "daemon/report/told.h"
#include "daemon/serve/serve.h"
#include "devinfo/grpc/server.h"
#include "manager/report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
	READERS_MAX = 8,
	CLIENTS_MAX = 16,		/* one that has not asked yet is none */
	MAX_REQUEST = 1024,		/* bytes */
	MAX_CALLS = 4,			/* of one client at once */
};

struct reader {
	struct reporter *reporter;
	struct grpc_call *call;
	struct reader *next;
	bool past;
	bool owed;			/* it has not been told of all yet */
};

struct reporter {
	const struct host *host;
	struct grpc_service service;
	struct serve *serve;		/* owned */
	struct reader *readers;		/* owned, as is each */
	unsigned int n_readers;
	struct told told;
};

static int64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* -- readers -- */

static void reader_free(struct reader *reader)
{
	struct reader **p = &reader->reporter->readers;

	while (*p != reader)
		p = &(*p)->next;
	*p = reader->next;
	reader->reporter->n_readers--;
	free(reader);
}

static void on_closed(struct grpc_call *call, void *arg)
{
	(void)call;
	reader_free(arg);
}

/* One that cannot be told has ended, and is gone. */
static void tell(struct reader *reader, const struct report *report)
{
	auto_report_message struct report_message m = { .len = 0 };
	struct err e = { 0 };

	if (report_encode(report, &m, &e) < 0) {
		grpc_call_end(reader->call, GRPC_RESOURCE_EXHAUSTED, e.msg);
		reader_free(reader);
	} else if (grpc_call_send(reader->call, m.data, m.len) < 0) {
		reader_free(reader);
	}
}

static void tell_all(struct reader *reader)
{
	auto_told_news struct told_news all = { .gone = NULL };
	struct err e = { 0 };

	if (told_all(&reader->reporter->told, reader->past, now_ms(), &all, &e) < 0) {
		grpc_call_end(reader->call, GRPC_RESOURCE_EXHAUSTED, e.msg);
		reader_free(reader);
		return;
	}
	reader->owed = false;
	tell(reader, &all.report);
}

static void add_reader(struct reporter *r, struct grpc_call *call, bool past)
{
	struct reader *reader = malloc(sizeof(*reader));

	if (!reader) {
		grpc_call_end(call, GRPC_RESOURCE_EXHAUSTED, "no memory for another reader");
		return;
	}
	*reader = (struct reader){ .reporter = r, .call = call, .next = r->readers, .past = past,
				   .owed = true };
	r->readers = reader;
	r->n_readers++;
	grpc_call_on_closed(call, on_closed, reader);
	if (r->told.begun)
		tell_all(reader);
}

static void watch(struct grpc_call *call, const unsigned char *msg, size_t len, void *arg)
{
	struct reporter *r = arg;
	struct err e = { 0 };
	bool past = false;
	char words[64];

	if (report_request_decode(msg, len, &past, &e) < 0) {
		grpc_call_end(call, GRPC_INVALID_ARGUMENT, e.msg);
	} else if (r->n_readers >= READERS_MAX) {
		(void)snprintf(words, sizeof(words), "as many follow devinfod as may at once: %d",
			       READERS_MAX);
		grpc_call_end(call, GRPC_RESOURCE_EXHAUSTED, words);
	} else {
		add_reader(r, call, past);
	}
}

/* -- changes -- */

static void tell_readers(struct reporter *r, const struct report *news)
{
	for (struct reader *reader = r->readers, *next; reader; reader = next) {
		next = reader->next;
		if (reader->owed)
			tell_all(reader);
		else if (news->n_devices == 0 && news->n_gone == 0)
			continue;
		else if (grpc_call_is_behind(reader->call))
			tell_all(reader);
		else
			tell(reader, news);
	}
	serve_wait(r->serve);
}

/* Another one of that name is another daemon's, and is left alone. */
static void serve_again(struct reporter *r)
{
	struct file_id there = serve_file_id(r->host->root, r->host->set.run_dir, REPORT_SOCKET);
	struct err e = { 0 };

	if (serve_is_there(r->serve) || there.ino != 0)
		return;
	if (serve_open(r->serve, &e) < 0)
		log_warning("msg=\"nobody can follow\" why=%s details=%s", e.msg, e.details);
}

void reporter_set_offers(struct reporter *r, const struct inventory *inv, const struct offers *o)
{
	auto_told_news struct told_news news = { .gone = NULL };
	struct err e = { 0 };

	serve_again(r);
	if (told_update(&r->told, inv, o, now_ms(), &news, &e) < 0) {
		log_error("msg=\"readers are not told: %s\" details=\"%s\"", e.msg, e.details);
		return;
	}
	tell_readers(r, &news.report);
}

/* -- life -- */

void reporter_free(struct reporter *r)
{
	if (!r)
		return;
	serve_free(r->serve);
	told_done(&r->told);
	free(r);
}

static void reporter_free_ptr(struct reporter **r)
{
	reporter_free(*r);
}

struct reporter *reporter_new(struct loop *l, const struct host *host, struct err *e)
{
	static const struct grpc_method methods[] = { { REPORT_METHOD, watch } };
	auto_with(reporter_free_ptr) struct reporter *r = calloc(1, sizeof(*r));

	if (!r) {
		(void)err_set(e, ERR_IO, ENOMEM, "a reporter");
		return NULL;
	}
	r->host = host;
	r->service = (struct grpc_service){
		.methods = methods, .n = ARRAY_SIZE(methods), .max_request = MAX_REQUEST,
		.max_calls = MAX_CALLS, .arg = r,
	};
	r->serve = serve_new(l, &(struct serve_options){
		.service = &r->service, .root = host->root, .dir = host->set.run_dir,
		.name = REPORT_SOCKET, .max_clients = CLIENTS_MAX,
	}, e);
	if (!r->serve || serve_open(r->serve, e) < 0)
		return NULL;
	return steal_ptr(&r);
}
