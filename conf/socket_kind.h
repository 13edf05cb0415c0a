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

/* What is said of one side, and under which key; text NULL or "": nothing. */
struct socket_said {
	const char *path, *key, *text;
};

/*
 * The application's side from what is said of it, of the host's, or both, where one has to be the
 * inverse of the other; SOCKET_SIDE_UNSET when nothing is said.
 */
int socket_side_parse(enum socket_kind kind, const struct socket_said *app,
		      const struct socket_said *host, enum socket_side *ret, struct err *e)
	must_check;

/* What a memif carries; nothing said leaves *ret. */
int socket_memif_mode_parse(const struct socket_said *said, const char **ret, struct err *e)
	must_check;

#endif
