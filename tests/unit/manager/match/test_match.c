/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_match.c - a list of expressions as a text or as JSON, and the attributes that it is about
 *
 * What each operator means is tested in manager/expression, regular expressions in manager/regexp.
 */
#include "manager/match/match.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/inventory/read.h"
#include "manager/match/attribute_table.h"
#include "tests/unit/tap.h"

/* 1, 0, -1: the answer; -2: not even read. */
static int answer(const char *text, const char *attributes, struct err *e)
{
	json_auto_t *o = json_loads(attributes, 0, NULL);
	auto_match struct match *m = match_parse(text, e);

	return m ? match_meets(m, o, e) : -2;
}

static const struct row {
	const char *text, *attributes;
	int want;
} rows[] = {
	/* an operator with its type and its values, as a text */
	{ "a In 1,2,3", "{\"a\":2}", 1 },
	{ "a In \"\"", "{\"a\":\"\"}", 1 },
	{ "a In", "{\"a\":\"1\"}", -2 },
	{ "a in 1", "{\"a\":\"1\"}", -2 },
	{ "a InRegexp val-[0-9]$,al-[1-9]", "{\"a\":\"val-12\"}", 1 },
	{ "a InRegexp (", "{}", -2 },
	{ "a Exists 1", "{\"a\":1}", -2 },
	{ "a Gt 2", "{\"a\":\"3a\"}", -1 },
	{ "a Gt \"\"", "{\"a\":1}", -2 },
	{ "a GtLt 1,10", "{\"a\":2}", 1 },
	{ "a GtLt 1", "{\"a\":1}", -2 },
	{ "a Gt:version 2.9", "{\"a\":\"2.10\"}", 1 },
	{ "a GtLt:version 1.0.1,10.0.1", "{\"a\":\"1.0.2\"}", 1 },
	{ "a Gt:version str", "{\"a\":\"1\"}", -2 },
	{ "a Gt:number 1", "{\"a\":\"1\"}", -2 },

	/* several, and how they are written */
	{ "a In 1; b In 2", "{\"a\":1,\"b\":2}", 1 },
	{ "a In 1; b In 2", "{\"a\":1,\"b\":3}", 0 },
	{ "a In 1; b In 2", "{\"a\":2,\"b\":2}", 0 },
	{ "a NotIn 1; a NotIn 2", "{\"a\":2}", 0 },
	{ "  a   Exists ;b\tDoesNotExist;  ", "{\"a\":1}", 1 },
	{ "a In x , y", "{\"a\":\"y\"}", 1 },
	{ "a In Intel Corporation", "{\"a\":\"Intel Corporation\"}", 1 },
	{ "a In \"x,y;z\" , w", "{\"a\":\"x,y;z\"}", 1 },
	{ "a In \" x\"", "{\"a\":\" x\"}", 1 },
	{ "a In \"\\\"\\\\\\d\"", "{\"a\":\"\\\"\\\\\\\\d\"}", 1 },
	{ "a InRegexp \"^[0-9]{2,3}$\"", "{\"a\":\"123\"}", 1 },
	{ "a In \"x", "{\"a\":\"x\"}", -2 },
	{ "a In \"x\"y", "{\"a\":\"x\"}", -2 },
	{ "a In x\"y\"", "{\"a\":\"x\"}", -2 },
	{ "a In x,", "{\"a\":\"x\"}", -2 },
	{ "a In ,x", "{\"a\":\"x\"}", -2 },
	{ "a", "{\"a\":\"x\"}", -2 },
	{ "", "{}", -2 },
	{ " ; ", "{}", -2 },
	{ "a In \xff", "{}", -2 },

	{ "{}", "{\"a\":1}", 1 },
	{ " {\"a\":{\"op\":\"In\",\"value\":\"2\"}}", "{\"a\":2}", 1 },
	{ "[\"a=1\",\"b\"]", "{\"a\":1,\"b\":\"\"}", 1 },
	{ "[1]", "{}", -2 },
	{ "[\"a\"", "{}", -2 },
	{ "{\"a\":null} x", "{}", -2 },
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };
		int have = answer(rows[i].text, rows[i].attributes, &e);

		test(rows[i].text);
		ok(have == rows[i].want);
		if (have != rows[i].want)
			(void)printf("#  %s: have %d, want %d (%s)\n", rows[i].attributes, have,
				     rows[i].want, e.msg);
		if (have < 0)
			ok(e.code == ERR_NETCONF && *e.msg);
	}
}

