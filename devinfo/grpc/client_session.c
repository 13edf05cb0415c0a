/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_session.c - what is said and heard in one gRPC call: the callbacks of nghttp2
 *
 *   request	preface, SETTINGS, WINDOW_UPDATE, HEADERS and DATA leave in one write: h2c with
 *		prior knowledge waits for nothing.
 *   answer	HEADERS (:status 200), DATA, HEADERS with END_STREAM (grpc-status), or for an
 *		error that last frame alone ("trailers only").
 *   windows	Raising the stream's window by SETTINGS alone would stall the answer at 64 KiB,
 *		so the connection's is raised as well, both beyond the largest answer.
 *   bounds	The five bytes before the message announce its length, which is checked before
 *		memory is taken.  Headers are bounded by nghttp2.
 *   faults	A struct err cannot pass through nghttp2: callbacks leave it in the call and
 *		make nghttp2 give up.
 */
#include "devinfo/grpc/client_part.h"

#include "base/mem.h"

#include <ctype.h>
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
static int printflike(3, 4) fault_set(struct grpc_request *call, int sys, const char *fmt, ...)
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
	struct grpc_request *call = arg;
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
static int message_begin(struct grpc_request *call)
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
	struct grpc_request *call = arg;

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
static int on_goaway(struct grpc_request *call, const nghttp2_goaway *goaway)
{
	if (goaway->error_code == NGHTTP2_NO_ERROR && goaway->last_stream_id >= call->stream)
		return 0;
	return fault_set(call, ECONNRESET, "the server sent GOAWAY (%s)",
			 nghttp2_http2_strerror(goaway->error_code));
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct grpc_request *call = arg;

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
	struct grpc_request *call = arg;

	(void)session;
	if (stream != call->stream || call->ended)
		return 0;
	return fault_set(call, EPROTO, "the answer breaks HTTP/2 (%s)",
			 call->hint[0] ? call->hint : nghttp2_http2_strerror(error));
}

/* Text of nghttp2 that may quote bytes of the server. */
static int on_complaint(nghttp2_session *session, int code, const char *text, size_t len, void *arg)
{
	struct grpc_request *call = arg;

	(void)session, (void)code;
	message_decode(text, len, call->hint, sizeof(call->hint));
	return 0;
}

/* -- what we say -- */

static ssize_t on_send(nghttp2_session *session, const uint8_t *data, size_t len, int flags,
		       void *arg)
{
	struct grpc_request *call = arg;
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
	struct grpc_request *call = arg;
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

int grpc_request_submit(struct grpc_request *call, const char *method, const struct deadline *d)
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

static int settings_submit(struct grpc_request *call)
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

static int session_open(struct grpc_request *call)
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

int grpc_session_begin(struct grpc_request *call)
{
	int rc = session_open(call);

	return rc ? rc : settings_submit(call);
}
