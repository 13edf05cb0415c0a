/* SPDX-License-Identifier: Apache-2.0 */
/* journal.c - attachment records on disk, and the locks */
#include "devinfo/journal/journal.h"

#include "base/fs.h"
#include "base/fs_lock.h"
#include "base/jx.h"
#include "base/mem.h"
#include "devinfo/journal/record_file.h"
#include "devinfo/journal/record_key.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void journal_file_name(const struct record *r, char ret[NAME_MAX + 1])
{
	(void)snprintf(ret, NAME_MAX + 1, "%s", r->file);
}

/* Where none can be made, for the disk is full or read-only, no ADD can run either. */
static bool can_do_unlocked(enum journal_mode mode, const struct err *e)
{
	return mode == JOURNAL_UPDATE &&
	       (e->sys == EROFS || e->sys == ENOSPC || e->sys == EDQUOT);
}

/* A node without a boot's id has none, for it could not be told whether that is still whole. */
static void open_index(const struct host *h, int state, bool make, struct journal *j)
{
	struct err ignored;

	if (journal_boot_id(h, j->boot_id, &ignored) == 0)
		index_open(state, j->dir, j->lock, j->key, j->boot_id, make, &j->index);
	else
		*j->boot_id = '\0';
}

/* 0 where there is none, or no call has made its key so far. */
static int open_look(int state, uint8_t key[SIPHASH_KEY])
{
	auto_close int fd = fs_open_name(state, "lock", O_RDONLY | O_NONBLOCK, 0);
	struct err ignored;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size == 0 ||
	    fs_check_own(fd, "lock", &ignored) < 0 || fs_lock_key(fd, key, &ignored) < 0)
		return 0;
	return steal_fd(&fd);
}

int journal_open(const struct host *h, enum journal_mode mode, struct journal *ret, struct err *e)
{
	auto_close int state = -1, dir = -1, lock = -1;
	struct journal j = { .read_only = mode == JOURNAL_READ };
	char path[PATH_MAX];
	int r = fs_open_own_dir(h->root, h->set.state_dir, mode == JOURNAL_CREATE, &state, e);

	(void)snprintf(path, sizeof(path), "%s/attachments", h->set.state_dir);
	if (r > 0)
		r = fs_open_own_dir(h->root, path, mode == JOURNAL_CREATE, &dir, e);
	if (r > 0 && mode != JOURNAL_READ && fs_open_lock(state, "lock", j.key, &lock, e) < 0 &&
	    !can_do_unlocked(mode, e))
		r = -1;
	if (r <= 0)
		return r < 0 ? err_wrap(e, "journal") : 0;
	if (j.read_only)
		j.look = open_look(state, j.key);
	j.dir = steal_fd(&dir);
	j.lock = steal_fd(&lock);
	open_index(h, state, mode == JOURNAL_CREATE, &j);
	*ret = j;
	return 1;
}

