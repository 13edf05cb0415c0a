/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_node_slices.c - ResourceSlices of a node: what is published, and that it is within the
 * bounds of the API (manager/dra/limits.h), whatever the node
 */
#include "manager/dra/node_slices.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/cel/cel.h"
#include "manager/dra/device_class.h"
#include "manager/dra/limits.h"
#include "manager/dra/slice_device.h"
#include "manager/dra/slice_version.h"
#include "manager/inventory/read.h"
#include "tests/unit/tap.h"

#include <glob.h>
#include <stdlib.h>

/* -- a node: a PF with VFs, one with sub-functions, one of the host's, one alone, a simulator -- */

static struct inv_function functions[] = {
	{ .bdf = "0000:03:00.0", .class = "020000", .vendor = "8086", .device = "1572",
	  .driver = "i40e", .total_vfs = 8, .num_vfs = 2, .health = "ok", .firmware = "9.20 0x8",
	  .pcie_root = "pci0000:00", .pci_path = "pci0000:00/01.0/00.0", .has_numa = true,
	  .numa_node = 1, .drivers_version = "6.1.0-49-amd64" },
	{ .bdf = "0000:03:02.0", .class = "020000", .vendor = "8086", .device = "154c",
	  .driver = "iavf", .is_vf = true, .vf_index = 0, .pf_bdf = "0000:03:00.0",
	  .health = "ok", .pcie_root = "pci0000:00", .has_numa = true, .numa_node = -1 },
	{ .bdf = "0000:03:02.1", .class = "020000", .vendor = "8086", .device = "154c",
	  .driver = "vfio-pci", .is_vf = true, .vf_index = 1, .pf_bdf = "0000:03:00.0",
	  .health = "changed", .holder = INV_NONE },
	{ .bdf = "0000:04:00.0", .class = "020000", .vendor = "8086", .device = "1521",
	  .driver = "igb", .total_vfs = 7, .num_vfs = 1, .health = "ok" },
	{ .bdf = "0000:04:10.0", .class = "020000", .vendor = "8086", .device = "1520",
	  .driver = "igbvf", .is_vf = true, .vf_index = 0, .pf_bdf = "0000:04:00.0",
	  .health = "ok" },
	{ .bdf = "0000:05:00.0", .class = "020000", .vendor = "15b3", .device = "1017",
	  .driver = "mlx5_core", .total_vfs = 8, .num_vfs = 1, .health = "ok" },
	{ .bdf = "0000:05:00.2", .class = "020000", .vendor = "15b3", .device = "1018",
	  .driver = "mlx5_core", .is_vf = true, .vf_index = 0, .pf_bdf = "0000:05:00.0",
	  .health = "ok" },
	{ .bdf = "0000:06:00.0", .class = "020000", .vendor = "15b3", .device = "1017",
	  .driver = "mlx5_core", .health = "failed", .eswitch = "switchdev" },
	{ .bdf = "0000:07:00.0", .class = "010802", .vendor = "144d", .device = "a808",
	  .driver = "vfio-pci", .health = "ok" },
	{ .bdf = "0000:08:00.0", .class = "020000", .vendor = "8086", .device = "1521",
	  .driver = "", .health = "vanished", .vanished = true },
	/* whose vDPA device is a network device of the host's, with an address */
	{ .bdf = "0000:09:00.0", .class = "020000", .vendor = "1af4", .device = "1041",
	  .driver = "vp-vdpa", .health = "ok" },
};

static struct inv_link links[] = {
	{ .name = "br0", .type = "ether", .kind = "bridge" },
	{ .name = "eno1", .parent_bus = "pci", .parent = "0000:04:00.0", .type = "ether",
	  .default_route = true, .speed = 1000 },
	{ .name = "enp3s0", .parent_bus = "pci", .parent = "0000:03:00.0", .type = "ether",
	  .speed = 40000, .ips = (char[][64]){ "fe80::1/64" }, .n_ips = 1 },
	{ .name = "enp3s0v0", .parent_bus = "pci", .parent = "0000:03:02.0", .type = "ether" },
	{ .name = "enp5s0", .parent_bus = "pci", .parent = "0000:05:00.0", .type = "ether" },
	{ .name = "enp5s0v0", .parent_bus = "pci", .parent = "0000:05:00.2", .type = "ether",
	  .master = "br0" },
	{ .name = "enp6s0s88", .parent_bus = "auxiliary", .parent = "mlx5_core.sf.4",
	  .type = "ether" },
	{ .name = "eth9", .type = "ether", .ips = (char[][64]){ "10.0.0.9/24" },
	  .n_ips = 1 },
};

