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

#define CHOICES_MAX	64	/* devices tried, when other attachments are always faster */

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
	struct pod_netns ns;

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

/*
 * What the node has by a name, looked at once under the device's lock; and once more where a dead
 * owner's device has come back since.
 */
struct look {
	bool done;
	struct device_ref ref;
};

struct claim {
	struct attachment *a;
	struct record *old;		/* of the live one that has it */
	const struct host *host;	/* the directories of the records that are looked at */
	struct journal *journal;
	struct look *look;		/* at the name that is claimed */
};

/*
 * One that is known by its id alone has no other lock than its attachment's.  That comes before
 * those we hold, so a DEL or GC that has it is not waited for.
 */
static int lock_dead(const struct claim *c, const struct record *rec, struct err *e)
{
	struct deadline d = deadline_in(*rec->device ? c->host->set.lock_timeout_ms : 0);

	if (*rec->device)
		return journal_lock_device(c->journal, rec->device, &d, e) < 0 ?
			       err_wrap(e, "device %s", rec->device) : 0;
	if (journal_lock_attachment(c->journal, &rec->owner, &d, e) == 0)
		return 0;
	return err_hide(e, "device %s: the container that had it is being cleaned up",
			choice_lock_name(&c->a->dev));
}

static void unlock_dead(const struct journal *j, const struct record *rec)
{
	if (*rec->device)
		journal_unlock_device(j, rec->device);
	else
		journal_unlock_attachment(j, &rec->owner);
}

/*
 * Clean up what a dead owner has left.  It may be known under another name than the one we hold
 * the lock of: where a chain has shown what an id stands for.  Locks are taken in that order there,
 * too.
 */
static int release_dead(const struct claim *c, struct record *rec, struct err *e)
{
	const struct attachment *a = c->a;
	auto_record struct record now = { 0 };
	struct journal *j = c->journal;
	int r;

	c->look->done = false;
	if (j == &a->journal && *rec->device && strcmp(rec->device, choice_lock_name(&a->dev)) == 0)
		return release_dead_owner(c->host, j, rec, a->info_name, e);
	if (lock_dead(c, rec, e) < 0)
		return -1;
	r = journal_get(j, rec, &now, e);
	if (r > 0 && !now.released)
		r = release_dead_owner(c->host, j, &now, a->info_name, e);
	unlock_dead(j, rec);
	return r < 0 ? -1 : 0;
}

/* 1 when it is a live attachment's; else what a dead one has left is cleaned up first. */
static int check_owner(struct record *rec, void *arg, struct err *e)
{
	const struct claim *c = arg;
	int r;

	if (owner_equal(&rec->owner, &c->a->rec.owner))	/* ours, of a step before */
		return 0;
	r = owner_is_alive(c->a->host, rec, e);
	if (r == 0)
		return release_dead(c, rec, e);
	if (r > 0) {
		*c->old = *rec;
		*rec = (struct record){ 0 };
	}
	return r;
}

/* What a dead pod of sriov-cni's has left becomes a record of ours, to clean the device by. */
static int claim_from_sriov(struct attachment *a, struct record *old, bool *taken, struct err *e)
{
	struct takeover ad = {
		.host = a->host, .journal = &a->journal, .conf = a->conf, .lock = a->sriov_lock,
	};
	int r;

	if (!name_is_bdf(a->dev.key))
		return 1;
	if (a->rec.chained) {		/* the plugin before us may be sriov-cni */
		r = takeover_is_others(&ad, a->dev.key, a->call->netns, old, e);
		return r < 0 ? -1 : !r;
	}
	r = takeover_device(&ad, a->dev.key, old, e);
	a->sriov_lock = ad.lock;
	*taken = ad.taken;
	return r;
}

/* Of a function, which is locked, it may be one part of several. */
static const char *owned_name(const struct attachment *a)
{
	return *a->dev.part && a->conf->position == POSITION_OWNER ? a->dev.part :
								      choice_lock_name(&a->dev);
}

/* Under the lock, where what the choice was made by may be wrong by now: no repeat of that look. */
static int look_at(const struct claim *c, const char *name, struct err *e)
{
	struct look *look = c->look;
	int r;

	look->ref = (struct device_ref){ .kind = DEVICE_REF_NONE };
	r = c->a->dev.is_netdev ? device_ref_find_netdev(c->host, name, &look->ref, e) :
				  device_ref_find(c->host, name, &look->ref, e);
	look->done = r >= 0;
	return r < 0 ? -1 : 0;
}

/* Those who have it by the records of one journal: results of device_ref_each(). */
static int clear_in(struct claim *c, const char *name, struct err *e)
{
	const struct look *look = c->look;

	if (!look->done && look_at(c, name, e) < 0)
		return -1;
	return device_ref_each_of(c->host, c->journal, name, &look->ref, check_owner, c, e);
}

struct clearing {
	struct claim *of;
	const char *name;
};

/* In the journal of an earlier stateDir. */
static int clear_there(const struct host *there, struct journal *j, void *arg, struct err *e)
{
	const struct clearing *k = arg;
	struct claim c = { k->of->a, k->of->old, there, j, k->of->look };
	int r = clear_in(&c, k->name, e);

	if (r > 0)
		c.a->held_in = there->set.state_dir;
	return r;
}

/* 1 when no live attachment has it (any more), 0 when one has, -1. */
static int clear_owners(struct claim *c, const char *name, struct err *e)
{
	struct clearing k = { c, name };
	int r;

	c->a->held_in = NULL;
	r = clear_in(c, name, e);
	if (r == 0)
		r = earlier_each(c->host, JOURNAL_UPDATE, clear_there, &k, e);
	return r < 0 ? -1 : r == 0;
}

