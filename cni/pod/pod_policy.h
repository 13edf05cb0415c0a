/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_policy.h - what the plugins beside this program in a definition may do
 *
 * A definition may be a tenant's.  Its plugins run as root, so the node's rules for delegates hold
 * for those that we do not run as delegates, too.
 */
#ifndef CNI_POD_POLICY_H
#define CNI_POD_POLICY_H

#include "cni/attach/attach.h"
#include "cni/pod/pod_attach.h"

#include <jansson.h>

/* May they be run, and does everybody read their keys in the same way?  ERR_NETCONF. */
int pod_policy_check(const struct host *host, const json_t *calls, struct err *e) must_check;

/* Holds devices from the look at them until the plugin has ended.  Begins as POD_CLAIM_NONE. */
struct pod_claim {
	struct attachment a;
	struct netconf conf;
	struct cni_call call;
};

#define POD_CLAIM_NONE	{ .a = { .netns = -1, .icmp6 = -1, .sriov_lock = -1, \
				 .journal = { .dir = -1, .lock = -1 } } }

/*
 * Before the ADD of a plugin that is not this program: the host's devices that its configuration
 * names are looked at as an attachment's own device is, and locked.
 */
int pod_policy_claim(const struct pod_job *job, const json_t *call, struct pod_claim *ret,
		     struct err *e) must_check;
void pod_claim_done(struct pod_claim *c);

#define auto_pod_claim auto_with(pod_claim_done)

#endif
