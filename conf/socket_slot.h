/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_slot.h - where the sockets are that devinfod offers to kubelet
 *
 * Each has a directory of its own, <socketDir>/_dp/<prefix of the resource>/<id>, which devinfod
 * makes for a container and has mounted there at the same path.  Its name follows from the id: who
 * writes a network's configuration, or a file of device-info, chooses none of it.  No namespace or
 * pod has a directory that is called so.
 */
#ifndef CONF_SOCKET_SLOT_H
#define CONF_SOCKET_SLOT_H

#include "base/err.h"
#include "base/host.h"
#include "conf/socket_path.h"

#include <stdbool.h>

#define SOCKET_SLOT_DIR "_dp"		/* no DNS label, as a namespace is */

struct socket_slot {
	char root[SOCKET_PATH_MAX];	/* socketDir, without '/' at its end */
	char dir[SOCKET_PATH_MAX];	/* below that */
	char mount[SOCKET_PATH_MAX];	/* both */
	char path[SOCKET_PATH_MAX];	/* of the socket */
};

/*
 * Make the paths of the socket with this id of a resource.  ERR_NETCONF: they are too long for a
 * socket, or have what cannot be in its path.
 */
int socket_slot_make(const struct settings *set, const char *resource, const char *id,
		     struct socket_slot *ret, struct err *e) must_check;

/*
 * Is this the path of a socket with this id, of that resource, or, where it is NULL, of any?  Then
 * *ret has its paths.
 */
bool socket_slot_find(const struct settings *set, const char *path, const char *resource,
		      const char *id, struct socket_slot *ret);

#endif
