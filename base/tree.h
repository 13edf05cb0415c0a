/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - directories several levels below an open one
 *
 * A path is "a/b/c", relative, of proper names.  It is walked a component at a time, never through
 * a symbolic link, so nobody who may write to one of these directories can lead us out of them.
 */
#ifndef BASE_TREE_H
#define BASE_TREE_H

#include "base/deadline.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TREE_PATH_MAX = 256 };		/* of a path, with its NUL */

/* Is the path relative, shorter than TREE_PATH_MAX, and each component name_is_file()? */
bool tree_is_path(const char *path);

/* Count the components of a path; "" has none. */
unsigned int tree_depth(const char *path);

/* Copy the path without its last n components; "" when there are no more. */
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

/* Remove the directory of the last component: 1, 0 when it is absent or not empty, -1. */
int tree_rmdir(int dir, const char *path, struct err *e) must_check;

/*
 * Remove a directory with its content, even while others still write there.  No link is followed,
 * and nothing that is mounted there, or below a mount, is removed; keep, when it is not NULL,
 * selects files of the directory itself that stay.
 *
 * Returns 1; 0 when it is absent or something stays, with the reason in *why (ERR_OK: only what
 * keep selects); -1.  ERR_TRY_AGAIN when TREE_ENTRIES were removed or the deadline has passed:
 * another call continues.
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
 * Measure what a directory holds: 1, 0 when it is absent, -1.  Counting ends, and sets `more`, when
 * it exceeds max, TREE_ENTRIES or the depth limit.
 */
struct tree_size {
	uint64_t bytes, inodes;
	bool more;
};
int tree_measure(int dir, const char *path, const struct tree_size *max, struct tree_size *ret,
		 struct err *e) must_check;

/*
 * Rename a directory that was not removed in time to a hidden name in dir that ends with the first
 * component of its path: 1, 0 when it is absent, -1.
 */
#define TREE_LEFT ".devinfo-left-"
int tree_set_aside(int dir, const char *path, struct err *e) must_check;

/* Add to *ret what was set aside in dir of all paths with this first component: 0, -1. */
int tree_measure_left(int dir, const char *first, const struct tree_size *max,
		      struct tree_size *ret, struct err *e) must_check;

/* Remove what was set aside in dir, or some of it, until the deadline; *left counts the rest. */
int tree_remove_left(int dir, const struct deadline *d, unsigned int *left, struct err *e)
	must_check;

#endif
