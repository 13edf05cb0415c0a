/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_share.h - a directory of sockets that several attachments have
 *
 * The record of each says who made it.
 */
#ifndef CNI_SOCKET_SHARE_H
#define CNI_SOCKET_SHARE_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Others say this of an attachment's directory, and of those above it: bit n is for the directory
 * without its last n components, of which a path of 107 bytes cannot have 64.
 */
struct socket_others {
	bool link;			/* somebody goes by the same link */
	uint64_t use, made;		/* one is in it, or below; one has made it */
	uint64_t held;			/* a DEL of another one had to keep it, or one below */
	bool elsewhere;			/* one has its directory below another socketDir */
	bool above, below;		/* a living one has a directory above it, or below it */
	bool listens;			/* one that has ended, and lives, may listen in it */
};

/* Find it out in one walk over the records of sockets. */
int socket_others_look(const struct host *host, const struct journal *j, const struct record *rec,
		       struct socket_others *ret, struct err *e) must_check;

/*
 * Has another attachment that lives the very directory of rec's socket?  1, with its name among the
 * words of *whose that are for the log alone; 0; -1.
 */
int socket_share_lives(const struct host *host, const struct journal *j, const struct record *rec,
		       struct err *whose, struct err *e) must_check;

#endif
