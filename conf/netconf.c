/* SPDX-License-Identifier: Apache-2.0 */
/* netconf.c - the plugin's configuration from stdin */
#include "conf/netconf.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "conf/keys.h"
#include "conf/netconf_parts.h"
#include "conf/selection.h"
#include "conf/settings.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* name and cniVersion, in the order and with the codes of the CNI specification. */
static int parse_head(struct netconf *nc, struct err *e)
{
	const json_t *version = json_object_get(nc->doc, "cniVersion");
	const char *name = NULL;

	if (jx_string(nc->doc, "", "name", &name, e) < 0)
		return -1;
	if (!name || !*name)
		return err_set(e, ERR_NETCONF, 0, "missing network name");
	if (!name_is_cni_id(name))
		return err_set(e, ERR_NETCONF, 0,
			       "name: '%.64s' has characters outside [a-zA-Z0-9_.-]", name);
	nc->name = name;
	if (version && !json_is_string(version))
		return err_set(e, ERR_DECODE, 0, "cniVersion: expected a string, got %s",
			       jx_type_name(version));
	/* absent means 0.1.0, from before the key was there */
	return cni_version_parse(version && json_string_length(version) ? json_string_value(version)
									: "0.1.0",
				 &nc->version, e);
}

int netconf_parse(const char *text, size_t len, struct netconf *ret, struct err *e)
{
	struct netconf nc = {
		.vlan = -1, .vlan_qos = -1, .vlan_proto = 0x8100,
		.min_tx_rate = -1, .max_tx_rate = -1, .mtu = -1,
	};

	nc.doc = jx_parse(text, len, ERR_DECODE, "network configuration", e);
	if (!nc.doc)
		return -1;
	if (!json_is_object(nc.doc))
		(void)err_set(e, ERR_DECODE, 0, "network configuration: expected an object, got %s",
			      jx_type_name(nc.doc));
	else if (parse_head(&nc, e) == 0) {
		keys_fold(nc.doc, "");
		*ret = nc;
		return 0;
	}
	netconf_done(&nc);
	return -1;
}

int netconf_settings(struct netconf *nc, struct settings *ret, struct err *e)
{
	const json_t *node_may_override = ret->pod_may_override;
	struct err later;	/* the first is the one to tell */
	int r = settings_take(nc->doc, IN_NETWORK, ret, e);

	nc->node_may_override = ret->pod_may_override = node_may_override;
	return keys_check_network(nc->doc, r < 0 ? &later : e) < 0 ? -1 : r;
}

/* Not both of two, unless they say the same (Multus writes deviceID and pciBusID). */
static int same_or_one(const char **have, const char *have_key, const char *new, const char *key,
		       struct err *e)
{
	if (!new || !*new)
		return 0;
	if (*have && strcasecmp(*have, new) != 0)
		return err_set(e, ERR_NETCONF, 0, "%s '%.64s' and %s '%.64s' contradict each other",
			       have_key, *have, key, new);
	*have = new;
	return 0;
}

/* A text that has to be of some form; "" is as good as absent. */
static int take_name(const json_t *o, const char *path, const char *key, bool (*is)(const char *s),
		     const char *what, const char **ret, struct err *e)
{
	const char *v = NULL;

	if (jx_string(o, path, key, &v, e) < 0)
		return -1;
	if (!v || !*v)
		return 0;
	if (!is(v))
		return err_set(e, ERR_NETCONF, 0, "%s%s%s: '%.64s' is no %s", path,
			       *path ? "." : "", key, v, what);
	*ret = v;
	return 0;
}

/* -- what the pod says -- */

static bool has_text(const json_t *list, const char *text)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v)
		if (strcmp(json_string_value(v), text) == 0)
			return true;
	return false;
}

/* Not what stands for nothing: null, "" and an mtu of 0. */
static bool is_said(const json_t *doc, const char *key)
{
	const json_t *v = json_object_get(doc, key);

	return v && !json_is_null(v) && !(json_is_string(v) && !json_string_length(v)) &&
	       !(json_is_integer(v) && !json_integer_value(v));
}

