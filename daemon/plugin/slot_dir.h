/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot_dir.h - the directories of sockets that are given to containers
 *
 * One is made when its socket is allocated, empty, for who had it before has left something there.
 * It is removed by a look that finds that nobody has had the socket for minutes, which is tidiness:
 * a kubelet that has just started does not know its pods yet, and to take a directory from one that
 * lives would be worse.  So one whose pool has ended stays, and what is allocated, until somebody
 * has had it; and at its end the daemon removes none.
 */
#ifndef DAEMON_PLUGIN_SLOT_DIR_H
#define DAEMON_PLUGIN_SLOT_DIR_H

#include "base/err.h"
#include "base/host.h"
#include "daemon/offer/offer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLOT_FREE_MS = 5 * 60 * 1000 };	/* for which nobody has had it, when it is removed */

struct slot_dir {
	char resource[OFFER_RESOURCE], id[OFFER_ID];
	bool held, fresh;		/* fresh: allocated, and not held since */
	int64_t free_since;		/* loop_now(); when it is neither */
};

struct slot_dirs {
	struct slot_dir *list;		/* owned */
	size_t n;
};

/* Make the directory of a socket that is allocated now, at this loop_now(). */
int slot_dirs_make(struct slot_dirs *all, const struct host *host, const char *resource,
		   const char *id, int64_t now_ms, struct err *e) must_check;
/*
 * This is on offer now, at this loop_now(): directories that nobody has had for long are removed,
 * and those made that are missing of who has one.
 */
void slot_dirs_update(struct slot_dirs *all, const struct host *host, const struct offers *o,
		      int64_t now_ms);
void slot_dirs_done(struct slot_dirs *all);

#endif
