/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_kubelet.c - does kubelet answer, and is what it says true of this node?
 *
 * Its devices are all kinds of devices: what is judged are the ids that are PCI addresses.
 */
#include "manager/doctor/node_check.h"

#include "base/fs.h"
#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/journal/journal.h"
#include "devinfo/kubelet/checkpoint.h"
#include "manager/inventory/join.h"
#include "manager/inventory/runtime_cache.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* -- does it answer? -- */

int node_kubelet(const struct host *host, const struct inventory *inv, struct findings *ret,
		 struct err *e)
{
	static const struct finding_kind kind = {
		"kubelet", SEVERITY_ERROR, REMEDY_BY_HAND,
		"look whether kubelet runs; kubeletSocket in the node's file says where it listens",
	};
	int r = fs_exists(host->root, e, "%s", host->set.kubelet_dir);

	if (r == 0)
		return finding_skip(ret, e, "there is no %s", host->set.kubelet_dir);
	if (r < 0 || !inv->node.kubelet_asked)
		return r < 0 ? -1 : finding_skip(ret, e, "kubelet was not asked");
	return *inv->node.kubelet_error ?
		       finding_tell(ret, &kind, host->set.kubelet_socket, e, "%s",
				    inv->node.kubelet_error) : 0;
}

int node_checkpoint(const struct host *host, const struct inventory *inv, struct findings *ret,
		    struct err *e)
{
	static const struct finding_kind kind = {
		"kubelet-checkpoint", SEVERITY_WARNING, REMEDY_BY_HAND,
		"see kubelet's log; it writes the file anew with its next allocation",
	};
	static const char nobody[] = "00000000-0000-0000-0000-000000000000";
	auto_with(allocation_done) struct allocation a = { 0 };
	struct err why = { 0 };
	char file[512];
	int r;

	(void)inv;
	(void)snprintf(file, sizeof(file), "%.400s/device-plugins/kubelet_internal_checkpoint",
		       host->set.kubelet_dir);
	r = fs_exists(host->root, e, "%s", file);
	if (r <= 0)
		return r < 0 ? -1 : finding_skip(ret, e, "there is no %s", file);
	if (checkpoint_read(host, nobody, &a, &why) >= 0)
		return 0;
	return finding_tell(ret, &kind, file, e, "%s%s%.200s", why.msg, *why.details ? ": " : "",
			    why.details);
}

/* -- is it true? -- */

static int skip_silent(const struct inventory *inv, struct findings *ret, struct err *e)
{
	return finding_skip(ret, e, *inv->node.kubelet_error ?
			    "what kubelet gave is not known" : "kubelet has told of no device");
}

/* -1, 0: the id is an address that the node does not have; 1: it has it, or it is none. */
static int has_device(const struct host *host, const char *id, struct err *e)
{
	char bdf[NAME_BDF_SIZE];

	return name_to_bdf(id, bdf) ? fs_exists(host->root, e, "/sys/bus/pci/devices/%s", bdf) : 1;
}

/*
 * Of a recorded node only its network functions are known.  So a resource is judged there when one
 * of its devices is such, or a device plugin's file tells of this one.
 */
static bool is_known(const struct inventory *inv, const struct inv_allocation *a)
{
	bool known = !inv->node.is_recorded;

	for (size_t i = 0; !known && i < inv->n_allocations; i++) {
		int function = inv->allocations[i].function;

		known = strcmp(inv->allocations[i].resource, a->resource) == 0 &&
			function != INV_NONE && !inv->functions[function].vanished;
	}
	for (size_t i = 0; !known && i < inv->n_files; i++)
		known = inv->files[i].is_dp && name_ids_equal(inv->files[i].device, a->id);
	return known;
}

int node_offered(const struct host *host, const struct inventory *inv, struct findings *ret,
		 struct err *e)
{
	static const struct finding_kind kind = {
		"offered-gone", SEVERITY_ERROR, REMEDY_BY_HAND,
		"restart the device plugin; see why the device has gone",
	};

	for (size_t i = 0; i < inv->n_allocations; i++) {
		const struct inv_allocation *a = &inv->allocations[i];
		int r = a->allocatable && !*a->pod_name ? has_device(host, a->id, e) : 1;

		if (r < 0 || (r == 0 && is_known(inv, a) &&
			      finding_tell(ret, &kind, a->id, e, "kubelet offers it as %s, and the "
					   "node does not have it", a->resource) < 0))
			return -1;
	}
	return inv->n_allocations > 0 ? 0 : skip_silent(inv, ret, e);
}

