/* SPDX-License-Identifier: Apache-2.0 */
/* keeper_part.h - what the daemon and the keeper say to each other, for the room's own */
#ifndef DAEMON_KEEPER_PART_H
#define DAEMON_KEEPER_PART_H

#include "base/attr.h"

#include <limits.h>
#include <stdbool.h>

enum { KEEPER_TEXT = 16 * 1024 };	/* bytes of what a run has printed; the rest is dropped */

/* An order is one byte, whichever. */
enum { KEEPER_ORDER = 'g' };

/* The answer to each; of the text only what there is is sent. */
struct keeper_answer {
	int status;			/* as of wait(2); -1: not begun, or not seen to end */
	bool late;			/* it was ended after its time */
	char text[KEEPER_TEXT];		/* what it has printed, not terminated */
};

/*
 * Be the keeper, with the other end of the socket: run the program for each order, until that is
 * closed.
 */
_Noreturn void keeper_serve(int fd, const char *program);

#endif
