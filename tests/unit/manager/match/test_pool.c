/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_pool.c - pools: the examples of sriov-network-device-plugin's documentation, on one node
 *
 * Texts of JSON have ' for ".
 */
#include "manager/match/pool.h"

#include "base/jx.h"
#include "base/mem.h"
#include "manager/inventory/read.h"
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <unistd.h>

/* -- the node: an X710 with VFs, a ConnectX in switchdev mode, InfiniBand, an accelerator -- */

static struct inv_function functions[] = {
	{ .bdf = "0000:03:00.0", .class = "020000", .vendor = "8086", .device = "1572",
	  .driver = "i40e", .total_vfs = 8, .num_vfs = 4 },
	{ .bdf = "0000:03:02.0", .class = "020000", .vendor = "8086", .device = "154c",
	  .driver = "iavf", .is_vf = true, .vf_index = 0, .pf_bdf = "0000:03:00.0" },
	{ .bdf = "0000:03:02.1", .class = "020000", .vendor = "8086", .device = "154c",
	  .driver = "vfio-pci", .is_vf = true, .vf_index = 1, .pf_bdf = "0000:03:00.0" },
	{ .bdf = "0000:03:02.2", .class = "020000", .vendor = "8086", .device = "154c",
	  .driver = "i40evf", .is_vf = true, .vf_index = 2, .pf_bdf = "0000:03:00.0" },
	{ .bdf = "0000:03:02.3", .class = "020000", .vendor = "8086", .device = "10ed",
	  .driver = "ixgbevf", .is_vf = true, .vf_index = 3, .pf_bdf = "0000:03:00.0" },
	{ .bdf = "0000:86:00.0", .class = "020000", .vendor = "15b3", .device = "1017",
	  .driver = "mlx5_core", .total_vfs = 8, .num_vfs = 2, .eswitch = "switchdev" },
	{ .bdf = "0000:86:00.2", .class = "020000", .vendor = "15b3", .device = "1018",
	  .driver = "mlx5_core", .is_vf = true, .vf_index = 0, .pf_bdf = "0000:86:00.0" },
	{ .bdf = "0000:86:00.3", .class = "020000", .vendor = "15b3", .device = "1018",
	  .driver = "mlx5_core", .is_vf = true, .vf_index = 1, .pf_bdf = "0000:86:00.0" },
	{ .bdf = "0000:87:00.0", .class = "020700", .vendor = "15b3", .device = "1017",
	  .driver = "mlx5_core", .has_acpi_index = true, .acpi_index = 101, .total_vfs = 8 },
	{ .bdf = "0000:88:00.0", .class = "020000", .vendor = "8086", .device = "1521",
	  .driver = "igb" },
	{ .bdf = "0000:89:00.0", .class = "120000", .vendor = "8086", .device = "0b25",
	  .driver = "vfio-pci" },
	{ .bdf = "0000:8a:00.0", .class = "120000", .vendor = "8086", .device = "0b25",
	  .driver = "vfio-pci", .total_vfs = 4, .num_vfs = 1 },
	/* a VF whose PF is not here: in a virtual machine it is a function like others, on a host
	   its PF may be hidden */
	{ .bdf = "0000:8b:02.0", .class = "020000", .vendor = "1af4", .device = "1041",
	  .driver = "virtio-pci", .is_vf = true, .vf_index = INV_NONE, .pf_bdf = "0000:8b:00.0" },
};

static struct inv_link links[] = {
	{ .name = "enp0s0f0", .parent_bus = "pci", .parent = "0000:03:00.0", .type = "ether" },
	{ .name = "enp0s0f0v0", .parent_bus = "pci", .parent = "0000:03:02.0", .type = "ether" },
	{ .name = "ens2f0np0", .parent_bus = "pci", .parent = "0000:86:00.0", .type = "ether",
	  .switch_id = "ab", .port_name = "p0" },
	{ .name = "ens2f0v0", .parent_bus = "pci", .parent = "0000:86:00.2", .type = "ether" },
	{ .name = "eth0", .parent_bus = "pci", .parent = "0000:88:00.0", .type = "ether",
	  .default_route = true },
	{ .name = "eth1", .parent_bus = "auxiliary", .parent = "mlx5_core.sf.4", .type = "ether" },
	{ .name = "ib0", .parent_bus = "pci", .parent = "0000:87:00.0", .type = "infiniband" },
};

static struct inv_auxiliary auxiliaries[] = {
	{ .name = "mlx5_core.eth.0", .type = "eth", .driver = "mlx5_core.eth",
	  .pf_bdf = "0000:86:00.0" },
	{ .name = "mlx5_core.sf.4", .type = "sf", .driver = "mlx5_core.sf",
	  .pf_bdf = "0000:86:00.0", .has_sf = true, .sf = 88 },
	{ .name = "mlx5_core.sf.5", .type = "sf", .driver = "mlx5_core.sf",
	  .pf_bdf = "0000:86:00.0", .has_sf = true, .sf = 89 },
};

