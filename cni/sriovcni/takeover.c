/* SPDX-License-Identifier: Apache-2.0 */
/* takeover.c - attachments that sriov-cni made become ours when they end */
#include "cni/sriovcni/takeover.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/plugins/exec.h"
#include "cni/sriovcni/sriovcni_record.h"
#include "cni/sriovcni/sriovcni_vf.h"
#include "devinfo/journal/earlier.h"

#include <string.h>

/* -- taking over -- */

/* An earlier attempt, killed before it had removed the old file, has written the record. */
static int write_once(const struct takeover *a, const struct record *rec, struct err *e)
{
	auto_record struct record has = { 0 };
	int r = journal_get(a->journal, rec, &has, e);

	if (r != 0)
		return r < 0 ? -1 : 0;
	log_info(
		"msg=\"taken over from sriov-cni\" container=%s interface=%s device=%s released=%d",
		rec->owner.container_id, rec->owner.ifname, rec->device, rec->released);
	return journal_write(a->journal, rec, e);
}

/*
 * An attachment ends without the VF: its lease is left.  What the file knows of the VF is still of
 * use to the one that has it, unless the VF has forgotten it itself.
 */
static int takeover_lease(const struct takeover *a, const struct sriovcni_vf *v,
			  struct sriovcni_state *s, struct err *e)
{
	bool is_past = sriovcni_vf_is_past(v, s);

	s->rec.released = true;
	if (sriovcni_record_set_node(a->host, &s->rec, !is_past, e) < 0 ||
	    write_once(a, &s->rec, e) < 0)
		return -1;
	if (!v->alive && is_past)
		return sriovcni_state_remove(v->dir, s, e);
	log_warning("msg=\"its VF is, or may be, another container's: it is left alone\" file=%s "
		    "device=%s", s->file, v->bdf);
	return 0;
}

/*
 * A record of ours, with the device: it was given to one of our attachments since.  So it may be
 * with one that cannot be read: the device is left alone, and the rest ends.
 */
static int is_ours(const struct takeover *a, const struct record *rec, struct err *e)
{
	auto_record struct record ours = { 0 };
	int r = journal_check_device(a->journal, rec->device, e);

	if (r < 0 && e->code == ERR_BUSY) {
		log_warning("msg=\"%s\" details=\"%s\" private=\"%s\"", e->msg, e->details,
			    e->private);
		return 1;
	}
	if (r == 0)
		r = journal_find_device(a->journal, rec->device, &ours, e);
	return r <= 0 ? r : !owner_equal(&ours.owner, &rec->owner);
}

/* What the pods before this one have left is not what was before. */
static void take_original(const struct sriovcni_vf *v, struct sriovcni_state *s)
{
	struct record *rec = &s->rec;

	if (v->original.written.tv_sec) {
		rec->vf = v->original.vf;
		rec->vf_set |= v->vf_set;
		if (rec->netdev.present && v->original.netdev.present)
			rec->netdev = v->original.netdev;
	}
	if (*v->marker.netns && !sriovcni_vf_has_allocation(v, s))
		rec->vf_set = rec->vf.have;	/* a lost one's settings are not known */
	if (rec->netdev.present && strcmp(rec->netdev.name, rec->owner.ifname) == 0)
		log_warning("msg=\"sriov-cni took for the VF's original what an earlier pod may "
			    "have left: see releasePolicy\" device=%s name=%s",
			    v->bdf, rec->netdev.name);
}

/*
 * The VF, in this boot, with its owner, who is of this namespace.  The original is in the journal
 * before a file goes, and the owner's goes last: killed in between, a DEL finds it again.
 */
static int takeover_vf(const struct takeover *a, const struct sriovcni_vf *v,
		       struct sriovcni_state *s, const char *netns, struct err *e)
{
	struct record *rec = &s->rec;
	int ours = is_ours(a, rec, e);

	if (ours < 0)
		return -1;
	rec->released = ours;
	take_original(v, s);
	sriovcni_record_set_policy(a->host, rec, a->conf);
	if (sriovcni_record_set_node(a->host, rec, true, e) < 0 ||
	    (!ours && sriovcni_record_complete(rec, netns, e) < 0))
		return err_wrap(e, "take %s over from sriov-cni", v->bdf);
	return write_once(a, rec, e) < 0 || sriovcni_vf_remove_others(v, s, e) < 0 ||
	       allocation_file_remove(v->dir, v->bdf, e) < 0 ||
	       sriovcni_state_remove(v->dir, s, e) < 0 ? -1 : 0;
}

