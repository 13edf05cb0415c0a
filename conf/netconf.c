/* SPDX-License-Identifier: Apache-2.0 */
/* netconf.c - the plugin's configuration from stdin */
#include "conf/netconf.h"

#include "base/jx.h"
#include "base/name.h"
#include "conf/keys.h"
#include "conf/netconf_parts.h"
#include "conf/settings.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static int parse_version(struct netconf *nc, struct err *e)
{
	const json_t *version = json_object_get(nc->doc, "cniVersion");

	if (version && !json_is_string(version))
		return err_set(e, ERR_DECODE, 0, "cniVersion: expected a string, got %s",
			       jx_type_name(version));
	/* absent means 0.1.0, from before the key was there */
	return cni_version_parse(version && json_string_length(version) ? json_string_value(version)
									: "0.1.0",
				 &nc->version, e);
}

/* name and cniVersion, in the order and with the codes of the CNI specification. */
static int parse_head(struct netconf *nc, struct err *e)
{
	struct err of_version;
	int version = parse_version(nc, &of_version);
	const char *name = NULL;

	if (jx_string(nc->doc, "", "name", &name, e) < 0)
		return -1;
	if (!name || !*name)
		return err_set(e, ERR_NETCONF, 0, "missing network name");
	if (!name_is_cni_id(name))
		return err_set(e, ERR_NETCONF, 0,
			       "invalid name '%.64s': must be of [a-zA-Z0-9_.-], with a "
			       "letter or digit first", name);
	nc->name = name;
	if (version < 0)
		*e = of_version;
	return version;
}

int netconf_parse(const char *text, size_t len, struct netconf *ret, struct err *e)
{
	struct netconf nc = {
		.vlan = -1, .vlan_qos = -1, .vlan_proto = 0x8100,
		.min_tx_rate = -1, .max_tx_rate = -1, .mtu = -1,
		.version = CNI_1_1_0,
	};

	ret->version = nc.version;
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
	ret->version = nc.version;	/* which the error is told in */
	netconf_done(&nc);
	return -1;
}

int netconf_settings(struct netconf *nc, struct settings *ret, struct err *e)
{
	struct err later;	/* the first is the one to tell */
	int r = settings_take(nc->doc, IN_NETWORK, ret, e);

	nc->node_may_override = ret->pod_may_override;
	return keys_check_network(nc->doc, r < 0 ? &later : e) < 0 ? -1 : r;
}

/* -- our place in the chain -- */

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
		return err_set(e, ERR_NETCONF, 0, "invalid %s.type '%.64s': must be the name of a "
			       "plugin", path, type ? type : "");
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
		return err_set(e, ERR_NETCONF, 0, "delegates: expected at most %d plugins, got %zu",
			       DELEGATES_MAX, json_array_size(list));
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

int netconf_delegates(struct netconf *nc, struct err *e)
{
	const json_t *runtime = json_object_get(nc->doc, "runtimeConfig");

	nc->runtime = json_is_object(runtime) ? runtime : NULL;
	return parse_delegates(nc, e);
}

/* Those that say something, and vdpa even when it is empty: it says what the device is. */
static bool has_misplaced(const struct netconf *nc, enum key_place place, char ret[KEY_NAME_MAX])
{
	if (keys_misplaced(nc->doc, place, ret))
		return true;
	(void)snprintf(ret, KEY_NAME_MAX, "vdpa");
	return nc->vdpa.present;
}

static int refuse_owner_keys(struct netconf *nc, struct err *e)
{
	bool meta = nc->position == POSITION_META;
	char name[KEY_NAME_MAX];

	nc->guid = 0;	/* the pod's is for the plugin that made the interface */
	return has_misplaced(nc, meta ? AT_META : AT_CHAINED, name) ?
		       err_set(e, ERR_NETCONF, 0, "%s: the interface is another plugin's here",
			       name) : 0;
}

