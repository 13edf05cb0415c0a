#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# pod_devices.bats - the devices of a pod go to its networks in the order of its annotation
#
# rooms: cni/pod devinfo/kubelet devinfo/journal

load helpers
load kubelet
load chain
load pod

setup() {
	pod_up
	for i in 1 2 3; do ip -n "$node" link add "d$i" address "02:00:00:00:0d:0$i" type veth peer name "e$i"; done
	definition vf '{"cniVersion":"1.0.0","type":"devinfo"}' apps '{"k8s.v1.cni.cncf.io/resourceName":"example.com/vf"}'
	definition around '{"cniVersion":"1.0.0","plugins":[{"type":"probe","tag":"a","capabilities":{"deviceID":true,"CNIDeviceInfoFile":true}}]}' \
		apps '{"k8s.v1.cni.cncf.io/resourceName":"example.com/vf"}'
	before=$(snapshot "$pod")
}

teardown() {
	serve_stop
	node_down
}

# devices ID... - what kubelet tells of pod apps/web
devices() {
	jq -n '{pod_resources: [{name: "web", namespace: "apps", containers: [{name: "c", devices: [
		{resource_name: "example.com/vf", device_ids: $ARGS.positional}]}]}]}' --args "$@" >"$dir/pods.json"
	[ -n "${server-}" ] || kubelet ok
}

# asked METHOD - how often kubelet was
asked() { grep -cxF "$1" "$dir/calls" || true; }

# has NAME N - interface NAME of the pod is device dN
has() { [ "$(link "$pod" "$1" .address)" = "02:00:00:00:0d:0$2" ]; }

vfs() { asking "$1" 'del(.device, .ipam) | .resourceName = "example.com/vf"'; }

@test "default network and others get them in kubelet's order, kubelet is asked once, and a retry has the same" {
	devices d3 d1 d2
	for _ in 1 2 3; do
		: >"$dir/calls"
		add "$(vfs 'vf,vf')" "$pod" eth0
		added
		has eth0 1
		has net1 2
		has net2 3
		[ "$(asked 'v1 Get')" -eq 1 ]
		[ "$(asked 'v1 List')" -eq 0 ]
		del "$(vfs 'vf,vf')" "$pod" eth0
		deleted
	done
	same "$before" "$pod"
	[ -z "$(left)" ]
}

@test "networks that ask for more devices than the pod has are refused before the first is attached" {
	devices d1 d2
	add "$(vfs 'vf,vf')" "$pod" eth0
	refused 102 'interface net2, network apps/vf: the pod has no other device than d1, which is that of interface eth0'
	same "$before" "$pod"
	[ -z "$(left)" ]
	add "$(vfs 'vf')" "$pod" eth0
	added
	has eth0 1
	has net1 2
	del "$(vfs 'vf')" "$pod" eth0
	deleted
	same "$before" "$pod"
}

@test "plugins beside devinfo in a list are told the device, as Multus tells them, and those that name one are not" {
	definition beside '{"cniVersion":"1.0.0","plugins":[{"type":"taker"},{"type":"devinfo"},{"type":"probe","tag":"a"},
		{"type":"probe","tag":"b","deviceID":"own0"}]}' apps '{"k8s.v1.cni.cncf.io/resourceName":"example.com/vf"}'
	# host-device knows PCI addresses alone: one that takes a network device by that key
	cat >"$dir/bin/taker" <<-'EOT'
		#!/bin/bash
		conf=$(cat)
		device=$(jq -r .deviceID <<<"$conf")
		echo "$CNI_COMMAND $device" >>"$FAKE_STORE/../taker.log"
		case $CNI_COMMAND in
		ADD)
			ip link set "$device" netns "${CNI_NETNS##*/}" name "$CNI_IFNAME" && ip -n "${CNI_NETNS##*/}" link set "$CNI_IFNAME" up || exit
			jq -cn --arg i "$CNI_IFNAME" --arg n "$CNI_NETNS" '{cniVersion: "1.0.0", interfaces: [{name: $i, sandbox: $n}]}' ;;
		DEL) nsenter --net="$CNI_NETNS" ip link set "$CNI_IFNAME" netns $$ name "$device" ;;
		VERSION) echo '{"cniVersion":"1.0.0","supportedVersions":["1.0.0"]}' ;;
		esac
	EOT
	chmod +x "$dir/bin/taker"
	devices d1 d2
	add "$(vfs 'beside')" "$pod" eth0
	added
	has eth0 1
	has net1 2
	[ "$(jq -cs 'map([.tag, .request.deviceID]) | unique' "$dir/leases/calls.log")" = '[["a","d2"],["b","own0"]]' ]
	rm -r "$dir/net.d"
	serve_stop
	del "$(vfs 'beside')" "$pod" eth0
	deleted
	same "$before" "$pod"
	[ "$(xargs <"$dir/taker.log")" = 'ADD d2 DEL d2' ]
	ip -n "$node" link show d2
}

@test "an element's deviceID is the device that its network gets, declared or not, and one that is not the pod's is refused" {
	devices d1 d2
	add "$(asking '[{"name": "vf", "deviceID": "d2"}, {"name": "vf"}]')" "$pod" eth0
	added
	has net1 2
	has net2 1
	del "$(asking '[]')" "$pod" eth0
	deleted
	for net in vf around; do
		add "$(asking '[{"name": "'$net'", "deviceID": "d3"}]')" "$pod" eth0
		refused 102 'd3'
	done
	definition fixed '{"cniVersion":"1.0.0","type":"devinfo","device":"w0"}'
	add "$(asking '[{"name": "fixed", "deviceID": "d3"}]')" "$pod" eth0
	refused 102 'd3'
	same "$before" "$pod"
	[ -z "$(left)" ]
}
