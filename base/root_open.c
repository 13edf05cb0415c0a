/* SPDX-License-Identifier: Apache-2.0 */
/* root_open.c - open a path below a root, whatever is renamed and mounted meanwhile */
#include "base/root_open.h"

#include "base/deadline.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define IN_ROOT		(RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS)
#define AT_ONCE		32	/* tries that cost less than to resolve the path */
#define WAIT_MS		60000	/* of a program that has no deadline of its own */
#define PAUSE_MAX_MS	16
#define LINKS_MAX	40	/* as the kernel has it */

int root_openat2(int dir, const char *path, int flags, mode_t mode, uint64_t resolve)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC),
		.mode = flags & (O_CREAT | O_TMPFILE) ? mode : 0,
		.resolve = resolve,
	};

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

/* -- a path without links and ".." -- */

struct resolving {
	int root;
	int links;
	char done[PATH_MAX];	/* "" or "/a/b", none of them a link, as far as it was looked at */
	char rest[PATH_MAX];
};

static void step_up(struct resolving *r)
{
	char *slash = strrchr(r->done, '/');

	if (slash)
		*slash = '\0';
}

/* The first component of the rest, without the marks around it; "" at the end. */
static void cut_first(struct resolving *r, char ret[NAME_MAX + 2])
{
	size_t skip = strspn(r->rest, "/"), len = strcspn(r->rest + skip, "/");

	(void)snprintf(ret, NAME_MAX + 2, "%.*s", (int)len, r->rest + skip);
	memmove(r->rest, r->rest + skip + len, strlen(r->rest + skip + len) + 1);
}

/* What the last component of done links to goes before the rest: false when it is no link. */
static bool follow(struct resolving *r)
{
	auto_close int fd = root_openat2(r->root, r->done, O_PATH | O_NOFOLLOW, 0, IN_ROOT);
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t n = fd < 0 ? -1 : readlinkat(fd, "", target, sizeof(target) - 1);

	if (n <= 0 || ++r->links > LINKS_MAX)
		return false;
	target[n] = '\0';
	if (snprintf(rest, sizeof(rest), "%s/%s", target, r->rest) >= (int)sizeof(rest))
		return false;
	memcpy(r->rest, rest, sizeof(rest));
	if (*target == '/')
		*r->done = '\0';
	else
		step_up(r);
	return true;
}

/* As the kernel does: only a directory has a "..". */
static int leave(struct resolving *r)
{
	auto_close int fd = root_openat2(r->root, *r->done ? r->done : "/",
					 O_PATH | O_DIRECTORY | O_NOFOLLOW, 0, IN_ROOT);

	step_up(r);
	return fd < 0 ? -1 : 0;
}

static int enter(struct resolving *r, const char *name, bool follow_last)
{
	size_t len = strlen(r->done);

	if (len + 2 + strlen(name) >= sizeof(r->done)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	(void)snprintf(r->done + len, sizeof(r->done) - len, "/%s", name);
	if (follow_last || *r->rest)
		(void)follow(r);
	return 0;
}

/* What is absent, no directory or a circle of links stays in it, for the kernel to say so. */
static int resolve(struct resolving *r, bool follow_last)
{
	char name[NAME_MAX + 2];
	int e = 0;

	while (e == 0) {
		cut_first(r, name);
		if (!*name)
			break;
		if (strcmp(name, "..") == 0)
			e = leave(r);
		else if (strcmp(name, ".") != 0)
			e = enter(r, name, follow_last);
	}
	return e;
}

static int open_resolved(int root, const char *path, int flags, mode_t mode)
{
	struct resolving r = { .root = root };

	if (snprintf(r.rest, sizeof(r.rest), "%s", path) >= (int)sizeof(r.rest)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (resolve(&r, !(flags & O_NOFOLLOW)) < 0)
		return -1;
	if (!*r.done || path[strlen(path) - 1] == '/')	/* only a directory is meant */
		(void)snprintf(r.done + strlen(r.done), 2, "/");
	return root_openat2(root, r.done, flags, mode, IN_ROOT);
}

int root_open(int root, const char *path, int flags, mode_t mode)
{
	struct deadline d;
	int fd;

	for (int i = 0; i < AT_ONCE; i++) {
		fd = root_openat2(root, path, flags, mode, IN_ROOT);
		if (fd >= 0 || errno != EAGAIN)
			return fd;
	}
	d = deadline_in(WAIT_MS);
	for (unsigned int ms = 1;; ms = ms < PAUSE_MAX_MS ? 2 * ms : ms) {
		fd = open_resolved(root, path, flags, mode);
		if (fd >= 0 || errno != EAGAIN || deadline_left_ms(&d) == 0)
			return fd;
		deadline_sleep(&d, ms);
	}
}
