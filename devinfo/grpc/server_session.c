/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_session.c - what a client says in its calls: the callbacks of nghttp2
 *
 *   request	HEADERS, DATA with one message, and the end of its half of the stream.  What is
 *		wrong is told as soon as it is known, with a status alone, and after that the
 *		client is asked to send no more of it: RST_STREAM (NO_ERROR), RFC 9113, 8.1.
 *   headers	:method, :path, content-type and grpc-encoding are looked at when they come, and
 *		none is kept.  te may be missing; grpc-timeout is the client's own to keep.  HTTP's
 *		rules for all others are not nghttp2's to keep: kubelets before 1.26 say the path
 *		of the socket in :authority, which these do not allow.
 *   calls	More than max_calls at once nghttp2 refuses, as SETTINGS say.
 */
#include "devinfo/grpc/server_part.h"

#include <string.h>

enum { HEADERS_MAX = 16 * 1024 };	/* bytes, which we say; nghttp2 takes 64 KiB at most */

static struct grpc_call *call_of(nghttp2_session *session, int32_t stream)
{
	return nghttp2_session_get_stream_user_data(session, stream);
}

static bool is_request(const nghttp2_frame *frame)
{
	return frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
}

/* -- headers -- */

static int on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	int32_t stream = frame->hd.stream_id;
	struct grpc_call *call;

	if (!is_request(frame))
		return 0;
	call = call_new(arg, stream);
	if (!call)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	return nghttp2_session_set_stream_user_data(session, stream, call);
}

static const struct grpc_method *method_find(const struct grpc_service *s, const char *path)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->methods[i].path, path) == 0)
			return &s->methods[i];
	return NULL;
}

/* "application/grpc", "application/grpc+proto", "application/grpc;charset=..." */
static bool type_is_grpc(const char *type)
{
	static const char want[] = "application/grpc";
	size_t len = sizeof(want) - 1;

	return strncmp(type, want, len) == 0 && strchr("+;", type[len]);
}

/* nghttp2 has NUL-terminated name and value.  One with a NUL in it is as if it were not there. */
static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
		     size_t name_len, const uint8_t *value, size_t len, uint8_t flags, void *arg)
{
	struct grpc_call *call = call_of(session, frame->hd.stream_id);
	const struct grpc_connection *c = arg;
	const char *key = (const char *)name, *text = (const char *)value;

	(void)flags;
	if (!call || !is_request(frame) || strlen(key) != name_len || strlen(text) != len)
		return 0;
	if (strcmp(key, ":method") == 0)
		call->is_post = strcmp(text, "POST") == 0;
	else if (strcmp(key, ":path") == 0)
		call->method = method_find(c->service, text);
	else if (strcmp(key, "content-type") == 0)
		call->is_grpc = type_is_grpc(text);
	else if (strcmp(key, "grpc-encoding") == 0)
		call->is_encoded = strcmp(text, "identity") != 0;
	return 0;
}

static void headers_check(struct grpc_call *call)
{
	if (!call->is_post)
		call_refuse(call, "405", GRPC_INTERNAL, "the method is not POST");
	else if (!call->is_grpc)
		call_refuse(call, "415", GRPC_INVALID_ARGUMENT,
			    "the content-type is not application/grpc");
	else if (!call->method)
		call_refuse(call, "200", GRPC_UNIMPLEMENTED, "unknown method");
	else if (call->is_encoded)
		call_refuse(call, "200", GRPC_UNIMPLEMENTED, "no compression is supported");
}

/* -- the message -- */

static void fault_tell(struct grpc_call *call, enum incoming_fault fault)
{
	switch (fault) {
	case INCOMING_COMPRESSED:
		call_refuse(call, "200", GRPC_UNIMPLEMENTED, "no compression is supported");
		break;
	case INCOMING_TOO_LARGE:
		call_refuse(call, "200", GRPC_RESOURCE_EXHAUSTED, "the request is too large");
		break;
	case INCOMING_NO_MEMORY:
		call_refuse(call, "200", GRPC_RESOURCE_EXHAUSTED, "no memory for the request");
		break;
	case INCOMING_BEYOND:
		call_refuse(call, "200", GRPC_INTERNAL, "data beyond the end of the message");
		break;
	case INCOMING_OK:
		break;
	}
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data,
		   size_t len, void *arg)
{
	struct grpc_call *call = call_of(session, stream);
	struct grpc_connection *c = arg;
	enum incoming_fault fault;

	(void)flags;
	if (!call || call->ended)
		return 0;
	fault = incoming_take(&call->in, data, len);
	fault_tell(call, fault);
	if (fault == INCOMING_OK)
		c->idle = c->idle > len ? c->idle - len : 0;
	return 0;
}

