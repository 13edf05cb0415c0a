/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_remove.c - a directory is removed with all that is in it, whatever its user does meanwhile
 *
 * Its user may be hostile, and still there.  So no path is walked: everything is done to one name
 * in an open directory, which a link, or something that was mounted there, never becomes.  However
 * deep the tree, two directories are open: what is below a subdirectory is renamed to a place
 * beside it, and comes next.
 *
 * A pass that finds only what cannot be removed, or is to stay, is the last.  Entries, passes and
 * time are bounded.  Who is faster than that is left with a directory that has no place any more:
 * it is renamed, and each later call takes something out of it, until its user has ended.
 */
#include "base/tree.h"

#include "base/fs.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PASSES = 200,			/* against somebody who is as fast as we are */
	LOOKS = 256,			/* entries between two looks at the clock */
	LEFT_MS = 50,			/* for one directory that was set aside */
	LEFT_NAMES = 1 << 16,
};


struct removal {
	int top;			/* the directory; borrowed */
	const struct tree_keep *keep;
	const struct deadline *d;
	unsigned int entries;		/* seen so far */
	unsigned int moved, next;	/* names of what is brought up: given, and looked at */
	bool progress, stays;		/* in this pass */
	struct err *why;		/* why something stays: the first reason of this pass */
};

/* What has gone, or become something else, was somebody else's doing: it is looked at again. */
static void note_outcome(struct removal *r, int sys, const char *name)
{
	if (sys == 0 || sys == ENOENT || sys == ENOTDIR || sys == ELOOP) {
		r->progress = true;
		return;
	}
	r->stays = true;
	if (r->why->code == ERR_OK)
		(void)err_set(r->why, ERR_IO, sys, "remove '%.100s'", name);
}

static void close_dir(DIR **d)
{
	if (*d)
		(void)closedir(*d);
}

/* Of a descriptor of its own, so that each reads from the beginning; NULL with errno. */
static DIR *open_entries(int dir)
{
	auto_close int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (d)
		(void)steal_fd(&fd);
	return d;
}

/* Each removed entry has cost about a microsecond, one that is large much more. */
static int check_bounds(struct removal *r, struct err *e)
{
	if (++r->entries > TREE_ENTRIES)
		return err_set(e, ERR_TRY_AGAIN, E2BIG, "more than %d entries", TREE_ENTRIES);
	return r->entries % LOOKS != 0 || deadline_left_ms(r->d) > 0 ?
		       0 : deadline_error(ERR_TRY_AGAIN, e, "%u entries are removed, not all",
					  r->entries);
}

typedef int entry_fn(struct removal *r, int dir, const char *name, struct err *e);

static int each_entry(struct removal *r, int dir, entry_fn *fn, struct err *e)
{
	auto_with(close_dir) DIR *d = open_entries(dir);
	const struct dirent *entry;

	if (!d)
		return err_set(e, ERR_IO, errno, "read a directory");
	for (;;) {
		errno = 0;
		entry = readdir(d);
		if (!entry)	/* ENOENT: it has just been removed */
			return errno && errno != ENOENT ?
				       err_set(e, ERR_IO, errno, "read a directory") : 0;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (check_bounds(r, e) < 0 || fn(r, dir, entry->d_name, e) < 0)
			return -1;
	}
}

/* 0 when it is gone, else why not: ENOTEMPTY of a directory. */
static int remove_one(int dir, const char *name)
{
	if (unlinkat(dir, name, 0) == 0)
		return 0;
	if (errno == EISDIR && unlinkat(dir, name, AT_REMOVEDIR) == 0)
		return 0;
	return errno == EEXIST ? ENOTEMPTY : errno;
}

static void name_moved(unsigned int n, char ret[32])
{
	(void)snprintf(ret, 32, ".devinfo-%x", n);
}

/* musl's C library has no renameat2(2). */
static int rename_new(int dir, const char *name, int to_dir, const char *to)
{
	enum { NOREPLACE = 1 };		/* RENAME_NOREPLACE of linux/fs.h */

	return (int)syscall(SYS_renameat2, dir, name, to_dir, to, NOREPLACE);
}

/* Beside the directory that it is in. */
static int bring_up(struct removal *r, int dir, const char *name)
{
	char to[32];

	while (r->moved < TREE_ENTRIES && deadline_left_ms(r->d) > 0) {
		name_moved(r->moved++, to);
		if (rename_new(dir, name, r->top, to) == 0)
			return 0;
		if (errno != EEXIST)
			return errno;
	}
	return EEXIST;
}

