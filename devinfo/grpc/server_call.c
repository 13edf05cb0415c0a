/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_call.c - a call at the server: its messages and its end, on their way to the client
 *
 *   message	With the first one our headers are submitted; from then on nghttp2 asks for bytes
 *		when window and socket have room (on_read), and is told to ask again when there
 *		are none.  Two messages are kept, the one that leaves and the newest.
 *   end	After the last byte come the trailers with the status; of a call without a message
 *		these are in the headers ("trailers only").
 *   memory	An answer for which nghttp2 has none cannot be told to its caller, who has done his
 *		part: the connection ends (no_memory).
 */
#include "devinfo/grpc/server_part.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- what leaves -- */

static void outgoing_done(struct outgoing *o)
{
	free(o->data);
	*o = (struct outgoing){ 0 };
}

/* The next bytes of it; when it has left, the newest one is next. */
static size_t call_copy(struct grpc_call *call, uint8_t *buf, size_t size)
{
	struct outgoing *o = &call->leaving;
	size_t n = o->len - o->sent < size ? o->len - o->sent : size;

	if (n == 0)
		return 0;
	memcpy(buf, o->data + o->sent, n);
	o->sent += n;
	if (o->sent < o->len)
		return n;
	outgoing_done(o);
	*o = call->waiting;
	call->waiting = (struct outgoing){ 0 };
	call->connection->idle = 0;
	return n;
}

static int trailers_submit(struct grpc_call *call)
{
	char status[16];

	(void)snprintf(status, sizeof(status), "%d", (int)call->status);
	nghttp2_nv headers[] = {
		message_header("grpc-status", status),
		message_header("grpc-message", call->text),
	};
	return nghttp2_submit_trailer(call->connection->session, call->stream, headers,
				      ARRAY_SIZE(headers));
}

static ssize_t on_read(nghttp2_session *session, int32_t stream, uint8_t *buf, size_t size,
		       uint32_t *flags, nghttp2_data_source *source, void *arg)
{
	struct grpc_call *call = source->ptr;
	size_t n = call_copy(call, buf, size);

	(void)session, (void)stream, (void)arg;
	if (call->leaving.data || (n > 0 && !call->ended))
		return (ssize_t)n;
	if (!call->ended)
		return NGHTTP2_ERR_DEFERRED;
	if (trailers_submit(call) != 0) {
		call->connection->no_memory = true;
		return NGHTTP2_ERR_CALLBACK_FAILURE;
	}
	*flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
	return (ssize_t)n;
}

static void call_submitted(struct grpc_call *call, int rc)
{
	if (rc == 0 || !nghttp2_is_fatal(rc))	/* a stream that is closing needs no answer */
		return;
	call->connection->no_memory = true;
}

/* There is more to send, or no more: nghttp2 has to ask. */
static void call_answer(struct grpc_call *call)
{
	nghttp2_data_provider provider = { .source.ptr = call, .read_callback = on_read };
	nghttp2_nv headers[] = {
		message_header(":status", "200"),
		message_header("content-type", "application/grpc"),
	};
	nghttp2_session *session = call->connection->session;

	if (call->answered) {
		call_submitted(call, nghttp2_session_resume_data(session, call->stream));
		return;
	}
	call->answered = true;
	call_submitted(call, nghttp2_submit_response(session, call->stream, headers,
						     ARRAY_SIZE(headers), &provider));
}

void call_refuse(struct grpc_call *call, const char *http, enum grpc_status status,
		 const char *message)
{
	char number[16];

	call->ended = true;
	message_encode(message, call->text, sizeof(call->text));
	(void)snprintf(number, sizeof(number), "%d", (int)status);
	nghttp2_nv headers[] = {
		message_header(":status", http),
		message_header("content-type", "application/grpc"),
		message_header("grpc-status", number),
		message_header("grpc-message", call->text),
	};
	call_submitted(call, nghttp2_submit_response(call->connection->session, call->stream,
						     headers, ARRAY_SIZE(headers), NULL));
}

/* -- the caller's -- */

/* 0, or -1 when there is no memory. */
static int outgoing_make(struct outgoing *o, const void *msg, size_t len)
{
	unsigned char *data = len <= UINT32_MAX ? malloc(GRPC_PREFIX + len) : NULL;

	if (!data)
		return -1;
	message_prefix(len, data);
	if (len > 0)
		memcpy(data + GRPC_PREFIX, msg, len);
	outgoing_done(o);
	*o = (struct outgoing){ .data = data, .len = GRPC_PREFIX + len };
	return 0;
}

bool grpc_call_is_behind(const struct grpc_call *call)
{
	return call->leaving.sent > 0 ? call->waiting.data : call->leaving.data;
}

int grpc_call_send(struct grpc_call *call, const void *msg, size_t len)
{
	if (outgoing_make(call->leaving.sent > 0 ? &call->waiting : &call->leaving, msg, len) < 0) {
		grpc_call_end(call, GRPC_RESOURCE_EXHAUSTED, "no memory for the answer");
		return -1;
	}
	call_answer(call);
	return 0;
}

void grpc_call_end(struct grpc_call *call, enum grpc_status status, const char *message)
{
	if (!call->answered) {
		call_refuse(call, "200", status, message ? message : "");
		return;
	}
	call->ended = true;
	call->status = status;
	message_encode(message ? message : "", call->text, sizeof(call->text));
	call_answer(call);
}

void grpc_call_on_closed(struct grpc_call *call, void (*closed)(struct grpc_call *call, void *arg),
			 void *arg)
{
	call->closed = closed;
	call->arg = arg;
}

/* -- life -- */

struct grpc_call *call_new(struct grpc_connection *c, int32_t stream)
{
	struct grpc_call *call = calloc(1, sizeof(*call));

	if (!call)
		return NULL;
	call->connection = c;
	call->stream = stream;
	call->in.max = c->service->max_request;
	call->next = c->calls;
	c->calls = call;
	return call;
}

void call_close(struct grpc_call *call)
{
	struct grpc_call **at = &call->connection->calls;

	while (*at != call)
		at = &(*at)->next;
	*at = call->next;
	if (!call->ended && call->closed)
		call->closed(call, call->arg);
	incoming_done(&call->in);
	outgoing_done(&call->leaving);
	outgoing_done(&call->waiting);
	free(call);
}
