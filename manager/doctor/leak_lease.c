/* SPDX-License-Identifier: Apache-2.0 */
/* leak_lease.c - leases of host-local whose containers are dead */
#include "manager/doctor/leak.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "manager/doctor/lease.h"
#include "manager/doctor/net_d.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define HOST_LOCAL_DIR	"/var/lib/cni/networks"

enum { LEASES_MAX = 1 << 17 };

struct leases {
	const struct host *host;
	const struct inventory *inv;
	struct findings *ret;
	struct journal *journal;
	json_t *containers;		/* see lease_ask_caches() */
	const char *dir;		/* that is walked: a data directory, then a network's */
	size_t n;
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
		return err_set(e, ERR_IO, E2BIG, "%s: over %d files", s->dir, LEASES_MAX);
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
	json_t *v;

	(void)json_object_set_new(dirs, HOST_LOCAL_DIR, json_true());
	if (journal_open(host, JOURNAL_READ, &j, e) < 0 ||
	    net_d_each(host, take_conf, dirs, e) < 0 || read_containers(&s, dirs, e) < 0)
		return -1;
	json_object_foreach(dirs, s.dir, v)
		if (fs_each(host->root, s.dir, take_network, &s, e) < 0)
			return -1;
	return s.is_there ? 0 : finding_skip(ret, e, "host-local has no leases");
}
