/* SPDX-License-Identifier: Apache-2.0 */
/* fs_write.c - a file in a directory of ours is written as a whole, or not at all */
#include "base/fs.h"

#include "base/mem.h"
#include "base/name.h"
#include "base/siphash.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

static int fill(int fd, const void *data, size_t len, mode_t mode, int flags)
{
	if (write_all(fd, data, len) < 0 || fchmod(fd, mode) < 0)
		return -1;
	return !(flags & FS_THIS_BOOT) && fsync(fd) < 0 ? -1 : 0;
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

int fs_draft_fill(int dir, const char *name, const void *data, size_t len, mode_t mode, int flags,
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
	if (fill(d.fd, data, len, mode, flags) < 0) {
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

	if (fs_draft_fill(dir, name, data, len, mode, flags, &d, e) < 0 ||
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
