/* SPDX-License-Identifier: Apache-2.0 */
/* earlier.c - the directories that the node's file has named before */
#include "devinfo/journal/earlier.h"

#include "base/fs.h"
#include "base/fs_lock.h"
#include "base/jx.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define VERSION		1
#define FILE_MAX	(EARLIER_MAX * 3 * PATH_MAX)
#define LOCK_MS		1000

#define FILE_SYSTEM	"fileSystem"	/* "<boot id> <device number>" */

static const char *const keys[] = { "stateDir", "runDir", "devinfoDir" };

/* -- reading -- */

static int check_entry(const json_t *o, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *s = json_string_value(json_object_get(o, keys[i]));

		if (!s || *s != '/' || strlen(s) >= PATH_MAX)
			return err_set(e, ERR_DECODE, 0, "%s: expected an absolute path", keys[i]);
	}
	return 0;
}

static int check_list(const json_t *doc, json_t **ret, struct err *e)
{
	const json_t *o;
	json_int_t version = 0;
	size_t i;

	if (jx_int(doc, "", "version", 1, INT_MAX, &version, e) < 0 ||
	    jx_array(doc, "", "dirs", ret, e) < 0)
		return -1;
	if (version != VERSION)
		return err_set(e, ERR_DECODE, 0, "version: expected %d, got %d", VERSION,
			       (int)version);
	if (json_array_size(*ret) > EARLIER_MAX)
		return err_set(e, ERR_DECODE, 0, "dirs: has %zu elements, expected at most %d",
			       json_array_size(*ret), EARLIER_MAX);
	json_array_foreach(*ret, i, o)
		if (check_entry(o, e) < 0)
			return -1;
	return 0;
}

static int parse(const char *text, size_t len, json_t **ret, struct err *e)
{
	json_auto_t *doc = jx_parse(text, len, ERR_DECODE, EARLIER_FILE, e);
	json_t *list = NULL;

	if (!doc || check_list(doc, &list, e) < 0)
		return -1;
	*ret = json_incref(list);
	return 0;
}

