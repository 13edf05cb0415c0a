/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_documented.c - the configurations in the documents of sriov-network-device-plugin, and which
 * devices of a node they select
 *
 * The node has, of each device that they are about, one that fits, and its neighbours that do not:
 * by vendor, device, driver, PF, number, type.  What the documents say of a configuration is in its
 * row.  Texts of JSON have ' for ", and stand on fewer lines than there.
 */
#include "base/jx.h"
#include "base/mem.h"
#include "manager/inventory/read.h"
#include "manager/match/pool.h"
#include "tests/unit/tap.h"

#include <string.h>

/* -- the node -- */

#define FUNCTION(at, cl, ven, dev, drv, ...)						\
	{ .bdf = "0000:" at, .class = cl, .vendor = ven, .device = dev, .driver = drv,		\
	  .link = INV_NONE, __VA_ARGS__ }
#define VF(at, ven, dev, drv, on, n)							\
	FUNCTION(at, "020000", ven, dev, drv, .is_vf = true, .vf_index = (n), .pf_bdf = "0000:" on)
#define LINK(n, on) { .name = n, .parent_bus = "pci", .parent = "0000:" on, .type = "ether" }

static struct inv_function functions[] = {
	/* of a virtual machine: no PF is to be seen */
	FUNCTION("00:07.0", "020000", "8086", "154c", "vfio-pci", .num_vfs = 0),
	FUNCTION("00:08.0", "020000", "8086", "154c", "iavf", .num_vfs = 0),
	FUNCTION("00:09.0", "020000", "8086", "154c", "vfio-pci", .num_vfs = 0),
	/* an X710, an 82599 and two E810s with packages */
	FUNCTION("02:00.0", "020000", "8086", "1572", "i40e", .num_vfs = 12),
	VF("02:02.0", "8086", "154c", "i40evf", "02:00.0", 0),
	VF("02:02.1", "8086", "154c", "vfio-pci", "02:00.0", 1),
	VF("02:02.4", "8086", "154c", "iavf", "02:00.0", 4),
	VF("02:02.5", "8086", "154c", "vfio-pci", "02:00.0", 5),
	FUNCTION("03:00.0", "020000", "8086", "10fb", "ixgbe", .num_vfs = 1),
	VF("03:10.0", "8086", "10ed", "ixgbevf", "03:00.0", 0),
	FUNCTION("04:00.0", "020000", "8086", "1592", "ice", .num_vfs = 1,
		 .ddp = "ICE OS Default Package"),
	VF("04:01.0", "8086", "1889", "iavf", "04:00.0", 0),
	FUNCTION("05:00.0", "020000", "8086", "1592", "ice", .num_vfs = 2,
		 .ddp = "ICE COMMS Package"),
	VF("05:01.0", "8086", "1889", "vfio-pci", "05:00.0", 0),
	VF("05:01.1", "8086", "1889", "vfio-pci", "05:00.0", 1),
	/* ConnectX-4 Lx, -5 and -6 Dx; the last with vDPA devices; InfiniBand */
	FUNCTION("06:00.0", "020000", "15b3", "1015", "mlx5_core", .num_vfs = 2),
	VF("06:00.2", "15b3", "1016", "mlx5_core", "06:00.0", 0),
	VF("06:00.3", "15b3", "1016", "mlx5_core", "06:00.0", 1),
	FUNCTION("07:00.0", "020000", "15b3", "1017", "mlx5_core", .num_vfs = 1),
	VF("07:00.2", "15b3", "1018", "mlx5_core", "07:00.0", 0),
	FUNCTION("08:00.0", "020000", "15b3", "101d", "mlx5_core", .num_vfs = 3),
	VF("08:00.2", "15b3", "101e", "mlx5_core", "08:00.0", 0),
	VF("08:00.3", "15b3", "101e", "mlx5_core", "08:00.0", 1),
	VF("08:00.4", "15b3", "101e", "mlx5_core", "08:00.0", 2),
	FUNCTION("09:00.0", "020700", "15b3", "101b", "mlx5_core", .num_vfs = 0),
	/* a BlueField-2 and a ConnectX-6 Dx with sub-functions */
	FUNCTION("0a:00.0", "020000", "15b3", "a2d6", "mlx5_core", .num_vfs = 0),
	FUNCTION("0b:00.0", "020000", "15b3", "101e", "mlx5_core", .num_vfs = 0),
	/* others */
	FUNCTION("0c:00.0", "020000", "14e4", "1750", "bnxt_en", .num_vfs = 1),
	VF("0c:02.0", "14e4", "1750", "bnxt_en", "0c:00.0", 0),
	FUNCTION("0d:00.0", "120000", "8086", "0d90", "dfl-pci", .num_vfs = 0),
	FUNCTION("0e:00.0", "120000", "1eff", "1220", "rebellions", .num_vfs = 0),
	FUNCTION("0f:00.0", "120000", "1eff", "1220", "vfio-pci", .num_vfs = 0),
};

