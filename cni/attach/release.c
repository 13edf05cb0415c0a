/* SPDX-License-Identifier: Apache-2.0 */
/* release.c - undo an attachment from its record alone */
#include "cni/attach/release.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "cni/attach/confine.h"
#include "cni/attach/info_name.h"
#include "cni/attach/restore.h"
#include "cni/call/status.h"
#include "cni/plugins/chain.h"
#include "cni/plugins/ipam.h"
#include "devinfo/format/store.h"
#include "devinfo/journal/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#define DEAD_MS		5000	/* for the plugins of a dead owner, while an ADD waits */

/* Other plugins are told the namespace of the ADD, whatever this call says. */
static int plugins_as(const struct release *r, struct exec_as *ret, struct err *e)
{
	const struct owner *o = &r->rec->owner;

	*ret = (struct exec_as) { .container_id = o->container_id, .ifname = o->ifname };
	return owner_netns(r->host, r->rec, &ret->netns, e);
}

/* What sriov-cni asked its IPAM plugin with is in no file: the call that ends it has it again. */
static void take_call(const struct release *r, struct ipam *ipam)
{
	const char *type = r->rec->lease_of;

	if (!type)
		return;
	if (!r->request || !r->ipam_type || strcmp(r->ipam_type, type) != 0) {
		log_warning(
			"msg=\"the lease is not released: this call has no configuration of its "
			"IPAM plugin\" plugin=%s",
			type);
		return;
	}
	ipam->type = type;
	ipam->request = r->request;
}

static int release_ipam(const struct release *r, struct err *e)
{
	struct exec_as as;
	struct ipam ipam = {
		.type = r->rec->ipam_type,
		.cni_path = r->host->set.cni_path,
		.request = r->rec->request,
		.timeout_ms = r->host->set.ipam_timeout_ms,
		.all = r->until,
		.steps = r->until ? 1 : 2,	/* the device is next, but of a dead owner back */
		.as = &as,
	};

	take_call(r, &ipam);
	if (!ipam.type || r->skip_ipam)
		return 0;
	if (plugins_as(r, &as, e) < 0)
		return -1;
	if (ipam_del(&ipam, e) == 0)
		return 0;
	if (!r->ipam_refused)
		return -1;
	log_info("msg=\"the IPAM plugin refused the DEL after its own failed ADD\" error=\"%s\"",
		 e->msg);
	return 0;
}

/* Killed now, the next DEL does not ask again who is done. */
static void note_progress(const struct chain_progress *p, void *arg)
{
	const struct release *r = arg;
	struct err e;

	r->rec->delegates_left = p->left;
	if (p->left && journal_write(r->journal, r->rec, &e) < 0)
		log_warning("msg=\"%s\" details=\"%s\"", e.msg, e.details);
}

/* An earlier DEL, killed before that was noted, has deleted it, or the pod has. */
static bool interface_is_gone(const struct record *rec)
{
	auto_nl struct nl pod = { 0 };
	struct link link;
	struct err e;

	return owner_open(rec, &pod, &e) > 0 &&
	       link_get_by_name(&pod, rec->owner.ifname, &link, &e) == 0;
}

/* What plugins behind a path do ends before it; those of an interface need it at its place. */
static bool is_chain_first(const struct record *rec)
{
	return record_is_path(rec);
}

/* What the plugins of a chain are told, of which struct chain borrows. */
struct telling {
	struct netconf *nc;
	struct exec_as as;
	char info[PATH_MAX];
};

/* They are told what they were told by the ADD, whatever this call's configuration says. */
static int tell_chain(const struct release *r, struct telling *t, struct chain *ret, struct err *e)
{
	const struct record *rec = r->rec;

	if (plugins_as(r, &t->as, e) < 0)
		return -1;
	if (netconf_parse(rec->request, strlen(rec->request), t->nc, e) < 0 ||
	    netconf_delegates(t->nc, e) < 0)
		return err_wrap(e, "the request in the record");
	if (rec->device_info_file)
		store_cni_path(release_host(r->host, rec).set.devinfo_dir, rec->device_info_file,
			       t->info);
	*ret = (struct chain){
		.conf = t->nc,
		.cni_path = r->host->set.cni_path,
		.device_id = rec->device_id,
		.id_is_netdev = rec->id_is_netdev,
		.info_path = t->info,
		.timeout_ms = r->host->set.ipam_timeout_ms,
		.as = &t->as,
		.cleared = note_progress,
		.arg = (void *)(uintptr_t)r,
		.dead = !*t->as.netns,
		.late_stays = r->until != NULL,	/* DEL and GC give them more time */
	};
	return 0;
}

