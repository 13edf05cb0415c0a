/* SPDX-License-Identifier: Apache-2.0 */
/*
 * h2.c - one unary gRPC call over a unix socket
 *
 * nghttp2 knows HTTP/2; this file gives it bytes, a clock and gRPC.
 *
 *   request	preface, SETTINGS, WINDOW_UPDATE, HEADERS and DATA leave in one write: h2c with
 *		prior knowledge waits for nothing.
 *   answer	HEADERS (:status 200), DATA, HEADERS with END_STREAM (grpc-status), or for an
 *		error that last frame alone ("trailers only").  With it the call is over; the
 *		connection is closed without further ceremony.
 *   windows	Raising the stream's window by SETTINGS alone would stall the answer at 64 KiB,
 *		so the connection's is raised as well, both beyond the largest answer.
 *   bounds	The five bytes before the message announce its length, which is checked before
 *		memory is taken.  Headers are bounded by nghttp2, and time by the deadline.  What
 *		is not of the message is counted: frames without an answer are a flood.
 *   faults	A struct err cannot pass through nghttp2: callbacks leave it in the call and
 *		make nghttp2 give up.
 */
#include "devinfo/kubelet/h2.h"

#include "base/mem.h"
#include "base/unix_socket.h"

#include <ctype.h>
#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum {
	GRPC_PREFIX = 5,		/* compressed flag, length of the message (big-endian) */
	WINDOW_SLACK = 64 * 1024,
	OVERHEAD_MAX = 1024 * 1024,	/* bytes; the largest answer of kubelet's needs 10 KiB */
	WINDOW_MAX = INT32_MAX,		/* RFC 9113, 6.9.1 */
};

struct h2_call {
	nghttp2_session *session;
	int fd;				/* borrowed */
	int32_t stream;

	/* to the server: prefix and message, and frames not yet written */
	unsigned char prefix_out[GRPC_PREFIX];
	const unsigned char *req;
	size_t req_len, req_sent;	/* req_sent counts the prefix */
	unsigned char out[16 * 1024];
	size_t out_len;
	bool write_failed;		/* the server closed: read what it said, send no more */

	/* from the server */
	size_t max_reply;
	size_t said;			/* bytes in all, frames included */
	bool greeted;			/* its SETTINGS have come */
	unsigned char prefix_in[GRPC_PREFIX];
	size_t received;		/* bytes of DATA, prefix included */
	size_t expected;		/* of the message, from prefix_in */
	unsigned char *body;
	int http_status;
	int grpc_status;		/* -1 until it arrived */
	char grpc_message[sizeof(((struct h2_reply *)NULL)->grpc_message)];
	bool ended;			/* the server's half of the stream is complete */
	char hint[128];			/* nghttp2's last words about a broken frame */
	struct err fault;		/* code is ERR_OK while there is none */
};

/* -- what the server says: callbacks of nghttp2 -- */

/* Not -1, as nghttp2's manual has it: after DATA only this value makes it give up. */
static int printflike(3, 4) fault_set(struct h2_call *call, int sys, const char *fmt, ...)
{
	char text[sizeof(call->fault.msg)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(&call->fault, ERR_PODRES, sys, "%s", text);
	return NGHTTP2_ERR_CALLBACK_FAILURE;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* grpc-message is percent-encoded UTF-8; what is malformed or not printable ASCII is made so. */
static void message_decode(const char *in, size_t len, char *ret, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < size; i++) {
		int c = (unsigned char)in[i];

		if (c == '%' && i + 2 < len && hex_digit(in[i + 1]) >= 0 &&
		    hex_digit(in[i + 2]) >= 0) {
			c = hex_digit(in[i + 1]) * 16 + hex_digit(in[i + 2]);
			i += 2;
		}
		if (c >= 0x80)
			c = '?';
		ret[n++] = iscntrl(c) ? ' ' : (char)c;
	}
	ret[n] = '\0';
}

/* A decimal number of at most nine digits; -1 for anything else.  text is NUL-terminated. */
static int number_parse(const char *text, size_t len)
{
	if (len < 1 || len > 9 || strspn(text, "0123456789") != len)
		return -1;
	return (int)strtol(text, NULL, 10);
}

/* nghttp2 NUL-terminates name and value and has checked that :status is a number. */
static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
		     size_t name_len, const uint8_t *value, size_t len, uint8_t flags, void *arg)
{
	struct h2_call *call = arg;
	const char *key = (const char *)name, *text = (const char *)value;

	(void)session, (void)name_len, (void)flags;
	if (frame->hd.stream_id != call->stream)
		return 0;
	if (strcmp(key, ":status") == 0) {
		call->http_status = number_parse(text, len);
	} else if (strcmp(key, "grpc-status") == 0) {
		call->grpc_status = number_parse(text, len);
		if (call->grpc_status < 0)
			return fault_set(call, EPROTO, "grpc-status is not a number");
	} else if (strcmp(key, "grpc-message") == 0) {
		message_decode(text, len, call->grpc_message, sizeof(call->grpc_message));
	}
	return 0;
}

