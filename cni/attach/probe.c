/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe.c - the first part of an ADD: find out everything, change nothing
 *
 * What is left behind by earlier attachments is the exception: an unfinished ADD of
 * this attachment is undone, and a dead owner's device is cleaned up, for only then
 * does the kernel show what "before" really is.
 */
#include "cni/attach/probe.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "cni/attach/aspects.h"
#include "cni/attach/info_name.h"
#include "cni/attach/policy.h"
#include "cni/attach/release.h"
#include "cni/call/status.h"
#include "cni/representor/representor.h"
#include "cni/sriovcni/takeover.h"
#include "devinfo/format/store.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/owner.h"
#include "devinfo/node/discover.h"
#include "netlink/announce.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>

int probe_open_netns(const struct cni_call *call, struct pod_netns *ret, struct err *e)
{
	auto_close int fd = -1;
	struct pod_netns ns;
	int r = netns_open(call->netns, &fd, e);

	if (r == 0)
		return err_set(e, ERR_UNKNOWN_CONTAINER, ENOENT, "CNI_NETNS: open '%.200s'",
			       call->netns);
	if (r < 0)
		return err_wrap(e, "CNI_NETNS");
	if (fstat(fd, &ns.st) < 0)
		return err_set(e, ERR_IO, errno, "stat '%.200s'", call->netns);
	ns.is_own = netns_is_own_by(&ns.st);
	if (ns.is_own && !call->netns_override)
		return err_set(e, ERR_NETNS, 0,
			       "CNI_NETNS: '%.200s' is the plugin's own network namespace",
			       call->netns);
	ns.fd = steal_fd(&fd);
	*ret = ns;
	return 0;
}

static int open_netns(struct attachment *a, struct err *e)
{
	struct pod_netns ns = { .fd = -1 };

	if (probe_open_netns(a->call, &ns, e) < 0)
		return -1;
	a->netns = ns.fd;
	a->rec.owner = (struct owner){
		.network = a->conf->name,
		.container_id = a->call->container_id,
		.ifname = a->call->ifname,
		.netns = a->call->netns,
		.netns_dev = ns.st.st_dev,
		.netns_ino = ns.st.st_ino,
		.netns_own = ns.is_own,
	};
	if (nl_open(NETNS_OWN, NETLINK_ROUTE, &a->home, e) < 0 ||
	    nl_open(a->netns, NETLINK_ROUTE, &a->pod, e) < 0)
		return -1;
	a->rec.owner.netns_cookie = nl_netns_cookie(&a->pod);
	return a->conf->ipam_type && announce_open(a->netns, &a->icmp6, e) < 0 ? -1 : 0;
}

/* An attachment that was answered for, and whose container lives. */
static int is_complete(const struct attachment *a, const struct record *rec, struct err *e)
{
	struct host host = release_host(a->host, rec);
	int r;

	r = status_get(&host, &rec->owner, NULL, e);
	return r <= 0 ? r : owner_is_alive(a->host, rec, e);
}

/* A list that has us twice comes here as well: the second gets the result of the first. */
static int is_attached(const struct attachment *a, const struct record *rec, struct err *e)
{
	const char *device = record_device_name(rec);

	(void)err_set(e, ERR_BUSY, EEXIST,
		      "interface %s of container %.64s is attached already%s%s", rec->owner.ifname,
		      rec->owner.container_id, *device ? ", to " : "", device);
	if (!a->conf->prev_result)
		return -1;
	if (rec->chained)
		return err_detail(e, "if this is the second in its list: one devinfo per list");
	return err_wrap(e, "one devinfo per list, this is the second of network %.64s",
			a->conf->name);
}

/* 1 when a record of an unfinished ADD of this attachment was undone, 0 when there is none, -1. */
static int undo_unfinished(struct attachment *a, struct err *e)
{
	struct deadline d = deadline_in(a->host->set.lock_timeout_ms);
	auto_record struct record old = { 0 }, now = { 0 };
	struct release r = { .host = a->host, .journal = &a->journal, .rec = &now,
			     .request = a->request, .ipam_type = a->conf->ipam_type };
	int found = journal_find(&a->journal, &a->rec.owner, &old, e);

	if (found <= 0)
		return found;
	found = is_complete(a, &old, e);
	if (found < 0)
		return -1;
	if (found)
		return is_attached(a, &old, e);
	log_warning("msg=\"undoing an unfinished ADD of this attachment\" device=%s", old.device);
	if (journal_lock_device(&a->journal, old.device, &d, e) < 0)
		return err_wrap(e, "device %s", old.device);
	found = journal_find(&a->journal, &a->rec.owner, &now, e);	/* see release_owner() */
	if (found > 0 && release_attachment(&r, e) < 0)
		return err_wrap(e, "undo the unfinished ADD before");
	journal_unlock_device(&a->journal, old.device);
	return found < 0 ? -1 : 1;
}

