/* SPDX-License-Identifier: Apache-2.0 */
/* fs.c - looking at a path of the node: what is there, lines, attributes and links */
#include "base/fs.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool means_absent(int sys)
{
	return sys == ENOENT || sys == ENOTDIR;
}

/* What a printf-like call names. */
printflike(3, 0)
static int make_path(char path[PATH_MAX], struct err *e, const char *fmt, va_list ap)
{
	int n = vsnprintf(path, PATH_MAX, fmt, ap);

	return n < 0 || n >= PATH_MAX ?
		       err_set(e, ERR_IO, ENAMETOOLONG, "path '%.64s...'", path) : 0;
}

/* 1 and its descriptor, which the caller closes; 0 absent, -1. */
static int open_path(int root, int flags, const char *path, int *ret, struct err *e)
{
	*ret = fs_open(root, path, flags, 0);
	if (*ret >= 0)
		return 1;
	return means_absent(errno) ? 0 : err_set(e, ERR_IO, errno, "open '%s'", path);
}

int fs_read_line(int root, char *buf, size_t size, struct err *e, const char *fmt, ...)
{
	char path[PATH_MAX];
	auto_close int fd = -1;
	va_list ap;
	ssize_t n;
	int r;

	va_start(ap, fmt);
	r = make_path(path, e, fmt, ap);
	va_end(ap);
	if (r == 0)
		r = open_path(root, O_RDONLY | O_NONBLOCK, path, &fd, e);
	if (r <= 0)
		return r;
	n = read(fd, buf, size - 1);
	if (n <
	    0) /* sysfs answers some attributes of some devices with an error: as good as absent */
		return errno == EOPNOTSUPP || errno == EINVAL || errno == ENODEV ?
			       0 : err_set(e, ERR_IO, errno, "read '%s'", path);
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 1;
}

const char *fs_shown(const char *text)
{
	return *text == '\n' ? "" : text;
}

int fs_write_attr(int root, const char *path, const char *text, struct err *e)
{
	auto_close int fd = fs_open(root, path, O_WRONLY | O_TRUNC, 0);
	size_t len = strlen(text);
	ssize_t n;

	if (fd < 0)
		return err_set(e, ERR_IO, errno, "open '%s'", path);
	n = write(fd, text, len);
	if (n != (ssize_t)len)
		return err_set(e, ERR_DEVICE, n < 0 ? errno : EIO, "write '%.64s' to '%s'",
			       fs_shown(text), path);
	return 0;
}

/* A name in root itself needs no opening: nothing is on the way there that could lead out. */
printflike(5, 0)
static int read_link(int root, char *buf, size_t size, struct err *e, const char *fmt, va_list ap)
{
	char path[PATH_MAX];
	auto_close int fd = -1;
	bool is_name;
	ssize_t n;
	int r;

	if (make_path(path, e, fmt, ap) < 0)
		return -1;
	is_name = !strchr(path, '/');
	r = is_name ? 1 : open_path(root, O_PATH | O_NOFOLLOW, path, &fd, e);
	if (r <= 0)
		return r;
	n = is_name ? readlinkat(root, path, buf, size) : readlinkat(fd, "", buf, size);
	if (n < 0)	/* EINVAL, or ENOENT of what is open: it is no link */
		return errno == EINVAL || means_absent(errno) ?
			       0 : err_set(e, ERR_IO, errno, "read link '%s'", path);
	if ((size_t)n == size)
		return err_set(e, ERR_IO, ENAMETOOLONG, "read link '%s'", path);
	buf[n] = '\0';
	return 1;
}

int fs_readlink(int root, char *buf, size_t size, struct err *e, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = read_link(root, buf, size, e, fmt, ap);
	va_end(ap);
	return r;
}

int fs_readlink_base(int root, char *buf, size_t size, struct err *e, const char *fmt, ...)
{
	char target[PATH_MAX];
	const char *base;
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = read_link(root, target, sizeof(target), e, fmt, ap);
	va_end(ap);
	if (r <= 0)
		return r;
	base = strrchr(target, '/');
	base = base ? base + 1 : target;
	if (strlen(base) >= size)
		return err_set(e, ERR_IO, ENAMETOOLONG, "link to '%.64s'", base);
	memcpy(buf, base, strlen(base) + 1);
	return 1;
}

int fs_exists(int root, struct err *e, const char *fmt, ...)
{
	char path[PATH_MAX];
	auto_close int fd = -1;
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = make_path(path, e, fmt, ap);
	va_end(ap);
	return r < 0 ? -1 : open_path(root, O_PATH, path, &fd, e);
}

int fs_find_dir(int root, const char *path, int *ret, struct err *e)
{
	int fd = fs_open(root, path, O_RDONLY | O_DIRECTORY, 0);

	if (fd < 0)
		return means_absent(errno) ?
			       0 : err_set(e, ERR_IO, errno, "open directory '%s'", path);
	*ret = fd;
	return 1;
}