/* The plugin that made the interface may fail, where that is gone, once its lease is given back. */
static int run_chain(const struct release *r, const struct chain *c, struct chain_progress *p,
		     struct err *e)
{
	/* the device, or of a dead owner the lease, needs time as well */
	unsigned int steps = is_chain_first(r->rec) || r->until ? 2 : 1;
	struct deadline d = deadline_share(r->until, UINT_MAX, steps);
	bool gone = r->rec->netdev.present && interface_is_gone(r->rec);
	struct err lease;
	int result = chain_del(c, r->rec->chain_result, p, &d, e);

	if (p->left != 1 || !gone || chain_del_lease(c, 0, NULL, &d, &lease) != 0)
		return result;
	log_info("msg=\"the interface is gone, and with it what its plugin made\" error=\"%s\"",
		 e->msg);
	p->left = 0;
	return 0;
}

static int release_chain(const struct release *r, struct err *e)
{
	struct record *rec = r->rec;
	struct chain_progress p = { .left = rec->delegates_left, .added = rec->delegates_added };
	auto_netconf struct netconf nc = { 0 };
	struct telling t = { .nc = &nc };
	struct chain c;
	int result;

	if (!p.left)
		return 0;
	if (tell_chain(r, &t, &c, e) < 0)
		return -1;
	result = run_chain(r, &c, &p, e);
	rec->delegates_left = p.left;
	return result;
}

