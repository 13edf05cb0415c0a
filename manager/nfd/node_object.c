/* SPDX-License-Identifier: Apache-2.0 */
/* node_object.c - the NodeFeature of a node, made from its inventory */
#include "manager/nfd/node_object.h"

#include "base/mem.h"
#include "manager/nfd/feature_export.h"
#include "manager/nfd/features.h"
#include "manager/nfd/node_feature.h"
#include "manager/nfd/node_summary.h"

static int trim(json_t *object, const struct node_object_wish *wish, struct err *e)
{
	static const char *const config = "kernel.config";
	json_t *spec = json_object_get(object, "spec");
	json_t *attributes = json_object_get(json_object_get(spec, "features"), "attributes");

	if (node_feature_size(object) > NODE_FEATURE_APPLY_MAX &&
	    json_object_del(attributes, config) == 0)
		wish->left_out(config, wish->arg);
	return node_feature_trim(object, NODE_FEATURE_BYTES_MAX, wish->left_out, wish->arg, e);
}

json_t *node_object(const struct host *host, const struct inventory *inv,
		    const struct node_object_wish *wish, struct err *e)
{
	json_auto_t *features = nfd_features_with_pools(host, inv, wish->pools, e);
	json_auto_t *summary = NULL, *labels = NULL, *object = NULL;

	if (!features)
		return NULL;
	nfd_features_set_name(features, wish->node);
	summary = node_summary(inv, wish->pools);
	labels = feature_export_labels(summary);
	object = node_feature(features, wish->raw ? NULL : labels, wish->node, e);
	return object && trim(object, wish, e) == 0 ? steal_ptr(&object) : NULL;
}
