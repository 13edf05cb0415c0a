/* SPDX-License-Identifier: Apache-2.0 */
/* pod_assign.c - which attachment gets which of the pod's devices, before the first one begins */
#include "cni/pod/pod_assign.h"

#include "base/mem.h"
#include "base/name.h"
#include "cni/attach/choose.h"
#include "cni/pod/pod_networks.h"
#include "cni/pod/pod_plan.h"
#include "devinfo/journal/resolve.h"
#include "devinfo/kubelet/kubelet.h"
#include "devinfo/network/network_call.h"

#include <string.h>

struct assigning {
	const struct pod_call *call;
	struct journal *journal;
	const struct pod_attachment *of;
	json_t *given;			/* device to the interface that has it; owned */
};

/* One that names nothing asks kubelet, too, unless its device shows behind the interface. */
static bool asks(const struct choosing *ch)
{
	return choose_asks_kubelet(ch) ||
	       (ch->conf->position == POSITION_OWNER && !netconf_names_device(ch->conf));
}

static int note(struct assigning *a, const struct choice *c, struct err *e)
{
	const char *before = json_string_value(json_object_get(a->given, c->id));

	if (before)
		return err_set(e, ERR_DEVICE, 0, "the pod has no other device than %s, which is "
			       "that of interface %s: its networks ask for more devices than it "
			       "has", c->id, before);
	if (*c->id)
		(void)json_object_set_new(a->given, c->id, json_string(a->of->ifname));
	return 0;
}

/* As Multus does, unless the plugin's author has said which. */
static void tell_others(const json_t *calls, const char *id)
{
	static const char *const keys[] = { "deviceID", "pciBusID", "device" };
	bool is_bdf = name_is_bdf(id), said;
	json_t *call;
	size_t i, k;

	json_array_foreach(calls, i, call) {
		said = network_call_is_ours(call);
		for (k = 0; k < ARRAY_SIZE(keys); k++)
			said |= json_object_get(call, keys[k]) != NULL;
		if (said)
			continue;
		(void)json_object_set_new(call, "deviceID", json_string(id));
		if (is_bdf)
			(void)json_object_set_new(call, "pciBusID", json_string(id));
	}
}

/* What the plugins beside us in a list are told is recorded, too. */
static int take(struct assigning *a, const struct choice *c, const json_t *calls, struct err *e)
{
	if (note(a, c, e) < 0)
		return -1;
	if (*c->id) {
		tell_others(calls, c->id);
		tell_others(a->of->calls, c->id);
	}
	return 0;
}

static int choose_for(struct assigning *a, const struct netconf *nc, const json_t *calls,
		      struct err *e)
{
	const char *slash = strchr(a->of->definition, '/');
	struct cni_call call = *a->call->call;
	const struct owner who = {
		.network = slash ? slash + 1 : nc->name, .container_id = call.container_id,
		.ifname = a->of->ifname, .netns = call.netns,
	};
	struct choosing ch = {
		.host = a->call->host, .call = &call, .conf = nc, .journal = a->journal,
		.owner = &who,
	};
	struct choice c = { .source = NULL };
	int r = 0;

	call.ifname = a->of->ifname;
	if (slash)
		call.device_id = call.mac = NULL;
	if (asks(&ch))
		r = choose_device(&ch, &c, e) < 0 ? -1 : take(a, &c, calls, e);
	candidates_done(&ch.of_pod);
	return r;
}

static int assign(struct assigning *a, const json_t *calls, size_t i, struct err *e)
{
	auto_netconf struct netconf nc = { 0 };

	if (!network_call_is_ours(json_array_get(calls, i)))
		return 0;
	if (pod_plan_parse(calls, i, &nc, e) == 0 && choose_for(a, &nc, calls, e) == 0)
		return 0;
	pod_networks_wrap(a->of, e);
	return -1;
}

static int assign_all(struct assigning *a, const json_t *calls, struct err *e)
{
	for (size_t i = 0; i < json_array_size(calls); i++)
		if (assign(a, calls, i, e) < 0)
			return -1;
	return 0;
}

int pod_assign(const struct pod_call *c, struct journal *j, const struct pod_record *rec,
	       const json_t *asked, struct err *e)
{
	json_auto_t *given = json_object();
	struct assigning a = { .call = c, .journal = j, .given = given };

	kubelet_ask_once();
	for (size_t i = 0; i < rec->n; i++) {
		a.of = &rec->list[i];
		if (assign_all(&a, json_array_get(asked, i), e) < 0)
			return -1;
	}
	return 0;
}