static struct inv_link links[] = {
	LINK("enp0s0f0", "02:00.0"), LINK("enp2s2f1", "05:00.0"), LINK("ens785f0", "06:00.0"),
	LINK("ens785f1", "07:00.0"),
	{ .name = "ib0", .parent_bus = "pci", .parent = "0000:09:00.0", .type = "infiniband" },
	LINK("p0", "0a:00.0"), LINK("p1", "0b:00.0"),
};

#define SF(nr, on, number)								\
	{ .name = "mlx5_core.sf." nr, .type = "sf", .driver = "mlx5_core.sf",			\
	  .pf_bdf = "0000:" on, .has_sf = true, .sf = (number) }
static struct inv_auxiliary auxiliaries[] = {
	{ .name = "mlx5_core.eth.3", .type = "eth", .driver = "mlx5_core.eth",
	  .pf_bdf = "0000:0a:00.0" },
	SF("2", "0a:00.0", 1), SF("3", "0a:00.0", 5), SF("4", "0a:00.0", 6), SF("5", "0b:00.0", 1),
};

static struct inv_rdma rdmas[] = {
	{ .name = "irdma0", .parent = "0000:04:01.0" },
	{ .name = "mlx5_0", .parent = "0000:06:00.2" },
	{ .name = "mlx5_1", .parent = "0000:07:00.2" },
	{ .name = "mlx5_2", .parent = "0000:09:00.0" },
};

static struct inv_vdpa vdpas[] = {
	{ .name = "vdpa0", .driver = "virtio_vdpa", .bdf = "0000:08:00.2" },
	{ .name = "vdpa1", .driver = "vhost_vdpa", .bdf = "0000:08:00.3" },
};

static struct inventory node = {
	.functions = functions, .n_functions = ARRAY_SIZE(functions),
	.links = links, .n_links = ARRAY_SIZE(links),
	.auxiliaries = auxiliaries, .n_auxiliaries = ARRAY_SIZE(auxiliaries),
	.rdmas = rdmas, .n_rdmas = ARRAY_SIZE(rdmas), .vdpas = vdpas, .n_vdpas = ARRAY_SIZE(vdpas),
};

/* -- the documents -- */

#define INTEL "'vendors': ['8086'], 'devices': ['154c', '10ed', '1889']"
#define KERNEL "'drivers': ['i40evf', 'ixgbevf', 'iavf']"
#define MLX(dev) "'vendors': ['15b3'], 'devices': ['" dev "'], 'drivers': ['mlx5_core']"