static bool is_old(int dir)
{
	time_t now = time(NULL);
	struct stat st;

	return fstatat(dir, EARLIER_FILE, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_mtime <= now &&
	       now - st.st_mtime > EARLIER_QUIET_S;
}

/* dir: the place, open.  1, 0 absent, -1. */
static int read_list(int dir, json_t **ret, struct err *e)
{
	auto_free char *text = NULL;
	size_t len = 0;
	int r = fs_read_own_file(dir, EARLIER_FILE, FILE_MAX, &text, &len, e);

	return r > 0 && parse(text, len, ret, e) < 0 ? -1 : r;
}

static int read_place(const struct host *h, struct earlier *x, struct err *e)
{
	auto_close int dir = -1;
	int r = fs_open_own_dir(h->root, x->place, false, &dir, e);

	if (r > 0)
		r = read_list(dir, &x->list, e);
	if (r > 0 && json_array_size(x->list) > 1)
		x->old = is_old(dir);
	return r < 0 ? -1 : 0;
}

void earlier_read(const struct host *h, const char *conf, struct earlier *ret)
{
	struct earlier x = { .has_default = !conf || !*conf };
	struct err why;

	if (snprintf(x.place, sizeof(x.place), "%s%s", x.has_default ? EARLIER_DIR : conf,
		     x.has_default ? "" : EARLIER_SUFFIX) >= (int)sizeof(x.place))
		(void)err_set(&x.why, ERR_ENV, ENAMETOOLONG, "DEVINFO_CONF");
	else if (read_place(h, &x, &why) < 0) {
		x.why = why;
		(void)err_wrap(&x.why, "earlier directories, in '%.200s'", x.place);
		(void)err_detail(&x.why, "it says in which directories there may be records: see "
				 "devinfo.conf(5)");
	}
	*ret = x;
}

void earlier_done(struct earlier *x)
{
	json_decref(x->list);
	x->list = NULL;
}

/* -- entries -- */

static const char *text_of(const json_t *o, size_t key)
{
	return json_string_value(json_object_get(o, keys[key]));
}

static void take(const json_t *o, struct settings *ret)
{
	ret->state_dir = text_of(o, 0);
	ret->run_dir = text_of(o, 1);
	ret->devinfo_dir = text_of(o, 2);
}

static bool is_entry_of(const json_t *o, const struct settings *set)
{
	return strcmp(text_of(o, 0), set->state_dir) == 0 &&
	       strcmp(text_of(o, 1), set->run_dir) == 0 &&
	       strcmp(text_of(o, 2), set->devinfo_dir) == 0;
}

static const json_t *last_of(const json_t *list)
{
	size_t n = json_array_size(list);

	return n > 0 ? json_array_get(list, n - 1) : NULL;
}

bool earlier_take_last(const struct earlier *x, struct settings *ret)
{
	const json_t *last = last_of(x->list);

	if (last)
		take(last, ret);
	return last != NULL;
}

bool earlier_is_last(const struct earlier *x, const char *state_dir)
{
	struct settings last = settings_default;

	(void)earlier_take_last(x, &last);
	return strcmp(last.state_dir, state_dir) == 0;
}

static bool is_default(const struct settings *set)
{
	return strcmp(set->state_dir, settings_default.state_dir) == 0 &&
	       strcmp(set->run_dir, settings_default.run_dir) == 0 &&
	       strcmp(set->devinfo_dir, settings_default.devinfo_dir) == 0;
}

bool earlier_is_noted(const struct host *h)
{
	const struct earlier *x = h->earlier;
	const json_t *last = x ? last_of(x->list) : NULL;

	if (!x || x->why.code != ERR_OK)
		return !x;
	return last ? is_entry_of(last, &h->set) : x->has_default && is_default(&h->set);
}

/* -- the journals there -- */

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

/* The file system that the path is on, or would be: of the nearest directory that is there. */
static void tell_file_system(const struct host *h, const char *path, char ret[80])
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
	tell_file_system(h, state_dir, now);
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

static int visit(const struct host *h, const struct settings *dirs, const char *file_system,
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
	return json_string_value(json_object_get(o, FILE_SYSTEM));
}

static bool has_state_dir(const json_t *list, const char *dir)
{
	const json_t *o;
	size_t i;

	json_array_foreach(list, i, o)
		if (strcmp(text_of(o, 0), dir) == 0)
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
			r = visit(h, dirs[i], NULL, mode, v, e);
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
		take(o, &dirs);
		r = visit(h, &dirs, file_system_of(o), mode, &v, e);
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

/* -- writing -- */

static json_t *entry_of(const struct settings *set)
{
	return json_pack("{s:s, s:s, s:s}", keys[0], set->state_dir, keys[1], set->run_dir,
			 keys[2], set->devinfo_dir);
}

/* What cannot be looked at may have records; what a DEL there had to keep of sockets are some. */
static bool is_empty(const struct host *h, const json_t *o)
{
	struct count c = { .n = 0 };
	const struct visitor v = { count, &c };
	struct settings dirs;
	struct err ignored;
	char kept[PATH_MAX];

	take(o, &dirs);
	if (visit(h, &dirs, file_system_of(o), JOURNAL_READ, &v, &ignored) != 0 ||
	    snprintf(kept, sizeof(kept), "%s/kept", dirs.state_dir) >= (int)sizeof(kept))
		return false;
	dirs.state_dir = kept;
	return visit(h, &dirs, NULL, JOURNAL_READ, &v, &ignored) == 0 && c.n == 0;
}

/* The list as it is to be, new reference. */
static json_t *list_with(const struct host *h, const json_t *list, bool old)
{
	json_t *ret = json_array(), *last = NULL, *o;
	size_t i;

	json_array_foreach(list, i, o) {
		if (is_entry_of(o, &h->set))
			last = json_incref(o);
		else if (strcmp(text_of(o, 0), h->set.state_dir) != 0 && !(old && is_empty(h, o)))
			(void)json_array_append(ret, o);
	}
	(void)json_array_append_new(ret, last ? last : entry_of(&h->set));
	return ret;
}

/* What is there now says on which file system it is. */
static void note_file_systems(const struct host *h, json_t *list)
{
	struct err ignored;
	char text[80];
	json_t *o;
	size_t i;

	json_array_foreach(list, i, o) {
		if (fs_exists(h->root, &ignored, "%s/attachments", text_of(o, 0)) <= 0)
			continue;
		tell_file_system(h, text_of(o, 0), text);
		if (*text)
			(void)json_object_set_new(o, FILE_SYSTEM, json_string(text));
	}
}

static int write_list(int dir, json_t *list, struct err *e)
{
	json_auto_t *doc = json_pack("{s:i, s:O}", "version", VERSION, "dirs", list);
	auto_free char *text = NULL;
	size_t len;

	if (!doc)
		return err_set(e, ERR_IO, EILSEQ, "note the directories");
	if (json_array_size(list) > EARLIER_MAX)
		return err_set(e, ERR_IO, E2BIG, "note the directories: over %d others have "
			       "records", EARLIER_MAX - 1);
	text = jx_dump(doc, &len);
	return fs_write_file(dir, EARLIER_FILE, text, len, 0600, FS_SYNC_DIR, e);
}

/* Under the lock it is read again: another call may have changed it. */
static int note_locked(const struct host *h, int dir, struct err *e)
{
	json_auto_t *list = NULL, *next = NULL;
	const json_t *last;

	if (read_list(dir, &list, e) < 0)
		return -1;
	last = last_of(list);
	/* a change is noted alone: calls with the directories of before may be at work */
	next = list_with(h, list, last && is_entry_of(last, &h->set) && is_old(dir));
	if (list && json_equal(list, next))
		return 0;
	note_file_systems(h, next);
	return write_list(dir, next, e);
}

static int note(const struct host *h, const char *place, struct err *e)
{
	struct deadline d = deadline_in(LOCK_MS);
	auto_close int dir = -1, lock = -1;
	uint8_t key[SIPHASH_KEY];

	if (fs_open_own_dir(h->root, place, true, &dir, e) < 0 ||
	    fs_open_lock(dir, "lock", key, &lock, e) < 0 ||
	    fs_lock(lock, key, EARLIER_FILE, &d, e) < 0)
		return -1;
	return note_locked(h, dir, e);
}

/* Is it all as it is to be? */
static bool is_settled(const struct host *h)
{
	const struct earlier *x = h->earlier;
	json_auto_t *next = NULL;

	if (!earlier_is_noted(h) || !x->old)
		return earlier_is_noted(h);
	next = list_with(h, x->list, true);
	return json_equal(x->list, next);
}

int earlier_note(const struct host *h, struct err *e)
{
	const struct earlier *x = h->earlier;

	if (!x || is_settled(h))
		return 0;
	if (x->why.code != ERR_OK) {
		*e = x->why;
		return -1;
	}
	return note(h, x->place, e) < 0 ? err_wrap(e, "earlier directories, in '%.200s'",
						   x->place) : 0;
}
