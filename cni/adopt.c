/* SPDX-License-Identifier: Apache-2.0 */
/* adopt.c - attachments that sriov-cni made become ours when they end */
#include "cni/adopt.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/netdev.h"
#include "devinfo/sriov_state.h"
#include "devinfo/sysfs.h"
#include "netlink/netns.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
	STATES_MAX = 32,	/* records of one VF */
	BOOT_SLACK_S = 5,	/* what the clock may have been corrected by */
};

/* All that sriov-cni says about one VF. */
struct old_vf {
	int dir;			/* its directory, borrowed */
	char bdf[16];
	struct sriov_state state[STATES_MAX];	/* of this boot, the oldest first */
	size_t n;
	char marker[PATH_MAX];		/* the youngest one's namespace, "" not known */
	bool alive;			/* that namespace is there */
};

static void old_vf_done(struct old_vf *v)
{
	for (size_t i = 0; i < v->n; i++)
		sriov_state_done(&v->state[i]);
}

#define auto_old_vf auto_with(old_vf_done)

/* -- looking -- */

/* A VF forgets everything with the machine's boot, and the files outlive it. */
static time_t boot_time(void)
{
	struct timespec now, up;

	if (clock_gettime(CLOCK_REALTIME, &now) < 0 || clock_gettime(CLOCK_BOOTTIME, &up) < 0)
		return 0;
	return now.tv_sec - up.tv_sec - BOOT_SLACK_S;
}

/* 1, 0 gone, -1 when that cannot be told: see owner_open(). */
static int open_netns(const char *path, int *ret, struct stat *st, struct err *e)
{
	auto_close int fd = -1;
	int r = netns_open(path, &fd, e);

	if (r <= 0)
		return r < 0 && e->sys && e->sys != ELOOP ? -1 : 0;
	if (netns_is_own(fd))
		return 0;
	if (fstat(fd, st) < 0)
		return err_set(e, ERR_IO, errno, "stat '%.200s'", path);
	*ret = steal_fd(&fd);
	return 1;
}

static int is_alive(const char *path, struct err *e)
{
	auto_close int fd = -1;
	struct stat st;

	return open_netns(path, &fd, &st, e);
}

