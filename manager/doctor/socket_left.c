/* SPDX-License-Identifier: Apache-2.0 */
/* socket_left.c - directories of sockets below socketDir that no attachment has */
#include "manager/doctor/socket_left.h"

#include "base/deadline.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/tree.h"
#include "cni/socket/socket_keep.h"
#include "conf/socket_path.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/socket_state.h"
#include "manager/doctor/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { REMOVE_MS = 5000, COUNTED = 100000 };

/* -- who has which -- */

/* As records have it. */
static void set_root(const struct host *host, char ret[SOCKET_ROOT_MAX])
{
	size_t len;

	(void)snprintf(ret, SOCKET_ROOT_MAX, "%s", host->set.socket_dir);
	for (len = strlen(ret); len > 1 && ret[len - 1] == '/';)
		ret[--len] = '\0';
}

/* The first name of a path below socketDir. */
static void note_path(const struct socket_left *s, const char *path)
{
	size_t len = strlen(s->root);

	if (strncmp(path, s->root, len) == 0 && path[len] == '/')
		(void)json_object_setn_new(s->used, path + len + 1,
					   strcspn(path + len + 1, "/"), json_true());
}

static int note_record(const struct record *rec, void *arg, struct err *e)
{
	const struct socket_state *s = &rec->socket;
	char dir[sizeof(s->root) + sizeof(s->dir) + 1];

	(void)e;
	(void)snprintf(dir, sizeof(dir), "%s/%s", s->root, s->dir);
	note_path(arg, dir);
	note_path(arg, s->path);
	return 0;
}

static int note_bad(const struct journal_bad *bad, void *arg, struct err *e)
{
	struct socket_left *s = arg;

	(void)e;
	s->unknown |= !*bad->device || socket_state_is_key(bad->device);
	return 0;
}

/* In that journal, and in what DELs by it had to keep. */
static int look_in(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	return (j->dir >= 0 && journal_each_any(j, note_record, note_bad, arg, e) < 0) ||
			       socket_keep_each_bad(there, note_bad, arg, e) < 0 ||
			       socket_keep_each(there, JOURNAL_READ, note_record, arg, e) < 0 ?
		       -1 : 0;
}

int socket_left_look(const struct host *host, const struct inventory *inv, struct journal *j,
		     struct socket_left *ret, struct err *e)
{
	*ret = (struct socket_left){ .host = host, .used = json_object(),
				     .containers = json_object() };
	set_root(host, ret->root);
	/* --state-dir names another journal than the node's: whose they are it does not say */
	ret->unknown = !host->earlier;
	return look_in(host, j, ret, e) < 0 ||
			       earlier_each(host, JOURNAL_READ, look_in, ret, e) < 0 ||
			       lease_ask_caches(host, inv, NULL, ret->containers, NULL, e) < 0 ?
		       -1 : 0;
}

void socket_left_done(struct socket_left *s)
{
	json_decref(s->used);
	json_decref(s->containers);
	*s = (struct socket_left){ .host = NULL };
}

bool socket_left_is_nobodys(const struct socket_left *s, const char *name)
{
	return !s->unknown && socket_path_id(name) != SOCKET_NO_ID &&
	       !json_object_get(s->used, name);
}

/* -- does it live -- */

static int pod_life(const struct host *host, const char *uid, struct err *e)
{
	int r = fs_exists(host->root, e, "%s/pods", host->set.kubelet_dir);

	if (r <= 0)
		return r < 0 ? -1 : LEAK_UNKNOWN;
	r = fs_exists(host->root, e, "%s/pods/%s", host->set.kubelet_dir, uid);
	return r < 0 ? -1 : r > 0 ? LEAK_LIVES : LEAK_DEAD;
}

/* Of {shortID} all that begin so: it is dead when they are. */
static int container_life(const struct socket_left *s, const char *id)
{
	int ret = LEAK_UNKNOWN;
	const char *key;
	json_t *lives;

	json_object_foreach(s->containers, key, lives) {
		if (strncmp(key, id, strlen(id)) != 0)
			continue;
		if (json_is_true(lives))
			return LEAK_LIVES;
		ret = LEAK_DEAD;
	}
	return ret;
}

int socket_left_life(const struct socket_left *s, const char *name, struct err *e)
{
	return socket_path_id(name) == SOCKET_POD_ID ? pod_life(s->host, name, e) :
						       container_life(s, name);
}

/* -- removing it -- */

