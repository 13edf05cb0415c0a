/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c - one unary gRPC call over a unix socket: the socket, the clock and the verdict
 *
 * nghttp2 knows HTTP/2, and client_session.c gRPC; this file gives them bytes and a clock.  When
 * the stream has ended the call is over; the connection is closed without further ceremony.  Time
 * is bounded by the deadline, and what is not of the message is counted: frames without an answer
 * are a flood.
 */
#include "devinfo/grpc/client_part.h"

#include "base/mem.h"
#include "base/unix_socket.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { OVERHEAD_MAX = 1024 * 1024 };	/* bytes; the largest answer of kubelet's needs 10 KiB */

static int library_error(const struct grpc_request *call, int rc, struct err *e)
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
static int call_write(struct grpc_request *call, struct err *e)
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

static int call_read(struct grpc_request *call, struct err *e)
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

static int call_wait(const struct grpc_request *call, const struct deadline *d, struct err *e)
{
	struct pollfd p = { .fd = call->fd, .events = POLLIN | (call->out_len > 0 ? POLLOUT : 0) };

	/* one that always has more to say is not listened to for ever */
	if (deadline_left_ms(d) == 0 || !deadline_poll(d, &p, 1))
		return deadline_error(ERR_PODRES, e, "the server did not answer %s",
				      deadline_end());
	return 0;
}

/* Until one of its own members is true. */
static int call_run(struct grpc_request *call, const bool *until, const struct deadline *d,
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
static int call_finish(struct grpc_request *call, struct grpc_reply *ret, struct err *e)
{
	if (call->http_status != 200)
		return err_set(e, ERR_PODRES, EPROTO, "HTTP status %d instead of 200",
			       call->http_status);
	if (call->grpc_status < 0)
		return err_set(e, ERR_PODRES, EPROTO, "the answer ended without a grpc-status");
	if (call->grpc_status == GRPC_OK && call->received != GRPC_PREFIX + call->expected)
		return err_set(e, ERR_PODRES, EPROTO, "the answer ended inside its message");

	struct grpc_reply reply = { .grpc_status = call->grpc_status };
	memcpy(reply.grpc_message, call->grpc_message, sizeof(reply.grpc_message));
	if (call->grpc_status == GRPC_OK) {
		reply.body = steal_ptr(&call->body);
		reply.len = call->expected;
	}
	*ret = reply;
	return 0;
}

static void call_done(struct grpc_request *call)
{
	nghttp2_session_del(call->session);
	free(call->body);
}

int grpc_unary_fd(int fd, const char *method, const void *req, size_t req_len, size_t max_reply,
		  const struct deadline *d, struct grpc_reply *ret, struct err *e)
{
	auto_with(call_done) struct grpc_request call = {
		.fd = fd, .req = req, .req_len = req_len, .max_reply = max_reply, .grpc_status = -1,
	};
	int rc;

	for (int i = 1; i < GRPC_PREFIX; i++)
		call.prefix_out[i] = (unsigned char)(req_len >> (8 * (GRPC_PREFIX - 1 - i)));
	rc = grpc_session_begin(&call);
	if (rc == 0)
		rc = grpc_request_submit(&call, method, d);
	if (rc)
		return library_error(&call, rc, e);
	if (call_run(&call, &call.ended, d, e) < 0 || call_finish(&call, ret, e) < 0)
		return err_wrap(e, "%s", method);
	return 0;
}

int grpc_unary(int root, const char *socket, const char *method, const void *req, size_t req_len,
	       size_t max_reply, const struct deadline *d, struct grpc_reply *ret, struct err *e)
{
	auto_close int fd = unix_socket_connect(root, socket, SOCK_STREAM, d, ERR_PODRES, e);

	if (fd < 0 || grpc_unary_fd(fd, method, req, req_len, max_reply, d, ret, e) < 0)
		return err_wrap(e, "gRPC server '%s'", socket);
	return 0;
}

int grpc_probe(int root, const char *socket, const struct deadline *d, struct err *e)
{
	auto_close int fd = unix_socket_connect(root, socket, SOCK_STREAM, d, ERR_PODRES, e);

	auto_with(call_done) struct grpc_request call = { .fd = fd, .grpc_status = -1 };
	int rc;

	if (fd < 0)
		return -1;
	rc = grpc_session_begin(&call);
	return rc ? library_error(&call, rc, e) : call_run(&call, &call.greeted, d, e);
}

void grpc_reply_done(struct grpc_reply *r)
{
	free(r->body);
	*r = (struct grpc_reply){ 0 };
}
