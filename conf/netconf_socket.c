/* SPDX-License-Identifier: Apache-2.0 */
/* netconf_socket.c - a socket attachment among the other keys of a configuration */
#include "conf/netconf_parts.h"

#include <stdbool.h>

enum { MTU_MIN = 68 };			/* of RFC 791, and Open vSwitch's */

/* Of a device or its representor; the port's bridge is the switch's. */
static const char *const device_keys[] = {
	"bridge", "setUplinkVlan", "spoofchk", "trust", "link_state", "min_tx_rate", "max_tx_rate",
	"vlanQoS", "vlanProto", "guid", "pkey", "rdmaIsolation", "ibKubernetesEnabled", "device",
	"driver", "releasePolicy", "resetOnRelease", "vdpa",
};

/* Not what says nothing: null, "", false, {} and []. */
static bool says_something(const json_t *v)
{
	if (json_is_string(v))
		return json_string_length(v) > 0;
	if (json_is_object(v) || json_is_array(v))
		return json_object_size(v) + json_array_size(v) > 0;
	return json_is_number(v) || json_is_true(v);
}

static int refuse_device_keys(const struct netconf *nc, struct err *e)
{
	const char *kind = socket_kind_key(nc->socket.kind);

	for (size_t i = 0; i < ARRAY_SIZE(device_keys); i++)
		if (says_something(json_object_get(nc->doc, device_keys[i])))
			return err_set(e, ERR_NETCONF, 0, "%s: not together with %s",
				       device_keys[i], kind);
	/* be it empty, it says what the device is */
	return nc->vdpa.present ? err_set(e, ERR_NETCONF, 0, "vdpa: not together with %s", kind) :
				  0;
}

/* vlan and trunk are the switch port's, which somebody has to make. */
static int take_port(struct netconf *nc, struct err *e)
{
	int vlan = nc->socket.vlan;

	if (vlan >= 0 && nc->vlan >= 0 && vlan != nc->vlan)
		return err_set(e, ERR_NETCONF, 0,
			       "vlan %d and host.bridge.vlanId %d contradict each other", nc->vlan,
			       vlan);
	if (vlan >= 0)
		nc->vlan = vlan;
	if (nc->socket.sw.kind == SWITCH_NONE && (nc->vlan >= 0 || nc->port.present))
		return err_set(e, ERR_NETCONF, 0, "%s: of the switch's port, needs a switch",
			       nc->vlan >= 0 ? "vlan" : "trunk");
	if (nc->mtu > 0 && nc->mtu < MTU_MIN)
		return err_set(e, ERR_NETCONF, 0, "mtu: %d is not in %d..65535", (int)nc->mtu,
			       MTU_MIN);
	nc->port.present = false;	/* of a representor, which there is none of */
	return 0;
}

int netconf_socket(struct netconf *nc, struct err *e)
{
	if (socket_conf_parse(nc->doc, &nc->socket, e) < 0)
		return -1;
	if (nc->socket.kind == SOCKET_NONE)
		return 0;
	return refuse_device_keys(nc, e) < 0 ? -1 : take_port(nc, e);
}

int netconf_socket_attachment(const struct netconf *nc, struct err *e)
{
	const char *kind = socket_kind_key(nc->socket.kind);

	if (nc->socket.kind == SOCKET_NONE)
		return 0;
	if (nc->prev_result)
		return err_set(e, ERR_NETCONF, 0,
			       "%s: the interface is another plugin's here, and a socket has none",
			       kind);
	if (nc->socket.side == SOCKET_SIDE_UNSET && !nc->device_id && !nc->resource && !nc->claim &&
	    !nc->request && !nc->pinned)
		return err_set(e, ERR_NETCONF, 0,
			       "%s.%s: missing, and there is no device plugin's file to say it",
			       kind, nc->socket.kind == SOCKET_MEMIF ? "role" : "mode");
	return 0;
}
