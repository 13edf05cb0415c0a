#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# demo.sh - the main job, told step by step, on real kernel devices (runs inside the lab's machine)
#
# A real gRPC server plays kubelet's PodResources.  Two pods get a VF each, of two PFs on one wire,
# in VLAN 100; they ping each other, and afterwards everything is as it was.
set -eu
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR
. tests/lab/helpers.bash

say() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
show() { sed 's/^/    /'; }

lab_up
mkdir -p /var/lib/cni /var/lib/kubelet/pod-resources
A=$(vf "$PF1" 0) B=$(vf "$PF2" 0)
pod_new blue
pod_new green

resource=$(jq -r '.plugins[0].resourceName' conf/examples/sriov.conflist)
say "kubelet has given pod blue the VF $A and pod green the VF $B (resource $resource)"
jq -n --arg r "$resource" --arg a "$A" --arg b "$B" '{pod_resources: [["blue", $a], ["green", $b]
	| {name: .[0], namespace: "default", containers:
		[{name: "app", devices: [{resource_name: $r, device_ids: [.[1]]}]}]}]}' >/tmp/state.json
/usr/bin/python3 tests/fake/kubelet.py --socket /var/lib/kubelet/pod-resources/kubelet.sock \
	--state /tmp/state.json >/tmp/kubelet.out &
kubelet=$!
trap 'kill $kubelet' EXIT
until grep -q ready /tmp/kubelet.out; do sleep 0.2; done

say "the conflist (conf/examples/sriov.conflist)"
show <conf/examples/sriov.conflist
jq '{cniVersion, name} + .plugins[0]' conf/examples/sriov.conflist >/tmp/conf.json

before=$(snapshot)
for pod in blue green; do
	say "ADD for pod $pod"
	CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=$pod" call ADD "$pod" net1 </tmp/conf.json
	command jq . <<<"$answer" | show
	[ "$pod" = blue ] || mapfile -t green < <(jq -r '.ips[].address | split("/")[0]' <<<"$answer")
done

say "the device-info file of pod blue"
command jq . /var/run/k8s.cni.cncf.io/devinfo/cni/*blue_net1 | show

say "the network-status entry of pod blue (/run/devinfo/status/blue.json)"
command jq . /run/devinfo/status/blue.json | show

say "the PF of pod blue's VF"
ip link show "$(netdev_of "$PF1")" | grep -E 'mtu|vf 0' | show

say "pod blue pings pod green through two VFs and VLAN 100: ${green[*]}"
for ip in "${green[@]}"; do
	ip netns exec blue ping -c 3 -i 0.3 -W 5 "$ip" | show
done

for pod in blue green; do
	say "DEL for pod $pod"
	call DEL "$pod" net1 </tmp/conf.json
	echo "(no output, as CNI wants it)" | show
done

say "before and after compared: PFs, VFs, drivers, leases, journal, device-info, network-status"
same "$before"
echo "no difference in $(wc -l <<<"$before") lines of state" | show
