/* SPDX-License-Identifier: Apache-2.0 */
/* server_part.h - what server.c, server_session.c and server_call.c share */
#ifndef DEVINFO_GRPC_SERVER_PART_H
#define DEVINFO_GRPC_SERVER_PART_H

#include "base/deadline.h"
#include "devinfo/grpc/message.h"
#include "devinfo/grpc/outbox.h"
#include "devinfo/grpc/server.h"

struct outgoing {
	unsigned char *data;		/* owned; prefix and message; NULL: none */
	size_t len, sent;
};

struct grpc_call {
	struct grpc_connection *connection;
	struct grpc_call *next;		/* of the connection's */
	int32_t stream;

	/* what its headers say */
	const struct grpc_method *method;	/* NULL: unknown */
	bool is_post, is_grpc, is_encoded;

	struct incoming in;
	bool asked;			/* the client's half of the stream has ended */
	bool answered;			/* headers have been submitted, nghttp2 asks for messages */
	bool ended;			/* by our side: the caller has it no more */
	struct outgoing leaving, waiting;
	enum grpc_status status;	/* and text: once it has ended */
	char text[1024];		/* encoded */
	void (*closed)(struct grpc_call *call, void *arg);
	void *arg;
};

struct grpc_connection {
	nghttp2_session *session;
	int fd;				/* owned */
	const struct grpc_service *service;
	struct grpc_call *calls;	/* owned */
	struct outbox out;
	size_t idle;			/* bytes since the last request or message: see server.c */
	struct deadline idle_until;
	bool terminated;		/* we have sent GOAWAY */
	bool no_memory;			/* an answer is lost */
	char hint[128];			/* nghttp2's last words about a broken frame */
};

/* server_session.c: begin the session, and submit our SETTINGS.  0, or nghttp2's error. */
int connection_session_begin(struct grpc_connection *c) must_check;

/* server_call.c: a call of a client that has begun to ask, or NULL; owned by the connection. */
struct grpc_call *call_new(struct grpc_connection *c, int32_t stream);
/* Take it out of the connection and free it, having told its user where he does not know. */
void call_close(struct grpc_call *call);
/* Answer with a status alone, and with HTTP's where that is not 200. */
void call_refuse(struct grpc_call *call, const char *http, enum grpc_status status,
		 const char *message);

#endif