static struct inv_rdma rdmas[] = {
	{ .name = "mlx5_0", .parent = "0000:86:00.0", .pkey = "0xffff" },
	{ .name = "mlx5_2", .parent = "0000:86:00.2", .pkey = "0xffff" },
	{ .name = "mlx5_4", .parent = "mlx5_core.sf.4", .pkey = "0xffff" },
	{ .name = "mlx5_9", .parent = "0000:87:00.0", .pkey = "0x8050" },
};

static struct inv_vdpa vdpas[] = {
	{ .name = "v0", .driver = "vhost_vdpa", .bdf = "0000:86:00.3" },
	{ .name = "v1", .driver = "virtio_vdpa", .bdf = "0000:03:02.0" },
	{ .name = "v2", .driver = "virtio_vdpa", .bdf = "0000:03:02.0" },
	{ .name = "v3", .driver = "vhost_vdpa", .bdf = "0000:86:00.0",
	  .auxiliary = "mlx5_core.sf.4" },
	{ .name = "v4", .driver = "virtio_vdpa", .bdf = "0000:03:02.2" },
};

static struct inventory node = {
	.functions = functions, .n_functions = ARRAY_SIZE(functions),
	.links = links, .n_links = ARRAY_SIZE(links),
	.auxiliaries = auxiliaries, .n_auxiliaries = ARRAY_SIZE(auxiliaries),
	.rdmas = rdmas, .n_rdmas = ARRAY_SIZE(rdmas),
	.vdpas = vdpas, .n_vdpas = ARRAY_SIZE(vdpas),
};

#define SET(member, text) (void)snprintf(member, sizeof(member), "%s", text)

/* -- asking -- */

static int parse_pools(const char *text, struct pools *ret, struct err *e)
{
	auto_free char *json = strdup(text);

	for (char *p = json; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	return pools_parse(json, strlen(json), ret, e);
}

/* "0:03:02.0 0:mlx5_core.sf.4 1:...": the pool of each device that has one, without its domain. */
static void who_has_what(const struct pools *p, char ret[1024])
{
	size_t n = 0;

	*ret = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		int pool = pools_find(p, &node, &functions[i], NULL);

		if (pool != INV_NONE)
			n += (size_t)snprintf(ret + n, 1024 - n, "%s%d:%s", n ? " " : "", pool,
					      functions[i].bdf + 5);
	}
	for (size_t i = 0; i < ARRAY_SIZE(auxiliaries); i++) {
		int pool = pools_find(p, &node, NULL, &auxiliaries[i]);

		if (pool != INV_NONE)
			n += (size_t)snprintf(ret + n, 1024 - n, "%s%d:%s", n ? " " : "", pool,
					      auxiliaries[i].name);
	}
}

