/* SPDX-License-Identifier: Apache-2.0 */
/* test_features.c - the features of a node, as Node Feature Discovery has them, and ours */
#include "manager/nfd/features.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/nfd/feature_export.h"
#include "manager/nfd/feature_file.h"
#include "manager/nfd/features_part.h"
#include "manager/nfd/name.h"
#include "manager/nfd/node_feature.h"
#include "manager/nfd/node_summary.h"
#include "tests/unit/node.h"
#include "tests/unit/tap.h"

static json_t *features_of(const struct fake_node *n)
{
	auto_inventory struct inventory inv = { .n_functions = 0 };
	struct err e = { 0 };
	json_t *ret = NULL;

	if (inventory_read(&n->host, &inv, &e) == 0 && inventory_join(&n->host, &inv, &e) == 0)
		ret = nfd_features(&n->host, &inv, &e);
	if (!ret)
		bail_out(e.msg);
	return ret;
}

static json_t *set_of(const json_t *features, const char *type, const char *set)
{
	return json_object_get(json_object_get(json_object_get(features, type), set), "elements");
}

/* "" when there is none. */
static const char *attribute(const json_t *features, const char *set, const char *name)
{
	const char *s = json_string_value(
		json_object_get(set_of(features, "attributes", set), name));

	return s ? s : "";
}

/* The i-th instance, as JSON with its names in order; to be freed. */
static char *instance(const json_t *features, const char *set, size_t i)
{
	json_t *one = json_object_get(json_array_get(set_of(features, "instances", set), i),
				      "attributes");
	char *text = one ? json_dumps(one, JSON_SORT_KEYS | JSON_COMPACT) : NULL;

	return text ? text : strdup("none");
}

#define eq_instance(features, set, i, want)				\
	do {								\
		auto_free char *have_one = instance(features, set, i);	\
		eq(have_one, want);					\
	} while (0)

