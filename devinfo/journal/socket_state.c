/* SPDX-License-Identifier: Apache-2.0 */
/* socket_state.c - a socket and its directory, as a part of an attachment's record */
#include "devinfo/journal/socket_state.h"

#include "base/jx.h"
#include "base/tree.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char member[] = "socket";
static const char *const xattr_keys[SOCKET_XATTRS] = { "acl", "defaultACL", "label" };

#define TEXT(key, field) \
	{ key, offsetof(struct socket_state, field), sizeof(((struct socket_state *)NULL)->field) }

static const struct text {
	const char *key;
	size_t offset, size;
} texts[] = {
	TEXT("path", path), TEXT("containerPath", container), TEXT("switchPath", in_switch),
	TEXT("root", root), TEXT("dir", dir), TEXT("switch", switch_kind), TEXT("port", port),
	TEXT("db", db), TEXT("exec", exec), TEXT("linked", linked),
	TEXT("asUID", as[SOCKET_AS_UID]), TEXT("asGID", as[SOCKET_AS_GID]),
	TEXT("asMode", as[SOCKET_AS_MODE]), TEXT("asACL", as[SOCKET_AS_ACL]),
	TEXT("asLabel", as[SOCKET_AS_LABEL]),
};

#define FLAG(key, field) { key, offsetof(struct socket_state, field) }

static const struct flag {
	const char *key;
	size_t offset;
} flags[] = {
	FLAG("memif", memif), FLAG("appListens", app_listens), FLAG("given", given),
	FLAG("secret", secret), FLAG("dirSet", dir_set),
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

static json_t *xattr_to_json(const struct socket_xattr *x)
{
	char text[2 * sizeof(x->value) + 1];

	for (size_t i = 0; i < x->len; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", x->value[i]);
	text[2 * (size_t)x->len] = '\0';
	return json_string(text);
}

static int xattr_from_json(const json_t *o, const char *key, struct socket_xattr *ret,
			   struct err *e)
{
	const char *v = NULL;
	size_t len;
	int r = jx_string(o, member, key, &v, e);

	if (r <= 0)
		return r;
	len = strlen(v) / 2;
	if (strlen(v) % 2 || len > sizeof(ret->value))
		return err_set(e, ERR_DECODE, 0, "%s.%s: bad length", member, key);
	for (size_t i = 0; i < len; i++)
		if (sscanf(v + 2 * i, "%2hhx", &ret->value[i]) != 1)
			return err_set(e, ERR_DECODE, 0, "%s.%s: no hexadecimal digits", member,
				       key);
	ret->set = true;
	ret->len = (uint8_t)len;
	return 0;
}

static json_t *to_json(const struct socket_state *s)
{
	json_t *o = json_pack("{s:i, s:I, s:I, s:I}", "made", (int)s->made, "uid",
			      (json_int_t)s->uid, "gid", (json_int_t)s->gid, "mode",
			      (json_int_t)s->mode);
	bool good = true;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		good &= json_object_set_new(o, texts[i].key,
					    json_string((const char *)s + texts[i].offset)) == 0;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		bool v;

		memcpy(&v, (const char *)s + flags[i].offset, sizeof(v));
		(void)json_object_set_new(o, flags[i].key, json_boolean(v));
	}
	for (size_t i = 0; i < SOCKET_XATTRS; i++)
		if (s->xattr[i].set)
			(void)json_object_set_new(o, xattr_keys[i], xattr_to_json(&s->xattr[i]));
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

static int copy_numbers(const json_t *o, struct socket_state *ret, struct err *e)
{
	json_int_t made = 0, uid = 0, gid = 0, mode = 0;

	if (jx_int(o, member, "made", 0, (json_int_t)sizeof(ret->dir), &made, e) < 0 ||
	    jx_int(o, member, "uid", 0, UINT32_MAX, &uid, e) < 0 ||
	    jx_int(o, member, "gid", 0, UINT32_MAX, &gid, e) < 0 ||
	    jx_int(o, member, "mode", 0, 07777, &mode, e) < 0)
		return -1;
	ret->made = (unsigned int)made;
	ret->uid = (uid_t)uid;
	ret->gid = (gid_t)gid;
	ret->mode = (mode_t)mode;
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
		return !*s->dir && !s->made && !s->dir_set && !s->secret && !*s->linked;
	(void)snprintf(path, sizeof(path), "%s/%s/%s", s->root, s->dir, socket_state_name(s));
	return is_absolute(s->root) && tree_is_path(s->dir) && s->made <= tree_depth(s->dir) &&
	       strcmp(path, s->path) == 0;
}

int socket_state_get(const json_t *record, struct socket_state *ret, struct err *e)
{
	struct socket_state s = { .path = "" };
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
	for (size_t i = 0; i < SOCKET_XATTRS; i++)
		if (xattr_from_json(o, xattr_keys[i], &s.xattr[i], e) < 0)
			return -1;
	if (copy_numbers(o, &s, e) < 0)
		return -1;
	if (!is_consistent(&s))
		return err_set(e, ERR_DECODE, 0, "%s: bad path, root or dir", member);
	*ret = s;
	return 0;
}
