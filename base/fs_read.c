/* SPDX-License-Identifier: Apache-2.0 */
/* fs_read.c - the whole of a file in a directory of ours, and whether it is ours */
#include "base/fs.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Read a file that has size bytes, and one more byte where it has grown; *len tells how many.  A
 * read that returns size bytes where size + 1 were asked for has seen the end of the file.
 */
static int read_all(int fd, char *buf, size_t size, size_t *len)
{
	size_t n = 0;

	while (n < size || n == 0) {
		ssize_t r = read(fd, buf + n, size + 1 - n);

		if (r < 0 && errno != EINTR)
			return -1;
		if (r == 0)
			break;
		if (r > 0)
			n += (size_t)r;
	}
	*len = n;
	return 0;
}

static int stat_open(int fd, const char *what, struct stat *ret, struct err *e)
{
	return fstat(fd, ret) < 0 ? err_set(e, ERR_IO, errno, "stat '%s'", what) : 0;
}

/* st: of what is open. */
static int read_regular(int fd, const struct stat *st, const char *name, size_t max, char **ret,
			size_t *len, struct err *e)
{
	auto_free char *buf = NULL;
	size_t n = 0;

	if (!S_ISREG(st->st_mode))
		return err_set(e, ERR_IO, S_ISDIR(st->st_mode) ? EISDIR : EINVAL,
			       "'%s' is not a regular file", name);
	if (st->st_size < 0 || (uintmax_t)st->st_size > max)
		return err_set(e, ERR_IO, EFBIG, "'%s' has %jd bytes, at most %zu are read", name,
			       (intmax_t)st->st_size, max);
	max = (size_t)st->st_size;	/* what grows meanwhile is torn anyway */
	buf = malloc(max + 2);
	if (!buf)
		return err_set(e, ERR_IO, ENOMEM, "read '%s'", name);
	if (read_all(fd, buf, max, &n) < 0)
		return err_set(e, ERR_IO, errno, "read '%s'", name);
	if (n > max)
		return err_set(e, ERR_IO, EAGAIN, "'%s' grew while it was read", name);
	buf[n] = '\0';
	*ret = steal_ptr(&buf);
	*len = n;
	return 1;
}

/* What was opened, or -1 and errno: 1 with its stat, 0 absent, -1. */
static int opened_to_read(int fd, const char *name, struct stat *st, struct err *e)
{
	if (fd < 0)
		return errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "open '%s'", name);
	return stat_open(fd, name, st, e) < 0 ? -1 : 1;
}

int fs_read_file(int dir, const char *name, size_t max, char **ret, size_t *len, struct err *e)
{
	auto_close int fd = fs_open_name(dir, name, O_RDONLY | O_NONBLOCK, 0);
	struct stat st = { .st_mode = 0 };
	int r = opened_to_read(fd, name, &st, e);

	return r <= 0 ? r : read_regular(fd, &st, name, max, ret, len, e);
}

/* fd: of the path, or -1 with errno. */
static int read_opened(int fd, const char *path, size_t max, char **ret, size_t *len,
		       struct err *e)
{
	struct stat st = { .st_mode = 0 };
	int r = opened_to_read(fd, path, &st, e);

	return r <= 0 ? r : read_regular(fd, &st, path, max, ret, len, e);
}

int fs_read_path(const char *path, size_t max, char **ret, size_t *len, struct err *e)
{
	auto_close int fd = fs_open_path(path);

	return read_opened(fd, path, max, ret, len, e);
}

int fs_read_linked_path(const char *path, size_t max, char **ret, size_t *len, struct err *e)
{
	auto_close int fd = fs_open_linked_path(path);

	return read_opened(fd, path, max, ret, len, e);
}

bool fs_is_own(const struct stat *st)
{
	return (st->st_uid == 0 || st->st_uid == geteuid()) &&
	       !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static int refuse_others(const struct stat *st, const char *what, struct err *e)
{
	return fs_is_own(st) ? 0 :
		err_set(e, ERR_PERMISSION, 0, "'%.128s' has owner %u and mode %04o: must be "
			"root's, and not writable by others", what, st->st_uid,
			st->st_mode & 07777);
}

int fs_check_own(int fd, const char *what, struct err *e)
{
	struct stat st = { .st_mode = 0 };

	return stat_open(fd, what, &st, e) < 0 ? -1 : refuse_others(&st, what, e);
}

int fs_open_own_dir(int root, const char *path, bool make, int *ret, struct err *e)
{
	auto_close int fd = make ? fs_open_dir(root, path, 0700, e) : -1;
	int r = make ? fd : fs_find_dir(root, path, &fd, e);

	if (fd < 0)
		return r;
	if (fs_check_own(fd, path, e) < 0)
		return -1;
	*ret = steal_fd(&fd);
	return 1;
}

int fs_read_own_file(int dir, const char *name, size_t max, char **ret, size_t *len,
		     struct err *e)
{
	auto_close int fd = fs_open_name(dir, name, O_RDONLY | O_NONBLOCK, 0);
	struct stat st = { .st_mode = 0 };
	int r = opened_to_read(fd, name, &st, e);

	if (r > 0 && refuse_others(&st, name, e) < 0)
		return -1;
	return r <= 0 ? r : read_regular(fd, &st, name, max, ret, len, e);
}

/* A link, no regular file, or too large. */
bool fs_is_unreadable(int sys)
{
	return sys == ELOOP || sys == EISDIR || sys == EINVAL || sys == ENXIO || sys == EFBIG;
}