static void write_file(const struct fake_node *n, const char *path, const char *text)
{
	char full[256];
	FILE *f;

	(void)snprintf(full, sizeof(full), "d=%s; mkdir -p ${d%%/*}", path);
	node_sh(n, full);
	(void)snprintf(full, sizeof(full), "%s/%s", n->dir, path);
	f = fopen(full, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		bail_out(path);
}

/* -- network and PCI -- */

static void test_network(void)
{
	struct fake_node n;
	json_auto_t *f = NULL;

	node_open("fleet/igb-pods", &n);
	f = features_of(&n);
	test("N60: In network.device are those with a device behind them, VFs too");
	ok(json_array_size(set_of(f, "instances", "network.device")) == 2);
	eq_instance(f, "network.device", 0,
		    "{\"mtu\":\"1500\",\"name\":\"ens4f0\",\"operstate\":\"up\",\"speed\":\"1000\","
		    "\"sriov_numvfs\":\"4\",\"sriov_totalvfs\":\"7\"}");
	eq_instance(f, "network.device", 1,
		    "{\"mtu\":\"1500\",\"name\":\"ens4f0v3\",\"operstate\":\"down\"}");
	test("N61: In network.virtual are the others");
	eq_instance(f, "network.virtual", 0,
		    "{\"mtu\":\"65536\",\"name\":\"lo\",\"operstate\":\"unknown\"}");
	node_close(&n);
}

static void test_pci(void)
{
	static const char gpu[] = "0000:03:00.0";
	char path[128];
	struct fake_node n;
	json_auto_t *f = NULL;

	node_open(NULL, &n);
	for (const char *const *a = (const char *const[]){
		     "class", "0x030200\n", "vendor", "0x10de\n", "device", "0x2230\n",
		     "subsystem_vendor", "0x10de\n", "subsystem_device", "0x1459\n",
		     "sriov_totalvfs", "32\n", "iommu_group/type", "DMA-FQ\n",
		     "iommu/intel-iommu/version", "1:0\n", NULL }; *a; a += 2) {
		(void)snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/%s", gpu, a[0]);
		write_file(&n, path, a[1]);
	}
	write_file(&n, "sys/bus/pci/devices/0000:02:00.0/vendor", "0x8086\n");
	node_sh(&n, "cp -r sys/bus/pci/devices/0000:03:00.0 sys/bus/pci/devices/0000:01:00.0");
	write_file(&n, "sys/bus/pci/devices/0000:01:00.0/device", "0x2231\n");
	f = features_of(&n);
	test("N62: In pci.device is every PCI function that has all identifiers, by address");
	ok(json_array_size(set_of(f, "instances", "pci.device")) == 2);
	eq_instance(f, "pci.device", 1,
		    "{\"class\":\"0302\",\"device\":\"2230\",\"iommu/intel-iommu/version\":\"1:0\","
		    "\"iommu_group/type\":\"DMA-FQ\",\"sriov_totalvfs\":\"32\","
		    "\"subsystem_device\":\"1459\",\"subsystem_vendor\":\"10de\","
		    "\"vendor\":\"10de\"}");
	node_close(&n);
}

/* -- kernel -- */

static void test_versions(void)
{
	static const struct {
		const char *release, *full, *major, *minor, *revision;
	} rows[] = {
		/* NFD's own cases */
		{ "6.2.3\n", "6.2.3", "6", "2", "3" },
		{ "6.0.0-beta\n", "6.0.0-beta", "6", "0", "0" },
		{ "6.8\n", "6.8", "6", "8", "" },
		{ "6.0.10-100+123.x86_64~\n", "6.0.10-100_123.x86_64", "6", "0", "10" },
		/* and others */
		{ "6.12.48+deb13-amd64\n", "6.12.48_deb13-amd64", "", "", "" },
		{ "5.14.0-427.el9.x86_64\n", "5.14.0-427.el9.x86_64", "5", "14", "0" },
		{ "next-20260101\n", "next-20260101", "", "", "" },
		{ "7\n", "7", "7", "", "" },
		{ "6.1.2.3\n", "6.1.2.3", "", "", "" },
	};

	test("N63: In kernel.version are full, major, minor and revision");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fake_node n;
		json_auto_t *f = NULL;

		node_open(NULL, &n);
		write_file(&n, "proc/sys/kernel/osrelease", rows[i].release);
		f = features_of(&n);
		eq(attribute(f, "kernel.version", "full"), rows[i].full);
		eq(attribute(f, "kernel.version", "major"), rows[i].major);
		eq(attribute(f, "kernel.version", "minor"), rows[i].minor);
		eq(attribute(f, "kernel.version", "revision"), rows[i].revision);
		node_close(&n);
	}
}

