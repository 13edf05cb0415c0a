/* SPDX-License-Identifier: Apache-2.0 */
/* socket_share.c - a directory of sockets that several attachments have */
#include "cni/socket/socket_share.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "base/tree.h"
#include "devinfo/journal/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* -- what the others say -- */

static bool has_made(const struct socket_state *s, const char *dir)
{
	char one[TREE_PATH_MAX];

	for (unsigned int i = 0; i < s->made; i++) {
		tree_cut(s->dir, i, one);
		if (strcmp(one, dir) == 0)
			return true;
	}
	return false;
}

struct look {
	const struct host *host;
	const struct record *rec;	/* ours */
	struct socket_others *ret;
};

/* Of two directories that differ, each being the other's parent, or above that. */
static int look_at_nested(const struct record *rec, const struct look *l, struct err *e)
{
	const char *theirs = rec->socket.dir, *ours = l->rec->socket.dir;
	int alive;

	if (strcmp(theirs, ours) == 0 ||
	    (!tree_is_below(theirs, ours) && !tree_is_below(ours, theirs)))
		return 0;
	alive = owner_is_alive(l->host, rec, e);
	l->ret->above |= alive > 0 && tree_is_below(ours, theirs);
	l->ret->below |= alive > 0 && tree_is_below(theirs, ours);
	return alive < 0 ? -1 : 0;
}

static int stat_dir(const struct host *host, const struct socket_state *s, struct stat *ret)
{
	char path[sizeof(s->root) + sizeof(s->dir) + 1];
	auto_close int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/%s", s->root, s->dir);
	fd = fs_open(host->root, path, O_PATH | O_DIRECTORY, 0);
	return fd < 0 ? -1 : fstat(fd, ret);
}

