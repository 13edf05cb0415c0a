/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_claim.c - a device becomes that of an attachment, under its lock
 *
 * Who has it by the records of any stateDir is looked at there: a live attachment keeps it, what a
 * dead one has left is cleaned up.
 */
#include "cni/attach/probe.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/attach/aspects.h"
#include "cni/attach/policy.h"
#include "cni/attach/release.h"
#include "cni/sriovcni/takeover.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/owner.h"

#include <errno.h>
#include <string.h>

#define CHOICES_MAX	64	/* devices tried, when other attachments are always faster */

/*
 * What the node has by a name, looked at once under the device's lock; and once more where a dead
 * owner's device has come back since.
 */
struct look {
	bool done;
	struct device_ref ref;
};

struct claim {
	struct attachment *a;
	struct record *old;		/* of the live one that has it */
	const struct host *host;	/* the directories of the records that are looked at */
	struct journal *journal;
	struct look *look;		/* at the name that is claimed */
};

/*
 * One that is known by its id alone has no other lock than its attachment's.  That comes before
 * those we hold, so a DEL or GC that has it is not waited for.
 */
static int lock_dead(const struct claim *c, const struct record *rec, struct err *e)
{
	struct deadline d = deadline_in(*rec->device ? c->host->set.lock_timeout_ms : 0);

	if (*rec->device)
		return journal_lock_device(c->journal, rec->device, &d, e) < 0 ?
			       err_wrap(e, "device %s", rec->device) : 0;
	if (journal_lock_attachment(c->journal, &rec->owner, &d, e) == 0)
		return 0;
	return err_hide(e, "device %s: the container that had it is being cleaned up",
			choice_lock_name(&c->a->dev));
}

static void unlock_dead(const struct journal *j, const struct record *rec)
{
	if (*rec->device)
		journal_unlock_device(j, rec->device);
	else
		journal_unlock_attachment(j, &rec->owner);
}

/*
 * Clean up what a dead owner has left.  It may be known under another name than the one we hold
 * the lock of: where a chain has shown what an id stands for.  Locks are taken in that order there,
 * too.
 */
static int release_dead(const struct claim *c, struct record *rec, struct err *e)
{
	const struct attachment *a = c->a;
	auto_record struct record now = { 0 };
	struct journal *j = c->journal;
	int r;

	c->look->done = false;
	if (j == &a->journal && *rec->device && strcmp(rec->device, choice_lock_name(&a->dev)) == 0)
		return release_dead_owner(c->host, j, rec, a->info_name, e);
	if (lock_dead(c, rec, e) < 0)
		return -1;
	r = journal_get(j, rec, &now, e);
	if (r > 0 && !now.released)
		r = release_dead_owner(c->host, j, &now, a->info_name, e);
	unlock_dead(j, rec);
	return r < 0 ? -1 : 0;
}

/* 1 when it is a live attachment's; else what a dead one has left is cleaned up first. */
static int check_owner(struct record *rec, void *arg, struct err *e)
{
	const struct claim *c = arg;
	int r;

	if (owner_equal(&rec->owner, &c->a->rec.owner))	/* ours, of a step before */
		return 0;
	r = owner_is_alive(c->a->host, rec, e);
	if (r == 0)
		return release_dead(c, rec, e);
	if (r > 0) {
		*c->old = *rec;
		*rec = (struct record){ 0 };
	}
	return r;
}

/* What a dead pod of sriov-cni's has left becomes a record of ours, to clean the device by. */
static int claim_from_sriov(struct attachment *a, struct record *old, bool *taken, struct err *e)
{
	struct takeover ad = {
		.host = a->host, .journal = &a->journal, .conf = a->conf, .lock = a->sriov_lock,
	};
	int r;

	if (!name_is_bdf(a->dev.key))
		return 1;
	if (a->rec.chained) {		/* the plugin before us may be sriov-cni */
		r = takeover_is_others(&ad, a->dev.key, a->call->netns, old, e);
		return r < 0 ? -1 : !r;
	}
	r = takeover_device(&ad, a->dev.key, old, e);
	a->sriov_lock = ad.lock;
	*taken = ad.taken;
	return r;
}

/* Of a function, which is locked, it may be one part of several. */
static const char *owned_name(const struct attachment *a)
{
	return *a->dev.part && a->conf->position == POSITION_OWNER ? a->dev.part :
								      choice_lock_name(&a->dev);
}

/* Under the lock, where what the choice was made by may be wrong by now: no repeat of that look. */
static int look_at(const struct claim *c, const char *name, struct err *e)
{
	struct look *look = c->look;
	int r;

	look->ref = (struct device_ref){ .kind = DEVICE_REF_NONE };
	r = c->a->dev.is_netdev ? device_ref_find_netdev(c->host, name, &look->ref, e) :
				  device_ref_find(c->host, name, &look->ref, e);
	look->done = r >= 0;
	return r < 0 ? -1 : 0;
}

/* Those who have it by the records of one journal: results of device_ref_each(). */
static int clear_in(struct claim *c, const char *name, struct err *e)
{
	const struct look *look = c->look;

	if (!look->done && look_at(c, name, e) < 0)
		return -1;
	return device_ref_each_of(c->host, c->journal, name, &look->ref, check_owner, c, e);
}

struct clearing {
	struct claim *of;
	const char *name;
};

/* In the journal of an earlier stateDir. */
static int clear_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	const struct clearing *k = arg;
	struct claim c = { k->of->a, k->of->old, there, j, k->of->look };
	int r = clear_in(&c, k->name, e);

	if (r > 0)
		c.a->held_in = there->set.state_dir;
	return r;
}

