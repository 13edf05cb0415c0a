/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ovs_port.h - an attachment's port of Open vSwitch, through its database
 *
 * These are the functions of switch.h, where the switch is Open vSwitch; errors and bounds are told
 * there.  They need not know whether the port is of a socket or of a network device.
 */
#ifndef CNI_SWITCH_OVS_PORT_H
#define CNI_SWITCH_OVS_PORT_H

#include "base/deadline.h"
#include "cni/switch/switch_port.h"

/* This is all that the database is told of a port, borrowed.  detach needs the first six. */
struct ovs_port {
	const struct host *host;
	const struct owner *owner;
	const struct switch_conf *conf;	/* NULL: not known */
	const char *db;			/* the path of the database's socket */
	const char *name;		/* of the port, and of its one interface */
	bool rebooted;			/* the port was made in an earlier boot */

	const char *bridge;
	const char *type;		/* of the interface; "": the network device of its name */
	const char *path;		/* where it connects to an application; NULL: to none */
	const char *of_key, *of;	/* what it is the port of, as external_ids say it */
	int vlan;			/* 1 to 4094; 0 and below: none is set */
	const struct idset *trunk;	/* NULL or empty: none */
	int64_t mtu;			/* bytes; 0 and below: none is set */
	const uint8_t *mac;		/* NULL: not known */
	uint32_t *told_mtu;		/* NULL, or for attach: that of the switch; 0: says none */
};

int ovs_port_attach(const struct ovs_port *p, struct err *e) must_check;
int ovs_port_detach(const struct ovs_port *p, struct err *e) must_check;
int ovs_port_check(const struct ovs_port *p, switch_differs_fn *fn, void *arg, struct err *e)
	must_check;

int ovs_port_socket(const struct switch_port *p, char ret[108], struct err *e) must_check;

/*
 * Find the bridge that has one of these network devices for a port, or in a bond of its own; the
 * first of them counts.  1, 0 when none has, -1.
 */
int ovs_bridge_find(const struct host *host, const struct switch_conf *conf,
		    const char *const netdevs[], size_t n, char ret[16], struct err *e) must_check;

int ovs_probe(const struct host *host, const struct switch_conf *conf, const struct deadline *d,
	      struct err *e) must_check;

/* Call fn for each port of this node's attachments; none where there is no Open vSwitch. */
typedef int ovs_port_fn(const char *port, const struct owner *o, void *arg, struct err *e);
int ovs_port_each(const struct host *host, ovs_port_fn *fn, void *arg, struct err *e) must_check;

/* Remove the ports of a network that nobody keeps.  conf may be NULL. */
int ovs_gc(const struct host *host, const struct switch_conf *conf, const char *network,
	   switch_keep_fn *keep, const void *arg, struct err *e) must_check;

#endif
