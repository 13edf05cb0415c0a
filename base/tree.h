/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - directories some levels below one that is open
 *
 * A path is "a/b/c", relative, of proper names.  It is walked a component at a time, never through
 * a symbolic link: whoever may write to one of these directories leads nobody out of them.
 */
#ifndef BASE_TREE_H
#define BASE_TREE_H

#include "base/deadline.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TREE_PATH_MAX = 256 };		/* of a path, with its NUL */

/* Relative, shorter than TREE_PATH_MAX, and each component a file's name. */
bool tree_is_path(const char *path);

/* How many components a path has; "" has none. */
unsigned int tree_depth(const char *path);

/* The path without its last n components, at most "". */
void tree_cut(const char *path, unsigned int n, char ret[TREE_PATH_MAX]);

/* Is path the directory `above` itself, or somewhere below it? */
bool tree_is_below(const char *path, const char *above);

/*
 * Open a directory below dir, "" for dir itself: 1 with a descriptor that the caller closes, 0
 * absent, -1; ERR_BUSY when something else, a link for one, stands in the way.
 */
int tree_open(int dir, const char *path, int *ret, struct err *e) must_check;

/* Make the directory of the last component, 0700: 1, 0 when something is there already, -1. */
int tree_mkdir(int dir, const char *path, struct err *e) must_check;

/* Remove that of the last component: 1, 0 when it is not there or not empty, -1. */
int tree_rmdir(int dir, const char *path, struct err *e) must_check;

/*
 * Remove it with all that is in it, while others may still be at work there.  Nothing is followed,
 * and nothing removed that is mounted there or below a mount; keep, when it is not NULL, says
 * which files of the directory itself stay.
 *
 * 1, 0 when it is not there or something stays, for which *why has the reason (ERR_OK: it is only
 * what keep wants), -1.  Removed are at most TREE_ENTRIES, and until the deadline: ERR_TRY_AGAIN,
 * after which another call goes on.
 */
enum { TREE_ENTRIES = 1 << 21 };
typedef bool tree_keep_fn(int dir, const char *name, const void *arg);
struct tree_keep {
	tree_keep_fn *fn;
	const void *arg;
};
int tree_remove(int dir, const char *path, const struct tree_keep *keep, const struct deadline *d,
		struct err *why, struct err *e) must_check;

/*
 * What a directory has in it: 1, 0 when it is not there, -1.  It is counted until that is more than
 * max, or than TREE_ENTRIES, or too deep; then `more` says so.
 */
struct tree_size {
	uint64_t bytes, inodes;
	bool more;
};
int tree_measure(int dir, const char *path, const struct tree_size *max, struct tree_size *ret,
		 struct err *e) must_check;

/*
 * What was not removed in time gets a hidden name in dir, where nobody looks for it, with the first
 * name of its path at the end: 1, 0 when it is not there, -1.
 */
#define TREE_LEFT ".devinfo-left-"
int tree_set_aside(int dir, const char *path, struct err *e) must_check;

/* Add what was set aside in dir of all paths with this first name: 0, -1. */
int tree_measure_left(int dir, const char *first, const struct tree_size *max,
		      struct tree_size *ret, struct err *e) must_check;

/* Remove what was set aside in dir, or some of it, until the deadline; *left counts the rest. */
int tree_remove_left(int dir, const struct deadline *d, unsigned int *left, struct err *e)
	must_check;

#endif
