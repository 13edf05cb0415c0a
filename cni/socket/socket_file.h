/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_file.h - a socket in a directory that others may write to, and the secret beside it
 *
 * Whatever is at its name is opened first, without following a link, and asked what it is; what is
 * then looked at, or given an owner, is what was opened.
 */
#ifndef CNI_SOCKET_FILE_H
#define CNI_SOCKET_FILE_H

#include "base/err.h"
#include "conf/socket_conf.h"
#include "devinfo/journal/socket_state.h"

#include <stdbool.h>
#include <sys/stat.h>

enum socket_found {
	SOCKET_ABSENT,
	SOCKET_STALE,			/* a socket that nobody listens at */
	SOCKET_ACCEPTS,
	SOCKET_OTHER_TYPE,		/* somebody has it, for another kind of connection */
	SOCKET_NO_SOCKET,
};

/*
 * Has it failed for what the user of the directory has put there, or done to it?  That is no reason
 * to keep a record: it may stay so for ever.
 */
bool socket_file_is_theirs(const struct err *e);

/*
 * What is there?  memif's sockets are SOCK_SEQPACKET, those of vhost-user SOCK_STREAM.  Whoever
 * listens does not notice.
 */
int socket_file_probe(int dir, const char *name, bool memif, enum socket_found *ret,
		      struct err *e) must_check;

/* Look what has that name, be it a link: 1, 0 nothing, -1. */
int socket_file_stat(int dir, const char *name, struct stat *ret, struct err *e) must_check;

/*
 * Give a socket its owner and mode.  It has to be a second name of `linked`, or, with NULL, have
 * one name alone.  (uid_t)-1 leaves the owner as it is.
 */
int socket_file_own(int dir, const char *name, const struct stat *linked, uid_t uid, gid_t gid,
		    mode_t mode, struct err *e) must_check;

/* Remove it: 1, 0 when it is not there, or is no socket. */
int socket_file_remove(int dir, const char *name, struct err *e) must_check;

/*
 * Give the socket at `name` in directory `from` a second name: 1, 0 when it is not there (yet), -1.
 */
int socket_file_link(int from, const char *from_name, int dir, const char *name, struct err *e)
	must_check;

/* Write the secret to <name>.secret, which its owner may read, and its group when gid is one. */
int socket_file_write_secret(int dir, const char *name, const char *secret, uid_t uid, gid_t gid,
			     struct err *e) must_check;
/* Remove it: 0 when it is gone; 1 when what has its name is no file, and stays. */
int socket_file_remove_secret(int dir, const char *name, struct err *e) must_check;

/* Tell what of owner, mode and secret differs from what was set; "" when nothing does. */
int socket_file_check(int dir, const char *name, const struct socket_conf *c,
		      const struct socket_state *s, char ret[256], struct err *e) must_check;

#endif
