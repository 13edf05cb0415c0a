/* SPDX-License-Identifier: Apache-2.0 */
/* socket_state.h - a socket and its directory, as a part of an attachment's record */
#ifndef DEVINFO_JOURNAL_SOCKET_STATE_H
#define DEVINFO_JOURNAL_SOCKET_STATE_H

#include "base/field.h"

#include <stdbool.h>

struct socket_state {
	char path[108];			/* of the host; "": the attachment has none */
	char container[108], in_switch[108];	/* the same in the other two views */
	bool memif;			/* else vhost-user */
	bool app_listens;		/* the application makes the socket */
	bool from_plugin;		/* a device plugin made directory and socket */
	bool secret;			/* a file next to it has the memif secret */

	/* the directory: dir below root, whose last `made` components are the attachment's own */
	char root[108], dir[108];
	unsigned int made;
	char link[108];			/* our symbolic link to dir, part of path; "": none */

	/* the switch's side; "": none */
	char switch_kind[8];		/* "ovs" or "exec" */
	char port[16];			/* OVS: the name of the port */
	char db[108];			/* OVS: of its database */
	char exec[256];			/* exec: the program */
	char linked[108];		/* OVS: its socket, which ours is a hard link to */
};

/* The socket's name in its directory: the last component of its path. */
const char *socket_state_name(const struct socket_state *s);

/*
 * Make the key of a path, which is the record's `device` and the lock's name: the path with ',' for
 * '/', so two paths never have one key.  No name of another kind of device has both ':' and ','.
 *
 * Records of earlier versions have a hash of it, "sk" and 12 hexadecimal digits: compare a record's
 * path, not its key.
 */
#define SOCKET_KEY_PREFIX	"sk"
enum { SOCKET_KEY_SIZE = 112 };		/* with its NUL; a path has at most 107 bytes */
void socket_state_key(const char *path, char ret[SOCKET_KEY_SIZE]);

/* Get the path of a key; "" for a key of an earlier version. */
void socket_state_key_path(const char *key, char ret[SOCKET_KEY_SIZE]);

/* Is this the key of a socket; is it the key of this one? */
bool socket_state_is_key(const char *key);
bool socket_state_has_key(const struct socket_state *s, const char *key);

/*
 * The member "socket" of a record.  A directory's owner, mode and ACL in earlier versions' records
 * are ignored.
 */
extern const struct fields socket_state_fields;

#endif