static void test_bounds(void)
{
	auto_free char *long_text = malloc(70000), *many = malloc(70000);
	struct err e = { 0 };

	test("a text has at most 64 KiB");
	memset(long_text, 'a', 70000);
	long_text[69999] = '\0';
	ok(answer(long_text, "{}", &e) == -2);
	contains(e.msg, "65536");

	test("there are at most 256 expressions");
	*many = '\0';
	for (int i = 0; i < 257; i++)
		strcat(many, "a Exists;");
	ok(answer(many, "{}", &e) == -2);
	many[strlen(many) - strlen("a Exists;")] = '\0';
	ok(answer(many, "{\"a\":1}", &e) == 1);
}

static void test_words(void)
{
	struct err e = { 0 };
	auto_match struct match *m = NULL;

	test("an error says which expression, and what was meant");
	ok(answer("driver Exists; vendor Exsts", "{}", &e) == -2);
	eq(e.msg, "expression 2, from character 16: 'Exsts' is no operator, did you mean Exists?");
	ok(answer("vendor Is x", "{}", &e) == -2);
	contains(e.msg, "'Is' is no operator: expected In, NotIn, InRegexp, ");
	ok(answer("{\"driver\":null,\"vendor\":{\"op\":\"In\",\"values\":[]}}", "{}", &e) == -2);
	eq(e.msg, "vendor: unknown key 'values', did you mean value?");
	ok(answer("a GtLt 1", "{}", &e) == -2);
	eq(e.msg, "expression 1, from character 1: GtLt has 2 values, not 1");
	ok(answer("a Gt 7", "{\"a\":\"x\"}", &e) == -1);
	eq(e.msg, "a Gt: 'x' is no number");
	ok(answer("a InRegexp x(?=y)", "{}", &e) == -2);
	contains(e.msg, "'x(?=y)', character 2: a group that is not supported");

	test("an attribute that no device can have is told");
	m = match_parse("driver Exists; vender In 8086", &e);
	ok(m && match_check_names(m, &e) == -1);
	eq(e.msg, "'vender' is no attribute of a device, did you mean vendor?");
}

/* -- the attributes of devices -- */

enum { PF, VF, PF2, FUNCTIONS };
enum { UPLINK, REP, VF_LINK, SF_LINK, SF_REP, LINKS };

static struct inv_function functions[FUNCTIONS] = {
	[PF] = { .bdf = "0000:01:00.0", .vendor = "15b3", .device = "1017", .driver = "mlx5_core",
		 .subsystem_vendor = "15b3", .subsystem_device = "0001", .class = "020000",
		 .vendor_name = "Mellanox", .device_name = "ConnectX-5",
		 .drivers_version = "6.1", .firmware = "16.35\xff", .pcie_root = "pci0000:00",
		 .iommu_group = "7", .has_numa = true, .total_vfs = 8, .num_vfs = 1,
		 .eswitch = "switchdev", .has_aer = true, .has_acpi_index = true, .acpi_index = 3,
		 .health = "degraded", .health_reason = "no carrier" },
	[VF] = { .bdf = "0000:01:00.1", .driver_override = "vfio-pci", .is_vf = true,
		 .pf_bdf = "0000:01:00.0" },
	[PF2] = { .bdf = "0000:02:00.0", .total_vfs = 8 },
};

static struct inv_link links[LINKS] = {
	[UPLINK] = { .name = "eth0", .parent_bus = "pci", .parent = "0000:01:00.0",
		     .switch_id = "ab", .port_name = "p0",
		     .altnames = (char[][128]){ "enp1s0", "enp1s0np0" },
		     .n_altnames = 2, .type = "ether", .address = "02:00:00:00:00:01", .mtu = 1500,
		     .up = true, .operstate = "down", .speed = 25000, .master = "bond0",
		     .ips = (char[][64]){ "192.0.2.1/24" }, .n_ips = 1, .default_route = true },
	[REP] = { .name = "eth0_0", .parent_bus = "pci", .parent = "0000:01:00.0",
		  .switch_id = "ab", .port_name = "pf0vf0" },
	[VF_LINK] = { .name = "eth1", .parent_bus = "pci", .parent = "0000:01:00.1" },
	[SF_LINK] = { .name = "eth2", .parent_bus = "auxiliary", .parent = "mlx5_core.sf.4" },
	[SF_REP] = { .name = "eth3", .parent_bus = "pci", .parent = "0000:01:00.0",
		     .switch_id = "ab", .port_name = "pf0sf88" },
};