static const struct row {
	const char *document, *json;
	const char *want;		/* "RESOURCE: ..." of each pool; NULL: it is no JSON */
} rows[] = {
	{ "README.md, the example of all: the first pool has a device, so the last two have none",
	  "{'resourceList': [{'resourceName': 'intel_sriov_netdevice', 'selectors': [{" INTEL ","
	  KERNEL "}]},"
	  "{'resourceName': 'intel_sriov_dpdk', 'resourcePrefix': 'intel.com', 'selectors': [{"
	  INTEL ", 'drivers': ['vfio-pci'], 'pfNames': ['enp0s0f0','enp2s2f1'],"
	  "'needVhostNet': true}]},"
	  "{'resourceName': 'mlnx_sriov_rdma', 'resourcePrefix': 'mellanox.com', 'selectors': [{"
	  "'vendors': ['15b3'], 'devices': ['1018'], 'drivers': ['mlx5_ib'], 'isRdma': true}]},"
	  "{'resourceName': 'infiniband_rdma_netdevs', 'selectors': [{'linkTypes': ['infiniband'],"
	  "'isRdma': true}]},"
	  "{'resourceName': 'ct6dx_vdpa_vhost', 'selectors': [{" MLX("101e") ","
	  "'vdpaType': 'vhost'}]},"
	  "{'resourceName': 'intel_fpga', 'deviceType': 'accelerator', 'selectors': [{"
	  "'vendors': ['8086'], 'devices': ['0d90']}]},"
	  "{'resourceName': 'bf2_sf', 'resourcePrefix': 'nvidia.com', 'deviceType': 'auxNetDevice',"
	  "'selectors': [{'vendors': ['15b3'], 'devices': ['a2d6'], 'pfNames': ['p0#1-5'],"
	  "'auxTypes': ['sf']}]},"
	  "{'resourceName': 'intel_sriov_netdevice_additional_env', 'selectors': [{" INTEL ", "
	  KERNEL "}], 'additionalInfo': {'*': {'token': '3e49019f-412f-4f02-824e-4cd195944205'}}},"
	  "{'resourceName': 'brcm_sriov_bnxt', 'resourcePrefix': 'broadcom.com', 'selectors': [{"
	  "'vendors': ['14e4'], 'devices': ['1750'], 'drivers': ['bnxt_en']}],\n        },"
	  "{'resourceName': 'old_selectors_syntax_example', 'selectors': {" INTEL ", "
	  KERNEL "}}]}",
	  "intel.com/intel_sriov_netdevice: 00:08.0 02:02.0 02:02.4 03:10.0 04:01.0 "
	  "intel.com/intel_sriov_dpdk: 02:02.1 02:02.5 05:01.0 05:01.1 "
	  "mellanox.com/mlnx_sriov_rdma: intel.com/infiniband_rdma_netdevs: 09:00.0 "
	  "intel.com/ct6dx_vdpa_vhost: 08:00.3 intel.com/intel_fpga: 0d:00.0 "
	  "nvidia.com/bf2_sf: sf.2 sf.3 intel.com/intel_sriov_netdevice_additional_env: "
	  "broadcom.com/brcm_sriov_bnxt: 0c:02.0 intel.com/old_selectors_syntax_example:" },

	{ "README.md, a list of selectors",
	  "{'resourceList': [{'resourceName': 'r', 'selectors': [{'vendors': ['8086'],"
	  "'devices': ['154c']}, {'vendors': ['8086'], 'needVhostNet': true}]}]}",
	  "intel.com/r: 00:07.0 00:08.0 00:09.0 02:02.0 02:02.1 02:02.4 02:02.5 03:10.0 04:01.0 "
	  "05:01.0 05:01.1" },
	{ "README.md, VFs 0, 2 to 7 and 9",
	  "{'resourceList': [{'resourceName': 'r', 'selectors':"
	  "{'pfNames': ['enp0s0f0#0,2-7,9']}}]}",
	  "intel.com/r: 02:02.0 02:02.4 02:02.5" },
	{ "README.md, VFs 0, 1, 3, 4 of an address",
	  "{'resourceList': [{'resourceName': 'r', 'selectors':"
	  "{'rootDevices': ['0000:02:00.0#0-1,3,4']}}]}",
	  "intel.com/r: 02:02.0 02:02.1 02:02.4" },

	{ "deployments/configMap.yaml",
	  "{'resourceList': [{'resourceName': 'intel_sriov_netdevice', 'selectors': {" INTEL ","
	  "'drivers': ['i40evf', 'iavf', 'ixgbevf']}},"
	  "{'resourceName': 'intel_sriov_dpdk', 'selectors': {" INTEL ", 'drivers': ['vfio-pci'],"
	  "'pfNames': ['enp0s0f0','enp2s2f1']}},"
	  "{'resourceName': 'mlnx_sriov_rdma', 'selectors': {'vendors': ['15b3'],"
	  "'devices': ['1018'], 'drivers': ['mlx5_ib'], 'isRdma': true}},"
	  "{'resourceName': 'brcm_sriov_bnxt', 'selectors': {'vendors': ['14e4'],"
	  "'devices': ['1750'], 'drivers': ['bnxt_en']}}]}",
	  "intel.com/intel_sriov_netdevice: 00:08.0 02:02.0 02:02.4 03:10.0 04:01.0 "
	  "intel.com/intel_sriov_dpdk: 02:02.1 02:02.5 05:01.0 05:01.1 "
	  "intel.com/mlnx_sriov_rdma: intel.com/brcm_sriov_bnxt: 0c:02.0" },
	{ "deployments/rbln/configmap.yaml",
	  "{'resourceList': [{'resourceName': 'ATOM', 'resourcePrefix': 'rebellions.ai',"
	  "'deviceType': 'accelerator', 'selectors': {'vendors': ['1eff'], 'devices': ['0010',"
	  "'0011', '1020', '1021', '1120', '1121', '1150', '1151', '1220', '1221', '1250', '1251'],"
	  "'drivers': ['rebellions']}}]}",
	  "rebellions.ai/ATOM: 0e:00.0" },
	{ "docs/config-file/README.md, as the operator writes it",
	  "{'resourceList':[{'resourceName':'sriovnics','selectors':{'pfNames':['ens785f0#0-4',"
	  "'ens785f1#0-9'],'IsRdma':false,'NeedVhostNet':false},'SelectorObj':null}]}",
	  "intel.com/sriovnics: 06:00.2 06:00.3 07:00.2" },

	{ "docs/ddp: packages of E810 by devlink; of X710 only ddptool knows",
	  "{'resourceList': [{'resourceName': 'e800_default', 'resourcePrefix': 'intel.com',"
	  "'selectors': [{'vendors': ['8086'], 'devices': ['1889'],"
	  "'ddpProfiles': ['ICE OS Default Package']}]},"
	  "{'resourceName': 'e800_comms', 'resourcePrefix': 'intel.com', 'selectors': [{"
	  "'vendors': ['8086'], 'devices': ['1889'], 'ddpProfiles': ['ICE COMMS Package']}]},"
	  "{'resourceName': 'x700_gtp', 'selectors': {'vendors': ['8086'], 'devices': ['154c'],"
	  "'ddpProfiles': ['GTPv1-C/U IPv4/IPv6 payload']}},"
	  "{'resourceName': 'x700_pppoe', 'selectors': {'vendors': ['8086'], 'devices': ['154c'],"
	  "'ddpProfiles': ['E710 PPPoE and PPPoL2TPv2']}}]}",
	  "intel.com/e800_default: 04:01.0 intel.com/e800_comms: 05:01.0 05:01.1 "
	  "intel.com/x700_gtp: intel.com/x700_pppoe:" },

	{ "docs/dpdk/configMap.yaml",
	  "{'resourceList': [{'resourceName': 'intel_x710vfio', 'selectors': [{"
	  "'vendors': ['8086'], 'devices': ['154c'], 'drivers': ['vfio-pci']}]}]}",
	  "intel.com/intel_x710vfio: 00:07.0 00:09.0 02:02.1 02:02.5" },
	{ "docs/dpdk/configMap-virt.yaml, with its commas: in a virtual machine by addresses",
	  "{'resourceList': [{'resourceName': 'intelnics_radio_downlink', 'selectors': [{"
	  "'drivers': ['vfio-pci'], 'pciAddresses': ['0000:00:09.0', '0000:00:0a.0'],\n }],\n },"
	  "{'resourceName': 'intelnics_radio_uplink', 'selectors': [{'drivers': ['vfio-pci'],"
	  "'pciAddresses': ['0000:00:07.0', '0000:00:08.0'],\n }],\n }]}",
	  "intel.com/intelnics_radio_downlink: 00:09.0 intel.com/intelnics_radio_uplink: 00:07.0" },
	{ "docs/dpdk/configMap-all-nics.yaml",
	  "{'resourceList': [{'resourcePrefix': 'dpdk.org', 'resourceName': 'nic', 'selectors': [{"
	  MLX("1016") ", 'isRdma': true}, {" MLX("1018") ", 'isRdma': true}, {'vendors': ['8086'],"
	  "'devices': ['154c'], 'drivers': ['vfio-pci']}]}]}",
	  "dpdk.org/nic: 00:07.0 00:09.0 02:02.1 02:02.5 06:00.2 07:00.2" },
	{ "docs/dpdk/mlnx-dpdk/configMap.yaml: who has no RDMA device is left out",
	  "{'resourceList': [{'resourcePrefix': 'mellanox.com', 'resourceName': 'mlnx_connectx4',"
	  "'selectors': {" MLX("1016") ", 'isRdma': true}}, {'resourcePrefix': 'mellanox.com',"
	  "'resourceName': 'mlnx_connectx5', 'selectors': {" MLX("1018") ", 'isRdma': true}}]}",
	  "mellanox.com/mlnx_connectx4: 06:00.2 mellanox.com/mlnx_connectx5: 07:00.2" },
	{ "docs/rdma/configMap.yaml",
	  "{'resourceList': [{'resourceName': 'mlnx_rdma', 'resourcePrefix': 'mellanox.com',"
	  "'selectors': [{'vendors': ['15b3'], 'devices': ['1016', '1018'],"
	  "'drivers': ['mlx5_core'], 'isRdma': true}]},"
	  "{'resourceName': 'intel_rdma', 'selectors': {"
	  "'vendors': ['8086'], 'devices': ['1889'], 'drivers': ['iavf'], 'isRdma': true}}]}",
	  "mellanox.com/mlnx_rdma: 06:00.2 07:00.2 intel.com/intel_rdma: 04:01.0" },

	{ "docs/subfunctions/README.md, BlueField-2",
	  "{'resourceList': [{'resourceName': 'bf2_sf', 'resourcePrefix': 'nvidia.com',"
	  "'deviceType': 'auxNetDevice', 'selectors': {'vendors': ['15b3'], 'devices': ['a2d6'],"
	  "'pfNames': ['p0#1-5'], 'auxTypes': ['sf']}}]}",
	  "nvidia.com/bf2_sf: sf.2 sf.3" },
	{ "docs/subfunctions/README.md, ConnectX-6 Dx, with its comma: VFs, and sub-functions",
	  "{'resourceList': [{'resourceName': 'cx6dx_vf', 'resourcePrefix': 'nvidia.com',"
	  "'selectors': {'vendors': ['15b3'], 'devices': ['101e'],\n }},"
	  "{'resourceName': 'cx6dx_sf', 'resourcePrefix': 'nvidia.com', 'deviceType':"
	  "'auxNetDevice', 'selectors': {'vendors': ['15b3'], 'devices': ['101e'],"
	  "'auxTypes': ['sf']}}]}",
	  "nvidia.com/cx6dx_vf: 08:00.2 08:00.3 08:00.4 0b:00.0 nvidia.com/cx6dx_sf: sf.5" },

	{ "docs/vdpa/configMap.yaml, which has a brace too many",
	  "{'resourceList': [{\n {'resourceName': 'vdpa_mlx_virtio', 'selectors': [{" MLX("101e")
	  ", 'vdpaType': 'virtio'}]}, {'resourceName': 'vdpa_mlx_vhost', 'selectors': [{"
	  MLX("101e") ", 'vdpaType': 'vhost'}]}]}", NULL },
	{ "docs/vdpa/configMap.yaml, without it",
	  "{'resourceList': [{'resourceName': 'vdpa_mlx_virtio', 'selectors': [{" MLX("101e")
	  ", 'vdpaType': 'virtio'}]}, {'resourceName': 'vdpa_mlx_vhost', 'selectors': [{"
	  MLX("101e") ", 'vdpaType': 'vhost'}]}]}",
	  "intel.com/vdpa_mlx_virtio: 08:00.2 intel.com/vdpa_mlx_vhost: 08:00.3" },
};

