/* SPDX-License-Identifier: Apache-2.0 */
/* verb_add.c - ADD: attach, answer, or take it back */
#include "cni/verb.h"

#include "base/log.h"
#include "cni/attach/attach.h"
#include "cni/attach/conf_policy.h"
#include "cni/call/result.h"
#include "conf/unknown.h"

enum { UNKNOWN_MAX = 256, WARNINGS_MAX = 8 };	/* keys that are looked at, lines in the log */

struct typing_errors {
	unsigned int unknown, warnings;
};

/* What is refused is told by the error. */
static bool warn_of_key(const struct unknown_key *u, void *arg)
{
	struct typing_errors *t = arg;
	char text[256];

	if (u->kind == UNKNOWN_IGNORED && *u->hint) {
		unknown_text(u, text);
		log_warning("msg=\"%s\"", text);
		t->warnings++;
	}
	return ++t->unknown < UNKNOWN_MAX && t->warnings < WARNINGS_MAX;
}

int verb_add(const struct verb_input *in, struct err *e)
{
	auto_attachment struct attachment a = {
		.host = in->host,
		.call = in->call,
		.conf = in->conf,
		.request = in->request,
		.netns = -1,
		.icmp6 = -1,
		.sriov_lock = -1,
	};
	struct typing_errors typing = { .unknown = 0 };

	unknown_keys(in->conf->doc, &(struct unknown_visitor){ warn_of_key, &typing });
	if (conf_policy_check(in->host, in->call, in->conf, e) < 0 ||
	    netconf_find_names(in->conf, in->host->root, e) < 0 || attach_add(&a, e) < 0)
		return -1;
	if (result_print(a.answer, e) < 0) {
		attach_undo(&a, e);
		return -1;
	}
	log_info("msg=\"attached\" network=%s device=%s", in->conf->name,
		 *a.dev.key ? record_device_name(&a.rec) : "none");
	return 0;
}
