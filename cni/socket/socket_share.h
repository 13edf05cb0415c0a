/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_share.h - a directory of sockets that several attachments have
 *
 * Who made it, and who changed it, is in the record of each.  While one of them lives nobody else
 * changes it: a later one says the same of it, or nothing.
 */
#ifndef CNI_SOCKET_SHARE_H
#define CNI_SOCKET_SHARE_H

#include "base/err.h"
#include "base/host.h"
#include "conf/socket_conf.h"
#include "devinfo/journal/journal.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What others say of an attachment's directory, and of those above it: bit n is for the directory
 * without its last n components, of which a path of 107 bytes cannot have 64.
 */
struct socket_others {
	uint64_t use, made;		/* one is in it, or below; one has made it */
	bool set;			/* one has changed the directory itself ... */
	struct socket_state set_by;	/* ... and knows what was before */
	bool above, below;		/* a living one has a directory above it, or below it */
};

/* In one walk over the records of sockets. */
int socket_others_look(const struct host *host, const struct journal *j, const struct record *rec,
		       struct socket_others *ret, struct err *e) must_check;

/*
 * How the directory of rec's socket is to be, into rec->socket.as, from what is said and what those
 * have that live in it; rec->socket.made is known.  ERR_BUSY names one that has it otherwise.
 *
 * They are asked when the directory is there; else whoever has a record, but has not made it yet,
 * will look again when it may, and then find ours.
 */
int socket_share_agree(const struct host *host, const struct journal *j, bool is_there,
		       const struct socket_conf *c, struct record *rec, struct err *e) must_check;

/* Is anything of it to be as somebody said? */
bool socket_share_is_said(const struct socket_state *s);

/* The configuration with owner and mode as they were agreed. */
struct socket_conf socket_share_conf(const struct socket_conf *c, const struct socket_state *s);

#endif
