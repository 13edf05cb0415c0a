/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c - a gRPC call over a unix socket: the socket, the clock and the verdict
 *
 * nghttp2 knows HTTP/2, and client_session.c gRPC; this file gives them bytes and a clock.  When
 * the stream has ended the call is over; the connection is closed without further ceremony.  Time
 * is bounded by the deadline, and what is not of the message is counted: frames without an answer
 * are a flood.
 *
 * There is one way through a call, its steps (request_step): to read what there is and to write
 * what the socket takes.  Who blocks waits between them (request_run).
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

static int library_error(const struct grpc_request *r, int rc, struct err *e)
{
	if (r->fault.code) {
		*e = r->fault;
		return -1;
	}
	err_set(e, ERR_PODRES, rc == NGHTTP2_ERR_NOMEM ? ENOMEM : EPROTO, "%s",
		rc ? nghttp2_strerror(rc) : "the answer is not valid HTTP/2");
	return r->hint[0] ? err_detail(e, "%s", r->hint) : -1;
}

/* -- steps -- */

/* A server that has closed may have answered before. */
int request_write(struct grpc_request *r, struct err *e)
{
	int rc = outbox_flush(&r->out, r->session, r->fd);

	if (rc || !nghttp2_session_want_read(r->session))	/* nghttp2 has given up */
		return library_error(r, rc, e);
	return 0;
}

int request_read(struct grpc_request *r, struct err *e)
{
	left_unset uint8_t buf[16 * 1024];	/* a frame */
	ssize_t n = recv(r->fd, buf, sizeof(buf), 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return err_set(e, ERR_PODRES, n < 0 ? errno : ECONNRESET,
			       "the server closed the connection before it answered");

	ssize_t used = nghttp2_session_mem_recv(r->session, buf, (size_t)n);
	if (used < 0 && !r->ended)
		return library_error(r, (int)used, e);
	r->said += (size_t)n;
	if (!r->ended && r->said - r->in.received > OVERHEAD_MAX)
		return err_set(e, ERR_PODRES, EPROTO, "the server sent over %d bytes of frames "
			       "that are no answer", OVERHEAD_MAX);
	return 0;
}

/* 1 when *until, a member of r, is true; 0 not yet, and there is time; -1. */
static int request_step(struct grpc_request *r, const bool *until, struct err *e)
{
	if (request_read(r, e) < 0)
		return -1;
	if (*until)
		return 1;
	if (request_write(r, e) < 0)
		return -1;
	/* one that always has more to say is not listened to for ever */
	if (deadline_left_ms(&r->deadline) == 0)
		return deadline_error(ERR_PODRES, e, "the server did not answer %s",
				      deadline_end());
	return 0;
}

/* The stream has ended: is it a gRPC answer? */
static int request_finish(struct grpc_request *r, struct grpc_reply *ret, struct err *e)
{
	if (r->http_status != 200)
		return err_set(e, ERR_PODRES, EPROTO, "HTTP status %d instead of 200",
			       r->http_status);
	if (r->grpc_status < 0)
		return err_set(e, ERR_PODRES, EPROTO, "the answer ended without a grpc-status");
	if (r->grpc_status == GRPC_OK && !incoming_is_whole(&r->in))
		return err_set(e, ERR_PODRES, EPROTO, "the answer ended inside its message");

	struct grpc_reply reply = { .grpc_status = r->grpc_status };
	memcpy(reply.grpc_message, r->grpc_message, sizeof(reply.grpc_message));
	if (r->grpc_status == GRPC_OK) {
		reply.body = steal_ptr(&r->in.body);
		reply.len = r->in.expected;
	}
	*ret = reply;
	return 0;
}

int grpc_request_go_on(struct grpc_request *r, struct grpc_reply *ret, struct err *e)
{
	int rc = request_step(r, &r->ended, e);

	if (rc > 0 && request_finish(r, ret, e) < 0)
		rc = -1;
	return rc < 0 ? err_wrap(e, "%s", r->method) : rc;
}

int grpc_request_fd(const struct grpc_request *r)
{
	return r->fd;
}

short grpc_request_events(const struct grpc_request *r)
{
	return POLLIN | (r->out.len > 0 ? POLLOUT : 0);
}

/* -- life -- */

void grpc_request_free(struct grpc_request *r)
{
	if (!r)
		return;
	nghttp2_session_del(r->session);
	incoming_done(&r->in);
	unread_done(&r->unread);
	mem_close_fd(&r->fd);
	free(r);
}

static void request_free_ptr(struct grpc_request **r)
{
	grpc_request_free(*r);
}

#define auto_request auto_with(request_free_ptr)

/* The socket is the caller's still: r->fd. */
static struct grpc_request *request_make(const void *req, size_t req_len, size_t max_reply,
					 const struct deadline *d, struct err *e)
{
	struct grpc_request *r = calloc(1, sizeof(*r) + req_len);

	if (!r) {
		err_set(e, ERR_PODRES, ENOMEM, "a request of %zu bytes", req_len);
		return NULL;
	}
	r->fd = -1;
	r->streams = !d;
	if (d)
		r->deadline = *d;
	r->grpc_status = -1;
	r->in.max = max_reply;
	r->req_len = req_len;
	message_prefix(req_len, r->prefix_out);
	if (req_len > 0)
		memcpy(r->req, req, req_len);
	return r;
}

/* A session, with a call if there is a method, and its first bytes leave. */
static int request_begin(struct grpc_request *r, const char *method, struct err *e)
{
	int rc = request_session_begin(r);

	r->method = method;
	if (rc == 0 && method)
		rc = request_submit(r);
	if (rc)
		return library_error(r, rc, e);
	return request_write(r, e);
}

struct grpc_request *grpc_request_new(int fd, const char *method, const void *req, size_t req_len,
				      size_t max_reply, const struct deadline *d, struct err *e)
{
	auto_close int taken = fd;
	auto_request struct grpc_request *r = request_make(req, req_len, max_reply, d, e);

	if (!r)
		return NULL;
	r->fd = steal_fd(&taken);
	if (request_begin(r, method, e) < 0) {
		(void)err_wrap(e, "%s", method);
		return NULL;
	}
	return steal_ptr(&r);
}

/* -- blocking -- */

static int request_run(struct grpc_request *r, const bool *until, struct err *e)
{
	int rc = 0;

	while (rc == 0) {
		struct pollfd p = { .fd = r->fd, .events = grpc_request_events(r) };

		(void)deadline_poll(&r->deadline, &p, 1);	/* the step tells what is late */
		rc = request_step(r, until, e);
	}
	return rc;
}

int grpc_unary_fd(int fd, const char *method, const void *req, size_t req_len, size_t max_reply,
		  const struct deadline *d, struct grpc_reply *ret, struct err *e)
{
	auto_request struct grpc_request *r = request_make(req, req_len, max_reply, d, e);
	int rc;

	if (!r)
		return -1;
	r->fd = fd;
	rc = request_begin(r, method, e);
	if (rc == 0)
		rc = request_run(r, &r->ended, e);
	(void)steal_fd(&r->fd);		/* it was lent */
	if (rc < 0 || request_finish(r, ret, e) < 0)
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

	if (fd < 0)
		return -1;

	auto_request struct grpc_request *r = request_make(NULL, 0, 0, d, e);
	if (!r)
		return -1;
	r->fd = steal_fd(&fd);
	if (request_begin(r, NULL, e) < 0)
		return -1;
	return request_run(r, &r->greeted, e) < 0 ? -1 : 0;
}

void grpc_reply_done(struct grpc_reply *r)
{
	free(r->body);
	*r = (struct grpc_reply){ 0 };
}
