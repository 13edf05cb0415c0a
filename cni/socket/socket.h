/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket.h - an attachment whose device is a unix socket: vhost-user or memif
 *
 * The room cni/socket/ is an aspect: it touches directories, sockets and secrets below socketDir
 * and, through cni/switch/, the other end.  It only awaits a socket that a device plugin or a
 * switch has made, or gives it a second name.  It has no network device.
 *
 * It moves nothing and makes no interface.  It makes a directory that the pod mounts, a port of a
 * switch, and the device-info file that tells the application where its socket is and who makes it.
 * CNI cannot mount into a pod; the pod mounts the directory, or the one above it, by itself.
 *
 * The socket's path on the host is the attachment's device: two attachments with one socket exclude
 * each other, and what a dead one has left is cleaned up before the next begins, so that its late
 * DEL finds nothing to do.
 */
#ifndef CNI_SOCKET_H
#define CNI_SOCKET_H

#include "base/err.h"
#include "cni/aspect/aspect.h"

/* -- the choice -- */

/*
 * Is the device a socket?  It may be that of the device plugin's file for c->id, or one that the
 * configuration wants.  1 and its key in *c, 0, -1.  See struct aspect.
 *
 * Multus' copy of that file may as well be a leftover about something else: it is believed when
 * the configuration wants a socket, or c->id is unknown, no device of this node.
 */
int socket_choose(const struct choosing *ch, enum choose_when when, struct choice *c,
		  char called[64], struct err *e) must_check;

/* -- ADD -- */

/* Make all checks, and find out what the record has to say. */
int socket_probe(struct attachment *a, struct err *e) must_check;

/* Make directory and secret, and remove a stale socket. */
int socket_make(struct attachment *a, struct err *e) must_check;

/* Have the switch make its side. */
int socket_attach(struct attachment *a, struct err *e) must_check;

/* Await a socket that the host makes: it is there, accepts, and has its owner and mode. */
int socket_await(struct attachment *a, struct err *e) must_check;

/* -- DEL, roll-back, clean-up: from the record, in any boot -- */

int socket_restore(const struct host *host, const struct journal *journal,
		   const struct record *rec, struct err *e) must_check;

/* -- CHECK -- */

/* Tell each difference, as "want..., have..."; conf NULL: what it says is not compared. */
typedef void socket_differs_fn(void *arg, const char *text);
int socket_check(const struct host *host, const struct netconf *conf, const struct record *rec,
		 socket_differs_fn *fn, void *arg, struct err *e) must_check;

extern const struct aspect socket_aspect;

#endif
