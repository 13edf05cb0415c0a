#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# switchdev.bats - VFs of a PF in switchdev mode: representors found, bridged, restored
#
# rooms: cni/representor
bats_require_minimum_version 1.5.0
load helpers
load switchdev

setup_file() {
	switchdev_up
	modprobe bridge
}

setup() {
	lines_of_test_only
	switchdev_names
	ip link add br0 type bridge vlan_filtering 1
	ip link add br1 type bridge vlan_filtering 1
	pod_new a
	before=$(state)
}

teardown() {
	call DEL a net1 <<<'{"cniVersion": "1.0.0", "name": "lab"}' || true
	pod_del a
	ip link del br0
	ip link del br1
	ip link del bond7 2>/dev/null || true
	sf_del
	ip netns del inner 2>/dev/null || true
}

# with the VLANs of bridge ports; what a bridge says of itself moves with its ports and timers
state() {
	ip -d -j addr | jq '[.[] | if .flags | index("UP") then . else del(.qdisc) end
			| del(.linkinfo.info_data, .linkinfo.info_slave_data)
			| if .linkinfo.info_kind == "bridge" then
				del(.address, .broadcast, .tso_max_size, .tso_max_segs) else . end
			| .addr_info |= [.[]? | {local, prefixlen}]] | sort_by(.ifindex)'
	bridge vlan show
	find /var/lib/cni /run/devinfo /var/run/k8s.cni.cncf.io ! -type d ! -name lock \
		! -name 'last_reserved_ip.*' ! -path '*/devinfo/index/*' -exec sha256sum {} + 2>/dev/null | sort -k2
}

# soon, for the kernel tells the state of a link only when it has looked at it once more
unchanged() {
	local now n
	for ((n = 0; n < 20; n++)); do
		now=$(state)
		[ "$now" = "$before" ] && return
		sleep 0.2
	done
	diff <(echo "$before") <(echo "$now") >&2
	return 1
}

vlans() { bridge -j -compressvlans vlan show dev "$1" | jq -c '[.[].vlans[]? | [.vlan, .vlanEnd // empty] + (.flags // [])]'; }

@test "C-ISS-23: the representor is found and in the device-info file, with the one of its own number" {
	local id dp=/var/run/k8s.cni.cncf.io/devinfo/dp
	mkdir -p "$dp"
	for id in "$A" "$B"; do
		printf '{"type":"pci","version":"1.1.0","pci":{"pci-address":"%s","representor-device":"stale"}}' "$id" \
			>"$dp/example.com-vf-$id-device.json"
	done
	before=$(state)
	[ "$(cat /sys/bus/pci/devices/"$PF1"/net/*/phys_port_name | sort | tr '\n' ' ')" = \
		"p1 pf0vf0 pf0vf1 pf0vf2 pf0vf3 " ]
	for i in A:$REP B:$REP3; do
		id=$([ "${i%:*}" = A ] && echo "pci:$A" || echo "$B")	# as DPDK spells it, and as the kernel
		conf "$id" '.resourceName = "example.com/vf"' >/tmp/a.json
		call ADD a net1 </tmp/a.json
		jq -e --arg r "${i#*:}" --arg pf "$PF1" '.pci."representor-device" == $r and .pci."pf-pci-address" == $pf' \
			/var/run/k8s.cni.cncf.io/devinfo/cni/lab-a_net1
		call DEL a net1 </tmp/a.json
		unchanged
	done
	rm "$dp"/example.com-vf-*
}

