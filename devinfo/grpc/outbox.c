/* SPDX-License-Identifier: Apache-2.0 */
/* outbox.c - frames on their way from nghttp2 to a socket that does not block */
#include "devinfo/grpc/outbox.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

ssize_t outbox_add(struct outbox *o, const uint8_t *data, size_t len)
{
	size_t room = sizeof(o->bytes) - o->len;

	if (o->closed)
		return (ssize_t)len;
	if (room == 0)
		return NGHTTP2_ERR_WOULDBLOCK;
	if (len > room)
		len = room;
	memcpy(o->bytes + o->len, data, len);
	o->len += len;
	return (ssize_t)len;
}

int outbox_flush(struct outbox *o, nghttp2_session *session, int fd)
{
	for (;;) {
		int rc = nghttp2_session_send(session);
		if (rc || o->len == 0)
			return rc;

		ssize_t n = send(fd, o->bytes, o->len, MSG_NOSIGNAL);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n < 0) {
			o->closed = true;
			o->len = 0;
			continue;
		}
		o->len -= (size_t)n;
		memmove(o->bytes, o->bytes + n, o->len);
	}
}
