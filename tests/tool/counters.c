/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counters.c - coverage of a program that runs thousands of times: all its counters in one file
 *
 * At the end of a process, and before an exec, gcc's own way opens, locks, reads and writes a file
 * for each object, hundreds of them.  Linked with this, a program adds its counters to those of one
 * file, COUNTERS, by a mapping; it is below GCOV_PREFIX if that is set.  The counters lie one
 * behind the other (counters.ld).
 *
 *	COUNTERS_FROM=FILE PROGRAM	does nothing but to give those of FILE to gcc's way
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern uint64_t counters_begin[], counters_end[];	/* counters.ld */

void __real___gcov_dump(void);
void __wrap___gcov_dump(void);
void __wrap___gcov_exit(void);

static size_t counters_size(void)
{
	return (size_t)((char *)counters_end - (char *)counters_begin);
}

/* make_folders - those that PATH is in, from behind PREFIX on */
static void make_folders(char *path, size_t prefix)
{
	for (char *p = path + prefix; *p; p++) {
		if (*p != '/' || p == path)
			continue;
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
}

static uint64_t *map_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0644);
	void *map = MAP_FAILED;
	struct stat st;

	if (fd < 0)
		return NULL;
	/* of another size: of another program */
	if (flags & O_CREAT && ftruncate(fd, (off_t)counters_size()) < 0)
		st.st_size = -1;
	else if (fstat(fd, &st) < 0)
		st.st_size = -1;
	if ((size_t)st.st_size == counters_size())
		map = mmap(NULL, counters_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

/* Those of the file may grow meanwhile, by others. */
void __wrap___gcov_dump(void)
{
	const char *prefix = getenv("GCOV_PREFIX");
	char path[4096];
	uint64_t *sum;
	int n;

	n = snprintf(path, sizeof(path), "%s%s", prefix ? prefix : "", COUNTERS);
	if (n < 0 || (size_t)n >= sizeof(path))
		return;
	if (prefix && *prefix)
		make_folders(path, 0);
	sum = map_file(path, O_RDWR | O_CREAT);
	if (!sum)
		return;
	for (size_t i = 0; i < counters_size() / sizeof(*sum); i++)
		if (counters_begin[i] != 0)
			__atomic_fetch_add(&sum[i], counters_begin[i], __ATOMIC_RELAXED);
	munmap(sum, counters_size());
}

/* Each object has a destructor that calls it. */
void __wrap___gcov_exit(void)
{
	static int done;

	if (done)
		return;
	done = 1;
	__wrap___gcov_dump();
}

__attribute__((constructor)) static void give(void)
{
	const char *from = getenv("COUNTERS_FROM");
	uint64_t *sum;

	if (!from)
		return;
	sum = map_file(from, O_RDWR);
	if (!sum) {
		fprintf(stderr, "%s: not the counters of this program\n", from);
		_exit(1);
	}
	for (size_t i = 0; i < counters_size() / sizeof(*sum); i++)
		counters_begin[i] = sum[i];
	__real___gcov_dump();
	_exit(0);
}
