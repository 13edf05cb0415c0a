/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - one connection of a client: the socket, and what it may cost
 *
 * nghttp2 knows HTTP/2, server_session.c hears requests, server_call.c answers them; this file
 * gives them bytes.  A client is not trusted.  What it can make us keep and do is bounded:
 *
 *   calls	max_calls at once.  Each has one request of max_request bytes at most, until begin()
 *		has returned, and two messages of its user's: the one that leaves and the newest.
 *   answers	Who does not read is not read from: while bytes wait for the socket there is no
 *		POLLIN.  So acknowledgements, refusals and resets, for which a client can ask
 *		without end, are those of one read, READ_MAX bytes, at most.
 *   floods	Frames that belong to no request, as PING, SETTINGS, WINDOW_UPDATE, empty DATA, or
 *		calls that are begun and reset, may be IDLE_MAX bytes in IDLE_MS.  A whole
 *		request, and a message of ours that has left, pay for those before.
 *   headers	64 KiB and few CONTINUATIONs, by nghttp2, as are the rate of resets by the client,
 *		and the entries of SETTINGS.  The table of HPACK has 4 KiB.
 *   time	none: an idle client costs this struct and the session, about 50 KiB.  How many
 *		connect is up to who accepts.
 */
#include "devinfo/grpc/server_part.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

enum {
	READ_MAX = 16 * 1024,
	IDLE_MAX = 1024 * 1024,		/* bytes */
	IDLE_MS = 60 * 1000,
};

/* -- going on -- */

/* nghttp2 has given up, by rc or by a GOAWAY. */
static int connection_error(const struct grpc_connection *c, int rc, struct err *e)
{
	if (rc == NGHTTP2_ERR_NOMEM || c->no_memory)
		return err_set(e, ERR_IO, ENOMEM, "a gRPC connection");
	return err_set(e, ERR_IO, EPROTO, "a gRPC client broke HTTP/2: %s",
		       c->hint[0] ? c->hint : rc ? nghttp2_strerror(rc) : "a connection error");
}

/* No error: clients come and go. */
static int connection_gone(struct err *e)
{
	*e = (struct err){ 0 };
	return -1;
}

/* Count what may be a flood; what a request takes of it is given back by the callbacks. */
static void idle_add(struct grpc_connection *c, size_t n)
{
	if (deadline_left_ms(&c->idle_until) == 0) {
		c->idle = 0;
		c->idle_until = deadline_firm_in(IDLE_MS);
	}
	c->idle += n;
}

static int connection_read(struct grpc_connection *c, struct err *e)
{
	left_unset uint8_t buf[READ_MAX];
	ssize_t n = recv(c->fd, buf, sizeof(buf), 0), used;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return connection_gone(e);
	idle_add(c, (size_t)n);
	used = nghttp2_session_mem_recv(c->session, buf, (size_t)n);
	if (used < 0)
		return connection_error(c, (int)used, e);
	if (c->idle > IDLE_MAX)
		return err_set(e, ERR_IO, EPROTO, "a gRPC client sent over %d bytes of frames "
			       "that are no request", IDLE_MAX);
	return 0;
}

static int connection_write(struct grpc_connection *c, struct err *e)
{
	int rc = outbox_flush(&c->out, c->session, c->fd);

	if (rc || c->no_memory)
		return connection_error(c, rc, e);
	if (c->out.closed)
		return connection_gone(e);
	if (nghttp2_session_want_read(c->session))
		return 0;
	if (c->terminated)
		return connection_error(c, 0, e);
	return c->out.len == 0 ? connection_gone(e) : 0;	/* the client said GOAWAY */
}

int grpc_connection_go_on(struct grpc_connection *c, short revents, struct err *e)
{
	short input = POLLIN | POLLHUP | POLLERR;	/* what these mean recv(2) tells */

	if ((revents & input) && c->out.len == 0 && connection_read(c, e) < 0)
		return -1;
	return connection_write(c, e);
}

int grpc_connection_fd(const struct grpc_connection *c)
{
	return c->fd;
}

short grpc_connection_events(const struct grpc_connection *c)
{
	if (c->out.len > 0)
		return POLLOUT;
	return POLLIN | (c->no_memory || nghttp2_session_want_write(c->session) ? POLLOUT : 0);
}

/* -- life -- */

void grpc_connection_free(struct grpc_connection *c)
{
	if (!c)
		return;
	while (c->calls)
		call_close(c->calls);
	nghttp2_session_del(c->session);
	mem_close_fd(&c->fd);
	free(c);
}

static void connection_free_ptr(struct grpc_connection **c)
{
	grpc_connection_free(*c);
}

struct grpc_connection *grpc_connection_new(int fd, const struct grpc_service *s, struct err *e)
{
	auto_close int taken = fd;
	auto_with(connection_free_ptr) struct grpc_connection *c = calloc(1, sizeof(*c));
	int rc;

	if (!c) {
		err_set(e, ERR_IO, ENOMEM, "a gRPC connection");
		return NULL;
	}
	c->fd = steal_fd(&taken);
	c->service = s;
	c->idle_until = deadline_firm_in(IDLE_MS);
	rc = connection_session_begin(c);
	if (rc) {
		(void)connection_error(c, rc, e);
		return NULL;
	}
	return steal_ptr(&c);
}