static struct inv_auxiliary sfs[] = {
	{ .name = "mlx5_core.sf.4", .type = "sf", .driver = "mlx5_core.sf",
	  .pf_bdf = "0000:01:00.0", .has_sf = true, .sf = 88 },
};
static struct inv_vf vfs[] = {
	{ .pf = "eth0", .index = 0, .mac = "02:00:00:00:00:02", .vlan = 7, .qos = 1,
	  .link_state = "auto", .spoofchk = true, .min_tx_rate = 1, .max_tx_rate = 2 },
	{ .pf = "eth9", .index = 0, .vlan = 1 },
};
static struct inv_rdma rdmas[] = {
	{ .name = "mlx5_0", .parent = "0000:01:00.0" },
	{ .name = "mlx5_1", .parent = "mlx5_core.sf.4" },
};
static struct inv_vdpa vdpas[] = {
	{ .name = "v0", .driver = "vhost_vdpa", .bdf = "0000:01:00.1" },
	{ .name = "v1", .driver = "virtio_vdpa", .bdf = "0000:01:00.0",
	  .auxiliary = "mlx5_core.sf.4" },
};
static struct inv_mgmtdev mgmtdevs[] = { { .name = "pci/0000:01:00.1" } };
static struct inv_attachment attachments[] = {
	{ .network = "net-a", .ifname = "net1", .pod_namespace = "default", .pod_name = "p",
	  .state = "live" },
};
static struct inv_allocation allocations[] = {
	{ .resource = "example.com/vf", .id = "pci:0000:01:00.1", .function = VF },
	{ .resource = "example.com/vf", .id = "0000:01:00.1", .function = VF,
	  .pod_namespace = "default", .pod_name = "p" },
	{ .resource = "example.com/sf", .id = "mlx5_core.sf.4", .function = INV_NONE },
};

static struct inventory node = {
	.functions = functions, .n_functions = FUNCTIONS, .links = links, .n_links = LINKS,
	.auxiliaries = sfs, .n_auxiliaries = 1, .vfs = vfs, .n_vfs = 2, .rdmas = rdmas,
	.n_rdmas = 2, .vdpas = vdpas, .n_vdpas = 2, .mgmtdevs = mgmtdevs, .n_mgmtdevs = 1,
	.attachments = attachments, .n_attachments = 1, .allocations = allocations,
	.n_allocations = 3,
};

