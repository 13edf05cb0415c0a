/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger.c - which attachment of a pod gets which of its devices
 *
 * Two attachments are kept apart by the journal alone: a device is claimed under its
 * lock, and a record of a live attachment stands against everyone else.  So an entry
 * here is a preference, and whatever happens to it no device is given twice and no live
 * attachment loses its own.  What the entries are for is the time between a choice and
 * its record, and the time after the record: networks of a pod that are attached in
 * parallel do not all run for the first device, and a sandbox that is made anew looks
 * like the one before.
 *
 * For that, an entry that still matters must not be given away.  It does when its device
 * is taken, which the journal knows, or when its attachment is on its way to a record.
 * Such an ADD holds the attachment's lock from before it asks us to its end: we look at
 * the lock first and at the journal after that, as the ADD does it the other way round.
 * A crash gives the lock back, so nothing is reserved for ever.
 *
 * Each attachment at work or live thus keeps at most one device from the others, and
 * where a pod has a device for each of its attachments everyone finds one.  Where it has
 * fewer, those without wait for what is on its way (milliseconds, as a rule) instead of
 * racing it, for the loser of such a race would have lost its entry as well.  Who waits
 * keeps no lock of the pod and looks at everything anew each time, so two of them cannot
 * wait for each other.
 *
 * Entries outlive a reboot, as preferences: kubelet tells the ids of a pod anew each
 * time, only those are chosen from, and nothing that the kernel made up at boot (names,
 * numbers) is stored.  But no lock outlives it: an entry of another boot is nobody's that
 * is at work.
 */
#include "devinfo/journal/ledger.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/journal/ledger_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SWEPT		".swept"	/* its time of change is that of the last sweep */
#define BETWEEN_S	3600
#define WAIT_MS	10	/* between two looks at who is at work */

/* -- the choice -- */

enum { NONE, CHOSEN, WAIT };

struct choosing {
	const struct ledger_ask *ask;
	const struct ledger *l;
	const struct journal *j;	/* NULL: who is at work is not looked at */
	const char *boot_id;
	const struct entry *awaited;	/* given to one that is at work */
	size_t index;
};

static const char *resource_of(const struct ledger_ask *ask)
{
	return ask->resource ? ask->resource : "";
}

static const struct entry *entry_of(const struct choosing *c, size_t index)
{
	for (size_t i = 0; i < c->l->n; i++)
		if (entry_is_of(&c->l->entries[i], resource_of(c->ask), c->ask->ids[index]))
			return &c->l->entries[i];
	return NULL;
}

static int take_unless_taken(struct choosing *c, size_t index, struct err *e)
{
	int r = c->ask->taken(c->ask->ids[index], c->ask->arg, e);

	if (r == 0)
		c->index = index;
	return r < 0 ? -1 : r ? NONE : CHOSEN;
}

static int choose_own(struct choosing *c, size_t index, struct err *e)
{
	const struct entry *n = entry_of(c, index);

	return n && entry_is_for(n, c->ask->who) ? take_unless_taken(c, index, e) : NONE;
}

static int choose_new(struct choosing *c, size_t index, struct err *e)
{
	return entry_of(c, index) ? NONE : take_unless_taken(c, index, e);
}

static int is_busy(const struct choosing *c, const struct entry *n, struct err *e)
{
	struct owner o = {
		.network = n->network, .container_id = n->container_id, .ifname = n->ifname,
	};

	if (!c->j || strcmp(n->boot_id, c->boot_id) != 0)
		return 0;
	return journal_attachment_busy(c->j, &o, e);
}

static int choose_gone(struct choosing *c, size_t index, struct err *e)
{
	const struct entry *n = entry_of(c, index);
	int busy, r;

	if (!n || entry_is_for(n, c->ask->who))
		return NONE;
	busy = is_busy(c, n, e);	/* first: it may get its record meanwhile, and end */
	if (busy < 0)
		return -1;
	r = take_unless_taken(c, index, e);
	if (r == CHOSEN && busy) {
		c->awaited = n;
		return NONE;
	}
	return r;
}

static const struct {
	int (*choose)(struct choosing *c, size_t index, struct err *e);
	const char *why;
} choices[] = {
	{ choose_own, "given to this attachment before" },
	{ choose_new, "given to no other attachment of the pod before" },
	{ choose_gone, "the attachment it was given to is gone" },
};

