/* SPDX-License-Identifier: Apache-2.0 */
/* node_feature.c - the features of a node as an object of the cluster */
#include "manager/nfd/node_feature.h"

#include "base/mem.h"
#include "base/name.h"

#include <stdbool.h>
#include <string.h>

enum { LABEL_VALUE_MAX = 63 };

int node_feature_check_name(const char *node, struct err *e)
{
	if (name_is_dns_subdomain(node) && strlen(node) <= LABEL_VALUE_MAX)
		return 0;
	return err_set(e, ERR_NETCONF, 0,
		       "a NodeFeature cannot be for the node '%.64s': at most %d of a-z, 0-9, '-' "
		       "and '.' are allowed", node, LABEL_VALUE_MAX);
}

/* The name must be no other's: nfd-worker takes the node's own. */
static json_t *make_metadata(const char *node)
{
	return json_pack("{s:s+,s:s,s:{s:s}}", "name", "devinfo-", node, "namespace",
			 NODE_FEATURE_NAMESPACE, "labels", NFD_NODE_LABEL, node);
}

json_t *node_feature(const json_t *features, const json_t *labels, const char *node,
		     struct err *e)
{
	json_t *spec, *object;

	if (node_feature_check_name(node, e) < 0)
		return NULL;
	spec = json_pack("{s:o}", "features", json_deep_copy(features));
	if (labels)
		(void)json_object_set_new(spec, "labels", json_deep_copy(labels));
	object = json_pack("{s:s,s:s,s:o,s:o}", "apiVersion", NFD_API_VERSION, "kind",
			   "NodeFeature", "metadata", make_metadata(node), "spec", spec);
	if (!object)
		(void)err_set(e, ERR_IO, 0, "make the NodeFeature of %s", node);
	return object;
}

size_t node_feature_size(const json_t *object)
{
	return json_dumpb(object, NULL, 0, JSON_COMPACT);
}

/* True when it was there. */
static bool take_out(json_t *object, const char *type, const char *set)
{
	json_t *spec = json_object_get(object, "spec");
	json_t *of_type = json_object_get(json_object_get(spec, "features"), type);

	return json_object_get(of_type, set) && json_object_del(of_type, set) == 0;
}

int node_feature_trim(json_t *object, size_t max, void (*left_out)(const char *set, void *arg),
		      void *arg, struct err *e)
{
	static const char *const order[][2] = {
		{ "attributes", "kernel.config" }, { "flags", "kernel.enabledmodule" },
		{ "instances", "network.virtual" }, { "instances", "devinfo.auxiliary" },
		{ "instances", "devinfo.vdpa" }, { "instances", "devinfo.mgmtdev" },
		{ "instances", "pci.device" }, { "instances", "network.device" },
		{ "instances", "devinfo.function" }, { "attributes", "local.feature" },
		{ "attributes", "local.label" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(order) && node_feature_size(object) > max; i++)
		if (take_out(object, order[i][0], order[i][1]))
			left_out(order[i][1], arg);
	if (node_feature_size(object) <= max)
		return 0;
	return err_set(e, ERR_NETCONF, 0, "the NodeFeature has %zu bytes, at most %zu are allowed",
		       node_feature_size(object), max);
}