/*
 * Is it for us to end?  Chained behind sriov-cni we get DELs of its attachments as well.  Every DEL
 * has a prevResult, so that does not tell; but addresses are only given by whoever makes the
 * interface, and where there is no other plugin of that name, nobody else would end it.
 */
static bool is_meant(const struct takeover *a, const struct sriovcni_state *s)
{
	const json_t *doc = a->conf->doc;
	const char *type = json_string_value(json_object_get(doc, "type"));
	const char *ipam = json_string_value(json_object_get(json_object_get(doc, "ipam"), "type"));
	const char *theirs = s->type && *s->type ? s->type : "sriov";

	return (type && strcmp(type, theirs) == 0) || (ipam && *ipam) ||
	       !exec_is_another(a->cni_path ? a->cni_path : "", theirs);
}

static int open_journal(const struct takeover *a, struct err *e)
{
	struct err ignored;		/* the next ADD tells it */

	if (a->journal->dir >= 0)
		return 0;
	(void)!earlier_note(a->host, &ignored);
	return journal_open(a->host, JOURNAL_CREATE, a->journal, e) < 0 ? -1 : 0;
}

static int lock_old(struct takeover *a, int dir, const char *bdf, const struct deadline *d,
		    struct err *e)
{
	mem_close_fd(&a->lock);
	a->lock = -1;
	return allocation_file_lock(dir, bdf, d, &a->lock, e) < 0 ? -1 : 0;
}

/* -- DEL -- */

/* Under the locks. */
static int takeover_own(const struct takeover *a, int dir, struct sriovcni_state *own,
			const char *netns, struct err *e)
{
	auto_sriovcni_vf struct sriovcni_vf v = { .dir = -1 };
	int r;

	if (sriovcni_vf_read(dir, own->rec.device, &v, e) < 0)
		return -1;
	r = sriovcni_vf_is_open_to(a->host, &v, own, netns, e);
	if (r <= 0)
		return r < 0 ? -1 : takeover_lease(a, &v, own, e);
	return takeover_vf(a, &v, own, *netns ? netns : v.marker.netns, e);
}

/* Behind sriov-cni in a chain: then it ends its attachment itself. */
static int is_chained(const struct takeover *a, const struct owner *o, const struct deadline *d,
		      struct err *e)
{
	auto_record struct record ours = { 0 };
	int r;

	if (a->journal->dir < 0)
		return 0;
	if (journal_lock_attachment(a->journal, o, d, e) < 0)
		return -1;
	r = journal_find(a->journal, o, &ours, e);
	return r <= 0 ? r : ours.chained;
}

/* The record, if there is one that can be used and is for us to end: 1, 0, -1. */
static int find_own(const struct takeover *a, int dir, const struct owner *o,
		    const struct deadline *d, struct sriovcni_state *ret, struct err *e)
{
	int r = sriovcni_state_read(dir, o->container_id, o->ifname, ret, e);

	if (r < 0 && e->code == ERR_DECODE) {
		log_warning("msg=\"left alone: %s\"", e->msg);
		return 0;
	}
	if (r <= 0)
		return r;
	r = is_chained(a, o, d, e);
	if (r != 0)
		return r < 0 ? -1 : 0;
	if (is_meant(a, ret))
		return 1;
	log_warning("msg=\"made by another plugin that is still there: left for it to end\" "
		    "plugin=%s file=%s", ret->type ? ret->type : "sriov", ret->file);
	return 0;
}

int takeover_attachment(struct takeover *a, const struct owner *o, struct err *e)
{
	struct deadline d = deadline_in(a->host->set.lock_timeout_ms);
	auto_sriovcni_state struct sriovcni_state first = { 0 }, own = { 0 };
	auto_close int dir = -1;
	int r = sriovcni_state_open(a->host, &dir, e);

	if (r > 0)
		r = find_own(a, dir, o, &d, &first, e);
	if (r <= 0)
		return r;
	if (open_journal(a, e) < 0 || journal_lock_attachment(a->journal, o, &d, e) < 0)
		return -1;
	if (journal_lock_device(a->journal, first.rec.device, &d, e) < 0 ||
	    lock_old(a, dir, first.rec.device, &d, e) < 0)
		return err_wrap(e, "device %s", first.rec.device);
	r = sriovcni_state_read(dir, o->container_id, o->ifname, &own, e);
	if (r <= 0)	/* another call has taken it meanwhile */
		return r < 0 ? -1 : 1;
	if (strcmp(own.rec.device, first.rec.device) != 0)
		return err_set(e, ERR_TRY_AGAIN, 0, "sriov-cni has just written '%s'", own.file);
	own.rec.owner.network = o->network;
	return takeover_own(a, dir, &own, o->netns ? o->netns : "", e) < 0 ? -1 : 1;
}

