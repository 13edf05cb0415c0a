/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grpc_client.h - a client of nghttp2's for the tests of server.c: it may say what ours never would
 *
 * Client and server are in one process, at the two ends of a socket.  pump() lets both go on until
 * neither has anything to do.
 *
 *	struct peers p = peers_make(&service);
 *	int n = peers_ask(&p, "/a.B/C", "message", 7);
 *	pump(&p);
 *	eqi(p.answers[n].grpc_status, GRPC_OK);
 *	peers_done(&p);
 */
#ifndef TESTS_UNIT_GRPC_CLIENT_H
#define TESTS_UNIT_GRPC_CLIENT_H

#include "devinfo/grpc/message.h"
#include "devinfo/grpc/server.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWERS_MAX = 1100, ANSWER_MAX = 256 };

struct answer {
	int32_t stream;
	int http_status, grpc_status;		/* -1: has not come */
	int headers;				/* frames of them, trailers included */
	char message[1100];			/* grpc-message, as it came */
	unsigned char data[ANSWER_MAX];		/* the first bytes of DATA, prefixes included */
	size_t len;				/* all of them */
	int closed;
	uint32_t error;				/* of RST_STREAM, when closed */

	/* what is asked */
	const unsigned char *body;
	size_t body_len, body_sent;
	int open;				/* the half of the stream is not ended */
};

struct peers {
	struct grpc_connection *server;		/* NULL when it has ended */
	struct err err;				/* with which */
	int fd;					/* of the client; -1: it has closed */
	nghttp2_session *client;
	struct answer *answers;
	int n;
	int goaway;				/* its error code; -1: none has come */
	int deaf;				/* the client reads nothing */
};

/* -- what the client hears -- */

static inline struct answer *answer_of(nghttp2_session *session, int32_t stream)
{
	return nghttp2_session_get_stream_user_data(session, stream);
}

static inline int peer_on_header(nghttp2_session *session, const nghttp2_frame *frame,
				 const uint8_t *name, size_t name_len, const uint8_t *value,
				 size_t len, uint8_t flags, void *arg)
{
	struct answer *a = answer_of(session, frame->hd.stream_id);
	const char *key = (const char *)name, *text = (const char *)value;

	(void)name_len, (void)len, (void)flags, (void)arg;
	if (!a)
		return 0;
	if (strcmp(key, ":status") == 0)
		a->http_status = atoi(text);
	if (strcmp(key, "grpc-status") == 0)
		a->grpc_status = atoi(text);
	if (strcmp(key, "grpc-message") == 0)
		(void)snprintf(a->message, sizeof(a->message), "%s", text);
	return 0;
}

static inline int peer_on_data(nghttp2_session *session, uint8_t flags, int32_t stream,
			       const uint8_t *data, size_t len, void *arg)
{
	struct answer *a = answer_of(session, stream);

	(void)flags, (void)arg;
	if (!a)
		return 0;
	for (size_t i = 0; i < len; i++, a->len++)
		if (a->len < ANSWER_MAX)
			a->data[a->len] = data[i];
	return 0;
}

static inline int peer_on_close(nghttp2_session *session, int32_t stream, uint32_t error, void *arg)
{
	struct answer *a = answer_of(session, stream);

	(void)arg;
	if (a)
		a->closed = 1, a->error = error;
	return 0;
}

static inline int peer_on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct peers *p = arg;
	struct answer *a = answer_of(session, frame->hd.stream_id);

	if (a && frame->hd.type == NGHTTP2_HEADERS)
		a->headers++;
	if (frame->hd.type == NGHTTP2_GOAWAY)
		p->goaway = (int)frame->goaway.error_code;
	return 0;
}

static inline ssize_t peer_on_send(nghttp2_session *session, const uint8_t *data, size_t len,
				   int flags, void *arg)
{
	const struct peers *p = arg;
	ssize_t n = send(p->fd, data, len, MSG_NOSIGNAL);

	(void)session, (void)flags;
	return n >= 0 ? n : NGHTTP2_ERR_WOULDBLOCK;
}

static inline ssize_t peer_on_read(nghttp2_session *session, int32_t stream, uint8_t *buf,
				   size_t size, uint32_t *flags, nghttp2_data_source *source,
				   void *arg)
{
	struct answer *a = source->ptr;
	size_t n = a->body_len - a->body_sent < size ? a->body_len - a->body_sent : size;

	(void)session, (void)stream, (void)arg;
	if (n > 0)
		memcpy(buf, a->body + a->body_sent, n);
	a->body_sent += n;
	if (n == 0 && a->open)
		return NGHTTP2_ERR_DEFERRED;
	if (a->body_sent == a->body_len && !a->open)
		*flags |= NGHTTP2_DATA_FLAG_EOF;
	return (ssize_t)n;
}

/* -- what it asks -- */

struct ask {
	const char *method, *path, *type, *encoding;	/* NULL: the header is missing */
	const void *body;				/* of DATA; borrowed until it has left */
	size_t len;
	int open;
};

