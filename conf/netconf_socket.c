/* SPDX-License-Identifier: Apache-2.0 */
/* netconf_socket.c - a socket, and a switch, among the other keys of a configuration */
#include "conf/netconf_parts.h"

#include "base/jx.h"
#include "conf/selection.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { MTU_MIN = 68 };			/* of RFC 791, and Open vSwitch's */

/* There may be a device plugin's file to say which side listens. */
static bool is_said_by_plugin(const struct netconf *nc)
{
	return nc->device_id || nc->resource || nc->claim || nc->request || nc->pinned;
}

int netconf_socket(struct netconf *nc, struct err *e)
{
	int vlan = nc->socket.vlan;

	if (nc->socket.kind == SOCKET_NONE)
		return 0;
	if (!is_said_by_plugin(nc))
		socket_conf_default(&nc->socket);
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
		return err_set(e, ERR_NETCONF, 0, "mtu: expected an integer of %d to 65535, got %d",
			       MTU_MIN, (int)nc->mtu);
	nc->port.present = false;	/* of a representor, which there is none of */
	return 0;
}

int netconf_switch(struct netconf *nc, struct err *e)
{
	if (!nc->socket.sw.netdev)
		return 0;
	if (nc->port.bridges > 0)
		return err_set(e, ERR_NETCONF, 0,
			       "bridge: not together with switch, whose bridge is switch.bridge");
	nc->port.present = false;	/* vlan and trunk are set by Open vSwitch */
	return 0;
}

int netconf_socket_attachment(struct netconf *nc, struct err *e)
{
	if (nc->socket.kind == SOCKET_NONE)
		return 0;
	if (nc->prev_result)
		return err_set(e, ERR_NETCONF, 0,
			       "%s: the interface is another plugin's here, and a socket has none",
			       nc->socket.key);
	if (nc->socket.side == SOCKET_SIDE_UNSET && !is_said_by_plugin(nc))
		return err_set(e, ERR_NETCONF, 0,
			       "%s: missing, and there is no device plugin's file to say it",
			       nc->socket.side_key);
	return 0;
}

int netconf_find_names(struct netconf *nc, int root, struct err *e)
{
	return socket_conf_find_group(&nc->socket, root, e);
}

/* What a pod's annotations say is the pod's, and no plugin needs it to undo what it did. */
static void hide_annotations(json_t *doc)
{
	const char *key;
	json_t *v;

	json_object_foreach(doc, key, v)
		if (strcasecmp(key, "runtimeConfig") == 0)
			(void)json_object_del(v, POD_ANNOTATIONS);
}

int netconf_hide_secrets(const struct netconf *nc, const char *text, char **ret, struct err *e)
{
	json_auto_t *doc = NULL;
	size_t len;

	if (!nc->socket.secret && !json_object_get(nc->runtime, POD_ANNOTATIONS))
		return 0;
	doc = jx_parse(text, strlen(text), ERR_DECODE, "network configuration", e);
	if (!doc)
		return -1;
	socket_conf_hide_secret(doc);
	hide_annotations(doc);
	*ret = jx_dump(doc, &len);
	return 1;
}
