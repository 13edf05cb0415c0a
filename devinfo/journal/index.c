/* SPDX-License-Identifier: Apache-2.0 */
/* index.c - which records a name may be in, without reading them all */
#include "devinfo/journal/index.h"

#include "base/fs.h"
#include "base/fs_lock.h"
#include "base/mem.h"
#include "base/name.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX_LOCK	"index/"	/* what no device is called */
#define LOCK_MS		1000	/* others are done in microseconds, or fill it for the first time */
#define QUIET_S		300	/* longer than a call lives */
#define MARKS		"marks"
#define KEY_LEN		16	/* of a key as text */
#define SECOND_MAX	1000000000	/* 2001: no clock shows less */
#define NSEC		1000000000

/* -- words -- */

void index_keys_add(struct index_keys *k, char kind, const char *word)
{
	const char text[] = { kind, '\0' };
	uint64_t h = name_hash(name_hash(0, text), word);

	if (!*word)
		return;
	for (unsigned int i = 0; i < k->n; i++)
		if (k->key[i] == h)
			return;
	if (k->n < INDEX_KEYS)
		k->key[k->n++] = h;
}

/* Its directory is the part of it before the '/'. */
static void entry_path(uint64_t key, const char *name, char ret[PATH_MAX])
{
	(void)snprintf(ret, PATH_MAX, "%02x/%016" PRIx64 ".%s", (unsigned int)(key >> 56), key,
		       name);
}

static void mark_path(const char *mark, char ret[PATH_MAX])
{
	(void)snprintf(ret, PATH_MAX, MARKS "/%s", mark);
}

/* -- the time that says that it is whole -- */

static bool time_of(int dir, struct timespec *ret)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return false;
	*ret = st.st_mtim;
	return true;
}

static bool set_time(int dir, const struct timespec *to)
{
	const struct timespec times[] = { { .tv_nsec = UTIME_OMIT }, *to };

	return futimens(dir, times) == 0;
}

/* Who is killed between has left two times, and nothing is gone by. */
static bool set_times(const struct index *x, const struct timespec *to)
{
	return set_time(x->dir, to) && set_time(x->records, to);
}

