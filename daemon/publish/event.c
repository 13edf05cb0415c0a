/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.c - Events on the Node, when a device cannot be used any more, or can again
 *
 * Theory of operation.  devinfod decides which devices can be used, and tells on its socket;
 * without it nothing is told.  An Event's name is made of what it says and since when that is so:
 * one that was written before this program was killed is there already, and is not written twice.
 * How many are written is bounded, by a bucket that fills again; what waits is told as it is then.
 */
#include "daemon/publish/publish.h"

#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "daemon/api/backoff.h"
#include "daemon/publish/event_list.h"
#include "daemon/publish/node.h"
#include "daemon/publish/task.h"
#include "manager/report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EVENTS_PATH	"/apis/events.k8s.io/v1/namespaces/default/events"
#define CONTROLLER	"devinfo.cni.dev/publish"

enum {
	GATHER_MS = 1000,		/* what becomes of many devices at a time is one Event */
	BURST = 25,			/* Events at once, */
	EACH_MS = 10 * 1000,		/* and then one in this time */
	SERIES_MS = 10 * 60 * 1000,	/* the same again within it is counted */
	CONNECT_MS = 500, MESSAGES_AT_ONCE = 64, TIME_SIZE = 40,
};

struct events {
	const struct publishing *publishing;
	struct task *task;
	struct loop_timer *timer;	/* of the next connection, or of what has come by it */
	struct backoff backoff;
	struct report_client *client;	/* owned; NULL: devinfod does not answer */
	struct loop_source *source;
	json_t *devices;		/* owned; see event_list.h */
	json_t *series;			/* owned; by note {"name", "count", "at"} */
	char uid[NODE_UID_SIZE];	/* of the Node; "": not known yet */
	unsigned int tokens;		/* Events that may be written now */
	int64_t filled_at;
};

/* -- what devinfod tells -- */

static void disconnect(struct events *v, const struct err *why)
{
	loop_remove(v->source);
	report_free(v->client);
	v->source = NULL;
	v->client = NULL;
	log_debug("msg=\"devinfod is not heard: %s\"", why->msg);
	loop_timer_set(v->timer, backoff_next(&v->backoff, 0));
}

static void on_message(short revents, void *arg)
{
	struct events *v = arg;
	struct deadline now = deadline_in(0);
	struct err e = { 0 };
	int r = 1;

	(void)revents;
	for (int i = 0; i < MESSAGES_AT_ONCE && r > 0; i++) {
		auto_report struct report report = { .complete = false };

		r = report_next(v->client, &now, &report, &e);
		if (r <= 0)
			break;
		r = event_list_take(v->devices, &report, &e) < 0 ? -1 : r;
		v->backoff = (struct backoff){ 0 };
		task_due_in(v->task, GATHER_MS);
	}
	if (r < 0) {
		disconnect(v, &e);
		return;
	}
	if (r > 0)	/* what more there is may be with the client: its descriptor tells not */
		loop_timer_set(v->timer, 1);
	loop_change(v->source, report_events(v->client));
}

static void connect_again(struct events *v)
{
	const struct deadline d = deadline_in(CONNECT_MS);
	struct err e = { 0 };

	v->client = report_connect(v->publishing->host, false, &d, &e);
	if (v->client)
		v->source = loop_add(v->publishing->loop, report_fd(v->client),
				     report_events(v->client), on_message, v, &e);
	if (!v->source)
		disconnect(v, &e);
	else
		on_message(0, v);
}

static void on_time(void *arg)
{
	struct events *v = arg;

	if (v->client)
		on_message(0, v);
	else
		connect_again(v);
}

/* -- how many may be written -- */

static bool take_token(struct events *v)
{
	int64_t now = loop_now(), more = (now - v->filled_at) / EACH_MS;

	if (more > 0) {
		v->filled_at += more * EACH_MS;
		v->tokens = more < BURST - (int64_t)v->tokens ?
				    v->tokens + (unsigned int)more : BURST;
	}
	if (v->tokens == 0)
		return false;
	v->tokens--;
	return true;
}

/* -- one Event -- */

static void time_text(int64_t ms, char ret[TIME_SIZE])
{
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm;
	size_t n = gmtime_r(&seconds, &tm) ? strftime(ret, TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &tm) : 0;

	(void)snprintf(ret + n, TIME_SIZE - n, ".%03d000Z", (int)(ms % 1000));
}

static int64_t wall_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static const char *note_of(const json_t *entry)
{
	return jx_get_text(entry, "note");
}

static json_t *make_name(const struct events *v, const json_t *entry)
{
	json_int_t since = json_integer_value(json_object_get(entry, "since"));
	uint64_t hash = name_hash((uint64_t)since, note_of(entry));

	return json_sprintf("%.200s.%016llx", v->publishing->node, (unsigned long long)hash);
}

