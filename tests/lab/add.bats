#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# add.bats - the main job on real VFs: attach, tell, talk, and leave no trace
#
# rooms: cni/vf cni/netdev cni/driver cni/attach cni
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
	lab_up
	mkdir -p /var/lib/cni /var/lib/kubelet/pod-resources
}

setup() {
	lines_of_test_only
	A=$(vf "$PF1" 0)
	B=$(vf "$PF2" 0)
	pod_new a
	pod_new b
	before=$(snapshot)
}

teardown() {
	for p in a b; do	# whatever a failed test has left, for the next one's sake
		call DEL "$p" net1 <<<'{"cniVersion": "1.0.0", "name": "lab"}' || true
	done
	pod_del a
	pod_del b
	[ -z "${kubelet:-}" ] || kill "$kubelet" 2>/dev/null || true
}

@test "two pods with VFs of two PFs ping each other over a tagged VLAN, IPv4 and IPv6, and DEL leaves no trace" {
	conf "$A" '.vlan = 100 | .mac = "02:00:00:00:56:0a"' >/tmp/a.json
	conf "$B" '.vlan = 100' >/tmp/b.json
	call ADD a net1 </tmp/a.json
	ip4a=$(jq -r '.ips[0].address' <<<"$answer") ip6a=$(jq -r '.ips[1].address' <<<"$answer")
	[ "$(jq -r '.interfaces[0].mac' <<<"$answer")" = 02:00:00:00:56:0a ]
	call ADD b net1 </tmp/b.json
	ip4b=$(jq -r '.ips[0].address' <<<"$answer") ip6b=$(jq -r '.ips[1].address' <<<"$answer")
	[ "$ip4a" != "$ip4b" ]
	[ "$ip6a" != "$ip6b" ]

	# the PF's view: the VLAN is there, the admin MAC is the one asked for
	ip -j -d link show "$(netdev_of "$PF1")" | jq -e '.[0].vfinfo_list[0] | .address == "02:00:00:00:56:0a"
		and .vlan_list[0].vlan == 100'
	# the pod's view
	ip -n a -j addr show net1 | jq -e '.[0] | .address == "02:00:00:00:56:0a" and (.flags | index("UP"))'
	ip -n a -j route show default | jq -e '.[0].gateway == "10.56.0.254"'
	reaches a "${ip4b%/*}"
	reaches a "${ip6b%/*}"
	reaches b "${ip4a%/*}"

	call DEL a net1 </tmp/a.json
	[ -z "$answer" ]
	call DEL b net1 </tmp/b.json
	same "$before"
}

@test "without the VLAN on one side nothing passes, so the VLAN is real" {
	conf "$A" '.vlan = 100' >/tmp/a.json
	conf "$B" >/tmp/b.json
	call ADD a net1 </tmp/a.json
	call ADD b net1 </tmp/b.json
	ip4b=$(jq -r '.ips[0].address' <<<"$answer")
	run ! ip netns exec a ping -c1 -W1 "${ip4b%/*}"
	call DEL a net1 </tmp/a.json
	call DEL b net1 </tmp/b.json
	same "$before"
}

