/* SPDX-License-Identifier: Apache-2.0 */
/* message.h - what client and server share of gRPC: the message in DATA, and grpc-message */
#ifndef DEVINFO_GRPC_MESSAGE_H
#define DEVINFO_GRPC_MESSAGE_H

#include "base/attr.h"

#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stddef.h>

enum { GRPC_PREFIX = 5 };		/* compressed flag, length of the message (big-endian) */

/* The prefix of a message of len bytes, at most UINT32_MAX. */
void message_prefix(size_t len, unsigned char ret[GRPC_PREFIX]);

/* The one message of a half of a stream, while it comes. */
struct incoming {
	size_t max;			/* bytes of the largest one that is taken */
	unsigned char prefix[GRPC_PREFIX];
	size_t received;		/* bytes of DATA, prefix included */
	size_t expected;		/* of the message, from the prefix */
	unsigned char *body;		/* owned; expected bytes; NULL before the prefix is there */
};

enum incoming_fault {
	INCOMING_OK,
	INCOMING_COMPRESSED,
	INCOMING_TOO_LARGE,		/* than max; nothing has been allocated */
	INCOMING_NO_MEMORY,
	INCOMING_BEYOND,		/* bytes behind the end of the message */
};

/* Take the next bytes of DATA.  Memory is taken once, when the prefix has told how much. */
enum incoming_fault incoming_take(struct incoming *in, const unsigned char *data, size_t len)
	must_check;
bool incoming_is_whole(const struct incoming *in);
void incoming_done(struct incoming *in);

/*
 * grpc-message is percent-encoded UTF-8.  Decoded, what is malformed or not printable ASCII is made
 * so: one line, '?' for other characters.  Encoded, what does not fit is left out.
 */
void message_decode(const char *in, size_t len, char *ret, size_t size);
void message_encode(const char *in, char *ret, size_t size);

/* A header for nghttp2, which copies name and value when it is given them; borrowed until then. */
nghttp2_nv message_header(const char *name, const char *value);

#endif
