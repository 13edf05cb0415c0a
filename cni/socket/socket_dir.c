/* SPDX-License-Identifier: Apache-2.0 */
/* socket_dir.c - the directory that a pod mounts to reach its sockets */
#include "cni/socket/socket_dir.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/tree.h"
#include "cni/socket/socket_file.h"
#include "cni/socket/socket_share.h"
#include "devinfo/journal/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define LABEL		"security.selinux"
#define ABOVE_MODE	0755	/* of a directory between socketDir and the pod's */
#define SHORT_ID	12	/* characters of a container's id that stand for it */
#define CLEAR_MS	200	/* to empty the pod's directory, while others wait for our lock */
#define LEFT_MS		100	/* for what took longer once, while nobody waits but our caller */
#define GC_LEFT_MS	1000

/* -- opening -- */

static int open_root(const struct host *host, const struct socket_state *s, int *ret, struct err *e)
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

static int open_dir(int root, const struct socket_state *s, int *ret, struct err *e)
{
	int r = tree_open(root, s->dir, ret, e);

	return r == 0 ? err_set(e, ERR_TRY_AGAIN, ENOENT, "directory '%s/%s' has just gone",
				s->root, s->dir) : r;
}

int socket_dir_open(const struct host *host, const struct socket_state *s, int *ret, struct err *e)
{
	auto_close int root = -1;
	int r;

	if (s->from_plugin)
		return open_parent_of(host, s->path, ret, e);
	r = open_root(host, s, &root, e);
	if (r > 0)
		r = tree_open(root, s->dir, ret, e);
	return r < 0 ? err_wrap(e, "below '%s'", s->root) : r;
}

/* -- owner, mode and label -- */

static bool has_label(int fd, const char *label)
{
	char have[256] = "";
	ssize_t n = fgetxattr(fd, LABEL, have, sizeof(have) - 1);

	return n < 0 ? errno == EOPNOTSUPP : strcmp(have, label) == 0;
}

/* What is not as it is asked for; "" when nothing is.  One that ADD makes always has a mode. */
static int compare(int fd, const struct socket_conf *c, const struct socket_state *s, char ret[256],
		   struct err *e)
{
	struct stat st;

	*ret = '\0';
	if (fstat(fd, &st) < 0)
		return err_set(e, ERR_IO, errno, "stat directory '%s/%s'", s->root, s->dir);
	if (c->has_uid && st.st_uid != c->uid)
		(void)snprintf(ret, 256, "uid of the directory: expected %u, got %u", c->uid,
			       st.st_uid);
	else if (c->has_gid && st.st_gid != c->gid)
		(void)snprintf(ret, 256, "gid of the directory: expected %u, got %u", c->gid,
			       st.st_gid);
	else if ((s->made || c->has_dir_mode) && (st.st_mode & 07777) != c->dir_mode)
		(void)snprintf(ret, 256, "mode of the directory: expected %04o, got %04o",
			       c->dir_mode, st.st_mode & 07777);
	else if (c->selinux_label && !has_label(fd, c->selinux_label))
		(void)snprintf(ret, 256, "selinuxLabel of the directory is not '%.200s'",
			       c->selinux_label);
	return 0;
}

/* Of a directory that the administrator has made, or that a living attachment has. */
static int check_settings(int root, const struct socket_conf *c, const struct socket_state *s,
			  struct err *e)
{
	auto_close int fd = -1;
	char text[256];

	if (open_dir(root, s, &fd, e) < 0 || compare(fd, c, s, text, e) < 0)
		return -1;
	if (!*text)
		return 0;
	(void)err_set(e, ERR_BUSY, EEXIST, "'%s/%s' is there already: %s", s->root, s->dir, text);
	return err_detail(e, "%s and selinuxLabel must be what it has, or absent", s->made ?
			  "another attachment has the directory: uid, gid, dirMode (02770 when "
			  "absent)" :
			  "ADD changes no directory that it has not made: uid, gid, dirMode");
}

/* Where no SELinux is there is nothing to label. */
static int set_label(int fd, const char *label, struct err *e)
{
	if (!label || fsetxattr(fd, LABEL, label, strlen(label) + 1, 0) == 0)
		return 0;
	if (errno != EOPNOTSUPP)
		return err_set(e, ERR_DEVICE, errno, "selinuxLabel: set '%.200s'", label);
	log_info("msg=\"the file system has no SELinux labels\" label=\"%s\"", label);
	return 0;
}