static struct inv_auxiliary auxiliaries[] = {
	{ .name = "mlx5_core.eth.0", .type = "eth", .driver = "mlx5_core.eth",
	  .pf_bdf = "0000:06:00.0", .health = "ok" },
	{ .name = "mlx5_core.sf.4", .type = "sf", .driver = "mlx5_core.sf",
	  .pf_bdf = "0000:06:00.0", .has_sf = true, .sf = 88, .health = "ok" },
};

static struct inv_vdpa vdpas[] = {
	{ .name = "Vdpa_0", .driver = "vhost_vdpa", .mgmtdev = "vdpasim_net" },
	{ .name = "vdpa1", .driver = "vhost_vdpa", .mgmtdev = "vdpasim_net" },
	{ .name = "vdpa9", .driver = "virtio_vdpa", .bdf = "0000:09:00.0", .netdev = "eth9" },
};

static struct inventory node = {
	.functions = functions, .n_functions = ARRAY_SIZE(functions),
	.links = links, .n_links = ARRAY_SIZE(links),
	.auxiliaries = auxiliaries, .n_auxiliaries = ARRAY_SIZE(auxiliaries),
	.vdpas = vdpas, .n_vdpas = ARRAY_SIZE(vdpas),
};

static const struct kubernetes any = { 0 };
static const struct node_slices_wish wish = {
	.driver = "a.example", .node = "n1", .generation = 7,
};

static void join(struct inventory *inv)
{
	struct err e = { 0 };

	for (size_t i = 0; i < inv->n_functions; i++)
		inv->functions[i].holder = INV_NONE;
	for (size_t i = 0; i < inv->n_auxiliaries; i++)
		inv->auxiliaries[i].holder = INV_NONE;
	for (size_t i = 0; i < inv->n_vdpas; i++)
		inv->vdpas[i].holder = INV_NONE;
	ok(places_set(inv, &e) == 0);
}

/* -- what is made of it, each within the API's bounds -- */

static json_t *spec_of(const json_t *slices, size_t i)
{
	return json_object_get(json_array_get(slices, i), "spec");
}

static json_t *make(const struct inventory *inv, const struct node_slices_wish *w)
{
	struct err e = { 0 };
	json_t *slices = node_slices(inv, w, &e), *slice;
	size_t i;

	ok(slices);
	json_array_foreach(slices, i, slice) {
		const json_t *pool = json_object_get(spec_of(slices, i), "pool");
		struct err why = { 0 };

		ok(dra_slice_check(slice, &why) == 0 || (printf("# %s\n", why.msg), false));
		ok(!json_object_get(spec_of(slices, i), "devices") ||
		   !json_object_get(spec_of(slices, i), "sharedCounters"));
		ok(json_integer_value(json_object_get(pool, "resourceSliceCount")) ==
		   (json_int_t)json_array_size(slices));
		ok(json_integer_value(json_object_get(pool, "generation")) == w->generation);
	}
	return slices;
}

static json_t *find_device(const json_t *slices, const char *name)
{
	json_t *slice, *device;
	size_t i, k;

	json_array_foreach(slices, i, slice) {
		json_array_foreach(json_object_get(spec_of(slices, i), "devices"), k, device) {
			if (strcmp(json_string_value(json_object_get(device, "name")), name) == 0)
				return device;
		}
	}
	return NULL;
}

/* A value as JSON, "" for none. */
static void says(const json_t *v, const char *want)
{
	auto_free char *text = v ? json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY) : strdup("");

	eq(text, want);
}

static void has(const json_t *slices, const char *device, const char *attribute, const char *want)
{
	json_t *attributes = json_object_get(find_device(slices, device), "attributes");

	says(json_object_get(attributes, attribute), want);
}

