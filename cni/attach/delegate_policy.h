/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delegate_policy.h - which plugins a network may run, and which devices those may move
 *
 * Plugins that a network names as ipam, delegate or delegates run as root with the configuration of
 * its author.  The node's file lists the allowed ones, and its rules about devices also apply to
 * devices that these configurations name.
 */
#ifndef CNI_ATTACH_DELEGATE_POLICY_H
#define CNI_ATTACH_DELEGATE_POLICY_H

#include "base/err.h"
#include "base/host.h"
#include "cni/aspect/attachment.h"
#include "conf/netconf.h"

#include <stdbool.h>

/*
 * After netconf_check() or netconf_delegates(): `allowPlugins` of the node's file has each plugin
 * that the network names, an IPAM plugin of a delegate's among them.  ERR_NETCONF.
 */
int delegate_policy_check_plugins(const struct host *host, const struct netconf *nc, struct err *e)
	must_check;

/*
 * Does this IPAM plugin not look at the interface, so that it may run before that is in the pod?
 * Only of those that `ipamInParallel` of the node's file lists, or without it of some well-known
 * ones, we know that: not by what a network says.
 */
bool delegate_policy_ipam_in_parallel(const struct host *host, const char *type);

/* Check that all plugins read the keys of the delegates in the same way.  ERR_NETCONF. */
int delegate_policy_check_keys(const struct netconf *nc, struct err *e) must_check;

/*
 * After that: the devices of the node that the delegates' own configurations name, in the keys of
 * host-device, sriov-cni, bond and their like, are looked at as the attachment's own device is:
 * before a plugin runs, for a device that was moved has lost its addresses and routes.  ERR_DEVICE.
 */
int delegate_policy_check_devices(struct attachment *a, struct err *e) must_check;

#endif