# A child, which strace does not follow here, has asked where devlink is: that may block.
@test "devlink is asked two requests on one socket, and none where the uplink has no switch id" {
	conf "$A" >/tmp/a.json
	export CNI_COMMAND=ADD CNI_CONTAINERID=a CNI_IFNAME=net1 CNI_NETNS=/run/netns/a
	ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" strace -qq -o /tmp/trace -e trace=socket,sendto "$DEVINFO" </tmp/a.json
	[ "$(grep -c 'NETLINK_GENERIC' /tmp/trace)" = 1 ]
	fd=$(sed -n 's/.*NETLINK_GENERIC) = //p' /tmp/trace)
	[ "$(sed '1,/NETLINK_GENERIC/d; /^socket/,$d' /tmp/trace | grep -c "^sendto($fd,")" = 2 ]
	call DEL a net1 </tmp/a.json
	unchanged
	umount "/sys/bus/pci/devices/$PF1/net"
	ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" strace -qq -o /tmp/trace -e trace=socket,sendto "$DEVINFO" </tmp/a.json
	[ "$(grep -c 'NETLINK_GENERIC' /tmp/trace)" = 0 ]
	call DEL a net1 </tmp/a.json
}

@test "C-ISS-16: vlan and trunk are those of the bridge port, MTU is that of both, and DEL restores" {
	conf "$A" '.bridge = "br0" | .vlan = 100 | .trunk = [{id: 42}, {minID: 200, maxID: 210}] | .mtu = 1400' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	[ "$(link "$REP" .master)" = br0 ]
	[ "$(link "$REP" .mtu)" = 1400 ]
	[ "$(link "$REP" '.flags | index("UP") != null')" = true ]
	[ "$(vlans "$REP")" = '[[42],[100,"PVID","Egress Untagged"],[200,210]]' ]
	[ "$(ip -n a -j link show net1 | jq '.[0].mtu')" = 1400 ]
	# the VF's own VLAN is not touched
	ip -j -d link show "$UP" | jq -e '.[0].vfinfo_list[0] | (.vlan_list[0].vlan? // 0) == 0'
	call DEL a net1 </tmp/a.json
	unchanged
	call DEL a net1 </tmp/a.json
	unchanged
}

@test "without vlan and trunk the VLANs are the bridge's default" {
	conf "$A" '.bridge = "br1"' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	[ "$(link "$REP" .master)" = br1 ]
	[ "$(vlans "$REP")" = '[[1,"PVID","Egress Untagged"]]' ]
	call DEL a net1 </tmp/a.json
	unchanged
}

@test "a representor that was a port before goes back, with its VLANs, MTU and state" {
	ip link set "$REP" master br1 mtu 1450 up
	bridge vlan add dev "$REP" vid 7 untagged
	bridge vlan add dev "$REP" vid 3000-3010
	before=$(state)
	for bridge in br0 br1; do
		conf "$A" ".bridge = \"$bridge\" | .vlan = 7 | .trunk = [{id: 8}] | .mtu = 1400" >/tmp/a.json
		call ADD a net1 </tmp/a.json
		[ "$(vlans "$REP")" = '[[7,"PVID","Egress Untagged"],[8]]' ]
		call DEL a net1 </tmp/a.json
		unchanged
	done
	# of a port that is not to be moved only the MTU is ours
	conf "$A" '.mtu = 1400' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	[ "$(link "$REP" .mtu)" = 1400 ]
	call DEL a net1 </tmp/a.json
	unchanged
	ip link set "$REP" nomaster mtu 1500 down
}

@test "of several bridges, and of none named, it is the uplink's, and that of the uplink's bond" {
	conf "$A" '.bridge = "br0,br1" | .vlan = 5' >/tmp/a.json
	call ADD a net1 </tmp/a.json || true
	jq -e '.code == 102 and (.msg | test("is a port of none"))' <<<"$answer"
	unchanged
	ip link set "$UP" master br1
	for c in '.bridge = "br0,br1" | .vlan = 5' '.bridge = ["br1", "x"] | .vlan = 5' '.trunk = [{id: 5}]'; do
		conf "$A" "$c" >/tmp/a.json
		call ADD a net1 </tmp/a.json
		[ "$(link "$REP" .master)" = br1 ]
		call DEL a net1 </tmp/a.json
	done
	conf "$A" '.bridge = "br0, x"' >/tmp/a.json
	run call ADD a net1 </tmp/a.json
	[[ $output == *"is a port of br1, which is not listed"* ]]
	ip link set "$UP" nomaster
	ip link add bond7 type bond
	ip link set "$UP" down
	ip link set "$UP" master bond7
	ip link set bond7 master br0
	conf "$A" '.bridge = "br0,br1"' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	[ "$(link "$REP" .master)" = br0 ]
	call DEL a net1 </tmp/a.json
	ip link del bond7
}

@test "what cannot be is refused with the reason, and nothing is changed" {
	local c want
	ip link add nofilter type bridge
	ip link add nobridge type dummy
	before=$(state)
	while read -r c want; do
		conf "$A" "$c" >/tmp/a.json
		call ADD a net1 </tmp/a.json && false
		[[ $answer == *"$want"* ]] || { echo "$c: $answer" && false; }
		unchanged
	done <<-LIST
		.bridge="br9" there is no br9 here
		.bridge="nobridge" nobridge is not a bridge
		.bridge="nofilter"|.vlan=5 nofilter does not filter VLANs
		.bridge="br0"|.ipam.type="nosuch" nosuch
	LIST
	ip link add bond7 type bond
	ip link set "$REP" down
	ip link set "$REP" master bond7
	before=$(state)
	conf "$A" '.bridge = "br0"' >/tmp/a.json
	run call ADD a net1 </tmp/a.json
	[[ $output == *"representor $REP is a port of bond7, which is not a bridge but bond"* ]]
	unchanged
	ip link set "$REP" nomaster
	ip link del bond7
	ip link del nofilter
	ip link del nobridge
	before=$(state)
	mode legacy
	conf "$A" '.bridge = "br0" | .vlan = 5' >/tmp/a.json
	run call ADD a net1 </tmp/a.json
	[[ $output == *"is in legacy mode"* ]]
	conf "$A" '.trunk = [{id: 5}]' >/tmp/a.json
	run call ADD a net1 </tmp/a.json
	[[ $output == *"is in legacy mode"* ]]
}

@test "C-ISS-17: in legacy mode a VLAN is an attribute of the VF, and there is no representor in the device-info" {
	mode legacy
	before=$(state)
	conf "$A" '.vlan = 5 | .mtu = 1400' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	ip -j -d link show "$UP" | jq -e '.[0].vfinfo_list[0].vlan_list[0].vlan == 5'
	jq -e '.pci | has("representor-device") | not' /var/run/k8s.cni.cncf.io/devinfo/cni/lab-a_net1
	call DEL a net1 </tmp/a.json
	unchanged
}

@test "CHECK names each difference of the representor" {
	conf "$A" '.bridge = "br0" | .vlan = 100 | .trunk = [{minID: 200, maxID: 210}] | .mtu = 1400 | .cniVersion = "1.1.0"' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	jq -c --argjson r "$answer" '.prevResult = $r' /tmp/a.json >/tmp/c.json
	call CHECK a net1 </tmp/c.json
	bridge vlan del dev "$REP" vid 205
	ip link set "$REP" mtu 1300 down
	call CHECK a net1 </tmp/c.json || true
	[ "$(jq .code <<<"$answer")" = 101 ]
	[[ $answer == *"vlans: expected 100 pvid untagged, 200-210, got 100 pvid untagged, 200-204, 206-210"* ]]
	[[ $answer == *"mtu: expected 1400, got 1300"* ]]
	[[ $answer == *"state: expected up, got down"* ]]
	ip link set "$REP" master br1
	run call CHECK a net1 </tmp/c.json
	[[ $output == *"bridge: expected br0, got br1"* ]]
	ip link set "$REP" nomaster
	run call CHECK a net1 </tmp/c.json
	[[ $output == *"bridge: expected br0, got none"* ]]
	call DEL a net1 </tmp/a.json
	unchanged
}

@test "with the representor to be set, it is looked for once" {
	conf "$A" '.bridge = "br0" | .vlan = 100 | .mtu = 1400' >/tmp/a.json
	export CNI_COMMAND=ADD CNI_CONTAINERID=a CNI_IFNAME=net1 CNI_NETNS=/run/netns/a
	ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" strace -qq -o /tmp/trace -e trace=socket "$DEVINFO" </tmp/a.json
	[ "$(grep -c 'NETLINK_GENERIC' /tmp/trace)" = 1 ]
	call DEL a net1 </tmp/a.json
	unchanged
}

@test "C-ISS-37: a representor that has another name by now is restored, one that is another's is left alone" {
	conf "$A" '.bridge = "br0" | .vlan = 100 | .mtu = 1400' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	ip link set "$REP" down
	ip link set "$REP" name renamed
	call DEL a net1 </tmp/a.json
	ip link set renamed name "$REP"
	unchanged

	# legacy and back: the same name, another device
	call ADD a net1 </tmp/a.json
	old=$(link "$REP" .ifindex)
	mode legacy
	mode switchdev
	REP=$(port pf0vf0)
	[ "$(link "$REP" .ifindex)" != "$old" ]
	ip link set "$REP" master br1 mtu 1450 up
	bridge vlan add dev "$REP" vid 9
	call DEL a net1 </tmp/a.json
	[ "$(link "$REP" .master) $(link "$REP" .mtu)" = "br1 1450" ]
	[ "$(vlans "$REP")" = '[[1,"PVID","Egress Untagged"],[9]]' ]
	ip link set "$REP" nomaster
}

# bats test_tags=points
@test "killed or refused at each request of ADD: DEL puts the representor back; and a dead owner's is put back first" {
	conf "$A" '.bridge = "br0" | .vlan = 100 | .trunk = [{id: 42}] | .mtu = 1400' >/tmp/a.json
	each_request 1
	[ "$requests" -ge 12 ]
	call ADD a net1 </tmp/a.json
	pod_del a
	pod_new b
	conf "$A" '.bridge = "br1"' >/tmp/b.json
	call ADD b net1 </tmp/b.json
	[ "$(link "$REP" .master)" = br1 ]
	call DEL b net1 </tmp/b.json
	[ "$(link "$REP" .master)" = null ]
	call DEL a net1 </tmp/a.json
	pod_del b
	unchanged
}

@test "a VF that a program in user space drives has its representor bridged" {
	echo vfio-pci >"/sys/bus/pci/devices/$A/driver_override"
	echo "$A" >/sys/bus/pci/drivers/igbvf/unbind
	echo "$A" >/sys/bus/pci/drivers_probe
	before=$(state)
	conf "$A" '.bridge = "br0" | .vlan = 100 | del(.ipam)' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	[ "$(vlans "$REP")" = '[[100,"PVID","Egress Untagged"]]' ]
	call DEL a net1 </tmp/a.json
	unchanged
	echo "$A" >/sys/bus/pci/drivers/vfio-pci/unbind
	echo >"/sys/bus/pci/devices/$A/driver_override"
	echo "$A" >/sys/bus/pci/drivers_probe
}

@test "C-ISS-34: the network device of an auxiliary device is attached under its device's name, and comes home from a pod that renamed it" {
	sf_new
	for id in netdevsim2 auxiliary/netdevsim2 "$dev"; do
		conf "$id" '.cniVersion = "1.1.0" | .mtu = 1400 | .bridge = "br0" | .vlan = 100' >/tmp/a.json
		call ADD a net1 </tmp/a.json
		jq -e '.interfaces[0] | .mtu == 1400 and (has("pciID") | not)' <<<"$answer"
		build/bin/devinfoctl list | grep -q "^netdevsim2 *$dev *- *lab *net1 *netdev *live *a$"
		[ ! -e /var/run/k8s.cni.cncf.io/devinfo/cni/lab-a_net1 ]
		[ "$(link "$REP3" .master) $(link "$REP3" .mtu)" = "br0 1400" ]
		[ "$(vlans "$REP3")" = '[[100,"PVID","Egress Untagged"]]' ]
		# known by its parent alone: another name, and a foreign interface of ours
		ip -n a link set net1 down
		ip -n a link set net1 name foo
		ip -n a link add net1 type dummy
		call DEL a net1 </tmp/a.json
		ip -n a link show net1
		ip -n a link del net1
		unchanged
	done
	sf_del
}

@test "a sub-function's device that its pod has moved on is not forgotten, and the next one of that name is left alone" {
	sf_new
	ip netns add inner
	conf netdevsim2 '.mac = "02:00:00:00:aa:aa"' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	ip -n a link set net1 netns inner
	call DEL a net1 </tmp/a.json && false
	[ "$(jq .code <<<"$answer")" = 11 ]
	[[ $answer == *"is in another namespace than the pod's"* ]]
	build/bin/devinfoctl list | grep -q "^netdevsim2 "
	ip -n inner link set net1 netns 1
	call DEL a net1 </tmp/a.json
	unchanged

	# SF 88 is deleted, and SF 99 gets its name on the bus
	call ADD a net1 </tmp/a.json
	echo 99 >"/tmp/sf/$PF1/netdevsim2/sfnum"
	ip -n a link set net1 netns 1
	ip link set net1 address 02:00:00:00:99:99
	call DEL a net1 </tmp/a.json
	[ "$(link net1 .address)" = 02:00:00:00:99:99 ]
	build/bin/devinfoctl list | grep "^netdevsim2 " && false

	# and one that has gone is not waited for
	call ADD a net1 </tmp/a.json
	rm /tmp/aux/netdevsim2
	call DEL a net1 </tmp/a.json
	build/bin/devinfoctl list | grep "^netdevsim2 " && false
	ip -n a link show net1
	ip netns del inner
	sf_del
}