static int remove_it(const struct socket_left *s, const char *name, struct err *e)
{
	auto_close int root = fs_open(s->host->root, s->root, O_RDONLY | O_DIRECTORY, 0);
	struct deadline d = deadline_in(REMOVE_MS);
	struct err why = { .code = ERR_OK };
	int r;

	if (root < 0)
		return errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "open directory '%s'",
						     s->root);
	r = tree_remove(root, name, NULL, &d, &why, e);
	if (r != 0 || why.code == ERR_OK)
		return r;
	*e = why;
	return err_wrap(e, "remove '%s/%s'", s->root, name);
}

static int look_and_remove(const struct host *host, struct journal *j, const char *name,
			   struct err *e)
{
	static const struct inventory live = { .n_attachments = 0 };
	auto_socket_left struct socket_left s = { .host = NULL };
	int life;

	if (socket_left_look(host, &live, j, &s, e) < 0)
		return -1;
	life = socket_left_is_nobodys(&s, name) ? socket_left_life(&s, name, e) : LEAK_LIVES;
	return life < 0 ? -1 : life == LEAK_DEAD ? remove_it(&s, name, e) : 0;
}

/* An ADD makes its directory under this lock, after its record. */
int socket_left_remove(const struct host *host, struct journal *j, const char *name, struct err *e)
{
	struct deadline d = deadline_in(host->set.lock_timeout_ms);
	char root[SOCKET_ROOT_MAX];
	int r;

	set_root(host, root);
	if (journal_lock_common(j, root, &d, e) < 0)
		return -1;
	r = look_and_remove(host, j, name, e);
	journal_unlock_common(j, root);
	return r;
}

/* -- the check -- */

struct walk {
	const struct socket_left *s;
	const struct inventory *inv;
	struct findings *ret;
};

static int count(const struct socket_left *s, const char *name, struct tree_size *ret,
		 struct err *e)
{
	const struct tree_size max = { .bytes = UINT64_MAX, .inodes = COUNTED };
	auto_close int root = fs_open(s->host->root, s->root, O_RDONLY | O_DIRECTORY, 0);

	return root < 0 ? 0 : tree_measure(root, name, &max, ret, e);
}

static int judge(const char *name, void *arg, struct err *e)
{
	static const struct finding_kind dead = {
		"socket-left", SEVERITY_WARNING, REMEDY_REMOVE_SOCKET_DIR,
		"repair removes it with all that is in it",
	};
	static const struct finding_kind unknown = {
		"socket-left", SEVERITY_INFO, REMEDY_BY_HAND,
		"when the runtime does not know the pod or container any more (crictl pods), "
		"remove it",
	};
	const struct walk *w = arg;
	struct tree_size size = { 0 };
	char path[PATH_MAX];
	int life;

	(void)snprintf(path, sizeof(path), "%s/%s", w->s->root, name);
	if (!socket_left_is_nobodys(w->s, name) ||
	    !leak_is_settled(w->s->host, leak_now(w->s->host, w->inv), path))
		return 0;
	life = socket_left_life(w->s, name, e);
	if (life < 0 || life == LEAK_LIVES)
		return life < 0 ? -1 : 0;
	if (count(w->s, name, &size, e) < 0)
		return -1;
	return finding_tell(w->ret, life == LEAK_DEAD ? &dead : &unknown, path, e,
			    "no attachment has it, %s; it has %s%" PRIu64 " bytes in %" PRIu64
			    " inodes", life == LEAK_DEAD ? "and its pod is gone" :
			    "and nothing tells whether its pod lives",
			    size.more ? "more than " : "", size.bytes, size.inodes);
}

int leak_socket_left(const struct host *host, const struct inventory *inv, struct findings *ret,
		     struct err *e)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	auto_socket_left struct socket_left s = { .host = NULL };
	const struct walk w = { .s = &s, .inv = inv, .ret = ret };
	int r;

	if (host->facts)
		return finding_skip(ret, e, "what is below socketDir is not recorded");
	r = fs_exists(host->root, e, "%s", host->set.socket_dir);
	if (r <= 0)
		return r < 0 ? -1 : finding_skip(ret, e, "there is no %s", host->set.socket_dir);
	if (journal_open(host, JOURNAL_READ, &j, e) < 0 ||
	    socket_left_look(host, inv, &j, &s, e) < 0)
		return -1;
	return fs_each(host->root, s.root, judge, (void *)(uintptr_t)&w, e);
}
