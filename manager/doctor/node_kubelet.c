/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_kubelet.c - does kubelet answer, and is what it says true of this node?
 *
 * Its devices are all kinds of devices: what is judged are the ids that are PCI addresses.
 */
#include "manager/doctor/node_check.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/name.h"
#include "devinfo/kubelet/checkpoint.h"

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
