/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - names in the directory of CNI plugins are taken, and given back */
#include "install/image/plugin.h"

#include "base/deadline.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "install/image/run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

/* Each version of the plugin has this text, by which install.sh knows it, too (devinfo(8)). */
#define MARK		"devinfo cannot be run by devinfo"
#define KEPT		".replaced"
#define KEPT_TEMP	".replaced.tmp"
#define LOCK		"." PLUGIN_NAME ".lock"

enum { FILE_MAX = 256 * 1024 * 1024, VERSION_MS = 20000, LOCK_MS = 30000 };

enum holder {
	HOLDER_NONE,
	HOLDER_COPY,			/* the plugin, of whatever version */
	HOLDER_OTHER,			/* what is to be kept */
	HOLDER_DIR,
};

/* -- which file it is -- */

/* Of the last component alone: a link that leads out of the container is none of ours to follow. */
static bool is_link_to_plugin(int dir, const char *name)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);
	const char *slash;

	if (n < 0)
		return false;
	target[n] = '\0';
	slash = strrchr(target, '/');
	return strcmp(slash ? slash + 1 : target, PLUGIN_NAME) == 0;
}

/* Each piece is looked at with the end of the one before it. */
static int has_mark(int fd)
{
	enum { BEFORE = sizeof(MARK) - 2 };
	static char buf[BEFORE + 65536];
	size_t had = 0;
	ssize_t n;

	while ((n = read(fd, buf + had, sizeof(buf) - had)) > 0) {
		had += (size_t)n;
		if (memmem(buf, had, MARK, sizeof(MARK) - 1))
			return 1;
		if (had > BEFORE) {
			memmove(buf, buf + had - BEFORE, BEFORE);
			had = BEFORE;
		}
	}
	return n < 0 ? -1 : 0;
}

static int regular_is_copy(int dir, const char *name, struct err *e)
{
	auto_close int fd = fs_open_name(dir, name, O_RDONLY | O_NONBLOCK, 0);
	int r = fd < 0 ? -1 : has_mark(fd);

	return r < 0 ? err_set(e, ERR_IO, errno, "read '%s'", name) : r;
}

static int find_holder(int dir, const char *name, enum holder *ret, struct err *e)
{
	struct stat st;
	int r = 0;

	*ret = HOLDER_NONE;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "look for '%s'", name);
	if (S_ISREG(st.st_mode))
		r = regular_is_copy(dir, name, e);
	else if (S_ISLNK(st.st_mode))
		r = is_link_to_plugin(dir, name);
	if (r < 0)
		return -1;
	*ret = S_ISDIR(st.st_mode) ? HOLDER_DIR : r ? HOLDER_COPY : HOLDER_OTHER;
	return 0;
}

static bool fds_equal(int a, int b)
{
	static char one[65536], other[sizeof(one)];
	ssize_t n;

	while ((n = read(a, one, sizeof(one))) > 0)
		if (read(b, other, (size_t)n) != n || memcmp(one, other, (size_t)n) != 0)
			return false;
	return n == 0 && read(b, other, 1) == 0;
}

/* Two regular files; of anything else nothing is known. */
static bool files_equal(int dir, const char *name, const char *as)
{
	auto_close int a = fs_open_name(dir, name, O_RDONLY | O_NONBLOCK, 0);
	auto_close int b = fs_open_name(dir, as, O_RDONLY | O_NONBLOCK, 0);
	struct stat st;

	return a >= 0 && b >= 0 && fstat(a, &st) == 0 && S_ISREG(st.st_mode) &&
	       fstat(b, &st) == 0 && S_ISREG(st.st_mode) && fds_equal(a, b);
}

/* -- putting a file there -- */

struct content {
	char *data;
	size_t len;
};

static void content_done(struct content *c)
{
	free(c->data);
}

#define auto_content auto_with(content_done)

/* Another program writes over a file with several names by each of them. */
static bool is_in_place(int dir, const char *name, const struct content *c)
{
	auto_close int fd = fs_open_name(dir, name, O_RDONLY | O_NONBLOCK, 0);
	auto_content struct content have = { NULL, 0 };
	struct err ignored = { 0 };
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
	       (st.st_mode & 07777) == 0755 && st.st_uid == geteuid() &&
	       (size_t)st.st_size == c->len &&
	       fs_read_file(dir, name, c->len, &have.data, &have.len, &ignored) > 0 &&
	       have.len == c->len && memcmp(have.data, c->data, c->len) == 0;
}

