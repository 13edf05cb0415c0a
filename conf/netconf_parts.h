/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netconf_parts.h - the subjects of a network configuration, each with its keys in a file of its
 * own
 *
 * conf/keys.c lists the keys.  Each function is a step of netconf_check(), netconf_attachment() or
 * netconf_recall_switch(): tables in conf/netconf.c have their order, and a step may use what those
 * before it have read.
 */
#ifndef CONF_NETCONF_PARTS_H
#define CONF_NETCONF_PARTS_H

#include "conf/key.h"
#include "conf/netconf.h"

typedef int netconf_part_fn(struct netconf *nc, struct err *e);

/* -- netconf_pod.c -- */

extern const struct conf_key runtime_keys[], pod_keys[], about_pod_keys[];

/* Read nc->runtime, nc->by_runtime and nc->selection. */
int netconf_runtime(struct netconf *nc, struct err *e) must_check;

/* Read nc->args, nc->overruled and, without overruled keys, nc->by_pod. */
int netconf_pod(struct netconf *nc, struct err *e) must_check;

/* For an ADD: ERR_NETCONF when nc->overruled is set. */
int netconf_refuse_overruled(struct netconf *nc, struct err *e) must_check;

/* -- netconf_device.c -- */

extern const struct conf_key device_id_keys[], device_keys[];

int netconf_device(struct netconf *nc, struct err *e) must_check;

/* -- netconf_vf.c -- */

extern const struct conf_key vf_keys[];

int netconf_vf(struct netconf *nc, struct err *e) must_check;

/* Check nc->port: with it vlan is that port's, which supports less than a VF's. */
int netconf_port(struct netconf *nc, struct err *e) must_check;

/* -- netconf_infiniband.c -- */

extern const struct conf_key infiniband_keys[];

/* For rows: accept a GUID that a port may have. */
#define NETCONF_GUID_MUST "8 octets with colons between them, not all 00 and not all ff"
bool netconf_take_guid(const char *text, void *ret);

/* Read guid, pkey and rdmaIsolation. */
int netconf_infiniband(struct netconf *nc, struct err *e) must_check;

/* For an ADD: check the work of ib-kubernetes, which may not have been done yet. */
int netconf_ib_kubernetes(struct netconf *nc, struct err *e) must_check;

/* -- netconf_interface.c -- */

extern const struct conf_key release_keys[], interface_keys[], ipam_keys[], dns_keys[];

/* Read addresses, MTU, driver, the vDPA device and how the device is released. */
int netconf_interface(struct netconf *nc, struct err *e) must_check;

/*
 * Read nc->dns; for an interface of ours the runtime's (capability "dns") wins over the network's.
 */
int netconf_dns(struct netconf *nc, struct err *e) must_check;

/* -- netconf_socket.c -- */

/*
 * Read nc->socket; with it vlan and trunk are the switch port's, and something must make that port.
 */
int netconf_socket(struct netconf *nc, struct err *e) must_check;

/* Read a switch without a socket: the representor becomes its port.  After netconf_socket(). */
int netconf_switch(struct netconf *nc, struct err *e) must_check;

/*
 * For an ADD of a socket: no plugin before us made an interface, and it is known, or will be, which
 * side listens.
 */
int netconf_socket_attachment(struct netconf *nc, struct err *e) must_check;

#endif
