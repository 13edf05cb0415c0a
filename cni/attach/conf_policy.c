/* SPDX-License-Identifier: Apache-2.0 */
/* conf_policy.c - what of a configuration does an ADD refuse, whatever the node is like? */
#include "cni/attach/conf_policy.h"

#include "cni/attach/choose.h"
#include "cni/attach/delegate_policy.h"
#include "cni/attach/probe.h"
#include "cni/driver/driver.h"

static int check_device(const struct cni_call *call, const struct netconf *conf, struct err *e)
{
	const struct choosing choosing = { .call = call, .conf = conf };

	return conf->position == POSITION_OWNER ? choose_check(&choosing, e) : 0;
}

static int check_mac(const struct cni_call *call, const struct netconf *conf, struct err *e)
{
	uint8_t ignored[MAC_LEN];
	const char *key;

	return probe_wanted_mac(conf, call, ignored, &key, e) < 0 ? -1 : 0;
}

int conf_policy_check(const struct host *host, const struct cni_call *call, struct netconf *conf,
		      struct err *e)
{
	return netconf_attachment(conf, e) < 0 ||
			       delegate_policy_check_plugins(host, conf, e) < 0 ||
			       delegate_policy_check_keys(conf, e) < 0 ||
			       check_device(call, conf, e) < 0 || check_mac(call, conf, e) < 0 ||
			       (conf->driver && driver_check(conf->driver, e) < 0) ?
		       -1 : 0;
}
