/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reporter.h - the daemon's own socket: who follows it hears what becomes of devices
 *
 * The room daemon/report/ serves devinfo.v1.Node (manager/report/report.proto) on
 * <runDir>/devinfod.sock, for root.  A reader gets the complete list, then what each look at the
 * node has changed.  It looks at nothing itself and changes nothing: what is on offer, and who has
 * it, is daemon/offer/'s to say.
 *
 *	reporter.c	the socket, the readers, and what each is sent
 *	told.c		what was told last, since when it is so, and the last changes
 *	describe.c	a device on offer as a report has it
 *
 * What it keeps is bounded: READERS_MAX readers, TOLD_PAST changes, and of each reader the message
 * that leaves and the newest.  One that reads too slowly misses changes, and gets a complete list
 * in their place.
 */
#ifndef DAEMON_REPORT_REPORTER_H
#define DAEMON_REPORT_REPORTER_H

#include "base/err.h"
#include "base/host.h"
#include "daemon/loop/loop.h"
#include "daemon/offer/offer.h"

struct reporter;

/*
 * Serve.  The caller is the one devinfod of this node (daemon/instance.h): a socket that is there
 * was left by a dead one, and is replaced.  loop and host are borrowed.  NULL with ERR_IO.
 */
struct reporter *reporter_new(struct loop *l, const struct host *host, struct err *e) must_check;

/* This is on offer from now on; nothing is kept of it.  A socket that has vanished is made anew. */
void reporter_set_offers(struct reporter *r, const struct inventory *inv, const struct offers *o);

/* The streams of all readers end, and the socket is removed if it is ours.  NULL is fine. */
void reporter_free(struct reporter *r);

#endif
