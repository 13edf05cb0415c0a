/* SPDX-License-Identifier: Apache-2.0 */
/* mirror.c - the files of a directory on the node: all of one moment, and root's */
#include "install/image/mirror.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- what is to be there -- */

struct file {
	char name[NAME_MAX + 1];
	char *data;			/* owned */
	size_t len;
};

struct files {
	int dir;			/* that they are read from */
	struct file *list;		/* owned */
	size_t n, bytes;
};

static void files_done(struct files *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->list[i].data);
	free(f->list);
	if (f->dir >= 0)
		(void)close(f->dir);
}

#define auto_files auto_with(files_done)

/* That of a ConfigMap is one generation of it: kubelet makes another, and does not change this. */
static int open_source(const char *from, struct err *e)
{
	char path[PATH_MAX];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/..data", from);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		fd = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? err_set(e, ERR_IO, errno, "open the directory '%s'", from) : fd;
}

static int append(struct files *f, const char *name, char **data, size_t len, struct err *e)
{
	struct file *list = reallocarray(f->list, f->n + 1, sizeof(*list)), *one;

	if (!list)
		return err_set(e, ERR_IO, ENOMEM, "files");
	f->list = list;
	one = &list[f->n++];
	(void)snprintf(one->name, sizeof(one->name), "%s", name);
	one->data = steal_ptr(data);
	one->len = len;
	f->bytes += len;
	return 0;
}