static void names_of(const json_t *slices, char ret[1024])
{
	json_t *slice, *device;
	size_t i, k, n = 0;

	*ret = '\0';
	json_array_foreach(slices, i, slice) {
		json_array_foreach(json_object_get(spec_of(slices, i), "devices"), k, device) {
			n += (size_t)snprintf(ret + n, 1024 - n, "%s ", json_string_value(
						json_object_get(device, "name")));
		}
	}
}

/* -- what is in it -- */

static void published(const json_t *slices)
{
	char names[1024];

	test("D07, D12: published is what a pod may have, under names that stay; parts before PFs");
	names_of(slices, names);
	eq(names, "0000-03-02-0 0000-03-02-1 0000-04-10-0 0000-06-00-0-sf-88 0000-03-00-0 "
		  "0000-06-00-0 vdpa-vdpa-0-62fb5a7b vdpa-vdpa1 ");
	test("D04, D08: a slice has its driver, its pool, and the node's name");
	says(json_object_get(spec_of(slices, 0), "nodeName"), "\"n1\"");
	says(json_object_get(spec_of(slices, 0), "driver"), "\"a.example\"");
	says(json_object_get(spec_of(slices, 0), "pool"),
	     "{\"name\":\"n1\",\"generation\":7,\"resourceSliceCount\":2}");
	eq(json_string_value(json_object_get(json_object_get(json_array_get(slices, 1),
							     "metadata"), "name")),
	   "n1-a.example-counters-0");
}

static void attributes(const json_t *slices)
{
	test("D48: standard attributes have Kubernetes' names, and no NUMA node is none");
	has(slices, "0000-03-00-0", "resource.kubernetes.io/pciBusID",
	    "{\"string\":\"0000:03:00.0\"}");
	has(slices, "0000-03-00-0", "resource.kubernetes.io/pcieRoot",
	    "{\"string\":\"pci0000:00\"}");
	has(slices, "0000-03-00-0", "resource.kubernetes.io/numaNode", "{\"int\":1}");
	has(slices, "0000-03-02-0", "resource.kubernetes.io/numaNode", "");
	has(slices, "0000-06-00-0-sf-88", "resource.kubernetes.io/pciBusID", "");
	test("D48: Multus finds the device's id");
	has(slices, "0000-03-02-0", "k8s.cni.cncf.io/deviceID", "{\"string\":\"0000:03:02.0\"}");
	has(slices, "0000-06-00-0-sf-88", "k8s.cni.cncf.io/deviceID",
	    "{\"string\":\"mlx5_core.sf.4\"}");
	has(slices, "vdpa-vdpa1", "k8s.cni.cncf.io/deviceID", "{\"string\":\"vdpa1\"}");
	has(slices, "0000-03-02-0", "k8s.cni.cncf.io/resourceName", "");
	test("D11: attributes have types");
	has(slices, "0000-03-02-1", "vf_index", "{\"int\":1}");
	has(slices, "0000-03-02-1", "is_vf", "{\"bool\":true}");
	has(slices, "vdpa-vdpa1", "is_vf", "{\"bool\":false}");
	has(slices, "0000-03-00-0", "driver_version", "{\"version\":\"6.1.0-49-amd64\"}");
	has(slices, "0000-03-00-0", "vendor", "{\"string\":\"8086\"}");
	test("a VF has the firmware and speed of its card");
	has(slices, "0000-03-02-1", "firmware_version", "{\"version\":\"9.20.0\"}");
	has(slices, "0000-03-02-0", "speed", "{\"int\":40000}");
	has(slices, "0000-03-02-0", "link", "{\"string\":\"enp3s0v0\"}");
	test("D45: the hardware is told by ids, and by the slot that it is in");
	has(slices, "0000-03-00-0", "pci_path", "{\"string\":\"pci0000:00/01.0/00.0\"}");
	has(slices, "0000-03-00-0", "device", "{\"string\":\"1572\"}");
}