/* The mode last: chown(2) takes the setgid bit. */
static int set_settings(int root, const struct socket_conf *c, const struct socket_state *s,
			struct err *e)
{
	uid_t uid = c->has_uid ? c->uid : (uid_t)-1;
	gid_t gid = c->has_gid ? c->gid : (gid_t)-1;
	auto_close int fd = -1;

	if (open_dir(root, s, &fd, e) < 0)
		return -1;
	if ((c->has_uid || c->has_gid) && fchown(fd, uid, gid) < 0)
		return err_set(e, ERR_PERMISSION, errno, "set owner %d:%d", (int)uid, (int)gid);
	if (fchmod(fd, c->dir_mode) < 0)
		return err_set(e, ERR_PERMISSION, errno, "set mode %o", c->dir_mode);
	return set_label(fd, c->selinux_label, e);
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

	r = open_root(host, s, &root, e);
	if (r < 0 || count_missing(root, s, &missing, e) < 0)
		return r < 0 ? -1 : err_wrap(e, "below '%s'", s->root);
	if ((root >= 0 && check_above(root, s, e) < 0) ||
	    socket_others_look(host, j, rec, &others, e) < 0)
		return -1;
	s->made = count_shared(&others, missing, depth);
	if (check_nesting(&others, s, e) < 0)
		return -1;
	return s->made ? 0 : check_settings(root, c, s, e);
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
		return living < 0 ? -1 : set_settings(root, c, s, e);
	if (check_settings(root, c, s, e) < 0)
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

/* -- removing it -- */

/* What cannot be removed stays, and so does what is no directory, which is not ours. */
static int kept(const struct socket_state *s, const char *dir, const struct err *why, struct err *e)
{
	if (why->code != ERR_OK && !socket_file_is_theirs(why)) {
		*e = *why;
		return -1;
	}
	log_warning("msg=\"not empty, or no directory any more: kept\" directory=%s/%s "
		    "error=\"%s\" details=\"%s\"", s->root, dir, why->msg, why->details);
	return 0;
}

/* Of an application that lives on: its sockets, be they of attachments that have ended. */
static bool is_in_use(int dir, const char *name, const void *arg)
{
	enum socket_found found;
	struct err ignored;

	(void)arg;
	return socket_file_probe(dir, name, false, &found, &ignored) == 0 &&
	       (found == SOCKET_ACCEPTS || found == SOCKET_OTHER_TYPE);
}

/* Who writes to it faster than we remove does not keep DEL from ending, nor others waiting. */
static int set_aside(int root, const char *top, const char *dir, const struct err *slow,
		     struct err *e)
{
	if (tree_set_aside(root, dir, e) < 0)
		return -1;
	log_warning("msg=\"not removed in time: renamed, and removed by later calls\" "
		    "directory=%s/%s error=\"%s\" details=\"%s\"", top, dir, slow->msg,
		    slow->details);
	return 1;
}

struct ending {
	const struct record *rec;
	const struct socket_others *others;
	int root;			/* borrowed */
	bool alive;			/* its container */
	bool all;			/* what is above is for it and its like alone */
};

/*
 * A directory goes with all that the pod has put in it: 1, 0 it stays, -1.  What is above the pod's
 * own may have a socket of somebody whose DEL knew nothing of it.
 */
static int remove_tree(const struct ending *end, unsigned int n, const char *dir, struct err *why,
		       struct err *e)
{
	static const struct tree_keep in_use = { .fn = is_in_use };
	bool careful = end->alive || n > 0 || end->others->listens;
	struct deadline d = deadline_in(CLEAR_MS);
	struct err slow;
	int r;

