/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_follow.c - lists and watches that fail, slowly or by what they say
 *
 * The API server is played: its lists are answered from a number of pods, and a watch is what the
 * test says.  Time is the test's too; each wait is noted, and ends at once.
 */
#include "daemon/api/follow.h"

#include "daemon/api/backoff.h"
#include "daemon/api/stream.h"
#include "tests/unit/logged.h"
#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	int n_pods, n_lists, n_pages, n_watches;
	int64_t now, takes;		/* ms; the second: for one page */
	unsigned int waited;		/* ms, the last time */
	const struct stream_calls *calls;
	void *arg;
} server;

static json_t *pod(int i)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "p%d", i);
	return json_pack("{s:{s:s,s:s,s:s}}", "metadata", "name", name, "namespace", "shop",
			 "resourceVersion", "7");
}

int __wrap_api_send(struct api *a, const struct api_request *r, json_t **ret, struct err *e);
int __wrap_api_send(struct api *a, const struct api_request *r, json_t **ret, struct err *e)
{
	const char *from = strstr(r->path, "continue=");
	int first = from ? atoi(from + strlen("continue=")) : 0, i = first;
	json_t *items = json_array(), *metadata = json_pack("{s:s}", "resourceVersion", "7");

	(void)a, (void)e;
	server.n_lists += !from;
	server.n_pages++;
	server.now += server.takes;
	for (; i < server.n_pods && i < first + FOLLOW_PAGE; i++)
		(void)json_array_append_new(items, pod(i));
	if (i < server.n_pods)
		(void)json_object_set_new(metadata, "continue", json_sprintf("%d", i));
	*ret = json_pack("{s:o,s:o}", "metadata", metadata, "items", items);
	return 1;
}

unsigned int __wrap_api_retry_after_ms(const struct api *a);
unsigned int __wrap_api_retry_after_ms(const struct api *a)
{
	(void)a;
	return 0;
}

struct stream *__wrap_stream_open(struct api *a, const char *path, bool metadata,
				  unsigned int max_ms, const struct stream_calls *calls, void *arg,
				  struct err *e);
struct stream *__wrap_stream_open(struct api *a, const char *path, bool metadata,
				  unsigned int max_ms, const struct stream_calls *calls, void *arg,
				  struct err *e)
{
	(void)a, (void)path, (void)metadata, (void)max_ms, (void)e;
	server.n_watches++;
	server.calls = calls;
	server.arg = arg;
	return (struct stream *)(void *)&server;
}

void __wrap_stream_free(struct stream *s);
void __wrap_stream_free(struct stream *s)
{
	(void)s;
}

int64_t __wrap_loop_now(void);
int64_t __wrap_loop_now(void)
{
	return server.now;
}

void __real_loop_timer_set(struct loop_timer *t, unsigned int ms);
void __wrap_loop_timer_set(struct loop_timer *t, unsigned int ms);
void __wrap_loop_timer_set(struct loop_timer *t, unsigned int ms)
{
	server.waited = ms;
	__real_loop_timer_set(t, ms > 0);
}

static json_t *keep(const json_t *object, void *arg)
{
	(void)object, (void)arg;
	return json_true();
}

static void changed(void *arg)
{
	(*(int *)arg)++;
}

static const struct follow_what what = {
	.path = "/api/v1/pods", .selector = "", .keep = keep, .changed = changed,
};

/* Until there is another watch, for a second. */
static void await_watch(struct loop *l)
{
	struct err e;
	int before = server.n_watches;

	for (int i = 0; i < 100 && server.n_watches == before; i++)
		ok(loop_turn(l, 10, &e) == 0);
	eqi(server.n_watches, before + 1);
}

/* The watch ends, so long after it began. */
static void end(int64_t ms, long status, bool fails)
{
	struct err why = { 0 };

	(void)err_set(&why, ERR_TRY_AGAIN, 0, "as the test wants");
	server.now += ms;
	server.calls->end(status, 0, fails ? &why : NULL, server.arg);
}