static void counters(const json_t *slices)
{
	test("D35: a PF takes all of its counter, a part one; the sets have slices of their own");
	says(json_object_get(spec_of(slices, 1), "sharedCounters"),
	     "[{\"name\":\"pf-0000-03-00-0\",\"counters\":{\"functions\":{\"value\":\"2\"}}},"
	     "{\"name\":\"pf-0000-06-00-0\",\"counters\":{\"functions\":{\"value\":\"1\"}}}]");
	says(json_object_get(find_device(slices, "0000-03-00-0"), "consumesCounters"),
	     "[{\"counterSet\":\"pf-0000-03-00-0\",\"counters\":{\"functions\":"
	     "{\"value\":\"2\"}}}]");
	says(json_object_get(find_device(slices, "0000-03-02-0"), "consumesCounters"),
	     "[{\"counterSet\":\"pf-0000-03-00-0\",\"counters\":{\"functions\":"
	     "{\"value\":\"1\"}}}]");
	says(json_object_get(find_device(slices, "0000-06-00-0-sf-88"), "consumesCounters"),
	     "[{\"counterSet\":\"pf-0000-06-00-0\",\"counters\":{\"functions\":"
	     "{\"value\":\"1\"}}}]");
	test("D35: a VF whose PF is not published takes none");
	says(json_object_get(find_device(slices, "0000-04-10-0"), "consumesCounters"), "");
}

static void taints(const json_t *slices)
{
	test("D37: a device that is not well is tainted, in our domain");
	says(json_object_get(find_device(slices, "0000-03-02-1"), "taints"),
	     "[{\"key\":\"a.example/health\",\"value\":\"changed\",\"effect\":\"NoSchedule\"}]");
	says(json_object_get(find_device(slices, "0000-06-00-0"), "taints"),
	     "[{\"key\":\"a.example/health\",\"value\":\"failed\",\"effect\":\"NoSchedule\"}]");
	says(json_object_get(find_device(slices, "0000-03-02-0"), "taints"), "");
}

/* What has counters or taints, of any device. */
static size_t count_of(const json_t *slices, const char *key)
{
	json_t *slice, *device;
	size_t i, k, n = 0;

	json_array_foreach(slices, i, slice) {
		n += json_object_get(spec_of(slices, i), key) != NULL;
		json_array_foreach(json_object_get(spec_of(slices, i), "devices"), k, device) {
			n += json_object_get(device, key) != NULL;
		}
	}
	return n;
}

static void set_class(const char *class)
{
	(void)snprintf(functions[1].class, sizeof(functions[1].class), "%s", class);
	(void)snprintf(functions[2].class, sizeof(functions[2].class), "%s", class);
}

static void old_cluster(void)
{
	static const struct kubernetes old = { 35, 4 }, new = { 36, KUBERNETES_PATCH_ANY };
	struct node_slices_left left = { 0 };
	struct node_slices_wish w = wish;
	char names[1024];

	test("a cluster without counters and taints gets what needs none: parts that are well");
	w.kubernetes = &old;
	w.left = &left;
	{
		json_auto_t *slices = make(&node, &w), *newer = NULL, *before = make(&node, &wish);

		names_of(slices, names);
		eq(names, "0000-03-02-0 0000-04-10-0 0000-06-00-0-sf-88 vdpa-vdpa-0-62fb5a7b "
			  "vdpa-vdpa1 ");
		eqi((int)(count_of(slices, "consumesCounters") + count_of(slices, "taints") +
			  count_of(slices, "sharedCounters")), 0);
		eqi((int)left.pfs, 2);
		eqi((int)left.tainted, 1);
		test("one that has them gets all, and nothing is left out");
		w.kubernetes = &new;
		left = (struct node_slices_left){ 0 };
		newer = make(&node, &w);
		ok(json_equal(newer, before));
		eqi((int)(left.pfs + left.tainted), 0);
	}
	test("a PF of which no part is published is, in any cluster");
	w.kubernetes = &old;
	set_class("010802");
	{
		json_auto_t *slices = make(&node, &w);

		ok(find_device(slices, "0000-03-00-0"));
	}
	set_class("020000");
}

static void in_a_pod(void)
{
	struct inv_attachment a = { .host_name = "enp3s0v0" };
	struct inventory inv = node;

	test("a device that a pod has is published as before");
	inv.attachments = &a;
	inv.n_attachments = 1;
	functions[1].holder = 0;
	functions[1].link = INV_NONE;
	{
		json_auto_t *now = make(&inv, &wish), *before = NULL;

		join(&node);
		before = make(&node, &wish);
		ok(json_equal(now, before));
	}
}

