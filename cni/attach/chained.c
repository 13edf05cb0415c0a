/* SPDX-License-Identifier: Apache-2.0 */
/* chained.c - an interface that another plugin has made, or will make for us */
#include "cni/attach/pod_route.h"
#include "cni/attach/chained.h"

#include "base/log.h"
#include "base/name.h"
#include "cni/attach/aspects.h"
#include "cni/attach/choose.h"
#include "cni/attach/probe.h"
#include "cni/call/convert.h"
#include "cni/netdev/netdev.h"
#include "cni/plugins/chain.h"
#include "cni/vf/vf.h"
#include "devinfo/format/store.h"
#include "devinfo/journal/device_ref.h"

#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

int chained_read_prev(struct attachment *a, struct err *e)
{
	return a->conf->prev_result ? result_read_prev(a->conf, &a->result, e) : 0;
}

int chained_is_free(struct attachment *a, struct err *e)
{
	struct link link;
	int r = a->conf->prev_result ? 0
				     : link_get_by_name(&a->pod, a->call->ifname, &link, e);

	/* a plugin that refused it would be asked for a DEL, and take it for its own */
	if (r > 0)
		return err_set(e, ERR_BUSY, EEXIST, "the container has an interface %s already",
			       a->call->ifname);
	return r;
}

/* -- the device -- */

/* What kubelet calls it stays: the device plugin's file has that name. */
static void set_device(struct attachment *a, const char *bdf, const char *source)
{
	a->dev.source = source;
	choice_set_pci(&a->dev, bdf);
	if (!*a->dev.id)
		memcpy(a->dev.id, a->dev.key, sizeof(a->dev.key));
}

static bool asks_kubelet(const struct attachment *a)
{
	const struct choosing ch = { .call = a->call, .conf = a->conf };

	return choose_asks_kubelet(&ch);
}

/*
 * The device is claimed before anyone makes an interface of it.  Behind others it is the interface
 * that says which it is, unless the id is a PCI address, which must be that of the interface; any
 * other id is the device plugin's name for it.
 */
int chained_named_device(struct attachment *a, struct err *e)
{
	const char *id = a->conf->device_id;
	char bdf[NAME_BDF_SIZE];

	if (a->conf->position == POSITION_META && (id || asks_kubelet(a)))
		return probe_device(a, e);
	if (id && (name_to_bdf(id, bdf) || asks_kubelet(a)))
		return probe_device(a, e);
	if (id)
		(void)snprintf(a->dev.id, sizeof(a->dev.id), "%s", id);
	return 0;
}

/* The device behind the interface on this bus, "" for none. */
static const char *parent_of(const struct link *link, const char *bus)
{
	return link->ifindex && strcmp(link->parent_bus, bus) == 0 ? link->parent_dev : "";
}

static int find_interface(struct attachment *a, struct err *e)
{
	int r = link_get_by_name(&a->pod, a->call->ifname, &a->link, e);

	if (r == 0)
		a->link = (struct link){ 0 };
	return r < 0 ? -1 : 0;
}

/* A sub-function has no address, but its name on its bus.  One that sysfs lacks has but its id. */
static int take_auxiliary(struct attachment *a, const char *name, struct err *e)
{
	struct sub_function sf;
	int r = sysfs_sub_function(a->host, name, &sf, e);

	if (r < 0)
		return -1;
	if (r > 0)
		memcpy(a->dev.key, sf.name, sizeof(sf.name));
	if (!*a->dev.id)
		(void)snprintf(a->dev.id, sizeof(a->dev.id), "%s", name);
	a->dev.source = "the interface's parent";
	return probe_claim(a, e);
}

/* It has no name of its own in the configuration. */
static int find_device(struct attachment *a, struct err *e)
{
	const char *pci = parent_of(&a->link, "pci"), *id;
	const char *auxiliary = parent_of(&a->link, "auxiliary");

	if (!a->link.ifindex) {
		id = json_string_value(json_object_get(
			result_interface(a->result, a->call->ifname), "pciID"));
		if (id && name_is_bdf(id)) {
			set_device(a, id, "prevResult");
			return probe_claim(a, e);
		}
	}
	if (*pci) {
		set_device(a, pci, "the interface's parent");
		return probe_claim(a, e);
	}
	if (*auxiliary)
		return take_auxiliary(a, auxiliary, e);
	/* known by its id alone: it must be nobody else's, and one that the pod may have */
	if (*a->dev.id && a->conf->position == POSITION_CHAINED)
		return probe_claim(a, e);
	if (*a->dev.id || a->has_no_device || !asks_kubelet(a))
		return 0;
	return probe_device(a, e);
}

static int wrong_device(const struct attachment *a, const char *parent, struct err *e)
{
	return err_set(e, ERR_DEVICE, 0, "interface %s is that of %s, not of %s (%s)",
		       a->call->ifname, parent, *a->dev.key ? a->dev.key : a->dev.id,
		       a->dev.source ? a->dev.source : "configuration");
}