/* The reference to the name is taken. */
static json_t *make_event(const struct events *v, const json_t *entry, json_t *name)
{
	const struct publishing *p = v->publishing;
	json_t *regarding = json_pack("{s:s,s:s,s:s,s:s}", "apiVersion", "v1", "kind", "Node",
				      "name", p->node, "uid", v->uid);
	bool healthy = json_is_true(json_object_get(entry, "healthy"));
	char now[TIME_SIZE], instance[128];

	time_text(wall_ms(), now);
	(void)snprintf(instance, sizeof(instance), "%.127s", p->node);
	return json_pack("{s:s,s:s,s:{s:o,s:s},s:s,s:s,s:s,s:s,s:s,s:s,s:O,s:o}", "apiVersion",
			 "events.k8s.io/v1", "kind", "Event", "metadata", "name", name, "namespace",
			 "default", "eventTime", now, "reportingController", CONTROLLER,
			 "reportingInstance", instance, "action", "CheckHealth", "reason",
			 healthy ? "DeviceHealthy" : "DeviceUnhealthy", "type",
			 healthy ? "Normal" : "Warning", "note", json_object_get(entry, "note"),
			 "regarding", regarding);
}

static int create(const struct events *v, const json_t *entry, struct err *e)
{
	json_t *name = make_name(v, entry);
	json_auto_t *event = make_event(v, entry, json_incref(name)), *key = name;
	int r = api_send(v->publishing->api, &(struct api_request){
		.method = API_POST, .path = EVENTS_PATH, .body = event }, NULL, e);

	if (r == 0)
		return err_set(e, ERR_UNAVAILABLE, 0, "the API server has no " EVENTS_PATH);
	if (r < 0 && api_status(v->publishing->api) != API_CONFLICT)
		return -1;
	(void)json_object_set_new(v->series, note_of(entry),
				  json_pack("{s:O,s:i,s:I}", "name", key, "count", 1, "at",
					    (json_int_t)loop_now()));
	log_info("msg=\"an Event is published\" note=\"%s\"", note_of(entry));
	return 0;
}

/* The same as not long ago: it is counted.  1, 0: there is none, -1. */
static int count(const struct events *v, const json_t *entry, struct err *e)
{
	json_t *series = json_object_get(v->series, note_of(entry));
	json_int_t n = json_integer_value(json_object_get(series, "count")) + 1;
	json_auto_t *body = NULL;
	char now[TIME_SIZE], path[API_PATH_MAX];
	int r;

	if (!series)
		return 0;
	time_text(wall_ms(), now);
	(void)snprintf(path, sizeof(path), EVENTS_PATH "/%s",
		       jx_get_text(series, "name"));
	body = json_pack("{s:{s:I,s:s}}", "series", "count", n, "lastObservedTime", now);
	r = api_send(v->publishing->api, &(struct api_request){
		.method = API_PATCH, .path = path, .body = body }, NULL, e);
	if (r > 0)
		(void)json_object_set_new(series, "count", json_integer(n));
	return r;
}

static void forget_old(const struct events *v)
{
	json_t *series;
	const char *note;
	void *next;

	json_object_foreach_safe(v->series, next, note, series)
		if (loop_now() - json_integer_value(json_object_get(series, "at")) >
		    SERIES_MS)
			(void)json_object_del(v->series, note);
}

static int tell(const struct events *v, const json_t *entry, struct err *e)
{
	int r = count(v, entry, e);

	return r < 0 ? -1 : r > 0 ? 0 : create(v, entry, e);
}

/* A Node that is made anew has another uid: Events of the one before are not counted any more. */
static int learn_uid(struct events *v, struct err *e)
{
	char now[NODE_UID_SIZE];

	if (node_uid(v->publishing, now, e) < 0)
		return -1;
	if (strcmp(now, v->uid) == 0)
		return 0;
	(void)snprintf(v->uid, sizeof(v->uid), "%s", now);
	(void)json_object_clear(v->series);
	return 0;
}

/* What the API server refuses is not tried again: there is nothing that could make it better. */
static int run(void *arg, struct err *e)
{
	struct events *v = arg;
	json_auto_t *due = event_list_due(v->devices);
	const json_t *entry;
	size_t i;

	forget_old(v);
	if (json_array_size(due) > 0 && learn_uid(v, e) < 0)
		return -1;
	json_array_foreach(due, i, entry) {
		if (!take_token(v)) {
			task_due_in(v->task, EACH_MS);
			break;
		}
		if (tell(v, entry, e) < 0) {
			if (!api_is_of_object(api_status(v->publishing->api)))
				return -1;
			log_warning("msg=\"an Event is refused: %s\" details=\"%s\"", e->msg,
				    e->details);
		}
		event_list_told(v->devices, entry);
	}
	return 0;
}

/* -- begin and end -- */

static void end(void *self)
{
	struct events *v = self;

	loop_remove(v->source);
	report_free(v->client);
	loop_timer_free(v->timer);
	task_free(v->task);
	json_decref(v->devices);
	json_decref(v->series);
	free(v);
}

/* devinfod tells, when it runs; until then nothing is published. */
static void *begin(const struct publishing *p, struct err *e)
{
	struct events *v = calloc(1, sizeof(*v));

	if (!v) {
		(void)err_set(e, ERR_IO, ENOMEM, "events");
		return NULL;
	}
	*v = (struct events){ .publishing = p, .devices = json_object(), .series = json_object(),
			      .tokens = BURST, .filled_at = loop_now() };
	v->task = task_new(p, "publishing Events", run, v, e);
	if (v->task)
		v->timer = loop_timer_new(p->loop, on_time, v, e);
	if (!v->timer) {
		end(v);
		return NULL;
	}
	loop_timer_set(v->timer, 1);
	return v;
}

const struct subject events_subject = { .begin = begin, .end = end };