/* Its place in answers. */
static inline int peers_ask_so(struct peers *p, struct ask ask)
{
	struct answer *a = &p->answers[p->n];
	nghttp2_data_provider provider = { .source.ptr = a, .read_callback = peer_on_read };
	nghttp2_nv headers[8] = {
		message_header(":method", ask.method),
		message_header(":scheme", "http"),
		message_header(":path", ask.path),
		message_header(":authority", "localhost"),
		message_header("te", "trailers"),
	};
	size_t n = 5;

	if (p->n == ANSWERS_MAX)
		abort();
	if (ask.type)
		headers[n++] = message_header("content-type", ask.type);
	if (ask.encoding)
		headers[n++] = message_header("grpc-encoding", ask.encoding);
	*a = (struct answer){ .http_status = -1, .grpc_status = -1, .body = ask.body,
			      .body_len = ask.len, .open = ask.open };
	a->stream = nghttp2_submit_request(p->client, NULL, headers, n, &provider, a);
	if (a->stream < 0)
		abort();
	return p->n++;
}

/* A message with its prefix, which nobody frees before the program ends. */
static inline void *prefixed(const void *msg, size_t len)
{
	static unsigned char *kept[ANSWERS_MAX];
	static int next;
	unsigned char *ret = malloc(GRPC_PREFIX + len);

	if (!ret)
		abort();
	message_prefix(len, ret);
	if (len > 0)
		memcpy(ret + GRPC_PREFIX, msg, len);
	free(kept[next]);
	kept[next] = ret;
	next = (next + 1) % ANSWERS_MAX;
	return ret;
}

static inline int peers_ask(struct peers *p, const char *path, const void *msg, size_t len)
{
	return peers_ask_so(p, (struct ask){ .method = "POST", .path = path,
					     .type = "application/grpc", .len = GRPC_PREFIX + len,
					     .body = prefixed(msg, len) });
}

/* -- life -- */

static inline void peers_server_ends(struct peers *p)
{
	grpc_connection_free(p->server);
	p->server = NULL;
}

static inline void peers_client_ends(struct peers *p)
{
	nghttp2_session_del(p->client);
	p->client = NULL;
	if (p->fd >= 0)
		(void)close(p->fd);
	p->fd = -1;
}

/* window: SETTINGS_INITIAL_WINDOW_SIZE of the client, which then opens no window; 0: as usual. */
static inline struct peers *peers_make(const struct grpc_service *s, uint32_t window)
{
	const nghttp2_settings_entry settings[] = {
		{ NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window ? window : 65535 },
	};
	struct peers *p = calloc(1, sizeof(*p));
	nghttp2_session_callbacks *cb;
	nghttp2_option *option;
	int pair[2];

	if (!p || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) < 0)
		abort();
	p->answers = calloc(ANSWERS_MAX, sizeof(*p->answers));
	p->fd = pair[0];
	p->goaway = -1;
	p->server = grpc_connection_new(pair[1], s, &p->err);
	if (!p->answers || !p->server || nghttp2_session_callbacks_new(&cb) ||
	    nghttp2_option_new(&option))
		abort();
	nghttp2_option_set_no_auto_window_update(option, window != 0);
	nghttp2_session_callbacks_set_send_callback(cb, peer_on_send);
	nghttp2_session_callbacks_set_on_header_callback(cb, peer_on_header);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, peer_on_data);
	nghttp2_session_callbacks_set_on_stream_close_callback(cb, peer_on_close);
	nghttp2_session_callbacks_set_on_frame_recv_callback(cb, peer_on_frame);
	if (nghttp2_session_client_new2(&p->client, cb, p, option) ||
	    nghttp2_submit_settings(p->client, 0, settings, 1))
		abort();
	nghttp2_option_del(option);
	nghttp2_session_callbacks_del(cb);
	return p;
}

static inline void peers_free(struct peers *p)
{
	peers_server_ends(p);
	peers_client_ends(p);
	free(p->answers);
	free(p);
}

/* -- going on -- */

static inline short ready(int fd, short events)
{
	struct pollfd f = { .fd = fd, .events = events };

	return poll(&f, 1, 0) > 0 ? f.revents : 0;
}

/* Did it have anything to do? */
static inline int peers_server_step(struct peers *p)
{
	short revents;

	if (!p->server)
		return 0;
	revents = ready(grpc_connection_fd(p->server), grpc_connection_events(p->server));
	if (!revents)
		return 0;
	if (grpc_connection_go_on(p->server, revents, &p->err) < 0)
		peers_server_ends(p);
	return 1;
}

static inline int peers_client_step(struct peers *p)
{
	uint8_t buf[4096];
	ssize_t n;

	if (p->fd < 0)
		return 0;
	if (p->client && nghttp2_session_send(p->client) != 0)
		abort();
	if (p->deaf)
		return 0;
	n = recv(p->fd, buf, sizeof(buf), 0);
	if (n <= 0)
		return 0;
	if (p->client && nghttp2_session_mem_recv(p->client, buf, (size_t)n) < 0)
		abort();
	return 1;
}

static inline void pump(struct peers *p)
{
	for (int quiet = 0; quiet < 2;)
		quiet = peers_client_step(p) + peers_server_step(p) ? 0 : quiet + 1;
}

#endif
