/* SPDX-License-Identifier: Apache-2.0 */
/* network_request.c - may a pod have what it asks for: that network, and those of its values */
#include "devinfo/network/network_definition.h"

#include "base/mem.h"

#include <string.h>

/* -- a network of another namespace -- */

/* Without a list it is the one that Multus has by default. */
static bool is_global(const struct settings *set, const char *namespace)
{
	const json_t *v;
	size_t i;

	if (!set->global_namespaces)
		return strcmp(namespace, "default") == 0;
	json_array_foreach(set->global_namespaces, i, v)
		if (strcmp(json_string_value(v), namespace) == 0)
			return true;
	return false;
}

int network_check_namespace(const struct settings *set, const char *pod_namespace,
			    const struct network_selection *s, struct err *e)
{
	if (!set->namespace_isolation || strcmp(s->namespace, pod_namespace) == 0 ||
	    is_global(set, s->namespace) ||
	    (s->is_default && strcmp(s->namespace, DEFAULT_NETWORK_NAMESPACE) == 0))
		return 0;
	(void)err_set(e, ERR_NETCONF, 0, "network %s/%s: a pod of namespace %s may not have "
		      "networks of another one", s->namespace, s->name, pod_namespace);
	return err_detail(e, "namespaceIsolation is true in the node's file, and globalNamespaces "
			  "does not list %s", s->namespace);
}

/* -- what is asked of it -- */

static bool declares(const struct network *n, const char *capability)
{
	const json_t *plugin;
	size_t i;

	json_array_foreach(n->plugins, i, plugin)
		if (json_is_true(json_object_get(json_object_get(plugin, "capabilities"),
						 capability)))
			return true;
	return false;
}

int network_check_request(const struct network *n, const struct network_selection *s,
			  struct err *e)
{
	const struct {
		bool asked;
		const char *key, *capability;
	} rows[] = {
		{ *s->mac, "mac", "mac" },
		{ *s->guid, "infiniband-guid", "infinibandGUID" },
		{ s->ips, "ips", "ips" },
		{ json_array_size(s->port_mappings) > 0, "portMappings", "portMappings" },
		{ s->bandwidth, "bandwidth", "bandwidth" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].asked && !declares(n, rows[i].capability))
			return err_set(e, ERR_NETCONF, 0, "%s: no plugin of network %s/%s declares "
				       "the capability %s, so it would have no effect",
				       rows[i].key, s->namespace, s->name, rows[i].capability);
	return 0;
}
