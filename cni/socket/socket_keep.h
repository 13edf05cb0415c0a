/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_keep.h - what the DEL of a socket attachment had to leave, and whose that is
 *
 * An application that still listens, a mount, an immutable file: the directory stays, and the
 * attachment's record goes.  So a copy of it is left in a journal of its own, below
 * <stateDir>/kept, with the owner and the socket alone.  Later DELs and each GC empty what is in it
 * once the container is dead; a GC also when nobody listens any more.
 */
#ifndef CNI_SOCKET_KEEP_H
#define CNI_SOCKET_KEEP_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"

/* Remember it, on disk when it returns 0; or no more, be it that it was not. */
int socket_keep_note(const struct host *host, const struct record *rec, struct err *e) must_check;
int socket_keep_forget(const struct host *host, const struct record *rec, struct err *e)
	must_check;

/* Each, as journal_each(); fn may forget it.  It looks only, when that is said. */
int socket_keep_each(const struct host *host, enum journal_mode mode, journal_fn *fn, void *arg,
		     struct err *e) must_check;
/* And each that cannot be read, so that nothing ends what it is about. */
int socket_keep_each_bad(const struct host *host, journal_bad_fn *fn, void *arg, struct err *e)
	must_check;

#endif
