/* SPDX-License-Identifier: Apache-2.0 */
/* ovs_row.c - what an attachment's rows in the database of Open vSwitch look like */
#include "cni/switch/ovs_row.h"

#include "base/fs.h"
#include "base/name.h"
#include "cni/switch/ovsdb_op.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_MS = 5000 }; /* where no configuration says another */

struct deadline ovs_time(const struct switch_conf *conf)
{
	return deadline_in(conf && conf->timeout_ms ? conf->timeout_ms : TIMEOUT_MS);
}

json_t *ovs_owned_by(const struct owner *o)
{
	return json_pack("[[s, s, [s, [[s, s], [s, s]]]]]", "external_ids", "includes", "map",
			 OVS_KEY_CONTAINER, o->container_id, OVS_KEY_IFNAME, o->ifname);
}

json_t *ovs_of_same(const struct ovs_port *p)
{
	char node[OVS_NODE_TEXT];

	ovs_node(p->host, node);
	return json_pack("[[s, s, [s, [[s, s], [s, s]]]]]", "external_ids", "includes", "map",
			 OVS_KEY_NODE, node, p->of_key, p->of);
}

json_t *ovs_at_path(const struct ovs_port *p)
{
	return json_pack("[[s, s, [s, [[s, s]]]]]", "options", "includes", "map",
			 "vhost-server-path", p->path ? p->path : "");
}

static bool says(const json_t *row, const char *key, const char *value)
{
	const char *have = ovsdb_map_get(row, "external_ids", key);

	return have && strcmp(have, value) == 0;
}

bool ovs_is_replaced(const json_t *row, const struct ovs_port *p)
{
	char node[OVS_NODE_TEXT];

	ovs_node(p->host, node);
	return (says(row, OVS_KEY_CONTAINER, p->owner->container_id) &&
		says(row, OVS_KEY_IFNAME, p->owner->ifname)) ||
	       (says(row, OVS_KEY_NODE, node) && says(row, p->of_key, p->of));
}

/* systemd-machine-id-setup(1) has not made one yet, or there is no systemd. */
static bool has_machine_id(const struct host *host, char *ret, size_t size)
{
	struct err ignored;

	return fs_read_line(host->root, ret, size, &ignored, "/etc/machine-id") > 0 && *ret &&
	       strcmp(ret, "uninitialized") != 0;
}

void ovs_node(const struct host *host, char ret[OVS_NODE_TEXT])
{
	char id[256];

	if (!has_machine_id(host, id, sizeof(id)) && gethostname(id, sizeof(id)) < 0)
		*id = '\0';
	id[sizeof(id) - 1] = '\0';
	(void)snprintf(ret, OVS_NODE_TEXT, "%016llx",
		       (unsigned long long)name_hash(name_hash(0, id), host->set.state_dir));
}

static json_t *external_ids(const struct ovs_port *p)
{
	char node[OVS_NODE_TEXT], mac[MAC_TEXT];
	json_t *ids;

	ovs_node(p->host, node);
	ids = json_pack("[[s, s], [s, s], [s, s], [s, s], [s, s]]", OVS_KEY_CONTAINER,
			p->owner->container_id, OVS_KEY_IFNAME, p->owner->ifname, OVS_KEY_NETWORK,
			p->owner->network, OVS_KEY_NODE, node, p->of_key, p->of);
	if (p->mac)
		(void)json_array_append_new(
			ids, json_pack("[s, s]", "attached-mac", mac_format(p->mac, mac)));
	return json_pack("[s, o]", "map", ids);
}

json_t *ovs_interface_row(const struct ovs_port *p)
{
	json_t *row = json_pack("{s:s, s:s, s:o}", "name", p->name, "type",
				p->type, "external_ids", external_ids(p));

	if (p->path)
		(void)json_object_set_new(
			row, "options",
			json_pack("[s, [[s, s]]]", "map", "vhost-server-path", p->path));
	if (p->mtu > 0)
		(void)json_object_set_new(row, "mtu_request", json_integer(p->mtu));
	return row;
}

static bool has_trunk(const struct ovs_port *p)
{
	return p->trunk && !idset_empty(p->trunk);
}

/*
 * How frames of `vlan` go to the application: without a tag.  A port with a trunk as well must say
 * so, for OVS takes one with a tag for an access port and then leaves the trunk alone.
 */
const char *ovs_vlan_mode(const struct ovs_port *p)
{
	return p->vlan > 0 && has_trunk(p) ? "native-untagged" : NULL;
}

json_t *ovs_port_row(const struct ovs_port *p)
{
	json_t *row = json_pack("{s:s, s:[s, s], s:o}", "name", p->name, "interfaces",
				"named-uuid", "iface", "external_ids", external_ids(p));

	if (p->vlan > 0)
		(void)json_object_set_new(row, "tag", json_integer(p->vlan));
	if (has_trunk(p))
		(void)json_object_set_new(row, "trunks",
					  json_pack("[s, o]", "set", switch_trunk_ids(p->trunk)));
	if (ovs_vlan_mode(p))
		(void)json_object_set_new(row, "vlan_mode", json_string(ovs_vlan_mode(p)));
	return row;
}

int ovs_check_bridge(const json_t *row, const char *name, bool netdev, struct err *e)
{
	const char *type = ovsdb_string(row, "datapath_type");
	bool in_kernel = !type || strcmp(type, "netdev") != 0;

	if (!row)
		return err_set(e, ERR_DEVICE, 0, "Open vSwitch has no bridge '%s'", name);
	if (in_kernel == netdev)
		return 0;
	return err_set(e, ERR_DEVICE, 0,
		       "bridge '%s' of Open vSwitch has datapath_type '%s': %s '%s'", name,
		       type && *type ? type : "system",
		       netdev ? "a representor needs" : "vhost-user needs",
		       netdev ? "system" : "netdev");
}

/* Take ports, an array of uuids, out of their bridges: without one, the database drops them. */
int ovs_take_out(struct ovsdb *db, json_t *uuids, const struct deadline *d, json_int_t *cfg,
		 struct err *e)
{
	json_auto_t *results = NULL;
	json_t *ops = json_array();

	(void)json_array_append_new(
		ops, op_mutate("Bridge", json_array(),
			       json_pack("[s, s, [s, o]]", "ports", "delete", "set", uuids)));
	op_add_bump(ops);
	if (op_run(db, ops, d, &results, e) < 0)
		return -1;
	*cfg = op_bumped(results);
	return 0;
}
