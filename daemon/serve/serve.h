/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.h - a gRPC service on a unix socket, for clients of root
 *
 * The room daemon/serve/ joins the server's half of gRPC (devinfo/grpc/server.h) and the loop: the
 * socket's file, who connects, and what is waited for.  The socket has mode 0600 from its first
 * moment, so that root alone can connect.  What a client may cost is bounded by devinfo/grpc/, and
 * the number of clients here: one more is closed at once.
 *
 * The socket is bound by way of a descriptor of its directory, so it is inside the node's root
 * whatever links are on the way, and our own path to it may have any length.
 */
#ifndef DAEMON_SERVE_SERVE_H
#define DAEMON_SERVE_SERVE_H

#include "base/err.h"
#include "daemon/loop/loop.h"
#include "devinfo/grpc/server.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

/* A file, apart from another that had its name before; all zeros: none. */
struct file_id {
	dev_t dev;
	ino_t ino;
	struct timespec made;		/* a socket is never written to */
};

/* Which socket is this, in a directory that is open, or not there (-1)?  All zeros: none. */
struct file_id file_id_in(int dir, const char *name);
/* The same by the path of the directory. */
struct file_id serve_file_id(int root, const char *dir, const char *name);
bool file_id_equal(const struct file_id *a, const struct file_id *b);

struct serve_options {
	const struct grpc_service *service;
	int root;			/* descriptor of the node's root */
	const char *dir, *name;		/* the socket */
	unsigned int max_clients;
};

struct serve;

/* Nobody can connect before serve_open().  What *o refers to is borrowed.  NULL: ERR_IO. */
struct serve *serve_new(struct loop *l, const struct serve_options *o, struct err *e) must_check;

/*
 * Let clients in, unless the socket is still there: 1; 0 when there is no directory for it; -1.
 * What has its name is replaced.  Who is connected stays so.
 */
int serve_open(struct serve *s, struct err *e) must_check;

/* Is the socket still there? */
bool serve_is_there(const struct serve *s);

/* After something was sent in a call, or one was ended, from without its begin(). */
void serve_wait(struct serve *s);

/* End all calls, and remove the socket if it is still ours.  NULL is fine. */
void serve_free(struct serve *s);

#endif
