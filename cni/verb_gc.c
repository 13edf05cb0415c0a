/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verb_gc.c - GC: what dead attachments of this network have left
 *
 * An attachment is dead when the runtime does not list it and its namespace, the very one
 * of the ADD, is gone: a runtime that shares the network's name with another one (podman
 * next to containerd) lists its own containers only.  Without a list nothing is done, for
 * that cannot be told from an old runtime's fault.
 */
#include "cni/verb.h"

#include "base/jx.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/attach/aspects.h"
#include "cni/attach/delegate_policy.h"
#include "cni/attach/release.h"
#include "cni/call/cache.h"
#include "cni/call/status.h"
#include "cni/plugins/chain.h"
#include "cni/sriovcni/takeover.h"
#include "devinfo/format/store.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/ledger.h"

#include <stdio.h>
#include <string.h>

struct gc {
	const struct verb_input *in;
	const struct host *host;	/* the directories of the records that are looked at, */
	struct journal *journal;	/* and their journal */
	json_t *valid;			/* "<container id>/<ifname>", listed or still recorded */
	json_t *ids;			/* the container ids, of any network where recorded */
	json_t *cached;			/* the words of the names in libcni's and Multus' caches */
	json_t *before;			/* status entries and files seen before the records were */
	struct err all;
};

static void key_of(const char *container_id, const char *ifname, char ret[512])
{
	(void)snprintf(ret, 512, "%s/%016llx%.200s", ifname,
		       (unsigned long long)name_hash(0, container_id), container_id);
}

static void keep(struct gc *gc, const char *container_id, const char *ifname)
{
	char key[512];

	key_of(container_id, ifname, key);
	(void)json_object_set_new(gc->valid, key, json_true());
	(void)json_object_set_new(gc->ids, container_id, json_true());
}

static bool is_kept(const char *container_id, const char *ifname, const void *arg)
{
	const struct gc *gc = arg;
	char key[512];

	key_of(container_id, ifname, key);
	return json_object_get(gc->valid, key) != NULL;
}

/* -- the list -- */

static int take_attachment(struct gc *gc, const json_t *o, const char *path, struct err *e)
{
	const char *id = NULL, *ifname = NULL;

	if (!json_is_object(o))
		return err_set(e, ERR_NETCONF, 0, "%s: expected an object", path);
	if (jx_string(o, path, "containerID", &id, e) < 0 ||
	    jx_string(o, path, "ifname", &ifname, e) < 0)
		return -1;
	if (!id || !name_is_cni_id(id) || !ifname || !*ifname)
		return err_set(e, ERR_NETCONF, 0, "%s: '%.64s' and '%.32s' are no attachment", path,
			       id ? id : "", ifname ? ifname : "");
	keep(gc, id, ifname);
	return 0;
}

/* 1, 0 without a list, -1.  Specification and library once had different names for it. */
static int read_valid(struct gc *gc, struct err *e)
{
	const char *key = "cni.dev/valid-attachments";
	char path[64];
	json_t *list = NULL;
	const json_t *o;
	size_t i;
	int r = jx_array(gc->in->conf->doc, "", key, &list, e);

	if (r == 0) {
		key = "cni.dev/attachments";
		r = jx_array(gc->in->conf->doc, "", key, &list, e);
	}
	json_array_foreach(list, i, o) {
		(void)snprintf(path, sizeof(path), "%s[%zu]", key, i);
		if (take_attachment(gc, o, path, e) < 0)
			return -1;
	}
	return r;
}

/* -- our records -- */

static int visit_record(const struct record *rec, void *arg, struct err *e)
{
	struct gc *gc = arg;
	const struct release_call call = {
		.request = gc->in->request,
		.ipam_type = gc->in->conf->ipam_type,
	};
	const struct owner *o = &rec->owner;
	int r = 0;

	if (strcmp(o->network, gc->in->conf->name) == 0 &&
	    !is_kept(o->container_id, o->ifname, gc)) {
		r = release_if_dead(gc->host, gc->journal, rec, &call, e);
		if (r < 0)
			err_join(&gc->all, e);
		if (r == 0)
			log_warning("msg=\"not listed, but its namespace lives: kept\" "
				    "container=%s interface=%s",
				    o->container_id, o->ifname);
		if (r > 0)
			log_info("msg=\"released\" container=%s interface=%s device=%s",
				 o->container_id, o->ifname, record_device_name(rec));
	}
	if (r <= 0 && strcmp(o->network, gc->in->conf->name) == 0)
		keep(gc, o->container_id, o->ifname);
	else if (r <= 0)
		(void)json_object_set_new(gc->ids, o->container_id, json_true());
	return 0;
}