/* A pool of these selectors and what stands before them. */
static const struct row {
	const char *before, *selectors, *want;
} rows[] = {
	/* what is in no pool: a PF with VFs, the default route's, an accelerator */
	{ "", "{}", "0:03:02.0 0:03:02.1 0:03:02.2 0:03:02.3 0:86:00.2 0:86:00.3 0:87:00.0 "
		    "0:8b:02.0" },
	{ "'deviceType': '',", "{'devices': ['10ed']}", "0:03:02.3" },
	{ "'deviceType': 'netDevice',", "{'vendors': ['8086']}",
	  "0:03:02.0 0:03:02.1 0:03:02.2 0:03:02.3" },
	{ "'deviceType': 'accelerator',", "{}", "0:89:00.0" },
	{ "'deviceType': 'accelerator',", "[{'vendors': ['8086'], 'drivers': ['vfio-pci'],"
					  "'pciAddresses': ['0000:89:00.0']}]", "0:89:00.0" },
	{ "'deviceType': 'accelerator',", "{'acpiIndexes': ['101']}", "" },

	/* the tables of selectors */
	{ "", "{'vendors': ['8086', '15b3'], 'devices': ['154c', '1889', '1018']}",
	  "0:03:02.0 0:03:02.1 0:03:02.2 0:86:00.2 0:86:00.3" },
	{ "", "{'drivers': ['vfio-pci']}", "0:03:02.1" },
	{ "", "{'drivers': ['i40evf', 'ixgbevf']}", "0:03:02.2 0:03:02.3" },
	{ "", "{'pciAddresses': ['0000:03:02.0']}", "0:03:02.0" },
	{ "", "{'pciAddresses': ['03:02.0', '0000:03:02.0x', '']}", "" },
	{ "", "{'acpiIndexes': ['101']}", "0:87:00.0" },
	{ "", "{'pfNames': ['enp0s0f0']}", "0:03:02.0 0:03:02.1 0:03:02.2 0:03:02.3" },
	{ "", "{'pfNames': ['ENP0S0F0']}", "0:03:02.0 0:03:02.1 0:03:02.2 0:03:02.3" },
	{ "", "{'pfNames': ['ib0']}", "0:87:00.0" },	/* a PF without VFs is its own */
	{ "", "{'pfNames': ['ib0#0']}", "" },
	{ "", "{'pfNames': ['enp0s0f']}", "" },
	{ "", "{'rootDevices': ['0000:86:00.0']}", "0:86:00.2 0:86:00.3" },
	{ "", "{'rootDevices': ['0000:8b:00.0']}", "0:8b:02.0" },
	{ "", "{'linkTypes': ['ether']}", "0:03:02.0 0:86:00.2" },
	{ "", "{'linkTypes': ['infiniband']}", "0:87:00.0" },
	{ "", "{'ddpProfiles': ['GTPv1-C/U IPv4/IPv6 payload']}", "" },
	{ "", "{'pKeys': ['0x1', '0xABCD', '0x50']}", "0:87:00.0" },
	{ "", "{'pKeys': ['0x7fff']}", "0:86:00.2" },
	{ "", "{'pKeys': ['0x51']}", "" },
	{ "", "{'isRdma': true}", "0:86:00.2 0:87:00.0" },
	{ "", "{'isRdma': false, 'devices': ['10ed']}", "0:03:02.3" },
	{ "", "{'needVhostNet': true, 'devices': ['10ed']}", "0:03:02.3" },
	{ "", "{'vdpaType': 'vhost'}", "0:86:00.3" },
	{ "", "{'vdpaType': 'virtio'}", "0:03:02.2" },	/* 03:02.0 has two */
	{ "", "{'vdpaType': '', 'devices': ['10ed']}", "0:03:02.3" },
	{ "", "{'vendors': [], 'drivers': null, 'devices': ['10ed']}", "0:03:02.3" },

	/* ranges */
	{ "", "{'pfNames': ['enp0s0f0#0,2-7,9']}", "0:03:02.0 0:03:02.2 0:03:02.3" },
	{ "", "{'pfNames': ['enp0s0f0#1']}", "0:03:02.1" },
	{ "", "{'pfNames': ['enp0s0f0#1-2', 'ens2f0np0#0']}", "0:03:02.1 0:03:02.2 0:86:00.2" },
	{ "", "{'rootDevices': ['0000:86:00.0#0-1,3,4']}", "0:86:00.2 0:86:00.3" },
	{ "", "{'rootDevices': ['0000:86:00.0#1', '0000:03:00.0#+0']}", "0:03:02.0 0:86:00.3" },
	{ "", "{'pfNames': ['enp0s0f0#0', 'enp0s0f0#1']}", "0:03:02.0" },	/* the first */
	{ "", "{'pfNames': ['enp0s0f0#3-1']}", "" },
	{ "", "{'pfNames': ['enp0s0f0#']}", "" },
	{ "", "{'pfNames': ['enp0s0f0#1#2']}", "" },
	{ "", "{'pfNames': ['enp0s0f0#1,x,2']}", "0:03:02.1" },	/* up to the x */
	{ "", "{'pfNames': ['enp0s0f0#1-2-3']}", "" },
	{ "", "{'pfNames': ['enp0s0f0#-1']}", "" },
	{ "", "{'pfNames': ['enp0s0f0# 1']}", "" },
	{ "", "{'pfNames': ['enp0s0f0#99999999999999999999']}", "" },
	{ "", "{'pfNames': ['']}", "" },
	{ "", "{'pfNames': ['enp0s0f0'], 'drivers': ['vfio-pci']}", "0:03:02.1" },

	/* sub-functions */
	{ "'deviceType': 'auxNetDevice',", "{'auxTypes': ['sf']}",
	  "0:mlx5_core.sf.4 0:mlx5_core.sf.5" },
	{ "'deviceType': 'auxNetDevice',", "[{'vendors': ['15b3'], 'devices': ['1017'],"
					   "'drivers': ['mlx5_core.sf'], 'auxTypes': ['sf'],"
					   "'pfNames': ['ens2f0np0#88']}]", "0:mlx5_core.sf.4" },
	{ "'deviceType': 'auxNetDevice',", "{'auxTypes': ['sf'], 'rootDevices': "
					   "['0000:86:00.0#89-90']}", "0:mlx5_core.sf.5" },
	{ "'deviceType': 'auxNetDevice',", "{'auxTypes': ['sf'], 'isRdma': true}",
	  "0:mlx5_core.sf.4" },
	{ "'deviceType': 'auxNetDevice',", "{'auxTypes': ['sf'], 'linkTypes': ['ether']}",
	  "0:mlx5_core.sf.4" },

	/* lists, keys in another case, and what the operator writes */
	{ "", "[{'vendors': ['8086'], 'devices': ['154c']}, {'devices': ['10ed']}]",
	  "0:03:02.0 0:03:02.1 0:03:02.2 0:03:02.3" },
	{ "'excludeTopology': true, 'additionalInfo': {'*': {'token': 'x'}},",
	  "{'pciAddresses': ['0000:03:02.1']}", "0:03:02.1" },
	{ "'SelectorObj': null, 'SelectorObjs': null,",
	  "{'pfNames': ['enp0s0f0#0-4', 'ens785f1#0-9'], 'IsRdma': false, 'NeedVhostNet': false}",
	  "0:03:02.0 0:03:02.1 0:03:02.2 0:03:02.3" },
	{ "'DeviceType': 'accelerator',", "{'VENDORS': ['8086']}", "0:89:00.0" },

	/* refused */
	{ "'deviceType': 'netdevice',", "{}", NULL },
	{ "'deviceType': 'accelerator',", "{'pfNames': ['a']}", NULL },
	{ "'deviceType': 'accelerator',", "{'isRdma': true}", NULL },
	{ "'deviceType': 'auxNetDevice',", "{'auxTypes': ['sf'], 'pciAddresses': ['a']}", NULL },
	{ "'deviceType': 'auxNetDevice',", "{'vendors': ['15b3']}", NULL },
	{ "'deviceType': 'auxNetDevice',", "{'auxTypes': ['sf', 'eth']}", NULL },
	{ "", "{'auxTypes': ['sf']}", NULL },
	{ "", "{'vendor': ['8086']}", NULL },
	{ "", "{'vendors': '8086'}", NULL },
	{ "", "{'vendors': [8086]}", NULL },
	{ "", "{'isRdma': 'true'}", NULL },
	{ "", "{'isRdma': true, 'vdpaType': 'vhost'}", NULL },
	{ "", "{'vdpaType': 'vdpa'}", NULL },
	{ "", "[]", NULL },
	{ "", "[7]", NULL },
	{ "", "null", NULL },
	{ "", "'x'", NULL },
	{ "'isRdma': true,", "{}", NULL },		/* which once was its place */
	{ "'excludeTopology': 1,", "{}", NULL },
	{ "'additionalInfo': {'*': 'x'},", "{}", NULL },
	{ "'additionalInfo': {'*': {'a': 1}},", "{}", NULL },
	{ "'additionalInfo': [],", "{}", NULL },
	{ "'resourcePrefix': 'a/b',", "{}", NULL },
	{ "'resourcePrefix': 7,", "{}", NULL },
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_pools struct pools p = { .n = 0 };
		auto_free char *text = NULL;
		struct err e = { 0 };
		char have[1024];
		int r;

		if (asprintf(&text, "{'resourceList': [{'resourceName': 'r', %s 'selectors': %s}]}",
			     rows[i].before, rows[i].selectors) < 0)
			continue;
		test(text);
		r = parse_pools(text, &p, &e);
		ok((r == 0) == !!rows[i].want);
		ok((r < 0) == (e.code == ERR_NETCONF && *e.msg));
		if (r < 0) {
			ok(!p.doc && !p.list && p.n == 0);
			contains(e.msg, "resourceList[0]");
			continue;
		}
		who_has_what(&p, have);
		eq(have, rows[i].want ? rows[i].want : "");
	}
}