static const char *dir_of(const struct host *host, const char *recorded, const char *now)
{
	auto_close int fd = -1;
	struct err e;

	if (strcmp(recorded, now) == 0)
		return now;
	fd = fs_open(host->root, recorded, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return errno == ENOENT ? recorded : now;
	if (fs_check_own(fd, recorded, &e) == 0)
		return recorded;
	log_warning("msg=\"a record's directory is left alone\" why=\"%s\"", e.msg);
	return now;
}

struct host release_host(const struct host *host, const struct record *rec)
{
	struct host ret = *host;

	ret.set.devinfo_dir = dir_of(host, rec->devinfo_dir, host->set.devinfo_dir);
	ret.set.run_dir = dir_of(host, rec->run_dir, host->set.run_dir);
	return ret;
}

static int release_info(const struct release *r, const struct host *host, struct err *e)
{
	const char *name = r->rec->device_info_file;
	int done;

	if (!name || r->keep_info || !info_name_lock(host, r->journal, &r->rec->owner, name))
		return 0;
	done = r->old_info ? store_write_cni_text(host, name, r->old_info, r->old_info_len, e) :
			     store_remove_cni(host, name, e);
	info_name_unlock(r->journal, name);
	return done;
}

/* The directories are the ADD's, whatever this call's configuration says. */
static int release_files(const struct release *r, struct err *e)
{
	struct host host = release_host(r->host, r->rec);
	struct err first;
	int status;

	status = status_remove(&host, r->journal, &r->rec->owner, &first);
	if (release_info(r, &host, e) < 0) {
		if (status < 0)
			err_join(e, &first);
		return -1;
	}
	if (status < 0)
		*e = first;
	return status < 0 ? -1 : 0;
}

/* For its own DEL, or GC. */
static bool try_part(const struct release *r, int (*part)(const struct release *r, struct err *e))
{
	struct err e;

	if (part(r, &e) == 0)
		return true;
	log_warning("msg=\"not released, and left for DEL or GC: %s\" details=\"%s\" owner=%s/%s",
		    e.msg, e.details, r->rec->owner.container_id, r->rec->owner.ifname);
	return false;
}

int release_dead_owner(const struct host *host, const struct journal *journal, struct record *rec,
		       const char *own_info, struct err *e)
{
	struct deadline until = deadline_in(DEAD_MS);
	struct release r = {
		.host = host, .journal = journal, .rec = rec, .until = &until,
		.keep_info = rec->device_info_file && strcmp(rec->device_info_file, own_info) == 0,
	};
	bool clean = true, chain_first = is_chain_first(rec);
	unsigned int left;

	log_warning("msg=\"cleaning up after a dead owner\" device=%s owner=%s/%s", rec->device,
		    rec->owner.container_id, rec->owner.ifname);
	if (chain_first)
		clean = try_part(&r, release_chain);
	left = (unsigned int)deadline_left_ms(&until);
	if (restore_device(host, journal, rec, e) < 0) {
		(void)err_hide(e, "clean up %s after the container that had it",
			       record_device_name(rec));
		return err_private(e, "container %.64s", rec->owner.container_id);
	}
	rec->released = true;
	until = deadline_in(left);	/* what the device took is not the plugins' */
	if (!chain_first)
		clean = try_part(&r, release_chain);
	if (rec->lease_of)		/* a call of its network has its plugin's configuration */
		clean = false;
	else
		clean &= try_part(&r, release_ipam);
	clean &= try_part(&r, release_files);
	return clean ? journal_remove(journal, rec, e) : journal_write(journal, rec, e);
}

/* Device and plugins: is nothing of it left to do? */
static bool release_device(const struct release *r, struct err *all)
{
	bool chain_first = is_chain_first(r->rec), clean = true;
	struct err one;

	for (int i = 0; i < 2; i++) {
		bool chain = chain_first == (i == 0);

		if ((chain ? release_chain(r, &one) :
			     restore_device(r->host, r->journal, r->rec, &one)) == 0)
			continue;
		clean = false;		/* one of the plugins may still have it */
		err_join(all, &one);
	}
	return clean;
}

int release_attachment(const struct release *r, struct err *e)
{
	struct err all = { .code = ERR_OK }, one;
	uint32_t left = r->rec->delegates_left;
	bool device_clean, news, device_first = deadline_hurried();

	if (restore_check(r->host, r->rec, e) < 0)
		return -1;
	if (!device_first && release_ipam(r, &one) < 0)
		err_join(&all, &one);
	device_clean = release_device(r, &all);
	if (device_first && release_ipam(r, &one) < 0)
		err_join(&all, &one);
	if (release_files(r, &one) < 0)
		err_join(&all, &one);
	if (all.code == ERR_OK)
		return journal_remove(r->journal, r->rec, e);
	/* the device may go to the next pod now, so the retry of this one must leave it alone */
	news = (device_clean && !r->rec->released) || left != r->rec->delegates_left;
	r->rec->released |= device_clean;
	if (news && journal_write(r->journal, r->rec, &one) < 0)
		err_join(&all, &one);
	*e = all;
	return -1;
}

/* All of a record, as this call wants it. */
static struct release released_by(const struct host *host, const struct journal *j,
				  struct record *rec, const struct release_call *call)
{
	return (struct release) {
		.host = host, .journal = j, .rec = rec, .request = call->request,
		.ipam_type = call->ipam_type,
	};
}

static int lock_device(const struct journal *j, const char *device, const struct deadline *d,
		       struct err *e)
{
	return journal_lock_device(j, device, d, e) < 0 ? err_wrap(e, "device %s", device) : 0;
}

/* A new owner may have released the device before it was locked: so the record is read again. */
static int find_locked(struct journal *j, const struct owner *owner, const struct deadline *d,
		       struct record *ret, struct err *e)
{
	auto_record struct record first = { 0 };
	int found = journal_find(j, owner, &first, e);

	if (found <= 0)
		return found;
	return lock_device(j, first.device, d, e) < 0 ? -1 : journal_find(j, owner, ret, e);
}

/*
 * The same with one reading: where the index leads to one file, that has the device in its name.
 * 2; or 1, when this does not tell and the record has to be looked for.  The file may be another's,
 * whose call holds its device: nobody waits for that before the record was read.
 */
static int find_only(struct journal *j, const struct owner *owner, struct record *ret,
		     struct err *e)
{
	const struct deadline at_once = deadline_in(0);
	struct err ignored;
	char device[112];
	int found;

	if (!journal_has_one(j, owner, device) ||
	    journal_lock_device(j, device, &at_once, &ignored) < 0)
		return 1;
	found = journal_find(j, owner, ret, e);
	if (found > 0 && strcmp(ret->device, device) == 0)
		return 2;
	journal_unlock_device(j, device);
	record_done(ret);
	return found;
}

int release_owner(const struct host *host, struct journal *j, const struct owner *owner,
		  const struct release_call *call, struct err *e)
{
	struct deadline d = deadline_in(host->set.lock_timeout_ms);
	auto_record struct record rec = { 0 };
	struct release r = released_by(host, j, &rec, call);
	int found;

	if (journal_lock_attachment(j, owner, &d, e) < 0)
		return -1;
	found = find_only(j, owner, &rec, e);
	if (found == 1)
		found = find_locked(j, owner, &d, &rec, e);
	if (found <= 0)
		return found;
	if (call->confines && found == 2)
		confine_release(host, &rec);
	return release_attachment(&r, e) < 0 ? -1 : found;
}

/* Under the locks: an ADD may have made it anew since it was seen. */
static int release_seen(const struct host *host, struct journal *j, const struct record *seen,
			const struct release_call *call, struct err *e)
{
	auto_record struct record rec = { 0 };
	struct release r = released_by(host, j, &rec, call);
	int found = journal_get(j, seen, &rec, e), alive;

	if (found <= 0)
		return found;
	alive = owner_is_alive(host, &rec, e);
	if (alive != 0)
		return alive < 0 ? -1 : 0;
	return release_attachment(&r, e) < 0 ? -1 : 1;
}

int release_if_dead(const struct host *host, struct journal *j, const struct record *seen,
		    const struct release_call *call, struct err *e)
{
	struct deadline d = deadline_in(host->set.lock_timeout_ms);
	int r;

	if (journal_lock_attachment(j, &seen->owner, &d, e) < 0)
		return -1;
	r = journal_lock_device(j, seen->device, &d, e);
	if (r == 0) {
		r = release_seen(host, j, seen, call, e);
		journal_unlock_device(j, seen->device);
	}
	journal_unlock_attachment(j, &seen->owner);
	return r;
}
