/* SPDX-License-Identifier: Apache-2.0 */
/* socket_link.c - the short way to a pod's directory whose sockets would have too long a path */
#include "cni/socket/socket_link.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "cni/socket/socket_share.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINKS_MODE	0755	/* a switch that is not root follows them */

struct place {
	char dir[sizeof(((struct socket_state *)NULL)->link)];
	const char *name;
	char target[sizeof(((struct socket_state *)NULL)->root) +
		    sizeof(((struct socket_state *)NULL)->dir) + 1];
};

static void place_of(const struct socket_state *s, struct place *ret)
{
	ret->name = strrchr(s->link, '/') + 1;
	(void)snprintf(ret->dir, sizeof(ret->dir), "%.*s", (int)(ret->name - s->link - 1),
		       s->link);
	(void)snprintf(ret->target, sizeof(ret->target), "%s/%s", s->root, s->dir);
}

/* 1 it is ours, 0 there is none, -1, ERR_BUSY: something else has its name. */
static int look_at_link(int dir, const struct place *p, struct err *e)
{
	char target[sizeof(p->target) + 1];
	ssize_t n = readlinkat(dir, p->name, target, sizeof(target) - 1);

	if (n < 0 && errno == ENOENT)
		return 0;
	if (n < 0 && errno != EINVAL)
		return err_set(e, ERR_IO, errno, "read link '%s/%s'", p->dir, p->name);
	if (n == (ssize_t)strlen(p->target) && memcmp(target, p->target, (size_t)n) == 0)
		return 1;
	return err_set(e, ERR_BUSY, EEXIST, "'%s/%s' is there, and is not a link to '%s'", p->dir,
		       p->name, p->target);
}

static int make(int dir, const struct place *p, struct err *e)
{
	int r = look_at_link(dir, p, e);

	if (r != 0)
		return r < 0 ? -1 : 0;
	return symlinkat(p->target, dir, p->name) == 0 ?
		       0 : err_set(e, ERR_IO, errno, "make link '%s/%s'", p->dir, p->name);
}

int socket_link_make(const struct host *host, const struct journal *j, const struct record *rec,
		     struct err *e)
{
	struct deadline d = deadline_in(host->set.lock_timeout_ms);
	const struct socket_state *s = &rec->socket;
	auto_close int dir = -1;
	struct place p;
	int r;

	if (!*s->link)
		return 0;
	place_of(s, &p);
	dir = fs_open_dir(host->root, p.dir, LINKS_MODE, e);
	if (dir < 0 || fs_check_own(dir, p.dir, e) < 0)
		return -1;
	if (journal_lock_common(j, s->root, &d, e) < 0)
		return err_wrap(e, "link '%s'", s->link);
	r = make(dir, &p, e);
	journal_unlock_common(j, s->root);
	return r;
}

/* Not one that somebody has put in its place, nor one that another attachment has. */
static int release(const struct host *host, const struct journal *j, const struct record *rec,
		   int dir, const struct place *p, struct err *e)
{
	struct socket_others others = { 0 };
	struct err why;
	int r = socket_others_look(host, j, rec, &others, e);

	if (r < 0 || others.link)
		return r;
	r = look_at_link(dir, p, &why);
	if (r < 0)
		log_warning("msg=\"kept: %s\" details=\"%s\"", why.msg, why.details);
	if (r > 0 && unlinkat(dir, p->name, 0) < 0 && errno != ENOENT)
		return err_set(e, ERR_IO, errno, "remove link '%s/%s'", p->dir, p->name);
	return 0;
}

int socket_link_release(const struct host *host, const struct journal *j, const struct record *rec,
			struct err *e)
{
	struct deadline d = deadline_in(host->set.lock_timeout_ms);
	const struct socket_state *s = &rec->socket;
	auto_close int dir = -1;
	struct place p;
	int r;

	if (!*s->link)
		return 0;
	place_of(s, &p);
	r = fs_open_own_dir(host->root, p.dir, false, &dir, e);
	if (r <= 0)
		return r;
	if (journal_lock_common(j, s->root, &d, e) < 0)
		return err_wrap(e, "link '%s'", s->link);
	r = release(host, j, rec, dir, &p, e);
	journal_unlock_common(j, s->root);
	return r;
}

int socket_link_check(const struct host *host, const struct socket_state *s, char ret[256],
		      struct err *e)
{
	auto_close int dir = -1;
	struct place p;
	struct err why;
	int r;

	*ret = '\0';
	if (!*s->link)
		return 0;
	place_of(s, &p);
	r = fs_find_dir(host->root, p.dir, &dir, e);
	if (r > 0)
		r = look_at_link(dir, &p, &why);
	else if (r < 0)
		return -1;
	if (r == 0)
		(void)snprintf(ret, 256, "link '%.200s' is gone", s->link);
	else if (r < 0)
		(void)snprintf(ret, 256, "%.255s", why.msg);
	return 0;
}
