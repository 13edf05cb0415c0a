/* SPDX-License-Identifier: Apache-2.0 */
/* leak_checks.c - the checks for what somebody has left who is no more */
#include "manager/doctor/checks.h"
#include "manager/doctor/leak.h"

#include <stddef.h>

const struct check leak_checks[] = {
	{ "record-dead", "records of attachments whose network namespace is gone",
	  leak_record_dead },
	{ "record-earlier-boot", "records of an earlier boot", leak_record_boot },
	{ "record-released", "records whose lease or files are still to be released",
	  leak_record_released },
	{ "record-damaged", "records that cannot be understood", leak_record_damaged },
	{ "record-version", "records that another version of the plugin has written",
	  leak_record_version },
	{ "record-unreadable", "records that the disk does not give", leak_record_unread },
	{ "record-plugin", "plugins that records alone name, and that are missing",
	  leak_record_plugin },
	{ "pod-networks", "networks of pods whose containers are gone", leak_networks },
	{ "vf-changed", "VFs that nobody has, with a VLAN, rates, trust or link state",
	  leak_vf_changed },
	{ "driver-override", "functions that nobody has, kept for a driver they do not have",
	  leak_driver_override },
	{ "vf-out-of-reach", "VFs that nobody is known to have, and no ADD could attach",
	  leak_out_of_reach },
	{ "info-file", "device-info files in cni/ of no attachment", leak_info_file },
	{ "dp-file-gone", "device plugins' files about devices that are gone", leak_dp_gone },
	{ "dp-file-unknown", "device plugins' files of resources that kubelet does not know",
	  leak_dp_unknown },
	{ "status-entry", "entries of network-status without attachment", leak_status },
	{ "ledger-file", "ledgers of pods without attachments", leak_ledger },
	{ "link-nowhere", "short links to directories of sockets that are gone", leak_link },
	{ "socket-kept", "directories of sockets that a DEL had to keep", leak_kept },
	{ "socket-left", "directories of sockets of pods and containers, without attachment",
	  leak_socket_left },
	{ "index-entry", "entries of the journal's index without record", leak_index },
	{ "ovs-port", "ports of Open vSwitch without attachment", leak_ovs_port },
	{ "sriov-allocation", "sriov-cni's allocation files of namespaces that are gone",
	  leak_allocation_file },
	{ "libcni-cache", "libcni's results of containers that are gone", leak_libcni },
	{ "lease-dead", "leases of host-local whose containers are dead", leak_lease },
	{ "lease-lost", "living pods whose lease of host-local is gone, or another's",
	  leak_lease_lost },
	{ "multus-cache", "Multus' files of containers that nobody else knows", leak_multus },
	{ "netns-mount", "names of network namespaces that are no namespaces any more",
	  leak_netns },
	{ NULL, NULL, NULL },
};
