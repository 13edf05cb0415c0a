/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repair.c - carry a safe remedy out, by the plugin's own code
 *
 * Theory of operation.  A finding was made some time ago, by one who took no lock.  So each remedy
 * takes the locks that the plugin takes, looks again whether it still is so, and does one thing,
 * which is done at once or not at all, or is the plugin's own undo.  What is found a second time is
 * removed; what is not, was mended by somebody else.
 */
#include "manager/doctor/repair.h"

#include "base/fs.h"
#include "base/mem.h"
#include "cni/call/status.h"
#include "cni/socket/socket_keep.h"
#include "cni/socket/socket_link.h"
#include "cni/socket/socket_sweep.h"
#include "cni/switch/ovs_port.h"
#include "devinfo/format/store.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/ledger.h"
#include "manager/doctor/dead.h"
#include "manager/doctor/leak.h"
#include "manager/doctor/lease.h"
#include "manager/doctor/repair_vf.h"
#include "manager/doctor/socket_left.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct job {
	const struct host *host;
	struct journal *journal;
	const char *object;		/* of the finding */
	const char *name;		/* its last component */
};

/*
 * No attachment has it, and its container is known to be dead: 1; 0; -1.  Under its lock, for an
 * ADD writes its record first.
 */
static int is_dead(const struct job *job, const struct owner *o, struct err *e)
{
	static const struct inventory live = { .n_attachments = 0 };
	int r = leak_has_record(job->host, job->journal, o, e);

	if (r != 0)
		return r < 0 ? -1 : 0;
	r = leak_life(job->host, &live, o, e);
	return r < 0 ? -1 : r == LEAK_DEAD;
}

/* -- records -- */

static int release(const struct job *job, struct err *e)
{
	auto_record struct record rec = { 0 }, now = { 0 };
	int r = journal_read(job->journal, job->name, &rec, e);

	if (r <= 0)
		return r;
	r = dead_release(job->host, job->journal, &rec, false, e);
	if (r != 0)
		return r;
	if (journal_read(job->journal, job->name, &now, e) <= 0)
		return 0;
	return err_set(e, ERR_BUSY, 0, "its container lives: its own DEL ends it");
}

/* -- files of device plugins -- */

static int remove_dp(const struct job *job, struct err *e)
{
	char bdf[16];
	int r = leak_is_dp(job->host, job->name, bdf, e);

	return r > 0 && store_remove_dp(job->host, job->name, e) < 0 ? -1 : r;
}

/* -- network-status -- */

struct entries {
	const struct job *job;
	int removed;
};

static int remove_entry(const struct owner *o, void *arg, struct err *e)
{
	struct entries *s = arg;
	const struct job *job = s->job;
	struct deadline d = deadline_in(job->host->set.lock_timeout_ms);
	int r = journal_lock_attachment(job->journal, o, &d, e);

	if (r < 0)
		return -1;
	r = is_dead(job, o, e);
	if (r > 0) {
		r = status_remove(job->host, job->journal, o, e);
		s->removed += r >= 0;
	}
	journal_unlock_attachment(job->journal, o);
	return r < 0 ? -1 : 0;
}

static int remove_status(const struct job *job, struct err *e)
{
	struct entries s = { .job = job };
	size_t len = strlen(job->name);
	char id[256];

	if (len < 6 || len > 255 || strcmp(job->name + len - 5, ".json") != 0)
		return 0;
	(void)snprintf(id, sizeof(id), "%.*s", (int)(len - 5), job->name);
	return status_each_of(job->host, id, remove_entry, &s, e) < 0 ? -1 : s.removed > 0;
}

/* -- the ledger, the index -- */

static int remove_ledger(const struct job *job, struct err *e)
{
	return ledger_remove_left(job->host, job->journal, job->name, LEDGER_SWEEP_S, e);
}

static int tidy_index(const struct job *job, struct err *e)
{
	size_t before = 0, after = 0;

	if (journal_count_left(job->journal, &before, e) < 0)
		return -1;
	journal_tidy(job->journal);
	if (journal_count_left(job->journal, &after, e) < 0)
		return -1;
	if (after > 0)
		return err_set(e, ERR_TRY_AGAIN, 0, "%zu entries cannot be removed, or another "
			       "call is at work on the journal", after);
	return before > 0;
}

/* -- links -- */