static void pools(void)
{
	static const char good[] = "{\"resourceList\": [{\"resourceName\": \"vf\", "
				   "\"resourcePrefix\": \"b.example\", \"selectors\": "
				   "{\"drivers\": [\"iavf\"]}}]}";
	static const char bad[] = "{\"resourceList\": [{\"resourceName\": \"vf\", "
				  "\"resourcePrefix\": \"b123456789.c123456789.d123456789."
				  "e123456789.f123456789.example\", \"selectors\": {}}]}";
	auto_pools struct pools p = { .n = 0 }, q = { .n = 0 };
	struct node_slices_wish w = wish;
	struct err e = { 0 };

	test("D48: a device of a pool has its resource, as Multus wants it");
	ok(pools_parse(good, strlen(good), &p, &e) == 0);
	w.pools = &p;
	{
		json_auto_t *slices = make(&node, &w);

		has(slices, "0000-03-02-0", "k8s.cni.cncf.io/resourceName",
		    "{\"string\":\"b.example/vf\"}");
		has(slices, "0000-03-02-1", "k8s.cni.cncf.io/resourceName", "");
	}
	test("a resource that is too long for an attribute is an error");
	ok(pools_parse(bad, strlen(bad), &q, &e) == 0);
	w.pools = &q;
	ok(!node_slices(&node, &w, &e));
	contains(e.msg, "an attribute has at most 64 bytes");
}

/* -- classes -- */

/* Which devices an expression means, of this driver; an error for one of them is told. */
static void class_means(const json_t *class, const json_t *slices, const char *driver,
			const char *want)
{
	const json_t *selectors = json_object_get(json_object_get(class, "spec"), "selectors");
	const json_t *one = json_object_get(json_array_get(selectors, 0), "cel"), *devices;
	struct err e = { 0 };
	auto_cel struct cel *cel = cel_compile(
		json_string_value(json_object_get(one, "expression")), &e);
	char have[1024] = "";
	size_t n = 0;

	ok(cel && dra_class_check(class, &e) == 0);
	devices = json_object_get(spec_of(slices, 0), "devices");
	for (size_t i = 0; i < json_array_size(devices); i++) {
		const json_t *device = json_array_get(devices, i);
		const struct cel_device d = {
			.driver = driver, .attributes = json_object_get(device, "attributes"),
		};
		int r = cel_matches(cel, &d, &e);

		ok(r >= 0 || (printf("# %s\n", e.msg), false));
		if (r > 0)
			n += (size_t)snprintf(have + n, sizeof(have) - n, "%s ", json_string_value(
						      json_object_get(device, "name")));
	}
	eq(have, want);
}

static void classes(void)
{
	static const char text[] =
		"{\"resourceList\": [{\"resourceName\": \"vf\", \"selectors\": "
		"{\"drivers\": [\"iavf\", \"igbvf\"]}}, {\"resourceName\": \"V_f\", "
		"\"resourcePrefix\": \"x.kubernetes.io\", \"selectors\": {\"drivers\": "
		"[\"vfio-pci\"]}}, {\"resourceName\": \"-\", \"selectors\": {}}, "
		"{\"resourceName\": \"VF\", \"selectors\": {}}]}";
	auto_pools struct pools p = { .n = 0 }, none = { .n = 0 };
	struct node_slices_wish w = wish;
	json_auto_t *slices = NULL, *each = NULL, *all = device_classes("a.example", &none,
								       &any);
	const json_t *name;
	struct err e = { 0 };

	test("D02, D13: a class means the devices of its pool, and fails for no device");
	ok(pools_parse(text, strlen(text), &p, &e) == 0);
	w.pools = &p;
	slices = make(&node, &w);
	each = device_classes("a.example", &p, &any);
	ok(json_array_size(each) == 4 && json_array_size(all) == 1);
	class_means(json_array_get(each, 0), slices, "a.example", "0000-03-02-0 0000-04-10-0 ");
	class_means(json_array_get(each, 1), slices, "a.example", "0000-03-02-1 ");
	class_means(json_array_get(each, 0), slices, "b.example", "");
	class_means(json_array_get(all, 0), slices, "b.example", "");
	test("D49: a cluster that has no extended resources of classes gets none");
	{
		json_auto_t *old = device_classes("a.example", &p, &(struct kubernetes){ 35, 0 });

		says(json_object_get(json_object_get(json_array_get(old, 0), "spec"),
				     "extendedResourceName"), "");
	}
	test("D49: a class has the pool's resource, if the API takes it, and a valid name");
	says(json_object_get(json_object_get(json_array_get(each, 0), "spec"),
			     "extendedResourceName"), "\"intel.com/vf\"");
	says(json_object_get(json_object_get(json_array_get(each, 1), "spec"),
			     "extendedResourceName"), "");
	says(json_object_get(json_object_get(json_array_get(each, 1), "metadata"), "name"),
	     "\"v-f.x.kubernetes.io\"");
	test("D49: of two pools whose classes would have one name, the second has another");
	says(json_object_get(json_object_get(json_array_get(each, 0), "metadata"), "name"),
	     "\"vf.intel.com\"");
	name = json_object_get(json_object_get(json_array_get(each, 3), "metadata"), "name");
	begins(json_string_value(name), "pool-");
}

