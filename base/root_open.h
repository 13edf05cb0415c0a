/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root_open.h - open a path below a root, whatever is renamed and mounted meanwhile
 *
 * Theory of operation.  openat2(2) with RESOLVE_IN_ROOT fails with EAGAIN when anything on the
 * machine, even in another namespace, was renamed or mounted between the start of a look-up and a
 * ".." in it, because the kernel cannot rule out an escape then.  The links of /sys/bus and
 * /sys/class have such ".."; where pods start and end all the time, retries need not succeed.  So,
 * after some tries, the path is resolved here, component by component, into one without links and
 * "..", which the kernel opens below the root with the same rules as before.  A change meanwhile
 * can make that fail as well; it is repeated with pauses until the deadline.
 */
#ifndef BASE_ROOT_OPEN_H
#define BASE_ROOT_OPEN_H

#include <stdint.h>
#include <sys/types.h>

/* Call openat2(2) with O_CLOEXEC; mode is for new files, resolve is RESOLVE_*. -1 with errno. */
int root_openat2(int dir, const char *path, int flags, mode_t mode, uint64_t resolve);

/*
 * Open path below root as if root were "/": links and ".." do not lead out.  Returns a descriptor
 * that the caller closes; -1 with errno, EAGAIN only when the time limit of the whole call has
 * passed.
 */
int root_open(int root, const char *path, int flags, mode_t mode);

#endif
