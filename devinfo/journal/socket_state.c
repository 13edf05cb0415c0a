/* SPDX-License-Identifier: Apache-2.0 */
/* socket_state.c - a socket and its directory, as a part of an attachment's record */
#include "devinfo/journal/socket_state.h"

#include "base/jx.h"
#include "base/tree.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char member[] = "socket";

#define TEXT(key, field) \
	{ key, offsetof(struct socket_state, field), sizeof(((struct socket_state *)NULL)->field) }

static const struct text {
	const char *key;
	size_t offset, size;
} texts[] = {
	TEXT("path", path), TEXT("containerPath", container), TEXT("switchPath", in_switch),
	TEXT("root", root), TEXT("dir", dir), TEXT("switch", switch_kind), TEXT("port", port),
	TEXT("db", db), TEXT("exec", exec), TEXT("linked", linked),
};

#define FLAG(key, field) { key, offsetof(struct socket_state, field) }

static const struct flag {
	const char *key;
	size_t offset;
} flags[] = {
	FLAG("memif", memif), FLAG("appListens", app_listens), FLAG("given", given),
	FLAG("secret", secret),
};

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

static json_t *to_json(const struct socket_state *s)
{
	json_t *o = json_pack("{s:i}", "made", (int)s->made);
	bool good = true;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		good &= json_object_set_new(o, texts[i].key,
					    json_string((const char *)s + texts[i].offset)) == 0;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		bool v;

		memcpy(&v, (const char *)s + flags[i].offset, sizeof(v));
		(void)json_object_set_new(o, flags[i].key, json_boolean(v));
	}
	if (good)
		return o;
	json_decref(o);
	return NULL;
}

int socket_state_put(json_t *record, const struct socket_state *s)
{
	return *s->path ? json_object_set_new(record, member, to_json(s)) : 0;
}

static int copy_text(const json_t *o, const struct text *t, struct socket_state *ret, struct err *e)
{
	const char *v = "";

	if (jx_string(o, member, t->key, &v, e) < 0)
		return -1;
	if (strlen(v) >= t->size)
		return err_set(e, ERR_DECODE, 0, "%s.%s: too long", member, t->key);
	memcpy((char *)ret + t->offset, v, strlen(v) + 1);
	return 0;
}

static bool is_absolute(const char *path)
{
	return *path == '/' && tree_is_path(path + 1);
}

/* Ours is <root>/<dir>/<name>: what DEL removes is nowhere else. */
static bool is_consistent(const struct socket_state *s)
{
	char path[sizeof(s->root) + sizeof(s->dir) + sizeof(s->path)];

	if (!is_absolute(s->path) || (*s->linked && !is_absolute(s->linked)) ||
	    (*s->exec && *s->exec != '/'))
		return false;
	if (s->given)
		return !*s->dir && !s->made && !s->secret && !*s->linked;
	(void)snprintf(path, sizeof(path), "%s/%s/%s", s->root, s->dir, socket_state_name(s));
	return is_absolute(s->root) && tree_is_path(s->dir) && s->made <= tree_depth(s->dir) &&
	       strcmp(path, s->path) == 0;
}

int socket_state_get(const json_t *record, struct socket_state *ret, struct err *e)
{
	struct socket_state s = { .path = "" };
	json_int_t made = 0;
	json_t *o = NULL;
	int r = jx_object(record, "", member, &o, e);

	if (r <= 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (copy_text(o, &texts[i], &s, e) < 0)
			return -1;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (jx_bool(o, member, flags[i].key, (bool *)((char *)&s + flags[i].offset), e) < 0)
			return -1;
	if (jx_int(o, member, "made", 0, (json_int_t)sizeof(s.dir), &made, e) < 0)
		return -1;
	s.made = (unsigned int)made;
	if (!is_consistent(&s))
		return err_set(e, ERR_DECODE, 0, "%s: bad path, root or dir", member);
	*ret = s;
	return 0;
}