static int clear_below(struct removal *r, int dir, const char *name, struct err *e)
{
	int sys = remove_one(dir, name);

	(void)e;
	if (sys == ENOTEMPTY)
		sys = bring_up(r, dir, name);
	note_outcome(r, sys, name);
	return 0;
}

/* Of an entry of the directory itself: what is below it may be beside it afterwards. */
static int clear_entry(struct removal *r, int dir, const char *name, struct err *e)
{
	auto_close int below = -1;
	int sys = remove_one(dir, name);

	if (sys == ENOTEMPTY) {
		below = fs_open_beside(dir, name, O_RDONLY | O_DIRECTORY);
		if (below >= 0 && each_entry(r, below, clear_below, e) < 0)
			return -1;
		sys = below < 0 ? errno : remove_one(dir, name);
	}
	note_outcome(r, sys, name);
	return 0;
}

static int clear_top(struct removal *r, int dir, const char *name, struct err *e)
{
	char moved[32];

	if (r->keep && r->keep->fn(dir, name, r->keep->arg)) {
		r->stays = true;
		return 0;
	}
	if (clear_entry(r, dir, name, e) < 0)
		return -1;
	while (r->next < r->moved) {
		name_moved(r->next++, moved);
		if (check_bounds(r, e) < 0 || clear_entry(r, dir, moved, e) < 0)
			return -1;
	}
	return 0;
}

/* Open it, empty it once, and try to remove it: 1, 0 when it is not empty yet, -1. */
static int pass(struct removal *r, int parent, const char *name, struct err *e)
{
	r->progress = r->stays = false;
	*r->why = (struct err){ .code = ERR_OK };
	if (each_entry(r, r->top, clear_top, e) < 0)
		return -1;
	if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 1;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return err_set(e, ERR_IO, errno, "remove directory '%.100s'", name);
	return 0;
}

static int remove_in(int parent, const char *name, const struct tree_keep *keep,
		     const struct deadline *d, struct err *why, struct err *e)
{
	auto_close int top = fs_open_beside(parent, name, O_RDONLY | O_DIRECTORY);
	struct removal r = { .top = top, .keep = keep, .d = d, .why = why };
	int done = 0;

	*why = (struct err){ .code = ERR_OK };
	if (top < 0 && errno == ENOENT)
		return 0;
	if (top < 0)
		return err_set(e, ERR_IO, errno, "remove directory '%.100s'", name);
	for (int i = 0; i < PASSES && done == 0; i++) {
		done = pass(&r, parent, name, e);
		if (done == 0 && r.stays && !r.progress)
			return 0;
	}
	return done ? done : err_set(e, ERR_TRY_AGAIN, EBUSY, "remove directory '%.100s': somebody "
				     "writes to it all the time", name);
}

int tree_remove(int dir, const char *path, const struct tree_keep *keep, const struct deadline *d,
		struct err *why, struct err *e)
{
	const char *slash = strrchr(path, '/');
	char above[TREE_PATH_MAX];
	auto_close int parent = -1;
	int r;

	tree_cut(path, 1, above);
	r = tree_open(dir, above, &parent, e);
	return r <= 0 ? r : remove_in(parent, slash ? slash + 1 : path, keep, d, why, e);
}

int tree_set_aside(int dir, const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');
	char above[TREE_PATH_MAX], first[TREE_PATH_MAX], to[TREE_PATH_MAX];
	auto_close int parent = -1;
	int r;

	tree_cut(path, 1, above);
	tree_cut(path, tree_depth(path) - 1, first);
	r = tree_open(dir, above, &parent, e);
	if (r <= 0)
		return r;
	for (unsigned int i = 0; i < LEFT_NAMES; i++) {
		(void)snprintf(to, sizeof(to), TREE_LEFT "%x-%.200s", i, first);
		if (rename_new(parent, slash ? slash + 1 : path, dir, to) == 0)
			return 1;
		if (errno != EEXIST)
			break;
	}
	return errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "set directory '%s' aside", path);
}

int tree_remove_left(int dir, const struct deadline *d, unsigned int *left, struct err *e)
{
	auto_with(close_dir) DIR *entries = open_entries(dir);
	const struct dirent *entry;

	*left = 0;
	if (!entries)
		return err_set(e, ERR_IO, errno, "read a directory");
	while ((entry = readdir(entries))) {
		struct deadline own = deadline_in(LEFT_MS);
		struct err why, ignored;

		if (strncmp(entry->d_name, TREE_LEFT, sizeof(TREE_LEFT) - 1) != 0)
			continue;
		if (deadline_left_ms(d) == 0 ||
		    remove_in(dir, entry->d_name, NULL, &own, &why, &ignored) <= 0)
			++*left;
	}
	return 0;
}