int node_given(const struct host *host, const struct inventory *inv, struct findings *ret,
	       struct err *e)
{
	static const struct finding_kind kind = {
		"given-gone", SEVERITY_ERROR, REMEDY_BY_HAND,
		"delete the pod, for it is given no other; see why the device has gone",
	};

	for (size_t i = 0; i < inv->n_allocations; i++) {
		const struct inv_allocation *a = &inv->allocations[i];
		int r = *a->pod_name ? has_device(host, a->id, e) : 1;

		if (r < 0 || (r == 0 && is_known(inv, a) &&
			      finding_tell(ret, &kind, a->id, e, "pod %s/%s was given it as %s, "
					   "and the node does not have it", a->pod_namespace,
					   a->pod_name, a->resource) < 0))
			return -1;
	}
	return inv->n_allocations > 0 ? 0 : skip_silent(inv, ret, e);
}

/* Devices of other kinds may have ids that are none of the whole node's: "0", "1". */
int node_twice(const struct host *host, const struct inventory *inv, struct findings *ret,
	       struct err *e)
{
	static const struct finding_kind kind = {
		"offered-twice", SEVERITY_ERROR, REMEDY_BY_HAND,
		"correct the device plugins' configurations: two pods may be given it",
	};
	json_auto_t *seen = json_object();
	char bdf[NAME_BDF_SIZE];

	(void)host;
	for (size_t i = 0; i < inv->n_allocations; i++) {
		const struct inv_allocation *a = &inv->allocations[i];
		const char *other;

		if (!a->allocatable || !name_to_bdf(a->id, bdf))
			continue;
		other = json_string_value(json_object_get(seen, bdf));
		if (!other)
			(void)json_object_set_new(seen, bdf, json_string(a->resource));
		else if (strcmp(other, a->resource) != 0 &&
			 finding_tell(ret, &kind, bdf, e, "kubelet offers it as %s and as %s",
				      other, a->resource) < 0)
			return -1;
	}
	return inv->n_allocations > 0 ? 0 : skip_silent(inv, ret, e);
}

static bool is_same_pod(const struct inv_attachment *a, const struct inv_allocation *of)
{
	return strcmp(a->pod_namespace, of->pod_namespace) == 0 &&
	       strcmp(a->pod_name, of->pod_name) == 0;
}

/* Two pods share what is given to both; the id is compared, for a function may have parts. */
static const struct inv_allocation *find_other(const struct inventory *inv,
					       const struct inv_attachment *a)
{
	const struct inv_allocation *other = NULL;

	for (size_t i = 0; i < inv->n_allocations; i++) {
		const struct inv_allocation *of = &inv->allocations[i];

		if (!*of->pod_name || !name_ids_equal(of->id, a->device))
			continue;
		if (is_same_pod(a, of))
			return NULL;
		other = of;
	}
	return other;
}

int node_holder(const struct host *host, const struct inventory *inv, struct findings *ret,
		struct err *e)
{
	static const struct finding_kind kind = {
		"holder", SEVERITY_ERROR, REMEDY_BY_HAND,
		"delete both pods; networks without resourceName take what kubelet may give others",
	};

	(void)host;
	for (size_t i = 0; i < inv->n_attachments; i++) {
		const struct inv_attachment *a = &inv->attachments[i];
		const struct inv_allocation *other;

		if (strcmp(a->state, "live") != 0 || !*a->pod_name || !*a->device)
			continue;
		other = find_other(inv, a);
		if (other && finding_tell(ret, &kind, a->device, e, "pod %s/%s has it as %s, and "
					  "kubelet gave it to pod %s/%s", a->pod_namespace,
					  a->pod_name, a->ifname, other->pod_namespace,
					  other->pod_name) < 0)
			return -1;
	}
	if (inv->n_attachments == 0)
		return finding_skip(ret, e, "the journal has no attachment");
	return inv->n_allocations > 0 ? 0 : skip_silent(inv, ret, e);
}

/* -- has a pod what it was given? -- */

struct given {
	const struct inventory *inv;
	const struct inv_attachment *a;
	const char *resource;		/* its network's resourceName; NULL: a claim's device */
};

