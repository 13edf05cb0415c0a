/* SPDX-License-Identifier: Apache-2.0 */
/* conf_policy.h - what of a configuration does an ADD refuse, whatever the node is like? */
#ifndef CNI_ATTACH_CONF_POLICY_H
#define CNI_ATTACH_CONF_POLICY_H

#include "base/err.h"
#include "base/host.h"
#include "cni/call/call.h"
#include "conf/netconf.h"

/*
 * All that an ADD refuses by its configuration, its call and the node's settings alone, before it
 * looks at anything: the first of it.  After netconf_settings().  Of the host only the settings are
 * used, so who has no node may ask as well.  Codes as netconf_attachment() and choose_check() have.
 */
int conf_policy_check(const struct host *host, const struct cni_call *call, struct netconf *conf,
		      struct err *e) must_check;

#endif
