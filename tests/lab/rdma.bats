#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rdma.bats - the RDMA subsystem as far as Soft-RoCE shows it, and igb's VFs, which have no part in it
#
# rooms: cni/rdma
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
	lab_up
	mkdir -p /var/lib/cni
	modprobe rdma_rxe
	ip link add rdma0 type dummy
	ip link set rdma0 up
	rdma link add rxe0 type rxe netdev rdma0
}

# The mode can be changed while there is no other namespace.
mode() {
	pod_del pod
	rdma system set netns "$1"
	pod_new pod
}

ask_kernel() {	# MODE
	mode "$1"
	"$BUILD/tests/unit/netlink/test_nl_rdma" rxe0 "$1" /run/netns/pod
}

@test "the kernel's mode, devices, names and refusals are read, in shared and in exclusive mode" {
	ask_kernel shared
	ask_kernel exclusive
}

@test "in exclusive mode a VF without RDMA device is attached as ever, and refused when one is demanded" {
	mode exclusive
	local id before
	id=$(vf "$PF1" 2)
	before=$(snapshot)
	conf "$id" '.vlan = 100' >/tmp/rdma.json
	call ADD pod net1 </tmp/rdma.json
	call DEL pod net1 </tmp/rdma.json
	same "$before"
	conf "$id" '.rdmaIsolation = true' >/tmp/rdma.json
	call ADD pod net1 </tmp/rdma.json 2>/dev/null && return 1
	[ "$(jq -r '"\(.code) \(.msg)"' <<<"$answer")" = "102 rdmaIsolation: $id has no RDMA device here" ]
	same "$before"
}

@test "a GUID for an Ethernet VF is refused, and nothing is changed" {
	mode shared
	local id before
	id=$(vf "$PF1" 3)
	before=$(snapshot)
	conf "$id" '.vlan = 100 | .args.cni.guid = "00:11:22:33:44:55:66:77"' >/tmp/rdma.json
	call ADD pod net1 </tmp/rdma.json 2>/dev/null && return 1
	[ "$(jq -r '"\(.code) \(.msg)"' <<<"$answer")" = "7 guid: $id is not an InfiniBand device" ]
	same "$before"
}
