/* SPDX-License-Identifier: Apache-2.0 */
/* dp_file.c - the device-plugin device-info files of the devices on offer */
#include "daemon/plugin/dp_file.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "conf/socket_slot.h"
#include "devinfo/format/store.h"
#include "manager/match/pool_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One look at all of them. */
struct looking {
	const struct host *host;
	const struct pools *pools;
	const struct inventory *inv;
	const struct dp_files *before;
	size_t cursor;			/* in before: the order is nearly always the same */
	int dir;			/* where files are; -1 */
	bool has_dir, dir_known;	/* else it is not there; it could not be opened */
	struct dp_files now;
};

static void files_free(struct dp_files *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->list[i].name);
	free(f->list);
	*f = (struct dp_files){ .n = 0 };
}

void dp_files_done(struct dp_files *f)
{
	files_free(f);
}

static void looking_done(struct looking *l)
{
	files_free(&l->now);
	mem_close_fd(&l->dir);
}

static void tell(const char *name, const char *what, const struct err *e)
{
	log_warning("file=%s msg=\"%s\" why=%s details=%s", name, what, e->msg, e->details);
}

/* -- what is known of a device, so that one that is as before costs nothing -- */

static uint64_t hash_vdpa(uint64_t h, const struct inventory *inv, int at)
{
	for (; at != INV_NONE; at = inv->vdpas[at].next) {
		h = name_hash(h, inv->vdpas[at].name);
		h = name_hash(h, inv->vdpas[at].driver);
		h = name_hash(h, inv->vdpas[at].node);
		h = name_hash(h, inv->vdpas[at].netdev);
	}
	return h;
}

static uint64_t hash_facts(const struct inventory *inv, const struct inv_function *f)
{
	uint64_t h = name_hash(0, f->driver);

	h = name_hash(h, f->pf_bdf);
	if (f->representor != INV_NONE)
		h = name_hash(h, inv->links[f->representor].name);
	for (int i = f->rdma; i != INV_NONE; i = inv->rdmas[i].next)
		h = name_hash(h, inv->rdmas[i].name);
	return hash_vdpa(h, inv, f->vdpa);
}

static struct dp_file *find_before(struct looking *l, const char *name)
{
	for (size_t i = 0; i < l->before->n; i++) {
		size_t at = (l->cursor + i) % l->before->n;

		if (strcmp(l->before->list[at].name, name) == 0) {
			l->cursor = at + 1;
			return &l->before->list[at];
		}
	}
	return NULL;
}

static void open_dir(struct looking *l)
{
	struct err ignored;		/* who reads or writes a file tells it */
	int dir = -1, r = store_open_dp(l->host, &dir, &ignored);

	l->dir = dir;
	l->has_dir = r > 0;
	l->dir_known = r >= 0;
}

