/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_dir.h - the directory that a pod mounts to reach its sockets
 *
 * It is <socketDir>/<dir>.  An ADD makes those of dir's last components that are missing, and the
 * end of the last attachment of them removes them: attachments of one pod may share one, and then
 * each of their records says that it is theirs.  The pod's own, the last, goes with all that is in
 * it, but for sockets that somebody listens at while the container lives; those above it have
 * nothing of the pod's, are root's, and nobody else may write to them.
 *
 * A directory that the administrator has made is never changed, nor is one that a living attachment
 * has: a configuration that asks for another owner, mode or label is refused.  No symbolic link is
 * followed below socketDir.
 */
#ifndef CNI_SOCKET_DIR_H
#define CNI_SOCKET_DIR_H

#include "base/err.h"
#include "base/host.h"
#include "conf/socket_conf.h"
#include "devinfo/journal/journal.h"

/*
 * Find out how much is to be made, into rec->socket.made; rec->socket.root, dir and path, and the
 * owner, are given.  This only looks.
 */
int socket_dir_plan(const struct host *host, const struct journal *j, const struct socket_conf *c,
		    struct record *rec, struct err *e) must_check;

/*
 * Make it; the record is on disk, and is written again when others have changed the plan.  The
 * caller holds the attachment's lock.
 */
int socket_dir_make(const struct host *host, const struct journal *j, const struct socket_conf *c,
		    struct record *rec, struct err *e) must_check;

/* Open the directory that the socket is in: 1 with a descriptor that the caller closes, 0, -1. */
int socket_dir_open(const struct host *host, const struct socket_state *s, int *ret,
		    struct err *e) must_check;

/*
 * Remove what is ours, unless another attachment uses it: 0; 1 when the pod's directory stays, for
 * what is in it; -1.  What somebody keeps writing to is only renamed, to be removed later.
 */
int socket_dir_release(const struct host *host, const struct journal *j, const struct record *rec,
		       struct err *e) must_check;

/* Remove directories that a release could not empty in time, of whomever, as far as it can. */
void socket_dir_remove_left(const struct host *host);

/*
 * Tell what of its owner, mode and label differs from what was set; "" when nothing does.  -1 when
 * it is not there.
 */
int socket_dir_check(const struct host *host, const struct socket_conf *c,
		     const struct socket_state *s, char ret[256], struct err *e) must_check;

/*
 * Is what is below the first name of a socket's directory, kept, set aside or present, within
 * socketDirMaxBytes and socketDirMaxInodes of the node's file?  0, or -1, ERR_TRY_AGAIN.  Pods
 * write there as they like in between: an ADD is where we can refuse.
 */
int socket_dir_check_bound(const struct host *host, const struct socket_state *s,
			   struct err *e) must_check;

/* -- for the files of it -- */

/* Open its root alone: 1, 0 absent, -1. */
int socket_dir_open_root(const struct host *host, const struct socket_state *s, int *ret,
			 struct err *e) must_check;

/* -- socket_dir_settings.c: owner, mode and label -- */

/*
 * Tell what of the open directory is not as it is asked for; "" when all is.  One that an ADD makes
 * always has a mode.
 */
int socket_dir_compare_settings(int fd, const struct socket_conf *c, const struct socket_state *s,
				char ret[256], struct err *e) must_check;

/* Refuse what differs: the administrator has made the directory, or a living attachment has it. */
int socket_dir_check_settings(int root, const struct socket_conf *c, const struct socket_state *s,
			      struct err *e) must_check;

int socket_dir_set_settings(int root, const struct socket_conf *c, const struct socket_state *s,
			    struct err *e) must_check;

#endif
