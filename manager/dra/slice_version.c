/* SPDX-License-Identifier: Apache-2.0 */
/* slice_version.c - objects of resource.k8s.io/v1 in the versions before it */
#include "manager/dra/slice_version.h"

#include "base/mem.h"

#include <stdbool.h>
#include <string.h>

#define GROUP "resource.k8s.io/"

static const struct version {
	const char *name, *api;
	bool basic;			/* what a device has is one level deeper */
} versions[] = {
	{ "v1", GROUP "v1", .basic = false },
	{ "v1beta2", GROUP "v1beta2", .basic = false },
	{ "v1beta1", GROUP "v1beta1", .basic = true },
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

int slice_version_check(const char *version, struct err *e)
{
	return !version || find_version(version) ? 0 :
		       err_set(e, ERR_NETCONF, 0, "--api cannot be '%.64s': expected v1, v1beta2 "
			       "or v1beta1", version);
}

void slice_version_set(json_t *objects, const char *version)
{
	const struct version *v = version ? find_version(version) : NULL;
	json_t *object;
	size_t i;

	if (!v)
		v = &versions[0];
	json_array_foreach(objects, i, object) {
		(void)json_object_set_new(object, "apiVersion", json_string(v->api));
		if (v->basic)
			put_basic(object);
	}
}
