/* SPDX-License-Identifier: Apache-2.0 */
/* unread.c - DATA of a stream of messages, until they are taken one by one */
#include "devinfo/grpc/unread.h"

#include <stdlib.h>
#include <string.h>

int unread_add(struct unread *u, const unsigned char *data, size_t len)
{
	if (len > u->room - u->len) {
		size_t room = (u->len + len) * 2;
		unsigned char *more = realloc(u->data, room);

		if (!more)
			return -1;
		u->data = more;
		u->room = room;
	}
	if (len > 0)
		memcpy(u->data + u->len, data, len);
	u->len += len;
	return 0;
}

enum incoming_fault unread_take(struct unread *u, struct incoming *in)
{
	enum incoming_fault fault;
	size_t whole;

	if (u->len < GRPC_PREFIX)
		return INCOMING_OK;
	fault = incoming_take(in, u->data, GRPC_PREFIX);
	whole = GRPC_PREFIX + in->expected;
	if (fault != INCOMING_OK || u->len < whole)
		return fault;
	fault = incoming_take(in, u->data + GRPC_PREFIX, in->expected);
	u->len -= whole;
	memmove(u->data, u->data + whole, u->len);
	if (u->len == 0)
		unread_done(u);
	return fault;
}

void unread_done(struct unread *u)
{
	free(u->data);
	*u = (struct unread){ .len = 0 };
}
