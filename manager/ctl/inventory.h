/* SPDX-License-Identifier: Apache-2.0 */
/* inventory.h - read the inventory with kubelet's allocations, for commands; the node's name */
#ifndef MANAGER_CTL_INVENTORY_H
#define MANAGER_CTL_INVENTORY_H

#include "manager/ctl/ctl.h"
#include "manager/inventory/inventory.h"

/*
 * Do all three steps of an inventory.  Without kubelet there are no allocations; when it runs and
 * does not answer, that is printed on standard error.
 */
int ctl_inventory(const struct host *host, const struct ctl_options *opt, struct inventory *ret,
		  struct err *e) must_check;

/*
 * Get the node's name in the cluster: --node-name, or else its host name in lower case, as kubelet
 * does. -1, ERR_NETCONF, when it is not known or not valid.
 */
enum { CTL_NODE_NAME = 254 };
int ctl_node_name(const struct host *host, const struct ctl_options *opt,
		  char ret[CTL_NODE_NAME], struct err *e) must_check;

#endif
