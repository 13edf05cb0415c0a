/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ovs_port.h - an attachment's port of Open vSwitch, through its database
 *
 * The functions of switch.h, where the switch is Open vSwitch; errors and bounds are told there.
 */
#ifndef CNI_SWITCH_OVS_PORT_H
#define CNI_SWITCH_OVS_PORT_H

#include "base/deadline.h"
#include "cni/switch/switch_port.h"

int ovs_port_attach(const struct switch_port *p, struct err *e) must_check;
int ovs_port_detach(const struct switch_port *p, struct err *e) must_check;
int ovs_port_socket(const struct switch_port *p, char ret[108], struct err *e) must_check;
int ovs_port_check(const struct switch_port *p, switch_differs_fn *fn, void *arg, struct err *e)
	must_check;

int ovs_probe(const struct host *host, const struct switch_conf *conf, const struct deadline *d,
	      struct err *e) must_check;
int ovs_gc(const struct host *host, const struct switch_conf *conf, const char *network,
	   switch_keep_fn *keep, const void *arg, struct err *e) must_check;

#endif