/* -- ADD -- */

/* Whose it is, for the message. */
static void tell_holder(struct sriovcni_vf *v, struct record *live)
{
	if (sriovcni_vf_has_allocation(v, &v->newest)) {
		*live = v->newest.rec;
		v->newest.rec = (struct record){ 0 };
		return;
	}
	live->doc = json_pack("{s:s}", "netns", v->marker.netns);
	live->owner = (struct owner){ .network = "sriov-cni", .ifname = "unknown" };
	live->owner.container_id = json_string_value(json_object_get(live->doc, "netns"));
	memcpy(live->device, v->bdf, sizeof(v->bdf));
}

static int takeover_for_add(struct takeover *a, struct sriovcni_vf *v, struct record *live,
			    struct err *e)
{
	int free;

	if (v->alive) {
		tell_holder(v, live);
		return 0;
	}
	if (!*v->newest.file || sriovcni_vf_is_past(v, &v->newest))
		return !*v->marker.netns ? 1 :
		       allocation_file_remove(v->dir, v->bdf, e) < 0 ? -1 : 1;
	free = sriovcni_vf_is_free(a->host, v, &v->newest, e);
	if (free <= 0)		/* then it is not here to be given either */
		return free < 0 ? -1 : 1;
	a->taken = true;
	return takeover_vf(a, v, &v->newest, v->marker.netns, e) < 0 ? -1 : 1;
}

int takeover_device(struct takeover *a, const char *bdf, struct record *live, struct err *e)
{
	struct deadline d = deadline_in(a->host->set.lock_timeout_ms);
	auto_sriovcni_vf struct sriovcni_vf v = { .dir = -1 };
	auto_close int dir = -1;
	int r = sriovcni_state_open(a->host, &dir, e);

	if (r <= 0)
		return r < 0 ? -1 : 1;
	if (lock_old(a, dir, bdf, &d, e) < 0 || sriovcni_vf_read(dir, bdf, &v, e) < 0)
		return -1;
	return takeover_for_add(a, &v, live, e);
}

int takeover_is_others(const struct takeover *a, const char *bdf, const char *netns,
		       struct record *live, struct err *e)
{
	auto_sriovcni_vf struct sriovcni_vf v = { .dir = -1 };
	auto_close int dir = -1;
	int r = sriovcni_state_open(a->host, &dir, e);

	if (r <= 0)
		return r;
	if (sriovcni_vf_read_allocation(dir, bdf, &v, e) < 0)
		return -1;
	r = v.alive ? sriovcni_vf_is_open_to(a->host, &v, &v.newest, netns, e) : 1;
	if (r == 0)
		tell_holder(&v, live);
	return r < 0 ? -1 : !r;
}

/* -- GC -- */

struct dead_walk {
	struct takeover *a;
	const struct takeover_choice *choice;
	int dir;
	json_t *devices;		/* with a record, as keys */
};

/* 1 taken over, 0 left, -1. */
static int takeover_if_dead(const struct takeover *a, int dir, struct sriovcni_state *own,
			    struct err *e)
{
	auto_sriovcni_vf struct sriovcni_vf v = { .dir = -1 };
	bool is_newest;
	int free;

	if (sriovcni_vf_read(dir, own->rec.device, &v, e) < 0)
		return -1;
	is_newest = sriovcni_vf_is_newest(&v, own);
	if (v.alive && (is_newest || sriovcni_vf_has_allocation(&v, own)))
		return 0;
	if (v.alive || !is_newest || sriovcni_vf_is_past(&v, own))
		return takeover_lease(a, &v, own, e) < 0 ? -1 : 1;
	free = sriovcni_vf_is_free(a->host, &v, own, e);
	if (free <= 0)
		return free;
	return takeover_vf(a, &v, own, v.marker.netns, e) < 0 ? -1 : 1;
}

/* Both locks of a device, until unlock(). */
static int lock(struct takeover *a, int dir, const char *device, struct err *e)
{
	struct deadline d = deadline_in(a->host->set.lock_timeout_ms);

	if (open_journal(a, e) < 0 || journal_lock_device(a->journal, device, &d, e) < 0)
		return -1;
	if (lock_old(a, dir, device, &d, e) == 0)
		return 0;
	journal_unlock_device(a->journal, device);
	return -1;
}

