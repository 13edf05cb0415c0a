/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_keep.h - what the DEL of a socket attachment had to leave, and whose that is
 *
 * When an application still listens, or a mount or an immutable file is in it, the directory stays,
 * and the attachment's record goes.  So a copy of the record is left in a journal of its own, below
 * <stateDir>/kept, with the owner and the socket alone.  Later DELs and each GC empty what is in
 * the directory once the container is dead; a GC does so also when nobody listens any more.
 */
#ifndef CNI_SOCKET_KEEP_H
#define CNI_SOCKET_KEEP_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"

/* Remember it, on disk when this returns 0; or forget it, whether it was remembered or not. */
int socket_keep_note(const struct host *host, const struct record *rec, struct err *e) must_check;
int socket_keep_forget(const struct host *host, const struct record *rec, struct err *e)
	must_check;

/* Call fn for each, as journal_each() does; fn may forget it.  It only looks, when that is said. */
int socket_keep_each(const struct host *host, enum journal_mode mode, journal_fn *fn, void *arg,
		     struct err *e) must_check;
/* Call fn for each that cannot be read, so that nothing ends what it is about. */
int socket_keep_each_bad(const struct host *host, journal_bad_fn *fn, void *arg, struct err *e)
	must_check;

#endif