/* By the very function of a DEL, as if nobody had an attachment there. */
static int remove_link(const struct job *job, struct err *e)
{
	struct record nobody = {
		.owner = { .network = "", .container_id = "", .ifname = "" },
	};
	struct socket_state *s = &nobody.socket;
	const char *root = job->host->set.socket_dir;
	size_t len = strlen(root);
	char target[256];
	int r = leak_is_link(job->host, job->name, target, e);

	if (r <= 0)
		return r;
	if (strncmp(target, root, len) != 0 || target[len] != '/' || len >= sizeof(s->root) ||
	    strlen(target + len) > sizeof(s->dir) || strlen(job->object) >= sizeof(s->link))
		return err_set(e, ERR_NETCONF, 0, "it does not lead below socketDir '%.64s': "
			       "remove it by hand", root);
	(void)snprintf(s->root, sizeof(s->root), "%s", root);
	(void)snprintf(s->dir, sizeof(s->dir), "%s", target + len + 1);
	(void)snprintf(s->link, sizeof(s->link), "%s", job->object);
	if (socket_link_release(job->host, job->journal, &nobody, e) < 0)
		return -1;
	r = leak_is_link(job->host, job->name, target, e);
	if (r > 0)
		return err_set(e, ERR_BUSY, 0, "a record may need it: see its messages");
	if (r == 0)		/* its directory is there again, or it was removed */
		r = fs_readlink(job->host->root, target, sizeof(target), e, "%s", job->object);
	return r < 0 ? -1 : !r;
}

/* -- directories of sockets that were kept -- */

struct kept {
	const struct job *job;
	int removed;
};

static int remove_one_kept(const struct record *rec, void *arg, struct err *e)
{
	struct kept *k = arg;
	const struct job *job = k->job;
	char file[256];
	int r;

	journal_file_name(rec, file);
	if (strcmp(file, job->name) != 0)
		return 0;
	r = dead_release(job->host, job->journal, rec, true, e);
	if (r == 0)
		return err_set(e, ERR_BUSY, 0, "its container lives");
	k->removed = r < 0 ? -1 : socket_sweep_one(job->host, job->journal, rec, e);
	if (k->removed == 0)
		return err_set(e, ERR_BUSY, 0, "something in it cannot be removed, or another "
			       "attachment has it");
	return k->removed < 0 ? -1 : 1;
}

static int remove_kept(const struct job *job, struct err *e)
{
	struct kept k = { .job = job };

	return socket_keep_each(job->host, JOURNAL_UPDATE, remove_one_kept, &k, e) < 0 ?
		       -1 : k.removed;
}

/* The finding's object is below socketDir. */
static int remove_socket_dir(const struct job *job, struct err *e)
{
	return socket_left_remove(job->host, job->journal, job->name, e);
}

/* -- VFs -- */

/* The record is looked for by the device, and so is one that cannot be read. */
static int has_device(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	const struct job *job = arg;
	auto_record struct record rec = { 0 };

	(void)there;
	return journal_check_device(j, job->object, e) < 0 ?
		       -1 : journal_find_device(j, job->object, &rec, e);
}

static int restore_attributes(const struct job *job, struct err *e)
{
	struct deadline d = deadline_in(job->host->set.lock_timeout_ms);
	struct job of = *job;
	int r;

	if (journal_lock_device(job->journal, job->object, &d, e) < 0)
		return -1;
	r = has_device(job->host, job->journal, &of, e);
	if (r == 0)
		r = earlier_each(job->host, JOURNAL_READ, has_device, &of, e);
	if (r == 0)
		r = repair_vf(job->host, job->object, &d, e);
	else if (r > 0)		/* an ADD was faster */
		r = 0;
	journal_unlock_device(job->journal, job->object);
	return r;
}

/* -- ports of Open vSwitch -- */

struct port {
	const struct job *job;
	char network[256], container_id[512], ifname[16];
	bool found;
};

static int find_port(const char *name, const struct owner *o, void *arg, struct err *e)
{
	struct port *p = arg;

	(void)e;
	if (strcmp(name, p->job->object) != 0)
		return 0;
	p->found = strlen(o->network) < sizeof(p->network) &&
		   strlen(o->container_id) < sizeof(p->container_id) &&
		   strlen(o->ifname) < sizeof(p->ifname);
	(void)snprintf(p->network, sizeof(p->network), "%.255s", o->network);
	(void)snprintf(p->container_id, sizeof(p->container_id), "%.511s", o->container_id);
	(void)snprintf(p->ifname, sizeof(p->ifname), "%.15s", o->ifname);
	return 1;
}

static bool is_other_port(const char *container_id, const char *ifname, const void *arg)
{
	const struct port *p = arg;

	return strcmp(container_id, p->container_id) != 0 || strcmp(ifname, p->ifname) != 0;
}

static int remove_port(const struct job *job, struct err *e)
{
	struct deadline d = deadline_in(job->host->set.lock_timeout_ms);
	struct port p = { .job = job };
	const struct owner o = {
		.network = p.network, .container_id = p.container_id, .ifname = p.ifname,
	};
	int r;

	if (ovs_port_each(job->host, find_port, &p, e) < 0)
		return -1;
	if (!p.found)
		return 0;
	if (journal_lock_attachment(job->journal, &o, &d, e) < 0)
		return -1;
	r = is_dead(job, &o, e);
	if (r > 0 && ovs_gc(job->host, NULL, p.network, is_other_port, &p, e) < 0)
		r = -1;
	journal_unlock_attachment(job->journal, &o);
	return r;
}

/* -- leases of host-local -- */

