/* SPDX-License-Identifier: Apache-2.0 */
/* tree_measure.c - how much is in a directory, whatever its user does meanwhile */
#include "base/tree.h"

#include "base/fs.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	DEPTH = 32,
	BLOCK = 512,			/* stat(2) counts in blocks of that size */
	FIRST = 200,			/* bytes of a first name that tree_set_aside() keeps */
};

struct measure {
	const struct tree_size *max;
	struct tree_size *ret;
};

static void close_dir(DIR **d)
{
	if (*d)
		(void)closedir(*d);
}

/* Takes the descriptor. */
static void add_entries(const struct measure *m, int fd, unsigned int depth);

/* What has gone meanwhile is not there, and what is mounted there is somebody else's. */
static void add_entry(const struct measure *m, int dir, const char *name, unsigned int depth)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	m->ret->inodes++;
	m->ret->bytes += (uint64_t)st.st_blocks * BLOCK;
	m->ret->more |= m->ret->bytes > m->max->bytes || m->ret->inodes > m->max->inodes ||
			m->ret->inodes > TREE_ENTRIES;
	if (!S_ISDIR(st.st_mode))
		return;
	if (depth == DEPTH)
		m->ret->more = true;
	else
		add_entries(m, fs_open_beside(dir, name, O_RDONLY | O_DIRECTORY), depth + 1);
}

/* NOLINTNEXTLINE(misc-no-recursion): DEPTH levels at most */
static void add_entries(const struct measure *m, int fd, unsigned int depth)
{
	auto_with(close_dir) DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!d && fd >= 0)
		(void)close(fd);
	while (d && !m->ret->more && (entry = readdir(d)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			add_entry(m, dirfd(d), entry->d_name, depth);
}

int tree_measure(int dir, const char *path, const struct tree_size *max, struct tree_size *ret,
		 struct err *e)
{
	const struct measure m = { max, ret };
	auto_close int fd = -1;
	int r = tree_open(dir, path, &fd, e);

	*ret = (struct tree_size){ 0 };
	if (r > 0)
		add_entries(&m, steal_fd(&fd), 1);
	return r;
}

/* The number that follows is of no interest. */
static bool is_left_of(const char *name, const char *first)
{
	size_t len = sizeof(TREE_LEFT) - 1;

	if (strncmp(name, TREE_LEFT, len) != 0)
		return false;
	name += len + strspn(name + len, "0123456789abcdef");
	return *name == '-' && strncmp(name + 1, first, FIRST) == 0;
}

int tree_measure_left(int dir, const char *first, const struct tree_size *max,
		      struct tree_size *ret, struct err *e)
{
	const struct measure m = { max, ret };
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_with(close_dir) DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!d) {
		(void)err_set(e, ERR_IO, errno, "read a directory");
		if (fd >= 0)
			(void)close(fd);
		return -1;
	}
	while (!ret->more && (entry = readdir(d)))
		if (is_left_of(entry->d_name, first))
			add_entry(&m, dir, entry->d_name, 0);
	return 0;
}