/* What the runtime remembers of it, else its record: new reference, or NULL. */
static json_t *read_request(const struct host *host, struct journal *j,
			    const struct inv_attachment *a)
{
	const struct owner o = { .network = a->network, .container_id = a->container_id,
				 .ifname = a->ifname };
	auto_record struct record rec = { 0 };
	json_t *ret = NULL;
	char file[512];
	struct err ignored;

	if (runtime_cache_request(host, &o, &ret, file, &ignored) > 0)
		return ret;
	if (j->dir < 0 || journal_find(j, &o, &rec, &ignored) <= 0 || !rec.request)
		return NULL;
	return jx_parse(rec.request, strlen(rec.request), ERR_DECODE, "request", &ignored);
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

/* Did the network leave the device to kubelet?  Who names one has it whatever kubelet gave. */
static bool asks_kubelet(const json_t *request, const char **resource)
{
	static const char *const named[] = { "deviceID", "pciBusID", "device" };

	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		if (*text_of(request, named[i]))
			return false;
	*resource = *text_of(request, "resourceName") ? text_of(request, "resourceName") : NULL;
	return *resource || *text_of(request, "claim") || *text_of(request, "request");
}

static bool is_candidate(const struct given *g, const struct inv_allocation *of)
{
	return is_same_pod(g->a, of) &&
	       (g->resource ? strcmp(of->resource, g->resource) == 0 : *of->driver);
}

static bool is_its_own(const struct given *g, const struct inv_allocation *of)
{
	return is_same_pod(g->a, of) &&
	       (join_has_device(g->a, of->id) ||
		(of->function != INV_NONE && of->function == g->a->function));
}

/*
 * What kubelet gave the pod instead, and how many; NULL when it has what it was given, or was given
 * nothing of these, or something of which nobody knows which device it is.
 */
static const struct inv_allocation *find_given(const struct given *g, size_t *n)
{
	const struct inv_allocation *ret = NULL;
	char bdf[NAME_BDF_SIZE];

	*n = 0;
	for (size_t i = 0; i < g->inv->n_allocations; i++) {
		const struct inv_allocation *of = &g->inv->allocations[i];

		if (is_its_own(g, of))
			return NULL;
		if (!is_candidate(g, of))
			continue;
		if (of->function == INV_NONE && !name_to_bdf(of->id, bdf))
			return NULL;
		ret = ret ? ret : of;
		++*n;
	}
	return ret;
}

static int judge_given(const struct given *g, struct findings *ret, struct err *e)
{
	static const struct finding_kind kind = {
		"given-other", SEVERITY_ERROR, REMEDY_BY_HAND,
		"delete the pod, so that it gets a device anew: kubelet may give the one it has to "
		"another pod",
	};
	const struct inv_attachment *a = g->a;
	const struct inv_allocation *of;
	char more[40] = "";
	size_t n;

	of = find_given(g, &n);
	if (n > 1)
		(void)snprintf(more, sizeof(more), " and %zu others", n - 1);
	return of ? finding_tell(ret, &kind, a->device, e, "pod %s/%s has it as %s, and kubelet "
				 "gave it %s%s as %s", a->pod_namespace, a->pod_name, a->ifname,
				 of->id, more, of->resource) : 0;
}

int node_given_other(const struct host *host, const struct inventory *inv, struct findings *ret,
		     struct err *e)
{
	auto_journal struct journal j = { .dir = -1, .lock = -1 };
	struct err ignored;	/* then what the runtime remembers has to do */
	size_t unknown = 0;
	bool looked = false;

	if (inv->n_attachments == 0)
		return finding_skip(ret, e, "the journal has no attachment");
	if (inv->n_allocations == 0)
		return skip_silent(inv, ret, e);
	(void)!journal_open(host, JOURNAL_READ, &j, &ignored);
	for (size_t i = 0; i < inv->n_attachments; i++) {
		struct given g = { .inv = inv, .a = &inv->attachments[i] };
		json_auto_t *request = NULL;

		if (strcmp(g.a->state, "live") != 0 || !*g.a->pod_name || !*g.a->device)
			continue;
		request = read_request(host, &j, g.a);
		unknown += !request;
		if (!request || !asks_kubelet(request, &g.resource))
			continue;
		looked = true;
		if (judge_given(&g, ret, e) < 0)
			return -1;
	}
	if (unknown > 0 && finding_skip(ret, e, "of %zu attachments neither the runtime nor the "
					"record tells what the network asked for", unknown) < 0)
		return -1;
	if (looked)
		return 0;
	return unknown > 0 ? 1 : finding_skip(ret, e, "no living pod's network asks kubelet for a "
					      "device");
}
