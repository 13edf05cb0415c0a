/* SPDX-License-Identifier: Apache-2.0 */
/* family.c - the table of all metrics; devinfod(8) has the same, and the dashboard goes by it */
#include "daemon/metrics/family.h"

#include <stddef.h>

#define ROW(of, of_type, of_unit, text) \
	{ .name = "devinfo_" of, .type = (of_type), .unit = (of_unit), .help = (text) }
#define COUNTER(of, of_unit, text) ROW(of, FAMILY_COUNTER, of_unit, text)
#define GAUGE(of, of_unit, text) ROW(of, FAMILY_GAUGE, of_unit, text)

const struct family_row families[FAMILIES] = {
	[FAMILY_BUILD] = ROW("build", FAMILY_INFO, NULL, "Version of devinfod."),
	[FAMILY_DEVICES] = GAUGE("devices", NULL,
		"Devices that a resource offers to kubelet, by health."),
	[FAMILY_DEVICES_IN_USE] = GAUGE("devices_in_use", NULL,
		"Devices of a resource that a live attachment or a pod has."),
	[FAMILY_ATTACHMENTS] = GAUGE("attachments", NULL, "Records of attachments, by state."),
	[FAMILY_LEAKS] = GAUGE("leaks", NULL,
		"What attachments that are no more have left, by the check of devinfoctl doctor."),
	[FAMILY_CALL_DURATION] = {
		.name = "devinfo_call_duration_seconds", .type = FAMILY_HISTOGRAM,
		.unit = "seconds", .is_in_millionths = true,
		.help = "How long calls of the CNI plugin took, by verb." },
	[FAMILY_CALL_ERRORS] = COUNTER("call_errors", NULL,
		"Calls of the CNI plugin that failed, by verb and code."),
	[FAMILY_DAEMON_CPU] = {
		.name = "devinfo_daemon_cpu_seconds", .type = FAMILY_COUNTER, .unit = "seconds",
		.is_in_millionths = true, .help = "Processor time that devinfod has used." },
	[FAMILY_DAEMON_MEMORY] = GAUGE("daemon_peak_memory_bytes", "bytes",
		"Most memory that devinfod has had at once."),
	[FAMILY_VF] = ROW("vf", FAMILY_INFO, NULL, "A virtual function, and who has it."),
	[FAMILY_VF_RX_BYTES] = COUNTER("vf_receive_bytes", "bytes", "Bytes that a VF received."),
	[FAMILY_VF_TX_BYTES] = COUNTER("vf_transmit_bytes", "bytes", "Bytes that a VF sent."),
	[FAMILY_VF_RX_PACKETS] = COUNTER("vf_receive_packets", "packets",
		"Packets that a VF received."),
	[FAMILY_VF_TX_PACKETS] = COUNTER("vf_transmit_packets", "packets",
		"Packets that a VF sent."),
	[FAMILY_VF_BROADCAST] = COUNTER("vf_receive_broadcast_packets", "packets",
		"Broadcast packets that a VF received."),
	[FAMILY_VF_MULTICAST] = COUNTER("vf_receive_multicast_packets", "packets",
		"Multicast packets that a VF received."),
	[FAMILY_VF_RX_DROPPED] = COUNTER("vf_receive_dropped_packets", "packets",
		"Packets to a VF that were dropped."),
	[FAMILY_VF_TX_DROPPED] = COUNTER("vf_transmit_dropped_packets", "packets",
		"Packets from a VF that were dropped."),
	[FAMILY_RDMA_RX_BYTES] = COUNTER("rdma_receive_bytes", "bytes",
		"Bytes that a port of an RDMA device received."),
	[FAMILY_RDMA_TX_BYTES] = COUNTER("rdma_transmit_bytes", "bytes",
		"Bytes that a port of an RDMA device sent."),
	[FAMILY_RDMA_RX_PACKETS] = COUNTER("rdma_receive_packets", "packets",
		"Packets that a port of an RDMA device received."),
	[FAMILY_RDMA_TX_PACKETS] = COUNTER("rdma_transmit_packets", "packets",
		"Packets that a port of an RDMA device sent."),
	[FAMILY_RDMA_PORT_COUNTER] = COUNTER("rdma_port_counter", NULL,
		"Other counters of a port of an RDMA device, by the kernel's name."),
	[FAMILY_RDMA_HW_COUNTER] = COUNTER("rdma_hw_counter", NULL,
		"Hardware counters of a port of an RDMA device, by its driver's name."),
};

const char *family_type_name(enum family_type type)
{
	static const char *const names[] = {
		[FAMILY_COUNTER] = "counter", [FAMILY_GAUGE] = "gauge", [FAMILY_INFO] = "info",
		[FAMILY_HISTOGRAM] = "histogram",
	};

	return names[type];
}

const char *family_suffix(enum family_type type)
{
	static const char *const suffixes[] = {
		[FAMILY_COUNTER] = "_total", [FAMILY_GAUGE] = "", [FAMILY_INFO] = "_info",
		[FAMILY_HISTOGRAM] = "",
	};

	return suffixes[type];
}
