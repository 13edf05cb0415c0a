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
#include "base/mem.h"
#include "cni/attach/aspects.h"
#include "cni/attach/probe.h"
#include "cni/attach/release.h"
#include "cni/call/convert.h"
#include "cni/call/status.h"
#include "cni/plugins/chain.h"
#include "cni/plugins/ipam.h"
#include "cni/sriovcni/takeover.h"
#include "devinfo/format/store.h"
#include "netlink/addr_find.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct checking {
	struct check c;			/* what aspects see */
	const struct verb_input *in;
	json_t *prev;			/* owned; form of 1.1.0 */
	struct record rec;		/* owned */
	uint8_t mac[MAC_LEN];		/* what c.mac points to */
	bool is_foreign;		/* rec is what sriov-cni has written down */
};

static void check_done(struct checking *k)
{
	json_decref(k->prev);
	record_done(&k->rec);
	nl_done(&k->c.home);
	nl_done(&k->c.pod);
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
	k->is_foreign = true;
	k->c.made_by = "sriov-cni";
	return 1;
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
	int r = journal_open(k->in->host, JOURNAL_READ, &j, e);

	if (r > 0)
		r = journal_find(&j, &owner, &k->rec, e);
	if (r == 0)
		r = find_foreign(k, &owner, e);
	if (r == 0)
		return err_set(e, ERR_DRIFT, 0,
			       "there is no record of interface %s of container %.64s",
			       owner.ifname, owner.container_id);
	return r < 0 ? -1 : 0;
}

/* 1 when the namespace is the one of the ADD. */
static int open_netns(struct checking *k, struct err *e)
{
	const struct owner *o = &k->rec.owner;
	auto_close int fd = -1;
	struct stat st;

	if (probe_open_netns(k->in->call, &fd, &st, e) < 0)
		return -1;
	if (nl_open(NETNS_OWN, NETLINK_ROUTE, &k->c.home, e) < 0 ||
	    nl_open(fd, NETLINK_ROUTE, &k->c.pod, e) < 0)
		return -1;
	if (owner_in_netns(o, st.st_dev, st.st_ino, nl_netns_cookie(&k->c.pod)))
		return 1;
	check_differs(&k->c, "netns: %.128s is another namespace than that of the ADD",
		      k->in->call->netns);
	return 0;
}

/* -- what it is like -- */

/* A route by a gateway that none of our addresses reaches is a later plugin's. */
static bool is_reached(const struct ipam_result *r, const struct route *route)
{
	for (size_t i = 0; i < r->addrs; i++)
		if (!route->gw.family || prefix_has(&r->addr[i], &route->gw))
			return true;
	return false;
}

static int check_routes(struct checking *k, struct ipam_result *r, struct err *e)
{
	char text[PREFIX_TEXT];
	size_t n = 0, missing = 0;
	int found;

	for (size_t i = 0; i < r->nroutes; i++)
		if (is_reached(r, &r->route[i]))
			r->route[n++] = r->route[i];
	found = route_find(&k->c.pod, k->c.netdev.ifindex, r->route, n, &missing, e);
	if (found == 0)
		check_differs(&k->c, "route: to %s is gone",
			      prefix_format(&r->route[missing].dst, text));
	return found < 0 ? -1 : 0;
}

/* Addresses are ours to look after where the interface is. */
static int check_addresses(struct checking *k, struct err *e)
{
	auto_ipam_result struct ipam_result r = { 0 };
	json_auto_t *own = result_ips(k->prev, k->c.interface), *prev = json_copy(k->prev);
	char text[PREFIX_TEXT];
	size_t missing = 0;
	int found;

	if (!k->c.netdev.ifindex || k->rec.chained || !k->rec.ipam_type)
		return 0;
	(void)json_object_set(prev, "ips", own);
	if (ipam_result_parse(prev, "prevResult", &r, e) < 0)
		return -1;
	found = addr_find(&k->c.pod, k->c.netdev.ifindex, r.addr, r.addrs, &missing, e);
	if (found < 0)
		return -1;
	if (found == 0)
		check_differs(&k->c, "address: %s is gone", prefix_format(&r.addr[missing], text));
	return check_routes(k, &r, e);
}