/* Not there, for certain: nothing tells when another program has removed it, such as at its end. */
static bool is_missing(const struct looking *l, const char *name)
{
	if (!l->has_dir)
		return l->dir_known;
	return faccessat(l->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT;
}

/* -- one file -- */

/* What a look at it has come to. */
struct verdict {
	bool ours;			/* as before, where it has failed */
	bool failed;			/* by what may be over at the next look */
};

/* What fails again and again is told once. */
static struct verdict fail(const char *name, const char *what, const struct dp_file *before,
			   const struct err *e)
{
	if (!before || !before->failed)
		tell(name, what, e);
	return (struct verdict){ .ours = before && before->ours, .failed = true };
}

static struct verdict write_file(const struct looking *l, const struct pool_file *one,
				 const struct device_info *di, const struct dp_file *before)
{
	struct err e = { 0 };

	if (store_write_dp(l->host, one->file, di, &e) < 0)
		return fail(one->file, "cannot be written", before, &e);
	return (struct verdict){ .ours = true };
}

/* Does the file say that, or is it written so?  Then it is ours. */
static struct verdict settle(const struct looking *l, const struct pool_file *one,
			     const struct device_info *di, const struct dp_file *before)
{
	bool was_ours = before && before->ours;
	enum pool_file_says says;
	struct err e = { 0 };

	if (!one->is_there)
		return write_file(l, one, di, before);
	says = pool_file_compare(one, di, &e);
	if (says != POOL_FILE_SAME && was_ours)
		return write_file(l, one, di, before);
	if (says == POOL_FILE_OTHER)
		tell(one->file, "left as it is", &e);
	return (struct verdict){ .ours = says == POOL_FILE_SAME };
}

/* Is it ours now?  A device has changed, or it is looked at for the first time. */
static struct verdict look_at(const struct looking *l, const struct pool_file *one,
			      const struct dp_file *before)
{
	auto_device_info struct device_info di = { 0 };
	struct err e = { 0 };

	if (pool_file_make(l->host, l->pools, l->inv, one, &di, &e) < 0)
		return fail(one->file, "what it should say is not known", before, &e);
	if (one->is_there && pool_file_check(one, &e) < 0) {
		tell(one->file, "left as it is", &e);
		return (struct verdict){ .ours = false };
	}
	return settle(l, one, &di, before);
}

static struct verdict read_and_look(const struct looking *l, const struct offer *o,
				    const struct offered *d, bool missing,
				    const struct dp_file *before)
{
	const struct inv_function *f = &l->inv->functions[d->function];
	auto_with(pool_file_done) struct pool_file one = { .pool = 0 };
	struct err e = { 0 };

	if ((missing ? pool_file_name(l->pools, o->pool, f, &one, &e) :
		       pool_file_read(l->host, l->pools, o->pool, f, &one, &e)) < 0)
		return fail(one.file, "left as it is", before, &e);
	return look_at(l, &one, before);
}

/*
 * Is all of the device here?  Nobody has it, or its pod was only given it: that one needs its file,
 * as after a reboot, where kubelet knows its pods and the file is gone.
 */
static bool is_whole(const struct looking *l, const struct offered *d)
{
	return d->function != INV_NONE &&
	       (!d->held || (d->attachment == INV_NONE && !l->inv->functions[d->function].away));
}

/* *f is the file as it is after this look. */
static void take_file(struct looking *l, const struct offer *o, const struct offered *d,
		      struct dp_file *f)
{
	const struct dp_file *before = find_before(l, f->name);
	struct verdict v = { .ours = before && before->ours, .failed = before && before->failed };
	bool missing = is_missing(l, f->name);

	f->held = d->held;
	f->facts = before ? before->facts : 0;
	if (missing ? is_whole(l, d) : !d->held && d->function != INV_NONE) {
		f->facts = hash_facts(l->inv, &l->inv->functions[d->function]);
		if (missing || !before || before->failed || before->facts != f->facts)
			v = read_and_look(l, o, d, missing, before);
	}
	f->ours = v.ours;
	f->failed = v.failed;
}

/* -- the file of a socket, which says the same as long as its pool does -- */

static uint64_t hash_socket(const struct device_info *di, const char *path)
{
	uint64_t h = name_hash(0, path);

	h = name_hash(h, di->kind == DEVICE_MEMIF ? di->memif.role : di->vhost_user.mode);
	return name_hash(h, di->kind == DEVICE_MEMIF ? di->memif.mode : "");
}

/* One that is missing is written while a pod has the socket, too: its next ADD needs it. */
static void take_socket_file(struct looking *l, const struct offer *o, const struct offered *d,
			     struct dp_file *f)
{
	const struct dp_file *before = find_before(l, f->name);
	auto_with(pool_file_done) struct pool_file one = { .pool = o->pool };
	auto_device_info struct device_info di = { 0 };
	struct socket_slot slot;
	struct verdict v = { .ours = before && before->ours };
	struct err e = { 0 };
	int r;

	f->held = d->held;
	f->ours = v.ours;
	if (socket_slot_make(&l->host->set, o->resource, d->id, &slot, &e) < 0)
		return;			/* it is not healthy, for this reason */
	pool_slot_info(l->pools, o->pool, slot.path, &di);
	f->facts = hash_socket(&di, slot.path);
	if (before && !before->failed && before->facts == f->facts && !is_missing(l, f->name))
		return;
	(void)snprintf(one.file, sizeof(one.file), "%s", f->name);
	r = store_read_dp(l->host, o->resource, d->id, &one.there, &e);
	one.is_there = r > 0;
	if (r < 0)
		v = fail(f->name, "left as it is", before, &e);
	else if (!d->held || !one.is_there)
		v = settle(l, &one, &di, before);
	else			/* it is looked at when nobody has the socket any more */
		f->facts = before ? before->facts : 0;
	f->ours = v.ours;
	f->failed = v.failed;
}

/* -- all of them -- */

/* The next one of the list; NULL without memory. */
static struct dp_file *add_file(struct looking *l, const char *name, struct err *e)
{
	struct dp_file *f = &l->now.list[l->now.n];
	char *copy = strdup(name);

	if (!copy) {
		(void)err_set(e, ERR_IO, ENOMEM, "the name of a file");
		return NULL;
	}
	*f = (struct dp_file){ .name = copy };
	l->now.n++;
	return f;
}

static int take_offer(struct looking *l, const struct offer *o, struct err *e)
{
	if (pool_type(l->pools, o->pool) != POOL_NET_DEVICE && !pool_slots(l->pools, o->pool))
		return 0;
	for (size_t i = 0; i < o->n; i++) {
		struct dp_file *f;
		char name[256];

		if (!store_dp_name(o->resource, o->list[i].id, name))
			continue;
		f = add_file(l, name, e);
		if (!f)
			return -1;
		if (o->list[i].socket)
			take_socket_file(l, o, &o->list[i], f);
		else
			take_file(l, o, &o->list[i], f);
	}
	return 0;
}

static void remove_file(const struct host *host, const struct dp_file *f)
{
	struct err e = { 0 };

	if (f->ours && store_remove_dp(host, f->name, &e) < 0)
		tell(f->name, "cannot be removed", &e);
}

/*
 * One whose device a pod has stays when its pool ends or gets another name, for by that the pod was
 * given it; to the end of the daemon and behind it, for whether the pod lives is not known then.
 */
static int remove_left(struct looking *l, struct err *e)
{
	size_t n = l->now.n;

	for (size_t i = 0; i < l->before->n; i++) {
		const struct dp_file *f = &l->before->list[i];
		struct dp_file *to;
		size_t k = 0;

		while (k < n && strcmp(l->now.list[(i + k) % n].name, f->name) != 0)
			k++;
		if (k < n)
			continue;
		if (!f->held) {
			remove_file(l->host, f);
			continue;
		}
		to = add_file(l, f->name, e);
		if (!to)
			return -1;
		*to = (struct dp_file){ .name = to->name, .facts = f->facts, .ours = f->ours,
					.held = f->held, .failed = f->failed };
	}
	return 0;
}

int dp_files_update(struct dp_files *f, const struct host *host, const struct pools *pools,
		    const struct inventory *inv, const struct offers *o, struct err *e)
{
	auto_with(looking_done) struct looking l = {
		.host = host, .pools = pools, .inv = inv, .before = f, .dir = -1,
	};
	size_t n = f->n;

	for (size_t i = 0; i < o->n; i++)
		n += o->list[i].n;
	l.now.list = calloc(n + 1, sizeof(*l.now.list));
	if (!l.now.list)
		return err_set(e, ERR_IO, ENOMEM, "the names of files");
	open_dir(&l);
	for (size_t i = 0; i < o->n; i++)
		if (take_offer(&l, &o->list[i], e) < 0)
			return -1;
	if (remove_left(&l, e) < 0)
		return -1;
	files_free(f);
	*f = l.now;
	l.now = (struct dp_files){ .n = 0 };
	return 0;
}

void dp_files_withdraw(struct dp_files *f, const struct host *host)
{
	for (size_t i = 0; i < f->n; i++)
		if (!f->list[i].held)
			remove_file(host, &f->list[i]);
	files_free(f);
}
