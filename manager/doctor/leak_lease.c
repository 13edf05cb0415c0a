/* SPDX-License-Identifier: Apache-2.0 */
/* leak_lease.c - leases of host-local: whose containers are dead, and those that pods have lost */
#include "manager/doctor/leak.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/attach/release.h"
#include "cni/call/status.h"
#include "devinfo/journal/earlier.h"
#include "manager/doctor/lease.h"
#include "manager/doctor/net_d.h"
#include "manager/inventory/join.h"
#include "manager/inventory/join_text.h"
#include "netlink/ip.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define HOST_LOCAL_DIR	"/var/lib/cni/networks"

enum { LEASES_MAX = 1 << 17 };		/* files of one data directory */

struct leases {
	const struct host *host;
	const struct inventory *inv;
	struct findings *ret;
	struct journal *journal;
	json_t *containers;		/* see lease_ask_caches() */
	const char *dir;		/* that is walked: a data directory, then a network's */
	size_t n;			/* files of that data directory */
	bool is_there;
};

static int take_conf(const struct net_d_file *file, void *arg, struct err *e)
{
	(void)e;
	lease_note_dirs(file->doc, arg);
	return 0;
}

/* -- one -- */

/* What an attachment of the journal needs, its own release gives back. */
static int judge(const struct leases *s, const char *path, const struct lease *l, struct err *e)
{
	static const struct finding_kind kind = {
		"lease-dead", SEVERITY_WARNING, REMEDY_RELEASE_LEASE,
		"repair has host-local release it (DEL)",
	};
	const struct owner o = { .network = l->network, .container_id = l->container_id,
				 .ifname = l->ifname };
	int r;

	if (!json_is_false(json_object_get(s->containers, l->container_id)))
		return 0;
	r = *l->ifname ? leak_has_record(s->host, s->journal, &o, e) : 0;
	return r != 0 ? (r < 0 ? -1 : 0) :
			finding_tell(s->ret, &kind, path, e, "address %s of network %.64s is "
				     "leased for %s of container %.64s, which is dead", l->address,
				     l->network, *l->ifname ? l->ifname : "an interface",
				     l->container_id);
}

static int take_lease(const char *name, void *arg, struct err *e)
{
	struct leases *s = arg;
	char path[PATH_MAX];
	struct lease l;
	int r;

	if (++s->n > LEASES_MAX)
		return 1;
	(void)snprintf(path, sizeof(path), "%s/%s", s->dir, name);
	r = lease_read(s->host, leak_now(s->host, s->inv), path, &l, e);
	return r > 0 ? judge(s, path, &l, e) : r;
}

static int take_network(const char *name, void *arg, struct err *e)
{
	struct leases *s = arg, one = *s;
	auto_close int dir = -1;
	char path[PATH_MAX];
	int r;

	(void)snprintf(path, sizeof(path), "%s/%s", s->dir, name);
	if (!name_is_cni_id(name) || fs_find_dir(s->host->root, path, &dir, e) <= 0)
		return 0;
	one.dir = path;
	r = fs_each(s->host->root, path, take_lease, &one, e);
	s->n = one.n;
	s->is_there = true;
	return r;
}

/* -- all -- */

/* What is not looked at of one data directory is told, and hides nothing of the others. */
static int take_dir(struct leases *s, struct err *e)
{
	int r;

	s->n = 0;
	r = fs_each(s->host->root, s->dir, take_network, s, e);
	return r <= 0 ? r : finding_skip(s->ret, e, "%.150s has over %d files: the others are not "
					 "looked at", s->dir, LEASES_MAX);
}

static int take_dirs(struct leases *s, json_t *dirs, struct err *e)
{
	size_t i = 0;
	json_t *v;

	json_object_foreach(dirs, s->dir, v) {
		if (i++ == LEASE_DIRS_MAX)
			return finding_skip(s->ret, e, "configurations name over %d directories of "
					    "leases: %.150s and others are not looked at",
					    LEASE_DIRS_MAX, s->dir);
		if (take_dir(s, e) < 0)
			return -1;
	}
	return 0;
}