/* NONE, CHOSEN, WAIT or -1. */
static int choose(struct choosing *c, struct ledger_choice *ret, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++)
		for (size_t k = 0; k < c->ask->n; k++) {
			int r = choices[i].choose(c, k, e);

			if (r < 0)
				return -1;
			if (r == NONE)
				continue;
			*ret = (struct ledger_choice){ .index = c->index, .why = choices[i].why };
			(void)snprintf(ret->lost, sizeof(ret->lost), "%s", c->l->lost);
			return CHOSEN;
		}
	return c->awaited ? WAIT : NONE;
}

/* -- assigning -- */

struct assigning {
	const struct host *host;
	struct journal *j;
	const struct ledger_ask *ask;
	int dir;			/* owned */
	char file[256], boot_id[40];
	bool created;
	char awaited[256];
};

static void assigning_done(struct assigning *a)
{
	mem_close_fd(&a->dir);
}

#define auto_assigning auto_with(assigning_done)

static int remember(struct assigning *a, struct ledger *l, size_t index, const char *resource,
		    struct err *e)
{
	const struct owner *who = a->ask->who;
	struct entry new = {
		.device = a->ask->ids[index],
		.resource = resource,
		.network = who->network,
		.ifname = who->ifname,
		.container_id = who->container_id,
		.boot_id = a->boot_id,
	};
	int r = l->foreign || l->anothers ? 0 : ledger_put(l, &new, e);

	return r <= 0 ? r : ledger_write(a->dir, a->file, l, a->ask->pod, e);
}

/* Of which resource it was given to another attachment; NULL: it was not. */
static const char *resource_given(const struct ledger *l, const struct owner *who, const char *id)
{
	for (size_t i = 0; i < l->n; i++)
		if (name_ids_equal(l->entries[i].device, id) &&
		    !entry_is_for(&l->entries[i], who))
			return l->entries[i].resource;
	return NULL;
}

/* It was told to have the only one, which another attachment has. */
static int remember_insisting(struct assigning *a, struct ledger *l, struct err *e)
{
	const char *given = resource_given(l, a->ask->who, a->ask->ids[0]);

	return remember(a, l, 0, given ? given : resource_of(a->ask), e);
}

/* NONE, CHOSEN, WAIT or -1, with the pod locked. */
static int assign_locked(struct assigning *a, struct ledger_choice *ret, struct err *e)
{
	auto_ledger struct ledger l = { 0 };
	struct choosing c = { .ask = a->ask, .l = &l, .j = a->j, .boot_id = a->boot_id };
	struct ledger_choice choice;
	int found = ledger_look_for(a->dir, a->file, a->ask->pod, &l, e), r;

	if (found < 0)
		return -1;
	r = choose(&c, &choice, e);
	if (r == WAIT)
		(void)snprintf(a->awaited, sizeof(a->awaited),
			       "%.64s is being given to interface %s of network %.64s",
			       c.awaited->device, c.awaited->ifname, c.awaited->network);
	if (r == NONE && a->ask->insists && a->ask->n == 1)
		return remember_insisting(a, &l, e) < 0 ? -1 : NONE;
	if (r != CHOSEN)
		return r;
	if (remember(a, &l, choice.index, resource_of(a->ask), e) < 0)
		return -1;
	a->created = found == 0;
	*ret = choice;
	return CHOSEN;
}

static int assign(struct assigning *a, struct ledger_choice *ret, struct err *e)
{
	struct deadline d = deadline_in(a->host->set.lock_timeout_ms);
	int r;

	for (;;) {
		if (ledger_lock(a->j, a->file, &d, e) < 0)
			return -1;
		r = assign_locked(a, ret, e);
		ledger_unlock(a->j, a->file);
		if (r != WAIT)
			return r;
		if (deadline_left_ms(&d) == 0)
			return deadline_error(ERR_TRY_AGAIN, e, "%s", a->awaited);
		deadline_sleep(&d, WAIT_MS);
	}
}