@test "kubelet's PodResources says which VF, and the device-info file and network-status say it on" {
	cat >/tmp/state.json <<-JSON
		{"pod_resources": [{"name": "p1", "namespace": "default", "containers": [{"name": "c", "devices": [
			{"resource_name": "example.com/other", "device_ids": ["0000:99:00.0"]},
			{"resource_name": "example.com/vf", "device_ids": ["$A"]}]}]}]}
	JSON
	start_kubelet /tmp/state.json
	conf x 'del(.deviceID) | .resourceName = "example.com/vf" | .cniVersion = "1.1.0"' >/tmp/a.json
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=1"
	call ADD a net1 </tmp/a.json
	jq -e --arg a "$A" '.cniVersion == "1.1.0" and .interfaces[0].pciID == $a and .interfaces[0].mtu == 1500
		and .interfaces[0].sandbox == "/run/netns/a"' <<<"$answer"
	info=/var/run/k8s.cni.cncf.io/devinfo/cni/lab-a_net1
	jq -e --arg a "$A" --arg pf "$PF1" '. == {type: "pci", version: .version,
		pci: {"pci-address": $a, "pf-pci-address": $pf, "vhost-net": "/dev/vhost-net"}}' "$info" ||
		{ cat "$info"; false; }
	[ "$(stat -c %a "$info") $(stat -c %a "${info%/*}")" = "644 755" ]
	jq -e --slurpfile info "$info" --argjson r "$answer" 'length == 1 and (.[0] | .name == "lab" and
		.interface == "net1" and .mac == $r.interfaces[0].mac and .mtu == 1500 and
		.ips == [$r.ips[].address | split("/")[0]] and .gateway == ["10.56.0.254"] and
		."device-info" == $info[0] and (has("default") | not))' /run/devinfo/status/a.json
	call DEL a net1 </tmp/a.json
	same "$before"
}

@test "the file of the device plugin is completed, its unknown members are kept, the given path is used" {
	dp=/var/run/k8s.cni.cncf.io/devinfo/dp
	mkdir -p "$dp" /var/run/k8s.cni.cncf.io/devinfo/cni
	printf '{"type":"pci","version":"1.1.0","pci":{"pci-address":"%s","x.org/a":1},"x.org/b":"c"}' "$A" \
		>"$dp/example.com-vf-$A-device.json"
	before=$(snapshot)
	path=/run/k8s.cni.cncf.io/devinfo/cni/default-nad-a_net1
	conf "$A" '.resourceName = "example.com/vf" | .runtimeConfig = {CNIDeviceInfoFile: "'$path'"}' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	jq -e --arg pf "$PF1" '."x.org/b" == "c" and .pci."x.org/a" == 1 and .pci."pf-pci-address" == $pf' "$path"
	call DEL a net1 </tmp/a.json
	same "$before"
	rm -r "$dp"
}

# bats test_tags=sanitize
@test "C-PIT-22: all VF attributes that igb takes are set, and set back" {
	conf "$A" '.vlan = 7 | .vlanQoS = 3 | .mac = "02:00:00:00:56:0b" | .spoofchk = "off" | .trust = "on"
		| .max_tx_rate = 500 | .mtu = 1400' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	ip -j -d link show "$(netdev_of "$PF1")" | jq -e '.[0].vfinfo_list[0] | .address == "02:00:00:00:56:0b" and
		.vlan_list[0].vlan == 7 and .vlan_list[0].qos == 3 and .spoofchk == false and .trust == true
		and .rate.max_tx == 500'
	ip -n a -j link show net1 | jq -e '.[0].mtu == 1400'
	call DEL a net1 </tmp/a.json
	same "$before"
}

# bats test_tags=sanitize
@test "C-ISS-01: what the driver refuses is named with the kernel's reason, and nothing is left of the rest" {
	conf "$A" '.vlan = 7 | .trust = "on" | .link_state = "enable"' >/tmp/a.json
	run ! call ADD a net1 </tmp/a.json
	call ADD a net1 </tmp/a.json || true
	jq -e '.code == 104 and (.msg | test("link state")) and (.details | test("not supported"))' <<<"$answer"
	same "$before"
	conf "$A" '.vlan = 7 | .vlanProto = "802.1ad"' >/tmp/a.json
	call ADD a net1 </tmp/a.json || true
	jq -e '.code == 104 and (.msg | test("802.1ad")) and (.details | test("not supported"))' <<<"$answer"
	same "$before"
}

# bats test_tags=sanitize
@test "a VF bound to vfio-pci gets its attributes, address and device-info, and no network device is looked for" {
	echo vfio-pci >"/sys/bus/pci/devices/$A/driver_override"
	echo "$A" >/sys/bus/pci/drivers/igbvf/unbind
	echo "$A" >/sys/bus/pci/drivers_probe
	before=$(snapshot)
	jq --arg id "$A" '{name, cniVersion} + .plugins[0] + {deviceID: $id, runtimeConfig: {mac: "02:00:00:00:56:0c"}}
		| .ipam = {type: "static", addresses: [{address: "192.0.2.1/24"}, {address: "2001:db8::1/64"}]}' \
		conf/examples/dpdk-vfio.conflist >/tmp/a.json
	call ADD a net1 </tmp/a.json
	jq -e --arg a "$A" '.interfaces[0] | .mac == "02:00:00:00:56:0c" and .pciID == $a and (has("mtu") | not)' <<<"$answer"
	[ "$(jq '.ips | length' <<<"$answer")" = 2 ]
	ip -j -d link show "$(netdev_of "$PF1")" | jq -e '.[0].vfinfo_list[0].vlan_list[0].vlan == 200'
	# a program that has it still keeps its VLAN and address, and nobody else gets it
	exec 9<>"/dev/vfio/$(basename "$(readlink "/sys/bus/pci/devices/$A/iommu_group")")"
	used=$(snapshot)
	call DEL a net1 </tmp/a.json || true
	jq -e '.code == 11 and (.msg | test("still has /dev/vfio/"))' <<<"$answer"
	ip netns del a
	call DEL a net1 < <(jq -c '.ipam = {}' /tmp/a.json) || true
	jq -e '.code == 11' <<<"$answer"
	same "$used"
	exec 9>&-
	call DEL a net1 </tmp/a.json
	same "$before"
	pod_new a
	exec 9<>"/dev/vfio/$(basename "$(readlink "/sys/bus/pci/devices/$A/iommu_group")")"
	call ADD a net1 </tmp/a.json || true
	jq -e '.code == 11 and (.msg | test("still has /dev/vfio/"))' <<<"$answer"
	exec 9>&-
	same "$before"
	echo "$A" >/sys/bus/pci/drivers/vfio-pci/unbind
	echo >"/sys/bus/pci/devices/$A/driver_override"
	echo "$A" >/sys/bus/pci/drivers_probe
}

@test "C-PIT-19, C-PIT-20, C-ISS-03: every namespace of death: netns deleted before DEL, CNI_NETNS empty, interface renamed in the pod" {
	conf "$A" '.vlan = 100 | .trust = "on" | .mac = "02:00:00:00:56:0d"' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	ip netns del a
	call DEL a net1 </tmp/a.json
	same "$before"
	pod_new a
	call ADD a net1 </tmp/a.json
	call DEL a net1 '' </tmp/a.json
	same "$before"
	call ADD a net1 </tmp/a.json
	ip -n a link set net1 down
	ip -n a link set net1 name foo
	call DEL a net1 </tmp/a.json
	same "$before"
	# and once more, for a DEL is repeated
	call DEL a net1 </tmp/a.json
	same "$before"
}

# bats test_tags=sanitize
@test "C-ISS-04: a late DEL of the former owner leaves the new owner alone, and the new one leaves the VF as it was" {
	mkdir -p /tmp/broken
	printf '#!/bin/sh\n[ "$CNI_COMMAND" = ADD ] && exec /usr/lib/cni/host-local\necho \x27{"code": 999, "msg": "no"}\x27\nexit 1\n' >/tmp/broken/host-local
	chmod +x /tmp/broken/host-local
	conf "$A" '.vlan = 100 | .trust = "on"' >/tmp/a.json
	conf "$A" '.vlan = 200 | .mac = "02:00:00:00:56:22"' >/tmp/b.json
	CNI_PATH=/tmp/broken call ADD a net1 </tmp/a.json
	CNI_PATH=/tmp/broken call DEL a net1 </tmp/a.json || true	# the lease stays: it is to be retried
	jq -e '.code == 999' <<<"$answer"
	ip netns del a
	call ADD b net1 </tmp/b.json
	call DEL a net1 </tmp/a.json
	ip -j -d link show "$(netdev_of "$PF1")" | jq -e '.[0].vfinfo_list[0] | .vlan_list[0].vlan == 200 and
		.trust == false and .address == "02:00:00:00:56:22"'
	call DEL b net1 </tmp/b.json
	same "$before"
}

@test "a VF whose owner died without a DEL is cleaned up before it is given away" {
	conf "$A" '.vlan = 100 | .trust = "on"' >/tmp/a.json
	conf "$A" >/tmp/b.json
	call ADD a net1 </tmp/a.json
	ip netns del a
	call ADD b net1 </tmp/b.json
	ip -j -d link show "$(netdev_of "$PF1")" | jq -e '.[0].vfinfo_list[0] | (.vlan_list[0].vlan // 0) == 0 and .trust == false'
	call DEL b net1 </tmp/b.json
	call DEL a net1 </tmp/a.json
	same "$before"
}

@test "C-ISS-29: a VF of a live attachment is refused, naming its owner" {
	conf "$A" >/tmp/a.json
	call ADD a net1 </tmp/a.json
	held=$(snapshot)
	call ADD b net1 </tmp/a.json 2>/tmp/b.err || true
	# in the log alone
	jq -e '.code == 11 and (.msg | test("container a ") | not)' <<<"$answer"
	grep -q 'private="of interface net1 of container a of network lab"' /tmp/b.err
	same "$held"
	call DEL a net1 </tmp/a.json
	same "$before"
}

@test "the name is taken in the pod: refused, and the pod's own interface is untouched" {
	ip -n a link add net1 type veth peer name other
	foreign=$(ip -n a -j -d link)
	conf "$A" '.vlan = 9' >/tmp/a.json
	call ADD a net1 </tmp/a.json || true
	jq -e '.code == 103' <<<"$answer"
	[ "$(ip -n a -j -d link)" = "$foreign" ]
	same "$before"
}

@test "a VF whose PF has no network device, and an address without a device, are refused" {
	conf 0000:99:00.0 >/tmp/a.json
	call ADD a net1 </tmp/a.json || true
	jq -e '.code == 102 and (.msg | test("0000:99:00.0"))' <<<"$answer"
	ip netns add pfns
	pf=$(netdev_of "$PF2")
	ip link set "$pf" netns pfns
	conf "$B" '.vlan = 5' >/tmp/b.json
	call ADD b net1 </tmp/b.json || true
	jq -e '.code == 102 and (.msg | test("PF"))' <<<"$answer"
	ip -n pfns link set "$pf" netns 1
	ip link set "$pf" up
	ip netns del pfns
}

@test "a sriov-cni configuration works with nothing but its type changed" {
	# less what this card's driver refuses: 802.1ad, min_tx_rate and link_state
	jq --arg id "$A" '{name, cniVersion} + .plugins[0] + {deviceID: $id}
		| del(.vlanProto, .min_tx_rate, .link_state)' conf/examples/sriov-cni-unchanged.conflist >/tmp/a.json
	call ADD a net1 </tmp/a.json
	ip -j -d link show "$(netdev_of "$PF1")" | jq -e '.[0].vfinfo_list[0] | .vlan_list[0].vlan == 1000 and
		.vlan_list[0].qos == 4 and .rate.max_tx == 200 and .spoofchk == false and .trust == true'
	jq -e '.interfaces[0].mac == "ca:fe:c0:ff:ee:00"' <<<"$answer"
	call DEL a net1 </tmp/a.json
	same "$before"
}

# bats test_tags=sanitize
@test "C-ISS-11, C-ISS-12: what a trusted pod did to its VF is undone" {
	conf "$A" '.trust = "on"' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	ip -n a link set net1 promisc on allmulticast on alias evil txqueuelen 3
	ip -n a link set net1 address 02:00:00:00:99:99
	call DEL a net1 </tmp/a.json
	same "$before"
	call ADD a net1 </tmp/a.json
	ip -n a link set net1 promisc on alias evil address 02:00:00:00:99:98
	ip netns del a
	call DEL a net1 </tmp/a.json
	same "$before"
}

@test "two ports of one parent are not taken for each other" {
	modprobe netdevsim
	echo "7 2" >/sys/bus/netdevsim/new_device
	read -r one two < <(ls -d /sys/bus/netdevsim/devices/netdevsim7/net/* | xargs -n1 basename | xargs)
	ip link set "$one" up
	before=$(snapshot)
	conf x "del(.deviceID) | .device = \"$two\" | .mac = \"02:00:00:00:56:77\" | .mtu = 1400" >/tmp/a.json
	call ADD a net1 </tmp/a.json
	call DEL a net1 </tmp/a.json
	same "$before"
	call ADD a net1 </tmp/a.json
	ip netns del a
	call DEL a net1 </tmp/a.json
	same "$before"
	echo 7 >/sys/bus/netdevsim/del_device
}

@test "a function in user space that is no network controller is refused" {
	other=$(grep -l 0x0106 /sys/bus/pci/devices/*/class | head -n1 | xargs dirname | xargs basename)
	[ -n "$other" ]
	old=$(basename "$(readlink "/sys/bus/pci/devices/$other/driver")" 2>/dev/null || true)
	echo vfio-pci >"/sys/bus/pci/devices/$other/driver_override"
	[ -z "$old" ] || echo "$other" >"/sys/bus/pci/drivers/$old/unbind"
	echo "$other" >/sys/bus/pci/drivers_probe
	conf "$other" >/tmp/a.json
	call ADD a net1 </tmp/a.json || true
	jq -e '.code == 102 and (.msg | test("not a network controller"))' <<<"$answer"
}

@test "C-ISS-36: a leftover file about something else is replaced, not published" {
	cni=/var/run/k8s.cni.cncf.io/devinfo/cni
	mkdir -p "$cni"
	echo '{"type":"memif","version":"1.1.0","memif":{"role":"master","path":"/m","mode":"ethernet"}}' >"$cni/left-a"
	conf "$A" ".runtimeConfig = {CNIDeviceInfoFile: \"$cni/left-a\"}" >/tmp/a.json
	call ADD a net1 </tmp/a.json
	jq -e --arg a "$A" '.type == "pci" and .pci."pci-address" == $a' "$cni/left-a"
	call DEL a net1 </tmp/a.json
	same "$(grep -v "$cni/left-a" <<<"$before")"
}