static int read_containers(struct leases *s, json_t *dirs, struct err *e)
{
	const struct inventory *inv = s->inv;

	if (lease_ask_caches(s->host, inv, NULL, s->containers, dirs, e) < 0)
		return -1;
	for (size_t i = 0; i < inv->n_attachments; i++) {
		const struct inv_attachment *a = &inv->attachments[i];

		lease_note_record(s->containers, a->container_id,
				  strcmp(a->state, "dead") == 0 ||
				  strcmp(a->state, "earlier boot") == 0);
	}
	return 0;
}

int leak_lease(const struct host *host, const struct inventory *inv, struct findings *ret,
	       struct err *e)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	json_auto_t *containers = json_object(), *dirs = json_object();
	struct leases s = { .host = host, .inv = inv, .ret = ret, .journal = &j,
			    .containers = containers };

	(void)json_object_set_new(dirs, HOST_LOCAL_DIR, json_true());
	if (journal_open(host, JOURNAL_READ, &j, e) < 0 ||
	    net_d_each(host, take_conf, dirs, e) < 0 || read_containers(&s, dirs, e) < 0 ||
	    take_dirs(&s, dirs, e) < 0)
		return -1;
	return s.is_there ? 0 : finding_skip(ret, e, "host-local has no leases");
}

/* -- those of living pods -- */

struct living {
	const struct host *host;
	const struct inventory *inv;
	struct findings *ret;
	struct journal *journal;
	const json_t *places;		/* of attachments, by file */
	size_t looked, unseen;		/* attachments with addresses of host-local */
};

/* As host-local reads it: in whichever letters, but rather as it is spelled. */
static const json_t *member(const json_t *o, const char *key)
{
	const json_t *exact = json_object_get(o, key);
	const char *has;
	json_t *v;

	if (exact)
		return exact;
	json_object_foreach((json_t *)(uintptr_t)o, has, v)
		if (strcasecmp(has, key) == 0)
			return v;
	return NULL;
}

/* Where the leases of its network are: false when that cannot be told. */
static bool find_leases(const struct record *rec, char ret[PATH_MAX])
{
	struct err ignored;
	json_auto_t *request = rec->request ? jx_parse(rec->request, strlen(rec->request),
						       ERR_DECODE, "request", &ignored) : NULL;
	const json_t *dir = member(member(request, "ipam"), "dataDir");
	const char *path = json_is_string(dir) && *json_string_value(dir) ?
				   json_string_value(dir) : HOST_LOCAL_DIR;

	(void)snprintf(ret, PATH_MAX, "%.2000s/%.255s", path, rec->owner.network);
	return request && *path == '/';
}

/* A DEL may be at work, or have come meanwhile. */
static bool is_left_alone(const struct living *l, const struct owner *o)
{
	auto_record struct record now = { 0 };
	struct err ignored;

	return journal_attachment_busy(l->journal, o, &ignored) == 0 &&
	       journal_find(l->journal, o, &now, &ignored) > 0 && !now.released;
}

static int tell_lost(const struct living *l, const struct record *rec, const char *path,
		     const char *how, struct err *e)
{
	static const struct finding_kind kind = {
		"lease-lost", SEVERITY_ERROR, REMEDY_BY_HAND,
		"delete the pod, so that it gets an address anew: until then another pod may get "
		"the same one",
	};
	const struct inv_attachment *a;
	char file[256], whose[256];

	journal_file_name(rec, file);
	a = &l->inv->attachments[join_place(l->places, file)];
	leak_name_attachment(a, whose, sizeof(whose));
	return is_left_alone(l, &rec->owner) ?
		       finding_tell(l->ret, &kind, path, e, "%s, network %.64s, has the address, "
				    "and %s", whose, rec->owner.network, how) : 0;
}