/*
 * Its container's files of other networks are not ours to judge.  What another version wrote is not
 * either: whether it lives, that one knows.
 */
static int visit_bad(const struct journal_bad *bad, void *arg, struct err *e)
{
	struct gc *gc = arg;

	if (bad->unread)	/* whose it is, nobody knows now */
		return err_set(e, ERR_IO, 0, "journal record '%.110s' cannot be read: %s",
			       bad->file, bad->why);
	if (bad->version) {
		log_warning("msg=\"a record is left alone\" file=%s why=\"%s\"", bad->file,
			    bad->why);
		keep(gc, bad->container_id, bad->ifname);
	}
	if (*bad->container_id && strcmp(bad->network, gc->in->conf->name) != 0)
		(void)json_object_set_new(gc->ids, bad->container_id, json_true());
	return 0;
}

static void keep_owner(const struct owner *o, void *arg)
{
	keep(arg, o->container_id, o->ifname);
}

/* What sriov-cni's dead have left becomes records of ours first. */
static int take_records(struct gc *gc)
{
	struct takeover a = {
		.host = gc->in->host, .journal = gc->journal, .conf = gc->in->conf,
		.cni_path = gc->in->call->path, .lock = -1,
	};
	const struct takeover_choice choice = { .is_kept = is_kept, .left = keep_owner, .arg = gc };
	struct err e;
	int r = takeover_dead(&a, &choice, &e);

	mem_close_fd(&a.lock);
	if (r < 0)
		err_join(&gc->all, &e);
	return r;
}

/* Who has a record there is known as well, so that none of its files goes. */
static int collect_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	struct gc *gc = arg, of = *gc;
	int r;

	of.host = there;
	of.journal = j;
	r = journal_each(j, visit_record, &of, e);
	if (r == 0)
		r = journal_each_bad(j, visit_bad, &of, e);
	journal_tidy(j);
	gc->all = of.all;
	return r;
}

/* -1 when it is not known who lives. */
static int collect_records(struct gc *gc)
{
	struct err e;
	int taken = take_records(gc);
	int r = gc->journal->dir >= 0
			? 1
			: journal_open(gc->in->host, JOURNAL_UPDATE, gc->journal, &e);

	if (r > 0)
		r = journal_each(gc->journal, visit_record, gc, &e);
	if (r == 0 && gc->journal->dir >= 0)
		r = journal_each_bad(gc->journal, visit_bad, gc, &e);
	if (r == 0)
		r = earlier_each(gc->in->host, JOURNAL_UPDATE, collect_there, gc, &e);
	if (gc->journal->dir >= 0)
		journal_tidy(gc->journal);
	if (r < 0)
		err_join(&gc->all, &e);
	return r < 0 || taken < 0 ? -1 : 0;
}

/* -- files without a record: Multus', and ours when the record was lost -- */

/* They know its attachments, of whatever network: it lives, or is being deleted. */
static bool is_known(const struct gc *gc, const char *name, const char *end)
{
	return cache_has_file(gc->ids, name, end) || cache_has_file(gc->cached, name, end);
}

/* [<namespace>-]<network>-<container id> ends there, by its last '-'. */
static bool is_of_network(const char *name, const char *end, const char *network)
{
	size_t len = strlen(network);
	const char *dash = memrchr(name, '-', (size_t)(end - name));

	return dash && dash + 1 < end && (size_t)(dash - name) >= len &&
	       strncmp(dash - len, network, len) == 0 &&
	       (dash - len == name || *(dash - len - 1) == '-');
}

/* Every '_' may be the one before the interface's name. */
static bool is_dead_file(const struct gc *gc, const char *name)
{
	bool dead = false;

	for (const char *p = strchr(name, '_'); p; p = strchr(p + 1, '_')) {
		if (!name_is_ifname(p + 1))
			continue;
		if (is_known(gc, name, p))
			return false;
		dead |= is_of_network(name, p, gc->in->conf->name);
	}
	return dead;
}

static int visit_file(const char *name, void *arg, struct err *e)
{
	struct gc *gc = arg;

	if (!json_object_get(gc->before, name) || !is_dead_file(gc, name))
		return 0;
	if (store_remove_cni(gc->in->host, name, e) < 0)
		err_join(&gc->all, e);
	else
		log_info("msg=\"removed a leaked device-info file\" file=%s", name);
	return 0;
}

