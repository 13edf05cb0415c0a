/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_link.h - the short way to a pod's directory whose sockets would have too long a path
 *
 * It is a symbolic link <runDir>/links/<hash of the directory> to <socketDir>/<dir>: what a switch
 * is told goes through it, and fits into a unix socket's address.  Only root writes to the links'
 * directory, and to all that is above the pod's, so a pod cannot lead the link elsewhere; what the
 * pod puts into its own directory is as dangerous as by the long path.  Our own calls do not use
 * it: they open the directory without following any link.
 *
 * It is in the record before it is made, one for all attachments that have the directory, and goes
 * with the last of them.
 */
#ifndef CNI_SOCKET_LINK_H
#define CNI_SOCKET_LINK_H

#include "base/err.h"
#include "base/host.h"
#include "devinfo/journal/journal.h"

/* Nothing is done for an attachment without a link. */
int socket_link_make(const struct host *host, const struct journal *j, const struct record *rec,
		     struct err *e) must_check;
int socket_link_release(const struct host *host, const struct journal *j, const struct record *rec,
			struct err *e) must_check;

/* Tell a CHECK what differs; "" when nothing does. */
int socket_link_check(const struct host *host, const struct socket_state *s, char ret[256],
		      struct err *e) must_check;

#endif