/* -- what we have written -- */

static void check_info(struct checking *k, const struct host *host, const json_t *entry)
{
	const json_t *told = json_object_get(entry, "device-info");
	auto_device_info struct device_info info = { 0 };
	json_auto_t *now = NULL;
	struct err e;
	int r;

	if (!k->rec.device_info_file || !told)
		return;
	r = store_read_cni(host, k->rec.device_info_file, &info, NULL, NULL, &e);
	if (r <= 0) {
		check_differs(&k->c, "device-info: %.128s", r < 0 ? e.msg : "the file is gone");
		return;
	}
	now = device_info_to_json(&info);
	if (!json_equal(now, told))
		check_differs(&k->c, "device-info: the file is not what network-status says");
}

static int check_files(struct checking *k, struct err *e)
{
	struct host host = release_host(k->in->host, &k->rec);
	json_auto_t *entry = NULL;
	int r;

	if (k->is_foreign)
		return 0;
	r = status_get(&host, &k->rec.owner, &entry, e);
	if (r < 0)
		return -1;
	if (r == 0)
		check_differs(&k->c, "network-status: the entry is gone");
	check_info(k, &host, entry);
	return 0;
}

/* A plugin before us need not have listed its interface. */
static int check_result(struct checking *k, struct err *e)
{
	const char *sandbox = json_string_value(json_object_get(k->c.interface, "sandbox"));

	(void)e;
	if (!k->c.interface && !k->rec.chained)
		check_differs(&k->c, "prevResult: it has no interface %s", k->in->call->ifname);
	if (sandbox && *sandbox && strcmp(sandbox, k->in->call->netns) != 0)
		check_differs(&k->c, "prevResult: sandbox is %.128s, not %.128s",
			      sandbox, k->in->call->netns);
	return 0;
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
		err_join(&k->c.all, e);
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
		store_cni_path(release_host(k->in->host, &k->rec).set.devinfo_dir,
			       k->rec.device_info_file, info);
	if (chain_check(&chain, k->prev, e) < 0)
		err_join(&k->c.all, e);
	return 0;
}

static int check_aspects(struct checking *k, struct err *e)
{
	return aspects_check(&k->c, e);
}

static int compare(struct checking *k, struct err *e)
{
	static int (*const parts[])(struct checking *k, struct err *e) = {
		check_result, check_aspects, check_addresses, check_files, check_ipam, check_chain,
	};
	int r = open_netns(k, e);

	for (size_t i = 0; r > 0 && i < ARRAY_SIZE(parts); i++)
		if (parts[i](k, e) < 0)
			return -1;
	return r < 0 ? -1 : err_joined(&k->c.all, e);
}

static int want_mac(struct checking *k, struct err *e)
{
	const char *key;
	int r = probe_wanted_mac(k->in->conf, k->in->call, k->mac, &key, e);

	k->c.mac = r > 0 ? k->mac : NULL;
	return r < 0 ? -1 : 0;
}

int verb_check(const struct verb_input *in, struct err *e)
{
	auto_with(check_done) struct checking k = {
		.in = in,
		.c = { .host = in->host, .call = in->call, .conf = in->conf, .made_by = "ADD" },
	};

	k.c.rec = &k.rec;
	if (netconf_check(in->conf, e) < 0 ||
	    netconf_find_names(in->conf, in->host->root, e) < 0)
		return -1;
	if (!in->conf->prev_result)
		return err_set(e, ERR_NETCONF, 0, "prevResult: CHECK needs it");
	if (result_read_prev(in->conf, &k.prev, e) < 0)
		return -1;
	k.c.interface = result_interface(k.prev, in->call->ifname);
	if (want_mac(&k, e) < 0 || find_record(&k, e) < 0)
		return -1;
	return compare(&k, e);
}