/* The configuration of its README, with a sub-function's and an accelerator's. */
static const char whole[] =
	"{'resourceList': ["
	"{'resourceName': 'intel_sriov_netdevice', 'selectors':"
	"  [{'vendors': ['8086'], 'devices': ['154c', '10ed'], 'drivers': ['i40evf', 'ixgbevf']}]},"
	"{'resourceName': 'intel_sriov_dpdk', 'resourcePrefix': 'intel.com', 'selectors':"
	"  [{'vendors': ['8086'], 'devices': ['154c', '10ed'], 'drivers': ['vfio-pci'],"
	"    'pfNames': ['enp0s0f0', 'enp2s2f1']}]},"
	"{'resourceName': 'mlnx_sriov_rdma', 'resourcePrefix': 'mellanox.com', 'selectors':"
	"  [{'vendors': ['15b3'], 'devices': ['1018'], 'drivers': ['mlx5_core'], 'isRdma': true}]},"
	"{'resourceName': 'infiniband_rdma_netdevs', 'selectors':"
	"  [{'linkTypes': ['infiniband'], 'isRdma': true}]},"
	"{'resourceName': 'ct6dx_vdpa_vhost', 'selectors':"
	"  [{'vendors': ['15b3'], 'devices': ['1018'], 'drivers': ['mlx5_core'],"
	"    'vdpaType': 'vhost'}]},"
	"{'resourceName': 'intel_fpga', 'deviceType': 'accelerator', 'selectors':"
	"  [{'vendors': ['8086'], 'devices': ['0b25']}]},"
	"{'resourceName': 'bf2_sf', 'resourcePrefix': 'nvidia.com', 'deviceType': 'auxNetDevice',"
	"  'selectors': [{'vendors': ['15b3'], 'devices': ['1017'], 'auxTypes': ['sf']}]},"
	"{'resourceName': 'the_rest', 'selectors': {}}]}";

