/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - which device is this attachment's? */
#include "cni/attach/choose.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/name.h"
#include "cni/attach/aspects.h"
#include "cni/attach/taint_policy.h"
#include "conf/selection.h"
#include "conf/unknown.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/journal/ledger.h"
#include "devinfo/journal/owner.h"
#include "devinfo/node/eswitch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* -- from a name to the device -- */

int choose_by_name(const struct host *host, const char *id, struct choice *c, struct err *e)
{
	struct device_ref ref;
	int r = device_ref_find(host, id, &ref, e);

	if (r <= 0)
		return r;
	if (ref.is_part)
		memcpy(c->part, ref.name, sizeof(c->part));
	if (name_is_bdf(ref.key))
		choice_set_pci(c, ref.key);
	else
		memcpy(c->key, ref.key, sizeof(ref.key));
	c->is_netdev = device_ref_is_plain_netdev(&ref);
	return *ref.key != '\0';
}

struct by_record {
	const char *id;
	struct choice *c;
};

/* What goes by the very name goes before what was only called so on its bus, or at home. */
static int take_key(struct record *rec, void *arg, struct err *e)
{
	const struct by_record *by = arg;

	(void)e;
	if (!*rec->device || record_is_path(rec))
		return 0;
	memcpy(by->c->key, rec->device, sizeof(by->c->key));
	by->c->is_pci = rec->is_pci;
	return name_ids_equal(rec->device, by->id);
}

/*
 * When it is not there it may be in a pod, dead or alive: then its record knows it; unless it has
 * just come home.
 */
static int by_name(const struct host *host, struct journal *journal, const char *id,
		   struct choice *c, struct err *e)
{
	struct by_record by = { .id = id, .c = c };
	int r = choose_by_name(host, id, c, e);

	if (r != 0)
		return r;
	r = device_ref_each(host, journal, id, take_key, &by, e);
	if (r == 0 && *c->key)
		r = 1;
	return r == 0 ? choose_by_name(host, id, c, e) : r;
}

/* It has no network device here: say what it is instead. */
static int not_attachable(const struct host *host, const char *id, struct err *e)
{
	struct device_ref ref;
	int r = device_ref_find(host, id, &ref, e);

	if (r < 0)
		return -1;
	if (r == 0)
		return device_ref_unknown(id, e);
	return err_set(
		e, ERR_DEVICE, ENODEV, "deviceID '%.64s' is a %s%s%s without a network device", id,
		device_ref_kind_name(ref.kind), *ref.driver ? " of driver " : "", ref.driver);
}

/* Other plugins of the chain may know what to do with an id that we do not. */
static bool others_may_know(const struct netconf *nc)
{
	return nc->position != POSITION_OWNER;
}

static int by_id(const struct choosing *ch, const char *id, struct choice *c, struct err *e)
{
	char called[64] = "";
	int r;

	if (strlen(id) >= sizeof(c->id))
		return err_set(e, ERR_DEVICE, ENAMETOOLONG, "deviceID '%.64s...'", id);
	memcpy(c->id, id, strlen(id) + 1);
	r = aspects_choose(ch, CHOOSE_GIVEN, c, called, e);
	if (r == 0)
		r = by_name(ch->host, ch->journal, id, c, e);
	if (r == 0)
		r = aspects_choose(ch, CHOOSE_UNKNOWN, c, called, e);
	if (r == 0 && *called)
		r = by_name(ch->host, ch->journal, called, c, e);
	if (r == 0 && !others_may_know(ch->conf))
		return not_attachable(ch->host, id, e);
	return r < 0 ? -1 : 0;
}

static int by_device(const struct choosing *ch, const char *name, struct choice *c, struct err *e)
{
	int r = name_is_bdf(name) ? 0 : by_name(ch->host, ch->journal, name, c, e);

	if (r == 0)
		return err_set(e, ERR_DEVICE, ENODEV, "no network device %s on this node", name);
	return r < 0 ? -1 : 0;
}

/* -- from kubelet -- */

static bool has_pod(const struct choosing *ch)
{
	return ch->call->pod_name && ch->call->pod_namespace;
}

/*
 * A pod's author may ask for one of the pod's own devices.  That goes before what Multus took, in
 * its own order, from the same devices.
 */
static const char *pinned(const struct choosing *ch)
{
	const struct netconf *nc = ch->conf;

	if (nc->pinned || ch->call->device_id)
		return nc->pinned ? nc->pinned : ch->call->device_id;
	if (nc->id_is_runtime && has_pod(ch))
		return nc->device_id;
	if (nc->device_id || nc->device)	/* Multus has acted on the annotation itself */
		return NULL;
	return selection_device_id(nc->selection, nc->name, ch->call->ifname);
}