/* A claim says whose devices they are, as a resource does. */
static bool network_says(const struct netconf *nc, const char *key)
{
	return is_said(nc->doc, key) ||
	       (strcmp(key, "resourceName") == 0 && is_said(nc->doc, "claim"));
}

bool netconf_pod_may_say(const struct netconf *nc, const char *key)
{
	return !network_says(nc, key) || has_text(nc->may_override, key) ||
	       has_text(nc->node_may_override, key);
}

/* The case of letters has no meaning in what both say: addresses, and numbers in hexadecimal. */
static bool is_same(const json_t *a, const json_t *b)
{
	return json_equal(a, b) || (json_is_string(a) && json_is_string(b) &&
				    strcasecmp(json_string_value(a), json_string_value(b)) == 0);
}

static int take_args(struct netconf *nc, struct err *e)
{
	const json_t *args = json_object_get(json_object_get(nc->doc, "args"), "cni");

	if (settings_overrides(nc->doc, &nc->may_override, e) < 0)
		return -1;
	json_decref(nc->args);
	nc->args = json_object();
	nc->overruled = NULL;
	for (size_t i = 0; i < key_table_n; i++) {
		const char *key = key_table[i].name;
		json_t *v = key_table[i].in == IN_ARGS_CNI ? json_object_get(args, key) : NULL;

		if (!v)
			continue;
		if (!key_is_shared_with_pod(key) || netconf_pod_may_say(nc, key))
			(void)json_object_set(nc->args, key, v);
		else if (is_said(args, key) && !is_same(v, json_object_get(nc->doc, key)))
			nc->overruled = key;
	}
	return 0;
}

static int refuse_overruled(const struct netconf *nc, struct err *e)
{
	if (!nc->overruled)
		return 0;
	(void)err_set(e, ERR_NETCONF, 0, "args.cni.%s: the network says it, and not the pod",
		      nc->overruled);
	return err_detail(e, "podMayOverride, of the network or of the node's file, could let it");
}

/* -- which device -- */

/* What of kubelet's the attachment wants. */
static int parse_wish(struct netconf *nc, struct err *e)
{
	if (take_name(nc->doc, "", "resourceName", name_is_resource, "resource name",
		      &nc->resource, e) < 0 ||
	    take_name(nc->args, "args.cni", "resourceName", name_is_resource, "resource name",
		      &nc->resource, e) < 0 ||
	    take_name(nc->doc, "", "claim", name_is_file, "claim's name", &nc->claim, e) < 0 ||
	    take_name(nc->doc, "", "request", name_is_file, "request's name", &nc->request,
		      e) < 0 ||
	    take_name(nc->args, "args.cni", "deviceID", name_is_device_id, "id of a device",
		      &nc->pinned, e) < 0)
		return -1;
	return 0;
}

static int parse_device(struct netconf *nc, const json_t *rc, struct err *e)
{
	const char *runtime = NULL, *id = NULL, *bus = NULL, *device = NULL;

	if (jx_string(rc, "runtimeConfig", "deviceID", &runtime, e) < 0 ||
	    jx_string(nc->doc, "", "deviceID", &id, e) < 0 ||
	    jx_string(nc->doc, "", "pciBusID", &bus, e) < 0 ||
	    jx_string(nc->doc, "", "device", &device, e) < 0)
		return -1;
	/*
	 * Multus writes kubelet's choice into all three, and into runtimeConfig alone what a pod's
	 * author asks for in the selection annotation.
	 */
	if (runtime && *runtime) {
		nc->device_id = runtime;
		nc->id_is_runtime = (!id || strcasecmp(id, runtime) != 0) &&
				    (!bus || strcasecmp(bus, runtime) != 0);
	} else if (same_or_one(&nc->device_id, "deviceID", id, "deviceID", e) < 0 ||
		   same_or_one(&nc->device_id, "deviceID", bus, "pciBusID", e) < 0) {
		return -1;
	}
	if (nc->device_id && !name_is_device_id(nc->device_id))
		return err_set(e, ERR_NETCONF, 0, "deviceID: '%.64s' cannot be the id of a device",
			       nc->device_id);
	if (device && *device && !name_is_ifname(device))
		return err_set(e, ERR_NETCONF, 0,
			       "device: '%.64s' cannot be a network device's name", device);
	nc->device = device && *device ? device : NULL;
	return 0;
}

