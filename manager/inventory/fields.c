/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c - the structs of an inventory as JSON: one table each
 *
 * What is derived from other members, or from another struct, is not in a table but named above it;
 * tests/tables.sh tells a member that is neither.
 */
#include "manager/inventory/inventory.h"

#include "base/name.h"

#define OPT .optional = true
/* A number that is there only with its flag. */
#define WITH(s, member) .flag = offsetof(s, member)

static bool has_index(const void *s)
{
	const struct inv_function *f = s;

	return f->is_vf && f->vf_index != INV_NONE;
}

/*
 * derived: pci_path, pf, changes, health, health_reason, away, reach, reach_why, holder,
 * has_record, offered, given, link, representor, rdma, vdpa, auxiliary, vf, sriov_cni, vanished
 */
#define OF(member) FIELD(struct inv_function, member)
static const struct field function_field[] = {
	{ "bdf", OF(bdf), .required = true, .fits = name_is_bdf },
	{ "vendor", OF(vendor), OPT },
	{ "device", OF(device), OPT },
	{ "subsystem_vendor", OF(subsystem_vendor), OPT },
	{ "subsystem_device", OF(subsystem_device), OPT },
	{ "class", OF(class), OPT },
	{ "vendor_name", OF(vendor_name), OPT },
	{ "device_name", OF(device_name), OPT },
	{ "driver", OF(driver), OPT },
	{ "driver_override", OF(driver_override), OPT },
	{ "drivers_version", OF(drivers_version), OPT },
	{ "firmware", OF(firmware), OPT },
	{ "ddp", OF(ddp), OPT },
	{ "pcie_root", OF(pcie_root), OPT },
	{ "iommu_group", OF(iommu_group), OPT },
	{ "numa_node", OF(numa_node), WITH(struct inv_function, has_numa) },
	{ "acpi_index", OF(acpi_index), WITH(struct inv_function, has_acpi_index) },
	{ "total_vfs", OF(total_vfs), OPT },
	{ "num_vfs", OF(num_vfs), OPT },
	{ "is_vf", OF(is_vf), OPT },
	{ "vf_index", OF(vf_index), .when = has_index },
	{ "pf_bdf", OF(pf_bdf), OPT },
	{ "eswitch", OF(eswitch), OPT },
	{ "aer_correctable", OF(aer_correctable), WITH(struct inv_function, has_aer) },
	{ "aer_nonfatal", OF(aer_nonfatal), WITH(struct inv_function, has_aer) },
	{ "aer_fatal", OF(aer_fatal), WITH(struct inv_function, has_aer) },
	{ "vhost_net", OF(vhost_net), OPT },
};
const struct fields inv_function_fields = FIELDS(function_field, NULL);
#undef OF

/* derived: function, represents, represents_auxiliary */
#define OF(member) FIELD(struct inv_link, member)
static const struct field link_field[] = {
	{ "name", OF(name), .required = true, .fits = name_is_ifname },
	{ "ifindex", OF(ifindex), OPT },
	{ "altnames", FIELD_TEXTS(struct inv_link, altnames, n_altnames, INV_NAMES), OPT },
	{ "parent_bus", OF(parent_bus), OPT },
	{ "parent", OF(parent), OPT },
	{ "kind", OF(kind), OPT },
	{ "type", OF(type), OPT },
	{ "address", OF(address), OPT },
	{ "mtu", OF(mtu), OPT },
	{ "up", OF(up), OPT },
	{ "carrier", OF(carrier), OPT },
	{ "operstate", OF(operstate), OPT },
	{ "speed", OF(speed), OPT },
	{ "master", OF(master), OPT },
	{ "switch_id", OF(switch_id), OPT },
	{ "port_name", OF(port_name), OPT },
	{ "ips", FIELD_TEXTS(struct inv_link, ips, n_ips, INV_NAMES), OPT },
	{ "default_route", OF(default_route), OPT },
	{ "xdp", OF(xdp), OPT },
	{ "driver", OF(driver), OPT },
	{ "drivers_version", OF(drivers_version), OPT },
	{ "firmware", OF(firmware), OPT },
};
const struct fields inv_link_fields = FIELDS(link_field, NULL);
#undef OF

/* derived: common */
#define OF(member) FIELD(struct inv_vf, member)
static const struct field vf_field[] = {
	{ "pf", OF(pf), .required = true, .fits = name_is_ifname },
	{ "index", OF(index) },
	{ "mac", OF(mac), OPT },
	{ "vlan", OF(vlan), OPT },
	{ "qos", OF(qos), OPT },
	{ "vlan_proto", OF(vlan_proto), OPT },
	{ "link_state", OF(link_state), OPT },
	{ "spoofchk", OF(spoofchk) },
	{ "trust", OF(trust) },
	{ "min_tx_rate", OF(min_tx_rate), OPT },
	{ "max_tx_rate", OF(max_tx_rate), OPT },
};
const struct fields inv_vf_fields = FIELDS(vf_field, NULL);
#undef OF

/* derived: function, link, representor, holder, next, health, health_reason */
#define OF(member) FIELD(struct inv_auxiliary, member)
static const struct field auxiliary_field[] = {
	{ "name", OF(name), .required = true, .fits = name_is_file },
	{ "type", OF(type), OPT },
	{ "driver", OF(driver), OPT },
	{ "pf_bdf", OF(pf_bdf), OPT },
	{ "sf", OF(sf), WITH(struct inv_auxiliary, has_sf) },
};
const struct fields inv_auxiliary_fields = FIELDS(auxiliary_field, NULL);
#undef OF

