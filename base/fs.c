/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fs.c - files below a root
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
#include "base/siphash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

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
	fd = root_open(root, path, O_PATH, 0);
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

static bool means_absent(int sys)
{
	return sys == ENOENT || sys == ENOTDIR;
}

/* What a printf-like call names: 1 and its descriptor, which the caller closes; 0 absent, -1. */
printflike(6, 0)
static int open_path(int root, int flags, char path[PATH_MAX], int *ret, struct err *e,
		     const char *fmt, va_list ap)
{
	int n = vsnprintf(path, PATH_MAX, fmt, ap);

	if (n < 0 || n >= PATH_MAX)
		return err_set(e, ERR_IO, ENAMETOOLONG, "path '%.64s...'", path);
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
	r = open_path(root, O_RDONLY | O_NONBLOCK, path, &fd, e, fmt, ap);
	va_end(ap);
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

printflike(5, 0)
static int read_link(int root, char *buf, size_t size, struct err *e, const char *fmt, va_list ap)
{
	char path[PATH_MAX];
	auto_close int fd = -1;
	ssize_t n;
	int r;

	r = open_path(root, O_PATH | O_NOFOLLOW, path, &fd, e, fmt, ap);
	if (r <= 0)
		return r;
	n = readlinkat(fd, "", buf, size);
	if (n < 0)	/* ENOENT: it is no link */
		return errno == EINVAL || errno == ENOENT ?
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
	r = open_path(root, O_PATH, path, &fd, e, fmt, ap);
	va_end(ap);
	return r;
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

static void close_dir(DIR **d)
{
	if (*d)
		(void)closedir(*d);
}

int fs_each(int root, const char *path, fs_name_fn *fn, void *arg, struct err *e)
{
	auto_with(close_dir) DIR *d = NULL;
	auto_close int fd = -1;
	struct dirent *entry;
	int found = fs_find_dir(root, path, &fd, e), r = 0;

	if (found <= 0)
		return found;
	d = fdopendir(fd);
	if (!d)
		return err_set(e, ERR_IO, errno, "read directory '%s'", path);
	(void)steal_fd(&fd);	/* the DIR's now */
	while (r == 0) {
		errno = 0;
		entry = readdir(d);
		if (!entry)
			return errno ? err_set(e, ERR_IO, errno, "read directory '%s'", path) : 0;
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			r = fn(entry->d_name, arg, e);
	}
	return r;
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
	if (mkdirat(dir, base + 1, mode) < 0 && errno != EEXIST)
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

/* Read until end or max + 1 bytes; *len tells how many. */
static int read_all(int fd, char *buf, size_t max, size_t *len)
{
	size_t n = 0;

	while (n <= max) {
		ssize_t r = read(fd, buf + n, max + 1 - n);

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

static int read_regular(int fd, const char *name, size_t max, char **ret, size_t *len,
			struct err *e)
{
	auto_free char *buf = NULL;
	struct stat st;
	size_t n = 0;

	if (fstat(fd, &st) < 0)
		return err_set(e, ERR_IO, errno, "stat '%s'", name);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_IO, S_ISDIR(st.st_mode) ? EISDIR : EINVAL,
			       "'%s' is not a regular file", name);
	if (st.st_size < 0 || (uintmax_t)st.st_size > max)
		return err_set(e, ERR_IO, EFBIG, "'%s' has %jd bytes, at most %zu are read", name,
			       (intmax_t)st.st_size, max);
	max = (size_t)st.st_size;	/* what grows meanwhile is torn anyway */
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

static int open_to_read(int dir, const char *name, int *ret, struct err *e)
{
	int fd = fs_open_name(dir, name, O_RDONLY | O_NONBLOCK, 0);

	if (fd < 0)
		return errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "open '%s'", name);
	*ret = fd;
	return 1;
}

int fs_read_file(int dir, const char *name, size_t max, char **ret, size_t *len, struct err *e)
{
	auto_close int fd = -1;
	int r = open_to_read(dir, name, &fd, e);

	return r <= 0 ? r : read_regular(fd, name, max, ret, len, e);
}

bool fs_is_own(const struct stat *st)
{
	return (st->st_uid == 0 || st->st_uid == geteuid()) &&
	       !(st->st_mode & (S_IWGRP | S_IWOTH));
}

int fs_check_own(int fd, const char *what, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(e, ERR_IO, errno, "stat '%s'", what);
	if (fs_is_own(&st))
		return 0;
	return err_set(e, ERR_PERMISSION, 0, "'%.128s' has owner %u and mode %04o: must be root's, "
		       "and not writable by others", what, st.st_uid, st.st_mode & 07777);
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
	auto_close int fd = -1;
	int r = open_to_read(dir, name, &fd, e);

	if (r > 0 && fs_check_own(fd, name, e) < 0)
		return -1;
	return r <= 0 ? r : read_regular(fd, name, max, ret, len, e);
}

/* A link, no regular file, or too large. */
bool fs_is_unreadable(int sys)
{
	return sys == ELOOP || sys == EISDIR || sys == EINVAL || sys == ENXIO || sys == EFBIG;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/*
 * The name a new content of `name` may have for a moment.  One for each name, so that what a killed
 * writer left is replaced by the next one and taken away by fs_remove(); writers of one name are
 * serialised by the caller's locks.  Names are tenants', who must not make another one of the same
 * hash: two writers would have one file.
 */
static void temp_name(const char *name, char ret[32])
{
	static const uint8_t temps[SIPHASH_KEY] = "devinfo's temps";

	(void)snprintf(ret, 32, ".%016" PRIx64 ".tmp", siphash(temps, name, strlen(name)));
}

/* An unnamed file where the file system has them (a kill then leaves nothing), else temp. */
static int open_temp(int dir, const char *temp, mode_t mode, bool *unnamed)
{
	int fd = openat(dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);

	*unnamed = fd >= 0;
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
		return fd;
	if (unlinkat(dir, temp, 0) < 0 && errno != ENOENT)
		return -1;
	return fs_open_name(dir, temp, O_WRONLY | O_CREAT | O_EXCL, mode);
}

static int fill(int fd, const void *data, size_t len, mode_t mode)
{
	return write_all(fd, data, len) < 0 || fchmod(fd, mode) < 0 || fsync(fd) < 0 ? -1 : 0;
}

/* A name for a file without one. */
static int link_open(int fd, int dir, const char *name)
{
	char self[32];

	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, self, dir, name, AT_SYMLINK_FOLLOW);
}

/* Give the filled file its name: at once where the name is free, by way of temp where it is not. */
static int publish(int fd, bool unnamed, int dir, const char *temp, const char *name)
{
	if (unnamed) {
		if (link_open(fd, dir, name) == 0)
			return 0;
		if (errno != EEXIST || (unlinkat(dir, temp, 0) < 0 && errno != ENOENT) ||
		    link_open(fd, dir, temp) < 0)
			return -1;
	}
	return renameat(dir, temp, dir, name);
}

int fs_draft_fill(int dir, const char *name, const void *data, size_t len, mode_t mode,
		  struct fs_draft *ret, struct err *e)
{
	struct fs_draft d = { .fd = 0 };
	int sys;

	if (!name_is_file(name))
		return err_set(e, ERR_IO, EINVAL, "write '%s'", name);
	temp_name(name, d.temp);
	d.fd = open_temp(dir, d.temp, mode, &d.unnamed);
	if (d.fd < 0)
		return err_set(e, ERR_IO, errno, "create a temporary file for '%s'", name);
	if (fill(d.fd, data, len, mode) < 0) {
		sys = errno;
		fs_draft_done(&d);
		(void)unlinkat(dir, d.temp, 0);	/* best effort: the first error is told */
		return err_set(e, ERR_IO, sys, "write '%s'", name);
	}
	*ret = d;
	return 0;
}

int fs_draft_publish(int dir, const char *name, const struct fs_draft *d, struct err *e)
{
	int sys;

	if (publish(d->fd, d->unnamed, dir, d->temp, name) == 0)
		return 0;
	sys = errno;
	(void)unlinkat(dir, d->temp, 0);	/* as above */
	return err_set(e, ERR_IO, sys, "write '%s'", name);
}

int fs_draft_publish_new(int dir, const char *name, const struct fs_draft *d, struct err *e)
{
	if ((d->unnamed ? link_open(d->fd, dir, name) : linkat(dir, d->temp, dir, name, 0)) < 0)
		return errno == EEXIST ? 0 : err_set(e, ERR_IO, errno, "write '%s'", name);
	if (!d->unnamed)
		(void)unlinkat(dir, d->temp, 0);	/* harmless when it stays */
	return 1;
}

void fs_draft_done(const struct fs_draft *d)
{
	if (d->fd > 0)
		(void)close(d->fd);
}

int fs_write_file(int dir, const char *name, const void *data, size_t len, mode_t mode, int flags,
		  struct err *e)
{
	auto_with(fs_draft_done) struct fs_draft d = { .fd = 0 };

	if (fs_draft_fill(dir, name, data, len, mode, &d, e) < 0 ||
	    fs_draft_publish(dir, name, &d, e) < 0)
		return -1;
	if (flags & FS_SYNC_DIR && fsync(dir) < 0)
		return err_set(e, ERR_IO, errno, "sync the directory of '%s'", name);
	return 0;
}

int fs_remove(int dir, const char *name, struct err *e)
{
	char temp[32];

	if (!name_is_file(name))
		return err_set(e, ERR_IO, EINVAL, "remove '%s'", name);
	temp_name(name, temp);
	(void)unlinkat(dir, temp, 0);	/* rarely there; harmless when it stays */
	if (unlinkat(dir, name, 0) == 0)
		return 1;
	return errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "remove '%s'", name);
}

/* -- locks -- */

static struct flock byte_at(off_t at, short type)
{
	return (struct flock){
		.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1,
	};
}

/* Behind all bytes that are locked by a name's hash. */
#define KEY_BYTE	((off_t)INT64_MAX - 1)
#define KEY_MS		2000	/* to make a key, in a moment's work */

/* Wait for a lock, however often a signal other than one to end comes: 0, -1 with errno. */
static int lock_byte(int fd, const struct flock *want, const struct deadline *d)
{
	struct flock fl;

	while (fl = *want, fcntl(fd, F_OFD_SETLK, &fl) < 0) {
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return -1;
		if (deadline_left_ms(d) == 0) {
			errno = ETIMEDOUT;
			return -1;
		}
		deadline_sleep(d, 5);
	}
	return 0;
}

/* Once in the life of the file; who comes second finds it. */
static int make_key(int fd, uint8_t key[SIPHASH_KEY])
{
	const struct deadline d = deadline_in(KEY_MS);
	struct flock fl = byte_at(KEY_BYTE, F_WRLCK), unlock = byte_at(KEY_BYTE, F_UNLCK);
	bool made;

	if (lock_byte(fd, &fl, &d) < 0)
		return -1;
	errno = ENOSPC;		/* if a part of it is written */
	made = pread(fd, key, SIPHASH_KEY, 0) == SIPHASH_KEY ||
	       (getrandom(key, SIPHASH_KEY, 0) == SIPHASH_KEY &&
		pwrite(fd, key, SIPHASH_KEY, 0) == SIPHASH_KEY);
	(void)fcntl(fd, F_OFD_SETLK, &unlock);
	return made ? 0 : -1;
}

int fs_lock_key(int fd, uint8_t key[SIPHASH_KEY], struct err *e)
{
	if (pread(fd, key, SIPHASH_KEY, 0) == SIPHASH_KEY || make_key(fd, key) == 0)
		return 0;
	return errno == ETIMEDOUT ?
		       deadline_error(ERR_TRY_AGAIN, e, "wait for the key of the locks") :
		       err_set(e, ERR_IO, errno, "read the key of the locks");
}

static struct flock byte_of(const uint8_t key[SIPHASH_KEY], const char *name, short type)
{
	return byte_at((off_t)(siphash(key, name, strlen(name)) >> 2), type);
}

int fs_open_lock(int dir, const char *name, uint8_t key[SIPHASH_KEY], int *ret, struct err *e)
{
	auto_close int fd = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
				   O_CLOEXEC, 0600);

	if (fd < 0)
		return err_set(e, ERR_IO, errno, "open '%s'", name);
	if (fs_check_own(fd, name, e) < 0 || fs_lock_key(fd, key, e) < 0)
		return -1;
	*ret = steal_fd(&fd);
	return 0;
}

int fs_lock(int fd, const uint8_t key[SIPHASH_KEY], const char *name, const struct deadline *d,
	    struct err *e)
{
	struct flock want = byte_of(key, name, F_WRLCK);

	if (lock_byte(fd, &want, d) == 0)
		return 0;
	if (errno != ETIMEDOUT)
		return err_set(e, ERR_IO, errno, "lock %s", name);
	return deadline_error(ERR_TRY_AGAIN, e, "lock %s: held by another call of this plugin",
			      name);
}

void fs_unlock(int fd, const uint8_t key[SIPHASH_KEY], const char *name)
{
	struct flock fl = byte_of(key, name, F_UNLCK);

	(void)fcntl(fd, F_OFD_SETLK, &fl);	/* cannot fail for a lock we hold */
}

int fs_is_locked(int fd, const uint8_t key[SIPHASH_KEY], const char *name, struct err *e)
{
	struct flock fl = byte_of(key, name, F_WRLCK);

	if (fcntl(fd, F_OFD_GETLK, &fl) < 0)
		return err_set(e, ERR_IO, errno, "look at the lock %s", name);
	return fl.l_type != F_UNLCK;
}
