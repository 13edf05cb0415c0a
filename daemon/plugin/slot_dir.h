/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot_dir.h - the directories of sockets that are given to containers
 *
 * One is made when its socket is allocated, empty, for who had it before has left something there;
 * and removed when a look finds that nobody has the socket any more, or the daemon ends.  What is
 * allocated has no holder yet when the next look comes: it stays until it had one.
 */
#ifndef DAEMON_PLUGIN_SLOT_DIR_H
#define DAEMON_PLUGIN_SLOT_DIR_H

#include "base/err.h"
#include "base/host.h"
#include "daemon/offer/offer.h"

#include <stdbool.h>
#include <stddef.h>

struct slot_dir {
	char resource[OFFER_RESOURCE], id[OFFER_ID];
	bool held, fresh;		/* fresh: allocated, and not held since */
};

struct slot_dirs {
	struct slot_dir *list;		/* owned */
	size_t n;
};

/* Make the directory of a socket that is allocated now. */
int slot_dirs_make(struct slot_dirs *all, const struct host *host, const char *resource,
		   const char *id, struct err *e) must_check;
/*
 * This is on offer now: directories that nobody has any more are removed, and those made that are
 * missing of who has one.
 */
void slot_dirs_update(struct slot_dirs *all, const struct host *host, const struct offers *o);
/* The end: those that nobody has are removed. */
void slot_dirs_done(struct slot_dirs *all, const struct host *host);

#endif