/* 1 when no live attachment has it (any more), 0 when one has, -1. */
static int clear_owners(struct claim *c, const char *name, struct err *e)
{
	struct clearing k = { c, name };
	int r;

	c->a->held_in = NULL;
	r = clear_in(c, name, e);
	if (r == 0)
		r = earlier_each(c->host, JOURNAL_UPDATE, clear_there, &k, e);
	return r < 0 ? -1 : r == 0;
}

static struct claim claim_of(struct attachment *a, struct record *old, struct look *look)
{
	return (struct claim) { a, old, a->host, &a->journal, look };
}

/* -1: a live attachment has it. */
static int refuse_busy(const struct attachment *a, const struct record *old, struct err *e)
{
	(void)choose_busy(old, e);
	return a->held_in ? err_detail(e, "its record is in '%.200s', which stateDir was before: "
				       "see devinfo.conf(5)", a->held_in) : -1;
}

/*
 * A network device that goes by its own name is read once for all: policy goes by its flags, the
 * record by the rest.  That of a function is another aspect's to tell, and is read later.
 */
static int read_link(struct attachment *a, struct err *e)
{
	struct choice *c = &a->dev;
	int r;

	if (!c->is_netdev)
		return 0;
	r = link_get_by_name(&a->home, c->key, &c->link, e);
	if (r == 0)
		return err_set(e, ERR_TRY_AGAIN, ENODEV, "the network device of %s has just gone",
			       c->key);
	c->net.ifindex = c->link.ifindex;
	return r < 0 ? -1 : 0;
}

/*
 * Make the chosen device ours, under its lock: 1; 0 when a live attachment has it, whose record is
 * *old; -1.  After a dead owner we clean up first, for its "before" is the true one.
 */
static int claim(struct attachment *a, struct record *old, struct err *e)
{
	struct deadline d = deadline_in(a->host->set.lock_timeout_ms);
	struct look look = { .done = false };
	struct claim c = claim_of(a, old, &look);
	bool taken = false;
	int r;

	if (journal_lock_device(&a->journal, choice_lock_name(&a->dev), &d, e) < 0)
		return err_wrap(e, "device %s", choice_lock_name(&a->dev));
	r = clear_owners(&c, owned_name(a), e);
	if (r > 0)
		r = claim_from_sriov(a, old, &taken, e);
	if (r > 0 && taken)	/* a PCI function, of which the look shows nothing but its form */
		r = clear_owners(&c, owned_name(a), e);
	if (r <= 0)
		return r;
	if (!look.done)
		look.ref = (struct device_ref){ .kind = DEVICE_REF_NONE };
	/* without a key only other plugins know what it is */
	if ((*a->dev.key && choose_read_of(a->host, &a->dev, &look.ref, e) < 0) ||
	    read_link(a, e) < 0 ||
	    policy_check_device(a->host, a->call, &a->home, &a->dev, e) < 0)
		return -1;
	return 1;
}

int probe_name_device(struct attachment *a, struct err *e)
{
	(void)e;
	memcpy(a->rec.device, a->dev.key, sizeof(a->rec.device));
	a->rec.is_pci = a->dev.is_pci;
	a->rec.id_is_netdev = !a->dev.is_pci && !*a->dev.sf.name && *a->dev.net.name;
	a->rec.sf_numbered = a->dev.sf.numbered;
	a->rec.sf_number = a->dev.sf.number;
	return 0;
}

int probe_claim(struct attachment *a, struct err *e)
{
	auto_record struct record old = { 0 };
	int r = claim(a, &old, e);

	return r == 0 ? refuse_busy(a, &old, e) : r < 0 ? -1 : 0;
}

/* Who has another part of the function would have what we set on the function as well. */
int probe_alone(struct attachment *a, struct err *e)
{
	auto_record struct record old = { 0 };
	struct look look = { .done = false };
	struct claim c = claim_of(a, &old, &look);
	int r;

	if (strcmp(owned_name(a), choice_lock_name(&a->dev)) == 0 ||
	    record_leaves_function(&a->rec))
		return 0;
	r = clear_owners(&c, choice_lock_name(&a->dev), e);
	if (r == 0) {
		(void)refuse_busy(a, &old, e);
		return err_wrap(e, "device %s, whose function is to be changed", a->dev.part);
	}
	return r < 0 ? -1 : 0;
}

/*
 * Between the choice and the lock another attachment of the pod may have taken the device, for
 * engines attach the networks of a pod in parallel.  Of what kubelet gave the pod the next is
 * tried.
 */
static int try_devices(struct attachment *a, struct choosing *ch, struct err *e)
{
	bool no_choice = !choose_asks_kubelet(ch) && netconf_names_device(a->conf);
	int r;

	for (int tries = 1;; tries++) {
		auto_record struct record old = { 0 };

		if (choose_device(ch, &a->dev, e) < 0)
			return -1;
		if (!*a->dev.key && !*a->dev.id)
			return 0;
		r = claim(a, &old, e);
		if (r != 0)
			return r < 0 ? -1 : 0;
		journal_unlock_device(&a->journal, choice_lock_name(&a->dev));
		if (no_choice)
			choose_insist(ch, &a->dev);
		if (no_choice || tries == CHOICES_MAX)
			return refuse_busy(a, &old, e);
	}
}

int probe_device(struct attachment *a, struct err *e)
{
	struct choosing ch = {
		.host = a->host,
		.call = a->call,
		.conf = a->conf,
		.journal = &a->journal,
		.owner = &a->rec.owner,
		.unique_parent = a->link.ifindex != 0,
	};
	int r = try_devices(a, &ch, e);

	a->has_no_device = ch.none;
	candidates_done(&ch.of_pod);
	return r;
}