static int refuse_device_keys(struct netconf *nc, struct err *e)
{
	char name[KEY_NAME_MAX];

	return nc->socket.kind && has_misplaced(nc, AT_SOCKET, name) ?
		       err_set(e, ERR_NETCONF, 0, "%s: not together with %s", name,
			       nc->socket.key) : 0;
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

/* -- the parts in their order -- */

static int do_parts(netconf_part_fn *const *part, size_t n, struct netconf *nc, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (part[i](nc, e) < 0)
			return -1;
	return 0;
}

/* One that somebody has tried by hand: an engine gives each plugin its own. */
static int refuse_list(struct netconf *nc, struct err *e)
{
	const json_t *plugins = json_object_get(nc->doc, "plugins");

	if (!json_is_array(plugins) || json_object_get(nc->doc, "type"))
		return 0;
	(void)err_set(e, ERR_NETCONF, 0, "plugins: expected the configuration of one plugin, got a "
		      "list (conflist) of %zu", json_array_size(plugins));
	return err_detail(e, "give devinfo its own element of plugins, with cniVersion and name of "
			  "the list");
}

static int check_objects(struct netconf *nc, struct err *e)
{
	return keys_check_objects(nc->doc, MEMBERS_OURS, e);
}

static int parse_bridge_port(struct netconf *nc, struct err *e)
{
	return bridge_port_conf_parse(nc->doc, &nc->port, e);
}

static int parse_socket(struct netconf *nc, struct err *e)
{
	return socket_conf_parse(nc->doc, &nc->socket, e);
}

/* Nobody has said anything yet; and ipam.type may be in any case, as its plugin reads it. */
static void begin(struct netconf *nc)
{
	nc->by_runtime = nc->by_pod = (struct netconf_wish){ .mtu = -1 };
	keys_fold_objects(nc->doc);
}

int netconf_check(struct netconf *nc, struct err *e)
{
	static netconf_part_fn *const parts[] = {
		refuse_list, netconf_runtime, check_objects, netconf_pod, netconf_device,
		netconf_vf, parse_bridge_port, netconf_infiniband, netconf_interface, parse_socket,
		refuse_device_keys, netconf_socket, netconf_switch, netconf_port, parse_position,
		netconf_dns,
	};

	begin(nc);
	return do_parts(parts, ARRAY_SIZE(parts), nc, e);
}

static int recall_socket(struct netconf *nc, struct err *e)
{
	return socket_conf_recall(nc->doc, &nc->socket, e);
}

int netconf_recall_switch(struct netconf *nc, struct err *e)
{
	static netconf_part_fn *const parts[] = {
		netconf_pod, netconf_vf, parse_bridge_port, netconf_interface, recall_socket,
		netconf_socket,
	};
	struct err all = { .code = ERR_OK }, one;

	begin(nc);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i](nc, &one) < 0)
			err_join(&all, &one);
	return err_joined(&all, e);
}

/* Where netconf_check() takes unknown members, as an attachment of an earlier version may have. */
static int refuse_unknown(struct netconf *nc, struct err *e)
{
	return keys_check_objects(nc->doc, MEMBERS_OURS_AT_ADD, e);
}

/* {} is how one says that there is none; what is in it was meant for a plugin. */
static int refuse_untyped_ipam(struct netconf *nc, struct err *e)
{
	json_t *ipam = nc->ipam_type ? NULL : json_object_get(nc->doc, "ipam"), *v;
	const char *key;

	json_object_foreach(ipam, key, v) {
		if (json_is_null(v) || strcasecmp(key, "type") == 0)
			continue;
		(void)err_set(e, ERR_NETCONF, 0, "ipam.type: missing, and ipam has %.64s", key);
		return err_detail(e,
				  "type names the IPAM plugin; without one ipam is {} or absent");
	}
	return 0;
}

static int check_place(struct netconf *nc, struct err *e)
{
	if (nc->position != POSITION_OWNER)
		return refuse_owner_keys(nc, e);
	if (nc->device_optional)
		return err_set(e, ERR_NETCONF, 0,
			       "deviceOptional: there is no other plugin's interface to pass on");
	/* said before anything is done: such a result cannot be without an address */
	if (nc->version <= CNI_0_2_0 && !nc->ipam_type)
		return err_set(e, ERR_NETCONF, 0,
			       "ipam: a result of cniVersion %s needs an address",
			       cni_version_name(nc->version));
	return 0;
}

int netconf_attachment(struct netconf *nc, struct err *e)
{
	static netconf_part_fn *const parts[] = {
		netconf_check, refuse_unknown, refuse_untyped_ipam, netconf_refuse_overruled,
		netconf_ib_kubernetes, netconf_socket_attachment, check_place,
	};

	return do_parts(parts, ARRAY_SIZE(parts), nc, e);
}

bool netconf_names_device(const struct netconf *nc)
{
	return nc->device_id || nc->device || *nc->vdpa.mgmt_dev || nc->socket.kind;
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
