/* SPDX-License-Identifier: Apache-2.0 */
/* record_file.c - the file of one record: its name, reading it, putting a damaged one aside */
#include "devinfo/journal/record_file.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "base/siphash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool owner_equal(const struct owner *a, const struct owner *b)
{
	return strcmp(a->network, b->network) == 0 &&
	       strcmp(a->container_id, b->container_id) == 0 && strcmp(a->ifname, b->ifname) == 0;
}

uint64_t owner_hash(const struct journal *j, const struct owner *o)
{
	const char *const texts[] = { o->network, o->container_id, o->ifname };

	return siphash_texts(j->key, texts, ARRAY_SIZE(texts));
}

uint64_t owner_hash_before(const struct owner *o)
{
	uint64_t h = name_hash(0, o->network);

	h = name_hash(name_hash(h, "/"), o->container_id);
	return name_hash(name_hash(h, "/"), o->ifname);
}

/* Its device may be known by another name since. */
void record_file_name(const struct journal *j, const struct record *r, char ret[NAME_MAX + 1])
{
	if (record_file_is(r->file) && record_file_is_of(r->file, r->device))
		(void)snprintf(ret, NAME_MAX + 1, "%s", r->file);
	else
		(void)snprintf(ret, NAME_MAX + 1, "%016" PRIx64 "@%s.json",
			       owner_hash(j, &r->owner), r->device);
}

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

int record_file_read(const struct journal *j, const char *name, struct record *ret,
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
	bad->untrusted = found < 0 && why.code == ERR_PERMISSION;
	if (found > 0)
		r.doc = jx_parse(text, len, ERR_DECODE, name, &why);
	bad->version = version_of(r.doc);
	if (bad->version == JOURNAL_VERSION && record_from_json(&r, &why) == 0) {
		*ret = r;
		(void)snprintf(ret->file, sizeof(ret->file), "%s", name);
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

bool record_file_is(const char *name)
{
	return strlen(name) >= 22 && name[16] == '@' && ends_in(name, ".json");
}

bool record_file_is_aside(const char *name)
{
	return strlen(name) >= 22 && name[16] == '@' && ends_in(name, ".json" JOURNAL_DAMAGED);
}

/* Either's. */
bool record_file_is_of(const char *name, const char *device)
{
	size_t len = strlen(device);
	const char *end = name + 17 + len;

	return strncmp(name + 17, device, len) == 0 &&
	       (strcmp(end, ".json") == 0 || strcmp(end, ".json" JOURNAL_DAMAGED) == 0);
}

void record_file_describe(const char *name, struct journal_bad *bad)
{
	const char *end = record_file_is_aside(name) ? ".json" JOURNAL_DAMAGED : ".json";
	size_t len = strlen(name + 17) - strlen(end);

	(void)snprintf(bad->file, sizeof(bad->file), "%s", name);
	(void)snprintf(bad->device, sizeof(bad->device), "%.*s", (int)len, name + 17);
}

void record_file_aside_name(const char *name, char ret[NAME_MAX + 1])
{
	(void)snprintf(ret, NAME_MAX + 1, "%.200s" JOURNAL_DAMAGED, name);
}

static journal_aside_fn *on_aside;

void journal_on_aside(journal_aside_fn *fn)
{
	on_aside = fn;
}

void record_file_tell_aside(const struct journal_bad *bad)
{
	if (on_aside)
		on_aside(bad);
}

/* Where that is not possible (the disk is read-only) it is found to be damaged again. */
static void put_aside(const struct journal *j, struct journal_bad *bad)
{
	struct index_change c;
	char name[NAME_MAX + 1];
	int r;

	record_file_aside_name(bad->file, name);
	if (j->read_only)
		return;
	index_change_begin(&j->index, &c);
	r = renameat(j->dir, bad->file, j->dir, name);
	index_change_end(&j->index, &c, true);	/* an entry leads to either name */
	if (r < 0)
		return;
	(void)snprintf(bad->file, sizeof(bad->file), "%s", name);
	record_file_tell_aside(bad);
}

int record_file_take(struct journal *j, const char *name, struct record *ret,
		    struct journal_bad *bad, struct err *e)
{
	int r = record_file_read(j, name, ret, bad, e);

	if (r != RECORD_BAD)
		return r;
	record_file_describe(name, bad);
	if (!bad->version && !bad->unread) {
		j->damaged++;
		put_aside(j, bad);
	}
	return RECORD_BAD;
}

int record_file_read_aside(const struct journal *j, const char *name, struct journal_bad *bad,
		      struct err *e)
{
	auto_record struct record r = { 0 };
	int found = record_file_read(j, name, &r, bad, e);

	if (found < 0 || found == RECORD_GONE)
		return found;
	record_file_describe(name, bad);
	bad->version = 0;
	if (found == RECORD_GOOD)
		(void)snprintf(bad->why, sizeof(bad->why), "it can be read again: rename it");
	return RECORD_BAD;
}

bool record_file_may_be(const struct journal_bad *bad, const struct owner *o, bool by_name)
{
	if (!*bad->network || !*bad->container_id || !*bad->ifname)
		return by_name;
	return strcmp(bad->network, o->network) == 0 &&
	       strcmp(bad->container_id, o->container_id) == 0 &&
	       strcmp(bad->ifname, o->ifname) == 0;
}

int record_file_is_anothers(const struct journal *j, const struct record *r, const char *name,
			    struct err *e)
{
	auto_record struct record has = { 0 };
	struct journal_bad bad;
	int found = record_file_read(j, name, &has, &bad, e);

	if (found == RECORD_BAD)
		return !record_file_may_be(&bad, &r->owner, true);
	return found == RECORD_GOOD ? !owner_equal(&has.owner, &r->owner) : found;
}

int record_file_refuse(const struct journal_bad *bad, struct err *e)
{
	if (bad->unread)
		return err_set(e, ERR_IO, 0, "journal record '%.110s' cannot be read: %s",
			       bad->file, bad->why);
	if (!bad->version)
		return 0;
	return err_set(e, ERR_TRY_AGAIN, 0, "journal record '%.110s': %s", bad->file, bad->why);
}
