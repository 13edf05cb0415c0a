/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_kind.h - the kinds of sockets, with the names of their sides and of memif's modes
 *
 * Mode and role are always the application's, as in the Device Information Specification: a
 * "server" or "master" makes the socket, a "client" or "slave" connects to one that the host made.
 * The switch's side is the inverse.
 */
#ifndef CONF_SOCKET_KIND_H
#define CONF_SOCKET_KIND_H

#include "base/err.h"

enum socket_kind { SOCKET_NONE, SOCKET_VHOST_USER, SOCKET_MEMIF };
enum socket_side { SOCKET_SIDE_UNSET, SOCKET_APP_CONNECTS, SOCKET_APP_LISTENS };

/* Return the key of a kind: "vhostUser", "memif". */
const char *socket_kind_key(enum socket_kind kind);

/* Choices for rows of keys, in the order of enum socket_side; and the modes of memif. */
extern const char *const socket_vhost_user_sides[], *const socket_memif_sides[];
extern const char *const socket_memif_modes[];

/*
 * Set *app from the host's side when it is unset; when both are set, each must be the inverse of
 * the other: else ERR_NETCONF.  The keys name them in messages.
 */
int socket_side_agree(enum socket_kind kind, enum socket_side *app, const char *app_key,
		      enum socket_side host, const char *host_key, struct err *e) must_check;

#endif
