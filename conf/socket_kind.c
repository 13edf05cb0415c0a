/* SPDX-License-Identifier: Apache-2.0 */
/* socket_kind.c - the kinds of sockets, and their words for who listens and what a memif carries */
#include "conf/socket_kind.h"

#include <stddef.h>

const char *const socket_vhost_user_sides[] = {
	[SOCKET_SIDE_UNSET] = "", [SOCKET_APP_CONNECTS] = "client",
	[SOCKET_APP_LISTENS] = "server", NULL,
};
const char *const socket_memif_sides[] = {
	[SOCKET_SIDE_UNSET] = "", [SOCKET_APP_CONNECTS] = "slave",
	[SOCKET_APP_LISTENS] = "master", NULL,
};
const char *const socket_memif_modes[] = { "ethernet", "ip", "inject-punt", NULL };

static const struct kind {
	const char *key;
	const char *const *sides;
} kinds[] = {
	[SOCKET_NONE] = { NULL, NULL },
	[SOCKET_VHOST_USER] = { "vhostUser", socket_vhost_user_sides },
	[SOCKET_MEMIF] = { "memif", socket_memif_sides },
};

const char *socket_kind_key(enum socket_kind kind)
{
	return kinds[kind].key;
}

int socket_side_agree(enum socket_kind kind, enum socket_side *app, const char *app_key,
		      enum socket_side host, const char *host_key, struct err *e)
{
	const char *const *sides = kinds[kind].sides;

	if (*app && *app == host)
		return err_set(e, ERR_NETCONF, 0,
			       "%s and %s are both '%s': one side is the %s, the other the %s",
			       app_key, host_key, sides[host], sides[SOCKET_APP_LISTENS],
			       sides[SOCKET_APP_CONNECTS]);
	if (!*app && host)
		*app = host == SOCKET_APP_CONNECTS ? SOCKET_APP_LISTENS : SOCKET_APP_CONNECTS;
	return 0;
}
