/* SPDX-License-Identifier: Apache-2.0 */
/* attach.c - the life of one attachment, from ADD's side */
#include "cni/attach/attach.h"

#include "base/log.h"
#include "base/mem.h"
#include "cni/attach/aspects.h"
#include "cni/attach/chained.h"
#include "cni/attach/confine.h"
#include "cni/attach/delegate_policy.h"
#include "cni/attach/info_name.h"
#include "cni/attach/pod_route.h"
#include "cni/attach/probe.h"
#include "cni/attach/release.h"
#include "cni/call/convert.h"
#include "cni/call/process.h"
#include "cni/call/result.h"
#include "cni/call/status.h"
#include "cni/call/status_entry.h"
#include "cni/plugins/chain.h"
#include "conf/selection.h"
#include "devinfo/format/store.h"
#include "devinfo/journal/device_ref.h"
#include "netlink/announce.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define REQUEST_MAX	(512 * 1024)	/* bytes; others read this record as well */
#define CARRIER_MS	200	/* how long an announcement waits for a carrier */

/*
 * The request outlives the call: a DEL runs the same plugins.  Their secret is in its own file,
 * and what the pod is annotated with is nobody's.
 */
static int record_request(struct attachment *a, struct err *e)
{
	if (strlen(a->request) > REQUEST_MAX)
		return err_set(e, ERR_NETCONF, E2BIG, "the configuration has %zu bytes: expected "
			       "at most %d where plugins are run, for the record keeps it",
			       strlen(a->request), REQUEST_MAX);
	a->rec.request = a->request;
	if (!a->recorded_request &&
	    netconf_hide_secrets(a->conf, a->request, &a->recorded_request, e) < 0)
		return -1;
	if (a->recorded_request)
		a->rec.request = a->recorded_request;
	return 0;
}

static int write_record(struct attachment *a, struct err *e)
{
	a->recorded = true;	/* even a write that failed may have left it */
	a->rec.ipam_type = a->conf->ipam_type;
	if (!a->rec.device_id)		/* plugins that were told once are told the same again */
		a->rec.device_id = a->dev.is_pci ? a->dev.key :
				   *a->dev.id	 ? device_id_plain(a->dev.id) :
						   a->conf->device_id;
	if ((a->conf->ipam_type || a->conf->delegates || a->request_needed) &&
	    record_request(a, e) < 0)
		return -1;
	return journal_write(&a->journal, &a->rec, e);
}

/*
 * All of them count as left from now on, in each record that is written until the chain has run: we
 * may not live to write down who was asked.
 */
static int record_chain(struct attachment *a, struct err *e)
{
	a->rec.device_info_file = a->info_name;		/* they may write it */
	a->rec.delegates_left = chain_all(a->conf);
	return write_record(a, e);
}

/* The plugins behind a path are its switch. */
static int record_owner(struct attachment *a, struct err *e)
{
	return a->conf->delegates ? record_chain(a, e) : write_record(a, e);
}

/* Now with the result, the interface and perhaps the device, which is a part of its name. */
static int record_again(struct attachment *a, struct err *e)
{
	struct record before = a->rec;	/* borrows; all that it is found by goes with it */
	struct err why;

	(void)probe_name_device(a, e);
	if (write_record(a, e) < 0) {
		if (strcmp(before.device, a->rec.device) != 0 &&
		    journal_remove(&a->journal, &a->rec, &why) < 0)
			log_warning("msg=\"%s\" details=\"%s\"", why.msg, why.details);
		memcpy(a->rec.device, before.device, sizeof(before.device));
		a->rec.is_pci = before.is_pci;
		return -1;
	}
	return strcmp(before.device, a->rec.device) != 0 ? journal_remove(&a->journal, &before, e)
							 : 0;
}

static int start_ipam(struct attachment *a, struct err *e)
{
	const struct ipam ipam = {
		.type = a->conf->ipam_type,
		.cni_path = a->call->path,
		.request = a->request,
		.timeout_ms = a->host->set.ipam_timeout_ms,
	};

	a->ipam_asked = true;
	a->ipam_refused = ipam_start(&ipam, &a->ipam_run, e) < 0;
	return a->ipam_refused ? -1 : 0;
}

/* One that does not look at the interface: the kernel waits while it runs. */
static int start_ipam_early(struct attachment *a, struct err *e)
{
	const char *type = a->conf->ipam_type;

	return type && delegate_policy_ipam_in_parallel(a->host, type) ? start_ipam(a, e) : 0;
}

static int collect_ipam(struct attachment *a, struct err *e)
{
	int r = ipam_collect(a->ipam_run, &a->ipam, &a->ipam_refused, e);

	ipam_run_free(steal_ptr(&a->ipam_run));
	return r;
}

