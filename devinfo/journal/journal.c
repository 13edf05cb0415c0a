/* SPDX-License-Identifier: Apache-2.0 */
/* journal.c - attachment records on disk, and the locks */
#include "devinfo/journal/journal.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/journal/record_key.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool owner_equal(const struct owner *a, const struct owner *b)
{
	return strcmp(a->network, b->network) == 0 &&
	       strcmp(a->container_id, b->container_id) == 0 && strcmp(a->ifname, b->ifname) == 0;
}

/* The separator is in none of the three, so equal text means equal owners. */
static uint64_t owner_hash(const struct owner *o)
{
	uint64_t h = name_hash(0, o->network);

	h = name_hash(name_hash(h, "/"), o->container_id);
	return name_hash(name_hash(h, "/"), o->ifname);
}

static void record_name(const struct owner *o, const char *device, char ret[NAME_MAX + 1])
{
	(void)snprintf(ret, NAME_MAX + 1, "%016" PRIx64 "@%s.json", owner_hash(o), device);
}

static int open_lock(int state, int *ret, struct err *e)
{
	auto_close int fd = openat(state, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK |
				   O_CLOEXEC, 0600);

	if (fd < 0)
		return err_set(e, ERR_IO, errno, "open 'lock'");
	if (fs_check_own(fd, "lock", e) < 0 || fs_check_locks(fd, e) < 0)
		return -1;
	*ret = steal_fd(&fd);
	return 0;
}

/* Where none can be made, for the disk is full or read-only, no ADD can run either. */
static bool can_do_unlocked(enum journal_mode mode, const struct err *e)
{
	return mode == JOURNAL_UPDATE &&
	       (e->sys == EROFS || e->sys == ENOSPC || e->sys == EDQUOT);
}

/* A node without a boot's id has none, for it could not be told whether that is still whole. */
static void open_index(const struct host *h, int state, int dir, int lock, enum journal_mode mode,
		       struct index *ret)
{
	struct err ignored;
	char boot_id[40];

	if (journal_boot_id(h, boot_id, &ignored) == 0)
		index_open(state, dir, lock, boot_id, mode == JOURNAL_CREATE, ret);
}

/* To make the index whole; not in struct journal, of which there are copies. */
static bool tried;

int journal_open(const struct host *h, enum journal_mode mode, struct journal *ret, struct err *e)
{
	auto_close int state = -1, dir = -1, lock = -1;
	struct index index = { .dir = 0 };
	char path[PATH_MAX];
	int r = fs_open_own_dir(h->root, h->set.state_dir, mode == JOURNAL_CREATE, &state, e);

	(void)snprintf(path, sizeof(path), "%s/attachments", h->set.state_dir);
	if (r > 0)
		r = fs_open_own_dir(h->root, path, mode == JOURNAL_CREATE, &dir, e);
	if (r > 0 && mode != JOURNAL_READ && open_lock(state, &lock, e) < 0 &&
	    !can_do_unlocked(mode, e))
		r = -1;
	if (r <= 0)
		return r < 0 ? err_wrap(e, "journal") : 0;
	open_index(h, state, dir, lock, mode, &index);
	tried = false;
	*ret = (struct journal){
		.dir = steal_fd(&dir), .lock = steal_fd(&lock), .read_only = mode == JOURNAL_READ,
		.index = index,
	};
	return 1;
}

void journal_done(struct journal *j)
{
	if (j->dir > 0)		/* 0: never opened */
		(void)close(j->dir);
	if (j->lock > 0)
		(void)close(j->lock);
	index_done(&j->index);
	*j = (struct journal){ .dir = -1, .lock = -1 };
}

/* -- reading -- */

enum { RECORD_GONE, RECORD_GOOD, RECORD_BAD };

/* What is not the number of a version is damage. */
static int version_of(const json_t *doc)
{
	struct err ignored;
	json_int_t version = 0;

	return jx_int(doc, "", "version", 1, INT_MAX, &version, &ignored) == 1 ? (int)version : 0;
}