static bool time_equal(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static time_t whole_second(const char *boot_id, const struct stat *st)
{
	char text[80];

	(void)snprintf(text, sizeof(text), "/%" PRIx64 "/%" PRIx64, (uint64_t)st->st_dev,
		       (uint64_t)st->st_ino);
	return (time_t)((name_hash(name_hash(0, boot_id), text) >> 32) % SECOND_MAX);
}

/* Odd: a file system with a coarser time has none of these, and so no index that is gone by. */
static bool says_whole(const struct index *x, const struct timespec *t)
{
	return t->tv_sec == x->whole && t->tv_nsec % 2 == 1;
}

/* By chance, for one before this must not come again. */
static struct timespec first_time(const struct index *x)
{
	struct timespec now = { .tv_sec = 0 };

	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (struct timespec) { .tv_sec = x->whole, .tv_nsec = now.tv_nsec | 1 };
}

/* What the change of another says stays; false: it cannot be said. */
static bool time_after(const struct index *x, const struct index_change *c, struct timespec *ret)
{
	*ret = c->before;
	if (c->before.tv_sec != x->whole)
		return true;
	ret->tv_nsec = (ret->tv_nsec + 2) % NSEC;
	return c->was_whole;
}

/* Of a clock that was set back nothing can be told. */
static bool is_quiet(const struct timespec *changed)
{
	time_t now = time(NULL);

	return changed->tv_sec > now || now - changed->tv_sec > QUIET_S;
}

bool index_is_whole(const struct index *x)
{
	struct timespec records, dir;

	return x->dir > 0 && time_of(x->records, &records) && says_whole(x, &records) &&
	       (x->agreed || (time_of(x->dir, &dir) && time_equal(&records, &dir)));
}

/* -- opening -- */

/* To make it whole; not in struct index, of which there are copies. */
static bool tried;

static int open_dir(int state)
{
	return openat(state, "index", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* The time goes first: whoever sees the new one must not take it for whole. */
static int make_dir(const struct index *x, int state)
{
	const struct timespec now = { .tv_nsec = UTIME_NOW };

	if (!set_time(x->records, &now) || (mkdirat(state, "index", 0700) < 0 && errno != EEXIST))
		return -1;
	return open_dir(state);
}

void index_open(int state, int records, int lock, const uint8_t key[SIPHASH_KEY],
		const char *boot_id, bool make, struct index *ret)
{
	struct index x = { .records = records, .lock = lock };
	auto_close int fd = open_dir(state);
	struct stat own, st;

	if (fd < 0 && errno == ENOENT && make)
		fd = make_dir(&x, state);
	if (fd < 0 || fstat(fd, &own) < 0 || fstat(records, &st) < 0 || !fs_is_own(&own))
		return;
	memcpy(x.key, key, sizeof(x.key));
	x.whole = whole_second(boot_id, &st);
	x.agreed = says_whole(&x, &own.st_mtim) && time_equal(&own.st_mtim, &st.st_mtim);
	x.dir = steal_fd(&fd);
	tried = false;
	*ret = x;
}

void index_done(struct index *x)
{
	if (x->dir > 0)
		(void)close(x->dir);
	*x = (struct index){ .dir = 0 };
}

/* -- looking -- */

struct search {
	char key[KEY_LEN + 2];		/* and the '.' behind it */
	json_t *found;
};

/* A name need not be UTF-8. */
static int take_entry(const char *entry, void *arg, struct err *e)
{
	const struct search *s = arg;

	(void)e;
	if (strncmp(entry, s->key, KEY_LEN + 1) == 0)
		(void)json_object_set_new_nocheck(s->found, entry + KEY_LEN + 1, json_true());
	return 0;
}

int index_find(const struct index *x, const struct index_keys *k, json_t **ret, struct err *e)
{
	json_auto_t *found = json_object();

	for (unsigned int i = 0; i < k->n; i++) {
		struct search s = { .found = found };
		char dir[3];

		(void)snprintf(s.key, sizeof(s.key), "%016" PRIx64 ".", k->key[i]);
		(void)snprintf(dir, sizeof(dir), "%.2s", s.key);
		if (fs_each(x->dir, dir, take_entry, &s, e) < 0)
			return err_wrap(e, "index of the journal");
	}
	*ret = json_incref(found);
	return 0;
}

static int is_other(const char *mark, void *arg, struct err *e)
{
	(void)e;
	return strcmp(mark, arg) != 0;
}

int index_has_other(const struct index *x, const char *mark, struct err *e)
{
	return fs_each(x->dir, MARKS, is_other, (void *)(uintptr_t)mark, e);
}

/* -- changing -- */

void index_change_begin(const struct index *x, struct index_change *ret)
{
	struct deadline d = deadline_in(LOCK_MS);
	struct timespec dir;
	struct err ignored;	/* then the time tells of the change */

	*ret = (struct index_change){ .locked = false };
	if (x->dir <= 0 || x->lock < 0 || fs_lock(x->lock, x->key, INDEX_LOCK, &d, &ignored) < 0)
		return;
	ret->locked = time_of(x->records, &ret->before) && time_of(x->dir, &dir);
	if (ret->locked)
		ret->was_whole = says_whole(x, &ret->before) && time_equal(&ret->before, &dir);
	else
		fs_unlock(x->lock, x->key, INDEX_LOCK);
}

void index_change_end(const struct index *x, const struct index_change *c, bool known)
{
	struct timespec after;

	if (!c->locked)
		return;
	if (known && time_after(x, c, &after))
		(void)set_times(x, &after);
	fs_unlock(x->lock, x->key, INDEX_LOCK);
}

/* An empty file, which needs no syncing, in a directory that may have to be made. */
static bool make_entry(const struct index *x, const char *path)
{
	char dir[16];

	if (mknodat(x->dir, path, S_IFREG | 0600, 0) == 0 || errno == EEXIST)
		return true;
	if (errno != ENOENT)
		return false;
	(void)snprintf(dir, sizeof(dir), "%.*s", (int)strcspn(path, "/"), path);
	if (mkdirat(x->dir, dir, 0700) < 0 && errno != EEXIST)
		return false;
	return mknodat(x->dir, path, S_IFREG | 0600, 0) == 0 || errno == EEXIST;
}

bool index_add(const struct index *x, const struct index_keys *k, const char *name)
{
	char path[PATH_MAX];

	if (x->dir <= 0 || k->n == INDEX_KEYS)
		return false;
	for (unsigned int i = 0; i < k->n; i++) {
		entry_path(k->key[i], name, path);
		if (!make_entry(x, path))
			return false;
	}
	mark_path(k->mark, path);
	return !*k->mark || make_entry(x, path);
}

void index_drop(const struct index *x, const struct index_keys *k, const char *name)
{
	char path[PATH_MAX];

	if (x->dir <= 0)
		return;
	for (unsigned int i = 0; i < k->n; i++) {
		entry_path(k->key[i], name, path);
		(void)unlinkat(x->dir, path, 0);	/* left, it leads to nothing */
	}
}

/* -- entries that lead to nothing -- */

struct sweep {
	const struct index *x;
	index_there_fn *is_there;
	const char *dir;
};

static int sweep_entry(const char *entry, void *arg, struct err *e)
{
	const struct sweep *s = arg;
	char path[PATH_MAX];

	(void)e;
	if (strlen(entry) <= KEY_LEN + 1 || s->is_there(s->x, entry + KEY_LEN + 1))
		return 0;
	(void)snprintf(path, sizeof(path), "%s/%s", s->dir, entry);
	(void)unlinkat(s->x->dir, path, 0);
	return 0;
}

static int sweep_dir(const char *dir, void *arg, struct err *e)
{
	struct sweep s = *(const struct sweep *)arg;

	s.dir = dir;
	return strlen(dir) == 2 ? fs_each(s.x->dir, dir, sweep_entry, &s, e) : 0;
}

static void sweep_locked(const struct index *x, index_there_fn *is_there)
{
	struct sweep s = { .x = x, .is_there = is_there };
	struct err ignored;	/* what is left is in nobody's way */

	(void)!fs_each(x->dir, ".", sweep_dir, &s, &ignored);
}

void index_sweep(const struct index *x, index_there_fn *is_there)
{
	struct index_change c;

	index_change_begin(x, &c);
	if (c.locked)
		sweep_locked(x, is_there);
	index_change_end(x, &c, false);		/* the records are not changed by it */
}

struct left {
	const struct index *x;
	index_there_fn *is_there;
	size_t n;
};

static int count_entry(const char *entry, void *arg, struct err *e)
{
	struct left *l = arg;

	(void)e;
	l->n += strlen(entry) > KEY_LEN + 1 && !l->is_there(l->x, entry + KEY_LEN + 1);
	return 0;
}

static int count_dir(const char *dir, void *arg, struct err *e)
{
	const struct left *l = arg;

	return strlen(dir) == 2 ? fs_each(l->x->dir, dir, count_entry, arg, e) : 0;
}

int index_count_left(const struct index *x, index_there_fn *is_there, size_t *ret, struct err *e)
{
	struct left l = { .x = x, .is_there = is_there };

	*ret = 0;
	if (x->dir > 0 && fs_each(x->dir, ".", count_dir, &l, e) < 0)
		return -1;
	*ret = l.n;
	return 0;
}

/* -- making it whole -- */

struct fill {
	const struct index *x;
	index_keys_fn *keys;
	void *arg;
	bool quiet;
};

/* Non-zero: not now. */
static int fill_one(const char *file, void *arg, struct err *e)
{
	const struct fill *f = arg;
	struct index_keys k = { .n = 0 };
	char name[256];
	int r = f->keys(file, f->arg, name, &k, e);

	if (r <= 0)
		return r;
	return f->quiet && index_add(f->x, &k, name) ? 0 : 1;
}

/* Nobody has a mark any more; those who have it say so again. */
static int remove_mark(const char *mark, void *arg, struct err *e)
{
	const struct index *x = arg;
	char path[PATH_MAX];

	(void)e;
	mark_path(mark, path);
	(void)unlinkat(x->dir, path, 0);
	return 0;
}

static bool fill_locked(const struct index *x, const struct timespec *before, index_keys_fn *keys,
			index_there_fn *is_there, void *arg)
{
	struct fill f = { .x = x, .keys = keys, .arg = arg, .quiet = is_quiet(before) };
	struct timespec first = first_time(x), after;
	struct err ignored;	/* then it stays as it is */

	if (before->tv_sec == x->whole && !says_whole(x, before))
		return false;	/* the time cannot be kept here */
	if ((f.quiet && fs_each(x->dir, MARKS, remove_mark, (void *)(uintptr_t)x, &ignored) < 0) ||
	    fs_each(x->records, ".", fill_one, &f, &ignored) != 0)
		return false;
	sweep_locked(x, is_there);
	return time_of(x->records, &after) && time_equal(before, &after) && set_times(x, &first) &&
	       time_of(x->records, &after) && time_equal(&first, &after);
}

bool index_fill(const struct index *x, index_keys_fn *keys, index_there_fn *is_there, void *arg)
{
	struct index_change c;
	bool done;

	if (tried)
		return false;
	tried = true;
	index_change_begin(x, &c);
	if (!c.locked)
		return false;
	/* or another call has done it */
	done = c.was_whole || fill_locked(x, &c.before, keys, is_there, arg);
	index_change_end(x, &c, false);		/* the time is what it is to be */
	return done;
}
