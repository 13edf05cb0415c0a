/* SPDX-License-Identifier: Apache-2.0 */
/* unix_socket.h - connect to a unix socket that is a path of the node */
#ifndef BASE_UNIX_SOCKET_H
#define BASE_UNIX_SOCKET_H

#include "base/deadline.h"
#include "base/err.h"

/*
 * Connect to the socket at a path, of any length, inside root: a non-blocking descriptor of this
 * type (SOCK_STREAM...), which the caller closes. -1 with the given code, and e->sys has the case:
 * ENOENT, EACCES, ENOTSOCK, ECONNREFUSED (nobody listens), EPROTOTYPE (of another type), ETIMEDOUT.
 */
int unix_socket_connect(int root, const char *path, int type, const struct deadline *d,
			enum err_code code, struct err *e) must_check;

#endif