static bool feed(const char *event)
{
	return server.calls->bytes(event, strlen(event), server.arg);
}

static void check_waits(struct loop *l)
{
	await_watch(l);
	test("a watch that was well goes on at once, and one that was cut soon");
	end(60000, 200, false);
	eqi(server.waited, 1);
	await_watch(l);
	end(60000, 200, true);
	ok(server.waited <= 100);
	await_watch(l);

	test("one that is refused, however slowly, waits longer each time");
	for (int i = 0; i < 8; i++) {
		end(5000, 503, true);
		await_watch(l);
	}
	ok(server.waited >= 100 << 7);

	test("so does one that ends as it begins");
	end(60000, 200, false);
	await_watch(l);
	for (int i = 0; i < 8; i++) {
		end(10, 200, false);
		await_watch(l);
	}
	ok(server.waited >= 6400);
}

static void check_absent(struct loop *l)
{
	int before = server.n_lists;

	test("one that was well goes on without a list");
	end(60000, 200, false);
	await_watch(l);
	eqi(server.n_lists, before);

	test("behind one of what the server does not know any more the list is read anew");
	end(10, 410, true);
	await_watch(l);
	eqi(server.n_lists, before + 1);

	test("so it is behind one of what the server does not have");
	end(10, 404, true);
	await_watch(l);
	eqi(server.n_lists, before + 2);
}

static void check_number(struct loop *l, const struct follow *f, const int *n_changes)
{
	int before;

	test("as many objects as may be are followed");
	server.n_pods = FOLLOW_OBJECTS_MAX;
	end(60000, 410, true);
	await_watch(l);
	eqi(json_object_size(follow_objects(f)), FOLLOW_OBJECTS_MAX);
	before = *n_changes;
	ok(feed("{\"type\": \"MODIFIED\", \"object\": {\"metadata\": {\"name\": \"p3\", "
		"\"namespace\": \"shop\", \"resourceVersion\": \"8\"}}}\n"));
	eqi(*n_changes, before + 1);

	test("one more, of a watch, is told, and the list is read anew");
	keep_log();
	before = server.n_lists;
	ok(!feed("{\"type\": \"ADDED\", \"object\": {\"metadata\": {\"name\": \"more\", "
		 "\"namespace\": \"shop\", \"resourceVersion\": \"9\"}}}\n"));
	end(60000, 200, false);
	ok(logged("there are more than 10000 objects"));
	await_watch(l);
	eqi(server.n_lists, before + 1);
	eqi(json_object_size(follow_objects(f)), FOLLOW_OBJECTS_MAX);
}

static void check_time(struct loop *l)
{
	struct err e;
	int before = server.n_pages;

	test("a list whose pages are slow is given up, and begun anew later");
	keep_log();
	server.takes = 20000;
	end(60000, 410, true);
	for (int i = 0; i < 100 && server.n_pages == before; i++)
		ok(loop_turn(l, 10, &e) == 0);
	eqi(server.n_pages - before, FOLLOW_LIST_MS / 20000);
	ok(logged("takes more than 300 s for the list"));
	ok(server.waited >= BACKOFF_FIRST_MS / 2);

	test("one that takes most of that time is read");
	server.takes = (FOLLOW_LIST_MS - 1000) / (FOLLOW_OBJECTS_MAX / FOLLOW_PAGE);
	await_watch(l);
	server.takes = 0;
}

int main(void)
{
	struct err e = { 0 };
	struct loop *l = loop_new(&e);
	int n_changes = 0;
	struct follow *f = l ? follow_new(NULL, l, &what, &n_changes, &e) : NULL;

	test("it begins with a list");
	ok(f && !follow_objects(f));
	if (f) {
		check_waits(l);
		check_absent(l);
		check_number(l, f, &n_changes);
		check_time(l);
	}
	follow_free(f);
	loop_free(l);
	return tap_end();
}