static int put(const struct plugin *p, int dir, const char *name, const struct content *c,
	       struct err *e)
{
	if (is_in_place(dir, name, c)) {
		printf("%s/%s is up to date\n", p->dir, name);
		return 0;
	}
	if (fs_write_file(dir, name, c->data, c->len, 0755, FS_SYNC_DIR, e) < 0)
		return err_wrap(e, "%s", p->dir);
	printf("installed %s/%s%s\n", p->dir, name,
	       strcmp(name, PLUGIN_NAME) == 0 ? "" : ", a copy of " PLUGIN_NAME);
	return 0;
}

/* -- what had the name -- */

static void kept_name(const char *name, const char *ending, char ret[NAME_MAX + 1])
{
	(void)snprintf(ret, NAME_MAX + 1, "%s%s", name, ending);
}

/* A second name for a file, or, where there is none to have, a copy of it. */
static int link_or_copy(int dir, const char *name, const char *as, struct err *e)
{
	auto_content struct content c = { NULL, 0 };

	if (unlinkat(dir, as, 0) < 0 && errno != ENOENT)
		return err_set(e, ERR_IO, errno, "remove '%s'", as);
	if (linkat(dir, name, dir, as, 0) == 0)
		return 0;
	return fs_read_file(dir, name, FILE_MAX, &c.data, &c.len, e) <= 0 ?
		       -1 : fs_write_file(dir, as, c.data, c.len, 0755, 0, e);
}

/* The name is somebody's at every moment: what has it gets a second one first. */
static int keep(const struct plugin *p, int dir, const char *name, struct err *e)
{
	char kept[NAME_MAX + 1], temp[NAME_MAX + 1];
	enum holder older;

	kept_name(name, KEPT, kept);
	kept_name(name, KEPT_TEMP, temp);
	if (find_holder(dir, kept, &older, e) < 0)
		return -1;
	if (older != HOLDER_NONE && files_equal(dir, name, kept)) {
		printf("%s/%s is kept already as %s\n", p->dir, name, kept);
		return 0;
	}
	if (link_or_copy(dir, name, temp, e) < 0)
		return err_wrap(e, "keep %s/%s", p->dir, name);
	if (renameat(dir, temp, dir, kept) < 0)
		return err_set(e, ERR_IO, errno, "keep %s/%s as %s", p->dir, name, kept);
	printf("kept %s/%s as %s%s\n", p->dir, name, kept,
	       older == HOLDER_NONE ? "" : ", in place of an older one");
	return 0;
}

static int make_copy(const struct plugin *p, int dir, const char *name, const struct content *c,
		     struct err *e)
{
	enum holder holder;

	if (find_holder(dir, name, &holder, e) < 0 ||
	    (holder == HOLDER_OTHER && keep(p, dir, name, e) < 0))
		return -1;
	return put(p, dir, name, c, e);
}

/* A directory would be in the way of a rename. */
static int check_name(const struct plugin *p, int dir, const char *name, struct err *e)
{
	char kept[NAME_MAX + 1];
	enum holder holder, older;

	kept_name(name, KEPT, kept);
	if (find_holder(dir, name, &holder, e) < 0 || find_holder(dir, kept, &older, e) < 0)
		return err_wrap(e, "%s", p->dir);
	return holder == HOLDER_DIR || older == HOLDER_DIR ?
		       err_set(e, ERR_IO, EISDIR, "install %s/%s: it, or %s, is a directory",
			       p->dir, name, kept) : 0;
}

static int take_away(const struct plugin *p, int dir, const char *name, struct err *e)
{
	char kept[NAME_MAX + 1];
	enum holder holder;

	kept_name(name, KEPT, kept);
	if (find_holder(dir, name, &holder, e) < 0)
		return -1;
	if (holder == HOLDER_NONE)
		return 0;
	if (holder != HOLDER_COPY) {
		printf("%s/%s is no copy of " PLUGIN_NAME ": left as it is\n", p->dir, name);
		return 0;
	}
	if (renameat(dir, kept, dir, name) == 0) {
		printf("restored %s/%s\n", p->dir, name);
		return 0;
	}
	if (errno != ENOENT)
		return err_set(e, ERR_IO, errno, "restore %s/%s from %s", p->dir, name, kept);
	if (fs_remove(dir, name, e) < 0)
		return err_wrap(e, "%s", p->dir);
	printf("removed %s/%s\n", p->dir, name);
	return 0;
}

/* -- the whole -- */

/* The directory, and the file by which it is locked while it has its name; -1: none. */
struct place {
	int dir, lock;
};

