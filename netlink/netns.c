/* SPDX-License-Identifier: Apache-2.0 */
/* netns.c - network namespaces: open one, do one small thing inside it */
#include "netlink/netns.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#define OWN_PATH "/proc/thread-self/ns/net"

enum { STACK_SIZE = 256 * 1024 };	/* only the pages that are reached are ever there */

/*
 * Two steps, because opening the object itself may act: a FIFO waits, a device node starts
 * something.  O_PATH touches nothing; only what is seen to be a namespace is then opened.
 */
int netns_open(const char *path, int *ret_fd, struct err *e)
{
	auto_close int place = *path ? open(path, O_PATH | O_CLOEXEC) : -1;
	char self[sizeof("/proc/self/fd/") + 12];
	struct statfs fs;
	int type;

	if (place < 0 && (!*path || errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (place < 0 || fstatfs(place, &fs) < 0)
		return err_set(e, ERR_NETNS, errno, "open network namespace '%s'", path);
	if (fs.f_type != NSFS_MAGIC)
		return err_set(e, ERR_NETNS, 0, "'%s' is not a network namespace", path);

	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", place);
	auto_close int fd = open(self, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, ERR_NETNS, errno, "open network namespace '%s'", path);
	type = ioctl(fd, NS_GET_NSTYPE);
	if (type < 0)
		return err_set(e, ERR_NETNS, errno, "ask for the kind of namespace '%s'", path);
	if (type != CLONE_NEWNET)
		return err_set(e, ERR_NETNS, 0, "'%s' is a namespace, but of another kind", path);
	*ret_fd = steal_fd(&fd);
	return 1;
}

int netns_open_own(struct err *e)
{
	int fd = open(OWN_PATH, O_RDONLY | O_CLOEXEC);

	return fd >= 0 ? fd : err_set(e, ERR_NETNS, errno, "open our own namespace " OWN_PATH);
}

bool netns_is_own_by(const struct stat *st)
{
	struct stat own;

	return stat(OWN_PATH, &own) == 0 && own.st_dev == st->st_dev && own.st_ino == st->st_ino;
}

bool netns_is_own(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && netns_is_own_by(&st);
}

struct visit {
	int nsfd;
	netns_fn *fn;
	void *arg;
	struct err *e;
	int ret;
	bool over;
};

/* In the child, with our memory and our descriptors. */
static int call_inside(void *arg)
{
	struct visit *v = arg;

	if (setns(v->nsfd, CLONE_NEWNET) < 0)
		v->ret = err_set(v->e, errno == EPERM ? ERR_PERMISSION : ERR_NETNS, errno,
				 "enter a network namespace");
	else
		v->ret = v->fn(v->arg, v->e);
	v->over = true;
	return 0;
}

/*
 * Who enters cannot be sure to come home: setns(2) back may fail.  So a child enters that shares
 * our memory and our descriptors, as that of posix_spawn(3) does, while we wait where we are.
 */
int netns_do(int nsfd, netns_fn *fn, void *arg, struct err *e)
{
	static _Alignas(16) uint8_t stack[STACK_SIZE];
	static volatile bool in_use;	/* the child, which has our memory, sees it, too */
	struct visit v = { .nsfd = nsfd, .fn = fn, .arg = arg, .e = e };
	pid_t pid;

	if (nsfd == NETNS_OWN)
		return fn(arg, e);
	if (in_use)
		return err_set(e, ERR_NETNS, 0,
			       "enter a network namespace from inside another one");
	in_use = true;
	pid = clone(call_inside, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | CLONE_FILES, &v);
	in_use = false;
	if (pid < 0)		/* too many processes, or no memory: both may pass */
		return err_set(e, ERR_TRY_AGAIN, errno, "enter a network namespace");
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	return v.over ? v.ret : err_set(e, ERR_NETNS, 0, "enter a network namespace: the process "
					"that did was killed");
}
