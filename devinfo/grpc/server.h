/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.h - the server's half of gRPC: one connection of a client, and its calls
 *
 * Who calls owns the listening socket and the waiting.
 *
 *	c = grpc_connection_new(accept4(..., SOCK_NONBLOCK | SOCK_CLOEXEC), &service, &e)
 *	wait until grpc_connection_fd(c) is ready for grpc_connection_events(c);
 *	grpc_connection_go_on(c, revents, &e): 0, wait again; -1, grpc_connection_free(c)
 *
 * What a connection waits for changes by go_on(), and by each grpc_call_send() and grpc_call_end():
 * ask grpc_connection_events() again after these.  Nothing else makes an answer leave: it does so
 * at the next go_on(), for which the socket is ready at once.
 */
#ifndef DEVINFO_GRPC_SERVER_H
#define DEVINFO_GRPC_SERVER_H

#include "base/err.h"
#include "devinfo/grpc/status.h"

#include <stdbool.h>
#include <stddef.h>

struct grpc_connection;

/*
 * A call under way.  Who has been given it by begin() may use it until grpc_call_end(), or until
 * its closed() has been called, and not after that.
 */
struct grpc_call;

struct grpc_method {
	const char *path;		/* "/package.Service/Method" */
	/*
	 * A whole request has come; msg is borrowed for the time of this function.  It may answer
	 * at once, or keep the call and answer later; it must not free the connection.
	 */
	void (*begin)(struct grpc_call *call, const unsigned char *msg, size_t len, void *arg);
};

struct grpc_service {
	const struct grpc_method *methods;
	size_t n;
	size_t max_request;		/* bytes of a message; a larger one is RESOURCE_EXHAUSTED */
	unsigned int max_calls;		/* of one connection at once; one more is refused */
	void *arg;			/* of begin() */
};

/*
 * Greet a client that has connected.  fd does not block, and is taken, even on an error; *s and
 * what it points to are borrowed until the connection is freed.  NULL with *e (ERR_IO) when there
 * is no memory.
 */
struct grpc_connection *grpc_connection_new(int fd, const struct grpc_service *s, struct err *e)
	must_check;
int grpc_connection_fd(const struct grpc_connection *c);
short grpc_connection_events(const struct grpc_connection *c);	/* POLLIN, POLLOUT or both */

/*
 * Go on with what poll(2) or epoll(7) said of its descriptor; never blocks.  0; or -1: it is over,
 * free it.  Then e->code is 0 when the client has just gone, and ERR_IO when it broke the protocol
 * (e->sys EPROTO), flooded us (EPROTO) or there is no memory (ENOMEM).
 */
int grpc_connection_go_on(struct grpc_connection *c, short revents, struct err *e) must_check;

/* Close it.  closed() of each call is called from here.  NULL is fine. */
void grpc_connection_free(struct grpc_connection *c);

/*
 * Send a message of a call; it is copied.  On a stream it takes the place of one before it that has
 * not begun to leave, so a client that reads slowly gets the newest.  0, or -1 when there is no
 * memory for it: the call has been ended with RESOURCE_EXHAUSTED, and is not to be used any more.
 */
int grpc_call_send(struct grpc_call *call, const void *msg, size_t len) must_check;

/* Would the next message take the place of one that has not begun to leave? */
bool grpc_call_is_behind(const struct grpc_call *call);

/*
 * End a call: after its messages have left the client gets the status and, of an error, what
 * message says (UTF-8; about 1000 bytes of it are told; NULL: none).
 */
void grpc_call_end(struct grpc_call *call, enum grpc_status status, const char *message);

/*
 * Be told when the client gives the call up or its connection ends: from within go_on() or free()
 * of the connection, which closed() must not free.  Not after grpc_call_end().
 */
void grpc_call_on_closed(struct grpc_call *call, void (*closed)(struct grpc_call *call, void *arg),
			 void *arg);

#endif