/* The order of members does not matter; ' stands for ". */
static void eq_json(const json_t *have, const char *want)
{
	auto_free char *text = strdup(want), *have_text = json_dumps(have, JSON_ENCODE_ANY);
	json_auto_t *o = NULL;

	for (char *p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	o = json_loads(text, JSON_DECODE_ANY, NULL);
	ok(o && json_equal(o, have));
	if (!o || !json_equal(o, have))
		(void)printf("#  have %s\n#  want %s\n", have_text, text);
}

static void test_attributes(void)
{
	json_auto_t *pf = match_attributes(&node, &functions[PF]);
	json_auto_t *vf = match_attributes(&node, &functions[VF]);
	json_auto_t *sf = match_attributes_of_auxiliary(&node, &sfs[0]);

	test("a PF has its uplink, not the ports of the functions behind it");
	eq_json(pf, "{'id': '0000:01:00.0', 'bus': 'pci', 'vendor': '15b3', 'device': '1017',"
		    " 'subsystem_vendor': '15b3', 'subsystem_device': '0001', 'class': '020000',"
		    " 'vendor_name': 'Mellanox', 'device_name': 'ConnectX-5',"
		    " 'driver_version': '6.1', 'firmware': '16.35?', 'pcie_root': 'pci0000:00',"
		    " 'numa_node': 0, 'acpi_index': 3, 'driver': 'mlx5_core', 'iommu_group': '7',"
		    " 'is_vf': false, 'total_vfs': 8, 'num_vfs': 1, 'eswitch': 'switchdev',"
		    " 'vhost_net': false, 'aer_correctable': 0, 'aer_nonfatal': 0, 'aer_fatal': 0,"
		    " 'health': 'degraded', 'health_reason': 'no carrier', 'pf_name': 'eth0',"
		    " 'link': 'eth0', 'link_type': 'ether', 'mac': '02:00:00:00:00:01',"
		    " 'mtu': 1500, 'is_up': true, 'carrier': false, 'operstate': 'down',"
		    " 'speed': 25000, 'master': 'bond0', 'default_route': true,"
		    " 'altnames': ['enp1s0', 'enp1s0np0'], 'ips': ['192.0.2.1/24'],"
		    " 'is_rdma': true, 'rdma': ['mlx5_0'], 'makes_vdpa': false,"
		    " 'is_held': false}");
	test("a VF has what its PF, kubelet and the journal say of it");
	eq_json(vf, "{'id': '0000:01:00.1', 'bus': 'pci', 'driver_override': 'vfio-pci',"
		    " 'is_vf': true, 'vf_index': 0, 'pf': '0000:01:00.0', 'vhost_net': false,"
		    " 'pf_name': 'eth0', 'link': 'eth1', 'is_up': false, 'carrier': false,"
		    " 'default_route': false, 'representor': 'eth0_0',"
		    " 'admin_mac': '02:00:00:00:00:02', 'vlan': 7, 'qos': 1,"
		    " 'link_state': 'auto', 'spoofchk': true, 'trust': false,"
		    " 'min_tx_rate': 1, 'max_tx_rate': 2, 'is_rdma': false, 'makes_vdpa': true,"
		    " 'vdpa': ['v0'], 'vdpa_type': ['vhost'], 'is_held': true,"
		    " 'pod': 'default/p', 'network': 'net-a', 'interface': 'net1',"
		    " 'attachment_state': 'live', 'resource': ['example.com/vf'],"
		    " 'allocated_to': ['default/p']}");
	test("a sub-function has the identity of its function, and parts of its own");
	eq_json(json_object_get(sf, "vendor"), "'15b3'");
	eq_json(json_object_get(sf, "id"), "'mlx5_core.sf.4'");
	eq_json(json_object_get(sf, "driver"), "'mlx5_core.sf'");
	eq_json(json_object_get(sf, "link"), "'eth2'");
	eq_json(json_object_get(sf, "pf_name"), "'eth0'");
	eq_json(json_object_get(sf, "representor"), "'eth3'");
	eq_json(json_object_get(sf, "rdma"), "['mlx5_1']");
	eq_json(json_object_get(sf, "vdpa_type"), "['virtio']");
	eq_json(json_object_get(sf, "resource"), "['example.com/sf']");
	eq_json(json_object_get(sf, "sf"), "88");
}

static bool is_somewhere(const char *name)
{
	json_auto_t *pf = match_attributes(&node, &functions[PF]);
	json_auto_t *vf = match_attributes(&node, &functions[VF]);
	json_auto_t *sf = match_attributes_of_auxiliary(&node, &sfs[0]);

	return json_object_get(pf, name) || json_object_get(vf, name) || json_object_get(sf, name);
}

static void test_names(void)
{
	json_auto_t *all = match_attributes(&node, &functions[PF]);
	json_auto_t *vf = match_attributes(&node, &functions[VF]);
	json_auto_t *sf = match_attributes_of_auxiliary(&node, &sfs[0]);
	struct err e = { 0 };
	const char *name;
	json_t *v;

	test("each name of the table is that of an attribute");
	for (const struct attribute *a = attribute_table; a->name; a++) {
		if (strcmp(a->name, "pool") == 0)	/* who has a file of pools adds it */
			continue;
		ok(is_somewhere(a->name));
		if (!is_somewhere(a->name))
			(void)printf("#  %s\n", a->name);
	}
	test("each attribute is in the table");
	(void)json_object_update(all, vf);
	(void)json_object_update(all, sf);
	json_object_foreach(all, name, v)
		ok(attribute_check(name, &e) == 0);
}

int main(void)
{
	struct err e = { 0 };

	jx_init(NULL);
	if (places_set(&node, &e) < 0)
		return 1;
	functions[VF].holder = 0;
	test_rows();
	test_bounds();
	test_words();
	test_attributes();
	test_names();
	return tap_end();
}