void journal_done(struct journal *j)
{
	if (j->dir > 0)		/* 0: never opened */
		(void)close(j->dir);
	if (j->lock > 0)
		(void)close(j->lock);
	if (j->look > 0)
		(void)close(j->look);
	if (j->common > 0)
		(void)close(j->common);
	index_done(&j->index);
	*j = (struct journal){ .dir = -1, .lock = -1 };
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

/* It replaces what was read from there, and else what is no other owner's. */
static int give_name(const struct journal *j, const struct record *r, const char *name,
		     const struct fs_draft *d, struct err *e)
{
	int done;

	if (strcmp(name, r->file) == 0)
		return fs_draft_publish(j->dir, name, d, e);
	done = fs_draft_publish_new(j->dir, name, d, e);
	if (done != 0)
		return done;
	done = record_file_is_anothers(j, r, name, e);
	if (done == 0)
		return fs_draft_publish(j->dir, name, d, e);
	(void)unlinkat(j->dir, d->temp, 0);	/* rarely there; harmless when it stays */
	return done < 0 ? -1 : err_set(e, ERR_BUSY, EEXIST, "'%.150s' is the record of another "
				       "attachment", name);
}

static int publish(const struct journal *j, const struct record *r, const char *name,
		   const struct fs_draft *d, struct err *e)
{
	struct index_keys k = { .n = 0 };
	struct index_change c;
	bool known;
	int done;

	record_keys(r, &k);
	index_change_begin(&j->index, &c);
	known = index_add(&j->index, &k, name);
	done = give_name(j, r, name, d, e);
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
	record_file_name(j, r, name);
	text = jx_dump(o, &len);
	if (len > JOURNAL_RECORD_MAX)	/* no DEL could read it */
		return err_set(e, ERR_IO, EFBIG, "write the journal record of %s", r->device);
	if (check_readable(text, len, e) < 0)
		return err_wrap(e, "write the journal record of %s", r->device);
	if (fs_draft_fill(j->dir, name, text, len, 0600, 0, &d, e) < 0 ||
	    publish(j, r, name, &d, e) < 0)
		return err_wrap(e, "write the journal record of %s", r->device);
	return 0;
}

int journal_remove(const struct journal *j, const struct record *r, struct err *e)
{
	struct index_keys k = { .n = 0 };
	struct index_change c;
	char name[NAME_MAX + 1];
	int done = 0;

	record_file_name(j, r, name);
	if (strcmp(name, r->file) != 0)
		done = record_file_is_anothers(j, r, name, e);
	if (done != 0)
		return done < 0 ? err_wrap(e, "remove the journal record of %s", r->device) : 0;
	record_keys(r, &k);
	index_change_begin(&j->index, &c);
	done = fs_remove(j->dir, name, e);
	if (done >= 0)
		index_drop(&j->index, &k, name);
	index_change_end(&j->index, &c, true);
	if (done < 0)
		return err_wrap(e, "remove the journal record of %s", r->device);
	return 0;
}

int journal_boot_id(const struct host *h, char ret[40], struct err *e)
{
	int r = fs_read_line(h->root, ret, 40, e, "/proc/sys/kernel/random/boot_id");

	return r > 0 ? 0 : r < 0 ? -1 : err_set(e, ERR_IO, ENOENT, "read the boot id");
}

int journal_boot_id_of(const struct journal *j, const struct host *h, char ret[40], struct err *e)
{
	if (!*j->boot_id)
		return journal_boot_id(h, ret, e);
	memcpy(ret, j->boot_id, sizeof(j->boot_id));
	return 0;
}

static int count_name(const char *name, void *arg, struct err *e)
{
	size_t *n = arg;

	(void)e;
	*n += record_file_is(name) || record_file_is_aside(name);
	return 0;
}

int journal_count(struct journal *j, size_t *ret, struct err *e)
{
	size_t n = 0;

	if (fs_each(j->dir, ".", count_name, &n, e) < 0)
		return -1;
	*ret = n;
	return 0;
}

static void lock_name(const struct journal *j, const struct owner *o, char ret[64])
{
	(void)snprintf(ret, 64, "attachment %016" PRIx64, owner_hash(j, o));
}

void journal_unlock_attachment(const struct journal *j, const struct owner *o)
{
	char name[64];

	lock_name(j, o, name);
	if (j->lock >= 0)
		fs_unlock(j->lock, j->key, name);
}

int journal_lock_attachment(const struct journal *j, const struct owner *o,
			    const struct deadline *d, struct err *e)
{
	char name[64];

	lock_name(j, o, name);
	if (j->lock >= 0 && fs_lock(j->lock, j->key, name, d, e) < 0)
		return err_wrap(e, "attachment %.64s of container %.64s", o->ifname,
				o->container_id);
	return 0;
}

int journal_attachment_busy(const struct journal *j, const struct owner *o, struct err *e)
{
	char name[64];

	lock_name(j, o, name);
	if (j->lock < 0)
		return j->look > 0 ? fs_is_locked(j->look, j->key, name, e) : 0;
	return fs_is_locked(j->lock, j->key, name, e);
}

/* An attachment without a device has "" for it. */
int journal_lock_device(const struct journal *j, const char *device, const struct deadline *d,
			struct err *e)
{
	return j->lock >= 0 && *device ? fs_lock(j->lock, j->key, device, d, e) : 0;
}

void journal_unlock_device(const struct journal *j, const char *device)
{
	if (j->lock >= 0 && *device)
		fs_unlock(j->lock, j->key, device);
}

int journal_lock_common(const struct journal *j, const char *what, const struct deadline *d,
			struct err *e)
{
	return j->common > 0 ? fs_lock(j->common, j->common_key, what, d, e) :
	       j->lock >= 0  ? fs_lock(j->lock, j->key, what, d, e) :
			       0;
}

void journal_unlock_common(const struct journal *j, const char *what)
{
	if (j->common > 0)
		fs_unlock(j->common, j->common_key, what);
	else if (j->lock >= 0)
		fs_unlock(j->lock, j->key, what);
}
