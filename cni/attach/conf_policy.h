/* SPDX-License-Identifier: Apache-2.0 */
/* conf_policy.h - what an ADD refuses in a configuration, independent of the node */
#ifndef CNI_ATTACH_CONF_POLICY_H
#define CNI_ATTACH_CONF_POLICY_H

#include "base/err.h"
#include "base/host.h"
#include "cni/call/call.h"
#include "conf/netconf.h"

/*
 * Check all that an ADD refuses by its configuration, its call and the node's settings alone; -1
 * with the first error.  Call it after netconf_settings().  Of the host only the settings are used,
 * so no node is needed.  Codes are those of netconf_attachment() and choose_check().
 */
int conf_policy_check(const struct host *host, const struct cni_call *call, struct netconf *conf,
		      struct err *e) must_check;

#endif