/* -- many -- */

/* n functions of their own; each `tainted`th has failed (0: none). */
static void sizes(size_t n, size_t tainted, const char *want)
{
	struct inventory inv = { .n_functions = n,
				 .functions = calloc(n + 1, sizeof(functions[0])) };
	char have[128] = "";

	for (size_t i = 0; i < n; i++) {
		struct inv_function *f = &inv.functions[i];

		(void)snprintf(f->bdf, sizeof(f->bdf), "0000:%02x:%02x.%x",
			       (unsigned int)(i / 256) & 0xff, (unsigned int)(i / 8) % 32,
			       (unsigned int)i % 8);
		(void)strcpy(f->class, "020000");
		(void)strcpy(f->health, tainted && i % tainted == 0 ? "failed" : "ok");
	}
	join(&inv);
	{
		json_auto_t *slices = make(&inv, &wish);

		for (size_t i = 0; i < json_array_size(slices); i++)
			(void)snprintf(have + strlen(have), sizeof(have) - strlen(have), "%zu ",
				       json_array_size(json_object_get(spec_of(slices, i),
								       "devices")));
	}
	eq(have, want);
	free(inv.functions);
}

/* n PFs with a VF each. */
static void sets(size_t n, const char *want)
{
	struct inventory inv = { .n_functions = 2 * n,
				 .functions = calloc(2 * n, sizeof(functions[0])) };
	char have[128] = "";

	for (size_t i = 0; i < 2 * n; i++) {
		struct inv_function *f = &inv.functions[i];
		unsigned int bus = (unsigned int)(i / 2) & 0xff;

		(void)snprintf(f->bdf, sizeof(f->bdf), "0000:%02x:00.%d", bus, (int)(i % 2));
		f->is_vf = i % 2;
		f->num_vfs = !f->is_vf;
		if (f->is_vf)
			(void)snprintf(f->pf_bdf, sizeof(f->pf_bdf), "0000:%02x:00.0", bus);
	}
	join(&inv);
	{
		json_auto_t *slices = make(&inv, &wish);

		for (size_t i = 0; i < json_array_size(slices); i++)
			(void)snprintf(have + strlen(have), sizeof(have) - strlen(have), "%zu ",
				       json_array_size(json_object_get(spec_of(slices, i),
								       "sharedCounters")));
	}
	eq(have, want);
	free(inv.functions);
}

static void many(void)
{
	test("D07: more than 128 devices are several slices");
	sizes(0, 0, "0 ");
	sizes(128, 0, "128 ");
	sizes(129, 0, "128 1 ");
	sizes(512, 0, "128 128 128 128 ");
	test("D07, D41: of which one with a taint has at most 64");
	sizes(129, 1, "64 64 1 ");
	sizes(129, 128, "64 64 1 ");
	sizes(300, 100, "64 64 72 64 36 ");
	test("D35: more than 8 sets of counters are several slices, too");
	sets(9, "0 8 1 ");
	sets(33, "0 0 8 8 8 8 1 ");
}

static void long_names(void)
{
	struct node_slices_wish w = wish;
	char name[254];

	test("D12: a slice has a valid name, however long the node's is");
	memset(name, 'n', 63);
	for (size_t i = 63; i < 253; i++)
		name[i] = i % 64 == 63 ? '.' : 'n';
	name[253] = '\0';
	w.node = name;
	json_decref(make(&node, &w));
}

