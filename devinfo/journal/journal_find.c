/* SPDX-License-Identifier: Apache-2.0 */
/* journal_find.c - records by what they are called, through the index where that is whole */
#include "devinfo/journal/journal.h"

#include "base/fs.h"
#include "base/mem.h"
#include "devinfo/journal/record_file.h"
#include "devinfo/journal/record_key.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_there(const struct index *x, const char *name)
{
	char aside[NAME_MAX + 1];

	record_file_aside_name(name, aside);
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

	if (!record_file_is(file) && !record_file_is_aside(file))
		return 0;
	found = record_file_read(j, file, &r, &bad, e);
	if (found < 0 || found == RECORD_GONE)
		return found < 0 ? -1 : 0;
	record_file_describe(file, &bad);
	if (bad.unread)
		return record_file_refuse(&bad, e);
	(void)snprintf(name, 256, "%.*s", (int)(strlen(file) -
			(record_file_is_aside(file) ? strlen(JOURNAL_DAMAGED) : 0)), file);
	if (found != RECORD_GOOD) {
		record_keys_of_bad(&bad, ret);
		return 1;
	}
	record_keys(&r, ret);
	record_keys_of_name(bad.device, true, ret);	/* it may have been renamed by hand */
	return 1;
}

static bool is_whole(struct journal *j)
{
	if (index_is_whole(&j->index))
		return true;
	return !j->read_only && j->index.dir > 0 && index_fill(&j->index, keys_of, is_there, j);
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

	record_file_aside_name(name, aside);
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

/* Which files are read: all that have a fitting name, or those of the owner's hash, or the rest. */
enum among { ALL, NAMED, OTHERS };

struct search {
	struct journal *j;
	const struct owner *owner;	/* NULL: any */
	const char *device;		/* NULL: any */
	enum among among;
	char prefix[18], before[18];	/* of the owner's file, and as versions before named it */
	struct record *ret;
};

static bool is_named(const struct search *s, const char *name)
{
	return s->owner && (strncmp(name, s->prefix, 17) == 0 || strncmp(name, s->before, 17) == 0);
}

static bool is_asked_for(const struct search *s, const char *name)
{
	return (s->among == ALL || (s->among == NAMED) == is_named(s, name)) &&
	       (!s->device || record_file_is_of(name, s->device));
}

/* Whether hashes tell whose a record is: the lock, which has their key, may not have been read. */
static bool has_key(const struct journal *j)
{
	static const uint8_t none[SIPHASH_KEY];

	return memcmp(j->key, none, sizeof(none)) != 0;
}

/* Another owner's, which was read to see whose it is, does not count. */
static int match_bad(const struct search *s, const char *name, const struct journal_bad *bad,
		     unsigned int damaged, struct err *e)
{
	if (!s->owner)
		return 0;
	s->j->damaged = damaged;
	if (!record_file_may_be(bad, s->owner, is_named(s, name) ||
						       (bad->unread && !has_key(s->j))))
		return 0;
	s->j->damaged += record_file_is_aside(name) || (!bad->version && !bad->unread);
	return record_file_is(name) ? record_file_refuse(bad, e) : 0;
}

static int match(const char *name, void *arg, struct err *e)
{
	struct search *s = arg;
	auto_record struct record r = { 0 };
	unsigned int damaged = s->j->damaged;
	struct journal_bad bad;
	int found = RECORD_GONE;

	if (record_file_is(name) && is_asked_for(s, name))
		found = record_file_take(s->j, name, &r, &bad, e);
	else if (s->owner && record_file_is_aside(name) && is_asked_for(s, name))
		found = record_file_read_aside(s->j, name, &bad, e);
	if (found == RECORD_BAD)
		return match_bad(s, name, &bad, damaged, e);
	if (found != RECORD_GOOD)
		return found;
	if (s->owner ? !owner_equal(s->owner, &r.owner) : r.released)
		return 0;
	*s->ret = r;
	r = (struct record){ 0 };
	return 1;
}

/* What no index leads to: by the names first, for then few are read. */
static int match_each(struct search *s, struct err *e)
{
	unsigned int damaged = s->j->damaged;
	int r;

	s->among = NAMED;
	r = fs_each(s->j->dir, ".", match, s, e);
	if (r != 0 || s->j->damaged != damaged)
		return r;
	s->among = OTHERS;
	return fs_each(s->j->dir, ".", match, s, e);
}

/* One that does not tell its owner has no other word than the hash in its name. */
static int match_silent(struct search *s, struct err *e)
{
	struct index_keys k = { .n = 0 };
	json_auto_t *found = NULL;

	record_key_file(s->prefix, &k);
	return look_up(s->j, &k, &found) ? each_found(s->j, &k, found, match, s, e) : 0;
}

static int find_owner(struct search *s, struct err *e)
{
	unsigned int damaged = s->j->damaged;
	struct index_keys k = { .n = 0 };
	json_auto_t *found = NULL;
	int r;

	(void)snprintf(s->prefix, sizeof(s->prefix), "%016" PRIx64 "@",
		       owner_hash(s->j, s->owner));
	(void)snprintf(s->before, sizeof(s->before), "%016" PRIx64 "@",
		       owner_hash_before(s->owner));
	record_key_owner(s->owner, &k);
	if (!look_up(s->j, &k, &found))
		return match_each(s, e);
	r = each_found(s->j, &k, found, match, s, e);
	return r == 0 && s->j->damaged == damaged ? match_silent(s, e) : r;
}

int journal_find(struct journal *j, const struct owner *o, struct record *ret, struct err *e)
{
	struct search s = { .j = j, .owner = o, .ret = ret };

	return find_owner(&s, e);
}

/* Neither by its words nor by the hash in a name does the index lead to more than one file. */
bool journal_has_one(struct journal *j, const struct owner *o, char device[112])
{
	struct index_keys k = { .n = 0 };
	json_auto_t *found = NULL;
	struct journal_bad only = { .version = 0 };
	char hash[18];

	(void)snprintf(hash, sizeof(hash), "%016" PRIx64 "@", owner_hash(j, o));
	record_key_owner(o, &k);
	record_key_file(hash, &k);
	if (!look_up(j, &k, &found) || json_object_size(found) != 1)
		return false;
	record_file_describe(json_object_iter_key(json_object_iter(found)), &only);
	memcpy(device, only.device, sizeof(only.device));
	return true;
}

int journal_read(struct journal *j, const char *file, struct record *ret, struct err *e)
{
	struct journal_bad bad;
	int found = record_file_is(file) ? record_file_take(j, file, ret, &bad, e) : RECORD_GONE;

	return found == RECORD_BAD ? record_file_refuse(&bad, e) : found;
}

int journal_get(struct journal *j, const struct record *seen, struct record *ret, struct err *e)
{
	struct search s = { .j = j, .owner = &seen->owner, .device = seen->device, .ret = ret };
	auto_record struct record r = { 0 };
	int found;

	if (!*seen->file)
		return find_owner(&s, e);
	found = journal_read(j, seen->file, &r, e);
	if (found <= 0)
		return found;
	if (!owner_equal(&seen->owner, &r.owner))
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
	return (!w->device || record_file_is_of(name, w->device)) &&
	       (!w->prefix || strncmp(name + 17, w->prefix, strlen(w->prefix)) == 0);
}

static int pass_over(const struct walk *w, const struct journal_bad *bad, struct err *e)
{
	if (w->bad)
		return w->bad(bad, w->arg, e);
	if (bad->unread)
		record_file_tell_aside(bad);
	return 0;
}

static int visit_record(const char *name, void *arg, struct err *e)
{
	const struct walk *w = arg;
	auto_record struct record r = { 0 };
	struct journal_bad bad;
	int found;

	if (!record_file_is(name) || !is_asked(w, name))
		return 0;
	found = record_file_take(w->j, name, &r, &bad, e);
	if (found == RECORD_BAD)
		return pass_over(w, &bad, e);
	return found == RECORD_GOOD ? w->fn(&r, w->arg, e) : found;
}

int journal_each(struct journal *j, journal_fn *fn, void *arg, struct err *e)
{
	struct walk w = { .j = j, .fn = fn, .arg = arg };

	return fs_each(j->dir, ".", visit_record, &w, e);
}

int journal_each_of(struct journal *j, const char *device, journal_fn *fn, void *arg,
		    struct err *e)
{
	struct walk w = { .j = j, .device = device, .fn = fn, .arg = arg };
	struct index_keys k = { .n = 0 };

	record_key_device(device, &k);
	return each_name(j, &k, visit_record, &w, e);
}

static int refuse_info(const struct journal_bad *bad, void *arg, struct err *e)
{
	(void)arg;
	return bad->unread ? record_file_refuse(bad, e) : 0;
}

int journal_each_info(struct journal *j, const char *file, journal_fn *fn, void *arg, struct err *e)
{
	struct walk w = { .j = j, .fn = fn, .arg = arg };
	struct index_keys k = { .n = 0 };
	json_auto_t *found = NULL;

	record_key_info(file, &k);
	if (!look_up(j, &k, &found))
		return fs_each(j->dir, ".", visit_record, &w, e);
	w.bad = refuse_info;
	return each_found(j, &k, found, visit_record, &w, e);
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

	return each_near(j, rec, visit_record, &w, e);
}

static int visit_bad(const char *name, void *arg, struct err *e)
{
	const struct walk *w = arg;
	auto_record struct record r = { 0 };
	struct journal_bad bad;
	int found;

	if ((!record_file_is(name) && !record_file_is_aside(name)) || !is_asked(w, name))
		return 0;
	found = record_file_is_aside(name) ? record_file_read_aside(w->j, name, &bad, e) :
				 record_file_take(w->j, name, &r, &bad, e);
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
	return record_file_is_aside(name) ? visit_bad(name, arg, e) : visit_record(name, arg, e);
}

int journal_each_any(struct journal *j, journal_fn *fn, journal_bad_fn *bad, void *arg,
		     struct err *e)
{
	struct walk w = { .j = j, .fn = fn, .bad = bad, .arg = arg };

	return fs_each(j->dir, ".", visit_any, &w, e);
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
	return fs_each(j->dir, ".", visit_record, &w, e);
}

/* Entries without a record lead to nothing, whether the index leads to all records or not. */
void journal_tidy(struct journal *j)
{
	if (j->read_only)
		return;
	(void)is_whole(j);
	index_sweep(&j->index, is_there);
}

int journal_count_left(struct journal *j, size_t *ret, struct err *e)
{
	return index_count_left(&j->index, is_there, ret, e);
}