/* For people: of a torn record the beginning may be left, and there its owner stands. */
static void find_text(const char *text, const char *key, bool (*is)(const char *s), char *ret,
		      size_t size)
{
	const char *at = strstr(text, key);
	size_t len;

	if (!at)
		return;
	at += strlen(key);
	at += strspn(at, ": \t\"");
	len = strcspn(at, "\"");
	if (!at[len] || len >= size)
		return;
	memcpy(ret, at, len);
	ret[len] = '\0';
	if (!is(ret))
		*ret = '\0';
}

static void name_owner(const char *text, struct journal_bad *bad)
{
	find_text(text, "\"network\"", name_is_cni_id, bad->network, sizeof(bad->network));
	find_text(text, "\"containerID\"", name_is_cni_id, bad->container_id,
		  sizeof(bad->container_id));
	find_text(text, "\"ifname\"", name_is_ifname, bad->ifname, sizeof(bad->ifname));
}

/* The disk's trouble with this very file; of others, such as too many files, every file has it. */
static bool is_unread(int sys)
{
	return sys == EIO || sys == EUCLEAN || sys == EBADMSG;
}

static int unread(const struct err *why, struct journal_bad *bad)
{
	bad->unread = true;
	(void)snprintf(bad->why, sizeof(bad->why), "%.180s: %s", why->msg, strerror(why->sys));
	return RECORD_BAD;
}

/* RECORD_GOOD with *ret, RECORD_BAD with *bad, RECORD_GONE, or -1 where reading failed. */
static int read_file(const struct journal *j, const char *name, struct record *ret,
		     struct journal_bad *bad, struct err *e)
{
	auto_record struct record r = { 0 };
	auto_free char *text = NULL;
	struct err why = { 0 };
	size_t len = 0;
	int found = fs_read_own_file(j->dir, name, JOURNAL_RECORD_MAX, &text, &len, &why);

	*bad = (struct journal_bad){ .version = 0 };
	if (found == 0)
		return RECORD_GONE;
	if (found < 0 && is_unread(why.sys))
		return unread(&why, bad);
	if (found < 0 && why.code != ERR_PERMISSION && !fs_is_unreadable(why.sys)) {
		*e = why;	/* it may be read the next time */
		return -1;
	}
	if (found > 0)
		r.doc = jx_parse(text, len, ERR_DECODE, name, &why);
	bad->version = version_of(r.doc);
	if (bad->version == JOURNAL_VERSION && record_from_json(&r, &why) == 0) {
		*ret = r;
		r = (struct record){ 0 };
		return RECORD_GOOD;
	}
	if (bad->version == JOURNAL_VERSION)
		bad->version = 0;
	if (bad->version)
		(void)snprintf(bad->why, sizeof(bad->why), "it is of version %d, this program "
			       "writes %d", bad->version, JOURNAL_VERSION);
	else
		(void)snprintf(bad->why, sizeof(bad->why), "%s",
			       *why.msg ? why.msg : "'version' is missing");
	if (text)
		name_owner(text, bad);
	return RECORD_BAD;
}

static bool ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return len >= n && strcmp(name + len - n, end) == 0;
}

static bool is_record(const char *name)
{
	return strlen(name) >= 22 && name[16] == '@' && ends_in(name, ".json");
}

static bool is_aside(const char *name)
{
	return strlen(name) >= 22 && name[16] == '@' && ends_in(name, ".json" JOURNAL_DAMAGED);
}

/* Either's. */
static bool is_of(const char *name, const char *device)
{
	size_t len = strlen(device);
	const char *end = name + 17 + len;

	return strncmp(name + 17, device, len) == 0 &&
	       (strcmp(end, ".json") == 0 || strcmp(end, ".json" JOURNAL_DAMAGED) == 0);
}

