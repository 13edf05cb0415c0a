/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot_dir.c - the directories of sockets that are given to containers
 *
 * They are below socketDir, which pods write to: no link is followed there (base/tree.h).  What a
 * pod has put into one may be another user's, so not ours to remove without the capabilities that
 * the daemon has given up: then it is set aside, under a name by which the plugin removes it.
 */
#include "daemon/plugin/slot_dir.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/tree.h"
#include "conf/socket_slot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	ABOVE_MODE = 0755,
	OWN_MODE = 0770,		/* until an ADD says otherwise; the unit allows no setgid */
	REMOVE_MS = 50,			/* the loop waits for it */
};

/* -- one directory -- */

static int set_mode(int root, const char *dir, mode_t mode, struct err *e)
{
	auto_close int fd = -1;
	int r = tree_open(root, dir, &fd, e);

	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_TRY_AGAIN, 0, "'%s' has just gone", dir);
	return fchmod(fd, mode) < 0 ? err_set(e, ERR_IO, errno, "chmod '%s'", dir) : 0;
}

static int make_above(int root, const char *dir, struct err *e)
{
	for (unsigned int n = tree_depth(dir) - 1; n > 0; n--) {
		char above[TREE_PATH_MAX];
		int made;

		tree_cut(dir, n, above);
		made = tree_mkdir(root, above, e);
		if (made < 0 || (made > 0 && set_mode(root, above, ABOVE_MODE, e) < 0))
			return -1;
	}
	return 0;
}

/*
 * In the directory that it is in: to move it elsewhere takes a permission on the directory itself,
 * which is whose the pod wants.
 */
static int set_aside(int root, const char *dir, struct err *e)
{
	char above[TREE_PATH_MAX];
	auto_close int fd = -1;
	int r;

	tree_cut(dir, 1, above);
	r = tree_open(root, above, &fd, e);
	return r <= 0 ? r : tree_set_aside(fd, strrchr(dir, '/') + 1, e);
}

static int clear(int root, const char *dir, const struct deadline *until, struct err *e)
{
	struct err why = { .code = ERR_OK };
	auto_close int fd = -1;
	int r = tree_open(root, dir, &fd, e);

	if (r <= 0)
		return r;
	(void)!fchmod(fd, OWN_MODE);	/* its pod may have taken our right to write there */
	r = tree_remove(root, dir, NULL, until, &why, e);
	return r > 0 ? 0 : set_aside(root, dir, e) < 0 ? -1 : 0;
}

static int make(const struct host *host, const struct socket_slot *s, struct err *e)
{
	const struct deadline until = deadline_in(REMOVE_MS);
	auto_close int root = fs_open_dir(host->root, s->root, ABOVE_MODE, e);

	if (root < 0 || fs_check_own(root, s->root, e) < 0 || make_above(root, s->dir, e) < 0 ||
	    clear(root, s->dir, &until, e) < 0 || tree_mkdir(root, s->dir, e) < 0 ||
	    set_mode(root, s->dir, OWN_MODE, e) < 0)
		return err_wrap(e, "directory '%s'", s->mount);
	return 0;
}

static void remove_dir(const struct host *host, const struct slot_dir *d,
		       const struct deadline *until)
{
	struct socket_slot s;
	auto_close int root = -1;
	struct err e;

	if (socket_slot_make(&host->set, d->resource, d->id, &s, &e) < 0)
		return;
	root = fs_open(host->root, s.root, O_RDONLY | O_DIRECTORY, 0);
	if (root >= 0 && clear(root, s.dir, until, &e) < 0)
		log_warning("resource=%s device=%s msg=\"its directory stays\" why=%s details=%s",
			    d->resource, d->id, e.msg, e.details);
}

/*
 * After a reboot, where socketDir is empty, kubelet starts its pods again with what Allocate said
 * before it.
 */
static void make_missing(const struct host *host, const struct slot_dir *d)
{
	struct socket_slot s;
	auto_close int root = -1, fd = -1;
	struct err e;
	int r;

	if (socket_slot_make(&host->set, d->resource, d->id, &s, &e) < 0)
		return;
	root = fs_open(host->root, s.root, O_RDONLY | O_DIRECTORY, 0);
	r = root < 0 ? 0 : tree_open(root, s.dir, &fd, &e);
	if (r == 0 && make(host, &s, &e) < 0)
		log_warning("resource=%s device=%s msg=\"its directory is missing\" why=%s "
			    "details=%s", d->resource, d->id, e.msg, e.details);
}

/* -- all of them -- */

static struct slot_dir *find(const struct slot_dirs *all, const char *resource, const char *id)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->list[i].id, id) == 0 &&
		    strcmp(all->list[i].resource, resource) == 0)
			return &all->list[i];
	return NULL;
}

static struct slot_dir *find_or_add(struct slot_dirs *all, const char *resource, const char *id)
{
	struct slot_dir *d = find(all, resource, id), *bigger;

	if (d)
		return d;
	bigger = realloc(all->list, (all->n + 1) * sizeof(*bigger));
	if (!bigger)
		return NULL;
	all->list = bigger;
	d = &bigger[all->n++];
	*d = (struct slot_dir){ .held = false };
	(void)snprintf(d->resource, sizeof(d->resource), "%s", resource);
	(void)snprintf(d->id, sizeof(d->id), "%s", id);
	return d;
}

/* Where it fails, what is there may be somebody's: it has the time of one that is free from now. */
int slot_dirs_make(struct slot_dirs *all, const struct host *host, const char *resource,
		   const char *id, int64_t now_ms, struct err *e)
{
	struct slot_dir *d = find_or_add(all, resource, id);
	struct socket_slot s;

	if (!d)
		return err_set(e, ERR_IO, ENOMEM, "a directory of sockets");
	d->free_since = now_ms;
	if (socket_slot_make(&host->set, resource, id, &s, e) < 0 || make(host, &s, e) < 0)
		return -1;
	d->fresh = true;
	return 0;
}

/* Those that somebody has are to be known; where there is no memory they stay when he goes. */
static void note_held(struct slot_dirs *all, const struct offers *o)
{
	for (size_t i = 0; i < o->n; i++)
		for (size_t k = 0; k < o->list[i].n; k++)
			if (o->list[i].list[k].socket && o->list[i].list[k].held)
				(void)find_or_add(all, o->list[i].resource,
						  o->list[i].list[k].id);
}

/* Of a resource that is not offered any more nothing is known: it is as it was. */
static void note_holder(struct slot_dir *d, const struct offers *o, int64_t now_ms)
{
	const struct offer *of = offers_find(o, d->resource);
	const struct offered *now = of ? offer_find(of, d->id) : NULL;
	bool was_held = d->held;

	if (of)
		d->held = now && now->held;
	if (was_held && !d->held)
		d->free_since = now_ms;
	d->fresh = d->fresh && !d->held;
}

void slot_dirs_update(struct slot_dirs *all, const struct host *host, const struct offers *o,
		      int64_t now_ms)
{
	const struct deadline until = deadline_in(REMOVE_MS);	/* for all of them */
	size_t n = 0;

	note_held(all, o);
	for (size_t i = 0; i < all->n; i++) {
		struct slot_dir *d = &all->list[i];

		note_holder(d, o, now_ms);
		if (d->held)
			make_missing(host, d);
		if (d->held || d->fresh || now_ms - d->free_since < SLOT_FREE_MS)
			all->list[n++] = *d;
		else
			remove_dir(host, d, &until);
	}
	all->n = n;
}

void slot_dirs_done(struct slot_dirs *all)
{
	free(all->list);
	*all = (struct slot_dirs){ .n = 0 };
}
