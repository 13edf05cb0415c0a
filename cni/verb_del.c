/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verb_del.c - DEL: from the record alone
 *
 * Neither CNI_NETNS, prevResult, CNI_ARGS nor the configuration beyond cniVersion, name
 * and, where it is not the node's, stateDir are needed, for engines send them stripped,
 * stale or not at all.
 */
#include "cni/verb.h"

#include "base/log.h"
#include "cni/ipam.h"
#include "cni/release.h"
#include "devinfo/journal.h"

#include <string.h>

/*
 * Nothing of ours is known.  An IPAM plugin may know more, when our records were lost: it is asked,
 * and what it says is only logged, for a stripped configuration fails there too.
 */
static void release_lease_only(const struct verb_input *in)
{
	const json_t *ipam = json_object_get(in->conf->doc, "ipam");
	const char *type = json_string_value(json_object_get(ipam, "type"));
	struct ipam lease = {
		.type = type,
		.cni_path = in->call->path,
		.request = in->request,
		.timeout_ms = in->host->set.ipam_timeout_ms,
	};
	struct err e;

	if (type && *type && ipam_del(&lease, &e) < 0)
		log_info("msg=\"no record, and no answer of the IPAM plugin\" error=\"%s\"", e.msg);
}

static int del_recorded(const struct verb_input *in, struct journal *j, const struct owner *owner,
			struct err *e)
{
	struct deadline d = deadline_in(in->host->set.lock_timeout_ms);
	auto_record struct record first = { 0 }, rec = { 0 };
	struct release r = {
		.host = in->host, .journal = j, .rec = &rec, .cni_path = in->call->path
	};
	int found;

	if (journal_lock_attachment(j, owner, &d, e) < 0)
		return -1;
	found = journal_find(j, owner, &first, e);
	if (found <= 0)
		return found;
	if (journal_lock_device(j, first.device, &d, e) < 0)
		return err_wrap(e, "device %s", first.device);
	found = journal_find(j, owner, &rec, e); /* a new owner may have released the device */
	if (found <= 0)
		return found;
	return release_attachment(&r, e) < 0 ? -1 : 1;
}

int verb_del(const struct verb_input *in, struct err *e)
{
	const struct owner owner = {
		.network = in->conf->name,
		.container_id = in->call->container_id,
		.ifname = in->call->ifname,
		.netns = in->call->netns,
	};
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	int r = journal_open(in->host, JOURNAL_UPDATE, &j, e);

	if (r > 0)
		r = del_recorded(in, &j, &owner, e);
	if (j.damaged)
		log_warning("msg=\"removed damaged records\" count=%u", j.damaged);
	if (r == 0)
		release_lease_only(in);
	else if (r > 0)
		log_info("msg=\"detached\" network=%s", in->conf->name);
	return r < 0 ? -1 : 0;
}