bool choose_asks_kubelet(const struct choosing *ch)
{
	const struct netconf *nc = ch->conf;

	return pinned(ch) ||
	       (!nc->device_id && !nc->device && (nc->resource || nc->claim || nc->request));
}

static int check_selection(const struct choosing *ch, struct err *e)
{
	const struct netconf *nc = ch->conf;

	if (nc->device_id || nc->device ||
	    !selection_is_ambiguous(nc->selection, nc->name, ch->call->ifname))
		return 0;
	return err_set(e, ERR_NETCONF, 0,
		       "k8s.v1.cni.cncf.io/networks: several elements of network %.64s ask for a "
		       "deviceID and none says which is interface %s", nc->name, ch->call->ifname);
}

/*
 * Only when kubelet is asked: who has no pods calls containers as it likes, and podman gives that
 * as K8S_POD_NAME.
 */
static int check_args(const struct cni_call *call, struct err *e)
{
	const struct {
		const char *key, *value;
		bool (*is)(const char *s);
		const char *what;
	} rows[] = {
		{ "K8S_POD_NAMESPACE", call->pod_namespace, name_is_dns_label, "namespace" },
		{ "K8S_POD_NAME", call->pod_name, name_is_dns_subdomain, "pod's name" },
		{ "K8S_POD_UID", call->pod_uid, name_is_file, "pod's UID" },
		{ "deviceID", call->device_id, name_is_device_id, "device's id" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].value && !rows[i].is(rows[i].value))
			return err_set(e, ERR_ENV, 0, "CNI_ARGS: %s '%.64s' is not a %s",
				       rows[i].key, rows[i].value, rows[i].what);
	return 0;
}

static int no_device_named(struct err *e)
{
	return err_set(e, ERR_NETCONF, 0,
		       "no device and no prevResult: one of " NETCONF_DEVICE_KEYS " is needed");
}

int choose_check(const struct choosing *ch, struct err *e)
{
	bool asks = choose_asks_kubelet(ch);

	if (check_selection(ch, e) < 0)
		return -1;
	if (!asks && netconf_names_device(ch->conf))
		return netconf_check_id(ch->conf, e);
	if (has_pod(ch))
		return check_args(ch->call, e);
	if (asks)
		return err_set(e, ERR_ENV, 0, "kubelet cannot be asked for a device: CNI_ARGS name "
			       "no pod (K8S_POD_NAMESPACE, K8S_POD_NAME)");
	return no_device_named(e);
}

/* A typing error is why a key is missing. */
static bool tell_key(const struct unknown_key *u, void *arg)
{
	char text[256];

	if (!*u->hint)
		return true;
	unknown_text(u, text);
	(void)err_detail(arg, "%s", text);
	return false;
}

/*
 * Only kubelet could tell of a claim, and it has no socket: that is no reason to wait where nobody
 * asked for one.
 */
static int check_named(const struct choosing *ch, const struct pod *pod, struct err *e)
{
	const char *socket = ch->host->set.kubelet_socket;
	struct err ignored;

	if (choose_asks_kubelet(ch) || fs_exists(ch->host->root, &ignored, "%s", socket) != 0)
		return 0;
	(void)no_device_named(e);
	unknown_keys(ch->conf->doc, &(struct unknown_visitor){ tell_key, e });
	(void)err_detail(e, "kubelet, to ask for a claim, is not there: no '%.128s'", socket);
	return resolve_tell_pod(ch->host, pod, e);
}

static int ask_kubelet(struct choosing *ch, const struct pod *pod, const struct wish *wish,
		       struct err *e)
{
	const struct deadline d = deadline_in(ch->host->set.podres_timeout_ms);

	if (resolve_candidates(ch->host, pod, wish, &d, &ch->of_pod, e) < 0)
		return -1;
	if (*ch->of_pod.from.tried)
		log_info("msg=\"kubelet did not answer at once\" source=\"%s\" why=\"%s\"",
			 ch->of_pod.from.source, ch->of_pod.from.tried);
	if (*ch->of_pod.tried)
		log_warning("msg=\"a file that tells of a claim is wrong\" why=\"%s\"",
			    ch->of_pod.tried);
	return 0;
}

static struct pod pod_of(const struct cni_call *call)
{
	return (struct pod) {
		.name_space = call->pod_namespace, .name = call->pod_name, .uid = call->pod_uid,
	};
}