/* What is no network device, and what the host has made of a vDPA device that is on nothing. */
static void others(void)
{
	static const char text[] = "{\"resourceList\": [{\"resourceName\": \"dsa\", "
				   "\"deviceType\": \"accelerator\", \"selectors\": {}}]}";
	struct inv_function f = { .bdf = "0000:0a:00.0", .class = "120000", .health = "ok",
				  .driver = "vfio-pci" };
	struct inv_link l = { .name = "eth1", .type = "ether", .default_route = true };
	struct inv_vdpa v = { .name = "v0", .driver = "virtio_vdpa", .netdev = "eth1",
			      .mgmtdev = "vdpasim_net" };
	struct inventory inv = { .functions = &f, .n_functions = 1, .links = &l, .n_links = 1,
				 .vdpas = &v, .n_vdpas = 1 };
	auto_pools struct pools p = { .n = 0 };
	struct node_slices_wish w = wish;
	struct err e = { 0 };
	char names[1024];

	test("D07: an accelerator is published when a pool has it, no vDPA device of the host's");
	join(&inv);
	ok(pools_parse(text, strlen(text), &p, &e) == 0);
	{
		json_auto_t *without = make(&inv, &w), *with = NULL;

		names_of(without, names);
		eq(names, "");
		w.pools = &p;
		with = make(&inv, &w);
		names_of(with, names);
		eq(names, "0000-0a-00-0 ");
	}
}

/* A PF about which all is known that can be. */
static void all_attributes(void)
{
	static const char text[] = "{\"resourceList\": [{\"resourceName\": \"pf\", "
				   "\"selectors\": {}}]}";
	struct inv_function f = {
		.bdf = "0000:03:00.0", .class = "020000", .vendor = "15b3", .device = "101d",
		.vendor_name = "a", .device_name = "b", .driver = "c", .iommu_group = "1",
		.drivers_version = "1.0", .firmware = "1.0", .pcie_root = "pci0000:00",
		.pci_path = "pci0000:00/00.0", .has_numa = true, .total_vfs = 8,
		.eswitch = "legacy", .vhost_net = true, .health = "ok",
	};
	struct inv_link l = { .name = "eth0", .parent_bus = "pci", .parent = "0000:03:00.0",
			      .type = "ether", .speed = 1000 };
	struct inv_rdma r = { .name = "mlx5_0", .parent = "0000:03:00.0" };
	struct inv_vdpa v = { .name = "v0", .driver = "vhost_vdpa", .bdf = "0000:03:00.0" };
	struct inventory inv = {
		.functions = &f, .n_functions = 1, .links = &l, .n_links = 1,
		.rdmas = &r, .n_rdmas = 1, .vdpas = &v, .n_vdpas = 1,
	};
	auto_pools struct pools p = { .n = 0 };
	struct node_slices_wish w = wish;
	struct err e = { 0 };

	test("D11: a device has at most 32 attributes, however much is known of it");
	ok(pools_parse(text, strlen(text), &p, &e) == 0);
	w.pools = &p;
	join(&inv);
	{
		json_auto_t *slices = make(&inv, &w);

		/* of num_vfs 0 is told, too */
		ok(json_object_size(json_object_get(find_device(slices, "0000-03-00-0"),
						    "attributes")) == 31);
	}
}

/* What is exported of the nodes of tests/node/fleet, see tests/node/expect.sh. */
static void expected(void)
{
	auto_with(globfree) glob_t files = { .gl_pathc = 0 };
	struct err e = { 0 };

	test("what is exported of whole nodes is within the bounds of the API");
	ok(glob("tests/node/expected/*/export-resourceslice.json", 0, NULL, &files) == 0);
	ok(files.gl_pathc >= 6);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		json_auto_t *list = json_load_file(files.gl_pathv[i], 0, NULL);
		const json_t *items = json_object_get(list, "items"), *slice;
		size_t k;

		ok(json_array_size(items) > 0);
		json_array_foreach(items, k, slice) {
			ok(dra_slice_check(slice, &e) == 0 ||
			   (printf("# %s: %s\n", files.gl_pathv[i], e.msg), false));
		}
	}
}

/* -- names and versions alone -- */

