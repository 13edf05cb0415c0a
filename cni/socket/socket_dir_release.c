/* SPDX-License-Identifier: Apache-2.0 */
/* socket_dir_release.c - what of a directory of sockets is removed, and when */
#include "cni/socket/socket_dir.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/tree.h"
#include "cni/socket/socket_file.h"
#include "cni/socket/socket_share.h"
#include "conf/socket_slot.h"
#include "devinfo/journal/owner.h"

#include <fcntl.h>
#include <string.h>

#define SHORT_ID	12	/* characters of a container's id that stand for it */
#define CLEAR_MS	200	/* to empty the pod's directory, while others wait for our lock */
#define LEFT_MS		100	/* for what took longer once, while nobody waits but our caller */
#define GC_LEFT_MS	1000

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
	r = socket_dir_open_root(host, s, &root, e);
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

/* devinfod sets aside where the directory is, a level below SOCKET_SLOT_DIR. */
static int remove_left_of_prefix(const char *prefix, void *arg, struct err *e)
{
	int slots = *(const int *)arg;
	auto_close int fd = -1;

	if (tree_open(slots, prefix, &fd, e) > 0)
		remove_left(fd, LEFT_MS);
	return 0;
}

void socket_dir_remove_left(const struct host *host)
{
	auto_close int root = fs_open(host->root, host->set.socket_dir, O_RDONLY | O_DIRECTORY, 0);
	auto_close int slots = -1;
	struct err ignored;

	if (root < 0)
		return;
	remove_left(root, GC_LEFT_MS);
	if (tree_open(root, SOCKET_SLOT_DIR, &slots, &ignored) > 0)
		(void)!fs_each_in(slots, SOCKET_SLOT_DIR, remove_left_of_prefix, &slots, &ignored);
}
