/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_part.h - what the steps (client.c), the session of nghttp2 (client_session.c) and a stream
 * of answers (client_stream.c) share
 */
#ifndef DEVINFO_GRPC_CLIENT_PART_H
#define DEVINFO_GRPC_CLIENT_PART_H

#include "devinfo/grpc/client.h"
#include "devinfo/grpc/message.h"
#include "devinfo/grpc/outbox.h"
#include "devinfo/grpc/unread.h"

struct grpc_request {
	nghttp2_session *session;
	int fd;				/* owned */
	int32_t stream;
	const char *method;		/* borrowed; NULL of a probe */
	struct deadline deadline;	/* none of a stream */
	bool streams;

	/* to the server: prefix and message, and frames not yet written */
	unsigned char prefix_out[GRPC_PREFIX];
	size_t req_len, req_sent;	/* req_sent counts the prefix */
	struct outbox out;		/* closed: read what the server has said, send no more */

	/* from the server */
	size_t said;			/* bytes in all, frames included */
	bool greeted;			/* its SETTINGS have come */
	struct incoming in;		/* of a stream the bound and the count alone */
	struct unread unread;		/* of a stream: its answers */
	int http_status;
	int grpc_status;		/* -1 until it arrived */
	char grpc_message[sizeof(((struct grpc_reply *)NULL)->grpc_message)];
	bool ended;			/* the server's half of the stream is complete */
	char hint[128];			/* nghttp2's last words about a broken frame */
	struct err fault;		/* code is ERR_OK while there is none */

	unsigned char req[];		/* req_len bytes */
};

/* client.c: read what there is, once; write what the socket takes.  0, or -1. */
int request_read(struct grpc_request *r, struct err *e) must_check;
int request_write(struct grpc_request *r, struct err *e) must_check;

/*
 * client_session.c: begin the session, and our SETTINGS, which its first writing sends.  0, or
 * nghttp2's error.
 */
int request_session_begin(struct grpc_request *r) must_check;
/* Ask: the headers and the message.  0, or nghttp2's error. */
int request_submit(struct grpc_request *r) must_check;

#endif
