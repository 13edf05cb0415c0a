/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verb_check.c - CHECK: is the attachment as ADD left it?
 *
 * Compares the record, the configuration and prevResult with what the kernel and the
 * files show, and changes nothing.  All differences are told at once.  What later
 * plugins have added is none; where prevResult, the result of the whole chain, says
 * something of the interface, it goes before the configuration.
 */
#include "cni/verb.h"

#include "base/log.h"
#include "cni/attach/compare.h"
#include "cni/attach/confine.h"
#include "cni/attach/delegate_policy.h"
#include "cni/attach/probe.h"
#include "cni/attach/release.h"
#include "cni/call/convert.h"
#include "cni/plugins/chain.h"
#include "cni/plugins/ipam.h"
#include "cni/sriovcni/takeover.h"
#include "devinfo/format/store.h"
#include "devinfo/journal/earlier.h"

#include <limits.h>
#include <string.h>

struct checking {
	struct comparison with;
	const struct verb_input *in;
	struct host host;		/* with the directories of its record */
	json_t *prev;			/* owned; form of 1.1.0 */
	struct record rec;		/* owned */
	uint8_t mac[MAC_LEN];		/* what with.c.mac points to */
};

static void check_done(struct checking *k)
{
	json_decref(k->prev);
	record_done(&k->rec);
	comparison_done(&k->with);
}

/* -- where it is -- */

/* One that sriov-cni made is compared as well, but for the files, which it does not write. */
static int find_foreign(struct checking *k, const struct owner *o, struct err *e)
{
	const struct takeover a = { .host = k->in->host, .conf = k->in->conf, .lock = -1,
				    .cni_path = k->in->call->path };
	int r = takeover_read(&a, o, &k->rec, e);

	if (r <= 0)
		return r;
	log_info("msg=\"this attachment was made by sriov-cni\" device=%s", k->rec.device);
	k->rec.ipam_type = k->rec.lease_of;
	k->with.is_foreign = true;
	k->with.c.made_by = "sriov-cni";
	return 1;
}

struct elsewhere {
	struct checking *k;
	const struct owner *owner;
};

static int find_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	const struct elsewhere *w = arg;
	int r = journal_find(j, w->owner, &w->k->rec, e);

	if (r > 0)
		w->k->host = *there;
	return r;
}

static int find_record(struct checking *k, struct err *e)
{
	const struct owner owner = {
		.network = k->in->conf->name,
		.container_id = k->in->call->container_id,
		.ifname = k->in->call->ifname,
		.netns = k->in->call->netns,
	};
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct elsewhere w = { k, &owner };
	int r = journal_open(k->in->host, JOURNAL_READ, &j, e);

	if (r > 0)
		r = journal_find(&j, &owner, &k->rec, e);
	if (r == 0)
		r = earlier_each(k->in->host, JOURNAL_READ, find_there, &w, e);
	if (r == 0)
		r = find_foreign(k, &owner, e);
	if (r == 0)
		return err_set(e, ERR_DRIFT, 0,
			       "there is no record of interface %s of container %.64s",
			       owner.ifname, owner.container_id);
	return r < 0 ? -1 : 0;
}

static int check_ipam(struct checking *k, struct err *e)
{
	struct ipam ipam = {
		.type = k->in->conf->ipam_type,
		.cni_path = k->in->call->path,
		.request = k->in->request,
		.timeout_ms = k->in->host->set.ipam_timeout_ms,
		.steps = k->in->conf->delegates ? 2 : 1,
	};

	(void)e;
	if (ipam.type && ipam_check(&ipam, e) < 0)
		err_join(&k->with.c.all, e);
	return 0;
}

static int check_chain(struct checking *k, struct err *e)
{
	char info[PATH_MAX] = "";
	struct chain chain = {
		.conf = k->in->conf,
		.cni_path = k->in->call->path,
		.device_id = k->rec.device_id,
		.id_is_netdev = k->rec.id_is_netdev,
		.info_path = info,
		.timeout_ms = k->in->host->set.ipam_timeout_ms,
	};

	if (k->rec.device_info_file)
		store_cni_path(release_host(&k->host, &k->rec).set.devinfo_dir,
			       k->rec.device_info_file, info);
	if (chain_check(&chain, k->prev, e) < 0)
		err_join(&k->with.c.all, e);
	return 0;
}

/* What other plugins say comes last. */
static int compare(struct checking *k, struct err *e)
{
	int r = compare_attachment(&k->with, e);

	if (r > 0 && (check_ipam(k, e) < 0 || check_chain(k, e) < 0))
		return -1;
	return r < 0 ? -1 : err_joined(&k->with.c.all, e);
}

static int want_mac(struct checking *k, struct err *e)
{
	const char *key;
	int r = probe_wanted_mac(k->in->conf, k->in->call, k->mac, &key, e);

	k->with.c.mac = r > 0 ? k->mac : NULL;
	return r < 0 ? -1 : 0;
}

int verb_check(const struct verb_input *in, struct err *e)
{
	auto_with(check_done) struct checking k = {
		.in = in, .host = *in->host,
		.with.c = { .host = &k.host, .call = in->call, .conf = in->conf,
			    .made_by = "ADD" },
	};

	k.with.c.rec = &k.rec;
	if (netconf_check(in->conf, e) < 0 ||
	    delegate_policy_check_plugins(in->host, in->conf, e) < 0 ||
	    netconf_find_names(in->conf, in->host->root, e) < 0)
		return -1;
	if (!in->conf->prev_result)
		return err_set(e, ERR_NETCONF, 0, "prevResult: CHECK needs it");
	if (result_read_prev(in->conf, &k.prev, e) < 0)
		return -1;
	k.with.prev = k.prev;
	k.with.c.interface = result_interface(k.prev, in->call->ifname);
	if (want_mac(&k, e) < 0 || find_record(&k, e) < 0)
		return -1;
	confine_look(in->conf, &k.rec);
	return compare(&k, e);
}
