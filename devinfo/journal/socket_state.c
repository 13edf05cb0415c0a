/* SPDX-License-Identifier: Apache-2.0 */
/* socket_state.c - a socket and its directory, as a part of an attachment's record */
#include "devinfo/journal/socket_state.h"

#include "base/tree.h"

#include <stdio.h>
#include <string.h>

const char *socket_state_name(const struct socket_state *s)
{
	const char *slash = strrchr(s->path, '/');

	return slash ? slash + 1 : s->path;
}

#define KEY_BEGIN	SOCKET_KEY_PREFIX ":,"

/* A path has no ',', see socket_path_check(). */
void socket_state_key(const char *path, char ret[SOCKET_KEY_SIZE])
{
	(void)snprintf(ret, SOCKET_KEY_SIZE, SOCKET_KEY_PREFIX ":%.107s", path);
	for (char *p = ret; *p; p++)
		if (*p == '/')
			*p = ',';
}

void socket_state_key_path(const char *key, char ret[SOCKET_KEY_SIZE])
{
	(void)snprintf(ret, SOCKET_KEY_SIZE, "%s",
		       socket_state_is_key(key) ? key + strlen(SOCKET_KEY_PREFIX ":") : "");
	for (char *p = ret; *p; p++)
		if (*p == ',')
			*p = '/';
}

bool socket_state_is_key(const char *key)
{
	return strncmp(key, KEY_BEGIN, strlen(KEY_BEGIN)) == 0;
}

bool socket_state_has_key(const struct socket_state *s, const char *key)
{
	char own[SOCKET_KEY_SIZE];

	socket_state_key(s->path, own);
	return *s->path && strcmp(own, key) == 0;
}

static bool is_absolute(const char *path)
{
	return *path == '/' && tree_is_path(path + 1);
}

/* Ours is <root>/<dir>/<name>, or that of a link: what DEL removes is nowhere else. */
static bool is_consistent(const struct socket_state *s)
{
	char path[sizeof(s->root) + sizeof(s->dir) + sizeof(s->path)];

	if (!is_absolute(s->path) || (*s->linked && !is_absolute(s->linked)) ||
	    (*s->exec && *s->exec != '/'))
		return false;
	if (s->from_plugin)
		return !*s->dir && !s->made && !s->secret && !*s->linked && !*s->link;
	if (*s->link)
		(void)snprintf(path, sizeof(path), "%s/%s", s->link, socket_state_name(s));
	else
		(void)snprintf(path, sizeof(path), "%s/%s/%s", s->root, s->dir,
			       socket_state_name(s));
	return is_absolute(s->root) && tree_is_path(s->dir) && s->made <= tree_depth(s->dir) &&
	       strcmp(path, s->path) == 0;
}

static const char *wrong(const void *s)
{
	return is_consistent(s) ? NULL : "bad path, root or dir";
}

#define OF(member)	FIELD(struct socket_state, member)

static const struct field field[] = {
	{ "path", OF(path), .required = true },
	{ "made", OF(made), .max = sizeof(((struct socket_state *)NULL)->dir) },
	{ "containerPath", OF(container) },
	{ "switchPath", OF(in_switch) },
	{ "root", OF(root) },
	{ "dir", OF(dir) },
	{ "link", OF(link), .optional = true },
	{ "switch", OF(switch_kind) },
	{ "port", OF(port) },
	{ "db", OF(db) },
	{ "exec", OF(exec) },
	{ "linked", OF(linked) },
	{ "memif", OF(memif) },
	{ "appListens", OF(app_listens) },
	{ "given", OF(from_plugin) },
	{ "secret", OF(secret) },
};

const struct fields socket_state_fields = FIELDS(field, wrong);
