/* SPDX-License-Identifier: Apache-2.0 */
/* leak_kept.c - directories of sockets that a DEL had to keep */
#include "manager/doctor/leak.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/tree.h"
#include "cni/socket/socket_keep.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/owner.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

enum { COUNTED = 100000 };		/* entries of one directory */

static const struct finding_kind kept_dead = {
	"socket-kept", SEVERITY_WARNING, REMEDY_REMOVE_KEPT,
	"repair removes it, as the next DEL of a socket and each GC do",
};
static const struct finding_kind kept_lives = {
	"socket-kept", SEVERITY_INFO, REMEDY_BY_HAND,
	"it goes by GC when nobody listens any more, and with its container",
};

static const struct finding_kind kept_bad = {
	"socket-kept", SEVERITY_WARNING, REMEDY_BY_HAND,
	"look which directory below socketDir is nobody's, remove that, and then this file",
};

struct walk {
	const struct host *host;
	struct findings *ret;
};

/* What one pod has put in the way of its own directory hides nothing of the others. */
static void describe(int root, const struct socket_state *s, char *ret, size_t size)
{
	const struct tree_size max = { .bytes = UINT64_MAX, .inodes = COUNTED };
	struct tree_size have = { 0 };
	struct err why;

	if (root >= 0 && tree_measure(root, s->dir, &max, &have, &why) < 0)
		(void)snprintf(ret, size, "cannot be looked at (%.120s: %.60s)", why.msg,
			       why.details);
	else
		(void)snprintf(ret, size, "has %s%" PRIu64 " bytes in %" PRIu64 " inodes",
			       have.more ? "more than " : "", have.bytes, have.inodes);
}

static int judge(const struct record *rec, void *arg, struct err *e)
{
	const struct walk *w = arg;
	const struct socket_state *s = &rec->socket;
	auto_close int root = fs_open(w->host->root, s->root, O_RDONLY | O_DIRECTORY, 0);
	char file[256], path[PATH_MAX], what[256];
	int alive = owner_is_alive(w->host, rec, e);

	if (alive < 0)
		return -1;
	describe(root, s, what, sizeof(what));
	journal_file_name(rec, file);
	(void)snprintf(path, sizeof(path), "%s/kept/attachments/%s", w->host->set.state_dir, file);
	return finding_tell(w->ret, alive ? &kept_lives : &kept_dead, path, e,
			    "directory %s/%s %s, and its container %.64s %s", s->root, s->dir, what,
			    rec->owner.container_id, alive ? "lives" : "is dead");
}

static int judge_bad(const struct journal_bad *bad, void *arg, struct err *e)
{
	const struct walk *w = arg;
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/kept/attachments/%s", w->host->set.state_dir,
		       bad->file);
	return finding_tell(w->ret, &kept_bad, path, e, "of container %.64s: %s",
			    *bad->container_id ? bad->container_id : "unknown", bad->why);
}

static int look_in(const struct walk *w, struct err *e)
{
	void *arg = (void *)(uintptr_t)w;

	return socket_keep_each_bad(w->host, judge_bad, arg, e) < 0 ?
		       -1 : socket_keep_each(w->host, JOURNAL_READ, judge, arg, e);
}

/* What DELs by an earlier stateDir had to keep. */
static int look_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	struct walk of = *(const struct walk *)arg;

	(void)j;
	of.host = there;
	return look_in(&of, e);
}

int leak_kept(const struct host *host, const struct inventory *inv, struct findings *ret,
	      struct err *e)
{
	struct walk w = { .host = host, .ret = ret };

	(void)inv;
	if (host->facts)
		return finding_skip(ret, e, "what is below socketDir is not recorded");
	return look_in(&w, e) < 0 ? -1 : earlier_each(host, JOURNAL_READ, look_there, &w, e);
}
