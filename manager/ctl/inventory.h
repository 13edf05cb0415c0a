/* SPDX-License-Identifier: Apache-2.0 */
/* inventory.h - the node as the commands look at it that ask kubelet, too, and its name */
#ifndef MANAGER_CTL_INVENTORY_H
#define MANAGER_CTL_INVENTORY_H

#include "manager/ctl/ctl.h"
#include "manager/inventory/inventory.h"

/*
 * All three steps of an inventory.  A kubelet that is not there has given nothing; that one which
 * is has no answer is said on standard error.
 */
int ctl_inventory(const struct host *host, const struct ctl_options *opt, struct inventory *ret,
		  struct err *e) must_check;

/*
 * What the cluster calls the node: --node-name, or else its host name in lower case, as kubelet has
 * it.  -1, ERR_NETCONF, when it is not known or no node can have it.
 */
enum { CTL_NODE_NAME = 254 };
int ctl_node_name(const struct host *host, const struct ctl_options *opt,
		  char ret[CTL_NODE_NAME], struct err *e) must_check;

#endif
