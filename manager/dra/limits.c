/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.c - what a ResourceSlice may be: its pool, its nodes, its counters
 *
 * By resource/v1/types.go and the API server's validation of 1.36.
 */
#include "manager/dra/limits.h"

#include "base/jx.h"
#include "base/mem.h"
#include "base/name.h"
#include "manager/dra/device_limits.h"
#include "manager/dra/field.h"
#include "manager/dra/name.h"

#include <stdint.h>
#include <string.h>

/* -- pool and nodes -- */

/* A generation that is not there is 0, which may be; no slices may not. */
static int check_numbers(const json_t *pool, struct err *e)
{
	json_int_t n;
	int r = jx_int(pool, "", "generation", 0, INT64_MAX, &n, e);

	if (r < 0)
		return -1;
	r = jx_int(pool, "", "resourceSliceCount", 1, INT64_MAX, &n, e);
	return r == 0 ? err_set(e, ERR_NETCONF, 0, "resourceSliceCount is missing") :
			r < 0 ? -1 : 0;
}

static int check_pool(const json_t *spec, struct err *e)
{
	json_t *pool = NULL;
	int r = jx_object(spec, "", "pool", &pool, e);

	if (r <= 0)
		return r < 0 ? -1 : err_set(e, ERR_NETCONF, 0, "pool is missing");
	if (dra_field_name(pool, "name", dra_name_is_pool, DRA_MUST_POOL, e) < 0 ||
	    check_numbers(pool, e) < 0)
		return err_wrap(e, "pool");
	return 0;
}

/* Selectors of several slices are merged, which is simple with one term; a device may have more. */
static int check_terms(const json_t *spec, struct err *e)
{
	const json_t *selector = json_object_get(spec, "nodeSelector");

	return json_array_size(json_object_get(selector, "nodeSelectorTerms")) <= 1 ?
		       0 : err_set(e, ERR_NETCONF, 0,
				   "nodeSelector: expected exactly one of nodeSelectorTerms");
}

/* Of the node names of Kubernetes. */
static int check_nodes(const json_t *spec, bool *per_device, struct err *e)
{
	int n = 0;

	*per_device = false;
	if (dra_nodes_check(spec, &n, e) < 0 || check_terms(spec, e) < 0 ||
	    dra_flag_check(spec, "perDeviceNodeSelection", per_device, e) < 0)
		return -1;
	n += *per_device;
	if (n != 1)
		return err_set(e, ERR_NETCONF, 0,
			       "exactly one of nodeName, nodeSelector, allNodes and "
			       "perDeviceNodeSelection has to be there, and there are %d", n);
	return 0;
}

/* -- counters -- */

static int check_counter_set(const json_t *set, struct err *e)
{
	if (dra_field_name(set, "name", name_is_dns_label, DRA_MUST_LABEL, e) < 0)
		return -1;
	return dra_counters_check(set, e);
}

/* -- devices -- */

static bool has_list(const json_t *device)
{
	const char *name;
	json_t *v;

	json_object_foreach(json_object_get(device, "attributes"), name, v)
		if (dra_attribute_is_list(v))
			return true;
	return false;
}

static size_t devices_max(const json_t *spec)
{
	const json_t *device;
	size_t i;

	json_array_foreach(json_object_get(spec, "devices"), i, device)
		if (json_array_size(json_object_get(device, "taints")) > 0 ||
		    json_array_size(json_object_get(device, "consumesCounters")) > 0 ||
		    has_list(device))
			return DRA_DEVICES_MAX_FEW;
	return DRA_DEVICES_MAX;
}

/* An empty list is there, too. */
static bool is_there(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return v && !json_is_null(v);
}

static int check_spec(const json_t *spec, struct err *e)
{
	bool per_device;

	if (is_there(spec, "devices") && is_there(spec, "sharedCounters"))
		return err_set(e, ERR_NETCONF, 0, "devices and sharedCounters are in slices of "
			       "their own since Kubernetes 1.35, and here are both");
	if (dra_field_name(spec, "driver", dra_name_is_driver, DRA_MUST_DRIVER, e) < 0 ||
	    check_pool(spec, e) < 0 || check_nodes(spec, &per_device, e) < 0 ||
	    dra_field_each(spec, "devices", devices_max(spec),
			   per_device ? dra_device_with_nodes_check : dra_device_check, e) < 0 ||
	    dra_field_unique(spec, "devices", "name", e) < 0 ||
	    dra_field_each(spec, "sharedCounters", DRA_COUNTER_SETS_MAX, check_counter_set,
			   e) < 0)
		return -1;
	return dra_field_unique(spec, "sharedCounters", "name", e);
}

int dra_slice_check(const json_t *doc, struct err *e)
{
	json_t *spec = NULL;

	if (dra_field_spec(doc, &spec, e) < 0)
		return -1;
	return check_spec(spec, e) < 0 ? err_wrap(e, "spec") : 0;
}