static void unlock(struct takeover *a, const char *device)
{
	mem_close_fd(&a->lock);
	a->lock = -1;
	journal_unlock_device(a->journal, device);
}

static int take_if_dead(struct takeover *a, int dir, const struct sriovcni_state *seen,
			struct err *e)
{
	auto_sriovcni_state struct sriovcni_state own = { 0 };
	int r;

	if (lock(a, dir, seen->rec.device, e) < 0)
		return -1;
	r = sriovcni_state_read_file(dir, seen->file, seen->rec.device, &own, e);
	if (r > 0)
		r = takeover_if_dead(a, dir, &own, e);
	unlock(a, seen->rec.device);
	return r;
}

static int visit_dead(const char *name, void *arg, struct err *e)
{
	const struct dead_walk *w = arg;
	auto_sriovcni_state struct sriovcni_state s = { 0 };
	const struct owner *o = &s.rec.owner;
	int r = sriovcni_state_read_file(w->dir, name, NULL, &s, e);

	if (r < 0 && e->code != ERR_DECODE)
		return -1;
	if (r < 0)
		log_warning("msg=\"left alone: %s\"", e->msg);
	if (r <= 0)
		return 0;
	(void)json_object_set_new(w->devices, s.rec.device, json_true());
	if (strcmp(o->network, w->a->conf->name) != 0 || !is_meant(w->a, &s))
		return 0;
	r = w->choice->is_kept(o->container_id, o->ifname, w->choice->arg) ?
		    0 : take_if_dead(w->a, w->dir, &s, e);
	if (r < 0)
		log_warning("msg=\"%s\" details=\"%s\"", e->msg, e->details);
	if (r <= 0)
		w->choice->left(o, w->choice->arg);
	return 0;
}

/* Of a dead owner whose record is lost: nobody else would take it away. */
static int visit_marker(const char *bdf, void *arg, struct err *e)
{
	const struct dead_walk *w = arg;
	struct sriovcni_vf before = { .dir = -1 }, now = { .dir = -1 };
	int r = 0;

	if (json_object_get(w->devices, bdf))
		return 0;
	if (sriovcni_vf_read_allocation(w->dir, bdf, &before, e) < 0)
		return -1;
	if (!*before.marker.netns || before.alive)
		return 0;
	if (lock(w->a, w->dir, bdf, e) < 0)
		return -1;
	r = sriovcni_vf_read_allocation(w->dir, bdf, &now, e);
	if (r == 0 && strcmp(now.marker.netns, before.marker.netns) == 0 && !now.alive)
		r = allocation_file_remove(w->dir, bdf, e);
	unlock(w->a, bdf);
	return r;
}

int takeover_dead(struct takeover *a, const struct takeover_choice *c, struct err *e)
{
	json_auto_t *devices = json_object();
	auto_close int dir = -1;
	struct dead_walk w = { .a = a, .choice = c, .devices = devices };
	int r = sriovcni_state_open(a->host, &dir, e);

	if (r <= 0)
		return r;
	w.dir = dir;
	return sriovcni_state_each(dir, 0, visit_dead, &w, e) < 0 ||
	       allocation_file_each(dir, visit_marker, &w, e) < 0 ? -1 : 0;
}

/* -- CHECK -- */

int takeover_read(const struct takeover *a, const struct owner *o, struct record *ret,
		  struct err *e)
{
	auto_sriovcni_vf struct sriovcni_vf v = { .dir = -1 };
	auto_sriovcni_state struct sriovcni_state s = { 0 };
	auto_close int dir = -1;
	int r = sriovcni_state_open(a->host, &dir, e);

	if (r > 0)
		r = sriovcni_state_read(dir, o->container_id, o->ifname, &s, e);
	if (r <= 0 || !is_meant(a, &s))
		return r < 0 ? -1 : 0;
	if (sriovcni_vf_read_allocation(dir, s.rec.device, &v, e) < 0 ||
	    sriovcni_record_set_node(a->host, &s.rec, true, e) < 0 ||
	    sriovcni_record_complete(&s.rec, *v.marker.netns ? v.marker.netns : o->netns, e) < 0)
		return -1;
	s.rec.owner.netns = o->netns;	/* the marker is not kept */
	*ret = s.rec;
	s.rec = (struct record){ 0 };
	return 1;
}