static int parse_vlan(struct netconf *nc, struct err *e)
{
	const char *proto = NULL;
	json_int_t vlan = -1, qos = -1;

	if (jx_int(nc->doc, "", "vlan", 0, 4094, &vlan, e) < 0 ||
	    jx_int(nc->doc, "", "vlanQoS", 0, 7, &qos, e) < 0 ||
	    jx_string(nc->doc, "", "vlanProto", &proto, e) < 0)
		return -1;
	if (qos > 0 && vlan <= 0)
		return err_set(e, ERR_NETCONF, 0, "vlanQoS: %d needs a vlan above 0", (int)qos);
	if (proto && *proto) {
		if (strcasecmp(proto, "802.1ad") == 0)
			nc->vlan_proto = 0x88a8;
		else if (strcasecmp(proto, "802.1q") != 0)
			return err_set(e, ERR_NETCONF, 0,
				       "vlanProto: '%.32s' is neither 802.1q nor 802.1ad", proto);
		if (vlan < 0 || (nc->vlan_proto == 0x88a8 && vlan == 0))
			return err_set(e, ERR_NETCONF, 0, "vlanProto: %.32s needs a vlan", proto);
	}
	nc->vlan = (int)vlan;
	nc->vlan_qos = vlan >= 0 ? (qos > 0 ? (int)qos : 0) : -1;
	return 0;
}

bool netconf_has_port(const struct netconf *nc)
{
	return nc->port.present || nc->socket.sw.netdev;
}

/* What a VF's VLAN can do and a bridge port's cannot. */
static int check_port(const struct netconf *nc, struct err *e)
{
	if (!netconf_has_port(nc))
		return 0;
	if (nc->vlan_qos > 0)
		return err_set(e, ERR_NETCONF, 0,
			       "vlanQoS: %d: the port of a bridge has none", nc->vlan_qos);
	if (nc->vlan_proto != 0x8100)
		return err_set(e, ERR_NETCONF, 0,
			       "vlanProto: 802.1ad: on a bridge it is the bridge's own");
	return 0;
}

static int parse_onoff(const json_t *o, const char *key, enum onoff *ret, struct err *e)
{
	const char *v = NULL;

	if (jx_string(o, "", key, &v, e) < 0)
		return -1;
	if (!v || !*v)
		return 0;
	if (strcmp(v, "on") != 0 && strcmp(v, "off") != 0)
		return err_set(e, ERR_NETCONF, 0, "%s: '%.32s' is neither on nor off", key, v);
	*ret = v[1] == 'n' ? ONOFF_ON : ONOFF_OFF;
	return 0;
}

static int parse_link_state(struct netconf *nc, struct err *e)
{
	static const char *const names[] = { "", "auto", "enable", "disable" };
	const char *v = NULL;

	if (jx_string(nc->doc, "", "link_state", &v, e) < 0)
		return -1;
	for (size_t i = 0; v && i < ARRAY_SIZE(names); i++)
		if (strcmp(v, names[i]) == 0) {
			nc->link_state = (enum link_policy)i;
			return 0;
		}
	if (v)
		return err_set(e, ERR_NETCONF, 0,
			       "link_state: '%.32s' is none of auto, enable, disable", v);
	return 0;
}

static int parse_rates(struct netconf *nc, struct err *e)
{
	json_int_t min = -1, max = -1;

	if (jx_int(nc->doc, "", "min_tx_rate", 0, UINT32_MAX, &min, e) < 0 ||
	    jx_int(nc->doc, "", "max_tx_rate", 0, UINT32_MAX, &max, e) < 0)
		return -1;
	if (min > 0 && max > 0 && min > max)
		return err_set(e, ERR_NETCONF, 0, "min_tx_rate: %lld is above max_tx_rate %lld",
			       (long long)min, (long long)max);
	nc->min_tx_rate = min;
	nc->max_tx_rate = max;
	return 0;
}