static void name_file(const char *name, struct journal_bad *bad)
{
	size_t len = strlen(name + 17) - strlen(is_aside(name) ? ".json" JOURNAL_DAMAGED : ".json");

	(void)snprintf(bad->file, sizeof(bad->file), "%s", name);
	(void)snprintf(bad->device, sizeof(bad->device), "%.*s", (int)len, name + 17);
}

static void aside_name(const char *name, char ret[NAME_MAX + 1])
{
	(void)snprintf(ret, NAME_MAX + 1, "%.200s" JOURNAL_DAMAGED, name);
}

static journal_aside_fn *on_aside;

void journal_on_aside(journal_aside_fn *fn)
{
	on_aside = fn;
}

/* Where that is not possible (the disk is read-only) it is found to be damaged again. */
static void put_aside(const struct journal *j, struct journal_bad *bad)
{
	struct index_change c;
	char name[NAME_MAX + 1];
	int r;

	aside_name(bad->file, name);
	if (j->read_only)
		return;
	index_change_begin(&j->index, &c);
	r = renameat(j->dir, bad->file, j->dir, name);
	index_change_end(&j->index, &c, true);	/* an entry leads to either name */
	if (r < 0)
		return;
	(void)snprintf(bad->file, sizeof(bad->file), "%s", name);
	if (on_aside)
		on_aside(bad);
}

/* The same for a record's name; a damaged one is counted and put aside. */
static int read_any(struct journal *j, const char *name, struct record *ret,
		    struct journal_bad *bad, struct err *e)
{
	int r = read_file(j, name, ret, bad, e);

	if (r != RECORD_BAD)
		return r;
	name_file(name, bad);
	if (!bad->version && !bad->unread) {
		j->damaged++;
		put_aside(j, bad);
	}
	return RECORD_BAD;
}

/* Who asks for a record by its owner. */
static int not_usable(const struct journal_bad *bad, struct err *e)
{
	if (bad->unread)
		return err_set(e, ERR_IO, 0, "journal record '%.110s' cannot be read: %s",
			       bad->file, bad->why);
	if (!bad->version)
		return 0;
	return err_set(e, ERR_TRY_AGAIN, 0, "journal record '%.110s': %s", bad->file, bad->why);
}

/* Not what the next call would take for damaged, and forget what is attached: the very bytes. */
static int check_readable(const char *text, size_t len, struct err *e)
{
	auto_record struct record back = { .doc = NULL };

	back.doc = jx_parse(text, len, ERR_IO, "what would be written", e);
	if (back.doc && record_from_json(&back, e) == 0)
		return 0;
	e->code = ERR_IO;
	return -1;
}

static int publish(const struct journal *j, const struct record *r, const char *name,
		   const struct fs_draft *d, struct err *e)
{
	struct index_keys k = { .n = 0 };
	struct index_change c;
	bool known;
	int done;

	record_keys(r, name, &k);
	index_change_begin(&j->index, &c);
	known = index_add(&j->index, &k, name);
	done = fs_draft_publish(j->dir, name, d, e);
	index_change_end(&j->index, &c, known);
	if (done < 0)
		return -1;
	return fsync(j->dir) < 0 ? err_set(e, ERR_IO, errno, "sync the directory of '%s'", name) :
				   0;
}

int journal_write(const struct journal *j, const struct record *r, struct err *e)
{
	auto_with(fs_draft_done) struct fs_draft d = { .fd = 0 };
	char name[NAME_MAX + 1];
	json_auto_t *o = record_to_json(r);
	auto_free char *text = NULL;
	size_t len;

	if (!o)		/* a path that is not UTF-8, say */
		return err_set(e, ERR_IO, EILSEQ, "write the journal record of %s", r->device);
	record_name(&r->owner, r->device, name);
	text = jx_dump(o, &len);
	if (len > JOURNAL_RECORD_MAX)	/* no DEL could read it */
		return err_set(e, ERR_IO, EFBIG, "write the journal record of %s", r->device);
	if (check_readable(text, len, e) < 0)
		return err_wrap(e, "write the journal record of %s", r->device);
	if (fs_draft_fill(j->dir, name, text, len, 0600, &d, e) < 0 ||
	    publish(j, r, name, &d, e) < 0)
		return err_wrap(e, "write the journal record of %s", r->device);
	return 0;
}

