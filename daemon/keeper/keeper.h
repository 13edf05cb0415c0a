/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper.h - what dead attachments have left is released, by a process that may do so
 *
 * The room daemon/keeper/ has the daemon run `devinfoctl gc`, which is the plugin's own undo by the
 * records: without evidence of death it releases nothing.
 *
 * Theory of operation.  devinfod gives up for good to execute anything, and most capabilities
 * (daemon/confine.h).  So before that it makes a child, the keeper, which keeps what a release
 * needs, reads nothing that others wrote, and can be asked for one thing alone: to run `devinfoctl
 * gc`.  An order is a packet, and says nothing but that.  Who gets hold of the daemon has it run
 * what runs every ten minutes anyway.
 *
 *	keeper.c	the daemon's side: when it is asked, and what is logged of the answer
 *	keeper_child.c	the other process
 *
 * The program is the one in the directory that devinfod itself was started from; its environment is
 * ours to say, its time and its output are bounded.  The keeper ends when the daemon has, however
 * that ends, and a run that is under way is told to end then.  Without a keeper the daemon goes on.
 *
 * It is asked at the start, each time that the interval has passed, and some seconds after a look
 * has found a record of the dead, ever later while such a record stays.
 */
#ifndef DAEMON_KEEPER_H
#define DAEMON_KEEPER_H

#include "base/err.h"
#include "daemon/loop/loop.h"
#include "manager/inventory/inventory.h"

enum {
	KEEPER_SOON_MS = 3000,		/* from a look that found one to the run, at first */
	KEEPER_LATE_MS = 600 * 1000,	/* and at last */
};

struct keeper;

/*
 * Make the process: before confine(), and before descriptors are opened that it must not keep.
 * NULL with ERR_IO.
 */
struct keeper *keeper_new(struct err *e) must_check;

/*
 * The first look has ended: from now on it is asked, at once and again.  The interval is not 0.  0,
 * or -1 with ERR_IO.
 */
int keeper_begin(struct keeper *k, struct loop *l, unsigned int interval_s,
		 struct err *e) must_check;

/* A look has ended: does it have a record of a dead attachment?  NULL is fine, as below. */
void keeper_take(struct keeper *k, const struct inventory *inv);

/* The process ends, and a run that is under way: nobody waits for that. */
void keeper_free(struct keeper *k);

#endif
