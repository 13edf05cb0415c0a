/* SPDX-License-Identifier: Apache-2.0 */
/* netconf_switch.c - a switch for the representor of a device, among the other keys */
#include "conf/netconf_parts.h"

int netconf_switch(struct netconf *nc, struct err *e)
{
	if (!nc->socket.sw.netdev)
		return 0;
	if (nc->port.bridges > 0)
		return err_set(e, ERR_NETCONF, 0,
			       "bridge: not together with switch, whose bridge is switch.bridge");
	nc->port.present = false;	/* vlan and trunk are set by Open vSwitch */
	return 0;
}