int journal_remove(const struct journal *j, const struct record *r, struct err *e)
{
	struct index_keys k = { .n = 0 };
	struct index_change c;
	char name[NAME_MAX + 1];
	int done;

	record_name(&r->owner, r->device, name);
	record_keys(r, name, &k);
	index_change_begin(&j->index, &c);
	done = fs_remove(j->dir, name, e);
	if (done >= 0)
		index_drop(&j->index, &k, name);
	index_change_end(&j->index, &c, true);
	if (done < 0)
		return err_wrap(e, "remove the journal record of %s", r->device);
	return 0;
}

/* -- by the index -- */

static bool is_there(const struct index *x, const char *name)
{
	char aside[NAME_MAX + 1];

	aside_name(name, aside);
	return faccessat(x->records, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT ||
	       faccessat(x->records, aside, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

/*
 * What a record is found by, for the index; one that cannot be used by its file's name.  One that
 * the disk does not give today may be read tomorrow: it is not indexed by less than its words.
 */
static int keys_of(const char *file, void *arg, char name[256], struct index_keys *ret,
		   struct err *e)
{
	const struct journal *j = arg;
	auto_record struct record r = { 0 };
	struct journal_bad bad;
	int found;

	if (!is_record(file) && !is_aside(file))
		return 0;
	found = read_file(j, file, &r, &bad, e);
	if (found < 0 || found == RECORD_GONE)
		return found < 0 ? -1 : 0;
	name_file(file, &bad);
	if (bad.unread)
		return not_usable(&bad, e);
	(void)snprintf(name, 256, "%.*s", (int)(strlen(file) -
			(is_aside(file) ? strlen(JOURNAL_DAMAGED) : 0)), file);
	if (found == RECORD_GOOD)
		record_keys(&r, name, ret);
	/* both: a record may have been given another name by hand */
	record_keys_of_file(name, bad.device, found == RECORD_GOOD, ret);
	return 1;
}

/* It is tried once, for it may take a while. */
static bool is_whole(struct journal *j)
{
	if (index_is_whole(&j->index))
		return true;
	if (tried || j->read_only || j->index.dir <= 0)
		return false;
	tried = true;
	return index_fill(&j->index, keys_of, is_there, j);
}

/* It was killed between the record and its entries. */
static void forget(const struct journal *j, const struct index_keys *k, const char *name)
{
	struct index_change c;

	if (j->read_only)
		return;
	index_change_begin(&j->index, &c);
	if (c.locked && !is_there(&j->index, name))
		index_drop(&j->index, k, name);
	index_change_end(&j->index, &c, false);		/* the records are not changed by it */
}

/* A record of this name, and one that was put aside. */
static int tell_forms(const struct journal *j, const char *name, fs_name_fn *fn, void *arg,
		      struct err *e)
{
	char aside[NAME_MAX + 1];
	int r = 0;

	aside_name(name, aside);
	if (faccessat(j->dir, aside, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		r = fn(aside, arg, e);
	return r != 0 ? r : fn(name, arg, e);
}

/* What may have one of these keys; false: all records have to be read. */
static bool look_up(struct journal *j, const struct index_keys *k, json_t **ret)
{
	struct err ignored;	/* records can be read without it */

	return is_whole(j) && index_find(&j->index, k, ret, &ignored) == 0;
}

/* The names of files that are in what look_up() has found. */
static int each_found(const struct journal *j, const struct index_keys *k, json_t *found,
		      fs_name_fn *fn, void *arg, struct err *e)
{
	const char *name;
	json_t *v;
	int r = 0;

	json_object_foreach(found, name, v) {
		if (r != 0)
			break;
		if (is_there(&j->index, name))
			r = tell_forms(j, name, fn, arg, e);
		else
			forget(j, k, name);
	}
	return r;
}

/* fs_each() wants a path; "." below our directory is one. */
static int each_name(struct journal *j, const struct index_keys *k, fs_name_fn *fn, void *arg,
		     struct err *e)
{
	json_auto_t *found = NULL;

	return look_up(j, k, &found) ? each_found(j, k, found, fn, arg, e) :
				       fs_each(j->dir, ".", fn, arg, e);
}

struct search {
	struct journal *j;
	const struct owner *owner;	/* NULL: any */
	const char *device;		/* NULL: any */
	char prefix[18];
	struct record *ret;
};

static int match(const char *name, void *arg, struct err *e)
{
	struct search *s = arg;
	auto_record struct record r = { 0 };
	struct journal_bad bad;
	int found;

	if ((s->owner && strncmp(name, s->prefix, 17) != 0) ||
	    (s->device && !is_of(name, s->device)))
		return 0;
	s->j->damaged += s->owner && is_aside(name);
	if (!is_record(name))
		return 0;
	found = read_any(s->j, name, &r, &bad, e);
	if (found == RECORD_BAD)
		return s->owner ? not_usable(&bad, e) : 0;
	if (found != RECORD_GOOD)
		return found;
	if ((s->owner && !owner_equal(s->owner, &r.owner)) || (s->device && r.released))
		return 0;
	*s->ret = r;
	r = (struct record){ 0 };
	return 1;
}

int journal_find(struct journal *j, const struct owner *o, struct record *ret, struct err *e)
{
	struct search s = { .j = j, .owner = o, .ret = ret };
	struct index_keys k = { .n = 0 };

	(void)snprintf(s.prefix, sizeof(s.prefix), "%016" PRIx64 "@", owner_hash(o));
	record_key_owner(s.prefix, &k);
	return each_name(j, &k, match, &s, e);
}

int journal_get(struct journal *j, const struct owner *o, const char *device, struct record *ret,
		struct err *e)
{
	auto_record struct record r = { 0 };
	struct journal_bad bad;
	char name[NAME_MAX + 1];
	int found;

	record_name(o, device, name);
	found = read_any(j, name, &r, &bad, e);
	if (found == RECORD_BAD)
		return not_usable(&bad, e);
	if (found != RECORD_GOOD)
		return found;
	if (!owner_equal(o, &r.owner))
		return 0;
	*ret = r;
	r = (struct record){ 0 };
	return 1;
}

int journal_find_device(struct journal *j, const char *device, struct record *ret, struct err *e)
{
	struct search s = { .j = j, .device = device, .ret = ret };
	struct index_keys k = { .n = 0 };

	record_key_device(device, &k);
	return each_name(j, &k, match, &s, e);
}

static int refuse_device(const struct journal_bad *bad, void *arg, struct err *e)
{
	(void)arg;
	(void)err_set(e, ERR_BUSY, 0, "device %s is not given away: its record '%.150s' %s",
		      bad->device, bad->file,
		      bad->unread  ? "cannot be read" :
		      bad->version ? "is of another version" : "is damaged");
	(void)err_detail(e, "%s", bad->why);
	if (*bad->container_id)
		(void)err_private(e, "it was of interface %s of container %.64s",
				  *bad->ifname ? bad->ifname : "?", bad->container_id);
	return err_detail(e, "restore the device, then remove the file: see devinfo(8)");
}

struct walk {
	struct journal *j;
	const char *device;		/* NULL: any */
	const char *prefix;		/* of the device; NULL: any */
	journal_fn *fn;
	journal_bad_fn *bad;		/* one that cannot be used; NULL: it is passed over */
	void *arg;
};

static bool is_asked(const struct walk *w, const char *name)
{
	return (!w->device || is_of(name, w->device)) &&
	       (!w->prefix || strncmp(name + 17, w->prefix, strlen(w->prefix)) == 0);
}

static int pass_over(const struct walk *w, const struct journal_bad *bad, struct err *e)
{
	if (w->bad)
		return w->bad(bad, w->arg, e);
	if (bad->unread && on_aside)
		on_aside(bad);
	return 0;
}

static int visit(const char *name, void *arg, struct err *e)
{
	const struct walk *w = arg;
	auto_record struct record r = { 0 };
	struct journal_bad bad;
	int found;

	if (!is_record(name) || !is_asked(w, name))
		return 0;
	found = read_any(w->j, name, &r, &bad, e);
	if (found == RECORD_BAD)
		return pass_over(w, &bad, e);
	return found == RECORD_GOOD ? w->fn(&r, w->arg, e) : found;
}

int journal_each(struct journal *j, journal_fn *fn, void *arg, struct err *e)
{
	struct walk w = { .j = j, .fn = fn, .arg = arg };

	return fs_each(j->dir, ".", visit, &w, e);
}

int journal_each_of(struct journal *j, const char *device, journal_fn *fn, void *arg,
		    struct err *e)
{
	struct walk w = { .j = j, .device = device, .fn = fn, .arg = arg };
	struct index_keys k = { .n = 0 };

	record_key_device(device, &k);
	return each_name(j, &k, visit, &w, e);
}

static int refuse_info(const struct journal_bad *bad, void *arg, struct err *e)
{
	(void)arg;
	return bad->unread ? not_usable(bad, e) : 0;
}

int journal_each_info(struct journal *j, const char *file, journal_fn *fn, void *arg, struct err *e)
{
	struct walk w = { .j = j, .fn = fn, .arg = arg };
	struct index_keys k = { .n = 0 };
	json_auto_t *found = NULL;

	record_key_info(file, &k);
	if (!look_up(j, &k, &found))
		return fs_each(j->dir, ".", visit, &w, e);
	w.bad = refuse_info;
	return each_found(j, &k, found, visit, &w, e);
}

/* All of the prefix, where the same directory may have two names. */
static int each_near(struct journal *j, const struct record *rec, fs_name_fn *fn, void *arg,
		     struct err *e)
{
	struct index_keys k = { .n = 0 };
	json_auto_t *found = NULL;
	struct err ignored;	/* as look_up() */
	char mark[112];

	record_key_mark(rec, mark);
	record_key_path(rec, &k);
	if (look_up(j, &k, &found) && index_has_other(&j->index, mark, &ignored) == 0)
		return each_found(j, &k, found, fn, arg, e);
	return fs_each(j->dir, ".", fn, arg, e);
}

int journal_each_near(struct journal *j, const char *prefix, const struct record *rec,
		      journal_fn *fn, void *arg, struct err *e)
{
	struct walk w = { .j = j, .prefix = prefix, .fn = fn, .arg = arg };

	return each_near(j, rec, visit, &w, e);
}

/* One that was put aside is read for what it says, though nobody goes by it. */
static int read_aside(const struct journal *j, const char *name, struct journal_bad *bad,
		      struct err *e)
{
	auto_record struct record r = { 0 };
	int found = read_file(j, name, &r, bad, e);

	if (found < 0 || found == RECORD_GONE)
		return found;
	name_file(name, bad);
	bad->version = 0;
	if (found == RECORD_GOOD)
		(void)snprintf(bad->why, sizeof(bad->why), "it can be read again: rename it");
	return RECORD_BAD;
}

static int visit_bad(const char *name, void *arg, struct err *e)
{
	const struct walk *w = arg;
	auto_record struct record r = { 0 };
	struct journal_bad bad;
	int found;

	if ((!is_record(name) && !is_aside(name)) || !is_asked(w, name))
		return 0;
	found = is_aside(name) ? read_aside(w->j, name, &bad, e) :
				 read_any(w->j, name, &r, &bad, e);
	if (found < 0)
		return -1;
	return found == RECORD_BAD ? w->bad(&bad, w->arg, e) : 0;
}

int journal_each_bad(struct journal *j, journal_bad_fn *fn, void *arg, struct err *e)
{
	struct walk w = { .j = j, .bad = fn, .arg = arg };

	return fs_each(j->dir, ".", visit_bad, &w, e);
}

int journal_each_bad_near(struct journal *j, const char *prefix, const struct record *rec,
			  journal_bad_fn *fn, void *arg, struct err *e)
{
	struct walk w = { .j = j, .prefix = prefix, .bad = fn, .arg = arg };

	return each_near(j, rec, visit_bad, &w, e);
}

int journal_check_device(struct journal *j, const char *device, struct err *e)
{
	struct walk w = { .j = j, .device = device, .bad = refuse_device };
	struct index_keys k = { .n = 0 };

	record_key_device(device, &k);
	return *device ? each_name(j, &k, visit_bad, &w, e) : 0;
}

static int visit_any(const char *name, void *arg, struct err *e)
{
	return is_aside(name) ? visit_bad(name, arg, e) : visit(name, arg, e);
}

int journal_each_called(struct journal *j, const char *const names[], size_t n, journal_fn *fn,
			void *arg, struct err *e)
{
	struct walk w = { .j = j, .fn = fn, .arg = arg };
	struct index_keys k = { .n = 0 };
	json_auto_t *found = NULL;

	for (size_t i = 0; i < n; i++)
		record_key_device(names[i], &k);
	if (look_up(j, &k, &found)) {
		w.bad = refuse_device;		/* it was found by one of the names */
		return each_found(j, &k, found, visit_any, &w, e);
	}
	for (size_t i = 0; i < n; i++)
		if ((i == 0 || strcmp(names[i], names[0]) != 0) &&
		    journal_check_device(j, names[i], e) < 0)
			return -1;
	return fs_each(j->dir, ".", visit, &w, e);
}

void journal_tidy(struct journal *j)
{
	if (is_whole(j))
		index_sweep(&j->index, is_there);
}

int journal_boot_id(const struct host *h, char ret[40], struct err *e)
{
	int r = fs_read_line(h->root, ret, 40, e, "/proc/sys/kernel/random/boot_id");

	return r > 0 ? 0 : r < 0 ? -1 : err_set(e, ERR_IO, ENOENT, "read the boot id");
}

static void lock_name(const struct owner *o, char ret[64])
{
	(void)snprintf(ret, 64, "attachment %016" PRIx64, owner_hash(o));
}

void journal_unlock_attachment(const struct journal *j, const struct owner *o)
{
	char name[64];

	lock_name(o, name);
	if (j->lock >= 0)
		fs_unlock(j->lock, name);
}

int journal_lock_attachment(const struct journal *j, const struct owner *o,
			    const struct deadline *d, struct err *e)
{
	char name[64];

	lock_name(o, name);
	if (j->lock >= 0 && fs_lock(j->lock, name, d, e) < 0)
		return err_wrap(e, "attachment %.64s of container %.64s", o->ifname,
				o->container_id);
	return 0;
}

int journal_attachment_busy(const struct journal *j, const struct owner *o, struct err *e)
{
	char name[64];

	lock_name(o, name);
	return j->lock >= 0 ? fs_is_locked(j->lock, name, e) : 0;
}

/* An attachment without a device has "" for it. */
int journal_lock_device(const struct journal *j, const char *device, const struct deadline *d,
			struct err *e)
{
	return j->lock >= 0 && *device ? fs_lock(j->lock, device, d, e) : 0;
}

void journal_unlock_device(const struct journal *j, const char *device)
{
	if (j->lock >= 0 && *device)
		fs_unlock(j->lock, device);
}