/* The wrong device is the worst thing to hand out: looked at before it is claimed as well. */
static int check_parent(const struct attachment *a, struct err *e)
{
	const char *pci = parent_of(&a->link, "pci"), *name = device_id_plain(a->dev.id);
	const char *auxiliary = parent_of(&a->link, "auxiliary");
	struct device_ref ref;
	int r;

	if (*pci && a->dev.is_pci && strcmp(pci, a->dev.key) != 0)
		return wrong_device(a, pci, e);
	if (*auxiliary && *a->dev.sf.name && strcmp(auxiliary, a->dev.key) != 0)
		return wrong_device(a, auxiliary, e);
	if (!*auxiliary || *a->dev.sf.name || !*name || strcmp(auxiliary, name) == 0)
		return 0;
	r = device_ref_find(a->host, name, &ref, e);
	if (r < 0)
		return -1;
	/* any other id may be what a device plugin calls it */
	return r > 0 && ref.kind == DEVICE_REF_AUXILIARY ? wrong_device(a, auxiliary, e) : 0;
}

/* A function that a program in user space drives has no interface; everything else has. */
static int check_missing(const struct attachment *a, struct err *e)
{
	if (!a->dev.is_pci || !driver_is_userspace(a->dev.pci.driver))
		return err_set(e, ERR_DEVICE, ENODEV, "the container has no interface %s",
			       a->call->ifname);
	return netdev_refuse_wish(a->conf, a->dev.key, a->dev.pci.driver, e);
}

static bool has_parent(const struct link *link, const void *arg)
{
	const struct link *one = arg;

	return strcmp(link->parent_dev, one->parent_dev) == 0 &&
	       strcmp(link->parent_bus, one->parent_bus) == 0;
}

/* No other network device has the same parent, here or in the container: 1, 0, -1. */
static int has_unique_parent(struct attachment *a, struct err *e)
{
	struct sub_function now;	/* a chain has moved it since it was chosen */
	struct link first;
	int r;

	if (a->dev.is_pci)
		return a->dev.pci.is_vf && *a->link.parent_dev;
	r = *a->dev.sf.name ? sysfs_sub_function(a->host, a->dev.sf.name, &now, e) : 0;
	if (r <= 0 || now.netdevs > 0)
		return r < 0 ? -1 : 0;
	r = link_find(&a->pod, has_parent, &a->link, &first, e);
	return r < 0 ? -1 : r == 1;
}

static const char *bus_of(const struct choice *c)
{
	return c->is_pci ? "pci" : "auxiliary";
}

static bool is_of(const struct link *link, const void *arg)
{
	const struct choice *c = arg;

	return strcmp(link->parent_bus, bus_of(c)) == 0 && strcmp(link->parent_dev, c->key) == 0;
}

/*
 * A network may name the device of another pod, whose VLAN would be set then.  One that has a
 * network device has it in the container, be it below the interface, or on the host.
 */
static int refuse_away(struct attachment *a, struct err *e)
{
	const struct choice *c = &a->dev;
	struct link first;
	int r;

	if (c->vouched || !(c->is_pci || *c->sf.name) || is_of(&a->link, c))
		return 0;
	r = sysfs_netdevs_are_away(a->host, bus_of(c), c->key, e);
	if (r <= 0)
		return r;
	r = link_find(&a->pod, is_of, c, &first, e);
	return r != 0 ? (r < 0 ? -1 : 0) :
			err_set(e, ERR_DEVICE, ENODEV, "the network device of %s is in another "
				"network namespace, not in the container", c->key);
}

static int probe_interface(struct attachment *a, struct err *e)
{
	struct record *rec = &a->rec;
	const struct link *link = &a->link;
	struct netdev_wish w;
	int unique;

	if (!link->ifindex)
		return check_missing(a, e);
	if (link->flags & IFF_LOOPBACK)
		return err_set(e, ERR_DEVICE, 0, "%s is the loopback device", link->name);
	unique = has_unique_parent(a, e);
	if (unique < 0)
		return -1;
	netdev_state_of(link, &rec->netdev);
	rec->pod_ifindex = link->ifindex;
	rec->unique_parent = unique;
	netdev_wish_of(a, &w);
	netdev_mark(&w, link, rec);
	return 0;
}

/* Before anything is changed: later there is no result to tell of it. */
static int check_address(const struct attachment *a, struct err *e)
{
	enum cni_version v = a->conf->version;

	if (!result_needs_address(v) || json_array_size(json_object_get(a->result, "ips")) > 0)
		return 0;
	return err_set(e, ERR_NETCONF, 0, "a result of cniVersion %s needs an address",
		       cni_version_name(v));
}

