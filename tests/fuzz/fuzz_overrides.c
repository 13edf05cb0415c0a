/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_overrides.c - ResourceSlicePatches, DeviceTaintRules and DeviceClasses: what they make of a
 * device has no null and no second spelling of a name, and the slice stays as it is
 */
#include "manager/dra/overrides.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

static const char slice[] =
	"{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"ResourceSlice\",\"metadata\":{\"name\":"
	"\"s\"},\"spec\":{\"driver\":\"d.x\",\"nodeName\":\"n\",\"pool\":{\"name\":\"n\","
	"\"generation\":1,\"resourceSliceCount\":1},\"devices\":[{\"name\":\"a\",\"attributes\":"
	"{\"i\":{\"int\":1},\"e.x/s\":{\"string\":\"t\"}},\"capacity\":{\"m\":{\"value\":\"8Gi\"}},"
	"\"taints\":[{\"key\":\"own\",\"effect\":\"NoSchedule\"}]},{\"name\":\"b\"}]}}";

/* "d.x/i" beside "i" would be one attribute twice. */
static void must_be_proper(const json_t *map)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)map, name, v) {
		must(json_is_object(v) && json_object_size(v) > 0 && !json_object_get(v, "null"));
		if (strncmp(name, "d.x/", 4) == 0)
			must(!json_object_get(map, name + 4));
	}
}

static void check_device(const struct dra_device *d, const struct override_of_device *changes)
{
	json_auto_t *why = overrides_explain(d, changes);

	must(json_is_object(why));
	must_be_proper(json_object_get(d->device, "attributes"));
	must_be_proper(json_object_get(d->device, "capacity"));
}

static void check_all(struct overrides *o)
{
	auto_override_changes struct override_changes changes = { .devices = NULL };
	auto_manifests struct manifests m = { .list = NULL };
	auto_dra_devices struct dra_devices d = { .slices = NULL };
	json_auto_t *before = NULL, *findings = NULL;
	struct err e = { 0 };

	must(manifests_read(slice, strlen(slice), "slice", &m, &e) == 0);
	must(dra_devices_read(&m, &d, &e) == 0);
	before = json_deep_copy(d.slices[0].doc);
	must(overrides_apply(o, &d, &changes, &e) == 0);
	must(changes.n == d.n && json_equal(before, d.slices[0].doc));
	for (size_t i = 0; i < d.n; i++)
		check_device(&d.list[i], &changes.devices[i]);
	findings = overrides_findings(o);
	must(json_array_size(findings) >= o->n_findings);
}

static void fuzz_one(const char *text, size_t len)
{
	auto_overrides struct overrides o = { .patches = NULL };
	struct err e = { 0 };
	int rc = manifests_read(text, len, "fuzz", &o.from, &e);

	must_agree(rc, &e);
	if (rc < 0)
		return;
	must(overrides_compile(&o, &e) == 0);
	check_all(&o);
	if (o.n_rules > 0)
		accepted();
}
