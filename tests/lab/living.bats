#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# living.bats - what happens to the VFs of living pods, and that doctor says it
#
# rooms: manager/doctor
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
	cp "$BUILD/bin/devinfoctl" /tmp/devinfoctl
	lab_up
	mkdir -p /var/lib/cni
}

setup() {
	lines_of_test_only
	pf=$(netdev_of "$PF1")
	A=$(vf "$PF1" 0)
	pod_new a
	conf "$A" 'del(.ipam)' >/tmp/a.json
	call ADD a net1 </tmp/a.json
}

teardown() {
	call DEL a net1 </tmp/a.json || true
	pod_del a
	pod_del third
	lab_up
}

# told CHECK - $rows: what doctor says of it
told() {
	run --separate-stderr /tmp/devinfoctl doctor --json
	[[ $output == "["* ]] || { echo "$output$stderr" && return 1; }
	rows=$(jq -r '.[] | select(.check == "'"$1"'" and .severity != "skipped") | "\(.severity): \(.object): \(.what)"' <<<"$output")
}

# left_to_people CHECK - repair says so and touches nothing
left_to_people() {
	run --separate-stderr /tmp/devinfoctl repair --json
	[ "$status" -eq 1 ]
	[ "$(jq -r '.[] | select(.check == "'"$1"'").result' <<<"$output")" = "by hand" ]
	compgen -G '/var/lib/cni/devinfo/attachments/*.json' >/dev/null
}

@test "all VFs are gone, then made anew: the pod does not have its device" {
	told device-away
	[ -z "$rows" ]
	echo 0 >"/sys/bus/pci/devices/$PF1/sriov_numvfs"
	told device-gone
	[ "$rows" = "error: $A: container a has it as net1, and the node does not have it any more" ]
	left_to_people device-gone
	echo "$VFS" >"/sys/bus/pci/devices/$PF1/sriov_numvfs"
	told device-away
	[[ $rows == "error: $A: net1 of container a, network lab: interface: net1 is not in the container"* ]] ||
		{ echo "$rows" && false; }
	left_to_people device-away
}

@test "the PF's driver is unbound and bound: the pod does not have its device" {
	echo "$PF1" >/sys/bus/pci/drivers/igb/unbind
	echo "$PF1" >/sys/bus/pci/drivers/igb/bind
	lab_up
	told device-away
	[[ $rows == "error: $A: net1 of container a, network lab: interface: net1 is not in the container"* ]] ||
		{ echo "$rows" && false; }
	left_to_people device-away
}

@test "the PF is down, and the VF of a living pod has no link" {
	told pf-down
	[ -z "$rows" ]
	ip link set "$pf" down
	for ((i = 0; i < 50; i++)); do
		[[ $(ip -n a link show net1) == *NO-CARRIER* ]] && break
		sleep 0.2
	done
	told pf-down
	[ "$rows" = "warning: $PF1: PF $pf is down, and VFs with link_state auto follow it: net1 of container a" ]
	left_to_people pf-down
	ip link set "$pf" up
}

# With an address of its own, for these are what somebody changes in the pod.
with_addresses() {
	call DEL a net1 </tmp/a.json
	conf "$A" >/tmp/a.json
	call ADD a net1 </tmp/a.json
	told drift
	[ -z "$rows" ]
}

@test "its interface is down, and its addresses are flushed: the pod is not as its ADD left it" {
	with_addresses
	ip -n a link set net1 down
	told drift
	[[ $rows == "warning: $A: net1 of container a, network lab: "*"down"* ]] || { echo "$rows" && false; }
	left_to_people drift
	ip -n a link set net1 up
	ip -n a addr flush dev net1 scope global
	told drift
	[[ $rows == "warning: $A: net1 of container a, network lab: "*"10.56.0."* ]] || { echo "$rows" && false; }
	left_to_people drift
}

@test "it has moved on into a third namespace: where it is, by a name and by a process" {
	pod_new third
	ip -n a link set net1 netns third
	told device-away
	[[ $rows == "error: $A: net1 of container a, network lab: interface: net1 is not in the container"* ]] ||
		{ echo "$rows" && false; }
	[[ $rows == *"; its network device is net1 of network namespace /run/netns/third" ]] ||
		{ echo "$rows" && false; }
	left_to_people device-away
	ip netns exec third sleep 600 3>&- &
	sleeper=$!
	for ((i = 0; i < 100; i++)); do
		[ "/proc/$sleeper/ns/net" -ef /run/netns/third ] && break
		sleep 0.1
	done
	ip netns del third
	told device-away
	[[ $rows == *"; its network device is net1 of network namespace /proc/$sleeper/ns/net" ]] ||
		{ echo "$rows" && false; }
	kill "$sleeper"
	comes_home "$A"
	told device-away
	[[ $rows == *"; its network device is "*" of the host" ]] || { echo "$rows" && false; }
}

@test "a VF that nobody has is in another network namespace; one whose driver makes no network device is told nothing of" {
	B=$(vf "$PF1" 1)
	told vf-out-of-reach
	[ -z "$rows" ]
	pod_new third
	ip link set "$(netdev_of "$B")" netns third
	told vf-out-of-reach
	conf "$B" 'del(.ipam)' >/tmp/b.json
	call ADD a net2 </tmp/b.json || true
	pod_del third
	comes_home "$B"
	[ "$rows" = "info: $B: nobody is known to have it, and its network device is in another network namespace" ] ||
		{ echo "$rows" && false; }
	jq -e '.code == 102 and (.msg | test("has no network device here: it is in another network namespace"))' <<<"$answer"
}
