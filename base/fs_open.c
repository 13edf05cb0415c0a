/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fs_open.c - opening a file below a root, and nothing outside of it
 *
 * openat2 does the work: RESOLVE_IN_ROOT for the node's own trees (base/root_open.h), and
 * RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS for names in our directories.  Where the
 * kernel or a seccomp filter has no openat2, (root, path) falls back to a plain
 * openat below "/" only, and (dir, name) to O_NOFOLLOW on the one component.
 */
#include "base/fs.h"

#include "base/mem.h"
#include "base/name.h"
#include "base/root_open.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>

static bool is_slash(int root)
{
	struct stat a, b;

	return fstat(root, &a) == 0 && stat("/", &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static bool no_devices;

void fs_refuse_devices(void)
{
	no_devices = true;
}

/* Below any (root, path), and so any (dir, name): what is no device there is opened next. */
static bool is_refused(int root, const char *path, int flags)
{
	auto_close int fd = -1;
	struct stat st;

	if (!no_devices || flags & (O_PATH | O_DIRECTORY | O_CREAT))
		return false;
	fd = root == AT_FDCWD ? open(path, O_PATH | O_CLOEXEC) : root_open(root, path, O_PATH, 0);
	if (fd < 0 || fstat(fd, &st) < 0 || !(S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)))
		return false;
	errno = ENXIO;
	return true;
}

int fs_open(int root, const char *path, int flags, mode_t mode)
{
	int fd;

	if (is_refused(root, path, flags))
		return -1;
	fd = root_open(root, path, flags, mode);
	if (fd >= 0 || errno != ENOSYS)
		return fd;
	if (!is_slash(root)) {
		errno = ENOSYS;
		return -1;
	}
	while (*path == '/')
		path++;
	return openat(root, *path ? path : ".", flags | O_CLOEXEC, mode);
}

static int open_path(const char *path, int flags)
{
	return is_refused(AT_FDCWD, path, 0) ?
		       -1 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags);
}

int fs_open_path(const char *path)
{
	return open_path(path, O_NOFOLLOW);
}

int fs_open_linked_path(const char *path)
{
	return open_path(path, 0);
}

int fs_open_name(int dir, const char *name, int flags, mode_t mode)
{
	int fd;

	if (!name_is_file(name)) {
		errno = EINVAL;
		return -1;
	}
	if (is_refused(dir, name, flags))
		return -1;
	fd = root_openat2(dir, name, flags | O_NOFOLLOW, mode,
		      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	if (fd < 0 && errno == ENOSYS)
		fd = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
	return fd;
}

/* Without openat2 a mount of the same file system cannot be told. */
static int open_on_device(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC);
	struct stat here, there;

	if (fd < 0 || (fstat(dir, &here) == 0 && fstat(fd, &there) == 0 &&
		       here.st_dev == there.st_dev))
		return fd;
	(void)close(fd);
	errno = EXDEV;
	return -1;
}

int fs_open_beside(int dir, const char *name, int flags)
{
	int fd;

	if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
		errno = EINVAL;
		return -1;
	}
	fd = root_openat2(dir, name, flags | O_NOFOLLOW, 0,
		      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS |
			      RESOLVE_NO_XDEV);
	return fd < 0 && errno == ENOSYS ? open_on_device(dir, name, flags) : fd;
}