/* A young lease of another container may be one that is just being made, or told. */
static int look_at_address(const struct living *l, const struct record *rec, const char *dir,
			   const char *address, struct err *e)
{
	char path[PATH_MAX + 64], how[400];
	struct lease has;
	struct ip ip;
	int r;

	if (!ip_parse(address, &ip))
		return 0;
	(void)snprintf(path, sizeof(path), "%s/%.63s", dir, address);
	r = fs_exists(l->host->root, e, "%s", path);
	if (r == 0)
		return tell_lost(l, rec, path, "there is no such lease", e);
	if (r > 0)
		r = lease_read(l->host, leak_now(l->host, l->inv), path, &has, e);
	if (r <= 0 || (strcmp(has.container_id, rec->owner.container_id) == 0 &&
		       (!*has.ifname || strcmp(has.ifname, rec->owner.ifname) == 0)))
		return r < 0 ? -1 : 0;
	(void)snprintf(how, sizeof(how), "the lease is that of %s of container %.255s",
		       *has.ifname ? has.ifname : "an interface", has.container_id);
	return tell_lost(l, rec, path, how, e);
}

/* Its addresses are those of network-status, which has them from host-local. */
static int look_at_addresses(struct living *l, const struct record *rec, struct err *e)
{
	struct host of = release_host(l->host, rec);
	json_auto_t *entry = NULL;
	auto_close int fd = -1;
	char dir[PATH_MAX];
	struct err ignored;
	const json_t *ip;
	size_t i;

	if (!find_leases(rec, dir) || fs_find_dir(l->host->root, dir, &fd, &ignored) <= 0 ||
	    status_get(&of, &rec->owner, &entry, &ignored) <= 0) {
		l->unseen++;
		return 0;
	}
	l->looked++;
	json_array_foreach(json_object_get(entry, "ips"), i, ip)
		if (json_is_string(ip) &&
		    look_at_address(l, rec, dir, json_string_value(ip), e) < 0)
			return -1;
	return 0;
}

static int take_living(const struct record *rec, void *arg, struct err *e)
{
	struct living *l = arg;
	char file[256];
	int at;

	journal_file_name(rec, file);
	at = join_place(l->places, file);
	if (at == INV_NONE || strcmp(l->inv->attachments[at].state, "live") != 0 ||
	    !rec->ipam_type || strcmp(rec->ipam_type, "host-local") != 0)
		return 0;
	return look_at_addresses(l, rec, e);
}

static int take_living_there(const struct host *there, struct journal *j, void *arg,
			     struct err *e)
{
	struct living *l = arg, of = *l;
	int r;

	(void)there;
	of.journal = j;
	r = journal_each(j, take_living, &of, e);
	l->looked = of.looked;
	l->unseen = of.unseen;
	return r;
}

int leak_lease_lost(const struct host *host, const struct inventory *inv, struct findings *ret,
		    struct err *e)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	json_auto_t *places = JOIN_MAP(inv->attachments, inv->n_attachments, struct inv_attachment,
				       file);
	struct living l = { .host = host, .inv = inv, .ret = ret, .journal = &j, .places = places };
	int r = journal_open(host, JOURNAL_READ, &j, e);

	if (r > 0)
		r = journal_each(&j, take_living, &l, e);
	if (r >= 0)
		r = earlier_each(host, JOURNAL_READ, take_living_there, &l, e);
	if (r < 0)
		return -1;
	if (l.unseen > 0)
		r = finding_skip(ret, e, "of %zu living attachments with an address of host-local, "
				 "their network's directory of leases, or their network-status, is "
				 "not to be seen", l.unseen);
	else if (l.looked == 0)
		r = finding_skip(ret, e, "no living attachment has an address of host-local");
	return r < 0 || l.looked == 0 ? r : 0;
}
