/* SPDX-License-Identifier: Apache-2.0 */
/* inventory.c - the node as the commands look at it that ask kubelet, too, and its name */
#include "manager/ctl/inventory.h"

#include "base/fs.h"
#include "base/name.h"
#include "manager/nfd/features.h"

#include <assert.h>
#include <stdio.h>

int ctl_inventory(const struct host *host, const struct ctl_options *opt, struct inventory *ret,
		  struct err *e)
{
	const struct inv_node *node = &ret->node;
	int r;

	if (inventory_read(host, ret, e) < 0 || inventory_join(host, ret, e) < 0)
		return -1;
	ctl_await("kubelet");
	r = inventory_ask_kubelet(host, ctl_timeout_ms(host, opt), ret, e);
	ctl_await_end();
	if (r < 0)
		return -1;
	if (!*node->kubelet_error || node->is_recorded)
		return 0;
	r = fs_exists(host->root, e, "%s", host->set.kubelet_socket);
	if (r > 0)
		ctl_put_line(stderr, "devinfoctl: what kubelet gave is not known: %s",
			     node->kubelet_error);
	return r < 0 ? -1 : 0;
}

int ctl_node_name(const struct host *host, const struct ctl_options *opt,
		  char ret[CTL_NODE_NAME], struct err *e)
{
	int r = 1;

	static_assert((int)CTL_NODE_NAME > (int)NFD_NODE_NAME_MAX, "a name fits");
	if (opt->node_name && snprintf(ret, CTL_NODE_NAME, "%s", opt->node_name) >= CTL_NODE_NAME)
		return err_set(e, ERR_NETCONF, 0, "--node-name: at most %d bytes are allowed",
			       CTL_NODE_NAME - 1);
	if (!opt->node_name)
		r = nfd_node_name(host, ret, e);
	if (r == 0)
		return err_set(e, ERR_NETCONF, 0, "the node's name is not known: --node-name is "
			       "missing");
	if (r > 0 && !name_is_dns_subdomain(ret))
		return err_set(e, ERR_NETCONF, 0, "--node-name: '%.64s' is no name of a node: "
			       "expected a DNS name in lower case", ret);
	return r < 0 ? -1 : 0;
}
