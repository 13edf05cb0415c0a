/* SPDX-License-Identifier: Apache-2.0 */
/* socket_share.c - a directory of sockets that several attachments have */
#include "cni/socket/socket_share.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/tree.h"
#include "cni/socket/socket_keep.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

struct search {
	const struct host *host;
	const struct record *rec;	/* ours */
	struct socket_others *ret;
};

/* Of two directories that differ, each being the other's parent, or above that. */
static int check_nested(const struct record *rec, const struct search *l, struct err *e)
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
static bool is_used_by(const struct search *l, const struct socket_state *s)
{
	const struct socket_state *ours = &l->rec->socket;
	char path[sizeof(ours->root) + sizeof(ours->dir) + 1];
	struct stat a, b;

	(void)snprintf(path, sizeof(path), "%s/%s", ours->root, ours->dir);
	return tree_is_below(s->path, path) ||
	       (!s->from_plugin && stat_dir(l->host, ours, &a) == 0 &&
		stat_dir(l->host, s, &b) == 0 &&
		a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

static int check_other(const struct record *rec, void *arg, struct err *e)
{
	const struct search *l = arg;
	const struct socket_state *s = &rec->socket, *ours = &l->rec->socket;

	if (!*s->path || rec->released || owner_equal(&rec->owner, &l->rec->owner))
		return 0;
	l->ret->link |= *s->link && strcmp(s->link, ours->link) == 0;
	if (strcmp(s->root, ours->root) != 0) {
		l->ret->use |= is_used_by(l, s);
		l->ret->elsewhere |= !s->from_plugin;
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
	return check_nested(rec, l, e);
}

struct reading {
	const struct record *rec;
	journal_fn *fn;
	journal_bad_fn *bad;		/* NULL: those that cannot be read are passed over */
	void *arg;
};

/* Devices of other kinds, and sockets elsewhere, are not even read. */
static int read_journal(struct journal *j, const struct reading *of, struct err *e)
{
	int r = journal_each_near(j, SOCKET_KEY_PREFIX, of->rec, of->fn, of->arg, e);

	return r == 0 && of->bad ?
		       journal_each_bad_near(j, SOCKET_KEY_PREFIX, of->rec, of->bad, of->arg, e) :
		       r;
}

static int read_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	(void)there;
	return read_journal(j, arg, e);
}

/* Also by the records of an earlier stateDir, for socketDir is the same. */
static int each_socket(const struct host *host, const struct journal *j, struct reading *of,
		       struct err *e)
{
	struct journal copy = *j;	/* counts damaged records, which others tell of */
	int r = read_journal(&copy, of, e);

	return r == 0 ? earlier_each(host, JOURNAL_READ, read_there, of, e) : r;
}

/*
 * One that cannot be read may be of somebody who lives: what it could need stays.  Its key is its
 * path, but for one of an earlier version, whose path nobody knows.
 */
static uint64_t may_need(const struct journal_bad *bad, const struct socket_state *ours)
{
	char theirs[sizeof(bad->device)];
	uint64_t ret = 0;

	socket_state_key_path(bad->device, theirs);
	for (unsigned int n = 0; n < tree_depth(ours->dir); n++) {
		char path[sizeof(ours->root) + TREE_PATH_MAX], dir[TREE_PATH_MAX];

		tree_cut(ours->dir, n, dir);
		(void)snprintf(path, sizeof(path), "%s/%s", ours->root, dir);
		if (!*theirs || tree_is_below(theirs, path) || *ours->link)
			ret |= UINT64_C(1) << n;
	}
	return ret;
}

static int check_damaged(const struct journal_bad *bad, void *arg, struct err *e)
{
	const struct search *l = arg;

	(void)e;
	if (strcmp(bad->file, l->rec->file) == 0)	/* ours: the disk gave it a moment ago */
		return 0;
	l->ret->link = true;
	l->ret->use |= may_need(bad, &l->rec->socket);
	return 0;
}

/* What a DEL had to keep, which somebody who lives may listen in. */
static int check_kept_damaged(const struct journal_bad *bad, void *arg, struct err *e)
{
	const struct search *l = arg;
	uint64_t held = may_need(bad, &l->rec->socket);

	(void)e;
	l->ret->held |= held;
	l->ret->listens |= held & 1;
	return 0;
}

/* Its own DEL has left it there, so nobody else's may take it. */
static int check_listens(const struct record *rec, const struct search *l, struct err *e)
{
	int alive = 0;

	if (strcmp(rec->socket.dir, l->rec->socket.dir) == 0 && rec->socket.app_listens)
		alive = owner_is_alive(l->host, rec, e);
	l->ret->listens |= alive > 0;
	return alive < 0 ? -1 : 0;
}

/* What a DEL had to leave was made by us: who has the directory next ends it. */
static int check_kept(const struct record *rec, void *arg, struct err *e)
{
	const struct search *l = arg;
	const struct socket_state *ours = &l->rec->socket;

	if (strcmp(rec->socket.root, ours->root) != 0) {
		l->ret->elsewhere = true;
		return 0;
	}
	for (unsigned int n = 0; n < tree_depth(ours->dir); n++) {
		char dir[TREE_PATH_MAX];

		tree_cut(ours->dir, n, dir);
		if (has_made(&rec->socket, dir))
			l->ret->made |= UINT64_C(1) << n;
		if (!owner_equal(&rec->owner, &l->rec->owner) &&
		    tree_is_below(rec->socket.dir, dir))
			l->ret->held |= UINT64_C(1) << n;
	}
	return check_nested(rec, l, e) < 0 ? -1 : check_listens(rec, l, e);
}

static int look_at_kept(const struct host *host, struct search *l, struct err *e)
{
	int r = socket_keep_each(host, JOURNAL_READ, check_kept, l, e);

	return r == 0 ? socket_keep_each_bad(host, check_kept_damaged, l, e) : r;
}

static int look_at_kept_there(const struct host *there, struct journal *j, void *arg,
			      struct err *e)
{
	(void)j;
	return look_at_kept(there, arg, e);
}

int socket_others_look(const struct host *host, const struct journal *j, const struct record *rec,
		       struct socket_others *ret, struct err *e)
{
	struct search l = { .host = host, .rec = rec, .ret = ret };
	struct reading all = { rec, check_other, check_damaged, &l };

	*ret = (struct socket_others){ 0 };
	return each_socket(host, j, &all, e) < 0 || look_at_kept(host, &l, e) < 0 ?
		       -1 : earlier_each(host, JOURNAL_READ, look_at_kept_there, &l, e);
}

/* -- who lives in it -- */

struct sharing {
	const struct host *host;
	const struct record *rec;	/* ours */
	struct err *whose;
	bool lives;
};

/* Not by their paths: of two names in one directory the longer one may go by a link. */
static bool is_in_same(const struct socket_state *a, const struct socket_state *b)
{
	char x[sizeof(a->root) + sizeof(a->dir) + 1], y[sizeof(x)];

	(void)snprintf(x, sizeof(x), "%s/%s", a->root, a->dir);
	(void)snprintf(y, sizeof(y), "%s/%s", b->root, b->dir);
	return strcmp(x, y) == 0;
}

static int check_sharer(const struct record *other, void *arg, struct err *e)
{
	struct sharing *s = arg;
	int alive;

	if (!*other->socket.path || other->socket.from_plugin || other->released ||
	    owner_equal(&other->owner, &s->rec->owner) ||
	    !is_in_same(&other->socket, &s->rec->socket))
		return 0;
	alive = owner_is_alive(s->host, other, e);
	if (alive > 0 && !s->lives)
		(void)owner_tell(&other->owner, s->whose);
	s->lives |= alive > 0;
	return alive < 0 ? -1 : 0;
}

int socket_share_lives(const struct host *host, const struct journal *j, const struct record *rec,
		       struct err *whose, struct err *e)
{
	struct sharing s = { .host = host, .rec = rec, .whose = whose };
	struct reading sharers = { rec, check_sharer, NULL, &s };

	return each_socket(host, j, &sharers, e) < 0 ? -1 : s.lives;
}
