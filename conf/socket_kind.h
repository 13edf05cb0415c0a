/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket_kind.h - the kinds of sockets, and their words for who listens and what a memif carries
 *
 * Mode and role are the application's throughout, as in the Device Information Specification: a
 * "server" or "master" makes the socket, a "client" or "slave" finds it made by the host.  The
 * other side, the switch's, is the inverse.
 */
#ifndef CONF_SOCKET_KIND_H
#define CONF_SOCKET_KIND_H

#include "base/err.h"

enum socket_kind { SOCKET_NONE, SOCKET_VHOST_USER, SOCKET_MEMIF };
enum socket_side { SOCKET_SIDE_UNSET, SOCKET_APP_CONNECTS, SOCKET_APP_LISTENS };

/* The key of a kind: "vhostUser", "memif". */
const char *socket_kind_key(enum socket_kind kind);

/* For rows of keys, in the order of enum socket_side; and what a memif carries. */
extern const char *const socket_vhost_user_sides[], *const socket_memif_sides[];
extern const char *const socket_memif_modes[];

/*
 * The application's side from what is said of it and of the host's: when both are, the one has to
 * be the inverse of the other.  The keys name them in messages.
 */
int socket_side_agree(enum socket_kind kind, enum socket_side *app, const char *app_key,
		      enum socket_side host, const char *host_key, struct err *e) must_check;

#endif
