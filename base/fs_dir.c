/* SPDX-License-Identifier: Apache-2.0 */
/* fs_dir.c - directories of the node: read, made, and whether files can be made there */
#include "base/fs.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

enum { ENTRIES_BYTES = 16 * 1024 };	/* of a directory that are read at once: some 500 names */

/* A directory that was removed while it was read has no more entries. */
static ssize_t read_entries(int fd, char ret[ENTRIES_BYTES])
{
	ssize_t len = getdents64(fd, (void *)ret, ENTRIES_BYTES);

	return len < 0 && errno == ENOENT ? 0 : len;
}

static int each_entry(const char *entries, ssize_t len, fs_name_fn *fn, void *arg, struct err *e)
{
	int r = 0;

	for (ssize_t at = 0; at < len && r == 0;) {
		const void *here = entries + at;
		const struct dirent64 *entry = here;

		at += entry->d_reclen;
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			r = fn(entry->d_name, arg, e);
	}
	return r;
}

/* readdir(3) would make three more system calls for each directory, whose answers nobody needs. */
int fs_each_in(int dir, const char *what, fs_name_fn *fn, void *arg, struct err *e)
{
	_Alignas(struct dirent64) left_unset char entries[ENTRIES_BYTES];
	ssize_t len = 1;
	int r = 0;

	while (r == 0 && len > 0) {
		len = read_entries(dir, entries);
		if (len < 0)
			return err_set(e, ERR_IO, errno, "read directory '%s'", what);
		r = each_entry(entries, len, fn, arg, e);
	}
	return r;
}

int fs_each(int root, const char *path, fs_name_fn *fn, void *arg, struct err *e)
{
	auto_close int fd = -1;
	int r = fs_find_dir(root, path, &fd, e);

	return r <= 0 ? r : fs_each_in(fd, path, fn, arg, e);
}

int fs_let_owner_write(int dir)
{
	struct stat st;

	if (errno != EACCES || fstat(dir, &st) < 0 || st.st_uid != geteuid() ||
	    (st.st_mode & S_IRWXU) == S_IRWXU)
		return -1;
	return fchmod(dir, (st.st_mode & 07777) | S_IRWXU);
}

static int make_in(int dir, const char *name, mode_t mode)
{
	int r = mkdirat(dir, name, mode);

	return r < 0 && fs_let_owner_write(dir) == 0 ? mkdirat(dir, name, mode) : r;
}

/* mkdir below root, one component after the other; the last of path only. */
static int make_dir(int root, const char *path, mode_t mode, struct err *e)
{
	char parent[PATH_MAX];
	char clean[PATH_MAX];
	size_t len = strlen(path);
	const char *base;
	auto_close int dir = -1, fd = -1;

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (len >= sizeof(clean))
		return err_set(e, ERR_IO, ENAMETOOLONG, "create directory '%.64s...'", path);
	memcpy(clean, path, len);
	clean[len] = '\0';
	path = clean;
	base = strrchr(path, '/');

	if (!base || !base[1] || strcmp(base + 1, "..") == 0)
		return err_set(e, ERR_IO, EINVAL, "create directory '%s'", path);
	(void)snprintf(parent, sizeof(parent), "%.*s", (int)(base - path), path);
	dir = fs_open_dir(root, base == path ? "/" : parent, 0755, e);	/* only the last is ours */
	if (dir < 0)
		return -1;
	if (make_in(dir, base + 1, mode) < 0 && errno != EEXIST)
		return err_set(e, ERR_IO, errno, "create directory '%s'", path);
	fd = openat(dir, base + 1, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, ERR_IO, errno, "create directory '%s'", path);
	if (fchmod(fd, mode) < 0)	/* the umask may have taken bits away */
		return err_set(e, ERR_IO, errno, "chmod directory '%s'", path);
	return 0;
}

int fs_open_dir(int root, const char *path, mode_t mode, struct err *e)
{
	int fd = fs_open(root, path, O_RDONLY | O_DIRECTORY, 0);

	if (fd >= 0 || errno != ENOENT)
		return fd >= 0 ? fd : err_set(e, ERR_IO, errno, "open directory '%s'", path);
	if (make_dir(root, path, mode, e) < 0)
		return -1;
	fd = fs_open(root, path, O_RDONLY | O_DIRECTORY, 0);
	return fd >= 0 ? fd : err_set(e, ERR_IO, errno, "open directory '%s'", path);
}

int fs_open_nearest(int root, const char *path)
{
	char dir[PATH_MAX];
	int fd = -1;

	(void)snprintf(dir, sizeof(dir), "%s", path);
	for (;;) {
		char *slash = strrchr(dir, '/');

		fd = fs_open(root, *dir ? dir : "/", O_RDONLY | O_DIRECTORY, 0);
		if (fd >= 0 || errno != ENOENT || !slash)
			return fd;
		*slash = '\0';
	}
}

static fsblkcnt_t free_blocks(const struct statvfs *vfs)
{
	return geteuid() == 0 ? vfs->f_bfree : vfs->f_bavail;
}

int fs_check_writable(int root, const char *path, struct err *e)
{
	auto_close int fd = fs_open_nearest(root, path);
	struct statvfs vfs;

	if (fd < 0)
		return err_set(e, ERR_IO, errno, "open directory '%s'", path);
	if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
		return err_set(e, ERR_IO, errno, "write to directory '%s'", path);
	/* some file systems count nothing; what is reserved is for root */
	if (fstatvfs(fd, &vfs) == 0 && ((vfs.f_blocks > 0 && free_blocks(&vfs) == 0) ||
					(vfs.f_files > 0 && vfs.f_ffree == 0)))
		return err_set(e, ERR_IO, ENOSPC, "write to directory '%s'", path);
	return 0;
}