static void test_whole(void)
{
	static const char *const resources[] = {
		"intel.com/intel_sriov_netdevice", "intel.com/intel_sriov_dpdk",
		"mellanox.com/mlnx_sriov_rdma", "intel.com/infiniband_rdma_netdevs",
		"intel.com/ct6dx_vdpa_vhost", "intel.com/intel_fpga", "nvidia.com/bf2_sf",
		"intel.com/the_rest",
	};
	auto_pools struct pools p = { .n = 0 };
	char have[1024], resource[320];
	struct err e = { 0 };

	test("a whole configuration: the first pool that selects a device has it");
	ok(parse_pools(whole, &p, &e) == 0);
	ok(p.n == ARRAY_SIZE(resources));
	for (size_t i = 0; i < p.n; i++)
		eq(pool_resource(&p, i, resource), resources[i]);
	who_has_what(&p, have);
	eq(have, "7:03:02.0 1:03:02.1 0:03:02.2 0:03:02.3 2:86:00.2 4:86:00.3 3:87:00.0 "
		 "5:89:00.0 7:8b:02.0 6:mlx5_core.sf.4 6:mlx5_core.sf.5");
	ok(pool_type(&p, 0) == POOL_NET_DEVICE && pool_type(&p, 5) == POOL_ACCELERATOR &&
	   pool_type(&p, 6) == POOL_AUX_NET_DEVICE);
	ok(!pool_unanswered(&p, 0, &node));
}

static void refused(const char *text, const char *want)
{
	auto_pools struct pools p = { .n = 0 };
	struct err e = { 0 };

	test(text);
	ok(parse_pools(text, &p, &e) == -1 && e.code == ERR_NETCONF);
	ok(p.n == 0 && !p.list && !p.doc);
	if (want)
		eq(e.msg, want);
}

static bool selects(const char *json, int function)
{
	auto_pools struct pools p = { .n = 0 };
	struct err e = { 0 };

	return parse_pools(json, &p, &e) == 0 &&
	       pools_find(&p, &node, &functions[function], NULL) == 0;
}

#define ONE_POOL "{'resourceList': [{'resourceName': 'r', 'selectors': "

/* -- expressions of ours -- */

static const struct {
	const char *pool;		/* the members behind resourceName */
	const char *want;		/* as in rows */
} expressions[] = {
	{ "'expressions': 'driver In vfio-pci; is_vf IsTrue'", "0:03:02.1" },
	{ "'expressions': {'driver': {'op': 'In', 'value': ['vfio-pci']}}", "0:03:02.1" },
	{ "'expressions': 'vf_index Lt 2', 'selectors': {'rootDevices': ['0000:03:00.0#1-3']}",
	  "0:03:02.1" },
	{ "'expressions': 'vendor In 8086', 'deviceType': 'accelerator'", "0:89:00.0" },
	{ "'EXPRESSIONS': 'sf Exists', 'deviceType': 'auxNetDevice', "
	  "'selectors': {'auxTypes': ['sf']}", "0:mlx5_core.sf.4 0:mlx5_core.sf.5" },
	{ "'expressions': 'driver In no'", "" },
	/* a device that they do not fit is the next pool's */
	{ "'expressions': 'driver In iavf'}, {'resourceName': 's', 'selectors': "
	  "{'rootDevices': ['0000:03:00.0#0-1']}", "0:03:02.0 1:03:02.1" },
	/* what is no number is not selected, and told */
	{ "'expressions': 'driver Gt 3', 'selectors': {'pfNames': ['enp0s0f0']}", "" },

	{ "'expressions': 7", NULL }, { "'expressions': ''", NULL },
	{ "'expressions': 'drivr In x'", NULL }, { "'expressions': 'driver Inn x'", NULL },
	{ "'expressions': 'pool In x'", NULL },
	{ "'expressions': 'sf Exists', 'deviceType': 'auxNetDevice'", NULL },
	{ "'expression': 'driver In x', 'selectors': {}", NULL },
};

