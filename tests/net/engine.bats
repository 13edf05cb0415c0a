#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# engine.bats - recorded calls of containerd, podman and Multus (tests/cli/engine-calls), made again
#
# What belonged to the machine of the recording is replaced: the type, the namespace, the MAC of the
# container's interface, the directory of the device-info file, and a device that this node has not.
#
# rooms: cni cni/call
# bats file_tags=plain

load helpers

calls=$BATS_TEST_DIRNAME/../cli/engine-calls

setup() {
	node_up
	# what the plugin before us made: eth0 in the pod
	ip -n "$node" link add veth0 type veth peer name eth0 netns "$pod"
	ip -n "$pod" link set eth0 mtu 1480 up
	ip -n "$node" link set veth0 up
	mac=$(link "$pod" eth0 .address)
	before=$(snapshot "$pod")
}

teardown() { node_down; }

# request NAME [jq filter] - a recorded one, as it would have been here
request() {
	jq -c --arg ns "/run/netns/$pod" --arg mac "$mac" --arg info "$dir/devinfo/cni/" '
		.type = "devinfo"
		| if .prevResult then .prevResult.interfaces |= map(if .sandbox then .sandbox = $ns | .mac = $mac else . end) else . end
		| if .runtimeConfig.CNIDeviceInfoFile then .runtimeConfig.CNIDeviceInfoFile |= $info + sub(".*/"; "") else . end
		| '"${2:-.}" "$calls/$1.json"
}

# replay VERB NAME REQUEST [NAME=VALUE...] - with the environment of that recording and nothing else
replay() {
	local env=()
	[ ! -e "$calls/$2.env" ] || mapfile -t env <"$calls/$2.env"
	run --separate-stderr in_node env -i CNI_CONTAINERID=0123456789abcdef CNI_IFNAME=eth0 "${env[@]}" \
		CNI_COMMAND="$1" CNI_NETNS="/run/netns/$pod" CNI_PATH="$dir/bin:$dir/bin" \
		DEVINFO_CONF="$DEVINFO_CONF" FAKE_STORE="$FAKE_STORE" "${@:4}" "$plugin" <<<"$3"
}

# passed_on REQUEST - the result is its prevResult, whole
passed_on() { diff <(jq .prevResult <<<"$1") <(jq . <<<"$output"); }

@test "C-RES-02, C-JSN-05: podman's and containerd's ADD in a chain passes the result on, and their DEL restores" {
	for call in podman-4.3.1 containerd-2.1.9; do
		c=$(request $call-ADD)
		replay ADD $call-ADD "$c"
		added
		passed_on "$c"
		for _ in 1 2; do
			replay DEL $call-DEL "$(request $call-DEL)"
			deleted
			same "$before" "$pod"
		done
	done
}

@test "C-RES-02: the same with an MTU of ours changes that and nothing else, and DEL restores from the record" {
	for call in podman-4.3.1 containerd-2.1.9; do
		c=$(request $call-ADD '.mtu = 1400')
		replay ADD $call-ADD "$c"
		added
		[ "$(link "$pod" eth0 .mtu)" = 1400 ]
		diff <(jq '.prevResult | del(.interfaces[].mtu)' <<<"$c") <(jq 'del(.interfaces[].mtu)' <<<"$output")
		replay DEL $call-DEL "$(request $call-DEL)"
		deleted
		same "$before" "$pod"
	done
}

@test "C-STA-01: containerd's STATUS is silent success on a node where ADD would work" {
	replay STATUS containerd-2.1.9-STATUS "$(request containerd-2.1.9-STATUS)" CNI_CONTAINERID= CNI_NETNS= CNI_IFNAME=
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
	same "$before" "$pod"
}

@test "Multus' ADD with its doubled CNI_ARGS and a device-info path works with a device of this node, and DEL restores" {
	for call in net2 net3; do
		c=$(request multus-4.3.0-ADD-$call 'del(.deviceID, .pciBusID, .runtimeConfig.deviceID) | .device = "v0"')
		replay ADD multus-4.3.0-ADD-net2 "$c" CNI_IFNAME=$call
		added
		[ "$(jq -r '"\(.cniVersion) \(.interfaces[0].name)"' <<<"$output")" = "$(jq -r .cniVersion <<<"$c") $call" ]
		for _ in 1 2; do
			replay DEL multus-4.3.0-ADD-net2 "$c" CNI_IFNAME=$call
			deleted
			same "$before" "$pod"
		done
	done
}

@test "Multus' ADD of a device that the node has not is one clean error that names it, and its DEL succeeds" {
	for call in net2 net3 dra; do
		c=$(request multus-4.3.0-ADD-$call)
		replay ADD multus-4.3.0-ADD-net2 "$c" CNI_IFNAME=net2
		refused 102 "$(jq -r .deviceID <<<"$c")"
		same "$before" "$pod"
		replay DEL multus-4.3.0-ADD-net2 "$c" CNI_IFNAME=net2
		deleted
		[ -z "$stderr" ]
		same "$before" "$pod"
	done
}

@test "C-RES-02: Multus' ADD behind macvlan, with and without capabilities, passes the result on" {
	ip -n "$pod" link set eth0 down
	ip -n "$pod" link set eth0 name net7 up
	before=$(snapshot "$pod")
	for call in net7 net7-nocaps; do
		c=$(request multus-4.3.0-ADD-$call 'del(.deviceID, .pciBusID, .runtimeConfig.deviceID)')
		replay ADD multus-4.3.0-ADD-net2 "$c" CNI_IFNAME=net7
		added
		passed_on "$c"
		replay DEL multus-4.3.0-ADD-net2 "$c" CNI_IFNAME=net7
		deleted
		same "$before" "$pod"
	done
}

@test "C-DEL-04, C-PIT-13: Multus' DEL of the default network has lost keys of the ADD, and restores all the same" {
	c=$(request multus-4.3.0-ADD-default '.mtu = 1400')
	replay ADD multus-4.3.0-ADD-default "$c"
	added
	[ "$(link "$pod" eth0 .mtu)" = 1400 ]
	replay DEL multus-4.3.0-DEL-default "$(request multus-4.3.0-DEL-default)"
	deleted
	same "$before" "$pod"
}
