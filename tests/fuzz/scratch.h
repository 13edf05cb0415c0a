/* SPDX-License-Identifier: Apache-2.0 */
/* scratch.h - a directory for a target whose parser reads files; the input is one of them */
#ifndef TESTS_FUZZ_SCRATCH_H
#define TESTS_FUZZ_SCRATCH_H

#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <unistd.h>

static char scratch_path[64];

static void scratch_remove(void)
{
	(void)rmdir(scratch_path);	/* what is found leaves its files for a look */
}

/* Made once; its descriptor is nobody's to close. */
static inline int scratch_dir(void)
{
	static int dir = -1;

	if (dir >= 0)
		return dir;
	(void)snprintf(scratch_path, sizeof(scratch_path), "/dev/shm/fuzz-dir.XXXXXX");
	must(mkdtemp(scratch_path));
	must(atexit(scratch_remove) == 0);
	dir = open(scratch_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(dir >= 0);
	return dir;
}

static inline void scratch_write(const char *name, const char *text, size_t len)
{
	int fd = openat(scratch_dir(), name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	must(fd >= 0 && write(fd, text, len) == (ssize_t)len);
	(void)close(fd);
}

/* True when it was there. */
static inline bool scratch_unlink(const char *name)
{
	return unlinkat(scratch_dir(), name, 0) == 0;
}

#endif
