/* SPDX-License-Identifier: Apache-2.0 */
/* earlier_each.c - the journals in the directories that the node's file has named before */
#include "devinfo/journal/earlier_part.h"

#include "base/fs.h"
#include "base/fs_lock.h"
#include "base/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

struct visitor {
	earlier_fn *fn;
	void *arg;
};

static bool is_same_dir(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* Under another name it may be the node's own: moved, with a link at its old place. */
static bool is_own(const struct host *h, const struct journal *j)
{
	auto_close int own = -1;
	char path[PATH_MAX];
	struct err ignored;

	(void)snprintf(path, sizeof(path), "%s/attachments", h->set.state_dir);
	return fs_find_dir(h->root, path, &own, &ignored) > 0 && is_same_dir(own, j->dir);
}

static const struct settings *own_of(const struct host *h)
{
	return h->own ? h->own : &h->set;
}

/*
 * Where the lock of the node's own journal cannot be made no ADD goes by that, and the locks of
 * the journal there are as good.
 */
static void open_common(const struct host *h, struct journal *j)
{
	auto_close int dir = -1, lock = -1;
	struct err ignored;

	if (fs_open_own_dir(h->root, own_of(h)->state_dir, true, &dir, &ignored) > 0 &&
	    fs_open_lock(dir, "lock", j->common_key, &lock, &ignored) == 0)
		j->common = steal_fd(&lock);
}

void earlier_tell_file_system(const struct host *h, const char *path, char ret[80])
{
	auto_close int fd = -1;
	char at[PATH_MAX], boot_id[40];
	struct err ignored;
	struct stat st;

	*ret = '\0';
	(void)snprintf(at, sizeof(at), "%s", path);
	while ((fd = fs_open(h->root, at, O_PATH | O_DIRECTORY, 0)) < 0 && at[1]) {
		char *slash = strrchr(at, '/');

		slash[slash == at] = '\0';
	}
	if (fd >= 0 && fstat(fd, &st) == 0 && journal_boot_id(h, boot_id, &ignored) == 0)
		(void)snprintf(ret, 80, "%s %llx", boot_id, (unsigned long long)st.st_dev);
}

/*
 * A directory that was removed has left the file system that it was on.  noted: what that was; NULL
 * when that is not known.  What is of an earlier boot has no pod.
 */
static int check_in_sight(const struct host *h, const char *state_dir, const char *noted,
			  struct err *e)
{
	char now[80];

	if (!noted)
		return 0;
	earlier_tell_file_system(h, state_dir, now);
	if (strcmp(noted, now) == 0 || strncmp(noted, now, strcspn(now, " ") + 1) != 0)
		return 0;
	(void)err_set(e, ERR_TRY_AGAIN, 0, "the file system that it was on is not mounted");
	return err_detail(e, "mount it; when no pod has a device by it, remove its element from "
			  "%.200s/" EARLIER_FILE, h->earlier->place);
}

static struct host host_of(const struct host *h, const struct settings *dirs)
{
	struct host there = *h;

	there.set.state_dir = dirs->state_dir;
	there.set.run_dir = dirs->run_dir;
	there.set.devinfo_dir = dirs->devinfo_dir;
	there.own = own_of(h);
	return there;
}

/* 1 when there is a journal, 0, -1. */
static int open_there(const struct host *there, enum journal_mode mode, const char *file_system,
		      struct journal *ret, struct err *e)
{
	int r = journal_open(there, mode, ret, e);

	if (r == 0)
		return check_in_sight(there, there->set.state_dir, file_system, e);
	if (r > 0 && mode != JOURNAL_READ &&
	    strcmp(there->set.state_dir, there->own->state_dir) != 0)
		open_common(there, ret);
	return r;
}

static int visit_dirs(const struct host *h, const struct settings *dirs, const char *file_system,
		      enum journal_mode mode, const struct visitor *v, struct err *e)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	const struct host there = host_of(h, dirs);
	int r;

	if (strcmp(dirs->state_dir, h->set.state_dir) == 0)
		return 0;
	r = open_there(&there, mode, file_system, &j, e);
	if (r > 0)
		r = is_own(h, &j) ? 0 : v->fn(&there, &j, v->arg, e);
	return r < 0 ? err_wrap(e, "earlier stateDir '%.200s'", dirs->state_dir) : r;
}

static const char *file_system_of(const json_t *o)
{
	return json_string_value(json_object_get(o, EARLIER_FILE_SYSTEM));
}

static bool has_state_dir(const json_t *list, const char *dir)
{
	const json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
		if (strcmp(earlier_state_dir(o), dir) == 0)
			return true;
	return false;
}

/* Those that are looked at without being noted: the defaults, and the node's own from elsewhere. */
static int visit_unnoted(const struct host *h, enum journal_mode mode, const struct visitor *v,
			 struct err *e)
{
	const struct settings *const dirs[] = { h->earlier->has_default ? &settings_default : NULL,
						h->own };
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && r == 0; i++)
		if (dirs[i] && !has_state_dir(h->earlier->list, dirs[i]->state_dir) &&
		    (i == 0 || !dirs[0] || strcmp(dirs[0]->state_dir, dirs[i]->state_dir) != 0))
			r = visit_dirs(h, dirs[i], NULL, mode, v, e);
	return r;
}

int earlier_each(const struct host *h, enum journal_mode mode, earlier_fn *fn, void *arg,
		 struct err *e)
{
	const struct earlier *x = h->earlier;
	const struct visitor v = { fn, arg };
	struct settings dirs;
	const json_t *o;
	size_t i;
	int r;

	if (!x)
		return 0;
	if (x->why.code != ERR_OK) {
		*e = x->why;
		return -1;
	}
	r = visit_unnoted(h, mode, &v, e);
	json_array_foreach(x->list, i, o) {
		if (r != 0)
			break;
		earlier_take(o, &dirs);
		r = visit_dirs(h, &dirs, file_system_of(o), mode, &v, e);
	}
	return r;
}

struct count {
	size_t n;
	const char *where;
};

static int count(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	struct count *c = arg;
	size_t n = 0;

	if (journal_count(j, &n, e) < 0)
		return -1;
	if (n > 0 && !c->where)
		c->where = there->set.state_dir;
	c->n += n;
	return 0;
}

int earlier_count(const struct host *h, size_t *ret, const char **where, struct err *e)
{
	struct count c = { .n = 0 };
	int r = earlier_each(h, JOURNAL_READ, count, &c, e);

	*ret = c.n;
	*where = c.where;
	return r;
}

bool earlier_is_empty(const struct host *h, const json_t *o)
{
	struct count c = { .n = 0 };
	const struct visitor v = { count, &c };
	struct settings dirs;
	struct err ignored;
	char kept[PATH_MAX];

	earlier_take(o, &dirs);
	if (visit_dirs(h, &dirs, file_system_of(o), JOURNAL_READ, &v, &ignored) != 0 ||
	    snprintf(kept, sizeof(kept), "%s/kept", dirs.state_dir) >= (int)sizeof(kept))
		return false;
	dirs.state_dir = kept;
	return visit_dirs(h, &dirs, NULL, JOURNAL_READ, &v, &ignored) == 0 && c.n == 0;
}