static void names(void)
{
	char name[DEVICE_NAME_SIZE];

	test("D12: names of devices are DNS labels");
	device_name_function("0000:65:0A.3", name);
	eq(name, "0000-65-0a-3");
	device_name_auxiliary("mlx5_core.eth.1", name);
	eq(name, "aux-mlx5-core-eth-1-07a4883f");
	device_name_vdpa("a.b", name);
	begins(name, "vdpa-a-b-");
	device_name_vdpa("0123456789012345678901234567890123456789012345678901234567890123", name);
	ok(strlen(name) == strlen("vdpa-") + 40 + 9);
}

static void versions(void)
{
	static const struct {
		const char *text, *want;	/* NULL: none */
	} rows[] = {
		{ "1.2.3", "1.2.3" }, { "5.8-3.0.7", "5.8.0-3.0.7" },
		{ "22.41.1000 (MT_0000000359)", "22.41.1000" }, { "4", "4.0.0" },
		{ "4.02", "4.2.0" }, { "1.2.3.4", "1.2.3" }, { "1.2rc1", "1.2.0" },
		{ "6.1.0-49-amd64", "6.1.0-49-amd64" }, { "6.12.48+deb13", "6.12.48+deb13" },
		{ "1.2.3-", "1.2.3" }, { "1.2.3-01", "1.2.3" }, { "1.", "1.0.0" },
		{ "0x80000d4a 1.2", NULL }, { "", NULL }, { "N/A", NULL }, { "v1.2", NULL },
	};
	char have[DRA_VALUE_MAX + 1];

	test("D11: what a driver calls its version becomes a semantic one");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool found = slice_device_version(rows[i].text, have);

		ok(found == (rows[i].want != NULL));
		if (found && rows[i].want)
			eq(have, rows[i].want);
	}
}

/* want NULL: it is refused. */
static void version_is(const char *api, const struct kubernetes *k, const char *want)
{
	struct err e = { 0 };
	int r = slice_version_choose(&api, k, &e);

	eqi(r, want ? 0 : -1);
	if (want)
		eq(api, want);
	else
		contains(e.msg, "--api cannot be");
}

static void older(json_t *slices)
{
	test("D03: a version of the API is one that is known");
	version_is(NULL, &any, "v1");
	version_is("v1beta1", &any, "v1beta1");
	version_is("v1alpha3", &any, NULL);
	test("D03: the version is one that the cluster has, the newest where none is said");
	version_is(NULL, &(struct kubernetes){ 34, 0 }, "v1");
	version_is(NULL, &(struct kubernetes){ 33, 0 }, "v1beta2");
	version_is(NULL, &(struct kubernetes){ 32, 7 }, "v1beta1");
	version_is("v1beta1", &(struct kubernetes){ 36, 2 }, "v1beta1");
	version_is("v1", &(struct kubernetes){ 33, 9 }, NULL);
	version_is("v1beta2", &(struct kubernetes){ 32, 0 }, NULL);
	test("D03: v1beta1 has what a device has in basic, v1beta2 as v1");
	slice_version_set(slices, "v1beta2");
	says(json_object_get(json_array_get(slices, 0), "apiVersion"),
	     "\"resource.k8s.io/v1beta2\"");
	has(slices, "0000-03-02-1", "vf_index", "{\"int\":1}");
	slice_version_set(slices, "v1beta1");
	says(json_object_get(json_array_get(slices, 0), "apiVersion"),
	     "\"resource.k8s.io/v1beta1\"");
	has(slices, "0000-03-02-1", "vf_index", "");
	ok(json_object_size(find_device(slices, "0000-03-02-1")) == 2);
	says(json_object_get(json_object_get(json_object_get(
		find_device(slices, "0000-03-02-1"), "basic"), "attributes"), "vf_index"),
	     "{\"int\":1}");
}

int main(void)
{
	jx_init(NULL);
	join(&node);
	{
		json_auto_t *slices = make(&node, &wish);

		published(slices);
		attributes(slices);
		counters(slices);
		taints(slices);
		older(slices);
	}
	old_cluster();
	in_a_pod();
	pools();
	classes();
	many();
	long_names();
	all_attributes();
	others();
	expected();
	names();
	versions();
	return tap_end();
}
