/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verb_status.c - STATUS: could the next ADD of this configuration be served?
 *
 * containerd asks every few seconds and takes the network of the whole node down on an
 * error.  So only what would fail an ADD is one.  What could not be found out in time is
 * not, but is logged; a kubelet that says nothing, though, would say nothing to the ADD.
 * The engine names no attachment: a device that each pod brings along cannot be looked at.
 */
#include "cni/verb.h"

#include "base/fs.h"
#include "base/log.h"
#include "cni/attach/aspects.h"
#include "cni/attach/choose.h"
#include "cni/attach/confine.h"
#include "cni/attach/delegate_policy.h"
#include "cni/plugins/chain.h"
#include "devinfo/journal/device_ref.h"
#include "devinfo/journal/earlier.h"
#include "devinfo/journal/journal.h"
#include "devinfo/kubelet/checkpoint.h"
#include "devinfo/kubelet/podres.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define STATUS_MS	1000	/* for everything together */
#define KUBELET_MS	700	/* until kubelet has greeted us, which takes it a millisecond */

static int check_directories(const struct verb_input *in, const struct deadline *d, struct err *e)
{
	const struct settings *set = &in->host->set;
	const char *const dirs[][2] = {
		{ set->state_dir, "attachments" },
		{ set->run_dir, "status" },
		{ set->devinfo_dir, "cni" },
	};
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	char path[PATH_MAX];

	(void)d;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", dirs[i][0], dirs[i][1]);
		if (fs_check_writable(in->host->root, path, e) < 0)
			return -1;
	}
	return journal_open(in->host, JOURNAL_READ, &j, e) < 0 ? -1 : 0;
}

/* Their devices are refused, and who changed stateDir has to hear of it. */
static int check_earlier(const struct verb_input *in, const struct deadline *d, struct err *e)
{
	const char *where;
	size_t n;

	(void)d;
	if (earlier_count(in->host, &n, &where, e) < 0)
		return -1;
	if (n == 0)
		return 0;
	(void)err_set(e, ERR_UNAVAILABLE, 0, "%zu records are left in '%.200s', which stateDir was "
		      "before", n, where);
	return err_detail(e, "end their pods, or set stateDir as it was: see devinfo.conf(5)");
}

/* Is kubelet asked for the device?  Not where the engine or Multus tells it with each pod. */
static bool needs_kubelet(const struct verb_input *in)
{
	const struct choosing ch = { .call = in->call, .conf = in->conf };
	const json_t *declared = json_object_get(in->conf->doc, "capabilities");

	return choose_asks_kubelet(&ch) && !json_is_true(json_object_get(declared, "deviceID"));
}

/* While kubelet cannot be asked, its checkpoint can: for resources, not for claims. */
static int check_kubelet(const struct verb_input *in, const struct deadline *d, struct err *e)
{
	struct deadline soon = deadline_earlier(d, deadline_in(KUBELET_MS));
	struct err why;

	if (!needs_kubelet(in) || podres_probe(in->host, &soon, e) == 0)
		return 0;
	if (in->conf->resource && checkpoint_probe(in->host, &why) == 0) {
		log_warning("msg=\"only kubelet's checkpoint is there\" error=\"%s\"", e->msg);
		return 0;
	}
	return -1;
}

static int check_aspects(const struct verb_input *in, const struct deadline *d, struct err *e)
{
	return aspects_status(in->host, in->conf, d, e);
}

static int check_plugins(const struct verb_input *in, const struct deadline *d, struct err *e)
{
	const char *id = in->conf->device_id;
	struct chain chain = {
		.conf = in->conf, .cni_path = in->call->path, .device_id = id,
		.id_is_netdev = id && device_ref_is_netdev(in->host, id),
	};

	return chain_forward(&chain, in->request, "STATUS", d, e);
}

int verb_status(const struct verb_input *in, struct err *e)
{
	static const struct {
		int (*check)(const struct verb_input *in, const struct deadline *d, struct err *e);
		bool silence_is_error;
	} parts[] = {
		{ check_directories, false }, { check_earlier, false }, { check_kubelet, true },
		{ check_aspects, false }, { check_plugins, false },
	};
	struct deadline d = deadline_in(STATUS_MS);

	if (netconf_check(in->conf, e) < 0 ||
	    delegate_policy_check_plugins(in->host, in->conf, e) < 0)
		return -1;
	confine_look(in->conf, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i].check(in, &d, e) == 0)
			continue;
		if (e->sys != ETIMEDOUT || parts[i].silence_is_error) {
			if (e->code != ERR_LIMITED)
				e->code = ERR_UNAVAILABLE;
			return -1;
		}
		log_warning("msg=\"no answer in time\" error=\"%s\"", e->msg);
	}
	return 0;
}