/* The pod's file, which need not be there, in its directory: 1, 0 there is no such, -1. */
static int open_file(struct assigning *a, bool create, struct err *e)
{
	if (ledger_file_name(a->j->key, a->ask->pod, a->file, e) < 0 ||
	    journal_boot_id_of(a->j, a->host, a->boot_id, e) < 0)
		return -1;
	return ledger_open_dir(a->host, create, &a->dir, e);
}

static int wrap(const struct pod *pod, int r, struct err *e)
{
	return r < 0 ? err_wrap(e, "ledger of pod %.63s/%.64s", pod->name_space, pod->name) : r;
}

/* Then the next one is in an hour; where that cannot be noted none is due. */
static bool is_sweep_due(int dir)
{
	auto_close int fd = fs_open_name(dir, SWEPT, O_WRONLY | O_CREAT, 0600);
	time_t now = time(NULL);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 ||
	    (st.st_mtime <= now && now - st.st_mtime < BETWEEN_S))
		return false;
	return futimens(fd, NULL) == 0;
}

int ledger_assign(const struct host *h, struct journal *j, const struct ledger_ask *ask,
		  struct ledger_choice *ret, struct err *e)
{
	auto_assigning struct assigning a = { .host = h, .j = j, .ask = ask, .dir = -1 };
	struct err ignored;
	int r = open_file(&a, true, e);

	if (r > 0)
		r = assign(&a, ret, e);
	if (r < 0)
		return wrap(ask->pod, r, e);
	/* files that cannot be removed are not this attachment's trouble */
	if (a.created && is_sweep_due(a.dir))
		(void)!ledger_sweep(h, j, LEDGER_SWEEP_S, &ignored);
	return r;
}

static int insist_locked(struct assigning *a, struct err *e)
{
	auto_ledger struct ledger l = { 0 };
	int r = ledger_look_for(a->dir, a->file, a->ask->pod, &l, e);

	if (r <= 0 || !resource_given(&l, a->ask->who, a->ask->ids[0]))
		return r < 0 ? -1 : 0;
	return remember_insisting(a, &l, e) < 0 ? -1 : 1;
}

int ledger_insist(const struct host *h, struct journal *j, const struct pod *pod,
		  const struct owner *who, const char *id, struct err *e)
{
	const struct ledger_ask ask = {
		.pod = pod, .who = who, .insists = true, .ids = &id, .n = 1,
	};
	auto_assigning struct assigning a = { .host = h, .j = j, .ask = &ask, .dir = -1 };
	struct deadline d = deadline_in(h->set.lock_timeout_ms);
	int r = open_file(&a, false, e);

	if (r > 0)
		r = ledger_lock(j, a.file, &d, e) < 0 ? -1 : 1;
	if (r > 0) {
		r = insist_locked(&a, e);
		ledger_unlock(j, a.file);
	}
	return wrap(pod, r, e);
}

/* -- looking -- */

static int look_for_pod(const struct host *h, const struct pod *pod, struct ledger *l,
			struct err *e)
{
	auto_close int dir = -1;
	int r = ledger_open_dir(h, false, &dir, e);

	if (r > 0)
		r = ledger_look_for(dir, NULL, pod, l, e);
	return wrap(pod, r, e);
}

int ledger_peek(const struct host *h, const struct ledger_ask *ask, struct ledger_choice *ret,
		struct err *e)
{
	auto_ledger struct ledger l = { 0 };
	struct choosing c = { .ask = ask, .l = &l };

	return look_for_pod(h, ask->pod, &l, e) < 0 ? -1 : choose(&c, ret, e);
}

static void put_entry(const struct entry *n, struct ledger_entry *ret)
{
	(void)snprintf(ret->network, sizeof(ret->network), "%s", n->network);
	(void)snprintf(ret->ifname, sizeof(ret->ifname), "%s", n->ifname);
	(void)snprintf(ret->container_id, sizeof(ret->container_id), "%s", n->container_id);
}

int ledger_find(const struct host *h, const struct pod *pod, const char *resource, const char *id,
		struct ledger_entry *ret, struct err *e)
{
	auto_ledger struct ledger l = { 0 };

	if (look_for_pod(h, pod, &l, e) < 0)
		return -1;
	for (size_t i = 0; i < l.n; i++)
		if (entry_is_of(&l.entries[i], resource ? resource : "", id)) {
			put_entry(&l.entries[i], ret);
			return 1;
		}
	return 0;
}