static int give_addresses(struct attachment *a, struct err *e)
{
	int r;

	if (!a->conf->ipam_type)
		return 0;
	if (!a->ipam_run && start_ipam(a, e) < 0)
		return -1;
	if (collect_ipam(a, e) < 0)
		return -1;
	if (!attachment_has_netdev(a))	/* a program in user space takes them from the result */
		return 0;
	pod_route_leave_out(a, &a->ipam);
	r = a->link.addr_len == MAC_LEN ?
		    addr_apply_announced(&a->pod, a->link.ifindex, a->ipam.addr, a->ipam.addrs,
					 a->ipam.route, a->ipam.nroutes, e) :
		    addr_apply(&a->pod, a->link.ifindex, a->ipam.addr, a->ipam.addrs,
			       a->ipam.route, a->ipam.nroutes, e);
	return r < 0 ? err_wrap(e, "configure %s", a->call->ifname) : 0;
}

/* The address of the interface; of a function in user space, the one the PF holds for it. */
static const char *result_mac(const struct attachment *a, char text[MAC_TEXT])
{
	static const uint8_t none[MAC_LEN];

	if (attachment_has_netdev(a))
		return a->link.addr_len == MAC_LEN ? mac_format(a->link.addr, text) : NULL;
	if (memcmp(a->known_mac, none, MAC_LEN) != 0)
		return mac_format(a->known_mac, text);
	if (a->has_mac)
		return mac_format(a->mac, text);
	if (a->rec.vf.have & VF_MAC && memcmp(a->rec.vf.mac, none, MAC_LEN) != 0)
		return mac_format(a->rec.vf.mac, text);
	return NULL;
}

/* Bytes; 0: it is not known. */
static uint32_t result_mtu(const struct attachment *a)
{
	return attachment_has_netdev(a) ? a->link.mtu : a->known_mtu;
}

static int make_result(struct attachment *a, struct err *e)
{
	char mac[MAC_TEXT];
	struct result_parts p = {
		.ifname = a->call->ifname,
		.sandbox = a->call->netns,
		.mac = result_mac(a, mac),
		.mtu = result_mtu(a),
		.pci_id = a->dev.is_pci ? a->dev.pci.bdf : NULL,
		.path = *a->dev.path ? a->dev.path : NULL,
		.ips = a->ipam.ips,
		.routes = a->ipam.routes,
		.dns = json_object_size(a->conf->dns) > 0 ? a->conf->dns : a->ipam.dns,
	};

	a->result = result_new(&p);
	if (!a->result)
		return err_set(e, ERR_IO, EILSEQ, "compose the result");
	if (pod_route_set(a, a->result, e) < 0)
		return -1;
	return result_write(a->result, a->conf->version, &a->answer, e);
}

static int write_info(struct attachment *a, struct err *e)
{
	a->info_touched = a->has_info;
	return a->has_info ? store_write_cni(a->host, a->info_name, &a->info, e) : 0;
}

/* What awaits it may be what we wait for. */
static int write_awaited_info(struct attachment *a, struct err *e)
{
	return a->info_awaited ? write_info(a, e) : 0;
}

/* Of the definition that this network is configured by: whoever runs us may tell it. */
static void find_namespace(const struct attachment *a, char ret[64])
{
	const struct netconf *nc = a->conf;
	const char *pods = a->call->pod_namespace, *ifname = a->call->ifname;
	const char *its = a->call->of_pod ? a->call->of_pod->definition : NULL;

	*ret = '\0';
	if (its && *its)
		(void)snprintf(ret, 64, "%.*s", (int)strcspn(its, "/"), its);
	else if (nc->device_info_file)	/* whole: what we call it may be shorter */
		info_name_namespace(strrchr(nc->device_info_file, '/') + 1, &a->rec.owner, pods,
				    ret);
	if (!(its && *its) && !*ret && strcmp(ifname, "eth0") != 0)	/* which nobody selects */
		selection_namespace(nc->selection, nc->name, ifname, pods, ret);
}

static int write_status(struct attachment *a, struct err *e)
{
	char name_space[64];
	json_auto_t *info = a->has_info ? device_info_to_json(&a->info) : NULL;
	json_auto_t *entries = NULL;

	find_namespace(a, name_space);
	entries = status_entries(&a->rec.owner, name_space, a->result, result_mtu(a), info);
	return status_add(a->host, &a->journal, &a->rec.owner, entries, e);
}

static bool has_ipv6(const struct ipam_result *r)
{
	for (size_t i = 0; i < r->addrs; i++)
		if (r->addr[i].ip.family == AF_INET6)
			return true;
	return false;
}

static bool is_announced(const struct attachment *a)
{
	return attachment_has_netdev(a) && a->link.addr_len == MAC_LEN && has_ipv6(&a->ipam);
}

/* What IPv6 announcements need; IPv4's are repeated by the kernel, carrier or not. */
static int await_carrier(struct attachment *a, struct err *e)
{
	struct deadline d = deadline_in(CARRIER_MS);
	struct err ignored;

	(void)e;
	if (!is_announced(a))
		return 0;
	for (unsigned int ms = 10; !a->link.carrier && deadline_left_ms(&d) > 0; ms *= 2) {
		deadline_sleep(&d, ms);
		if (link_get_by_index(&a->pod, a->link.ifindex, &a->link, &ignored) <= 0)
			break;
	}
	return 0;
}