static int release_lease(const struct job *job, struct err *e)
{
	struct deadline d = deadline_in(job->host->set.lock_timeout_ms);
	struct lease l;
	const struct owner o = { .network = l.network, .container_id = l.container_id,
				 .ifname = l.ifname };
	int r = lease_read(job->host, time(NULL), job->object, &l, e);

	if (r <= 0)
		return r;
	if (journal_lock_attachment(job->journal, &o, &d, e) < 0)
		return -1;
	r = leak_has_record(job->host, job->journal, &o, e);
	r = r < 0 ? -1 : r > 0 ? 0 : lease_is_dead(job->host, job->journal, &l, e);
	if (r > 0 && lease_release(job->host, &l, e) < 0)
		r = -1;
	journal_unlock_attachment(job->journal, &o);
	return r;
}

/* -- modes -- */

static bool is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return strncmp(path, dir, len) == 0 && (!path[len] || path[len] == '/');
}

/* Of what is ours and root's: others may not write there any more, and that is all. */
static int set_mode(const struct job *job, struct err *e)
{
	const struct settings *set = &job->host->set;
	auto_close int fd = -1;
	struct stat st;

	if (!is_below(job->object, set->state_dir) && !is_below(job->object, set->run_dir) &&
	    !is_below(job->object, set->devinfo_dir) && !is_below(job->object, set->socket_dir) &&
	    !(job->host->earlier && is_below(job->object, job->host->earlier->place)))
		return err_set(e, ERR_PERMISSION, 0, "it is not in a directory of ours");
	fd = fs_open(job->host->root, job->object, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0);
	if (fd < 0 || fstat(fd, &st) < 0)
		return errno == ENOENT ? 0 : err_set(e, ERR_IO, errno, "open '%.200s'",
						     job->object);
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return 0;
	if (st.st_uid != geteuid())
		return err_set(e, ERR_PERMISSION, 0, "user %u owns it: look into it, then chown(1)",
			       st.st_uid);
	if (fs_is_own(&st))
		return 0;
	return fchmod(fd, st.st_mode & ~(mode_t)(S_IWGRP | S_IWOTH) & 07777) < 0 ?
		       err_set(e, ERR_IO, errno, "change the mode of '%.200s'", job->object) : 1;
}

/* -- records, wherever they are -- */

struct anywhere {
	const struct job *job;
	int (*remedy)(const struct job *job, struct err *e);
};

/* A record of an earlier stateDir is mended by the journal that it is in. */
static int mend_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	const struct anywhere *a = arg;
	struct job job = *a->job;

	if (!is_below(job.object, there->set.state_dir))
		return 0;
	job.host = there;
	job.journal = j;
	return a->remedy(&job, e);
}

static int mend_anywhere(const struct anywhere *a, struct err *e)
{
	struct anywhere of = *a;

	return is_below(a->job->object, a->job->host->set.state_dir) ?
		       a->remedy(a->job, e) :
		       earlier_each(a->job->host, JOURNAL_UPDATE, mend_there, &of, e);
}

static int release_anywhere(const struct job *job, struct err *e)
{
	return mend_anywhere(&(const struct anywhere){ job, release }, e);
}

static int remove_kept_anywhere(const struct job *job, struct err *e)
{
	return mend_anywhere(&(const struct anywhere){ job, remove_kept }, e);
}

/* -- the table -- */

static int (*const remedies[])(const struct job *job, struct err *e) = {
	[REMEDY_BY_HAND] = NULL,
	[REMEDY_RELEASE] = release_anywhere,
	[REMEDY_REMOVE_DP] = remove_dp,
	[REMEDY_REMOVE_STATUS] = remove_status,
	[REMEDY_REMOVE_LEDGER] = remove_ledger,
	[REMEDY_REMOVE_LINK] = remove_link,
	[REMEDY_REMOVE_KEPT] = remove_kept_anywhere,
	[REMEDY_REMOVE_SOCKET_DIR] = remove_socket_dir,
	[REMEDY_TIDY_INDEX] = tidy_index,
	[REMEDY_RESTORE_VF] = restore_attributes,
	[REMEDY_REMOVE_PORT] = remove_port,
	[REMEDY_RELEASE_LEASE] = release_lease,
	[REMEDY_MODE] = set_mode,
};

bool repair_can(const struct finding *f)
{
	return f->remedy < ARRAY_SIZE(remedies) && remedies[f->remedy];
}

/* Its locks need a journal; others that may write to one are what it cannot be opened for. */
int repair_carry_out(const struct host *host, const struct finding *f, struct err *e)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	const char *slash = strrchr(f->object, '/');
	const struct job job = {
		.host = host, .journal = &j, .object = f->object,
		.name = slash ? slash + 1 : f->object,
	};

	if (!repair_can(f))
		return err_set(e, ERR_NETCONF, 0, "nothing but people can mend it");
	if (f->remedy != REMEDY_MODE && journal_open(host, JOURNAL_CREATE, &j, e) < 0)
		return -1;
	return remedies[f->remedy](&job, e);
}
