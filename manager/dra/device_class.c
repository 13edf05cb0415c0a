/* SPDX-License-Identifier: Apache-2.0 */
/* device_class.c - DeviceClasses for the devices of node_slices.h */
#include "manager/dra/device_class.h"

#include "base/name.h"
#include "manager/dra/name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MULTUS "device.attributes[\"k8s.cni.cncf.io\"]"

static json_t *make_class(const char *name, json_t *expression)
{
	return json_pack("{s:s,s:s,s:{s:s,s:{s:s}},s:{s:[{s:{s:o}}]}}", "apiVersion",
			 "resource.k8s.io/v1", "kind", "DeviceClass", "metadata", "name", name,
			 "labels", "app.kubernetes.io/managed-by", "devinfoctl", "spec",
			 "selectors", "cel", "expression", expression);
}

static bool is_among(const json_t *classes, const char *name)
{
	const json_t *class;
	size_t i;

	json_array_foreach(classes, i, class) {
		const json_t *metadata = json_object_get(class, "metadata");

		if (strcmp(json_string_value(json_object_get(metadata, "name")), name) == 0)
			return true;
	}
	return false;
}

/*
 * "sriov-netdevice.intel.com" of intel.com/sriov_netdevice; or by its hash, where that is no name,
 * or a pool before it has the same (sriov-netdevice).
 */
static void class_name(const char *resource, const json_t *before, char ret[256])
{
	const char *slash = strchr(resource, '/');

	(void)snprintf(ret, 256, "%.150s.%.*s", slash + 1,
		       (int)(slash - resource < 100 ? slash - resource : 100), resource);
	for (char *p = ret; *p; p++)
		*p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
	if (!name_is_dns_subdomain(ret) || is_among(before, ret))
		(void)snprintf(ret, 256, "pool-%016llx",
			       (unsigned long long)name_hash(0, resource));
}

/* A selector that fails for a device ends the scheduler's search, so absence is asked first. */
static json_t *pool_class(const char *driver, const char *resource, const json_t *before,
			  const struct kubernetes *kubernetes)
{
	char name[256];
	json_t *class;

	class_name(resource, before, name);
	class = make_class(name, json_sprintf("device.driver == \"%s\" && \"resourceName\" in "
					      MULTUS " && " MULTUS ".resourceName == \"%s\"",
					      driver, resource));
	if (dra_name_is_resource(resource) &&
	    kubernetes_has(kubernetes, KUBERNETES_EXTENDED_RESOURCES))
		(void)json_object_set_new(json_object_get(class, "spec"), "extendedResourceName",
					  json_string(resource));
	return class;
}

json_t *device_classes(const char *driver, const struct pools *pools,
		       const struct kubernetes *kubernetes)
{
	json_t *ret = json_array();
	char resource[320];

	for (size_t i = 0; i < pools->n; i++)
		if (pool_slots(pools, i) == 0)	/* sockets are in no slice */
			(void)json_array_append_new(
				ret, pool_class(driver, pool_resource(pools, i, resource), ret,
						kubernetes));
	if (pools->n == 0)
		(void)json_array_append_new(
			ret, make_class(driver, json_sprintf("device.driver == \"%s\"", driver)));
	return ret;
}
