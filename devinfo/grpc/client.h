/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.h - a gRPC call over a unix socket: unary, waited for or in steps, or a stream of answers
 *
 * This room speaks gRPC over unix sockets, by nghttp2.  It knows neither kubelet nor a loop: the
 * server's half is server.h.
 */
#ifndef DEVINFO_GRPC_CLIENT_H
#define DEVINFO_GRPC_CLIENT_H

#include "base/deadline.h"
#include "base/err.h"
#include "devinfo/grpc/status.h"

#include <stddef.h>

struct grpc_reply {
	int grpc_status;
	char grpc_message[256];		/* one line of printable ASCII, "" when there was none */
	unsigned char *body;		/* owned; the message, NULL unless grpc_status is GRPC_OK */
	size_t len;
};

/*
 * Call method ("/package.Service/Method") of the server that listens on a unix socket, which is a
 * path inside root, with one message and get one back.  Everything, connecting included, ends
 * with *d.
 *
 * 0: the server answered with a grpc-status, which may well be an error.  -1: it did not, or its
 * answer breaks HTTP/2 or gRPC or is larger than max_reply bytes: ERR_PODRES, and e->sys tells
 * callers the case: ENOENT, EACCES, ENOTSOCK, ECONNREFUSED (nobody listens), ECONNRESET (closed
 * early or call aborted by the server), ETIMEDOUT, EMSGSIZE (too large), EPROTO.  A signal is
 * ERR_INTERRUPTED.
 */
int grpc_unary(int root, const char *socket, const char *method, const void *req, size_t req_len,
	       size_t max_reply, const struct deadline *d, struct grpc_reply *ret, struct err *e)
	must_check;

/* The same over a connection that is there already: a socket that does not block; borrowed. */
int grpc_unary_fd(int fd, const char *method, const void *req, size_t req_len, size_t max_reply,
		  const struct deadline *d, struct grpc_reply *ret, struct err *e) must_check;

/*
 * Check that a server listens there and speaks HTTP/2: 0, or -1 with an error as grpc_unary()'s.
 * Only SETTINGS are exchanged; no method is called.
 */
int grpc_probe(int root, const char *socket, const struct deadline *d, struct err *e) must_check;

/*
 * The same in steps, for who has other things to wait for: one call, over a connected socket that
 * does not block.
 *
 *	wait until grpc_request_fd() is ready for grpc_request_events(), or *d is over;
 *	grpc_request_go_on(): 0, wait again; else it is over, grpc_request_free()
 */
struct grpc_request;

/*
 * Begin.  fd is taken, even on an error, and closed at the end; req is copied, method is borrowed
 * until then.  The server may take up to *d; NULL of a stream, which ends when either side wants,
 * and whose answers have max_reply bytes each.  NULL with *e, as of grpc_unary(), on an error.
 */
struct grpc_request *grpc_request_new(int fd, const char *method, const void *req, size_t req_len,
				      size_t max_reply, const struct deadline *d, struct err *e)
	must_check;
int grpc_request_fd(const struct grpc_request *r);
/* What to wait for: POLLIN, and POLLOUT while the socket has not taken the request. */
short grpc_request_events(const struct grpc_request *r);

/* 1: answered, as 0 of grpc_unary(): *ret is the caller's.  0: not yet.  -1: as there. */
int grpc_request_go_on(struct grpc_request *r, struct grpc_reply *ret, struct err *e) must_check;

/*
 * The same of a stream: 1, *ret is its next answer, and more may be there: call it again before the
 * next wait.  0: not yet.  -1: it is over; with e->sys 0 the server has ended it, and said why.
 */
int grpc_request_next(struct grpc_request *r, struct grpc_reply *ret, struct err *e) must_check;

/* At any time: a call that is not answered is given up.  NULL is fine. */
void grpc_request_free(struct grpc_request *r);

/* Release what *r owns; zeroed structs are fine. */
void grpc_reply_done(struct grpc_reply *r);

#define auto_grpc_reply auto_with(grpc_reply_done)

#endif
