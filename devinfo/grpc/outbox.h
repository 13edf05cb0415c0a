/* SPDX-License-Identifier: Apache-2.0 */
/* outbox.h - frames on their way from nghttp2 to a socket that does not block */
#ifndef DEVINFO_GRPC_OUTBOX_H
#define DEVINFO_GRPC_OUTBOX_H

#include "base/attr.h"

#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct outbox {
	unsigned char bytes[16 * 1024];
	size_t len;		/* not taken by the socket yet: if any, wait for POLLOUT */
	bool closed;		/* the other end takes nothing any more; what comes is dropped */
};

/* For nghttp2's send callback: how many bytes there was room for, or NGHTTP2_ERR_WOULDBLOCK. */
ssize_t outbox_add(struct outbox *o, const uint8_t *data, size_t len);

/* Hand to the socket what it takes now of all that nghttp2 has to say: 0, or nghttp2's error. */
int outbox_flush(struct outbox *o, nghttp2_session *session, int fd) must_check;

#endif
