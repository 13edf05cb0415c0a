/* SPDX-License-Identifier: Apache-2.0 */
/* client_part.h - what the loop (client.c) and the session of nghttp2 (client_session.c) share */
#ifndef DEVINFO_GRPC_CLIENT_PART_H
#define DEVINFO_GRPC_CLIENT_PART_H

#include "devinfo/grpc/client.h"

#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stdint.h>

enum { GRPC_PREFIX = 5 };		/* compressed flag, length of the message (big-endian) */

struct grpc_request {
	nghttp2_session *session;
	int fd;				/* borrowed */
	int32_t stream;

	/* to the server: prefix and message, and frames not yet written */
	unsigned char prefix_out[GRPC_PREFIX];
	const unsigned char *req;
	size_t req_len, req_sent;	/* req_sent counts the prefix */
	unsigned char out[16 * 1024];
	size_t out_len;
	bool write_failed;		/* the server closed: read what it said, send no more */

	/* from the server */
	size_t max_reply;
	size_t said;			/* bytes in all, frames included */
	bool greeted;			/* its SETTINGS have come */
	unsigned char prefix_in[GRPC_PREFIX];
	size_t received;		/* bytes of DATA, prefix included */
	size_t expected;		/* of the message, from prefix_in */
	unsigned char *body;
	int http_status;
	int grpc_status;		/* -1 until it arrived */
	char grpc_message[sizeof(((struct grpc_reply *)NULL)->grpc_message)];
	bool ended;			/* the server's half of the stream is complete */
	char hint[128];			/* nghttp2's last words about a broken frame */
	struct err fault;		/* code is ERR_OK while there is none */
};

/* Begin: the session, and our SETTINGS, which its first writing sends.  0, or nghttp2's error. */
int grpc_session_begin(struct grpc_request *call) must_check;
/* Ask: the headers and the message.  0, or nghttp2's error. */
int grpc_request_submit(struct grpc_request *call, const char *method, const struct deadline *d)
	must_check;

#endif