/* The prefix is complete: believe it or not, and take memory for the message. */
static int message_begin(struct h2_call *call)
{
	const unsigned char *p = call->prefix_in;

	call->expected = (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
	if (p[0] != 0)
		return fault_set(call, EPROTO, "the answer is compressed");
	if (call->expected > call->max_reply)
		return fault_set(call, EMSGSIZE, "the answer has %zu bytes, more than %zu",
				 call->expected, call->max_reply);
	call->body = malloc(call->expected + 1);	/* never of 0 bytes */
	if (!call->body)
		return fault_set(call, ENOMEM, "an answer of %zu bytes", call->expected);
	return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data,
		   size_t len, void *arg)
{
	struct h2_call *call = arg;

	(void)session, (void)flags;
	if (stream != call->stream)
		return 0;
	for (; len > 0 && call->received < GRPC_PREFIX; len--) {
		call->prefix_in[call->received++] = *data++;
		if (call->received == GRPC_PREFIX && message_begin(call) != 0)
			return NGHTTP2_ERR_CALLBACK_FAILURE;
	}
	if (len == 0)
		return 0;
	if (len > call->expected - (call->received - GRPC_PREFIX))
		return fault_set(call, EPROTO, "data beyond the end of the message");
	memcpy(call->body + call->received - GRPC_PREFIX, data, len);
	call->received += len;
	return 0;
}

/* A GOAWAY without an error lets the calls under way finish, up to the stream it names. */
static int on_goaway(struct h2_call *call, const nghttp2_goaway *goaway)
{
	if (goaway->error_code == NGHTTP2_NO_ERROR && goaway->last_stream_id >= call->stream)
		return 0;
	return fault_set(call, ECONNRESET, "the server sent GOAWAY (%s)",
			 nghttp2_http2_strerror(goaway->error_code));
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct h2_call *call = arg;

	(void)session;
	if (call->ended)
		return 0;
	if (frame->hd.type == NGHTTP2_SETTINGS && !(frame->hd.flags & NGHTTP2_FLAG_ACK))
		call->greeted = true;
	if (frame->hd.type == NGHTTP2_GOAWAY)
		return on_goaway(call, &frame->goaway);
	if (frame->hd.stream_id != call->stream)
		return 0;
	if (frame->hd.type == NGHTTP2_RST_STREAM)
		return fault_set(call, ECONNRESET, "the server aborted the call (%s)",
				 nghttp2_http2_strerror(frame->rst_stream.error_code));
	if ((frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
	    (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
		call->ended = true;
	return 0;
}

/* on_frame has seen what the server may close; this is nghttp2 closing on a server that errs. */
static int on_close(nghttp2_session *session, int32_t stream, uint32_t error, void *arg)
{
	struct h2_call *call = arg;

	(void)session;
	if (stream != call->stream || call->ended)
		return 0;
	return fault_set(call, EPROTO, "the answer breaks HTTP/2 (%s)",
			 call->hint[0] ? call->hint : nghttp2_http2_strerror(error));
}

/* Text of nghttp2 that may quote bytes of the server. */
static int on_complaint(nghttp2_session *session, int code, const char *text, size_t len, void *arg)
{
	struct h2_call *call = arg;

	(void)session, (void)code;
	message_decode(text, len, call->hint, sizeof(call->hint));
	return 0;
}

/* -- what we say -- */

static ssize_t on_send(nghttp2_session *session, const uint8_t *data, size_t len, int flags,
		       void *arg)
{
	struct h2_call *call = arg;
	size_t room = sizeof(call->out) - call->out_len;

	(void)session, (void)flags;
	if (call->write_failed)
		return (ssize_t)len;
	if (room == 0)
		return NGHTTP2_ERR_WOULDBLOCK;
	if (len > room)
		len = room;
	memcpy(call->out + call->out_len, data, len);
	call->out_len += len;
	return (ssize_t)len;
}

/* The next bytes of prefix and message; never more than asked for. */
static ssize_t on_read_request(nghttp2_session *session, int32_t stream, uint8_t *buf, size_t size,
			       uint32_t *flags, nghttp2_data_source *source, void *arg)
{
	struct h2_call *call = arg;
	size_t n = 0;

	(void)session, (void)stream, (void)source;
	while (n < size && call->req_sent < GRPC_PREFIX)
		buf[n++] = call->prefix_out[call->req_sent++];

	size_t rest = call->req_len - (call->req_sent - GRPC_PREFIX);
	if (rest > size - n)
		rest = size - n;
	if (rest > 0)
		memcpy(buf + n, call->req + call->req_sent - GRPC_PREFIX, rest);
	call->req_sent += rest;
	if (call->req_sent == GRPC_PREFIX + call->req_len)
		*flags |= NGHTTP2_DATA_FLAG_EOF;
	return (ssize_t)(n + rest);
}

/* At most eight digits and a unit; a little longer than our own wait, which shall decide. */
static void timeout_format(const struct deadline *d, char ret[16])
{
	unsigned int ms = (unsigned int)deadline_left_ms(d) + 50;

	if (ms < 100000000)
		(void)snprintf(ret, 16, "%um", ms);
	else
		(void)snprintf(ret, 16, "%uS", ms / 1000);
}

/* nghttp2 copies name and value at once; its struct wants them writable nevertheless. */
static nghttp2_nv header(const char *name, const char *value)
{
	union {
		const char *in;
		uint8_t *out;
	} n = { .in = name }, v = { .in = value };

	return (nghttp2_nv){ .name = n.out, .namelen = strlen(name),
			     .value = v.out, .valuelen = strlen(value) };
}

static int request_submit(struct h2_call *call, const char *method, const struct deadline *d)
{
	nghttp2_data_provider provider = { .read_callback = on_read_request };
	char timeout[16];

	timeout_format(d, timeout);
	nghttp2_nv headers[] = {
		header(":method", "POST"),
		header(":scheme", "http"),
		header(":path", method),
		header(":authority", "localhost"),
		header("content-type", "application/grpc"),
		header("te", "trailers"),
		header("grpc-timeout", timeout),
	};
	call->stream = nghttp2_submit_request(call->session, NULL, headers, ARRAY_SIZE(headers),
					      &provider, NULL);
	return call->stream < 0 ? call->stream : 0;
}

static int settings_submit(struct h2_call *call)
{
	size_t room = WINDOW_MAX - WINDOW_SLACK;
	size_t window = (call->max_reply < room ? call->max_reply : room) + WINDOW_SLACK;
	const nghttp2_settings_entry settings[] = {
		{ NGHTTP2_SETTINGS_ENABLE_PUSH, 0 },
		{ NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, (uint32_t)window },
	};
	int rc = nghttp2_submit_settings(call->session, NGHTTP2_FLAG_NONE, settings,
					 ARRAY_SIZE(settings));

	if (rc)
		return rc;
	return nghttp2_session_set_local_window_size(call->session, NGHTTP2_FLAG_NONE, 0,
						     (int32_t)window);
}

static void callbacks_done(nghttp2_session_callbacks **cb)
{
	nghttp2_session_callbacks_del(*cb);
}

static int session_open(struct h2_call *call)
{
	auto_with(callbacks_done) nghttp2_session_callbacks *cb = NULL;
	int rc = nghttp2_session_callbacks_new(&cb);

	if (rc)
		return rc;
	nghttp2_session_callbacks_set_send_callback(cb, on_send);
	nghttp2_session_callbacks_set_on_header_callback(cb, on_header);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, on_data);
	nghttp2_session_callbacks_set_on_frame_recv_callback(cb, on_frame);
	nghttp2_session_callbacks_set_on_stream_close_callback(cb, on_close);
	nghttp2_session_callbacks_set_error_callback2(cb, on_complaint);
	return nghttp2_session_client_new(&call->session, cb, call);
}

/* -- the loop -- */

static int library_error(const struct h2_call *call, int rc, struct err *e)
{
	if (call->fault.code) {
		*e = call->fault;
		return -1;
	}
	err_set(e, ERR_PODRES, rc == NGHTTP2_ERR_NOMEM ? ENOMEM : EPROTO, "%s",
		rc ? nghttp2_strerror(rc) : "the answer is not valid HTTP/2");
	return call->hint[0] ? err_detail(e, "%s", call->hint) : -1;
}

/* Hand to the socket what it takes now.  A server that has closed may have answered before. */
static int call_write(struct h2_call *call, struct err *e)
{
	for (;;) {
		int rc = nghttp2_session_send(call->session);
		if (rc)
			return library_error(call, rc, e);
		if (call->out_len == 0)
			return 0;

		ssize_t n = send(call->fd, call->out, call->out_len, MSG_NOSIGNAL);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n < 0) {
			call->write_failed = true;
			call->out_len = 0;
			continue;
		}
		call->out_len -= (size_t)n;
		memmove(call->out, call->out + n, call->out_len);
	}
}

static int call_read(struct h2_call *call, struct err *e)
{
	uint8_t buf[64 * 1024];
	ssize_t n = recv(call->fd, buf, sizeof(buf), 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return err_set(e, ERR_PODRES, n < 0 ? errno : ECONNRESET,
			       "the server closed the connection before it answered");

	ssize_t used = nghttp2_session_mem_recv(call->session, buf, (size_t)n);
	if (used < 0 && !call->ended)
		return library_error(call, (int)used, e);
	call->said += (size_t)n;
	if (!call->ended && call->said - call->received > OVERHEAD_MAX)
		return err_set(e, ERR_PODRES, EPROTO, "the server sent over %d bytes of frames "
			       "that are no answer", OVERHEAD_MAX);
	return 0;
}

static int call_wait(const struct h2_call *call, const struct deadline *d, struct err *e)
{
	struct pollfd p = { .fd = call->fd, .events = POLLIN | (call->out_len > 0 ? POLLOUT : 0) };

	/* one that always has more to say is not listened to for ever */
	if (deadline_left_ms(d) == 0 || !deadline_poll(d, &p, 1))
		return deadline_error(ERR_PODRES, e, "the server did not answer %s",
				      deadline_end());
	return 0;
}

/* Until one of its own members is true. */
static int call_run(struct h2_call *call, const bool *until, const struct deadline *d,
		    struct err *e)
{
	while (!*until) {
		if (call_write(call, e) < 0)
			return -1;
		if (!nghttp2_session_want_read(call->session))	/* nghttp2 has given up */
			return library_error(call, 0, e);
		if (call_wait(call, d, e) < 0 || call_read(call, e) < 0)
			return -1;
	}
	return 0;
}

/* The stream has ended: is it a gRPC answer? */
static int call_finish(struct h2_call *call, struct h2_reply *ret, struct err *e)
{
	if (call->http_status != 200)
		return err_set(e, ERR_PODRES, EPROTO, "HTTP status %d instead of 200",
			       call->http_status);
	if (call->grpc_status < 0)
		return err_set(e, ERR_PODRES, EPROTO, "the answer ended without a grpc-status");
	if (call->grpc_status == GRPC_OK && call->received != GRPC_PREFIX + call->expected)
		return err_set(e, ERR_PODRES, EPROTO, "the answer ended inside its message");

	struct h2_reply reply = { .grpc_status = call->grpc_status };
	memcpy(reply.grpc_message, call->grpc_message, sizeof(reply.grpc_message));
	if (call->grpc_status == GRPC_OK) {
		reply.body = steal_ptr(&call->body);
		reply.len = call->expected;
	}
	*ret = reply;
	return 0;
}

static void call_done(struct h2_call *call)
{
	nghttp2_session_del(call->session);
	free(call->body);
}

int h2_unary_fd(int fd, const char *method, const void *req, size_t req_len, size_t max_reply,
		const struct deadline *d, struct h2_reply *ret, struct err *e)
{
	auto_with(call_done) struct h2_call call = {
		.fd = fd, .req = req, .req_len = req_len, .max_reply = max_reply, .grpc_status = -1,
	};
	int rc;

	for (int i = 1; i < GRPC_PREFIX; i++)
		call.prefix_out[i] = (unsigned char)(req_len >> (8 * (GRPC_PREFIX - 1 - i)));
	rc = session_open(&call);
	if (rc == 0)
		rc = settings_submit(&call);
	if (rc == 0)
		rc = request_submit(&call, method, d);
	if (rc)
		return library_error(&call, rc, e);
	if (call_run(&call, &call.ended, d, e) < 0 || call_finish(&call, ret, e) < 0)
		return err_wrap(e, "%s", method);
	return 0;
}

int h2_unary(int root, const char *socket, const char *method, const void *req, size_t req_len,
	     size_t max_reply, const struct deadline *d, struct h2_reply *ret, struct err *e)
{
	auto_close int fd = unix_socket_connect(root, socket, SOCK_STREAM, d, ERR_PODRES, e);

	if (fd < 0 || h2_unary_fd(fd, method, req, req_len, max_reply, d, ret, e) < 0)
		return err_wrap(e, "gRPC server '%s'", socket);
	return 0;
}

int h2_probe(int root, const char *socket, const struct deadline *d, struct err *e)
{
	auto_close int fd = unix_socket_connect(root, socket, SOCK_STREAM, d, ERR_PODRES, e);

	auto_with(call_done) struct h2_call call = { .fd = fd, .grpc_status = -1 };
	int rc;

	if (fd < 0)
		return -1;
	rc = session_open(&call);
	if (rc == 0)
		rc = settings_submit(&call);
	return rc ? library_error(&call, rc, e) : call_run(&call, &call.greeted, d, e);
}

void h2_reply_done(struct h2_reply *r)
{
	free(r->body);
	*r = (struct h2_reply){ 0 };
}