/* Its DEL finds that record, and an engine calls it before it tries the same attachment again. */
static int refuse_recorded(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	const struct attachment *a = arg;
	auto_record struct record old = { 0 };
	int r = journal_find(j, &a->rec.owner, &old, e);

	if (r <= 0)
		return r;
	(void)err_set(e, ERR_TRY_AGAIN, 0, "interface %s of container %.64s has a record already",
		      old.owner.ifname, old.owner.container_id);
	(void)there;
	return err_detail(e, "its DEL releases what is in that record");
}

/* Where the directories are not noted nothing is wrong as long as they stay. */
static void note_directories(const struct attachment *a)
{
	struct err e;

	if (earlier_note(a->host, &e) < 0)
		log_warning("msg=\"stateDir must not be changed while pods run: %s\" "
			    "details=\"%s\"", e.msg, e.details);
}

/* The attachment's lock, and whatever an earlier ADD of the same attachment has left. */
static int open_journal(struct attachment *a, struct err *e)
{
	struct deadline d = deadline_in(a->host->set.lock_timeout_ms);
	int r = 1;

	note_directories(a);
	if (earlier_each(a->host, JOURNAL_UPDATE, refuse_recorded, a, e) < 0)
		return -1;
	if (journal_open(a->host, JOURNAL_CREATE, &a->journal, e) < 0 ||
	    journal_lock_attachment(&a->journal, &a->rec.owner, &d, e) < 0)
		return -1;
	while (r > 0)	/* more than one: see record_again() */
		r = undo_unfinished(a, e);
	return r;
}

/* That of CNI_ARGS, *ret, which says nothing where the network says the same. */
static int take_pods_mac(const struct netconf *nc, const struct cni_call *call, const char **ret,
			 struct err *e)
{
	const char *text = strcmp(nc->mac_key, "mac") == 0 ? call->mac : NULL;

	*ret = NULL;
	if (!text || netconf_says(nc, "mac", text))
		return 0;
	if (netconf_pod_may_say(nc, "mac")) {
		*ret = text;
		return 0;
	}
	(void)err_set(e, ERR_NETCONF, 0, "MAC in CNI_ARGS: the network says mac, and not the pod");
	return err_detail(e, "podMayOverride, of the network or of the node's file, could let it");
}

/*
 * The MAC of runtimeConfig, else the network's; the pod's in CNI_ARGS fills an absent one, or
 * overrides the network's where it may (Multus writes there what the pod's annotation asks for).
 */
int probe_wanted_mac(const struct netconf *nc, const struct cni_call *call, uint8_t ret[MAC_LEN],
		     const char **ret_key, struct err *e)
{
	const char *text, *key = "MAC in CNI_ARGS";

	if (take_pods_mac(nc, call, &text, e) < 0)
		return -1;
	if (!text) {
		text = nc->mac;
		key = nc->mac_key;
	}
	if (!text)
		return 0;
	if (!mac_parse(text, ret) || !mac_is_unicast(ret))
		return err_set(e, ERR_NETCONF, 0, "invalid %s '%.32s': must be a unicast Ethernet "
			       "address", key, text);
	*ret_key = key;
	return 1;
}

static int want_mac(struct attachment *a, struct err *e)
{
	int r = probe_wanted_mac(a->conf, a->call, a->mac, &a->mac_key, e);

	a->has_mac = r > 0;
	if (a->has_mac)
		memcpy(a->rec.mac, a->mac, sizeof(a->rec.mac));
	return r < 0 ? -1 : 0;
}

/* It can be said of this function at all: what is left of another attachment cannot. */
static bool is_about(const struct device_info *di, const struct pci_device *pci)
{
	const char *address = device_info_pci_address(di);

	return address && (!*address || strcmp(address, pci->bdf) == 0);
}

