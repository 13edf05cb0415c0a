/* SPDX-License-Identifier: Apache-2.0 */
/* socket_file.c - a socket in a directory that others may write to, and the secret beside it */
#include "cni/socket/socket_file.h"

#include "base/fs.h"
#include "base/mem.h"
#include "conf/socket_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

bool socket_file_is_theirs(const struct err *e)
{
	switch (e->sys) {
	case ENOTDIR:
	case ELOOP:
	case EISDIR:
	case ENOTEMPTY:
	case EBUSY:		/* a file system is mounted there */
	case EXDEV:
	case EPERM:		/* immutable, or append only */
	case EACCES:
		return true;
	default:
		return false;
	}
}

/* What a descriptor that was opened with O_PATH names, for calls that want a path. */
static void plugin_identity_name(int fd, char ret[32])
{
	(void)snprintf(ret, 32, "/proc/self/fd/%d", fd);
}

/* 1 with a descriptor, 0 absent, -1. */
static int open_it(int dir, const char *name, int *ret, struct stat *st, struct err *e)
{
	auto_close int fd = fs_open_name(dir, name, O_PATH, 0);

	*st = (struct stat){ 0 };
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, st) < 0)
		return err_set(e, ERR_IO, errno, "open '%s'", name);
	*ret = steal_fd(&fd);
	return 1;
}

int socket_file_stat(int dir, const char *name, struct stat *ret, struct err *e)
{
	auto_close int at = -1;

	return open_it(dir, name, &at, ret, e);
}

/* With more names than it should have it may be somebody else's. */
static bool is_its_own(const struct stat *st, const struct stat *linked)
{
	if (!S_ISSOCK(st->st_mode))
		return false;
	return linked ? st->st_dev == linked->st_dev && st->st_ino == linked->st_ino &&
				st->st_nlink <= 2 : st->st_nlink <= 1;
}

int socket_file_own(int dir, const char *name, const struct stat *linked, uid_t uid, gid_t gid,
		    mode_t mode, struct err *e)
{
	auto_close int at = -1;
	struct stat st = { 0 };
	char self[32];
	int r = open_it(dir, name, &at, &st, e);

	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_TRY_AGAIN, ENOENT, "socket '%s' has just gone",
					    name);
	if (!is_its_own(&st, linked))
		return err_set(e, ERR_BUSY, 0, "'%s' is not a socket of its own", name);
	plugin_identity_name(at, self);
	if ((uid != (uid_t)-1 || gid != (gid_t)-1) && fchownat(at, "", uid, gid, AT_EMPTY_PATH) < 0)
		return err_set(e, ERR_PERMISSION, errno, "set the owner of '%s'", name);
	if (chmod(self, mode) < 0)
		return err_set(e, ERR_PERMISSION, errno, "set the mode of '%s'", name);
	return 0;
}

int socket_file_remove(int dir, const char *name, struct err *e)
{
	auto_close int at = -1;
	struct stat st = { 0 };
	int r = open_it(dir, name, &at, &st, e);

	if (r <= 0 || !S_ISSOCK(st.st_mode))
		return r < 0 ? -1 : 0;
	if (unlinkat(dir, name, 0) == 0)
		return 1;
	return errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "remove '%s'", name);
}

int socket_file_link(int from, const char *from_name, int dir, const char *name, struct err *e)
{
	auto_close int at = -1;
	struct stat st = { 0 };
	char self[32];
	int r = open_it(from, from_name, &at, &st, e);

	if (r <= 0)
		return r;
	if (!S_ISSOCK(st.st_mode))
		return err_set(e, ERR_BUSY, 0, "'%s' is not a socket", from_name);
	plugin_identity_name(at, self);
	if (linkat(AT_FDCWD, self, dir, name, AT_SYMLINK_FOLLOW) == 0)
		return 1;
	if (errno == EXDEV)
		return err_set(e, ERR_DEVICE, EXDEV, "'%s' cannot be linked into the pod's "
			       "directory: socketDir and the switch's directory of sockets have to "
			       "be in one mount, see devinfo(8)", from_name);
	return err_set(e, errno == EEXIST ? ERR_BUSY : ERR_DEVICE, errno, "link '%s' as '%s'",
		       from_name, name);
}

static void secret_name(const char *name, char ret[300])
{
	(void)snprintf(ret, 300, "%.255s" SOCKET_SECRET_END, name);
}

/* For the application: by its group, when that is said, as its directory and socket are. */
static int fill(int fd, const char *secret, uid_t uid, gid_t gid)
{
	size_t len = strlen(secret);

	if (write(fd, secret, len) != (ssize_t)len)
		return -1;
	if ((uid != (uid_t)-1 || gid != (gid_t)-1) && fchown(fd, uid, gid) < 0)
		return -1;
	return fchmod(fd, gid != (gid_t)-1 ? 0640 : 0600);
}

int socket_file_write_secret(int dir, const char *name, const char *secret, uid_t uid, gid_t gid,
			     struct err *e)
{
	auto_close int fd = -1;
	char file[300];

	/* what an ADD without a record has left; anything else of that name is refused below */
	if (socket_file_remove_secret(dir, name, e) < 0)
		return -1;
	secret_name(name, file);
	fd = fs_open_name(dir, file, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || fill(fd, secret, uid, gid) < 0)
		return err_set(e, ERR_IO, errno, "write '%s'", file);
	return 0;
}

int socket_file_remove_secret(int dir, const char *name, struct err *e)
{
	auto_close int at = -1;
	struct stat st = { 0 };
	char file[300];
	int r;

	secret_name(name, file);
	r = open_it(dir, file, &at, &st, e);
	if (r < 0 || (r > 0 && !S_ISREG(st.st_mode)))
		return r;
	if (r == 0 || unlinkat(dir, file, 0) == 0 || errno == ENOENT)
		return 0;
	return err_set(e, ERR_IO, errno, "remove '%s'", file);
}

int socket_file_check(int dir, const char *name, const struct socket_conf *c,
		      const struct socket_state *s, char ret[256], struct err *e)
{
	auto_close int at = -1;
	struct stat st = { 0 };
	char file[300];
	int r = s->app_listens ? 0 : open_it(dir, name, &at, &st, e);

	*ret = '\0';
	secret_name(name, file);
	if (r > 0 && (st.st_mode & 07777) != c->socket_mode)
		(void)snprintf(ret, 256, "mode of the socket: expected %04o, got %04o",
			       c->socket_mode, st.st_mode & 07777);
	if (r > 0 && ((c->has_uid && st.st_uid != c->uid) || (c->has_gid && st.st_gid != c->gid)))
		(void)snprintf(ret, 256, "owner of the socket: have %u:%u", st.st_uid, st.st_gid);
	if (r < 0 || !s->secret || fstatat(dir, file, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return r < 0 ? -1 : 0;
	if (errno != ENOENT)
		return err_set(e, ERR_IO, errno, "stat '%s'", file);
	(void)snprintf(ret, 256, "secret: '%.200s' is gone", file);
	return 0;
}