static void test_expressions(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(expressions); i++) {
		auto_pools struct pools p = { .n = 0 };
		struct err e = { 0 };
		char text[512], have[1024];
		int r;

		(void)snprintf(text, sizeof(text), "{'resourceList': [{'resourceName': 'r', %s}]}",
			       expressions[i].pool);
		test(text);
		r = parse_pools(text, &p, &e);
		if (!expressions[i].want) {
			eqi(r, -1);
			eqi(e.code, ERR_NETCONF);
			contains(e.msg, "resourceList[0]");
		} else if (ok(r == 0)) {
			who_has_what(&p, have);
			eq(have, expressions[i].want);
			ok(!pool_unanswered(&p, 0, &node) == !strstr(text, " Gt "));
		}
	}
}

/* -- sockets -- */

static const struct {
	const char *pool;		/* the members behind resourceName */
	const char *last;		/* id and device-info of the last slot; NULL: refused */
} sockets[] = {
	{ "'deviceType': 'vhostUser', 'slots': 8",
	  "r-7 {'type':'vhost-user','version':'1.1.0','vhost-user':{'mode':'server',"
	  "'path':'/s'}}" },
	{ "'deviceType': 'vhostUser', 'slots': 1, 'mode': 'client'",
	  "r-0 {'type':'vhost-user','version':'1.1.0','vhost-user':{'mode':'client',"
	  "'path':'/s'}}" },
	{ "'deviceType': 'memif', 'slots': 256",
	  "r-255 {'type':'memif','version':'1.1.0','memif':{'role':'master','path':'/s',"
	  "'mode':'ethernet'}}" },
	{ "'DeviceType': 'memif', 'Slots': 2, 'Role': 'slave', 'Mode': 'ip'",
	  "r-1 {'type':'memif','version':'1.1.0','memif':{'role':'slave','path':'/s',"
	  "'mode':'ip'}}" },
	{ "'deviceType': 'vhostUser'", NULL }, { "'deviceType': 'vhostUser', 'slots': 0", NULL },
	{ "'deviceType': 'memif', 'slots': 257", NULL },
	{ "'deviceType': 'vhostUser', 'slots': '8'", NULL },
	{ "'deviceType': 'vhostUser', 'slots': 1, 'mode': 'master'", NULL },
	{ "'deviceType': 'vhostUser', 'slots': 1, 'role': 'master'", NULL },
	{ "'deviceType': 'memif', 'slots': 1, 'mode': 'server'", NULL },
	{ "'deviceType': 'memif', 'slots': 1, 'selectors': {}", NULL },
	{ "'deviceType': 'memif', 'slots': 1, 'expressions': 'driver In x'", NULL },
	{ "'slots': 1, 'selectors': {}", NULL }, { "'mode': 'server', 'selectors': {}", NULL },
	/* ids are made of the name alone */
	{ "'deviceType': 'memif', 'slots': 1}, {'resourceName': 'r', 'resourcePrefix': "
	  "'example.com', 'deviceType': 'vhostUser', 'slots': 1", NULL },
};

static void slot_is(const struct pools *p, const char *want)
{
	auto_device_info struct device_info di = { 0 };
	char id[POOL_SLOT_ID], have[256];
	auto_free char *text = NULL;
	json_auto_t *doc = NULL;

	pool_slot_info(p, 0, "/s", &di);
	doc = device_info_to_json(&di);
	text = json_dumps(doc, JSON_COMPACT);
	(void)snprintf(have, sizeof(have), "%s %s",
		       pool_slot_id(p, 0, pool_slots(p, 0) - 1, id), text ? text : "");
	for (char *c = have; *c; c++)
		*c = *c == '"' ? '\'' : *c;
	eq(have, want);
}

static void test_sockets(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(sockets); i++) {
		auto_pools struct pools p = { .n = 0 };
		struct err e = { 0 };
		char text[512], have[1024];
		int r;

		(void)snprintf(text, sizeof(text), "{'resourceList': [{'resourceName': 'r', %s}]}",
			       sockets[i].pool);
		test(text);
		r = parse_pools(text, &p, &e);
		if (!sockets[i].last) {
			eqi(r, -1);
			eqi(e.code, ERR_NETCONF);
			contains(e.msg, "resourceList[");
		} else if (ok(r == 0)) {
			slot_is(&p, sockets[i].last);
			who_has_what(&p, have);
			eq(have, "");
		}
	}
}

static void test_ddp(void)
{
	static const char text[] = ONE_POOL "{'ddpProfiles': ['ICE COMMS Package']}}]}";

	test("a package is that of the card, or the function's own");
	ok(!selects(text, 1));
	SET(functions[0].ddp, "ICE COMMS Package");
	ok(selects(text, 1) && !selects(text, 6));
	SET(functions[1].ddp, "ICE OS Default Package");
	ok(!selects(text, 1) && selects(text, 2));
	SET(functions[0].ddp, "");
	SET(functions[1].ddp, "");
}