/* What the device plugin wrote, when the configuration says of which resource it is. */
static int read_dp(struct attachment *a, struct err *e)
{
	const char *plain = device_id_plain(a->dev.id);
	int r;

	if (!a->conf->resource || !*a->dev.id)
		return 0;
	r = store_read_dp(a->host, a->conf->resource, a->dev.id, &a->info, e);
	if (r == 0 && plain != a->dev.id)
		r = store_read_dp(a->host, a->conf->resource, plain, &a->info, e);
	if (r > 0 && a->dev.is_pci && !is_about(&a->info, &a->dev.pci))
		return err_set(e, ERR_DEVINFO, 0,
			       "the device plugin's file for %.64s and %s is about another device",
			       a->conf->resource, a->dev.id);
	return r;
}

/* The file of this attachment, which Multus or a plugin before us may have written. */
static int read_own(struct attachment *a, struct err *e)
{
	int r = store_read_cni(a->host, a->info_name, &a->info, NULL, NULL, e);

	if (r <= 0 || !a->dev.is_pci || is_about(&a->info, &a->dev.pci))
		return r;
	log_warning("msg=\"replacing a device-info file about another device\" file=%s",
		    a->info_name);
	device_info_done(&a->info);
	return 0;
}

/* Before any plugin has run: what cannot be used was left by a writer that was ended halfway. */
static int read_left(struct attachment *a, struct err *e)
{
	int r = read_own(a, e);

	if (r >= 0 || e->code != ERR_DEVINFO || !a->dev.is_pci)
		return r;
	log_warning("msg=\"replacing a device-info file that cannot be used: %s\" "
		    "details=\"%s\"", e->msg, e->details);
	return 0;
}

/* What the kernel shows, where nobody (found is 0) has said anything, and where he said too little.
 */
static int complete(struct attachment *a, int found, struct err *e)
{
	const struct pci_device *pci = &a->dev.pci;

	a->has_info = found > 0 || (found == 0 && a->dev.is_pci);
	if (found < 0 || !a->has_info)
		return found;
	if (representor_find(a, e) < 0)
		return -1;
	if (!a->dev.is_pci)
		return device_info_enrich_sf(a->host, &a->dev.sf, &a->rep, &a->info, e);
	return found == 0 ? device_info_discover(a->host, pci, &a->rep, &a->info, e) :
			    device_info_enrich(a->host, pci, &a->rep, &a->info, e);
}

static int wrap_info(struct attachment *a, int r, struct err *e)
{
	if (r < 0)
		return err_wrap(e, "device-info of %s",
				*a->dev.key ? a->dev.key : a->call->ifname);
	if (a->has_info)
		a->rec.device_info_file = a->info_name;
	return 0;
}

int probe_info(struct attachment *a, struct err *e)
{
	int r;

	/* the specification has no type for others; of a sub-function its device plugin may know */
	if (!a->dev.is_pci && !*a->dev.sf.name && !a->rec.chained && !a->info_by_aspect)
		return 0;
	if (store_read_cni(a->host, a->info_name, NULL, &a->old_info, &a->old_info_len, e) < 0)
		return wrap_info(a, -1, e);
	if (a->info_by_aspect)		/* completed when the device is what it is to be */
		return wrap_info(a, aspects_probe_info(a, e), e);
	r = read_dp(a, e);
	if (r == 0)
		r = read_left(a, e);
	return wrap_info(a, complete(a, r, e), e);
}

int probe_info_again(struct attachment *a, struct err *e)
{
	int r;

	device_info_done(&a->info);
	a->has_info = false;
	r = read_own(a, e);
	if (r == 0)
		r = read_dp(a, e);
	return wrap_info(a, complete(a, r, e), e);
}

/* Before anything else is chosen or locked: what is another's is not even read. */
static int take_info_name(struct attachment *a, struct err *e)
{
	if (info_name_make(a->host, a->conf->device_info_file, &a->rec.owner, a->info_name, e) < 0)
		return -1;
	return info_name_take(a->host, &a->journal, &a->rec.owner, a->info_name, e);
}

static int (*const around[])(struct attachment *a, struct err *e) = {
	want_mac, open_netns, open_journal, take_info_name,
};

int probe_context(struct attachment *a, struct err *e)
{
	const struct pod pod = {
		a->call->pod_namespace, a->call->pod_name, a->call->pod_uid,
	};

	for (size_t i = 0; i < ARRAY_SIZE(around); i++)
		if (around[i](a, e) < 0)
			return -1;
	a->rec.chained = a->conf->position != POSITION_OWNER;
	a->rec.devinfo_dir = a->host->set.devinfo_dir;
	a->rec.run_dir = a->host->set.run_dir;
	record_note_pod(&a->rec, &pod);
	return journal_boot_id_of(&a->journal, a->host, a->rec.boot_id, e);
}