/* An empty text is no address, in any place. */
static int parse_mac(struct netconf *nc, const json_t *rc, struct err *e)
{
	const char *runtime = NULL, *arg = NULL;

	if (jx_string(nc->doc, "", "mac", &nc->mac, e) < 0 ||
	    jx_string(rc, "runtimeConfig", "mac", &runtime, e) < 0 ||
	    jx_string(nc->args, "args.cni", "mac", &arg, e) < 0)
		return -1;
	if (arg && *arg)
		runtime = arg;
	nc->mac_is_runtime = runtime && *runtime;
	if (nc->mac_is_runtime)
		nc->mac = runtime;
	if (nc->mac && !*nc->mac)
		nc->mac = NULL;
	return 0;
}

static int parse_mtu(struct netconf *nc, struct err *e)
{
	json_int_t mtu = -1;

	if (jx_int(nc->doc, "", "mtu", 0, 65535, &mtu, e) < 0 ||
	    jx_int(nc->args, "args.cni", "mtu", 0, 65535, &mtu, e) < 0)
		return -1;
	nc->mtu = mtu > 0 ? mtu : -1;
	return 0;
}

/* How the device is driven meanwhile, and given back. */
static int parse_release(struct netconf *nc, struct err *e)
{
	const char *policy = NULL;

	if (take_name(nc->doc, "", "driver", name_is_file, "driver's name", &nc->driver, e) < 0 ||
	    jx_string(nc->doc, "", "releasePolicy", &policy, e) < 0 ||
	    jx_bool(nc->doc, "", "resetOnRelease", &nc->reset_on_release, e) < 0)
		return -1;
	nc->known_clean = policy && strcmp(policy, "known-clean") == 0;
	if (policy && *policy && !nc->known_clean && strcmp(policy, "restore") != 0)
		return err_set(e, ERR_NETCONF, 0,
			       "releasePolicy: '%.32s' is neither restore nor known-clean", policy);
	if (nc->driver && nc->mtu > 0)
		return err_set(e, ERR_NETCONF, 0,
			       "mtu: with driver %.64s there is no network device", nc->driver);
	return 0;
}

/* Other keys that would have to mean something else, or nothing, for a vDPA device. */
static int parse_vdpa(struct netconf *nc, struct err *e)
{
	struct vdpa_conf *v = &nc->vdpa;

	if (vdpa_conf_parse(nc->doc, &nc->vdpa, e) < 0)
		return -1;
	if (!v->present)
		return 0;
	if (nc->driver || nc->device)
		return err_set(e, ERR_NETCONF, 0, "%s: %.64s: not together with vdpa",
			       nc->driver ? "driver" : "device",
			       nc->driver ? nc->driver : nc->device);
	if (*v->mgmt_dev && nc->device_id && !vdpa_conf_is_mgmtdev(v, nc->device_id))
		return err_set(e, ERR_NETCONF, 0,
			       "deviceID '%.64s' and vdpa.mgmtdev '%s%s%s' contradict each other",
			       nc->device_id, v->mgmt_bus, *v->mgmt_bus ? "/" : "", v->mgmt_dev);
	return vdpa_conf_take_mtu(v, nc->mtu, e);
}

int netconf_check_dns(const json_t *dns, struct err *e)
{
	static const char *const lists[] = { "nameservers", "search", "options" };
	const char *domain;
	json_t *list;

	if (jx_string(dns, "dns", "domain", &domain, e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (jx_strings(dns, "dns", lists[i], &list, e) < 0)
			return -1;
	return 0;
}

/* Engines write the members of the capability as Go or as JSON spells them: Servers, servers. */
static json_t *runtime_list(const json_t *dns, const char *key)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)dns, name, v)
		if (strcasecmp(name, key) == 0 && !json_is_null(v))
			return v;
	return NULL;
}