/* Its network device is on the host: 1, 0, -1. */
static int is_at_home(const struct host *host, const char *id, struct err *e)
{
	struct device_ref ref;
	struct pci_device pci;
	int r = device_ref_find(host, id, &ref, e);

	if (r > 0 && ref.kind != DEVICE_REF_PCI)
		return *ref.netdev != '\0';
	if (r > 0)
		r = sysfs_pci(host, ref.key, &pci, e);
	return r <= 0 ? r : *pci.netdev != '\0';
}

/* The interface is there, and does not show its device: is it kubelet's?  1, 0, -1. */
static int is_behind(const struct choosing *ch, struct err *e)
{
	const struct candidates *of_pod = &ch->of_pod;
	auto_record struct record holder = { 0 };
	int r;

	if (of_pod->n > 1) {
		log_warning("msg=\"the interface does not show which of the pod's devices it is\" "
			    "devices=%u", (unsigned int)of_pod->n);
		return 0;
	}
	r = resolve_holder(ch->host, ch->journal, ch->owner, of_pod->list[0].id, &holder, e);
	if (r == 0)
		r = is_at_home(ch->host, of_pod->list[0].id, e);
	if (r > 0)
		log_info("msg=\"the pod's device is %s, not behind the interface\" id=%s",
			 holder.owner.ifname ? "another attachment's" : "on the host",
			 of_pod->list[0].id);
	return r < 0 ? -1 : !r;
}

static int from_kubelet(struct choosing *ch, struct choice *c, struct err *e)
{
	const struct netconf *nc = ch->conf;
	const struct pod pod = pod_of(ch->call);
	const struct wish wish = {
		.resource = nc->resource,
		.claim = nc->claim,
		.request = nc->request,
		.device_id = pinned(ch),
		.optional = nc->device_optional && !pinned(ch),
		.could_be_optional = nc->position != POSITION_OWNER && !pinned(ch),
	};
	struct resolved chosen;
	int r;

	if (choose_check(ch, e) < 0)
		return -1;
	if (ch->of_pod.n == 0 &&
	    (check_named(ch, &pod, e) < 0 || ask_kubelet(ch, &pod, &wish, e) < 0))
		return -1;
	/* one that is behind the interface has to stay among them */
	if (!ch->unique_parent && taint_policy_choose(ch->host, &ch->of_pod, e) < 0)
		return -1;
	ch->none = ch->of_pod.n == 0;
	r = ch->none ? 0 : ch->unique_parent ? is_behind(ch, e) : 1;
	if (r <= 0)
		return r;
	if (resolve_choose(ch->host, ch->journal, &pod, ch->owner, &ch->of_pod, &chosen, e) < 0)
		return -1;
	if (*chosen.lost)
		log_warning("msg=\"earlier choices for the pod cannot be used\" why=\"%s\"",
			    chosen.lost);
	c->source = chosen.one->source;
	c->vouched = true;
	log_info("msg=\"kubelet's device\" id=%s why=\"%s\"", chosen.one->id, chosen.why);
	return by_id(ch, chosen.one->id, c, e);
}

/*
 * Who has a function has its parts, but not the other way round.  What sysfs does not know
 * goes by the id alone, and so does what is still to be made for it.
 */
static int is_same(const struct host *host, const struct choice *c, const char *id, struct err *e)
{
	struct device_ref ref;
	int r;

	if (!*c->key || *c->path || strcmp(c->key, c->part) == 0)
		return name_ids_equal(device_id_plain(id), device_id_plain(c->id)) ||
		       strcmp(id, c->part) == 0;
	r = device_ref_find(host, id, &ref, e);
	if (r <= 0)
		return r;
	if (ref.is_part)
		return strcmp(ref.name, c->part) == 0;
	return strcmp(*ref.key ? ref.key : ref.name, c->key) == 0;
}

int choose_is_of_pod(const struct host *host, const struct cni_call *call, const struct choice *c,
		     struct err *e)
{
	const struct deadline d = deadline_in(host->set.podres_timeout_ms);
	auto_candidates struct candidates all = { 0 };
	const struct wish wish = { .everything = true };
	const struct pod pod = pod_of(call);
	int r = 0;

	if (check_args(call, e) < 0 || resolve_candidates(host, &pod, &wish, &d, &all, e) < 0)
		return -1;
	for (size_t i = 0; i < all.n && r == 0; i++)
		r = is_same(host, c, all.list[i].id, e);
	return r;
}