static bool is_spared(const char *container_id, const char *ifname, const void *arg)
{
	const struct gc *gc = arg;
	char key[512];

	key_of(container_id, ifname, key);
	return json_object_get(gc->valid, key) || !json_object_get(gc->before, key);
}

static void collect_files(struct gc *gc)
{
	const struct host *host = gc->in->host;
	struct err e;

	if (cache_words(host, gc->cached, &e) < 0) {
		err_join(&gc->all, &e);
		return;
	}
	if (status_prune(host, gc->journal, gc->in->conf->name, is_spared, gc, &e) < 0)
		err_join(&gc->all, &e);
	if (store_each_cni(host, visit_file, gc, &e) < 0)
		err_join(&gc->all, &e);
	if (ledger_sweep(host, gc->journal, LEDGER_SWEEP_S, &e) < 0)
		err_join(&gc->all, &e);
}

/* -- what is there before the records are read: what is not may be an ADD's of this moment -- */

static bool note_entry(const char *container_id, const char *ifname, const void *arg)
{
	const struct gc *gc = arg;
	char key[512];

	key_of(container_id, ifname, key);
	(void)json_object_set_new(gc->before, key, json_true());
	return true;
}

/* Names of files have no '/', which each key has. */
static int note_file(const char *name, void *arg, struct err *e)
{
	const struct gc *gc = arg;

	(void)e;
	(void)json_object_set_new(gc->before, name, json_true());
	return 0;
}

static int note_before(struct gc *gc)
{
	const struct host *host = gc->in->host;
	struct err e;

	if (status_prune(host, gc->journal, gc->in->conf->name, note_entry, gc, &e) == 0 &&
	    store_each_cni(host, note_file, gc, &e) == 0)
		return 0;
	err_join(&gc->all, &e);
	return -1;
}

/* -- what aspects have made that outlives reboots: ports of a switch -- */

/* It is asked after the ports were listed, and a record is older than its port. */
static bool has_owner(const char *container_id, const char *ifname, const void *arg)
{
	const struct gc *gc = arg;
	const struct owner o = {
		.network = gc->in->conf->name, .container_id = container_id, .ifname = ifname,
	};
	auto_record struct record rec = { 0 };
	struct err e;

	return is_kept(container_id, ifname, gc) ||
	       (gc->journal->dir >= 0 && journal_find(gc->journal, &o, &rec, &e) != 0);
}

static void collect_lasting(struct gc *gc)
{
	struct err e;

	/* there was none when the records were read: an ADD may have made it since */
	if ((gc->journal->dir < 0 &&
	     journal_open(gc->in->host, JOURNAL_UPDATE, gc->journal, &e) < 0) ||
	    aspects_collect(gc->in->host, gc->in->conf, has_owner, gc, &e) < 0)
		err_join(&gc->all, &e);
}

/* -- other plugins' -- */

static void forward(struct gc *gc)
{
	const struct verb_input *in = gc->in;
	struct deadline d = deadline_in(in->host->set.ipam_timeout_ms);
	const char *id = in->conf->device_id;
	struct chain chain = {
		.conf = in->conf, .cni_path = in->call->path, .device_id = id,
		.id_is_netdev = id && device_ref_is_netdev(in->host, id),
	};
	struct err e;

	if (delegate_policy_check_plugins(in->host, in->conf, &e) < 0 ||
	    chain_forward(&chain, in->request, "GC", &d, &e) < 0)
		err_join(&gc->all, &e);
}

int verb_gc(const struct verb_input *in, struct err *e)
{
	auto_journal struct journal journal = { .dir = -1, .lock = -1 };
	json_auto_t *valid = json_object(), *ids = json_object(), *cached = json_object();
	json_auto_t *before = json_object();
	struct gc gc = {
		.in = in, .host = in->host, .journal = &journal,
		.valid = valid, .ids = ids, .cached = cached,
		.before = before, .all = { .code = ERR_OK },
	};
	bool seen;
	int r;

	if (netconf_check(in->conf, e) < 0)
		return -1;
	r = read_valid(&gc, e);
	if (r <= 0)
		return r;
	seen = note_before(&gc) == 0;
	if (collect_records(&gc) == 0 && seen) {
		collect_files(&gc);
		collect_lasting(&gc);
	}
	forward(&gc);
	return err_joined(&gc.all, e);
}