/* The pod's own DNS (capability "dns") goes before the network's. */
static int parse_dns(struct netconf *nc, const json_t *rc, struct err *e)
{
	static const char *const keys[][2] = {
		{ "servers", "nameservers" }, { "searches", "search" }, { "options", "options" },
	};
	json_t *dns = NULL, *runtime = NULL;

	if (jx_object(nc->doc, "", "dns", &dns, e) < 0 || netconf_check_dns(dns, e) < 0 ||
	    jx_object(rc, "runtimeConfig", "dns", &runtime, e) < 0)
		return -1;
	if (dns)
		nc->dns = json_copy(dns);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		json_t *list = runtime_list(runtime, keys[i][0]);

		if (!list)
			continue;
		if (!nc->dns)
			nc->dns = json_object();
		(void)json_object_set(nc->dns, keys[i][1], list);
	}
	return runtime && netconf_check_dns(nc->dns, e) < 0 ? err_wrap(e, "runtimeConfig") : 0;
}

static int parse_addressing(struct netconf *nc, const json_t *rc, struct err *e)
{
	json_t *ipam = NULL;

	if (parse_mac(nc, rc, e) < 0 ||
	    parse_mtu(nc, e) < 0 ||
	    jx_object(nc->doc, "", "ipam", &ipam, e) < 0 ||
	    jx_string(ipam, "ipam", "type", &nc->ipam_type, e) < 0 ||
	    jx_string(rc, "runtimeConfig", "CNIDeviceInfoFile", &nc->device_info_file, e) < 0)
		return -1;
	if (nc->ipam_type && !*nc->ipam_type)
		nc->ipam_type = NULL;
	if (nc->ipam_type && !name_is_file(nc->ipam_type))
		return err_set(e, ERR_NETCONF, 0, "ipam.type: '%.64s' is no plugin's name",
			       nc->ipam_type);
	if (nc->device_info_file && !*nc->device_info_file)
		nc->device_info_file = NULL;
	return 0;
}

/* One plugin of a chain that we run: its type, and what we look at ourselves. */
static int check_delegate(const json_t *o, const char *path, struct err *e)
{
	json_t *ignored = NULL;
	const char *type = NULL;

	if (!json_is_object(o))
		return err_set(e, ERR_NETCONF, 0, "%s: expected an object, got %s", path,
			       jx_type_name(o));
	if (jx_string(o, path, "type", &type, e) < 0 ||
	    jx_object(o, path, "capabilities", &ignored, e) < 0 ||
	    jx_object(o, path, "runtimeConfig", &ignored, e) < 0)
		return -1;
	if (!type || !name_is_file(type))
		return err_set(e, ERR_NETCONF, 0, "%s.type: '%.64s' is no plugin's name", path,
			       type ? type : "");
	if (strcmp(type, "devinfo") == 0)
		return err_set(e, ERR_NETCONF, 0, "%s.type: devinfo cannot delegate to itself",
			       path);
	return 0;
}

static int parse_delegates(struct netconf *nc, struct err *e)
{
	json_t *one = NULL, *list = NULL;
	const json_t *v;
	char path[32] = "delegate";
	size_t i;

	if (jx_object(nc->doc, "", "delegate", &one, e) < 0 ||
	    jx_array(nc->doc, "", "delegates", &list, e) < 0)
		return -1;
	if (one && list)
		return err_set(e, ERR_NETCONF, 0, "delegate and delegates exclude each other");
	if (json_array_size(list) > DELEGATES_MAX)
		return err_set(e, ERR_NETCONF, 0, "delegates: %zu plugins are over %d",
			       json_array_size(list), DELEGATES_MAX);
	if (one)
		nc->delegates = json_pack("[O]", one);
	else if (json_array_size(list) > 0)
		nc->delegates = json_incref(list);
	json_array_foreach(nc->delegates, i, v) {
		if (list)
			(void)snprintf(path, sizeof(path), "delegates[%zu]", i);
		if (check_delegate(v, path, e) < 0)
			return -1;
	}
	return 0;
}

/* A GUID that is the pod's, not this configuration's, is for the plugin that made the interface. */
static int refuse_owner_keys(struct netconf *nc, struct err *e)
{
	bool meta = nc->position == POSITION_META;
	const struct key *k = keys_misplaced(nc->doc, meta ? AT_META : AT_CHAINED);

	nc->guid = 0;
	if (!k && nc->vdpa.present)	/* be it empty, it says what the device is */
		k = key_find(IN_NETWORK, "vdpa");
	return k ? err_set(e, ERR_NETCONF, 0, "%s: the interface is another plugin's here",
			   k->name) : 0;
}