static struct claim claim_of(struct attachment *a, struct record *old, struct look *look)
{
	return (struct claim) { a, old, a->host, &a->journal, look };
}

/* -1: a live attachment has it. */
static int refuse_busy(const struct attachment *a, const struct record *old, struct err *e)
{
	(void)choose_busy(old, e);
	return a->held_in ? err_detail(e, "its record is in '%.200s', which stateDir was before: "
				       "see devinfo.conf(5)", a->held_in) : -1;
}

/*
 * A network device that goes by its own name is read once for all: policy goes by its flags, the
 * record by the rest.  That of a function is another aspect's to tell, and is read later.
 */
static int read_link(struct attachment *a, struct err *e)
{
	struct choice *c = &a->dev;
	int r;

	if (!c->is_netdev)
		return 0;
	r = link_get_by_name(&a->home, c->key, &c->link, e);
	if (r == 0)
		return err_set(e, ERR_TRY_AGAIN, ENODEV, "the network device of %s has just gone",
			       c->key);
	c->net.ifindex = c->link.ifindex;
	return r < 0 ? -1 : 0;
}

/*
 * Make the chosen device ours, under its lock: 1; 0 when a live attachment has it, whose record is
 * *old; -1.  After a dead owner we clean up first, for its "before" is the true one.
 */
static int claim(struct attachment *a, struct record *old, struct err *e)
{
	struct deadline d = deadline_in(a->host->set.lock_timeout_ms);
	struct look look = { .done = false };
	struct claim c = claim_of(a, old, &look);
	bool taken = false;
	int r;

	if (journal_lock_device(&a->journal, choice_lock_name(&a->dev), &d, e) < 0)
		return err_wrap(e, "device %s", choice_lock_name(&a->dev));
	r = clear_owners(&c, owned_name(a), e);
	if (r > 0)
		r = claim_from_sriov(a, old, &taken, e);
	if (r > 0 && taken)	/* a PCI function, of which the look shows nothing but its form */
		r = clear_owners(&c, owned_name(a), e);
	if (r <= 0)
		return r;
	if (!look.done)
		look.ref = (struct device_ref){ .kind = DEVICE_REF_NONE };
	/* without a key only other plugins know what it is */
	if ((*a->dev.key && choose_read_of(a->host, &a->dev, &look.ref, e) < 0) ||
	    read_link(a, e) < 0 ||
	    policy_check_device(a->host, a->call, &a->home, &a->dev, e) < 0)
		return -1;
	return 1;
}

int probe_name_device(struct attachment *a, struct err *e)
{
	(void)e;
	memcpy(a->rec.device, a->dev.key, sizeof(a->rec.device));
	a->rec.is_pci = a->dev.is_pci;
	a->rec.id_is_netdev = !a->dev.is_pci && !*a->dev.sf.name && *a->dev.net.name;
	a->rec.sf_numbered = a->dev.sf.numbered;
	a->rec.sf_number = a->dev.sf.number;
	return 0;
}

int probe_claim(struct attachment *a, struct err *e)
{
	auto_record struct record old = { 0 };
	int r = claim(a, &old, e);

	return r == 0 ? refuse_busy(a, &old, e) : r < 0 ? -1 : 0;
}

/* Who has another part of the function would have what we set on the function as well. */
int probe_alone(struct attachment *a, struct err *e)
{
	auto_record struct record old = { 0 };
	struct look look = { .done = false };
	struct claim c = claim_of(a, &old, &look);
	int r;

	if (strcmp(owned_name(a), choice_lock_name(&a->dev)) == 0 ||
	    record_leaves_function(&a->rec))
		return 0;
	r = clear_owners(&c, choice_lock_name(&a->dev), e);
	if (r == 0) {
		(void)refuse_busy(a, &old, e);
		return err_wrap(e, "device %s, whose function is to be changed", a->dev.part);
	}
	return r < 0 ? -1 : 0;
}

/*
 * Between the choice and the lock another attachment of the pod may have taken the device, for
 * engines attach the networks of a pod in parallel.  Of what kubelet gave the pod the next is
 * tried.
 */
static int try_devices(struct attachment *a, struct choosing *ch, struct err *e)
{
	bool no_choice = !choose_asks_kubelet(ch) && netconf_names_device(a->conf);
	int r;

	for (int tries = 1;; tries++) {
		auto_record struct record old = { 0 };

		if (choose_device(ch, &a->dev, e) < 0)
			return -1;
		if (!*a->dev.key && !*a->dev.id)
			return 0;
		r = claim(a, &old, e);
		if (r != 0)
			return r < 0 ? -1 : 0;
		journal_unlock_device(&a->journal, choice_lock_name(&a->dev));
		if (no_choice)
			choose_insist(ch, &a->dev);
		if (no_choice || tries == CHOICES_MAX)
			return refuse_busy(a, &old, e);
	}
}

int probe_device(struct attachment *a, struct err *e)
{
	struct choosing ch = {
		.host = a->host,
		.call = a->call,
		.conf = a->conf,
		.journal = &a->journal,
		.owner = &a->rec.owner,
		.unique_parent = a->link.ifindex != 0,
	};
	int r = try_devices(a, &ch, e);

	a->has_no_device = ch.none;
	candidates_done(&ch.of_pod);
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
		r = read_own(a, e);
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
