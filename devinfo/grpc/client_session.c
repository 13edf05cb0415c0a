/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_session.c - what is said and heard in one gRPC call: the callbacks of nghttp2
 *
 *   request	preface, SETTINGS, WINDOW_UPDATE, HEADERS and DATA leave in one write: h2c with
 *		prior knowledge waits for nothing.
 *   answer	HEADERS (:status 200), DATA, HEADERS with END_STREAM (grpc-status), or for an
 *		error that last frame alone ("trailers only").
 *   stream	The same with several messages: their bytes are kept, client_stream.c parts them.
 *   windows	Raising the stream's window by SETTINGS alone would stall the answer at 64 KiB,
 *		so the connection's is raised as well, both beyond the largest answer.
 *   bounds	The five bytes before the message announce its length, which is checked before
 *		memory is taken.  Headers are bounded by nghttp2.
 *   faults	A struct err cannot pass through nghttp2: callbacks leave it in the call and
 *		make nghttp2 give up.
 */
#include "devinfo/grpc/client_part.h"

#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	WINDOW_SLACK = 64 * 1024,
	WINDOW_MAX = INT32_MAX,		/* RFC 9113, 6.9.1 */
};

/* -- what the server says: callbacks of nghttp2 -- */

/* Not -1, as nghttp2's manual has it: after DATA only this value makes it give up. */
static int printflike(3, 4) fault_set(struct grpc_request *r, int sys, const char *fmt, ...)
{
	char text[sizeof(r->fault.msg)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(&r->fault, ERR_PODRES, sys, "%s", text);
	return NGHTTP2_ERR_CALLBACK_FAILURE;
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
	struct grpc_request *r = arg;
	const char *key = (const char *)name, *text = (const char *)value;

	(void)session, (void)name_len, (void)flags;
	if (frame->hd.stream_id != r->stream)
		return 0;
	if (strcmp(key, ":status") == 0) {
		r->http_status = number_parse(text, len);
	} else if (strcmp(key, "grpc-status") == 0) {
		r->grpc_status = number_parse(text, len);
		if (r->grpc_status < 0)
			return fault_set(r, EPROTO, "grpc-status is not a number");
	} else if (strcmp(key, "grpc-message") == 0) {
		message_decode(text, len, r->grpc_message, sizeof(r->grpc_message));
	}
	return 0;
}

static int take_unread(struct grpc_request *r, const uint8_t *data, size_t len)
{
	r->in.received += len;
	if (unread_add(&r->unread, data, len) < 0)
		return fault_set(r, ENOMEM, "answers of %zu bytes", r->unread.len + len);
	return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data,
		   size_t len, void *arg)
{
	struct grpc_request *r = arg;

	(void)session, (void)flags;
	if (stream != r->stream)
		return 0;
	if (r->streams)
		return take_unread(r, data, len);
	switch (incoming_take(&r->in, data, len)) {
	case INCOMING_OK:
		return 0;
	case INCOMING_COMPRESSED:
		return fault_set(r, EPROTO, "the answer is compressed");
	case INCOMING_TOO_LARGE:
		return fault_set(r, EMSGSIZE, "the answer has %zu bytes, more than %zu",
				 r->in.expected, r->in.max);
	case INCOMING_NO_MEMORY:
		return fault_set(r, ENOMEM, "an answer of %zu bytes", r->in.expected);
	case INCOMING_BEYOND:
		break;
	}
	return fault_set(r, EPROTO, "data beyond the end of the message");
}

/* A GOAWAY without an error lets the calls under way finish, up to the stream it names. */
static int on_goaway(struct grpc_request *r, const nghttp2_goaway *goaway)
{
	if (goaway->error_code == NGHTTP2_NO_ERROR && goaway->last_stream_id >= r->stream)
		return 0;
	return fault_set(r, ECONNRESET, "the server sent GOAWAY (%s)",
			 nghttp2_http2_strerror(goaway->error_code));
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct grpc_request *r = arg;

	(void)session;
	if (r->ended)
		return 0;
	if (frame->hd.type == NGHTTP2_SETTINGS && !(frame->hd.flags & NGHTTP2_FLAG_ACK))
		r->greeted = true;
	if (frame->hd.type == NGHTTP2_GOAWAY)
		return on_goaway(r, &frame->goaway);
	if (frame->hd.stream_id != r->stream)
		return 0;
	if (frame->hd.type == NGHTTP2_RST_STREAM)
		return fault_set(r, ECONNRESET, "the server aborted the call (%s)",
				 nghttp2_http2_strerror(frame->rst_stream.error_code));
	if ((frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
	    (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
		r->ended = true;
	return 0;
}

/* on_frame has seen what the server may close; this is nghttp2 closing on a server that errs. */
static int on_close(nghttp2_session *session, int32_t stream, uint32_t error, void *arg)
{
	struct grpc_request *r = arg;

	(void)session;
	if (stream != r->stream || r->ended)
		return 0;
	return fault_set(r, EPROTO, "the answer breaks HTTP/2 (%s)",
			 r->hint[0] ? r->hint : nghttp2_http2_strerror(error));
}

/* Text of nghttp2 that may quote bytes of the server. */
static int on_complaint(nghttp2_session *session, int code, const char *text, size_t len, void *arg)
{
	struct grpc_request *r = arg;

	(void)session, (void)code;
	message_decode(text, len, r->hint, sizeof(r->hint));
	return 0;
}

/* -- what we say -- */

static ssize_t on_send(nghttp2_session *session, const uint8_t *data, size_t len, int flags,
		       void *arg)
{
	struct grpc_request *r = arg;

	(void)session, (void)flags;
	return outbox_add(&r->out, data, len);
}

/* The next bytes of prefix and message; never more than asked for. */
static ssize_t on_read_request(nghttp2_session *session, int32_t stream, uint8_t *buf, size_t size,
			       uint32_t *flags, nghttp2_data_source *source, void *arg)
{
	struct grpc_request *r = arg;
	size_t n = 0;

	(void)session, (void)stream, (void)source;
	while (n < size && r->req_sent < GRPC_PREFIX)
		buf[n++] = r->prefix_out[r->req_sent++];

	size_t rest = r->req_len - (r->req_sent - GRPC_PREFIX);
	if (rest > size - n)
		rest = size - n;
	if (rest > 0)
		memcpy(buf + n, r->req + r->req_sent - GRPC_PREFIX, rest);
	r->req_sent += rest;
	if (r->req_sent == GRPC_PREFIX + r->req_len)
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

int request_submit(struct grpc_request *r)
{
	nghttp2_data_provider provider = { .read_callback = on_read_request };
	char timeout[16] = "";

	if (!r->streams)
		timeout_format(&r->deadline, timeout);
	nghttp2_nv headers[] = {
		message_header(":method", "POST"),
		message_header(":scheme", "http"),
		message_header(":path", r->method),
		message_header(":authority", "localhost"),
		message_header("content-type", "application/grpc"),
		message_header("te", "trailers"),
		message_header("grpc-timeout", timeout),	/* the last: a stream has none */
	};
	r->stream = nghttp2_submit_request(r->session, NULL, headers,
					   ARRAY_SIZE(headers) - r->streams, &provider, NULL);
	return r->stream < 0 ? r->stream : 0;
}

static int settings_submit(struct grpc_request *r)
{
	size_t room = WINDOW_MAX - WINDOW_SLACK;
	size_t window = (r->in.max < room ? r->in.max : room) + WINDOW_SLACK;
	const nghttp2_settings_entry settings[] = {
		{ NGHTTP2_SETTINGS_ENABLE_PUSH, 0 },
		{ NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, (uint32_t)window },
	};
	int rc = nghttp2_submit_settings(r->session, NGHTTP2_FLAG_NONE, settings,
					 ARRAY_SIZE(settings));

	if (rc)
		return rc;
	return nghttp2_session_set_local_window_size(r->session, NGHTTP2_FLAG_NONE, 0,
						     (int32_t)window);
}

static void callbacks_done(nghttp2_session_callbacks **cb)
{
	nghttp2_session_callbacks_del(*cb);
}

static int session_open(struct grpc_request *r)
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
	return nghttp2_session_client_new(&r->session, cb, r);
}

int request_session_begin(struct grpc_request *r)
{
	int rc = session_open(r);

	return rc ? rc : settings_submit(r);
}