/* -- asking -- */

static void append(char ret[2048], const char *before, const char *text)
{
	size_t n = strlen(ret);

	(void)snprintf(ret + n, 2048 - n, "%s%s", before, text);
}

static void put_pool(const struct pools *p, size_t pool, char ret[2048])
{
	char resource[320];

	append(ret, *ret ? " " : "", pool_resource(p, pool, resource));
	append(ret, ":", "");
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (pools_find(p, &node, &functions[i], NULL) == (int)pool)
			append(ret, " ", functions[i].bdf + strlen("0000:"));
	for (size_t i = 0; i < ARRAY_SIZE(auxiliaries); i++)
		if (pools_find(p, &node, NULL, &auxiliaries[i]) == (int)pool)
			append(ret, " ", auxiliaries[i].name + strlen("mlx5_core."));
}

static void test_row(const struct row *row)
{
	auto_pools struct pools p = { .n = 0 };
	auto_free char *json = strdup(row->json);
	char have[2048] = "";
	struct err e = { 0 };
	int r;

	for (char *c = json; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	test(row->document);
	r = pools_parse(json, strlen(json), &p, &e);
	eq(e.msg, r < 0 && !row->want ? e.msg : "");
	if (!ok((r < 0) == !row->want))
		return;
	for (size_t i = 0; i < p.n; i++)
		put_pool(&p, i, have);
	eq(have, row->want ? row->want : "");
}

int main(void)
{
	struct err e = { 0 };

	jx_init(NULL);
	if (places_set(&node, &e) < 0)
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		test_row(&rows[i]);
	return tap_end();
}
