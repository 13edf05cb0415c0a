/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - objects of one kind as the API server has them, kept up to date */
#include "daemon/api/follow.h"

#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "daemon/api/backoff.h"
#include "daemon/api/lines.h"
#include "daemon/api/stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
	VERSION_SIZE = 64, CONTINUE_SIZE = 1024,
	SETTLED_MS = 1000,		/* a watch that went on for this time was well */
	ABSENT = 404, GONE = 410,
};

struct follow {
	struct api *api;
	struct loop_timer *timer;	/* of the next list or watch */
	const struct follow_what *what;
	void *arg;

	json_t *objects;		/* owned; NULL: see follow_objects() */
	char version[VERSION_SIZE];	/* from which a watch goes on; "": a list is due */
	struct stream *stream;		/* owned; the watch */
	int64_t began;			/* the watch */
	struct lines lines;
	struct err why;			/* what was wrong with an event */
	struct backoff backoff;
};

/* -- objects -- */

json_t *follow_key(const json_t *object)
{
	const json_t *metadata = json_object_get(object, "metadata");
	const char *ns = jx_get_text(metadata, "namespace");

	return json_sprintf("%s%s%s", ns, *ns ? "/" : "", jx_get_text(metadata, "name"));
}

static void put(const struct follow *f, json_t *objects, const json_t *object)
{
	json_auto_t *key = follow_key(object), *kept = f->what->keep(object, f->arg);

	if (kept)
		(void)json_object_set(objects, json_string_value(key), kept);
	else
		(void)json_object_del(objects, json_string_value(key));
}

json_t *follow_objects(const struct follow *f)
{
	return f->objects;
}

void follow_note(struct follow *f, const json_t *object)
{
	if (f->objects)
		put(f, f->objects, object);
}

void follow_forget(struct follow *f, const char *key)
{
	if (f->objects)
		(void)json_object_del(f->objects, key);
}

void follow_look_again(struct follow *f, const char *path, const char *key)
{
	const struct api_request get = { .path = path,
				       .form = f->what->metadata ? API_METADATA : API_WHOLE,
				       .aside = true };
	json_auto_t *now = NULL;
	struct err ignored;
	int r = api_send(f->api, &get, &now, &ignored);

	if (r > 0)
		follow_note(f, now);
	else if (r == 0)
		follow_forget(f, key);
}

static bool take_version(struct follow *f, const json_t *metadata)
{
	const char *v = jx_get_text(metadata, "resourceVersion");

	if (!*v || strlen(v) >= VERSION_SIZE || v[strspn(v, "0123456789")])
		return false;
	(void)snprintf(f->version, VERSION_SIZE, "%s", v);
	return true;
}

/* -- the list -- */

static int compose(char path[API_PATH_MAX], const struct follow *f, const char *rest,
		   struct err *e)
{
	int n = snprintf(path, API_PATH_MAX, "%s?%s%s%s", f->what->path, rest,
			 *f->what->selector ? "&" : "", f->what->selector);

	return n >= 0 && n < API_PATH_MAX ? 0 :
		       err_set(e, ERR_NETCONF, ENAMETOOLONG, "%s", f->what->path);
}

static int check_number(const json_t *objects, struct err *e)
{
	return json_object_size(objects) <= FOLLOW_OBJECTS_MAX ? 0 :
		       err_set(e, ERR_LIMITED, 0, "there are more than %d objects",
			       FOLLOW_OBJECTS_MAX);
}

static int take_items(const struct follow *f, json_t *objects, const json_t *page, struct err *e)
{
	json_t *items = NULL, *one;
	size_t i;

	if (jx_array(page, "list", "items", &items, e) < 0)
		return -1;
	json_array_foreach(items, i, one) {
		put(f, objects, one);
	}
	return check_number(objects, e);
}

