/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netconf_parts.h - the subjects of a network configuration, each with its keys in a file
 *
 * conf/keys.c lists the keys.  Each function is a part of what netconf_check(),
 * netconf_attachment() or netconf_recall_switch() does: tables in conf/netconf.c have their order,
 * and a part may go by what those before it have found.
 */
#ifndef CONF_NETCONF_PARTS_H
#define CONF_NETCONF_PARTS_H

#include "conf/key.h"
#include "conf/netconf.h"

typedef int netconf_part_fn(struct netconf *nc, struct err *e);

/* -- netconf_pod.c -- */

extern const struct conf_key runtime_keys[], pod_keys[], pod_override_key[];

/* nc->runtime, nc->by_runtime and nc->selection. */
int netconf_runtime(struct netconf *nc, struct err *e) must_check;

/* nc->args and nc->overruled, and in nc->by_pod what is left of the pod's wishes. */
int netconf_pod(struct netconf *nc, struct err *e) must_check;

/* For an ADD. */
int netconf_refuse_overruled(struct netconf *nc, struct err *e) must_check;

/* -- netconf_device.c -- */

extern const struct conf_key device_id_keys[], device_keys[];

int netconf_device(struct netconf *nc, struct err *e) must_check;

/* -- netconf_vf.c -- */

extern const struct conf_key vf_keys[];

int netconf_vf(struct netconf *nc, struct err *e) must_check;

/* With nc->port vlan is the port's, which cannot do all that a VF's can. */
int netconf_port(struct netconf *nc, struct err *e) must_check;

/* -- netconf_infiniband.c -- */

extern const struct conf_key infiniband_keys[];

/* For rows: a GUID that a port may have. */
#define NETCONF_GUID_MUST "8 octets with colons between them, not all 00 and not all ff"
bool netconf_take_guid(const char *text, void *ret);

/* guid, pkey and rdmaIsolation. */
int netconf_infiniband(struct netconf *nc, struct err *e) must_check;

/* For an ADD: that is another controller's work, which may just not be done yet. */
int netconf_ib_kubernetes(struct netconf *nc, struct err *e) must_check;

/* -- netconf_interface.c -- */

extern const struct conf_key release_keys[], interface_keys[], ipam_keys[], dns_keys[];

/* Addresses, MTU, driver, vDPA device: what the interface is, and how it is given back. */
int netconf_interface(struct netconf *nc, struct err *e) must_check;

/* nc->dns; of an interface of ours the pod's own (capability "dns") goes before the network's. */
int netconf_dns(struct netconf *nc, struct err *e) must_check;

/* -- netconf_socket.c -- */

/* With nc->socket vlan and trunk are the switch port's, which somebody has to make. */
int netconf_socket(struct netconf *nc, struct err *e) must_check;

/* A switch without a socket: the representor becomes its port.  After netconf_socket(). */
int netconf_switch(struct netconf *nc, struct err *e) must_check;

/* For an ADD: nobody has made an interface before, and it is said, or will be, who listens. */
int netconf_socket_attachment(struct netconf *nc, struct err *e) must_check;

#endif
