/* SPDX-License-Identifier: Apache-2.0 */
/* lint_version.c - what has an API server of an earlier version not yet, of these objects? */
#include "manager/dra/lint.h"

#include "base/mem.h"

#include <string.h>

#define GROUP "resource.k8s.io/"

/* The minor version of Kubernetes that has each first; kind NULL: of all others. */
static const struct {
	const char *version, *kind;
	int minor;
} served[] = {
	{ "v1beta2", "DeviceTaintRule", 36 },
	{ "v1", NULL, 34 },
	{ "v1beta2", NULL, 33 },
	{ "v1alpha3", NULL, 33 },
	{ "v1beta1", NULL, KUBERNETES_MINOR_MIN },
};

static const struct gated {
	const char *kind;
	const char *map;		/* of whose values it is a member, or NULL */
	const char *key;
	int minor;			/* which has it first; before, it is not known */
	enum kubernetes_feature feature;	/* without which it is dropped */
} gated[] = {
	{ "ResourceSlice", NULL, "sharedCounters", 33, KUBERNETES_PARTITIONS },
	{ "ResourceSlice", NULL, "consumesCounters", 33, KUBERNETES_PARTITIONS },
	{ "ResourceSlice", NULL, "perDeviceNodeSelection", 33, KUBERNETES_PARTITIONS },
	{ "ResourceSlice", NULL, "taints", 33, KUBERNETES_TAINTS },
	{ "ResourceSlice", NULL, "bindsToNode", 34, KUBERNETES_BINDING },
	{ "ResourceSlice", NULL, "bindingConditions", 34, KUBERNETES_BINDING },
	{ "ResourceSlice", NULL, "bindingFailureConditions", 34, KUBERNETES_BINDING },
	{ "ResourceSlice", NULL, "allowMultipleAllocations", 34, KUBERNETES_CONSUMPTION },
	{ "ResourceSlice", "capacity", "requestPolicy", 34, KUBERNETES_CONSUMPTION },
	{ "ResourceSlice", "attributes", "ints", 36, KUBERNETES_LISTS },
	{ "ResourceSlice", "attributes", "bools", 36, KUBERNETES_LISTS },
	{ "ResourceSlice", "attributes", "strings", 36, KUBERNETES_LISTS },
	{ "ResourceSlice", "attributes", "versions", 36, KUBERNETES_LISTS },
	{ "ResourceSlice", NULL, "nodeAllocatableResourceMappings", 36,
	  KUBERNETES_NODE_RESOURCES },
	{ "ResourceClaim", NULL, "adminAccess", KUBERNETES_MINOR_MIN, KUBERNETES_ADMIN_ACCESS },
	{ "ResourceClaim", NULL, "firstAvailable", 33, KUBERNETES_ALTERNATIVES },
	{ "ResourceClaim", NULL, "tolerations", 33, KUBERNETES_TAINTS },
	{ "ResourceClaim", NULL, "capacity", 34, KUBERNETES_CONSUMPTION },
	{ "ResourceClaim", NULL, "distinctAttribute", 34, KUBERNETES_CONSUMPTION },
	{ "DeviceClass", NULL, "extendedResourceName", 34, KUBERNETES_EXTENDED_RESOURCES },
};

/* A template has what a claim has. */
static bool is_of_kind(const struct gated *g, const char *kind)
{
	return strcmp(strcmp(kind, "ResourceClaimTemplate") == 0 ? "ResourceClaim" : kind,
		      g->kind) == 0;
}

/* What is called by whoever wrote it, or is not the API's, has no members of it. */
static bool has_names(const char *key)
{
	static const char *const keys[] = { "attributes", "capacity", "counters", "config",
					    "metadata", "status" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

static bool values_have(json_t *map, const char *key)
{
	const char *name;
	json_t *value;

	json_object_foreach(map, name, value)
		if (json_object_get(value, key))
			return true;
	return false;
}

static bool has_member(json_t *v, const struct gated *g)
{
	const char *key;
	json_t *member;
	size_t i;

	json_array_foreach(v, i, member)
		if (has_member(member, g))
			return true;
	json_object_foreach(v, key, member)
		if (g->map && strcmp(key, g->map) == 0 ? values_have(member, g->key) :
		    (!g->map && strcmp(key, g->key) == 0) ||
		    (!has_names(key) && has_member(member, g)))
			return true;
	return false;
}

struct versioned {
	const struct manifest *m;
	const struct kubernetes *k;
	dra_lint_say *say;
	void *arg;
};

#define say(v, is_error, ...) dra_lint_tell((v)->say, (v)->arg, is_error, __VA_ARGS__)

static bool is_served(const struct versioned *v)
{
	const char *version = v->m->api_version + strlen(GROUP);

	for (size_t i = 0; i < ARRAY_SIZE(served); i++) {
		if (strcmp(served[i].version, version) != 0 ||
		    (served[i].kind && strcmp(served[i].kind, v->m->kind) != 0))
			continue;
		if (!kubernetes_is_before(v->k, served[i].minor, 0))
			return true;
		say(v, true, "apiVersion: Kubernetes 1.%d has no %.64s of %.64s: it came with 1.%d",
		    v->k->minor, v->m->kind, v->m->api_version, served[i].minor);
		return false;
	}
	return true;		/* that is no version of 1.36 is told without */
}

static void look_at(const struct versioned *v, const struct gated *g)
{
	if (!is_of_kind(g, v->m->kind) || !has_member(v->m->doc, g))
		return;
	if (kubernetes_is_before(v->k, g->minor, 0))
		say(v, true, "%s: Kubernetes 1.%d does not know it: it came with 1.%d", g->key,
		    v->k->minor, g->minor);
	else if (!kubernetes_has(v->k, g->feature))
		say(v, false, "%s: Kubernetes 1.%d drops it, unless its administrator has turned "
		    "%s on", g->key, v->k->minor, kubernetes_gate(g->feature));
}

/* Before 1.35 they were a part of taints. */
static void look_at_rule(const struct versioned *v)
{
	enum kubernetes_feature feature = kubernetes_is_before(v->k, 35, 0) ?
						  KUBERNETES_TAINTS : KUBERNETES_TAINT_RULES;

	if (strcmp(v->m->kind, "DeviceTaintRule") == 0 && !kubernetes_has(v->k, feature))
		say(v, false, "without %s, which is off in Kubernetes 1.%d unless its "
		    "administrator has turned it on, it taints nothing",
		    kubernetes_gate(feature), v->k->minor);
}

void dra_lint_version(const struct manifest *m, const struct kubernetes *k, dra_lint_say *hear,
		      void *arg)
{
	const struct versioned v = { .m = m, .k = k, .say = hear, .arg = arg };

	if (strncmp(m->api_version, GROUP, strlen(GROUP)) != 0 || !is_served(&v))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(gated); i++)
		look_at(&v, &gated[i]);
	look_at_rule(&v);
}
