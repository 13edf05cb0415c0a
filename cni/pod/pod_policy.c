/* SPDX-License-Identifier: Apache-2.0 */
/* pod_policy.c - what the plugins beside this program in a definition may do */
#include "cni/pod/pod_policy.h"

#include "base/jx.h"
#include "base/mem.h"
#include "cni/attach/delegate_policy.h"
#include "devinfo/network/network_call.h"

/* A configuration that has these as its delegates, read as far as rules about them need it. */
static int read_as_delegates(json_t *plugins, struct netconf *ret, struct err *e)
{
	json_auto_t *conf = json_pack("{s:s, s:s, s:s, s:O}", "cniVersion", "1.0.0", "name", "x",
				      "type", "devinfo", "delegates", plugins);
	auto_free char *text = NULL;
	size_t len;

	text = jx_dump(conf, &len);
	return netconf_parse(text, len, ret, e) < 0 || netconf_delegates(ret, e) < 0 ?
		       -1 : delegate_policy_check_keys(ret, e);
}

int pod_policy_check(const struct host *host, const json_t *calls, struct err *e)
{
	json_auto_t *others = json_array();
	auto_netconf struct netconf nc = { 0 };

	for (size_t i = 0; i < json_array_size(calls); i++)
		if (!network_call_is_ours(json_array_get(calls, i)))
			(void)json_array_append(others, json_array_get(calls, i));
	if (json_array_size(others) == 0)
		return 0;
	return read_as_delegates(others, &nc, e) < 0 ?
		       -1 : delegate_policy_check_plugins(host, &nc, e);
}

int pod_policy_claim(const struct pod_job *job, const json_t *call, struct pod_claim *ret,
		     struct err *e)
{
	json_auto_t *plugins = json_pack("[O]", call);
	struct attachment *a = &ret->a;

	ret->call = *job->call->call;
	ret->call.ifname = job->of->ifname;
	a->host = job->call->host;
	a->call = &ret->call;
	a->conf = &ret->conf;
	a->rec.owner = *job->container;
	a->rec.owner.ifname = job->of->ifname;
	if (read_as_delegates(plugins, &ret->conf, e) < 0 ||
	    nl_open(NETNS_OWN, NETLINK_ROUTE, &a->home, e) < 0 ||
	    journal_open(a->host, JOURNAL_CREATE, &a->journal, e) < 0)
		return -1;
	return delegate_policy_check_devices(a, e);
}

void pod_claim_done(struct pod_claim *c)
{
	attach_done(&c->a);
	netconf_done(&c->conf);
}
