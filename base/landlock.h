/* SPDX-License-Identifier: Apache-2.0 */
/*
 * landlock.h - this process changes files below some directories alone
 *
 * Theory of operation.  Landlock (Linux 5.13; renaming from one directory into another needs 5.19)
 * is a list of directories below which a process may write, make, rename and remove files.  All
 * else is refused with EACCES, whoever root is; what is only read is not its subject here.  A
 * directory counts by itself and not by its path: mounts and renames above it change nothing, and
 * what is open stays open.  Device nodes are made nowhere, and no program is executed.  Nobody can
 * take it off again, and children have it, too.
 *
 * What it takes along: mount(2) is refused, and so is another process's /proc/PID, as by ptrace(2):
 * a network namespace that is named in that way cannot be opened any more.
 */
#ifndef BASE_LANDLOCK_H
#define BASE_LANDLOCK_H

#include "base/err.h"

#include <stddef.h>

/*
 * Change files below these paths of `root` alone.  Of a directory that is not there yet the nearest
 * one above it counts; a path of something else than a directory is a file that may be written.  1,
 * 0 when the kernel has no Landlock, or one that does not know renaming; -1: nothing has changed.
 */
int landlock_only_below(int root, const char *const *paths, size_t n, struct err *e) must_check;

#endif
