/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netconf_parts.h - the subjects of a network configuration, each with its keys in a file of its
 * own; conf/keys.c lists them, and netconf_check() and netconf_attachment() call them
 */
#ifndef CONF_NETCONF_PARTS_H
#define CONF_NETCONF_PARTS_H

#include "conf/key.h"
#include "conf/netconf.h"

/* What the runtime passes on, or the pod says, of what networks have keys for; NULL, 0, -1: not. */
struct wish {
	const char *device_id, *resource, *mac, *device_info_file;
	int64_t mtu;
	uint64_t guid;
	const json_t *dns;
};
#define WISH_NONE { .mtu = -1 }

/* -- netconf_pod.c -- */

extern const struct conf_key runtime_keys[], pod_keys[], pod_override_key[];

/* nc->args and nc->overruled, and what is left of the pod's wishes. */
int netconf_pod(struct netconf *nc, struct wish *ret, struct err *e) must_check;

/* For an ADD. */
int netconf_refuse_overruled(const struct netconf *nc, struct err *e) must_check;

/* -- netconf_device.c -- */

extern const struct conf_key device_id_keys[], device_keys[];

int netconf_device(struct netconf *nc, const struct wish *runtime, const struct wish *pod,
		   struct err *e) must_check;

/* -- netconf_vf.c -- */

extern const struct conf_key vf_keys[];

int netconf_vf(struct netconf *nc, struct err *e) must_check;

/* With nc->port vlan is the port's, which cannot do all that a VF's can. */
int netconf_port(const struct netconf *nc, struct err *e) must_check;

/* -- netconf_infiniband.c -- */

extern const struct conf_key infiniband_keys[];

/* For rows: a GUID that a port may have. */
#define NETCONF_GUID_MUST "8 octets with colons between them, not all 00 and not all ff"
bool netconf_take_guid(const char *text, void *ret);

/* guid, pkey and rdmaIsolation. */
int netconf_infiniband(struct netconf *nc, const struct wish *runtime, const struct wish *pod,
		       struct err *e) must_check;

/* For an ADD: that is another controller's work, which may just not be done yet. */
int netconf_ib_kubernetes(const struct netconf *nc, struct err *e) must_check;

/* -- netconf_interface.c -- */

extern const struct conf_key release_keys[], interface_keys[], ipam_keys[], dns_keys[];

/* Addresses, MTU, driver, vDPA device: what the interface is, and how it is given back. */
int netconf_interface(struct netconf *nc, const struct wish *runtime, const struct wish *pod,
		      struct err *e) must_check;

/* nc->dns; the pod's own (capability "dns", NULL: none) goes before the network's. */
int netconf_dns(struct netconf *nc, const json_t *runtime, struct err *e) must_check;

/* -- netconf_socket.c -- */

/* With nc->socket vlan and trunk are the switch port's, which somebody has to make. */
int netconf_socket(struct netconf *nc, struct err *e) must_check;

/* For an ADD: nobody has made an interface before, and it is said, or will be, who listens. */
int netconf_socket_attachment(const struct netconf *nc, struct err *e) must_check;

/* -- netconf_switch.c -- */

/* A switch without a socket: the representor becomes its port.  After netconf_socket(). */
int netconf_switch(struct netconf *nc, struct err *e) must_check;

#endif