static void request_end(struct grpc_call *call, const struct grpc_service *s)
{
	call->asked = true;
	if (call->ended)
		return;
	if (!incoming_is_whole(&call->in)) {
		call_refuse(call, "200", GRPC_INTERNAL, "the request ended inside its message");
		return;
	}
	call->connection->idle = 0;
	call->method->begin(call, call->in.body, call->in.expected, s->arg);
	incoming_done(&call->in);
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	const struct grpc_connection *c = arg;
	struct grpc_call *call;

	if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
		return 0;
	call = call_of(session, frame->hd.stream_id);
	if (!call)
		return 0;
	if (is_request(frame))
		headers_check(call);
	if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
		request_end(call, c->service);
	return 0;
}

/* -- the end -- */

static int on_close(nghttp2_session *session, int32_t stream, uint32_t error, void *arg)
{
	struct grpc_call *call = call_of(session, stream);

	(void)error, (void)arg;
	if (call)
		call_close(call);
	return 0;
}

/* nghttp2 ends the connection; what it says then to the client is for us, too. */
static void goaway_note(struct grpc_connection *c, const nghttp2_goaway *goaway)
{
	c->terminated = true;
	if (goaway->opaque_data_len > 0)
		message_decode((const char *)goaway->opaque_data, goaway->opaque_data_len, c->hint,
			       sizeof(c->hint));
}

static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct grpc_connection *c = arg;
	const struct grpc_call *call;

	if (frame->hd.type == NGHTTP2_GOAWAY)
		goaway_note(c, &frame->goaway);
	if (frame->hd.type != NGHTTP2_HEADERS || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
		return 0;
	call = call_of(session, frame->hd.stream_id);
	if (!call || call->asked)
		return 0;
	return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, call->stream,
					 NGHTTP2_NO_ERROR);
}

/* Text of nghttp2 that may quote bytes of the client. */
static int on_complaint(nghttp2_session *session, int code, const char *text, size_t len, void *arg)
{
	struct grpc_connection *c = arg;

	(void)session, (void)code;
	message_decode(text, len, c->hint, sizeof(c->hint));
	return 0;
}

static ssize_t on_send(nghttp2_session *session, const uint8_t *data, size_t len, int flags,
		       void *arg)
{
	struct grpc_connection *c = arg;

	(void)session, (void)flags;
	return outbox_add(&c->out, data, len);
}

/* -- life -- */

static void callbacks_done(nghttp2_session_callbacks **cb)
{
	nghttp2_session_callbacks_del(*cb);
}

static void option_done(nghttp2_option **option)
{
	nghttp2_option_del(*option);
}

static int session_open(struct grpc_connection *c)
{
	auto_with(callbacks_done) nghttp2_session_callbacks *cb = NULL;
	auto_with(option_done) nghttp2_option *option = NULL;
	int rc = nghttp2_session_callbacks_new(&cb);

	if (rc == 0)
		rc = nghttp2_option_new(&option);
	if (rc)
		return rc;
	/* else it remembers streams that have ended, for their priorities */
	nghttp2_option_set_no_closed_streams(option, 1);
	nghttp2_option_set_no_http_messaging(option, 1);
	nghttp2_session_callbacks_set_send_callback(cb, on_send);
	nghttp2_session_callbacks_set_on_begin_headers_callback(cb, on_begin);
	nghttp2_session_callbacks_set_on_header_callback(cb, on_header);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, on_data);
	nghttp2_session_callbacks_set_on_frame_recv_callback(cb, on_frame);
	nghttp2_session_callbacks_set_on_frame_send_callback(cb, on_sent);
	nghttp2_session_callbacks_set_on_stream_close_callback(cb, on_close);
	nghttp2_session_callbacks_set_error_callback2(cb, on_complaint);
	return nghttp2_session_server_new2(&c->session, cb, c, option);
}

int connection_session_begin(struct grpc_connection *c)
{
	const nghttp2_settings_entry settings[] = {
		{ NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, c->service->max_calls },
		{ NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HEADERS_MAX },
	};
	int rc = session_open(c);

	if (rc)
		return rc;
	return nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, settings,
				       ARRAY_SIZE(settings));
}
