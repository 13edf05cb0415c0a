/* SPDX-License-Identifier: Apache-2.0 */
/* verb_add.c - ADD: attach, answer, or take it back */
#include "cni/verb.h"

#include "base/log.h"
#include "cni/attach/attach.h"
#include "cni/attach/choose.h"
#include "cni/call/result.h"

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

	const struct choosing choosing = { .call = in->call, .conf = in->conf };

	if (netconf_attachment(in->conf, e) < 0 ||
	    (in->conf->position == POSITION_OWNER && choose_check(&choosing, e) < 0) ||
	    attach_add(&a, e) < 0)
		return -1;
	if (result_print(a.answer, e) < 0) {
		attach_undo(&a, e);
		return -1;
	}
	log_info("msg=\"attached\" network=%s device=%s", in->conf->name,
		 *a.dev.key ? record_device_name(&a.rec) : "none");
	return 0;
}
