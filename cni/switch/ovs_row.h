/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ovs_row.h - what an attachment's rows in the database of Open vSwitch look like
 *
 * Each function that returns JSON returns a new reference.
 */
#ifndef CNI_SWITCH_OVS_ROW_H
#define CNI_SWITCH_OVS_ROW_H

#include "cni/switch/ovs_port.h"
#include "cni/switch/ovsdb.h"

/* These are the keys of external_ids, in the rows of port and interface. */
#define OVS_KEY_CONTAINER	"devinfo.container-id"
#define OVS_KEY_IFNAME		"devinfo.ifname"
#define OVS_KEY_NETWORK		"devinfo.network"
#define OVS_KEY_NODE		"devinfo.node"
#define OVS_KEY_SOCKET		"devinfo.socket"	/* its path, as the host sees it */
#define OVS_KEY_DEVICE		"devinfo.device"	/* or that of the representor */

#define OVS_NODE_TEXT	17	/* bytes of a node's name, with NUL */

/*
 * Name the node, and its journal: a database that several have in common, or two installations on
 * one, tells by it whose ports are whose.  It is the same in every boot.
 */
void ovs_node(const struct host *host, char ret[OVS_NODE_TEXT]);

/* Return the time that all of a call has; conf may be NULL. */
struct deadline ovs_time(const struct switch_conf *conf);

/* Make the condition that a port is the attachment's. */
json_t *ovs_owned_by(const struct owner *o);

/* Make the condition that a port is this node's and of the same thing, be it another's. */
json_t *ovs_of_same(const struct ovs_port *p);
/* Make the condition that an interface connects to the path that the application has. */
json_t *ovs_at_path(const struct ovs_port *p);
/* Does an interface's row say that its port is of the first two, which ADD replaces? */
bool ovs_is_replaced(const json_t *row, const struct ovs_port *p);

/* Say how frames of `vlan` go to the application, where that has to be said; or return NULL. */
const char *ovs_vlan_mode(const struct ovs_port *p);

json_t *ovs_interface_row(const struct ovs_port *p);
/* Make the row of a port; its interface is what the same transaction inserts as "iface". */
json_t *ovs_port_row(const struct ovs_port *p);

/*
 * Check a bridge's row, NULL when there is none: can it have ports of sockets, or of network
 * devices?  ERR_DEVICE when not.
 */
int ovs_check_bridge(const json_t *row, const char *name, bool netdev, struct err *e) must_check;

/*
 * Take ports, an array of uuids that is taken over, out of their bridges: without one, the database
 * drops them.  *cfg is the number that cur_cfg reaches when ovs-vswitchd has followed.
 */
int ovs_take_out(struct ovsdb *db, json_t *uuids, const struct deadline *d, json_int_t *cfg,
		 struct err *e) must_check;

#endif