/* derived: function, link, holder, next */
#define OF(member) FIELD(struct inv_vdpa, member)
static const struct field vdpa_field[] = {
	{ "name", OF(name), .required = true, .fits = name_is_file },
	{ "driver", OF(driver), OPT },
	{ "mgmtdev", OF(mgmtdev), OPT },
	{ "node", OF(node), OPT },
	{ "bdf", OF(bdf), OPT },
	{ "auxiliary", OF(auxiliary), OPT },
	{ "netdev", OF(netdev), OPT },
	{ "mac", OF(mac), OPT },
	{ "mtu", OF(mtu), OPT },
	{ "max_vqp", OF(max_vqp), OPT },
};
const struct fields inv_vdpa_fields = FIELDS(vdpa_field, NULL);
#undef OF

/* derived: function */
#define OF(member) FIELD(struct inv_mgmtdev, member)
static const struct field mgmtdev_field[] = {
	{ "name", OF(name), .required = true },
	{ "classes", OF(classes), OPT },
	{ "features", OF(features), OPT },
};
const struct fields inv_mgmtdev_fields = FIELDS(mgmtdev_field, NULL);
#undef OF

/* derived: function, next */
#define OF(member) FIELD(struct inv_rdma, member)
static const struct field rdma_field[] = {
	{ "name", OF(name), .required = true, .fits = name_is_file },
	{ "parent", OF(parent), OPT },
	{ "node_guid", OF(node_guid), OPT },
	{ "pkey", OF(pkey), OPT },
};
const struct fields inv_rdma_fields = FIELDS(rdma_field, NULL);
#undef OF

/* derived: host_ifindex, needs_conf, function */
#define OF(member) FIELD(struct inv_attachment, member)
/* What no file of the tree says of an attachment: the facts of a recorded node do. */
#define SAID \
	{ "state", OF(state), .required = true }, \
	{ "why", OF(why), OPT }, \
	{ "untrusted", OF(untrusted), OPT }, \
	{ "drift", OF(drift), OPT }, \
	{ "device_away", OF(device_away), OPT }, \
	{ "carrier", OF(carrier), OPT }

static const struct field attachment_field[] = {
	{ "file", OF(file), .required = true },
	{ "network", OF(network), OPT },
	{ "container_id", OF(container_id), OPT },
	{ "ifname", OF(ifname), OPT },
	{ "netns", OF(netns), OPT },
	{ "pod_namespace", OF(pod_namespace), OPT },
	{ "pod_name", OF(pod_name), OPT },
	{ "pod_uid", OF(pod_uid), OPT },
	{ "device", OF(device), OPT },
	{ "device_id", OF(device_id), OPT },
	{ "parent", OF(parent), OPT },
	{ "vdpa", OF(vdpa), OPT },
	{ "host_name", OF(host_name), OPT },
	{ "kind", OF(kind), OPT },
	{ "state_dir", OF(state_dir), OPT },
	{ "boot_id", OF(boot_id), OPT },
	{ "from_plugin", OF(from_plugin), OPT },
	{ "info_file", OF(info_file), OPT },
	{ "has_status", OF(has_status), OPT },
	SAID,
};
const struct fields inv_attachment_fields = FIELDS(attachment_field, NULL);

static const struct field said_field[] = { SAID };
const struct fields inv_attachment_said = FIELDS(said_field, NULL);
#undef SAID
#undef OF

/* derived: attachment */
#define OF(member) FIELD(struct inv_file, member)
static const struct field file_field[] = {
	{ "name", OF(name), .required = true },
	{ "is_dp", OF(is_dp), OPT },
	{ "type", OF(type), OPT },
	{ "version", OF(version), OPT },
	{ "device", OF(device), OPT },
	{ "resource", OF(resource), OPT },
	{ "wrong", OF(wrong), OPT },
	{ "modified", .type = &field_uint, FIELD_AT(struct inv_file, modified), OPT },
};
const struct fields inv_file_fields = FIELDS(file_field, NULL);
#undef OF

/* derived: function */
#define OF(member) FIELD(struct inv_allocation, member)
static const struct field allocation_field[] = {
	{ "resource", OF(resource), .required = true },
	{ "id", OF(id), .required = true },
	{ "pod_namespace", OF(pod_namespace), OPT },
	{ "pod_name", OF(pod_name), OPT },
	{ "container", OF(container), OPT },
	{ "driver", OF(driver), OPT },
	{ "pool", OF(pool), OPT },
	{ "claim_device", OF(claim_device), OPT },
	{ "claim_share", OF(claim_share), OPT },
	{ "unresolved", OF(unresolved), OPT },
	{ "unreadable", OF(unreadable), OPT },
	{ "allocatable", OF(allocatable), OPT },
	{ "started", OF(started), OPT },
	{ "waits", OF(waits), OPT },
};
const struct fields inv_allocation_fields = FIELDS(allocation_field, NULL);
#undef OF

/* derived: is_recorded */
#define OF(member) FIELD(struct inv_node, member)
static const struct field node_field[] = {
	{ "kernel", OF(kernel), OPT },
	{ "boot_id", OF(boot_id), OPT },
	{ "rdma_mode", OF(rdma_mode), OPT },
	{ "iommu", OF(iommu), OPT },
	{ "vhost_net", OF(vhost_net), OPT },
	{ "vhost_vdpa", OF(vhost_vdpa), OPT },
	{ "vduse", OF(vduse), OPT },
	{ "has_devlink", OF(has_devlink), OPT },
	{ "has_vdpa", OF(has_vdpa), OPT },
	{ "kubelet_asked", OF(kubelet_asked), OPT },
	{ "kubelet_error", OF(kubelet_error), OPT },
	{ "allocatable_error", OF(allocatable_error), OPT },
};
const struct fields inv_node_fields = FIELDS(node_field, NULL);
