/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - a GET whose answer does not end soon: a watch
 *
 * Theory of operation.  libcurl says which sockets it waits for, and how long; the loop waits, and
 * tells libcurl.  A stream whose answer is an error has a body as any answer: it is kept, bounded,
 * for what it says.
 */
#include "daemon/api/stream.h"

#include "daemon/api/api_part.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_BODY_MAX = 4096 };

struct stream {
	struct api *api;
	CURL *easy;
	struct api_lists lists;
	const struct stream_calls *calls;
	void *arg;
	bool refused;			/* by bytes() */
	char body[ERROR_BODY_MAX];	/* of an error */
	size_t len;
	char words[CURL_ERROR_SIZE];
};

/* -- libcurl and the loop -- */

static void tell_ended(struct stream *s, CURLcode code)
{
	unsigned int wait_ms = api_wait_of(s->easy);
	struct err e = { 0 };
	long status = 0;

	(void)curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 300)
		(void)api_error(status, s->body, s->len, &e);
	else if (code != CURLE_OK && !s->refused)
		(void)api_transport_error(code, s->words, &e);
	s->calls->end(status, wait_ms, e.code != ERR_OK ? &e : NULL, s->arg);
}

static void take_ended(struct api *a)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(a->multi, &left))) {
		char *s = NULL;

		if (m->msg == CURLMSG_DONE &&
		    curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &s) == CURLE_OK)
			tell_ended((struct stream *)(void *)s, m->data.result);
	}
}

/* A socket of libcurl's in the loop. */
struct waiting {
	struct api *api;
	curl_socket_t fd;
	struct loop_source *source;
};

static void on_ready(short revents, void *arg)
{
	struct waiting *w = arg;
	struct api *a = w->api;		/* w may be freed by libcurl */
	int running, what = (revents & POLLIN ? CURL_CSELECT_IN : 0) |
			    (revents & POLLOUT ? CURL_CSELECT_OUT : 0) |
			    (revents & (POLLERR | POLLHUP) ? CURL_CSELECT_ERR : 0);

	(void)curl_multi_socket_action(a->multi, w->fd, what, &running);
	take_ended(a);
}

static void on_timer(void *arg)
{
	struct api *a = arg;
	int running;

	(void)curl_multi_socket_action(a->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	take_ended(a);
}

static int want_timer(CURLM *multi, long ms, void *arg)
{
	struct api *a = arg;

	(void)multi;
	/* a timer of 0 stands still */
	loop_timer_set(a->timer, ms < 0 ? 0 : ms == 0 ? 1 : (unsigned int)ms);
	return 0;
}

static struct waiting *wait_for(struct api *a, curl_socket_t fd, short events)
{
	struct waiting *w = malloc(sizeof(*w));
	struct err ignored;

	if (!w)
		return NULL;
	*w = (struct waiting){ .api = a, .fd = fd };
	w->source = loop_add(a->loop, fd, events, on_ready, w, &ignored);
	if (w->source)
		return w;
	free(w);
	return NULL;
}

static int want_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *of_socket)
{
	short events = (short)((what & CURL_POLL_IN ? POLLIN : 0) |
			       (what & CURL_POLL_OUT ? POLLOUT : 0));
	struct waiting *w = of_socket;
	struct api *a = arg;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (w)
			loop_remove(w->source);
		free(w);
		return 0;
	}
	if (w) {
		loop_change(w->source, events);
		return 0;
	}
	w = wait_for(a, fd, events);
	return w && curl_multi_assign(a->multi, fd, w) == CURLM_OK ? 0 : -1;
}

int api_streams_set_up(struct api *a, struct err *e)
{
	a->timer = loop_timer_new(a->loop, on_timer, a, e);
	if (!a->timer)
		return -1;
	a->multi = curl_multi_init();
	if (!a->multi)
		return err_set(e, ERR_IO, ENOMEM, "begin with libcurl");
	(void)curl_multi_setopt(a->multi, CURLMOPT_SOCKETFUNCTION, want_socket);
	(void)curl_multi_setopt(a->multi, CURLMOPT_SOCKETDATA, a);
	(void)curl_multi_setopt(a->multi, CURLMOPT_TIMERFUNCTION, want_timer);
	(void)curl_multi_setopt(a->multi, CURLMOPT_TIMERDATA, a);
	return 0;
}

/* -- one stream -- */

static size_t on_bytes(char *bytes, size_t size, size_t n, void *arg)
{
	struct stream *s = arg;
	size_t more = size * n, room = sizeof(s->body) - s->len;
	long status = 0;

	(void)curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status == 200) {
		s->refused = !s->calls->bytes(bytes, more, s->arg);
		return s->refused ? 0 : more;
	}
	memcpy(s->body + s->len, bytes, more < room ? more : room);
	s->len += more < room ? more : room;
	return more;
}

static CURLcode set_stream(struct stream *s, unsigned int max_ms)
{
	CURLcode r = curl_easy_setopt(s->easy, CURLOPT_WRITEFUNCTION, on_bytes);

	if (r == CURLE_OK)
		r = curl_easy_setopt(s->easy, CURLOPT_WRITEDATA, s);
	if (r == CURLE_OK)
		r = curl_easy_setopt(s->easy, CURLOPT_PRIVATE, s);
	if (r == CURLE_OK)
		r = curl_easy_setopt(s->easy, CURLOPT_ERRORBUFFER, s->words);
	if (r == CURLE_OK)
		r = curl_easy_setopt(s->easy, CURLOPT_TIMEOUT_MS, (long)max_ms);
	return r;
}

struct stream *stream_open(struct api *a, const char *path, enum api_form form,
			   unsigned int max_ms, const struct stream_calls *calls, void *arg,
			   struct err *e)
{
	struct stream *s = calloc(1, sizeof(*s));

	if (s) {
		*s = (struct stream){ .api = a, .calls = calls, .arg = arg };
		s->easy = curl_easy_init();
	}
	if (s && s->easy && api_set_up(a, s->easy, path, form, &s->lists, e) == 0) {
		if (set_stream(s, max_ms) == CURLE_OK &&
		    curl_multi_add_handle(a->multi, s->easy) == CURLM_OK)
			return s;
		(void)err_set(e, ERR_IO, ENOMEM, "set up a watch");
	} else if (!s || !s->easy) {
		(void)err_set(e, ERR_IO, ENOMEM, "set up a watch");
	}
	stream_free(s);
	return NULL;
}

void stream_free(struct stream *s)
{
	if (!s)
		return;
	if (s->easy) {
		(void)curl_multi_remove_handle(s->api->multi, s->easy);
		curl_easy_cleanup(s->easy);
	}
	api_lists_done(&s->lists);
	free(s);
}