/* What its README and others of its documents have behind the last element. */
static void test_commas(void)
{
	test("a comma behind the last element is passed over");
	ok(selects(ONE_POOL "[{'devices': ['154c',\n],},],\t},],\r\n}", 1));
	test("of a text it is a part");
	ok(!selects(ONE_POOL "{'devices': ['154c,]']}}]}", 1));
	ok(!selects(ONE_POOL "{'devices': ['154c\\',]']}}]}", 1));
	ok(selects(ONE_POOL "{'devices': [',]', '154c']}}]}", 1));
	test("where there is no element before it, it is an error");
	refused("{'resourceList': [,]}", NULL);
	refused("{'resourceList': [{,}]}", NULL);
	refused("{'resourceList': [{'resourceName':,}]}", NULL);
	refused("{'resourceList': [],,}", NULL);
	refused(",}", NULL);
	refused("{'resourceList': []},", NULL);
	refused("'\\", NULL);
}

static void test_prefix(void)
{
	static const char text[] =
		"{\"resourceList\": [{\"resourceName\": \"a\", \"selectors\": {}},"
		"{\"resourceName\": \"a\", \"resourcePrefix\": \"b.org\", \"selectors\": {}}]}";
	auto_pools struct pools p = { .n = 0 }, bad = { .n = 0 };
	char resource[320], prefix[] = "c.org";
	struct err e = { 0 };

	test("the prefix of pools without their own");
	ok(pools_parse_as(prefix, text, strlen(text), &p, &e) == 0);
	SET(prefix, "x");
	eq(pool_resource(&p, 0, resource), "c.org/a");
	eq(pool_resource(&p, 1, resource), "b.org/a");
	ok(pools_parse_as("a/b", text, strlen(text), &bad, &e) == -1);
	eq(e.msg, "resourceList[0]: 'a/b/a' is no name of a resource");
	ok(pools_parse_as("\xff", text, strlen(text), &bad, &e) == -1);
	eq(e.msg, "the prefix of resources is no UTF-8");
}

