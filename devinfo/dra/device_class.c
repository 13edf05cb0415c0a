/* SPDX-License-Identifier: Apache-2.0 */
/* device_class.c - DeviceClasses for the devices of node_slices.h */
#include "devinfo/dra/device_class.h"

#include "base/name.h"
#include "devinfo/dra/dra_name.h"

#include <ctype.h>
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

/* "sriov-netdevice.intel.com" of intel.com/sriov_netdevice; or by its hash. */
static void class_name(const char *resource, char ret[256])
{
	const char *slash = strchr(resource, '/');

	(void)snprintf(ret, 256, "%.150s.%.*s", slash + 1,
		       (int)(slash - resource < 100 ? slash - resource : 100), resource);
	for (char *p = ret; *p; p++)
		*p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
	if (!name_is_dns_subdomain(ret))
		(void)snprintf(ret, 256, "pool-%016llx",
			       (unsigned long long)name_hash(0, resource));
}

/* A selector that fails for a device ends the scheduler's search, so absence is asked first. */
static json_t *pool_class(const char *driver, const char *resource)
{
	char name[256];
	json_t *class;

	class_name(resource, name);
	class = make_class(name, json_sprintf("device.driver == \"%s\" && \"resourceName\" in "
					      MULTUS " && " MULTUS ".resourceName == \"%s\"",
					      driver, resource));
	if (dra_name_is_resource(resource))
		(void)json_object_set_new(json_object_get(class, "spec"), "extendedResourceName",
					  json_string(resource));
	return class;
}

json_t *device_classes(const char *driver, const struct pools *pools)
{
	json_t *ret = json_array();
	char resource[320];

	for (size_t i = 0; i < pools->n; i++)
		(void)json_array_append_new(
			ret, pool_class(driver, pool_resource(pools, i, resource)));
	if (pools->n == 0)
		(void)json_array_append_new(
			ret, make_class(driver, json_sprintf("device.driver == \"%s\"", driver)));
	return ret;
}
