/* SPDX-License-Identifier: Apache-2.0 */
/* journal.c - attachment records on disk, and the locks */
#include "devinfo/journal.h"

#include "base/fs.h"
#include "base/jx.h"
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

static int open_attachments(const struct host *h, enum journal_mode mode, int *ret, struct err *e)
{
	char path[PATH_MAX];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/attachments", h->set.state_dir);
	if (mode == JOURNAL_CREATE) {
		auto_close int state = fs_open_dir(h->root, h->set.state_dir, 0700, e);

		*ret = state < 0 ? -1 : fs_open_dir(h->root, path, 0700, e);
		return *ret < 0 ? -1 : 1;
	}
	fd = fs_open(h->root, path, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ?
			       0 : err_set(e, ERR_IO, errno, "open directory '%s'", path);
	*ret = fd;
	return 1;
}

int journal_open(const struct host *h, enum journal_mode mode, struct journal *ret, struct err *e)
{
	auto_close int dir = -1, lock = -1;
	int r = open_attachments(h, mode, &dir, e);

	if (r <= 0)
		return r;
	if (mode != JOURNAL_READ) {
		lock = openat(dir, "../lock",
			      O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
		if (lock < 0 && (mode == JOURNAL_CREATE || errno != EROFS))
			return err_set(e, ERR_IO, errno, "open '%s/lock'", h->set.state_dir);
	}
	*ret = (struct journal){
		.dir = steal_fd(&dir), .lock = steal_fd(&lock), .read_only = mode == JOURNAL_READ
	};
	return 1;
}

void journal_done(struct journal *j)
{
	if (j->dir > 0)		/* 0: never opened */
		(void)close(j->dir);
	if (j->lock > 0)
		(void)close(j->lock);
	*j = (struct journal){ .dir = -1, .lock = -1 };
}

/* 1 written by us, 0 no telling, -1 by another version, whose records are not ours to judge. */
static int check_version(const json_t *doc, const char *name, struct err *e)
{
	struct err ignored;
	json_int_t version = 0;

	if (jx_int(doc, "", "version", 1, INT_MAX, &version, &ignored) != 1)
		return 0;
	if (version == JOURNAL_VERSION)
		return 1;
	return err_set(e, ERR_IO, 0,
		       "journal record '%s' is of version %lld, this program writes %d", name,
		       (long long)version, JOURNAL_VERSION);
}

/* 1 with *ret filled; 0 when the file is gone, or damaged: then it is removed and counted. */
static int read_record(struct journal *j, const char *name, struct record *ret, struct err *e)
{
	auto_record struct record r = { 0 };
	auto_free char *text = NULL;
	struct err bad;
	size_t len = 0;
	int found = fs_read_file(j->dir, name, JOURNAL_RECORD_MAX, &text, &len, e);

	if (found <= 0)
		return found;
	r.doc = jx_parse(text, len, ERR_DECODE, name, &bad);
	found = json_is_object(r.doc) ? check_version(r.doc, name, e) : 0;
	if (found < 0)
		return -1;
	if (found == 0 || record_from_json(&r, &bad) < 0) {
		j->damaged++;
		return j->read_only ? 0 : fs_remove(j->dir, name, e) < 0 ? -1 : 0;
	}
	*ret = r;
	r = (struct record){ 0 };
	return 1;
}

/* Not what the next call would take for damaged, and forget what is attached. */
static int check_readable(json_t *o, struct err *e)
{
	auto_record struct record back = { .doc = json_incref(o) };

	if (record_from_json(&back, e) == 0)
		return 0;
	e->code = ERR_IO;
	return -1;
}

int journal_write(const struct journal *j, const struct record *r, struct err *e)
{
	char name[NAME_MAX + 1];
	json_auto_t *o = record_to_json(r);
	auto_free char *text = NULL;
	size_t len;

	if (!o)		/* a path that is not UTF-8, say */
		return err_set(e, ERR_IO, EILSEQ, "write the journal record of %s", r->device);
	if (check_readable(o, e) < 0)
		return err_wrap(e, "write the journal record of %s", r->device);
	record_name(&r->owner, r->device, name);
	text = jx_dump(o, &len);
	if (len > JOURNAL_RECORD_MAX)	/* no DEL could read it */
		return err_set(e, ERR_IO, EFBIG, "write the journal record of %s", r->device);
	if (fs_write_file(j->dir, name, text, len, 0600, FS_SYNC_DIR, e) < 0)
		return err_wrap(e, "write the journal record of %s", r->device);
	return 0;
}

int journal_remove(const struct journal *j, const struct record *r, struct err *e)
{
	char name[NAME_MAX + 1];

	record_name(&r->owner, r->device, name);
	if (fs_remove(j->dir, name, e) < 0)
		return err_wrap(e, "remove the journal record of %s", r->device);
	return 0;
}

struct search {
	struct journal *j;
	const struct owner *owner;	/* NULL: any */
	const char *device;		/* NULL: any */
	char prefix[18];
	struct record *ret;
};

static int is_record(const char *name)
{
	size_t len = strlen(name);

	return len >= 22 && name[16] == '@' && strcmp(name + len - 5, ".json") == 0;
}

static bool is_of(const char *name, const char *device)
{
	size_t len = strlen(device);

	return strncmp(name + 17, device, len) == 0 && strcmp(name + 17 + len, ".json") == 0;
}

static int match(const char *name, void *arg, struct err *e)
{
	struct search *s = arg;
	auto_record struct record r = { 0 };
	int found;

	if (!is_record(name) || (s->owner && strncmp(name, s->prefix, 17) != 0) ||
	    (s->device && !is_of(name, s->device)))
		return 0;
	found = read_record(s->j, name, &r, e);
	if (found <= 0)
		return found;
	if ((s->owner && !owner_equal(s->owner, &r.owner)) || (s->device && r.released))
		return 0;
	*s->ret = r;
	r = (struct record){ 0 };
	return 1;
}

/* fs_each() wants a path; "." below our directory is one. */
static int search(struct search *s, struct err *e)
{
	return fs_each(s->j->dir, ".", match, s, e);
}

int journal_find(struct journal *j, const struct owner *o, struct record *ret, struct err *e)
{
	struct search s = { .j = j, .owner = o, .ret = ret };

	(void)snprintf(s.prefix, sizeof(s.prefix), "%016" PRIx64 "@", owner_hash(o));
	return search(&s, e);
}

int journal_get(struct journal *j, const struct owner *o, const char *device, struct record *ret,
		struct err *e)
{
	auto_record struct record r = { 0 };
	char name[NAME_MAX + 1];
	int found;

	record_name(o, device, name);
	found = read_record(j, name, &r, e);
	if (found <= 0)
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

	return search(&s, e);
}

struct walk {
	struct journal *j;
	const char *device;		/* NULL: any */
	const char *prefix;		/* of the device; NULL: any */
	journal_fn *fn;
	void *arg;
};

static int visit(const char *name, void *arg, struct err *e)
{
	const struct walk *w = arg;
	auto_record struct record r = { 0 };
	int found;

	if (!is_record(name) || (w->device && !is_of(name, w->device)) ||
	    (w->prefix && strncmp(name + 17, w->prefix, strlen(w->prefix)) != 0))
		return 0;
	found = read_record(w->j, name, &r, e);
	return found <= 0 ? found : w->fn(&r, w->arg, e);
}

int journal_each(struct journal *j, journal_fn *fn, void *arg, struct err *e)
{
	return journal_each_of(j, NULL, fn, arg, e);
}

int journal_each_of(struct journal *j, const char *device, journal_fn *fn, void *arg,
		    struct err *e)
{
	struct walk w = { .j = j, .device = device, .fn = fn, .arg = arg };

	return fs_each(j->dir, ".", visit, &w, e);
}

int journal_each_like(struct journal *j, const char *prefix, journal_fn *fn, void *arg,
		      struct err *e)
{
	struct walk w = { .j = j, .prefix = prefix, .fn = fn, .arg = arg };

	return fs_each(j->dir, ".", visit, &w, e);
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