static void test_file(void)
{
	static const char text[] = "{\"resourceList\": [{\"resourceName\": \"a\", "
				   "\"selectors\": {}}]}";
	auto_pools struct pools p = { .n = 0 };
	char path[] = "/tmp/test_pool.XXXXXX", said[128], resource[320];
	auto_close int fd = mkstemp(path);
	struct err e = { 0 };

	test("a file of pools is read by its path, and messages name it");
	ok(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	ok(pools_read_file(path, "c.org", &p, &e) == 0 && p.n == 1);
	eq(pool_resource(&p, 0, resource), "c.org/a");
	ok(ftruncate(fd, 3) == 0);
	ok(pools_read_file(path, "c.org", &p, &e) == -1);
	begins(e.msg, path);
	ok(unlink(path) == 0);
	ok(pools_read_file(path, "c.org", &p, &e) == -1);
	(void)snprintf(said, sizeof(said), "%s: there is no such file", path);
	eq(e.msg, said);
}

/* The example of its README: the order of selectors decides. */
static void test_order(void)
{
	auto_pools struct pools a = { .n = 0 }, b = { .n = 0 }, c = { .n = 0 }, d = { .n = 0 },
			  r = { .n = 0 };
	struct err e = { 0 };

	test("of the selectors of a pool the first that selects a device counts");
	ok(parse_pools("{'resourceList': [{'resourceName': 'a', 'selectors': "
		       "[{'vendors': ['8086'], 'devices': ['154c']},"
		       " {'vendors': ['8086'], 'needVhostNet': true}]}]}", &a, &e) == 0);
	ok(!pool_wants(&a, 0, &node, &functions[1]).vhost_net);
	ok(pool_wants(&a, 0, &node, &functions[4]).vhost_net);
	ok(parse_pools("{'resourceList': [{'resourceName': 'a', 'selectors': "
		       "[{'vendors': ['8086'], 'needVhostNet': true},"
		       " {'vendors': ['8086'], 'devices': ['154c']}]}]}", &b, &e) == 0);
	ok(pool_wants(&b, 0, &node, &functions[1]).vhost_net);

	test("a vDPA device is wanted where vdpaType is");
	ok(parse_pools("{'resourceList': [{'resourceName': 'a', 'selectors': [{'vdpaType': "
		       "'vhost'}, {}]}]}", &d, &e) == 0);
	eq(pool_wants(&d, 0, &node, &functions[7]).vdpa_type, "vhost");
	ok(!pool_wants(&d, 0, &node, &functions[1]).vdpa_type);

	test("so is RDMA");
	ok(parse_pools("{'resourceList': [{'resourceName': 'a', 'selectors': [{'isRdma': true},"
		       "{}]}, {'resourceName': 'b', 'deviceType': 'auxNetDevice', 'selectors':"
		       "{'auxTypes': ['sf'], 'isRdma': true}}]}", &r, &e) == 0);
	ok(pool_wants(&r, 0, &node, &functions[6]).rdma);
	ok(!pool_wants(&r, 0, &node, &functions[7]).rdma);
	ok(pool_wants_auxiliary(&r, 1, &node, &auxiliaries[1]).rdma);
	test("what no selector finds has the wants of the only one");
	ok(pool_wants_auxiliary(&r, 1, &node, &auxiliaries[2]).rdma);
	ok(!pool_wants_auxiliary(&r, 0, &node, &auxiliaries[2]).rdma);

	test("what an inventory cannot tell is told");
	ok(parse_pools("{'resourceList': [{'resourceName': 'a', 'selectors': [{},"
		       " {'ddpProfiles': ['x']}]}]}", &c, &e) == 0);
	eq(pool_unanswered(&c, 0, &node), "ddpProfiles");
	SET(functions[0].ddp, "other");
	ok(!pool_unanswered(&c, 0, &node));
	SET(functions[0].ddp, "");
}

static void info_is(const struct pools *p, size_t i, const char *id, const char *want)
{
	json_auto_t *info = pool_info(p, i, id);
	auto_free char *have = json_dumps(info, JSON_COMPACT | JSON_SORT_KEYS);

	eq(have, want);
}

/* The examples of its README. */
static void test_info(void)
{
	static const char text[] =
		"{'resourceList': [{'resourceName': 'a', 'excludeTopology': true, 'additionalInfo':"
		"{'*': {'token': 'original', 'b': '1'}, '0000:86:00.0': {'token': 'specific'},"
		" '0000:3B:02.6': {'c': '2'}}, 'selectors': {}},"
		"{'resourceName': 'b', 'selectors': {}}]}";
	auto_pools struct pools p = { .n = 0 };
	struct err e = { 0 };

	ok(parse_pools(text, &p, &e) == 0);
	test("information for pods: the device's own is over that of all");
	info_is(&p, 0, "0000:86:00.0", "{\"b\":\"1\",\"token\":\"specific\"}");
	info_is(&p, 0, "0000:86:00.1", "{\"b\":\"1\",\"token\":\"original\"}");
	info_is(&p, 0, "0000:3b:02.6", "{\"b\":\"1\",\"c\":\"2\",\"token\":\"original\"}");
	info_is(&p, 1, "0000:86:00.0", "{}");
	test("a pool can keep its topology from kubelet");
	ok(pool_excludes_topology(&p, 0) && !pool_excludes_topology(&p, 1));
}

static void test_words(void)
{
	refused("{'resourceLists': []}", "pools: unknown key 'resourceLists', did you mean "
					 "resourceList?");
	refused("{}", "pools: resourceList is missing");
	refused("[]", "pools: expected an object, got a list");
	refused("{'resourceList': [7]}", "resourceList[0]: expected an object, got an integer");
	refused("{'resourceList': [{'selectors': {}}]}",
		"resourceList[0].resourceName: '': expected letters, digits, '_' and '-'");
	refused("{'resourceList': [{'resourceName': 'a.b', 'selectors': {}}]}",
		"resourceList[0].resourceName: 'a.b': expected letters, digits, '_' and '-'");
	refused("{'resourceList': [{'resourceName': 'a'}]}",
		"resourceList[0].selectors: expected an object or a list of them; {} selects all");
	refused("{'resourceList': [{'resourceName': 'a', 'selectors': {'pfName': ['x']}}]}",
		"resourceList[0].selectors: unknown key 'pfName', did you mean pfNames?");
	refused("{'resourceList': [{'resourceName': 'a', 'selectors': [{}, {'pkeys': [1]}]}]}",
		"resourceList[0].selectors[1].pKeys[0]: expected a string, got an integer");
	refused("{'resourceList': [{'resourceName': 'a', 'selectors': {'auxTypes': []}}]}",
		"resourceList[0].selectors.auxTypes: not for this deviceType");
	refused("{'resourceList': [{'resourceName': 'a', 'selectors': {}},"
		"{'resourceName': 'a', 'resourcePrefix': 'intel.com', 'selectors': {}}]}",
		"resourceList[1]: resourceList[0] is 'intel.com/a', too");
}

int main(void)
{
	struct err e = { 0 };

	jx_init(NULL);
	if (places_set(&node, &e) < 0)
		return 1;
	test_rows();
	test_whole();
	test_order();
	test_info();
	test_ddp();
	test_expressions();
	test_sockets();
	test_commas();
	test_prefix();
	test_file();
	test_words();
	return tap_end();
}
