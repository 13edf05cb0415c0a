/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attribute_table.c - the names of the attributes of devices, and what each says
 *
 * They stay as they are once they were released, for rules are written with them.
 */
#include "manager/match/attribute_table.h"

#include "base/nearest.h"

#include <string.h>

const struct attribute attribute_table[] = {
	{ "id", "how kubelet calls it: the PCI address, or the name on the auxiliary bus" },
	{ "bus", "pci, auxiliary or vdpa; of a pool's socket its type, vhost-user or memif" },

	{ "vendor", "PCI vendor, as 8086; of an auxiliary device, its function's, and so on" },
	{ "device", "PCI device, as 154c" },
	{ "subsystem_vendor", "PCI subsystem vendor" },
	{ "subsystem_device", "PCI subsystem device" },
	{ "class", "PCI class, as 020000" },
	{ "vendor_name", "the vendor in words" },
	{ "device_name", "the device in words" },
	{ "driver_version", "version of the driver" },
	{ "firmware", "version of the firmware" },
	{ "pcie_root", "PCIe root, as pci0000:00" },
	{ "numa_node", "NUMA node" },
	{ "acpi_index", "number that the firmware gives it" },

	{ "driver", "its driver" },
	{ "driver_override", "the only driver that may bind it" },
	{ "iommu_group", "IOMMU group" },
	{ "is_vf", "whether it is a VF" },
	{ "vf_index", "which VF of its PF" },
	{ "pf", "PCI address of its PF" },
	{ "pf_name", "network device of its PF, or of a PF itself" },
	{ "total_vfs", "how many VFs a PF can have" },
	{ "num_vfs", "how many VFs a PF has" },
	{ "eswitch", "mode of a PF's switch: legacy or switchdev" },
	{ "vhost_net", "whether the node has /dev/vhost-net and the device could need it" },
	{ "aer_correctable", "PCIe errors that were corrected" },
	{ "aer_nonfatal", "PCIe errors that were not fatal" },
	{ "aer_fatal", "PCIe errors that were fatal" },
	{ "health", "ok, degraded, failed, changed or vanished" },
	{ "health_reason", "why it is not ok, or why no ADD could attach it" },

	{ "aux_type", "type of an auxiliary device, as sf" },
	{ "sf", "number of a sub-function" },

	{ "link", "its network device" },
	{ "link_type", "type of that: ether, infiniband" },
	{ "mac", "address of that" },
	{ "mtu", "MTU of that" },
	{ "is_up", "whether that is up" },
	{ "carrier", "whether that has a carrier" },
	{ "operstate", "state of that" },
	{ "speed", "speed of that in Mbit/s" },
	{ "master", "bridge or bond that it is a port of" },
	{ "default_route", "whether a default route of the node goes by that" },
	{ "altnames", "alternative names of that (list)" },
	{ "ips", "IP addresses of that (list)" },
	{ "representor", "network device that is its port of the switch" },

	{ "admin_mac", "address that the PF has set for a VF" },
	{ "vlan", "VLAN that the PF has set for a VF" },
	{ "qos", "priority in that VLAN" },
	{ "link_state", "link state of a VF: auto, enable, disable" },
	{ "spoofchk", "whether a VF may only send with its own address" },
	{ "trust", "whether a VF is trusted" },
	{ "min_tx_rate", "what a VF may send at least, in Mbit/s" },
	{ "max_tx_rate", "what a VF may send at most, in Mbit/s" },

	{ "is_rdma", "whether it has an RDMA device" },
	{ "rdma", "its RDMA devices (list)" },
	{ "makes_vdpa", "whether vDPA devices can be made on it" },
	{ "vdpa", "its vDPA devices (list)" },
	{ "vdpa_type", "vhost or virtio: the drivers of these (list)" },

	{ "is_held", "whether an attachment has it" },
	{ "pod", "NAMESPACE/NAME of that attachment's pod" },
	{ "network", "network of that attachment" },
	{ "interface", "interface of that attachment" },
	{ "attachment_state", "state of that attachment: live, dead..." },
	{ "resource", "resources of kubelet that it is one of (list)" },
	{ "allocated_to", "pods that kubelet has given it to (list)" },
	{ "pool", "the pool that it is in, with --pool" },
	{ NULL, NULL },
};

int attribute_check(const char *name, struct err *e)
{
	const char *names[ARRAY_SIZE(attribute_table)];
	char hint[NEAREST_HINT];
	size_t n = 0;

	for (const struct attribute *a = attribute_table; a->name; a++) {
		if (strcmp(name, a->name) == 0)
			return 0;
		names[n++] = a->name;
	}
	nearest_hint(name, names, n, hint);
	return err_set(e, ERR_NETCONF, 0, "'%.64s' is no attribute of a device%s", name, hint);
}
