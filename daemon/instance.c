/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instance.c - one devinfod serves a node
 *
 * Two would take each other's sockets for good, as a service of the node beside a DaemonSet.  The
 * lock is the kernel's, so it ends with the process, however that ends; its file stays.  Who
 * removes the file lets a second one start, so it is looked for now and then.
 */
#include "daemon/instance.h"

#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>

#define LOCK_FILE "devinfod.lock"

static int open_lock(const struct host *host, struct err *e)
{
	const char *where = host->set.run_dir;
	auto_close int dir = fs_open_dir(host->root, where, 0755, e);
	int fd;

	if (dir < 0)
		return -1;
	fd = openat(dir, LOCK_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd >= 0 ? fd : err_set(e, ERR_IO, errno, "open '%s/" LOCK_FILE "'", where);
}

static int lock(int fd, const struct host *host, struct err *e)
{
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return err_set(e, errno == EWOULDBLOCK ? ERR_TRY_AGAIN : ERR_IO, errno,
			       "another devinfod has '%s/" LOCK_FILE "': only one serves a node",
			       host->set.run_dir);
	return 0;
}

int instance_claim(const struct host *host, int *ret, struct err *e)
{
	auto_close int fd = open_lock(host, e);

	if (fd < 0)
		return e->sys == EROFS ? 0 : -1;
	if (lock(fd, host, e) < 0)
		return -1;
	*ret = steal_fd(&fd);
	return 1;
}

static bool is_same_file(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

int instance_keep(const struct host *host, int *claim, struct err *e)
{
	auto_close int fd = open_lock(host, e);

	if (fd < 0)
		return -1;
	if (is_same_file(fd, *claim))
		return 0;
	if (lock(fd, host, e) < 0)
		return -1;
	mem_close_fd(claim);
	*claim = steal_fd(&fd);
	return 0;
}
