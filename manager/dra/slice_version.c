/* SPDX-License-Identifier: Apache-2.0 */
/* slice_version.c - objects of resource.k8s.io/v1 in the versions before it */
#include "manager/dra/slice_version.h"

#include "base/mem.h"

#include <stdbool.h>
#include <string.h>

#define GROUP "resource.k8s.io/"

static const struct version {
	const char *name, *api;
	int minor;			/* of Kubernetes, which has it first */
	bool basic;			/* what a device has is one level deeper */
} versions[] = {			/* the newest first */
	{ "v1", GROUP "v1", 34, .basic = false },
	{ "v1beta2", GROUP "v1beta2", 33, .basic = false },
	{ "v1beta1", GROUP "v1beta1", 32, .basic = true },
};

static const struct version *find_version(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (strcmp(name, versions[i].name) == 0)
			return &versions[i];
	return NULL;
}

/* All but its name. */
static json_t *with_basic(json_t *device)
{
	json_t *basic = json_copy(device);

	(void)json_object_del(basic, "name");
	return json_pack("{s:O,s:o}", "name", json_object_get(device, "name"), "basic", basic);
}

static void put_basic(json_t *object)
{
	json_t *devices = json_object_get(json_object_get(object, "spec"), "devices"), *device;
	size_t i;

	json_array_foreach(devices, i, device)
		(void)json_array_set_new(devices, i, with_basic(device));
}

int slice_version_choose(const char **version, const struct kubernetes *k, struct err *e)
{
	const struct version *v = *version ? find_version(*version) : versions;

	if (!v)
		return err_set(e, ERR_NETCONF, 0, "--api cannot be '%.64s': expected v1, v1beta2 "
			       "or v1beta1", *version);
	while (!*version && kubernetes_is_before(k, v->minor, 0))
		v++;			/* the last one is of the first Kubernetes that is read */
	if (kubernetes_is_before(k, v->minor, 0))
		return err_set(e, ERR_NETCONF, 0, "--api cannot be '%.64s': Kubernetes 1.%d does "
			       "not have it, which came with 1.%d", *version, k->minor, v->minor);
	*version = v->name;
	return 0;
}

void slice_version_set(json_t *objects, const char *version)
{
	const struct version *v = find_version(version);
	json_t *object;
	size_t i;

	if (!v)
		return;		/* cannot be: it has been chosen */
	json_array_foreach(objects, i, object) {
		(void)json_object_set_new(object, "apiVersion", json_string(v->api));
		if (v->basic)
			put_basic(object);
	}
}
