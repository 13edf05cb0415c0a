/* SPDX-License-Identifier: Apache-2.0 */
/* socket_dir.c - the directory that a pod mounts to reach its sockets */
#include "cni/socket/socket_dir.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/tree.h"
#include "cni/socket/socket_share.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define ABOVE_MODE	0755	/* of a directory between socketDir and the pod's */

/* -- opening -- */

int socket_dir_open_root(const struct host *host, const struct socket_state *s, int *ret,
			 struct err *e)
{
	int fd = fs_open(host->root, s->root, O_RDONLY | O_DIRECTORY, 0);

	if (fd < 0)
		return errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "open directory '%s'",
						     s->root);
	*ret = fd;
	return 1;
}

static int open_parent_of(const struct host *host, const char *path, int *ret, struct err *e)
{
	const char *slash = strrchr(path, '/');
	char dir[sizeof(((struct socket_state *)NULL)->path)];
	int fd;

	(void)snprintf(dir, sizeof(dir), "%.*s", slash > path ? (int)(slash - path) : 1, path);
	fd = fs_open(host->root, dir, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ?
			       0 : err_set(e, ERR_IO, errno, "open directory '%s'", dir);
	*ret = fd;
	return 1;
}

int socket_dir_open(const struct host *host, const struct socket_state *s, int *ret, struct err *e)
{
	auto_close int root = -1;
	int r;

	if (s->from_plugin)
		return open_parent_of(host, s->path, ret, e);
	r = socket_dir_open_root(host, s, &root, e);
	if (r > 0)
		r = tree_open(root, s->dir, ret, e);
	return r < 0 ? err_wrap(e, "below '%s'", s->root) : r;
}

/* -- the plan -- */

/* How many of the last components are missing. */
static int count_missing(int root, const struct socket_state *s, unsigned int *ret, struct err *e)
{
	unsigned int depth = tree_depth(s->dir), n;
	int r = 0;

	for (n = 0; n < depth; n++) {
		auto_close int fd = -1;
		char dir[TREE_PATH_MAX];

		tree_cut(s->dir, n, dir);
		r = root < 0 ? 0 : tree_open(root, dir, &fd, e);
		if (r != 0)
			break;
	}
	*ret = n;
	return r < 0 ? -1 : 0;
}

/* What is there and was made by attachments that share it is as good as made by this one. */
static unsigned int count_shared(const struct socket_others *others, unsigned int missing,
				 unsigned int depth)
{
	unsigned int n = missing;

	while (n < depth && others->made >> n & 1)
		n++;
	return n;
}

/* Who could write to a directory on the way could have another one in the place of the pod's. */
static int check_above(int root, const struct socket_state *s, struct err *e)
{
	for (unsigned int n = tree_depth(s->dir) - 1; n > 0; n--) {
		auto_close int fd = -1;
		char dir[TREE_PATH_MAX];
		int r;

		tree_cut(s->dir, n, dir);
		r = tree_open(root, dir, &fd, e);
		if (r <= 0)
			return r;
		if (fs_check_own(fd, dir, e) < 0)
			return err_wrap(e, "above the directory of sockets, below '%s'", s->root);
	}
	return fs_check_own(root, s->root, e);
}

/* Before one is taken for the attachment's own. */
static int check_nesting(const struct socket_others *others, const struct socket_state *s,
			 struct err *e)
{
	if (others->above)
		return err_set(e, ERR_BUSY, EBUSY, "directory '%s/%s' is in the one of another "
			       "attachment, which is in use", s->root, s->dir);
	if (others->below && s->made)
		return err_set(e, ERR_BUSY, EBUSY, "directory '%s/%s' has the one of another "
			       "attachment in it, which is in use", s->root, s->dir);
	return 0;
}

int socket_dir_plan(const struct host *host, const struct journal *j, const struct socket_conf *c,
		    struct record *rec, struct err *e)
{
	struct socket_state *s = &rec->socket;
	unsigned int depth = tree_depth(s->dir), missing;
	struct socket_others others = { 0 };
	auto_close int root = -1;
	int r;

	r = socket_dir_open_root(host, s, &root, e);
	if (r < 0 || count_missing(root, s, &missing, e) < 0)
		return r < 0 ? -1 : err_wrap(e, "below '%s'", s->root);
	if ((root >= 0 && check_above(root, s, e) < 0) ||
	    socket_others_look(host, j, rec, &others, e) < 0)
		return -1;
	s->made = count_shared(&others, missing, depth);
	if (check_nesting(&others, s, e) < 0)
		return -1;
	return s->made ? 0 : socket_dir_check_settings(root, c, s, e);
}

/* -- making it -- */

static int make_above(int root, const char *dir, struct err *e)
{
	auto_close int fd = -1;
	int made = tree_mkdir(root, dir, e);

	if (made <= 0)
		return made;
	if (tree_open(root, dir, &fd, e) <= 0)
		return err_set(e, ERR_TRY_AGAIN, ENOENT, "directory '%s' has just gone", dir);
	return fchmod(fd, ABOVE_MODE) < 0 ? err_set(e, ERR_IO, errno, "chmod '%s'", dir) : 0;
}

/* What a dead one has left is as good as new. */
static int make_own(const struct host *host, const struct journal *j, int root,
		    const struct socket_conf *c, const struct record *rec, struct err *e)
{
	const struct socket_state *s = &rec->socket;
	int made = tree_mkdir(root, s->dir, e), living;
	struct err whose = { .code = ERR_OK };

	if (made < 0)
		return -1;
	living = made ? 0 : socket_share_lives(host, j, rec, &whose, e);
	if (living <= 0)
		return living < 0 ? -1 : socket_dir_set_settings(root, c, s, e);
	if (socket_dir_check_settings(root, c, s, e) < 0)
		return err_private(e, "%s", whose.private);
	return 0;
}

static int make_all(const struct host *host, const struct journal *j, int root,
		    const struct socket_conf *c, const struct record *rec, struct err *e)
{
	const struct socket_state *s = &rec->socket;
	char dir[TREE_PATH_MAX];

	for (unsigned int n = s->made; n > 1; n--) {
		tree_cut(s->dir, n - 1, dir);
		if (make_above(root, dir, e) < 0)
			return -1;
	}
	if (check_above(root, s, e) < 0)
		return -1;
	return s->made ? make_own(host, j, root, c, rec, e) : 0;
}

/* Others have made it meanwhile, or removed what they had made. */
static int plan_again(const struct host *host, const struct journal *j,
		      const struct socket_conf *c, struct record *rec, struct err *e)
{
	unsigned int made = rec->socket.made;

	if (socket_dir_plan(host, j, c, rec, e) < 0)
		return -1;
	return rec->socket.made == made ? 0 : journal_write(j, rec, e);
}

int socket_dir_make(const struct host *host, const struct journal *j, const struct socket_conf *c,
		    struct record *rec, struct err *e)
{
	struct deadline d = deadline_in(host->set.lock_timeout_ms);
	struct socket_state *s = &rec->socket;
	auto_close int root = -1;
	int r;

	if (journal_lock_common(j, s->root, &d, e) < 0)
		return err_wrap(e, "directory '%s'", s->root);
	r = plan_again(host, j, c, rec, e);
	if (r == 0) {
		root = fs_open_dir(host->root, s->root, ABOVE_MODE, e);
		r = root < 0 ? -1 : make_all(host, j, root, c, rec, e);
	}
	journal_unlock_common(j, s->root);
	return r < 0 ? err_wrap(e, "directory '%s/%s'", s->root, s->dir) : 0;
}

/* -- CHECK -- */

int socket_dir_check(const struct host *host, const struct socket_conf *c,
		     const struct socket_state *s, char ret[256], struct err *e)
{
	auto_close int fd = -1;
	int r = socket_dir_open(host, s, &fd, e);

	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_DRIFT, ENOENT, "directory '%s/%s'", s->root,
					    s->dir);
	return socket_dir_compare_settings(fd, c, s, ret, e);
}