static void test_kernel(void)
{
	struct fake_node n;
	json_auto_t *f = NULL;

	node_open(NULL, &n);
	write_file(&n, "proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
	write_file(&n, "proc/modules",
		   "igb 286720 0 - Live 0x0000000000000000\nvfio_pci 16384 1 - Live 0x0\n");
	write_file(&n, "lib/modules/6.1.0-13-amd64/modules.builtin",
		   "kernel/net/8021q/8021q.ko\nkernel/none.txt\n");
	write_file(&n, "boot/config-6.1.0-13-amd64",
		   "# CONFIG_OFF is not set\nCONFIG_X86=y\nCONFIG_VFIO=m\n"
		   "CONFIG_CC_VERSION_TEXT=\"gcc-12 (Debian)\"\nCONFIG_NONE\nOTHER=1\n");
	write_file(&n, "sys/fs/selinux/enforce", "1");
	write_file(&n, "sys/devices/virtual/misc/kvm/dev", "10:232\n");
	f = features_of(&n);
	test("N63: In kernel.loadedmodule and kernel.enabledmodule are names of modules");
	ok(json_object_get(set_of(f, "flags", "kernel.loadedmodule"), "vfio_pci"));
	ok(json_object_size(set_of(f, "flags", "kernel.loadedmodule")) == 2);
	ok(json_object_get(set_of(f, "flags", "kernel.enabledmodule"), "igb"));
	ok(json_object_get(set_of(f, "flags", "kernel.enabledmodule"), "8021q"));
	ok(json_object_size(set_of(f, "flags", "kernel.enabledmodule")) == 3);
	test("N63: In kernel.config are its options as the file has them, without quotes");
	eq(attribute(f, "kernel.config", "X86"), "y");
	eq(attribute(f, "kernel.config", "VFIO"), "m");
	eq(attribute(f, "kernel.config", "CC_VERSION_TEXT"), "gcc-12 (Debian)");
	ok(json_object_size(set_of(f, "attributes", "kernel.config")) == 3);
	test("N63: In kernel.selinux is whether it enforces; kernel.kvm");
	eq(attribute(f, "kernel.selinux", "enabled"), "true");
	eq(attribute(f, "kernel.kvm", "enabled"), "true");
	node_close(&n);
}

/* -- system -- */

static void test_system(void)
{
	struct fake_node n;
	json_auto_t *f = NULL;

	node_open(NULL, &n);
	write_file(&n, "etc/os-release", "NAME=\"Ubuntu\"\nID=ubuntu\nVERSION_ID='24.04'\n"
		   "# NO=1\nEMPTY=\nBAD-NAME=1\n=x\n");
	write_file(&n, "etc/hostname", "Node-1.example.org\n");
	write_file(&n, "sys/devices/virtual/dmi/id/sys_vendor", "ACME Inc.\n");
	write_file(&n, "sys/devices/virtual/dmi/id/product_name", "Anvil 3000\n");
	node_sh(&n, "mkdir -p sys/bus/node/devices/node0 sys/bus/node/devices/node1");
	write_file(&n, "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0\n");
	write_file(&n, "sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "4\n");
	write_file(&n, "sys/kernel/mm/hugepages/hugepages-64kB/nr_hugepages", "0\n");
	write_file(&n, "sys/kernel/mm/hugepages/hugepages-x/nr_hugepages", "9\n");
	f = features_of(&n);
	test("N64: In system are its release, the node's name, and the machine; memory.numa");
	eq(attribute(f, "system.osrelease", "ID"), "ubuntu");
	eq(attribute(f, "system.osrelease", "VERSION_ID"), "24.04");
	eq(attribute(f, "system.osrelease", "VERSION_ID.major"), "24");
	eq(attribute(f, "system.osrelease", "VERSION_ID.minor"), "04");
	ok(json_object_size(set_of(f, "attributes", "system.osrelease")) == 5);
	eq(attribute(f, "system.name", "nodename"), "node-1.example.org");
	eq(attribute(f, "system.dmiid", "sys_vendor"), "ACME Inc.");
	eq(attribute(f, "system.dmiid", "product_name"), "Anvil 3000");
	eq(attribute(f, "memory.numa", "is_numa"), "true");
	eq(attribute(f, "memory.numa", "node_count"), "2");
	eq(attribute(f, "memory.hugepages", "hugepages-2Mi"), "0");
	eq(attribute(f, "memory.hugepages", "hugepages-1Gi"), "4");
	eq(attribute(f, "memory.hugepages", "hugepages-64Ki"), "0");
	eq(attribute(f, "memory.hugepages", "enabled"), "true");
	ok(json_object_size(set_of(f, "attributes", "memory.hugepages")) == 4);
	node_close(&n);
}

static void test_read(void)
{
	struct host live = { .root = -1 };
	struct err e = { 0 };
	struct fake_node n;
	auto_free char *status = NULL;
	char name[NFD_NODE_NAME_MAX + 1];

	test("a file of /proc, whose size is 0, is read; one that is too long is none");
	ok(host_open("/", &live, &e) == 0);
	status = features_read(&live, 65536, "/proc/%s/status", "self");
	ok(status && strncmp(status, "Name:\ttest_features\n", 20) == 0);
	ok(!features_read(&live, strlen(status) - 1, "/proc/self/status"));
	host_done(&live);
	test("N64: In system.name is what the kernel calls the host where no file does");
	node_open(NULL, &n);
	ok(nfd_node_name(&n.host, name, &e) == 0);
	write_file(&n, "proc/sys/kernel/hostname", "worker-7\n");
	ok(nfd_node_name(&n.host, name, &e) == 1);
	eq(name, "worker-7");
	write_file(&n, "etc/hostname", "not_a_name\n");
	ok(nfd_node_name(&n.host, name, &e) == 0);
	node_close(&n);
}

static void test_absent(void)
{
	struct fake_node n;
	json_auto_t *f = NULL;

	node_open(NULL, &n);
	node_sh(&n, "mkdir -p proc/modules etc/os-release && ln -s /etc/hostname etc/hostname");
	f = features_of(&n);
	test("N02, N05: In the three types are all sets, and what cannot be read is in none");
	ok(json_object_size(json_object_get(f, "flags")) == 0);
	ok(!set_of(f, "attributes", "system.osrelease"));
	ok(!set_of(f, "attributes", "system.name"));
	ok(json_is_array(set_of(f, "instances", "network.device")));
	ok(json_array_size(set_of(f, "instances", "network.device")) == 0);
	node_close(&n);
}

/* -- feature files -- */

static void test_files(void)
{
	static const char dir[] = "etc/kubernetes/node-feature-discovery/features.d";
	static char large[FEATURE_FILE_MAX + 3];
	struct fake_node n;
	json_auto_t *f = NULL;
	char path[128];

	node_open(NULL, &n);
	(void)snprintf(path, sizeof(path), "%s/b", dir);
	write_file(&n, path, "my-feature.1\nvendor.io/x=2\n# +no-label\nvendor.io/raw=3\n"
			     "# +no-feature\nvendor.io/label=4\n");
	(void)snprintf(path, sizeof(path), "%s/a", dir);
	write_file(&n, path, "vendor.io/x=1\n# +expiry-time=2001-01-01T00:00:00Z\nold\n");
	(void)snprintf(path, sizeof(path), "%s/.hidden", dir);
	write_file(&n, path, "hidden\n");
	memset(large, 'l', FEATURE_FILE_MAX + 1);
	(void)snprintf(path, sizeof(path), "%s/large", dir);
	write_file(&n, path, large);
	f = features_of(&n);
	test("N14, N17, N18: In local.label and local.feature are the lines of feature files");
	eq(attribute(f, "local.label", "my-feature.1"), "true");
	eq(attribute(f, "local.label", "vendor.io/x"), "2");
	eq(attribute(f, "local.label", "vendor.io/label"), "4");
	ok(json_object_size(set_of(f, "attributes", "local.label")) == 3);
	eq(attribute(f, "local.feature", "my-feature.1"), "true");
	eq(attribute(f, "local.feature", "vendor.io/raw"), "3");
	ok(json_object_size(set_of(f, "attributes", "local.feature")) == 3);
	node_close(&n);
}

/* -- ours -- */

static void test_devices(void)
{
	struct fake_node n;
	json_auto_t *f = NULL;
	auto_free char *vf = NULL;

	node_open("fleet/vdpa-pods", &n);
	f = features_of(&n);
	test("the domain devinfo: counts by driver, mode and kind");
	eq(attribute(f, "devinfo.node", "health"), "ok");
	eq(attribute(f, "devinfo.node", "sriov.vfs"), "2");
	eq(attribute(f, "devinfo.node", "eswitch.switchdev"), "1");
	eq(attribute(f, "devinfo.node", "vdpa.driver.vhost_vdpa"), "1");
	eq(attribute(f, "devinfo.node", "vdpa.mgmtdev.pci_0000_65_00.2"), "1");
	eq(attribute(f, "devinfo.node", "firmware.mlx5_core"), "22.41.1000_MT_0000000359");
	eq_instance(f, "devinfo.vdpa", 0,
		    "{\"driver\":\"vhost_vdpa\",\"function\":\"0000:65:00.2\",\"max_vqp\":\"8\","
		    "\"mgmtdev\":\"pci/0000:65:00.2\",\"name\":\"vdpa0\"}");
	eq_instance(f, "devinfo.mgmtdev", 0,
		    "{\"block\":\"false\",\"function\":\"0000:65:00.2\",\"name\":"
		    "\"pci/0000:65:00.2\",\"net\":\"true\"}");
	test("a device has the attributes of expressions as texts, but not whose it is");
	vf = instance(f, "devinfo.function", 1);
	contains(vf, "\"is_vf\":\"true\"");
	contains(vf, "\"vf_index\":\"0\"");
	contains(vf, "\"vdpa\":\"vdpa0\"");
	ok(!strstr(vf, "\"pod\"") && !strstr(vf, "mac\"") && !strstr(vf, "is_held"));
	node_close(&n);
}

/* -- summary -- */

static void test_summary_names(void)
{
	struct inv_function functions[] = {
		{ .driver = "acme net@1:", .firmware = "1.2 (a)", .health = "ok" },
		{ .driver = "acme net/1", .firmware = "1.3", .health = "degraded" },
		{ .driver = "a_driver_with_a_name_that_is_as_long_as_a_driver_can_be_named_x",
		  .health = "failed" },
		{ .driver = "a_driver_with_a_name_that_is_as_long_as_a_driver_can_be_named_y",
		  .health = "failed" },
		{ .driver = "--", .health = "ok" },
	};
	struct inventory inv = { .functions = functions, .n_functions = ARRAY_SIZE(functions) };
	json_auto_t *o = node_summary(&inv, NULL), *labels = feature_export_labels(o);

	test("N74: In names and values is only what a label may have, and equal ones are one");
	eq(json_string_value(json_object_get(o, "driver.acme_net_1")), "2");
	eq(json_string_value(json_object_get(o, "firmware.acme_net_1")), "several");
	eq(json_string_value(json_object_get(o, "driver.none")), "1");
	test("N74: In a name that is too long its hash tells it from others");
	/* health and two of its numbers, drivers: acme, the two long ones, none, acme's firmware */
	ok(json_object_size(o) == 8);
	ok(json_object_size(labels) == 8);
	test("the worst health is the node's");
	eq(json_string_value(json_object_get(o, "health")), "failed");
	eq(json_string_value(json_object_get(o, "health.failed")), "2");
	ok(!json_object_get(o, "health.ok"));
}

/* -- the file -- */

static json_t *many_labels(size_t n)
{
	json_t *o = json_object();
	char name[64];

	for (size_t i = 0; i < n; i++) {
		(void)snprintf(name, sizeof(name), NFD_LABEL_NS "/devinfo-x.%05zu", i);
		(void)json_object_set_new(o, name, json_string("1"));
	}
	return o;
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

static void test_text(void)
{
	json_auto_t *labels = many_labels(2), *many = many_labels(3000);
	const struct feature_export plain = { .raw = false }, raw = { .raw = true },
		   once = { .expires = 1700000000 };
	auto_free char *a = NULL, *b = NULL, *c = NULL, *d = NULL, *e = NULL;
	size_t left_out;

	test("N04, N16: In the file is a line NAME=VALUE of each label, with its prefix");
	a = feature_export_text(labels, &plain, &left_out);
	eq(a, "# Made by devinfoctl export nfd: what is changed here is lost\n"
	      "feature.node.kubernetes.io/devinfo-x.00000=1\n"
	      "feature.node.kubernetes.io/devinfo-x.00001=1\n");
	ok(left_out == 0);
	test("N20: In front of all lines is when they expire");
	b = feature_export_text(labels, &once, &left_out);
	contains(b, "\n# +expiry-time=2023-11-14T22:13:20Z\nfeature");
	test("N24: In front of each line of --raw is that it makes no label");
	c = feature_export_text(labels, &raw, &left_out);
	contains(c, "\n# +no-label\nfeature.node.kubernetes.io/devinfo-x.00000=1\n# +no-label\n");
	ok(count_lines(c) == 5);
	test("N19: In a file are never more than 64 kB, and what is left out is counted");
	d = feature_export_text(many, &plain, &left_out);
	ok(strlen(d) <= FEATURE_FILE_MAX && strlen(d) > FEATURE_FILE_MAX - 64);
	ok(left_out > 0 && count_lines(d) - 1 + left_out == 3000);
	ok(strstr(d, ".00000=1\n") && d[strlen(d) - 1] == '\n');
	test("what is longer than any label is left out, too");
	(void)json_object_set_new(labels, "long", json_sprintf("%02000d", 0));
	e = feature_export_text(labels, &plain, &left_out);
	ok(left_out == 1);
	eq(e, a);
}

static void test_file(void)
{
	static const char dir[] = FEATURE_EXPORT_DIR;
	json_auto_t *labels = many_labels(1);
	const struct feature_export how = { .raw = false };
	auto_free char *text = NULL;
	struct fake_node n;
	struct err e = { 0 };
	size_t left_out;

	node_open(NULL, &n);
	text = feature_export_text(labels, &how, &left_out);
	test("N14, N15: In the directory is the whole file, for all to read, and nothing else");
	ok(feature_export_remove(&n.host, dir, &e) == 0);
	ok(feature_export_write(&n.host, dir, text, &e) == 0);
	ok(feature_export_write(&n.host, dir, text, &e) == 0);
	node_sh(&n, "[ \"$(ls -A etc/kubernetes/node-feature-discovery/features.d)\" = devinfo ]");
	node_sh(&n, "[ \"$(stat -c %a etc/kubernetes/node-feature-discovery/features.d/devinfo)\""
		    " = 644 ]");
	test("ours is removed, and one of somebody else stays");
	ok(feature_export_remove(&n.host, dir, &e) == 1);
	ok(feature_export_remove(&n.host, dir, &e) == 0);
	node_close(&n);
	node_open(NULL, &n);
	write_file(&n, "etc/f/devinfo", "# mine\na=b\n");
	ok(feature_export_remove(&n.host, "/etc/f", &e) < 0);
	eq(e.msg, "'/etc/f/devinfo' was not made by export nfd: it stays as it is");
	ok(feature_export_write(&n.host, "/etc/f", text, &e) < 0);
	node_sh(&n, "grep -q mine etc/f/devinfo");
	node_close(&n);
}

/* -- the object -- */

static char left_out_sets[256];

static void note_left_out(const char *set, void *arg)
{
	(void)arg;
	(void)strcat(left_out_sets, set);
	(void)strcat(left_out_sets, " ");
}

static void test_object(void)
{
	json_auto_t *features = json_pack("{s:{},s:{s:{s:{}}},s:{s:{s:[]}}}", "flags",
					  "attributes", "kernel.config", "elements", "instances",
					  "pci.device", "elements");
	json_auto_t *labels = many_labels(1), *o = NULL, *bare = NULL;
	char long_name[65];
	struct err e = { 0 };

	test("N01, N02: In a NodeFeature is the node that it is for, and spec.features");
	o = node_feature(features, labels, "n1.example", &e);
	eq(json_string_value(json_object_get(o, "kind")), "NodeFeature");
	eq(json_string_value(json_object_get(json_object_get(json_object_get(o, "metadata"),
							     "labels"),
					     "nfd.node.kubernetes.io/node-name")),
	   "n1.example");
	ok(json_equal(json_object_get(json_object_get(o, "spec"), "features"), features));
	test("N03: In spec.labels are those that are asked for, and features make none");
	ok(json_equal(json_object_get(json_object_get(o, "spec"), "labels"), labels));
	bare = node_feature(features, NULL, "n1", &e);
	ok(bare && !json_object_get(json_object_get(bare, "spec"), "labels"));
	test("N01: In the label of the node is a name of at most 63 bytes");
	memset(long_name, 'n', 64);
	long_name[64] = '\0';
	ok(node_feature_check_name(long_name, &e) < 0);
	long_name[63] = '\0';
	ok(node_feature_check_name(long_name, &e) == 0);
	ok(node_feature_check_name("a/b", &e) < 0 && node_feature_check_name("", &e) < 0);
	test("an object that is too large loses what rules of devices need least");
	ok(node_feature_trim(o, node_feature_size(o), note_left_out, NULL, &e) == 0);
	eq(left_out_sets, "");
	ok(node_feature_trim(o, node_feature_size(o) - 1, note_left_out, NULL, &e) == 0);
	eq(left_out_sets, "kernel.config ");
	ok(node_feature_trim(o, 10, note_left_out, NULL, &e) < 0);
	eq(left_out_sets, "kernel.config pci.device ");
}

int main(void)
{
	jx_init(NULL);
	test_network();
	test_pci();
	test_versions();
	test_kernel();
	test_system();
	test_read();
	test_absent();
	test_files();
	test_devices();
	test_summary_names();
	test_text();
	test_file();
	test_object();
	return tap_end();
}