int chained_probe(struct attachment *a, struct err *e)
{
	if (check_address(a, e) < 0 || find_interface(a, e) < 0 || check_parent(a, e) < 0 ||
	    (!*a->dev.key && find_device(a, e) < 0) || check_parent(a, e) < 0 ||
	    refuse_away(a, e) < 0 || probe_interface(a, e) < 0)
		return -1;
	return 0;
}

int chained_probe_aspects(struct attachment *a, struct err *e)
{
	if (!a->has_no_device || *a->dev.key)
		return aspects_probe(a, e);
	log_info("msg=\"the pod has no device, its interface is passed on\" interface=%s",
		 a->call->ifname);
	return 0;
}

/* -- the chain -- */

int chained_run_plugins(struct attachment *a, struct err *e)
{
	char info[PATH_MAX];
	struct chain_progress p;
	struct chain c = {
		.conf = a->conf,
		.cni_path = a->call->path,
		.device_id = a->rec.device_id,
		.id_is_netdev = a->rec.id_is_netdev,
		.info_path = info,
		.timeout_ms = a->host->set.ipam_timeout_ms,
	};
	json_t *result = NULL;
	struct err why;
	int r;

	if (store_make_cni(a->host, &why) < 0)		/* whoever writes there will say so */
		log_info("msg=\"no directory for a plugin's file\" error=\"%s\"", why.msg);
	a->info_touched = true;
	a->chain_asked = true;
	store_cni_path(a->rec.devinfo_dir, a->info_name, info);
	r = chain_add(&c, a->result, &p, &result, e);
	a->rec.delegates_left = p.left;
	a->rec.delegates_added = p.added;
	if (r < 0)
		return -1;
	json_decref(a->result);
	a->result = result;
	a->rec.chain_result = a->result;
	return 0;
}

/* A delegate's result need not have our interface, or all of it. */
static void keep_interface(json_t *result, json_t *ours)
{
	json_t *intf = result_interface(result, json_string_value(json_object_get(ours, "name")));

	if (intf) {
		(void)json_object_update_missing(intf, ours);
		return;
	}
	if (!json_object_get(result, "interfaces"))
		(void)json_object_set_new(result, "interfaces", json_array());
	(void)json_array_append(json_object_get(result, "interfaces"), ours);
}

int chained_run_behind(struct attachment *a, struct err *e)
{
	json_auto_t *ours = NULL;

	if (!a->conf->delegates)
		return 0;
	ours = json_deep_copy(result_interface(a->result, a->call->ifname));
	if (chained_run_plugins(a, e) < 0 || journal_write(&a->journal, &a->rec, e) < 0)
		return -1;
	keep_interface(a->result, ours);
	json_decref(a->answer);
	a->answer = NULL;
	return result_write(a->result, a->conf->version, &a->answer, e);
}

/* -- the result -- */

/* Our changes, in a result of any version from 0.3.0 on; earlier ones name no interface. */
static void amend(const struct attachment *a, enum cni_version version, json_t *result)
{
	json_t *intf = result_interface(result, a->call->ifname);
	bool user_mac = !a->link.ifindex && a->rec.vf_set & VF_MAC;	/* by the PF alone */
	struct netdev_wish w;
	char mac[MAC_TEXT];

	netdev_wish_of(a, &w);
	if (intf && user_mac)
		(void)json_object_set_new(intf, "mac", json_string(mac_format(a->mac, mac)));
	if (intf)
		netdev_tell(&w, &a->rec, version, intf);
	if (json_object_size(a->conf->dns) > 0)
		(void)json_object_set(result, "dns", a->conf->dns);
}

static void set_absent(json_t *o, const char *key, json_t *v)
{
	if (json_object_get(o, key))
		json_decref(v);
	else
		(void)json_object_set_new(o, key, v);
}

/* Around a chain the interface is ours to report: most plugins leave out what 1.1.0 has added. */
static void fill_in(const struct attachment *a)
{
	json_t *intf = result_interface(a->result, a->call->ifname);

	if (!intf || !a->link.ifindex)
		return;
	set_absent(intf, "mtu", json_integer(a->link.mtu));
	if (a->dev.is_pci)
		set_absent(intf, "pciID", json_string(a->dev.key));
}

/* Of a chained plugin: prevResult as it came, members that nobody knows among it. */
int chained_answer(struct attachment *a, struct err *e)
{
	amend(a, CNI_1_1_0, a->result);
	if (pod_route_set(a, a->result, e) < 0)
		return -1;
	if (a->conf->position == POSITION_META)
		fill_in(a);
	if (a->conf->position == POSITION_META || pod_route_is_said(a))
		return result_write(a->result, a->conf->version, &a->answer, e);
	a->answer = json_deep_copy(a->conf->prev_result);
	(void)json_object_set_new(a->answer, "cniVersion",
				  json_string(cni_version_name(a->conf->version)));
	amend(a, a->conf->version, a->answer);
	return 0;
}