/* socketDir had another name then: the directory may be the same, or have theirs in it. */
static bool is_used_by(const struct look *l, const struct socket_state *s)
{
	const struct socket_state *ours = &l->rec->socket;
	char path[sizeof(ours->root) + sizeof(ours->dir) + 1];
	struct stat a, b;

	(void)snprintf(path, sizeof(path), "%s/%s", ours->root, ours->dir);
	return tree_is_below(s->path, path) ||
	       (!s->given && stat_dir(l->host, ours, &a) == 0 && stat_dir(l->host, s, &b) == 0 &&
		a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

static int look_at_other(const struct record *rec, void *arg, struct err *e)
{
	const struct look *l = arg;
	const struct socket_state *s = &rec->socket, *ours = &l->rec->socket;

	if (!*s->path || rec->released || owner_equal(&rec->owner, &l->rec->owner))
		return 0;
	if (strcmp(s->root, ours->root) != 0) {
		l->ret->use |= is_used_by(l, s);
		return 0;
	}
	for (unsigned int n = 0; n < tree_depth(ours->dir); n++) {
		char dir[TREE_PATH_MAX];

		tree_cut(ours->dir, n, dir);
		if (!tree_is_below(s->dir, dir))
			continue;
		l->ret->use |= UINT64_C(1) << n;
		if (has_made(s, dir))
			l->ret->made |= UINT64_C(1) << n;
	}
	if (s->dir_set && strcmp(s->dir, ours->dir) == 0) {
		l->ret->set = true;
		l->ret->set_by = *s;
	}
	return look_at_nested(rec, l, e);
}

/* Devices of other kinds are not even read. */
static int each_socket(const struct journal *j, journal_fn *fn, void *arg, struct err *e)
{
	struct journal copy = *j;	/* counts damaged records, which others tell of */

	return journal_each_like(&copy, SOCKET_KEY_PREFIX, fn, arg, e);
}

/*
 * One that cannot be read may be of somebody who lives: what it could need stays.  Its key is its
 * path, but for one of an earlier version, whose path nobody knows.
 */
static int look_at_bad(const struct journal_bad *bad, void *arg, struct err *e)
{
	const struct look *l = arg;
	const struct socket_state *ours = &l->rec->socket;
	char theirs[sizeof(bad->device)];

	(void)e;
	socket_state_key_path(bad->device, theirs);
	for (unsigned int n = 0; n < tree_depth(ours->dir); n++) {
		char path[sizeof(ours->root) + TREE_PATH_MAX], dir[TREE_PATH_MAX];

		tree_cut(ours->dir, n, dir);
		(void)snprintf(path, sizeof(path), "%s/%s", ours->root, dir);
		if (!*theirs || tree_is_below(theirs, path))
			l->ret->use |= UINT64_C(1) << n;
	}
	return 0;
}

int socket_others_look(const struct host *host, const struct journal *j, const struct record *rec,
		       struct socket_others *ret, struct err *e)
{
	struct look l = { .host = host, .rec = rec, .ret = ret };
	struct journal copy = *j;	/* as above */

	*ret = (struct socket_others){ 0 };
	if (each_socket(j, look_at_other, &l, e) < 0)
		return -1;
	return journal_each_bad(&copy, SOCKET_KEY_PREFIX, look_at_bad, &l, e);
}

/* -- how it is to be -- */

/* Keyed: of two texts with one hash one would pass for the other. */
static int set_hash(const struct journal *j, const char *text, char ret[20], struct err *e)
{
	uint64_t hash = 0;

	if (!text)
		return 0;
	if (j->lock < 0)
		return err_set(e, ERR_IO, EROFS, "the file of the locks");
	if (fs_lock_hash(j->lock, text, &hash, e) < 0)
		return -1;
	(void)snprintf(ret, 20, "%016" PRIx64, hash);
	return 0;
}

static int take_said(const struct journal *j, const struct socket_conf *c, struct socket_state *s,
		     struct err *e)
{
	memset(s->as, 0, sizeof(s->as));
	if (c->has_uid)
		(void)snprintf(s->as[SOCKET_AS_UID], sizeof(s->as[0]), "%u", c->uid);
	if (c->has_gid)
		(void)snprintf(s->as[SOCKET_AS_GID], sizeof(s->as[0]), "%u", c->gid);
	if (c->has_dir_mode)
		(void)snprintf(s->as[SOCKET_AS_MODE], sizeof(s->as[0]), "%04o", c->dir_mode);
	if (set_hash(j, c->acl, s->as[SOCKET_AS_ACL], e) < 0)
		return -1;
	return set_hash(j, c->selinux_label, s->as[SOCKET_AS_LABEL], e);
}

struct sharing {
	const struct host *host;
	struct record *rec;
};

static bool is_in_same(const struct socket_state *a, const struct socket_state *b)
{
	size_t len = strlen(b->path) - strlen(socket_state_name(b));

	return strlen(a->path) - strlen(socket_state_name(a)) == len &&
	       memcmp(a->path, b->path, len) == 0;
}

/* What only the other one says is so for both. */
static int agree_with(const struct record *other, struct record *rec, struct err *e)
{
	static const char *const names[SOCKET_AS] = {
		"uid", "gid", "dirMode", "acl", "selinuxLabel",
	};

	for (size_t i = 0; i < SOCKET_AS; i++) {
		char *mine = rec->socket.as[i];
		const char *theirs = other->socket.as[i];

		if (*mine && strcmp(mine, theirs) != 0) {
			(void)err_set(e, ERR_BUSY, 0, "directory '%s/%s' is shared with another "
				      "attachment: want the same %s, or none said",
				      rec->socket.root, rec->socket.dir, names[i]);
			return owner_tell(&other->owner, e);
		}
		memcpy(mine, theirs, sizeof(rec->socket.as[i]));
	}
	return 0;
}

static int look_at_sharer(const struct record *other, void *arg, struct err *e)
{
	struct sharing *s = arg;
	int alive;

	if (!*other->socket.path || other->socket.given || other->released ||
	    owner_equal(&other->owner, &s->rec->owner) ||
	    !is_in_same(&other->socket, &s->rec->socket))
		return 0;
	alive = owner_is_alive(s->host, other, e);
	return alive <= 0 ? alive : agree_with(other, s->rec, e);
}

int socket_share_agree(const struct host *host, const struct journal *j, bool is_there,
		       const struct socket_conf *c, struct record *rec, struct err *e)
{
	struct sharing s = { .host = host, .rec = rec };
	char *mode = rec->socket.as[SOCKET_AS_MODE];

	if (take_said(j, c, &rec->socket, e) < 0 ||
	    (is_there && each_socket(j, look_at_sharer, &s, e) < 0))
		return -1;
	if (!*mode && (rec->socket.made || c->acl))
		(void)snprintf(mode, sizeof(rec->socket.as[0]), "%04o", c->dir_mode);
	return 0;
}

bool socket_share_is_said(const struct socket_state *s)
{
	for (size_t i = 0; i < SOCKET_AS; i++)
		if (*s->as[i])
			return true;
	return false;
}

struct socket_conf socket_share_conf(const struct socket_conf *c, const struct socket_state *s)
{
	struct socket_conf as = *c;

	as.has_uid = *s->as[SOCKET_AS_UID];
	as.uid = (uid_t)strtoul(s->as[SOCKET_AS_UID], NULL, 10);
	as.has_gid = *s->as[SOCKET_AS_GID];
	as.gid = (gid_t)strtoul(s->as[SOCKET_AS_GID], NULL, 10);
	as.has_dir_mode = *s->as[SOCKET_AS_MODE];
	as.dir_mode = (mode_t)strtoul(s->as[SOCKET_AS_MODE], NULL, 8) & 07777;
	return as;
}