/* That of an ADD: later on an owner has a prevResult as well. */
static int parse_position(struct netconf *nc, struct err *e)
{
	json_t *prev = NULL;

	if (parse_delegates(nc, e) < 0 || jx_object(nc->doc, "", "prevResult", &prev, e) < 0)
		return -1;
	nc->prev_result = prev;
	/* delegates of a socket attachment come behind it, as the rest of a conflist does */
	nc->position = nc->socket.kind ? POSITION_OWNER :
		       nc->delegates   ? POSITION_META :
		       prev	       ? POSITION_CHAINED :
					 POSITION_OWNER;
	return nc->position == POSITION_META ? refuse_owner_keys(nc, e) : 0;
}

int netconf_check(struct netconf *nc, struct err *e)
{
	json_t *rc = NULL;

	if (jx_object(nc->doc, "", "runtimeConfig", &rc, e) < 0 || take_args(nc, e) < 0)
		return -1;
	nc->runtime = rc;
	nc->selection = selection_from_runtime(rc);
	if (parse_device(nc, rc, e) < 0 || parse_wish(nc, e) < 0 || parse_vlan(nc, e) < 0 ||
	    bridge_port_conf_parse(nc->doc, &nc->port, e) < 0 ||
	    parse_onoff(nc->doc, "spoofchk", &nc->spoofchk, e) < 0 ||
	    parse_onoff(nc->doc, "trust", &nc->trust, e) < 0 || parse_link_state(nc, e) < 0 ||
	    parse_rates(nc, e) < 0 || parse_addressing(nc, rc, e) < 0 ||
	    netconf_infiniband(nc, rc, e) < 0 || parse_release(nc, e) < 0 ||
	    parse_vdpa(nc, e) < 0 || netconf_socket(nc, e) < 0 || netconf_switch(nc, e) < 0 ||
	    check_port(nc, e) < 0)
		return -1;
	if (parse_position(nc, e) < 0)
		return -1;
	/* who has made the interface has been told of the pod's DNS himself */
	return parse_dns(nc, nc->position == POSITION_OWNER ? rc : NULL, e);
}

/* Where netconf_check() takes unknown members, as an attachment of an earlier version may have. */
static int refuse_unknown(const struct netconf *nc, struct err *e)
{
	const json_t *o;
	char path[32];
	size_t i;

	json_array_foreach(json_object_get(nc->doc, "trunk"), i, o) {
		(void)snprintf(path, sizeof(path), "trunk[%zu]", i);
		if (keys_check_members(o, path, e) < 0)
			return -1;
	}
	return keys_check_members(json_object_get(nc->doc, "vdpa"), "vdpa", e);
}

int netconf_attachment(struct netconf *nc, struct err *e)
{
	if (netconf_check(nc, e) < 0 || refuse_unknown(nc, e) < 0 || refuse_overruled(nc, e) < 0 ||
	    netconf_ib_kubernetes(nc, e) < 0 ||
	    netconf_socket_attachment(nc, e) < 0)
		return -1;
	if (nc->position != POSITION_OWNER)
		return refuse_owner_keys(nc, e);
	/* said before anything is done: such a result cannot be without an address */
	if (nc->version <= CNI_0_2_0 && !nc->ipam_type)
		return err_set(e, ERR_NETCONF, 0,
			       "ipam: a result of cniVersion %s needs an address",
			       cni_version_name(nc->version));
	return 0;
}

void netconf_done(struct netconf *nc)
{
	json_decref(nc->doc);
	json_decref(nc->delegates);
	json_decref(nc->dns);
	json_decref(nc->selection);
	json_decref(nc->args);
	nc->doc = nc->delegates = nc->dns = nc->selection = nc->args = NULL;
}

bool netconf_names_device(const struct netconf *nc)
{
	return nc->device_id || nc->device || *nc->vdpa.mgmt_dev || nc->socket.kind;
}
