/* SPDX-License-Identifier: Apache-2.0 */
/* socket_slot.c - where the sockets are that devinfod offers to kubelet */
#include "conf/socket_slot.h"

#include "base/name.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define SOCKET_NAME "socket"

static int set_root(const struct settings *set, char ret[SOCKET_PATH_MAX], struct err *e)
{
	size_t len = strlen(set->socket_dir);

	if (len >= SOCKET_PATH_MAX)
		return err_set(e, ERR_NETCONF, 0, "socketDir: '%.64s...' is too long for sockets",
			       set->socket_dir);
	memcpy(ret, set->socket_dir, len + 1);
	while (len > 1 && ret[len - 1] == '/')
		ret[--len] = '\0';
	return 0;
}

int socket_slot_make(const struct settings *set, const char *resource, const char *id,
		     struct socket_slot *ret, struct err *e)
{
	int prefix = (int)strcspn(resource, "/");
	struct socket_slot s = { .root = "" };
	char path[PATH_MAX];
	int len;

	if (set_root(set, s.root, e) < 0)
		return -1;
	if (prefix == 0 || !name_is_file(id))
		return err_set(e, ERR_NETCONF, 0, "'%.64s' of '%.64s' names no socket", id,
			       resource);
	(void)snprintf(path, sizeof(path), "%s/" SOCKET_SLOT_DIR "/%.*s/%s/" SOCKET_NAME, s.root,
		       prefix, resource, id);
	if (socket_path_check(path, "path of the socket", e) < 0)
		return -1;
	memcpy(s.path, path, strlen(path) + 1);
	len = (int)(strlen(path) - sizeof(SOCKET_NAME));
	(void)snprintf(s.mount, sizeof(s.mount), "%.*s", len, path);
	(void)snprintf(s.dir, sizeof(s.dir), "%s", s.mount + strlen(s.root) + 1);
	*ret = s;
	return 0;
}

bool socket_slot_find(const struct settings *set, const char *path, const char *resource,
		      const char *id, struct socket_slot *ret)
{
	static const char top[] = "/" SOCKET_SLOT_DIR "/";
	struct socket_slot s;
	char root[SOCKET_PATH_MAX];
	struct err ignored;
	size_t len;

	if (set_root(set, root, &ignored) < 0)
		return false;
	len = strlen(root);
	if (strncmp(path, root, len) != 0 || strncmp(path + len, top, sizeof(top) - 1) != 0)
		return false;
	if (socket_slot_make(set, resource ? resource : path + len + sizeof(top) - 1, id, &s,
			     &ignored) < 0 || strcmp(s.path, path) != 0)
		return false;
	*ret = s;
	return true;
}