static int add_file(const char *name, void *arg, struct err *e)
{
	auto_free char *data = NULL;
	struct files *f = arg;
	size_t len = 0;
	struct stat st;
	int r;

	if (*name == '.' || !name_is_file(name) ||
	    fstatat(f->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return 0;
	r = fs_read_file(f->dir, name, MIRROR_BYTES_MAX - f->bytes, &data, &len, e);
	if (r == 0)
		return err_set(e, ERR_IO, ENOENT, "read '%s'", name);
	return r < 0 ? -1 : append(f, name, &data, len, e);
}

/* -- what is there -- */

static int count(const char *name, void *arg, struct err *e)
{
	size_t *n = arg;

	(void)name;
	(void)e;
	++*n;
	return 0;
}

static bool has_file(int dir, const struct file *f)
{
	auto_free char *data = NULL;
	struct err ignored = { 0 };
	size_t len = 0;

	return fs_read_own_file(dir, f->name, f->len, &data, &len, &ignored) > 0 &&
	       len == f->len && memcmp(data, f->data, len) == 0;
}

/* One that others may have changed is made anew. */
static bool is_there(int parent, const char *name, const struct files *f)
{
	auto_close int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct err ignored = { 0 };
	size_t n = 0;

	if (dir < 0 || fs_check_own(dir, name, &ignored) < 0 ||
	    fs_each_in(dir, name, count, &n, &ignored) < 0 || n != f->n)
		return false;
	for (size_t i = 0; i < f->n; i++)
		if (!has_file(dir, &f->list[i]))
			return false;
	return true;
}

/* -- the change -- */

struct target {
	const char *path, *name;	/* of the link, and the last part of it */
	int parent;
	char next[NAME_MAX + 1];	/* of the directory that is to be filled */
	char temp[NAME_MAX + 1];
};

/* The link leads to one of the two, or is not there yet. */
static int choose_next(struct target *t, struct err *e)
{
	char now[PATH_MAX] = "", a[NAME_MAX + 1], b[NAME_MAX + 1];
	ssize_t n = readlinkat(t->parent, t->name, now, sizeof(now) - 1);

	if (n < 0 && errno != ENOENT)
		return err_set(e, ERR_IO, errno, "'%s' is no link", t->path);
	(void)snprintf(a, sizeof(a), "%.200s.a", t->name);
	(void)snprintf(b, sizeof(b), "%.200s.b", t->name);
	if (n >= 0 && strcmp(now, a) != 0 && strcmp(now, b) != 0)
		return err_set(e, ERR_IO, 0, "'%s' leads to '%.200s': expected %s or %s", t->path,
			       now, a, b);
	(void)snprintf(t->next, sizeof(t->next), "%s", strcmp(now, a) == 0 ? b : a);
	(void)snprintf(t->temp, sizeof(t->temp), ".%.200s.tmp", t->name);
	return 0;
}

static int remove_file(const char *name, void *arg, struct err *e)
{
	return fs_remove(*(const int *)arg, name, e) < 0 ? -1 : 0;
}

/* As an earlier change, or one that was killed, has left it. */
static int remove_next(const struct target *t, struct err *e)
{
	auto_close int dir = fs_open_name(t->parent, t->next, O_RDONLY | O_DIRECTORY, 0);

	if (dir < 0)
		return errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "open '%s'", t->next);
	if (fs_each_in(dir, t->next, remove_file, &dir, e) < 0)
		return -1;
	return unlinkat(t->parent, t->next, AT_REMOVEDIR) == 0 ?
		       0 : err_set(e, ERR_IO, errno, "remove '%s'", t->next);
}

static int fill_next(const struct target *t, const struct files *f, struct err *e)
{
	auto_close int dir = -1;

	if (mkdirat(t->parent, t->next, 0755) == 0)
		dir = fs_open_name(t->parent, t->next, O_RDONLY | O_DIRECTORY, 0);
	if (dir < 0 || fchmod(dir, 0755) < 0)	/* whatever the umask */
		return err_set(e, ERR_IO, errno, "make '%s'", t->next);
	for (size_t i = 0; i < f->n; i++)
		if (fs_write_file(dir, f->list[i].name, f->list[i].data, f->list[i].len, 0644, 0,
				  e) < 0)
			return err_wrap(e, "%s", t->next);
	return fsync(dir) == 0 ? 0 : err_set(e, ERR_IO, errno, "sync '%s'", t->next);
}

static int replace_link(const struct target *t, struct err *e)
{
	if (fs_remove(t->parent, t->temp, e) < 0)
		return -1;
	if (symlinkat(t->next, t->parent, t->temp) < 0 ||
	    renameat(t->parent, t->temp, t->parent, t->name) < 0 || fsync(t->parent) < 0)
		return err_set(e, ERR_IO, errno, "make the link '%s'", t->path);
	return 0;
}

/* Whoever may write where the link is may lead it elsewhere. */
static int open_parent(struct target *t, struct err *e)
{
	const char *slash = strrchr(t->path, '/');
	char path[PATH_MAX];

	t->name = slash ? slash + 1 : "";
	if (*t->path != '/' || !name_is_file(t->name) || strlen(t->name) > 200)
		return err_set(e, ERR_ENV, 0, "expected an absolute path, got '%s'", t->path);
	(void)snprintf(path, sizeof(path), "%.*s", slash > t->path ? (int)(slash - t->path) : 1,
		       t->path);
	t->parent = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return t->parent < 0 ? err_set(e, ERR_IO, errno, "open the directory '%s'", path) :
			       fs_check_own(t->parent, path, e);
}

int mirror(const char *from, const char *to, size_t *n, struct err *e)
{
	auto_files struct files f = { .dir = open_source(from, e) };
	struct target t = { .path = to, .parent = -1 };
	auto_close int parent = -1;
	int r;

	if (f.dir < 0 || fs_each_in(f.dir, from, add_file, &f, e) < 0)
		return -1;
	r = open_parent(&t, e);
	parent = t.parent;
	if (r < 0 || choose_next(&t, e) < 0)
		return -1;
	if (is_there(parent, t.name, &f))
		return 0;
	if (remove_next(&t, e) < 0 || fill_next(&t, &f, e) < 0 || replace_link(&t, e) < 0)
		return -1;
	*n = f.n;
	return 1;
}