static bool is_same_netns(const char *a, const char *b)
{
	auto_close int first = -1, second = -1;
	struct stat x, y;
	struct err e;

	return strcmp(a, b) == 0 ||
	       (open_netns(a, &first, &x, &e) > 0 && open_netns(b, &second, &y, &e) > 0 &&
		x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

static void insert(struct old_vf *v, struct sriov_state *s)
{
	size_t at = v->n++;

	for (; at > 0 && (v->state[at - 1].written.tv_sec > s->written.tv_sec ||
			  (v->state[at - 1].written.tv_sec == s->written.tv_sec &&
			   v->state[at - 1].written.tv_nsec > s->written.tv_nsec)); at--)
		v->state[at] = v->state[at - 1];
	v->state[at] = *s;
	*s = (struct sriov_state){ 0 };
}

static int collect(const char *name, void *arg, struct err *e)
{
	auto_sriov_state struct sriov_state s = { 0 };
	struct old_vf *v = arg;
	int r = sriov_state_read_file(v->dir, name, &s, e);

	if (r < 0)
		log_warning("msg=\"left alone: %s\"", e->msg);
	if (r <= 0 || strcmp(s.rec.device, v->bdf) != 0)
		return 0;
	if (v->n < STATES_MAX)
		insert(v, &s);
	else
		log_warning("msg=\"left alone: too many records of one VF\" file=%s", name);
	return 0;
}

static int read_marker(struct old_vf *v, struct err *e)
{
	int r = sriov_state_marker(v->dir, v->bdf, v->marker, e);

	if (r < 0)
		log_warning("msg=\"left alone: %s\"", e->msg);
	r = r > 0 ? is_alive(v->marker, e) : 0;
	v->alive = r > 0;
	return r < 0 ? -1 : 0;
}

static int look_at_vf(int dir, const char *bdf, struct old_vf *v, struct err *e)
{
	v->dir = dir;
	(void)snprintf(v->bdf, sizeof(v->bdf), "%s", bdf);
	return read_marker(v, e) < 0 ||
	       sriov_state_each(dir, boot_time(), collect, v, e) < 0 ? -1 : 0;
}

/*
 * Is it known who has the VF?  Early releases wrote no marker, but a VF whose network device is
 * here is in no container.  1, 0, -1.
 */
static int is_owner_known(const struct host *host, const struct old_vf *v, struct err *e)
{
	const struct record *rec = &v->state[v->n - 1].rec;
	struct pci_device dev = { 0 };
	int r;

	if (*v->marker)
		return 1;
	r = rec->netdev.present ? sysfs_pci(host, rec->device, &dev, e) : 0;
	return r <= 0 ? r : *dev.netdev != '\0';
}

/* -- completing -- */

/* What sriov-cni does not write down is as it is now, for it changes none of that. */
static void take_link(struct record *rec, const struct link *now, bool in_pod)
{
	struct netdev_state *was = &rec->netdev;

	was->ifindex = now->ifindex;
	rec->pod_ifindex = in_pod ? now->ifindex : 0;
	was->txqlen = now->txqlen;
	memcpy(was->alias, now->alias, sizeof(was->alias));
	was->perm_len = now->perm_len;
	memcpy(was->perm, now->perm, sizeof(was->perm));
	if (!was->addr_len) {
		was->addr_len = now->addr_len;
		memcpy(was->addr, now->addr, sizeof(was->addr));
	}
	if (rec->vf_set & VF_MAC) {	/* which some drivers take for the permanent one */
		was->perm_len = was->addr_len;
		memcpy(was->perm, was->addr, sizeof(was->perm));
	}
}

static int look_at_link(struct record *rec, struct nl *pod, struct err *e)
{
	auto_nl struct nl home = { 0 };
	struct netdev_place p = { .in_pod = false };
	int r;

	if (!rec->netdev.present)
		return 0;
	if (nl_open(NETNS_OWN, NETLINK_ROUTE, &home, e) < 0)
		return -1;
	r = netdev_find(&home, pod, rec, &p, e);
	if (r > 0)
		take_link(rec, &p.link, p.in_pod);
	return r < 0 ? -1 : 0;
}

/* The namespace and the network device of the one that has the VF. */
static int complete(struct record *rec, const char *netns, struct err *e)
{
	auto_nl struct nl pod = { 0 };
	auto_close int fd = -1;
	struct stat st;
	int alive = open_netns(netns, &fd, &st, e);

	if (alive < 0 || (alive > 0 && nl_open(fd, NETLINK_ROUTE, &pod, e) < 0))
		return -1;
	rec->owner.netns = netns;
	if (alive) {
		rec->owner.netns_dev = st.st_dev;
		rec->owner.netns_ino = st.st_ino;
		rec->owner.netns_cookie = nl_netns_cookie(&pod);
	}
	return look_at_link(rec, alive ? &pod : NULL, e);
}

static int set_node(const struct host *host, struct record *rec, bool this_boot, struct err *e)
{
	rec->devinfo_dir = host->set.devinfo_dir;
	rec->run_dir = host->set.run_dir;
	if (!this_boot)
		(void)snprintf(rec->boot_id, sizeof(rec->boot_id), "earlier");
	return this_boot ? journal_boot_id(host, rec->boot_id, e) : 0;
}

/* What the pods before the youngest one have left is not what was before. */
static void take_original(struct old_vf *v)
{
	struct record *to = &v->state[v->n - 1].rec;

	for (size_t i = v->n; i-- > 0;) {
		const struct record *from = &v->state[i].rec;

		to->vf = from->vf;
		to->vf_set |= from->vf_set;
		if (to->netdev.present && from->netdev.present)
			to->netdev = from->netdev;
	}
}

/* -- taking over -- */

/* An earlier attempt, killed before it had removed the old file, has written the record. */
static int write_once(const struct adoption *a, const struct record *rec, struct err *e)
{
	auto_record struct record has = { 0 };
	int r = journal_get(a->journal, &rec->owner, rec->device, &has, e);

	if (r != 0)
		return r < 0 ? -1 : 0;
	log_info(
		"msg=\"taken over from sriov-cni\" container=%s interface=%s device=%s released=%d",
		rec->owner.container_id, rec->owner.ifname, rec->device, rec->released);
	return journal_write(a->journal, rec, e);
}

/* An attachment that has nothing to do with the VF any more: its lease is left. */
static int adopt_rest(const struct adoption *a, int dir, struct sriov_state *s, bool this_boot,
		      struct err *e)
{
	s->rec.released = true;
	return set_node(a->host, &s->rec, this_boot, e) < 0 || write_once(a, &s->rec, e) < 0 ||
	       sriov_state_remove(dir, s, e) < 0 ? -1 : 0;
}

/* A record of ours, with the device: it was given to one of our attachments since. */
static int is_ours(const struct adoption *a, const struct record *rec, struct err *e)
{
	auto_record struct record ours = { 0 };
	int r = journal_find_device(a->journal, rec->device, &ours, e);

	return r <= 0 ? r : !owner_equal(&ours.owner, &rec->owner);
}

/*
 * All of a VF's, whose youngest owner is of this namespace.  Killed while the files go, a DEL finds
 * its own again; with the youngest gone first, the others have the older, truer original.
 */
static int adopt_vf(const struct adoption *a, struct old_vf *v, const char *netns, struct err *e)
{
	struct record *last = &v->state[v->n - 1].rec;
	int ours = is_ours(a, last, e);

	if (ours < 0)
		return -1;
	last->released = ours;
	take_original(v);
	if (set_node(a->host, last, true, e) < 0 || (!ours && complete(last, netns, e) < 0))
		return err_wrap(e, "take %s over from sriov-cni", v->bdf);
	for (size_t i = 0; i + 1 < v->n; i++) {
		v->state[i].rec.released = true;
		if (set_node(a->host, &v->state[i].rec, true, e) < 0 ||
		    write_once(a, &v->state[i].rec, e) < 0)
			return -1;
	}
	if (write_once(a, last, e) < 0)
		return -1;
	if (sriov_state_remove_marker(v->dir, v->bdf, e) < 0)
		return -1;
	for (size_t i = v->n; i-- > 0;)
		if (sriov_state_remove(v->dir, &v->state[i], e) < 0)
			return -1;
	return 0;
}

static int find_index(const struct old_vf *v, const char *file)
{
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->state[i].file, file) == 0)
			return (int)i;
	return -1;
}