	r = tree_remove(end->root, dir, careful ? &in_use : NULL, &d, why, &slow);
	if (r < 0 && slow.code == ERR_TRY_AGAIN)
		return set_aside(end->root, end->rec->socket.root, dir, &slow, e);
	if (r < 0)
		*e = slow;
	return r;
}

static bool is_first(const char *dir, const char *name)
{
	return name && *name && tree_is_below(dir, name);
}

/* What begins with the name of the pod, of its namespace or of its container is for these alone. */
static bool is_all_theirs(const struct socket_others *others, const struct record *rec)
{
	const char *dir = rec->socket.dir, *id = rec->owner.container_id;
	size_t len = strcspn(dir, "/");

	/* socketDir may have had another name, under which somebody is in it */
	if (others->elsewhere)
		return false;
	return is_first(dir, rec->pod.uid) || is_first(dir, rec->pod.name_space) ||
	       is_first(dir, id) || (len == SHORT_ID && strncmp(dir, id, len) == 0);
}

/*
 * One above the pod's is empty, for only we write there: unless the pod has mounted it as root, and
 * put the pod's own directory, or rubbish, beside.  With the container that goes as well.
 */
static int remove_one(const struct ending *end, unsigned int n, const char *dir, struct err *why,
		      struct err *e)
{
	*why = (struct err){ .code = ERR_OK };
	return n == 0 || (end->all && !end->alive) ? remove_tree(end, n, dir, why, e) :
						     tree_rmdir(end->root, dir, e);
}

/* At the directory itself others->listens says what of it has to stay. */
static bool is_needed(const struct socket_others *others, unsigned int n)
{
	return (others->use | (n > 0 ? others->held : 0)) >> n & 1;
}

/* From the last component up, as long as nobody else needs it: 1 when something of ours stays. */
static int remove_each(const struct ending *end, struct err *e)
{
	const struct socket_state *s = &end->rec->socket;
	bool moved = false;	/* ours is not where it was: it may be in the one above */

	for (unsigned int n = 0; n < s->made; n++) {
		char dir[TREE_PATH_MAX];
		auto_close int left = -1;
		struct err why, one;
		int r;

		if (is_needed(end->others, n))
			return moved && end->all && end->alive;
		tree_cut(s->dir, n, dir);
		r = remove_one(end, n, dir, &why, &one);
		if (r < 0 && kept(s, dir, &one, e) < 0)
			return -1;
		moved |= r <= 0;
		if (r < 0)
			continue;
		r = r == 0 ? tree_open(end->root, dir, &left, &one) : 0;
		if (r != 0)
			return kept(s, dir, &why, e) < 0 ? -1 : r > 0 && (n == 0 || end->all);
	}
	return 0;
}

static int remove_made(const struct host *host, const struct socket_others *others, int root,
		       const struct record *rec, struct err *e)
{
	int alive = owner_is_alive(host, rec, e);
	const struct ending end = { rec, others, root, alive > 0, is_all_theirs(others, rec) };

	return alive < 0 ? -1 : remove_each(&end, e);
}

/* What is left then is for the next call: it is in nobody's way. */
static void remove_left(int root, unsigned int ms)
{
	struct deadline d = deadline_in(ms);
	unsigned int left;
	struct err e;

	if (tree_remove_left(root, &d, &left, &e) < 0)
		log_warning("msg=\"look for directories that were set aside\" error=\"%s\" "
			    "details=\"%s\"", e.msg, e.details);
	else if (left > 0)
		log_info("msg=\"directories that were set aside are not removed yet\" number=%u",
			 left);
}

int socket_dir_release(const struct host *host, const struct journal *j, const struct record *rec,
		       struct err *e)
{
	struct deadline d = deadline_in(host->set.lock_timeout_ms);
	const struct socket_state *s = &rec->socket;
	struct socket_others others;
	auto_close int root = -1;
	int r;

	if (!s->made)
		return 0;
	r = open_root(host, s, &root, e);
	if (r <= 0)
		return r;
	if (journal_lock_common(j, s->root, &d, e) < 0)
		return err_wrap(e, "directory '%s'", s->root);
	r = socket_others_look(host, j, rec, &others, e);
	if (r == 0)
		r = remove_made(host, &others, root, rec, e);
	journal_unlock_common(j, s->root);
	remove_left(root, LEFT_MS);
	return r < 0 ? err_wrap(e, "below '%s'", s->root) : r;
}

void socket_dir_remove_left(const struct host *host)
{
	auto_close int root = fs_open(host->root, host->set.socket_dir, O_RDONLY | O_DIRECTORY, 0);

	if (root >= 0)
		remove_left(root, GC_LEFT_MS);
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
	return compare(fd, c, s, ret, e);
}
