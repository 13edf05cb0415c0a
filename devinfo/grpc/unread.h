/* SPDX-License-Identifier: Apache-2.0 */
/* unread.h - DATA of a stream of messages, until they are taken one by one */
#ifndef DEVINFO_GRPC_UNREAD_H
#define DEVINFO_GRPC_UNREAD_H

#include "devinfo/grpc/message.h"

struct unread {
	unsigned char *data;		/* owned */
	size_t len, room;
};

/* 0, or -1 when there is no memory. */
int unread_add(struct unread *u, const unsigned char *data, size_t len) must_check;

/*
 * Take the first message out, into in, which has but its max: INCOMING_OK, and it is whole or there
 * is not all of it yet.  Else it is a fault; in->expected says how large the message is.
 */
enum incoming_fault unread_take(struct unread *u, struct incoming *in) must_check;

void unread_done(struct unread *u);

#endif