/* Chained behind sriov-cni we get DELs of its attachments as well: those are not for us to end. */
static bool is_meant(const struct adoption *a, const struct sriov_state *s)
{
	const json_t *doc = a->conf->doc;
	const char *type = json_string_value(json_object_get(doc, "type"));
	const char *ipam = json_string_value(json_object_get(json_object_get(doc, "ipam"), "type"));

	return (type && s->type && strcmp(type, s->type) == 0) ||
	       strcmp(ipam ? ipam : "", s->rec.lease_of ? s->rec.lease_of : "") == 0;
}

static int open_journal(const struct adoption *a, struct err *e)
{
	return a->journal->dir >= 0 ? 0 : journal_open(a->host, JOURNAL_CREATE, a->journal, e) < 0 ?
						  -1 : 0;
}

static int lock_old(struct adoption *a, int dir, const char *bdf, const struct deadline *d,
		    struct err *e)
{
	mem_close_fd(&a->lock);
	a->lock = -1;
	return sriov_state_lock(dir, bdf, d, &a->lock, e) < 0 ? -1 : 0;
}

/* -- DEL -- */

/*
 * Does nobody else have the VF?  The namespace is the caller's word; the marker, where there is
 * one, goes before.
 */
static int is_free_of_others(const struct adoption *a, const struct old_vf *v, bool is_last,
			     const char *netns, struct err *e)
{
	if (!is_last)
		return is_owner_known(a->host, v, e);
	return !v->alive || !*netns || is_same_netns(v->marker, netns);
}

/* Under the locks. */
static int adopt_own(const struct adoption *a, int dir, struct sriov_state *own, const char *netns,
		     struct err *e)
{
	auto_old_vf struct old_vf v = { .n = 0 };
	int at, free;