/* Best effort, and several times, for one may be lost: what ADD does meanwhile is the gap. */
static int tell_neighbours(struct attachment *a, struct err *e)
{
	if (is_announced(a) &&
	    announce(a->icmp6, a->link.ifindex, a->link.addr, a->ipam.addr, a->ipam.addrs, e) < 0)
		log_info("msg=\"not announced\" interface=%s error=\"%s\"", a->link.name, e->msg);
	return 0;
}

/* Told to stop, or nobody is left to hear the answer: Multus, once killed, leaves us as orphans. */
static int stop_if_told(struct attachment *a, struct err *e)
{
	(void)a;
	if (deadline_interrupted())
		return err_set(e, ERR_INTERRUPTED, EINTR, "ADD");
	return process_is_orphan() ? err_set(e, ERR_INTERRUPTED, ESRCH, "ADD: the caller has died")
				   : 0;
}

typedef int step(struct attachment *a, struct err *e);

/* record_owner: from there on DEL, GC and a later ADD can find us */
static step *const as_owner[] = {
	probe_context, probe_device, probe_name_device, aspects_probe, probe_info, probe_alone,
	delegate_policy_check_devices, stop_if_told, confine_add, record_owner, start_ipam_early,
	aspects_apply, write_awaited_info, aspects_connect, aspects_describe, give_addresses,
	await_carrier, tell_neighbours, make_result, tell_neighbours, chained_run_behind,
	aspects_await, write_info, tell_neighbours,
	stop_if_told,
	write_status,		/* last: an entry means that the ADD has succeeded */
	NULL,
};

static step *const as_chained[] = {
	chained_read_prev, probe_context, chained_named_device, chained_probe,
	chained_probe_aspects, probe_info, probe_name_device, stop_if_told, confine_add,
	write_record, aspects_apply, chained_answer, write_info, stop_if_told,
	write_status, NULL,
};

/* The plugins may read the device-info file, and write it. */
static step *const as_meta[] = {
	chained_read_prev, probe_context, chained_is_free, chained_named_device,
	delegate_policy_check_devices, probe_info, probe_name_device, stop_if_told, record_chain,
	write_info, chained_run_plugins, chained_probe, chained_probe_aspects, probe_info_again,
	stop_if_told, record_again, aspects_apply, chained_answer, write_info, stop_if_told,
	write_status, NULL,
};

static int run(struct attachment *a, step *const *s, struct err *e)
{
	for (; *s; s++)
		if ((*s)(a, e) < 0)
			return -1;
	return 0;
}

/*
 * A plugin that still runs has its time: one that is killed may leave a lease that its DEL does not
 * find.  Of two errors the device's is told first, for that is what an ADD without IPAM fails by.
 */
static void end_ipam(struct attachment *a, struct err *e)
{
	struct err why;

	if (a->ipam_run && collect_ipam(a, &why) < 0 && why.code != ERR_INTERRUPTED)
		err_join(e, &why);
}

int attach_add(struct attachment *a, struct err *e)
{
	static step *const *const places[] = {
		[POSITION_OWNER] = as_owner, [POSITION_CHAINED] = as_chained,
		[POSITION_META] = as_meta,
	};

	if (run(a, places[a->conf->position], e) == 0)
		return 0;
	end_ipam(a, e);
	attach_undo(a, e);
	return -1;
}

void attach_undo(struct attachment *a, struct err *e)
{
	struct release r = {
		.host = a->host,
		.journal = &a->journal,
		.rec = &a->rec,
		.skip_ipam = !a->ipam_asked,
		.ipam_refused = a->ipam_refused,
		.keep_info = !a->info_touched,
		.old_info = a->old_info,
		.old_info_len = a->old_info_len,
	};
	struct err undo, again;

	deadline_undo();
	if (!a->chain_asked)
		a->rec.delegates_left = 0;
	if (!a->recorded || release_attachment(&r, &undo) == 0)
		return;
	log_error("msg=\"undo incomplete, DEL will go on\" error=\"%s\"", undo.msg);
	/* on disk all delegates may be left, and none was asked */
	if (a->conf->delegates && !a->chain_asked &&
	    journal_write(&a->journal, &a->rec, &again) < 0)
		log_warning("msg=\"%s\" details=\"%s\"", again.msg, again.details);
	(void)err_wrap(&undo, "undoing it");
	err_join(e, &undo);
}

void attach_done(struct attachment *a)
{
	nl_done(&a->home);
	nl_done(&a->pod);
	mem_close_fd(&a->netns);
	mem_close_fd(&a->icmp6);
	mem_close_fd(&a->sriov_lock);
	device_info_done(&a->info);
	ipam_run_free(a->ipam_run);
	ipam_result_done(&a->ipam);
	free(a->old_info);
	free(a->recorded_request);
	json_decref(a->result);
	json_decref(a->answer);
	journal_done(&a->journal);	/* its locks go with it */
}