static void place_done(struct place *at)
{
	if (at->lock >= 0)
		(void)unlinkat(at->dir, LOCK, 0);
	mem_close_fd(&at->lock);
	mem_close_fd(&at->dir);
}

#define auto_place auto_with(place_done)

/* Whoever had it before has taken its name away at his end: 1 while it is there, 0, -1. */
static int is_named(int dir, int fd, struct err *e)
{
	struct stat a, b;

	if (fstat(fd, &a) < 0)
		return err_set(e, ERR_IO, errno, "stat '" LOCK "'");
	return fstatat(dir, LOCK, &b, AT_SYMLINK_NOFOLLOW) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* 1 when it is ours, 0 when that is to be tried again, -1. */
static int try_lock(struct place *at, struct err *e)
{
	auto_close int fd = openat(at->dir, LOCK, O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
				   O_CLOEXEC, 0600);
	int r;

	if (fd < 0 && errno == EROFS)	/* nothing is written here, by nobody */
		return 1;
	if (fd < 0)
		return err_set(e, ERR_IO, errno, "open '" LOCK "'");
	if (fs_check_own(fd, LOCK, e) < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK || errno == EINTR ?
			       0 : err_set(e, ERR_IO, errno, "lock '" LOCK "'");
	r = is_named(at->dir, fd, e);
	if (r > 0)
		at->lock = steal_fd(&fd);
	return r;
}

/*
 * Two containers of one pod, or of two, may do the same.  The directory itself could be locked by
 * whoever may read it.
 */
static int lock(struct place *at, const char *path, struct err *e)
{
	const struct deadline d = deadline_in(LOCK_MS);
	int r;

	while ((r = try_lock(at, e)) == 0) {
		if (deadline_left_ms(&d) == 0)
			return deadline_error(ERR_TRY_AGAIN, e, "'%s' stays locked by another "
					      "installer", path);
		deadline_sleep(&d, 50);
	}
	return r < 0 ? err_wrap(e, "%s", path) : 0;
}

static int open_place(const struct plugin *p, struct place *ret, struct err *e)
{
	ret->dir = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret->dir < 0)
		return err_set(e, ERR_IO, errno, "open the directory of CNI plugins, '%s'; is the "
			       "node's mounted there?", p->dir);
	return lock(ret, p->dir, e);
}

/* On this machine, with this kernel. */
static int check_answers(const char *file, struct err *e)
{
	char *argv[] = { (char *)(uintptr_t)file, NULL };
	auto_free char *answer = NULL;
	size_t len = 0;

	if (setenv("CNI_COMMAND", "VERSION", 1) < 0 ||
	    run_program(argv, VERSION_MS, &answer, &len, e) < 0)
		return err_wrap(e, "ask it for its VERSION");
	return strstr(answer, "\"supportedVersions\"") ?
		       0 : err_set(e, ERR_IO, 0, "'%s' does not answer VERSION", file);
}

static int read_plugin(const struct plugin *p, struct content *ret, struct err *e)
{
	if (fs_read_path(p->file, FILE_MAX, &ret->data, &ret->len, e) <= 0)
		return err_wrap(e, "read the plugin");
	if (!memmem(ret->data, ret->len, MARK, sizeof(MARK) - 1))
		return err_set(e, ERR_IO, 0, "'%s' is not " PLUGIN_NAME, p->file);
	return check_answers(p->file, e);
}

int plugin_install(const struct plugin *p, struct err *e)
{
	auto_content struct content c = { NULL, 0 };
	auto_place struct place at = { -1, -1 };

	if (read_plugin(p, &c, e) < 0 || open_place(p, &at, e) < 0 ||
	    check_name(p, at.dir, PLUGIN_NAME, e) < 0)
		return -1;
	for (size_t i = 0; i < p->n; i++)
		if (check_name(p, at.dir, p->names[i], e) < 0)
			return -1;
	if (put(p, at.dir, PLUGIN_NAME, &c, e) < 0)
		return -1;
	for (size_t i = 0; i < p->n; i++)
		if (make_copy(p, at.dir, p->names[i], &c, e) < 0)
			return -1;
	return 0;
}

int plugin_remove(const struct plugin *p, struct err *e)
{
	auto_place struct place at = { -1, -1 };

	if (open_place(p, &at, e) < 0)
		return -1;
	for (size_t i = 0; i < p->n; i++)
		if (take_away(p, at.dir, p->names[i], e) < 0)
			return -1;
	return take_away(p, at.dir, PLUGIN_NAME, e);
}