/* -- the choice -- */

/* By the name of an auxiliary device, whose network device may be in a pod, or of its own. */
static int read_netdev(const struct host *host, struct choice *c, struct err *e)
{
	int r = sysfs_sub_function(host, c->key, &c->sf, e);

	if (r == 0 && *c->part)		/* of a simulator, or still to be made */
		return 1;
	if (r <= 0)
		return r < 0 ? -1 : sysfs_netdev(host, c->key, &c->net, e);
	return sysfs_netdev(host, c->sf.netdev, &c->net, e) < 0 ? -1 : 1;
}

/* Of a network device without a function the look at its name has shown all but its ifindex. */
static int take_netdev(struct choice *c, const struct device_ref *ref)
{
	c->sf = (struct sub_function){ .netdevs = 0 };
	c->net = ref->net;
	return 1;
}

static bool is_that_of(const struct device_ref *ref, const struct choice *c)
{
	return device_ref_is_plain_netdev(ref) && strcmp(ref->name, c->key) == 0 && !*c->part;
}

int choose_read_of(const struct host *host, struct choice *c, const struct device_ref *ref,
		   struct err *e)
{
	int r = *c->path		? 1 :
		c->is_pci		? eswitch_pci(host, c->key, &c->pci, e) :
		is_that_of(ref, c)	? take_netdev(c, ref) :
					  read_netdev(host, c, e);

	c->is_netdev = r > 0 && !*c->path && !c->is_pci && !*c->sf.name && *c->net.name;
	if (r == 0)
		return err_set(e, ERR_DEVICE, ENODEV, "no %s %s on this node",
			       c->is_pci ? "PCI device" : "network device", c->key);
	return r < 0 ? -1 : 0;
}

int choose_read(const struct host *host, struct choice *c, struct err *e)
{
	const struct device_ref unknown = { .kind = DEVICE_REF_NONE };

	return choose_read_of(host, c, &unknown, e);
}

/* Multus names the devices of its own networks, and knows nothing of those that ask kubelet. */
void choose_insist(const struct choosing *ch, const struct choice *c)
{
	const char *id = ch->conf->device_id ? ch->conf->device_id : c->id;
	const struct pod pod = pod_of(ch->call);
	struct err e;
	int r;

	if (!has_pod(ch) || !*id || check_args(ch->call, &e) < 0)
		return;
	r = ledger_insist(ch->host, ch->journal, &pod, ch->owner, id, &e);
	if (r < 0)
		log_warning("msg=\"the next try may fail as this one does\" device=%s why=\"%s\"",
			    id, e.msg);
	else if (r > 0)
		log_info("msg=\"the pod's attachment that was given the device will get another "
			 "one\" device=%s", id);
}

int choose_busy(const struct record *rec, struct err *e)
{
	(void)err_set(e, ERR_TRY_AGAIN, 0, "device %s belongs to another attachment",
		      *rec->device ? record_device_name(rec) : rec->device_id);
	return owner_tell(&rec->owner, e);
}

/* A person's name for a function or a sub-function is none of its device plugin's. */
static int by_address(int r, const struct host *host, struct choice *c, struct err *e)
{
	struct sub_function sf;

	if (r < 0 || !*c->key || *c->path)
		return r;
	r = c->is_pci	 ? !name_is_bdf(c->id) :
	    c->is_netdev ? 0 :
			   sysfs_sub_function(host, c->key, &sf, e);
	if (r > 0)
		memcpy(c->id, c->key, sizeof(c->key));
	return r < 0 ? -1 : 0;
}

static int choose(struct choosing *ch, struct choice *c, struct err *e)
{
	c->source = "configuration";
	if (choose_asks_kubelet(ch))
		return from_kubelet(ch, c, e);
	if (ch->conf->device_id)
		return by_address(by_id(ch, ch->conf->device_id, c, e), ch->host, c, e);
	if (ch->conf->device)
		return by_address(by_device(ch, ch->conf->device, c, e), ch->host, c, e);
	if (netconf_names_device(ch->conf))
		return aspects_choose(ch, CHOOSE_CONFIGURED, c, NULL, e) < 0 ? -1 : 0;
	return from_kubelet(ch, c, e);
}

int choose_device(struct choosing *ch, struct choice *ret, struct err *e)
{
	struct choice c = { 0 };

	if (choose(ch, &c, e) < 0)
		return -1;
	log_info("msg=\"device chosen\" device=%s id=%s source=\"%s\"", c.key, c.id, c.source);
	*ret = c;
	return 0;
}
