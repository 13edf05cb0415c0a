/* SPDX-License-Identifier: Apache-2.0 */
/* explain_choice.c - what an attachment asked for, what kubelet gave, and what was chosen */
#include "manager/ctl/explain.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/inventory/runtime_cache.h"

#include <stdio.h>
#include <string.h>

/* -- the request -- */

static const char *said(const json_t *request, const char *key)
{
	const char *v = json_string_value(json_object_get(request, key));

	return v ? v : "";
}

/* Is kubelet to be asked for it? */
static bool is_kubelets(const json_t *request)
{
	return *said(request, "resourceName") || *said(request, "claim") ||
	       *said(request, "request") ||
	       *said(json_object_get(request, "runtimeConfig"), "deviceID");
}

/* "resourceName example.com/vf, claim nics" */
static void put_keys(const json_t *request, char *ret, size_t size)
{
	static const char *const keys[] = {
		"resourceName", "claim", "request", "deviceID", "pciBusID", "device",
	};
	const char *id = said(json_object_get(request, "runtimeConfig"), "deviceID");
	size_t used = 0;

	*ret = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(keys) && used < size; i++)
		if (*said(request, keys[i]))
			used += (size_t)snprintf(ret + used, size - used, "%s%s %.100s",
						 used ? ", " : "", keys[i],
						 said(request, keys[i]));
	if (*id && used < size)
		used += (size_t)snprintf(ret + used, size - used, "%sruntimeConfig.deviceID %.100s",
					 used ? ", " : "", id);
	if (used == 0)
		(void)snprintf(ret, size, "a device without a name");
}

void explain_request(struct explained *t)
{
	const struct owner owner = { .network = t->a->network, .ifname = t->a->ifname,
				     .container_id = t->a->container_id };
	char file[512] = "its record", keys[512];
	struct err e = { 0 };
	int r = runtime_cache_request(t->x->host, &owner, &t->request, file, &e);

	if (r <= 0 && t->rec && t->rec->request) {
		(void)snprintf(file, sizeof(file), "its record");
		t->request = jx_parse(t->rec->request, strlen(t->rec->request), ERR_DECODE,
				      "the request in the record", &e);
		r = t->request ? 1 : -1;
	}
	if (t->request)
		put_keys(t->request, keys, sizeof(keys));
	if (r > 0)
		explain_stage(t->x, t->a->ifname, "request", STAGE_OK, "",
			      "network %s asked for %s, by %s", t->a->network, keys, file);
	else
		explain_stage(t->x, t->a->ifname, "request", STAGE_UNKNOWN, "",
			      "what network %s asked for: %s", t->a->network,
			      r < 0 ? e.msg : "neither runtime nor record remembers it");
}

/* -- the allocation -- */

static const struct inv_allocation *find_given(const struct explained *t, bool to_others)
{
	const struct inventory *inv = t->x->inv;

	for (size_t i = 0; i < inv->n_allocations; i++) {
		const struct inv_allocation *g = &inv->allocations[i];

		if (*g->pod_name && explain_is_given(t->x, g) != to_others &&
		    explain_has_device(t->a, g->id))
			return g;
	}
	return NULL;
}

/* A claim's device of which no file tells which it is may be this one; NULL. */
static const struct inv_allocation *find_unresolved(const struct explained *t)
{
	const struct inventory *inv = t->x->inv;

	for (size_t i = 0; i < inv->n_allocations; i++)
		if (explain_is_given(t->x, &inv->allocations[i]) && inv->allocations[i].unresolved)
			return &inv->allocations[i];
	return NULL;
}

static void explain_unresolved(struct explained *t, const struct inv_allocation *g)
{
	explain_stage(t->x, t->a->ifname, "allocation", STAGE_UNKNOWN, "", "kubelet gave %s %s to "
		      "container %s, and no file tells whether it is this device%s%s",
		      g->resource, g->id, *g->container ? g->container : "-",
		      *g->unreadable ? ": " : "", g->unreadable);
}

static void explain_not_given(struct explained *t)
{
	const struct inv_allocation *unresolved = find_unresolved(t);
	const struct inv_allocation *other = find_given(t, true);
	const char *error = t->x->inv->node.kubelet_error, *name = t->a->ifname;

	if (other)
		explain_stage(t->x, name, "allocation", STAGE_WRONG, "delete one of the two pods: "
			      "each takes the device for its own", "kubelet gave %s %s to pod "
			      "%s/%s", other->resource, other->id, other->pod_namespace,
			      other->pod_name);
	else if (t->request && !is_kubelets(t->request))
		explain_stage(t->x, name, "allocation", STAGE_OK, "",
			      "kubelet is not asked: the configuration names the device");
	else if (unresolved)
		explain_unresolved(t, unresolved);
	else if (*error || !t->request)
		explain_stage(t->x, name, "allocation", STAGE_UNKNOWN, "", "%s", *error ? error :
			      "kubelet has not given it, and whether it was asked is not known");
	else
		explain_stage(t->x, name, "allocation", STAGE_MISSING, "delete the pod, so that "
			      "kubelet gives its devices anew", "kubelet has not given %s to the "
			      "pod", *t->a->device_id ? t->a->device_id : t->a->device);
}

void explain_allocation(struct explained *t)
{
	const struct inv_allocation *g = find_given(t, false);

	t->given = g;
	if (g)
		explain_stage(t->x, t->a->ifname, "allocation", STAGE_OK, "",
			      "kubelet gave %s %s to container %s", g->resource, g->id,
			      *g->container ? g->container : "-");
	else
		explain_not_given(t);
}

/* -- the choice -- */

/* Who names a device has chosen it: the network, or for it the runtime, as Multus does. */
static const char *find_name(const struct explained *t)
{
	static const char *const keys[] = { "deviceID", "pciBusID", "device" };
	const char *id = said(json_object_get(t->request, "runtimeConfig"), "deviceID");

	if (*id && explain_has_device(t->a, id))
		return "runtimeConfig.deviceID";
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (*said(t->request, keys[i]) &&
		    explain_has_device(t->a, said(t->request, keys[i])))
			return keys[i];
	return NULL;
}

static void explain_unchosen(struct explained *t, const char *error)
{
	const char *key = error ? NULL : find_name(t);

	if (key)
		explain_stage(t->x, t->a->ifname, "choice", STAGE_OK, "",
			      "%s names the device: nothing is to be chosen", key);
	else
		explain_stage(t->x, t->a->ifname, "choice", STAGE_UNKNOWN, "",
			      "why this one: %s", error ? error : "the ledger does not have it, so "
			      "the configuration named it or the choice was lost");
}

void explain_choice(struct explained *t)
{
	const char *name = t->a->ifname;
	struct ledger_entry to;
	struct err e;
	int r;

	if (!t->given)
		return;
	r = explain_find_choice(t->x, t->given, &to, &e);
	if (r <= 0)
		explain_unchosen(t, r < 0 ? e.msg : NULL);
	else if (strcmp(to.ifname, name) == 0 && strcmp(to.network, t->a->network) == 0)
		explain_stage(t->x, name, "choice", STAGE_OK, "", "of the pod's devices %s is that "
			      "of %s of network %s", t->given->id, name, to.network);
	else
		explain_stage(t->x, name, "choice", STAGE_WRONG, "delete the pod, so that its "
			      "devices are chosen anew", "%s was chosen for %s of network %s",
			      t->given->id, to.ifname, to.network);
}