	if (look_at_vf(dir, own->rec.device, &v, e) < 0)
		return -1;
	at = find_index(&v, own->file);
	if (at < 0 && v.n == 0 && v.alive && is_same_netns(v.marker, netns)) {
		insert(&v, own);	/* the clock has been set: it is of this boot */
		at = 0;
	}
	if (at < 0)
		return adopt_rest(a, dir, own, false, e);
	v.state[at].rec.owner = own->rec.owner;	/* the network as the caller calls it */
	free = is_free_of_others(a, &v, (size_t)at + 1 == v.n, netns, e);
	if (free < 0)
		return -1;
	if (!free) {
		log_warning("msg=\"the VF may be another container's: it is left alone\" "
			    "file=%s device=%s",
			    own->file, v.bdf);
		return adopt_rest(a, dir, own, true, e);
	}
	return adopt_vf(a, &v, *v.marker || (size_t)at + 1 < v.n ? v.marker : netns, e);
}

/* Behind sriov-cni in a chain: then it ends its attachment itself. */
static int is_chained(const struct adoption *a, const struct owner *o, struct err *e)
{
	auto_record struct record ours = { 0 };
	int r = journal_find(a->journal, o, &ours, e);

	return r <= 0 ? r : ours.in_place;
}

int adopt_attachment(struct adoption *a, const struct owner *o, struct err *e)
{
	struct deadline d = deadline_in(a->host->set.lock_timeout_ms);
	auto_sriov_state struct sriov_state first = { 0 }, own = { 0 };
	auto_close int dir = -1;
	int r = sriov_state_open(a->host, &dir, e);

	if (r <= 0)
		return r;
	r = sriov_state_read(dir, o->container_id, o->ifname, &first, e);
	if (r < 0)
		log_warning("msg=\"left alone: %s\"", e->msg);
	if (r <= 0)
		return 0;
	if (!is_meant(a, &first)) {
		log_info("msg=\"sriov-cni's own to end\" file=%s", first.file);
		return 0;
	}
	if (open_journal(a, e) < 0 || journal_lock_attachment(a->journal, o, &d, e) < 0)
		return -1;
	r = is_chained(a, o, e);
	if (r != 0)
		return r < 0 ? -1 : 0;
	if (journal_lock_device(a->journal, first.rec.device, &d, e) < 0 ||
	    lock_old(a, dir, first.rec.device, &d, e) < 0)
		return err_wrap(e, "device %s", first.rec.device);
	r = sriov_state_read(dir, o->container_id, o->ifname, &own, e);
	if (r <= 0)	/* another call has taken it meanwhile */
		return r < 0 ? -1 : 1;
	if (strcmp(own.rec.device, first.rec.device) != 0)
		return err_set(e, ERR_TRY_AGAIN, 0, "sriov-cni has just written '%s'", own.file);
	own.rec.owner.network = o->network;
	return adopt_own(a, dir, &own, o->netns ? o->netns : "", e) < 0 ? -1 : 1;
}

/* -- ADD -- */

/* Whose it is, for the message. */
static void tell(struct old_vf *v, struct record *live)
{
	if (v->n > 0) {
		*live = v->state[v->n - 1].rec;
		v->state[v->n - 1].rec = (struct record){ 0 };
		return;
	}
	live->doc = json_pack("{s:s}", "netns", v->marker);
	live->owner = (struct owner){ .network = "sriov-cni", .ifname = "unknown" };
	live->owner.container_id = json_string_value(json_object_get(live->doc, "netns"));
	memcpy(live->device, v->bdf, sizeof(v->bdf));
}

static int adopt_for_add(struct adoption *a, struct old_vf *v, struct record *live, struct err *e)
{
	int known;

	if (v->alive) {
		tell(v, live);
		return 0;
	}
	if (v->n == 0)
		return !*v->marker ? 1 :
		       sriov_state_remove_marker(v->dir, v->bdf, e) < 0 ? -1 : 1;
	known = is_owner_known(a->host, v, e);
	if (known <= 0)		/* then it is not here to be given either */
		return known < 0 ? -1 : 1;
	return adopt_vf(a, v, v->marker, e) < 0 ? -1 : 1;
}

int adopt_device(struct adoption *a, const char *bdf, struct record *live, struct err *e)
{
	struct deadline d = deadline_in(a->host->set.lock_timeout_ms);
	auto_old_vf struct old_vf v = { .n = 0 };
	auto_close int dir = -1;
	int r = sriov_state_open(a->host, &dir, e);

	if (r <= 0)
		return r < 0 ? -1 : 1;
	if (lock_old(a, dir, bdf, &d, e) < 0 || look_at_vf(dir, bdf, &v, e) < 0)
		return -1;
	return adopt_for_add(a, &v, live, e);
}

