/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - directories some levels below one that is open */
#include "base/tree.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The component at *path, which moves behind it and its '/': false at the end, or when too long. */
static bool next_name(const char **path, char ret[TREE_PATH_MAX])
{
	size_t len = strcspn(*path, "/");

	if (len == 0 || len >= TREE_PATH_MAX)
		return false;
	memcpy(ret, *path, len);
	ret[len] = '\0';
	*path += len + ((*path)[len] == '/' && (*path)[len + 1]);
	return true;
}

bool tree_is_path(const char *path)
{
	char name[TREE_PATH_MAX];

	if (!*path || strlen(path) >= TREE_PATH_MAX)
		return false;
	while (*path)
		if (!next_name(&path, name) || !name_is_file(name))
			return false;
	return true;
}

unsigned int tree_depth(const char *path)
{
	unsigned int n = *path != '\0';

	for (; *path; path++)
		n += *path == '/';
	return n;
}

void tree_cut(const char *path, unsigned int n, char ret[TREE_PATH_MAX])
{
	(void)snprintf(ret, TREE_PATH_MAX, "%s", path);
	for (; n > 0; n--) {
		char *slash = strrchr(ret, '/');

		*(slash ? slash : ret) = '\0';
	}
}

bool tree_is_below(const char *path, const char *above)
{
	size_t len = strlen(above);

	return !len || (strncmp(path, above, len) == 0 && (!path[len] || path[len] == '/'));
}

int tree_open(int dir, const char *path, int *ret, struct err *e)
{
	auto_close int at = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *rest = path;
	char name[TREE_PATH_MAX];

	if (at < 0)
		return err_set(e, ERR_IO, errno, "open directory '%s'", path);
	while (*rest) {
		int below = -1;

		if (!next_name(&rest, name))
			return err_set(e, ERR_IO, ENAMETOOLONG, "open directory '%s'", path);
		below = fs_open_name(at, name, O_RDONLY | O_DIRECTORY, 0);
		if (below < 0 && errno == ENOENT)
			return 0;
		if (below < 0)
			return err_set(e, errno == ENOTDIR || errno == ELOOP ? ERR_BUSY : ERR_IO,
				       errno, "'%s' of '%s' cannot be opened as a directory", name,
				       path);
		(void)close(at);
		at = below;
	}
	*ret = steal_fd(&at);
	return 1;
}

/* Open what the last component is in, and tell that one's name: 1, 0 absent, -1. */
static int open_parent(int dir, const char *path, int *ret, const char **name, struct err *e)
{
	const char *slash = strrchr(path, '/');
	char parent[TREE_PATH_MAX];

	*name = slash ? slash + 1 : path;
	if (!name_is_file(*name))
		return err_set(e, ERR_IO, EINVAL, "'%.200s' names no directory", path);
	tree_cut(path, 1, parent);
	return tree_open(dir, parent, ret, e);
}

int tree_mkdir(int dir, const char *path, struct err *e)
{
	auto_close int at = -1;
	const char *name;
	int r = open_parent(dir, path, &at, &name, e);

	if (r == 0)
		return err_set(e, ERR_IO, ENOENT, "create directory '%s'", path);
	if (r < 0)
		return -1;
	if (mkdirat(at, name, 0700) == 0)
		return 1;
	return errno == EEXIST ? 0 : err_set(e, ERR_IO, errno, "create directory '%s'", path);
}

int tree_rmdir(int dir, const char *path, struct err *e)
{
	auto_close int at = -1;
	const char *name;
	int r = open_parent(dir, path, &at, &name, e);

	if (r <= 0)
		return r;
	if (unlinkat(at, name, AT_REMOVEDIR) == 0)
		return 1;
	/* a link or a file is nothing that we have made */
	return errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR ?
		       0 : err_set(e, ERR_IO, errno, "remove directory '%s'", path);
}