int ledger_find_id(const struct host *h, const struct pod *pod, const char *id,
		   struct ledger_entry *ret, struct err *e)
{
	auto_ledger struct ledger l = { 0 };

	if (look_for_pod(h, pod, &l, e) < 0)
		return -1;
	for (size_t i = l.n; i-- > 0;)
		if (name_ids_equal(l.entries[i].device, id)) {
			put_entry(&l.entries[i], ret);
			return 1;
		}
	return 0;
}

/* -- sweeping -- */

struct sweep {
	struct journal *j;
	int dir;
	time_t before;
};

/* Has another call to do with it, or the journal a record of it? */
static int is_used(struct journal *j, const struct ledger *l, struct err *e)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct entry *n = &l->entries[i];
		struct owner o = {
			.network = n->network, .container_id = n->container_id, .ifname = n->ifname,
		};
		auto_record struct record rec = { 0 };
		int r = journal_attachment_busy(j, &o, e);

		if (r == 0)
			r = journal_find(j, &o, &rec, e);
		if (r < 0 && e->code == ERR_TRY_AGAIN)	/* another version's */
			r = 1;
		if (r != 0)
			return r;
	}
	return 0;
}

/* A regular file, for nothing else is ours. */
static bool is_old(const struct sweep *s, const char *name)
{
	struct stat st;

	return fstatat(s->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	       st.st_mtime <= s->before;
}

/* 1, 0, -1.  One that is in use is not looked at again so soon. */
static int is_left(const struct sweep *s, const char *name, struct err *e)
{
	auto_ledger struct ledger l = { 0 };
	int r;

	if (!ledger_is_file(name) || !is_old(s, name))
		return 0;
	r = ledger_read(s->dir, name, NULL, &l, e);
	if (r <= 0 || l.foreign)
		return r < 0 ? -1 : 0;
	r = is_used(s->j, &l, e);
	if (r > 0 && !s->j->read_only)	/* where that fails it costs time only */
		(void)utimensat(s->dir, name, NULL, AT_SYMLINK_NOFOLLOW);
	return r < 0 ? -1 : !r;
}

/* Without its lock first: most are neither old nor left. */
static int sweep_one(const char *name, void *arg, struct err *e)
{
	const struct sweep *s = arg;
	struct deadline now = deadline_in(0);
	int r;

	if (!ledger_is_file(name) || !is_old(s, name))
		return 0;
	if (ledger_lock(s->j, name, &now, e) < 0)
		return e->code == ERR_TRY_AGAIN ? 0 : -1;	/* it is in use */
	r = is_left(s, name, e);
	if (r > 0)
		r = fs_remove(s->dir, name, e);
	ledger_unlock(s->j, name);
	return r;
}

static int sweep_each(const char *name, void *arg, struct err *e)
{
	return sweep_one(name, arg, e) < 0 ? -1 : 0;
}

/* One file, or all of them. */
static int with_files(const struct host *h, struct journal *j, unsigned int older_than_s,
		      fs_name_fn *fn, const char *file, struct err *e)
{
	auto_close int dir = -1;
	struct sweep s = { .j = j, .before = time(NULL) - (time_t)older_than_s };
	int r = ledger_open_dir(h, false, &dir, e);

	if (r <= 0)
		return r;
	s.dir = dir;
	return file ? fn(file, &s, e) : fs_each(dir, ".", fn, &s, e);
}

int ledger_sweep(const struct host *h, struct journal *j, unsigned int older_than_s,
		 struct err *e)
{
	int r = j->lock >= 0 ? with_files(h, j, older_than_s, sweep_each, NULL, e) : 0;

	return r < 0 ? err_wrap(e, "ledgers of pods that are gone") : 0;
}

static int look_at(const char *name, void *arg, struct err *e)
{
	return is_left(arg, name, e);
}

int ledger_is_left(const struct host *h, struct journal *j, const char *file,
		   unsigned int older_than_s, struct err *e)
{
	return with_files(h, j, older_than_s, look_at, file, e);
}

int ledger_remove_left(const struct host *h, struct journal *j, const char *file,
		       unsigned int older_than_s, struct err *e)
{
	return j->lock >= 0 ? with_files(h, j, older_than_s, sweep_one, file, e) : 0;
}
