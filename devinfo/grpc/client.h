/* SPDX-License-Identifier: Apache-2.0 */
/* client.h - one unary gRPC call over a unix socket */
#ifndef DEVINFO_GRPC_CLIENT_H
#define DEVINFO_GRPC_CLIENT_H

#include "base/deadline.h"
#include "base/err.h"

#include <stddef.h>

/* The status codes of gRPC (google.rpc.Code) that are used here. */
enum grpc_status {
	GRPC_OK = 0,
	GRPC_CANCELLED = 1,
	GRPC_UNKNOWN = 2,
	GRPC_DEADLINE_EXCEEDED = 4,
	GRPC_NOT_FOUND = 5,
	GRPC_RESOURCE_EXHAUSTED = 8,
	GRPC_UNIMPLEMENTED = 12,
	GRPC_UNAVAILABLE = 14,
};

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

/* Release what *r owns; zeroed structs are fine. */
void grpc_reply_done(struct grpc_reply *r);

#define auto_grpc_reply auto_with(grpc_reply_done)

#endif
