/* SPDX-License-Identifier: Apache-2.0 */
/* socket_kind.c - the kinds of sockets, and their words for who listens and what a memif carries */
#include "conf/socket_kind.h"

#include <stddef.h>
#include <string.h>

static const struct kind {
	const char *key, *connects, *listens;
} kinds[] = {
	[SOCKET_VHOST_USER] = { "vhostUser", "client", "server" },
	[SOCKET_MEMIF] = { "memif", "slave", "master" },
};

const char *socket_kind_key(enum socket_kind kind)
{
	return kinds[kind].key;
}

static int take_side(const struct kind *k, const struct socket_said *said, enum socket_side *ret,
		     struct err *e)
{
	if (!said->text || !*said->text)
		return 0;
	if (strcmp(said->text, k->connects) != 0 && strcmp(said->text, k->listens) != 0)
		return err_set(e, ERR_NETCONF, 0, "%s.%s: '%.32s' is neither %s nor %s",
			       said->path, said->key, said->text, k->connects, k->listens);
	*ret = strcmp(said->text, k->connects) == 0 ? SOCKET_APP_CONNECTS : SOCKET_APP_LISTENS;
	return 1;
}

int socket_side_parse(enum socket_kind kind, const struct socket_said *app,
		      const struct socket_said *host, enum socket_side *ret, struct err *e)
{
	const struct kind *k = &kinds[kind];
	enum socket_side a = SOCKET_SIDE_UNSET, h = SOCKET_SIDE_UNSET;

	if (take_side(k, app, &a, e) < 0 || take_side(k, host, &h, e) < 0)
		return -1;
	if (a && a == h)
		return err_set(e, ERR_NETCONF, 0,
			       "%s.%s and %s.%s are both '%s': one side is the %s, the other the "
			       "%s",
			       app->path, app->key, host->path, host->key, app->text, k->listens,
			       k->connects);
	if (!a && h)
		a = h == SOCKET_APP_CONNECTS ? SOCKET_APP_LISTENS : SOCKET_APP_CONNECTS;
	*ret = a;
	return 0;
}

int socket_memif_mode_parse(const struct socket_said *said, const char **ret, struct err *e)
{
	static const char *const modes[] = { "ethernet", "ip", "inject-punt" };

	if (!said->text || !*said->text)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (strcmp(said->text, modes[i]) == 0) {
			*ret = modes[i];
			return 0;
		}
	return err_set(e, ERR_NETCONF, 0, "%s.%s: '%.32s' is none of ethernet, ip, inject-punt",
		       said->path, said->key, said->text);
}
