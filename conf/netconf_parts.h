/* SPDX-License-Identifier: Apache-2.0 */
/* netconf_parts.h - parts of netconf_check() and netconf_attachment() in files of their own */
#ifndef CONF_NETCONF_PARTS_H
#define CONF_NETCONF_PARTS_H

#include "conf/netconf.h"

/* -- netconf_infiniband.c -- */

/* guid, pkey and rdmaIsolation; rc is runtimeConfig. */
int netconf_infiniband(struct netconf *nc, const json_t *rc, struct err *e) must_check;

/* For an ADD: that is another controller's work, which may just not be done yet. */
int netconf_ib_kubernetes(const struct netconf *nc, struct err *e) must_check;

/* -- netconf_socket.c -- */

/* nc->socket, and the other keys that mean something else with it, or nothing.  After them. */
int netconf_socket(struct netconf *nc, struct err *e) must_check;

/* For an ADD: nobody has made an interface before, and it is said, or will be, who listens. */
int netconf_socket_attachment(const struct netconf *nc, struct err *e) must_check;

/* -- netconf_switch.c -- */

/* A switch without a socket: the representor becomes its port.  After netconf_socket(). */
int netconf_switch(struct netconf *nc, struct err *e) must_check;

#endif