/* One answer: 1 when there are more, whose place is in next; 0, -1. */
static int read_page(struct follow *f, json_t *objects, int limit, char next[CONTINUE_SIZE],
		     struct err *e)
{
	char path[API_PATH_MAX], query[CONTINUE_SIZE + 64];
	json_auto_t *page = NULL;
	const char *more;
	int r;

	(void)snprintf(query, sizeof(query), "limit=%d%s%s", limit, *next ? "&continue=" : "",
		       next);
	if (compose(path, f, query, e) < 0)
		return -1;
	r = api_send(f->api, &(struct api_request){ .path = path, .form = f->what->metadata ?
							    API_METADATA_LIST : API_WHOLE },
		     &page, e);
	if (r == 0 && f->what->absent)
		f->what->absent(f->arg);
	if (r == 0)
		return err_set(e, ERR_UNAVAILABLE, 0, "the API server has no %s", f->what->path);
	if (r < 0 || take_items(f, objects, page, e) < 0)
		return -1;
	if (!take_version(f, json_object_get(page, "metadata")))
		return err_set(e, ERR_DECODE, 0, "%s: the list has no resourceVersion",
			       f->what->path);
	more = jx_get_text(json_object_get(page, "metadata"), "continue");
	if (!*api_escape(more, next, CONTINUE_SIZE) && *more)
		return err_set(e, ERR_DECODE, 0, "%s: its continue is too long", f->what->path);
	return *next != '\0';
}

/* There is no other work between its pages, so together they have a bound of time, too. */
static int read_pages(struct follow *f, json_t *objects, struct err *e)
{
	const int64_t until = loop_now() + FOLLOW_LIST_MS;
	char next[CONTINUE_SIZE] = "";
	int r = 1, limit = FOLLOW_PAGE, asked = 0;

	while (r > 0 && asked <= FOLLOW_OBJECTS_MAX) {
		if (loop_now() >= until)
			return err_set(e, ERR_LIMITED, ETIMEDOUT, "%s: the API server takes more "
				       "than %d s for the list", f->what->path,
				       FOLLOW_LIST_MS / 1000);
		asked += limit;
		r = read_page(f, objects, limit, next, e);
		if (r < 0 && e->sys == EFBIG && limit > 1) {	/* fewer at a time */
			limit = limit < 4 ? 1 : limit / 4;
			r = 1;
		}
	}
	return r <= 0 ? r : err_set(e, ERR_LIMITED, 0, "%s: the API server has more than %d "
				    "objects, or says so", f->what->path, FOLLOW_OBJECTS_MAX);
}

static int read_list(struct follow *f, struct err *e)
{
	json_auto_t *objects = json_object();

	if (read_pages(f, objects, e) < 0) {
		*f->version = '\0';
		return -1;
	}
	json_decref(f->objects);
	f->objects = json_incref(objects);
	f->what->changed(f->arg);
	return 0;
}

/* -- the watch -- */

static int take_error(struct follow *f, const json_t *status, struct err *e)
{
	*f->version = '\0';
	return err_set(e, ERR_TRY_AGAIN, 0, "a watch of %s is ended by %d: %.100s", f->what->path,
		       (int)json_integer_value(json_object_get(status, "code")),
		       jx_get_text(status, "message"));
}

/* One event is one line. */
static int take_event(char *line, size_t len, void *arg, struct err *e)
{
	struct follow *f = arg;
	json_auto_t *event = jx_parse(line, len, ERR_DECODE, "an event", e);
	const json_t *object = json_object_get(event, "object");
	const char *type = json_string_value(json_object_get(event, "type"));

	if (!event)
		return -1;
	if (!type || !json_is_object(object))
		return err_set(e, ERR_DECODE, 0, "an event of %s has no type, or no object",
			       f->what->path);
	if (strcmp(type, "ERROR") == 0)
		return take_error(f, object, e);
	if (!take_version(f, json_object_get(object, "metadata")))
		return err_set(e, ERR_DECODE, 0, "an event of %s has no resourceVersion",
			       f->what->path);
	if (strcmp(type, "BOOKMARK") == 0)
		return 0;
	if (strcmp(type, "DELETED") == 0) {
		json_auto_t *key = follow_key(object);

		follow_forget(f, json_string_value(key));
	} else {
		follow_note(f, object);
	}
	f->what->changed(f->arg);
	return check_number(f->objects, e);
}