/* -- GC -- */

struct dead_walk {
	struct adoption *a;
	const struct adopt_choice *choice;
	int dir;
};

/* 1 taken over, 0 left, -1. */
static int adopt_if_dead(const struct adoption *a, int dir, struct sriov_state *own, struct err *e)
{
	auto_old_vf struct old_vf v = { .n = 0 };
	int at, known;

	if (look_at_vf(dir, own->rec.device, &v, e) < 0)
		return -1;
	at = find_index(&v, own->file);
	if (at < 0)
		return adopt_rest(a, dir, own, false, e) < 0 ? -1 : 1;
	known = is_owner_known(a->host, &v, e);
	if (known <= 0 || ((size_t)at + 1 == v.n && v.alive))
		return known < 0 ? -1 : 0;
	return adopt_vf(a, &v, v.marker, e) < 0 ? -1 : 1;
}

static int take_if_dead(struct adoption *a, int dir, const char *name, struct err *e)
{
	struct deadline d = deadline_in(a->host->set.lock_timeout_ms);
	auto_sriov_state struct sriov_state own = { 0 };
	char device[64];
	int r = sriov_state_read_file(dir, name, &own, e);

	if (r <= 0)
		return r;
	memcpy(device, own.rec.device, sizeof(device));
	if (open_journal(a, e) < 0 || journal_lock_device(a->journal, device, &d, e) < 0)
		return -1;
	r = lock_old(a, dir, device, &d, e);
	if (r == 0) {
		sriov_state_done(&own);
		r = sriov_state_read_file(dir, name, &own, e);
	}
	if (r > 0)
		r = adopt_if_dead(a, dir, &own, e);
	journal_unlock_device(a->journal, device);
	return r;
}

static int visit_dead(const char *name, void *arg, struct err *e)
{
	const struct dead_walk *w = arg;
	auto_sriov_state struct sriov_state s = { 0 };
	const struct owner *o = &s.rec.owner;
	int r = sriov_state_read_file(w->dir, name, &s, e);

	if (r < 0)
		log_warning("msg=\"left alone: %s\"", e->msg);
	if (r <= 0 || strcmp(o->network, w->a->conf->name) != 0 || !is_meant(w->a, &s))
		return 0;
	r = w->choice->is_kept(o->container_id, o->ifname, w->choice->arg) ?
		    0 : take_if_dead(w->a, w->dir, name, e);
	if (r < 0)
		log_warning("msg=\"%s\" details=\"%s\"", e->msg, e->details);
	if (r <= 0)
		w->choice->left(o, w->choice->arg);
	return 0;
}

int adopt_dead(struct adoption *a, const struct adopt_choice *c, struct err *e)
{
	auto_close int dir = -1;
	struct dead_walk w = { .a = a, .choice = c };
	int r = sriov_state_open(a->host, &dir, e);

	if (r <= 0)
		return r;
	w.dir = dir;
	return sriov_state_each(dir, 0, visit_dead, &w, e);
}

/* -- CHECK -- */

int adopt_look(const struct adoption *a, const struct owner *o, struct record *ret, struct err *e)
{
	auto_old_vf struct old_vf v = { .n = 0 };
	auto_sriov_state struct sriov_state s = { 0 };
	auto_close int dir = -1;
	int r = sriov_state_open(a->host, &dir, e);

	if (r > 0)
		r = sriov_state_read(dir, o->container_id, o->ifname, &s, e);
	if (r <= 0 || !is_meant(a, &s))
		return r < 0 ? -1 : 0;
	v.dir = dir;
	memcpy(v.bdf, s.rec.device, sizeof(v.bdf));
	if (read_marker(&v, e) < 0 || set_node(a->host, &s.rec, true, e) < 0 ||
	    complete(&s.rec, *v.marker ? v.marker : o->netns, e) < 0)
		return -1;
	s.rec.owner.netns = o->netns;	/* the marker is not kept */
	*ret = s.rec;
	s.rec = (struct record){ 0 };
	return 1;
}