/* What cannot be read makes the list be read anew: some change may be lost. */
static bool on_bytes(const char *bytes, size_t n, void *arg)
{
	struct follow *f = arg;

	if (lines_feed(&f->lines, bytes, n, take_event, f, &f->why) == 0)
		return true;
	*f->version = '\0';
	return false;
}

/* The beginning of a line that was cut is thrown away: it comes again, as a whole. */
static void on_end(long status, unsigned int wait_ms, const struct err *why, void *arg)
{
	struct follow *f = arg;
	bool settled = status == 200 && loop_now() - f->began >= SETTLED_MS;

	stream_free(f->stream);
	f->stream = NULL;
	f->lines.len = 0;
	if (status == GONE || status == ABSENT)
		*f->version = '\0';
	if (status == 401)
		api_forget_access(f->api);
	if (f->why.code != ERR_OK)
		why = &f->why;
	if (why)
		log_warning("msg=\"a watch has ended: %s\" of=%s details=\"%s\"", why->msg,
			    f->what->path, why->details);
	f->why.code = ERR_OK;
	if (settled)
		f->backoff = (struct backoff){ 0 };
	loop_timer_set(f->timer, settled && !why ? 1 : backoff_next(&f->backoff, wait_ms));
}

static const struct stream_calls calls = { .bytes = on_bytes, .end = on_end };

/* Nodes do not ask all at the same time. */
static unsigned int watch_seconds(void)
{
	unsigned int noise = 0;

	if (getrandom(&noise, sizeof(noise), GRND_NONBLOCK) != (ssize_t)sizeof(noise))
		return FOLLOW_WATCH_S;
	return FOLLOW_WATCH_S + noise % FOLLOW_WATCH_S;
}

static int begin_watch(struct follow *f, struct err *e)
{
	unsigned int seconds = watch_seconds();
	char path[API_PATH_MAX], query[VERSION_SIZE + 128];

	(void)snprintf(query, sizeof(query), "watch=true&allowWatchBookmarks=true&"
		       "timeoutSeconds=%u&resourceVersion=%s", seconds, f->version);
	if (compose(path, f, query, e) < 0)
		return -1;
	f->began = loop_now();
	f->stream = stream_open(f->api, path, f->what->metadata ? API_METADATA : API_WHOLE,
				(seconds + 30) * 1000, &calls, f, e);
	return f->stream ? 0 : -1;
}

static void on_time(void *arg)
{
	struct follow *f = arg;
	struct err e;

	if ((*f->version || read_list(f, &e) == 0) && begin_watch(f, &e) == 0)
		return;
	log_warning("msg=\"%s\" details=\"%s\"", e.msg, e.details);
	loop_timer_set(f->timer, backoff_next(&f->backoff, api_retry_after_ms(f->api)));
}

/* -- begin and end -- */

struct follow *follow_new(struct api *a, struct loop *l, const struct follow_what *what, void *arg,
			  struct err *e)
{
	struct follow *f = calloc(1, sizeof(*f));

	if (!f) {
		(void)err_set(e, ERR_IO, ENOMEM, "follow %s", what->path);
		return NULL;
	}
	*f = (struct follow){ .api = a, .what = what, .arg = arg,
			      .lines = { .max = FOLLOW_LINE_MAX } };
	f->timer = loop_timer_new(l, on_time, f, e);
	if (!f->timer) {
		free(f);
		return NULL;
	}
	loop_timer_set(f->timer, 1);
	return f;
}

void follow_free(struct follow *f)
{
	if (!f)
		return;
	stream_free(f->stream);
	loop_timer_free(f->timer);
	lines_done(&f->lines);
	json_decref(f->objects);
	free(f);
}
