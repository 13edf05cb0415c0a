#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# migrate.bats - pods that sriov-cni attached end with devinfo in its place
#
# What sriov-cni's ADD leaves is made by hand: its files have the names, keys and order of the real
# ones, and the VF is set with ip(8) in its order.
#
# rooms: cni/sriovcni
bats_require_minimum_version 1.5.0
load helpers

OLD=/var/lib/cni/sriov

setup_file() {
	lab_up
	mkdir -p /var/lib/cni
	mkdir -p -m 700 $OLD
	mkdir -p -m 600 $OLD/pci $OLD/pci/vf_lock
	# ours has the name of the old plugin as well, as the installer makes it
	mkdir -p /opt/cni/bin
	install/install.sh "$DEVINFO" /opt/cni/bin sriov
}

setup() {
	lines_of_test_only
	A=$(vf "$PF1" 0)
	PF=$(netdev_of "$PF1")
	touch "$OLD/pci/vf_lock/$A.lock"
	conf "$A" '.type = "sriov" | .vlan = 100 | .vlanQoS = 3 | .trust = "on" | .mac = "02:00:00:00:56:0a"' >/tmp/a.json
	conf "$A" '.type = "sriov" | .vlan = 200 | .spoofchk = "off"' >/tmp/b.json
	pod_new a
	pod_new b
	before=$(snapshot)
	DEVINFO=/opt/cni/bin/sriov
}

teardown() {
	for p in a b; do
		call DEL "$p" net1 <"/tmp/$p.json" || true
		pod_del "$p"
	done
	rm -f $OLD/*-net1 $OLD/pci/0*
}

# vf0 FILTER - of VF 0 as its PF shows it
vf0() { ip -j -d link show "$PF" | jq -r ".[0].vfinfo_list[0] | $1"; }

ipam() { CNI_COMMAND=$1 CNI_CONTAINERID=$2 CNI_IFNAME=net1 CNI_NETNS=/run/netns/$2 /usr/lib/cni/host-local <"/tmp/$2.json"; }

# old_add POD: what sriov-cni's ADD does with the configuration in /tmp/POD.json, and writes down
old_add() {
	local name vlan qos spoofchk trust mac
	name=$(netdev_of "$A")
	ip -j -d link show "$PF" >/tmp/pf
	ip -j link show "$name" >/tmp/dev
	jq -cn --slurpfile pfs /tmp/pf --slurpfile devs /tmp/dev --arg pf "$PF" --slurpfile conf "/tmp/$1.json" '
		$pfs[0][0].vfinfo_list[0] as $vf | $devs[0][0] as $dev | $conf[0] | {cniVersion, name, type, ipam: {type: .ipam.type}, dns: {}, deviceID,
			vlan, vlanQoS: (.vlanQoS // 0), vlanProto: "802.1q", min_tx_rate: null, max_tx_rate: null,
			runtimeConfig: {}, Master: $pf, VFID: 0, MAC: (.mac // ""), MTU: $dev.mtu, OrigVfState: {
				HostIFName: $dev.ifname, SpoofChk: $vf.spoofchk, Trust: $vf.trust, AdminMAC: $vf.address,
				EffectiveMAC: $dev.address, Vlan: ($vf.vlan_list[0].vlan // 0),
				VlanQoS: ($vf.vlan_list[0].qos // 0), VlanProto: 33024, MinTxRate: 0, MaxTxRate: 0,
				LinkState: 0, MTU: $dev.mtu}}
			+ with_entries(select(.key | IN("trust", "spoofchk")))' >/tmp/record
	# one start of jq, which is what takes long here
	read -r vlan qos spoofchk trust mac < <(jq -r '"\(.vlan) \(.vlanQoS // 0) \(.spoofchk) \(.trust) \(.mac // "")"' "/tmp/$1.json")
	ip link set "$PF" vf 0 vlan "$vlan" qos "$qos"
	[ -z "$mac" ] || ip link set "$PF" vf 0 mac "$mac"
	[ "$spoofchk" = null ] || ip link set "$PF" vf 0 spoofchk "$spoofchk"
	[ "$trust" = null ] || ip link set "$PF" vf 0 trust "$trust"
	ip link set "$name" netns "$1" name net1
	[ -z "$mac" ] || ip -n "$1" link set net1 address "$mac"
	ip -n "$1" link set net1 up
	ipam ADD "$1" >/dev/null
	ip -n "$1" addr add "$(cat /var/lib/cni/networks/lab/last_reserved_ip.0)/24" dev net1
	(umask 077 && tr -d '\n' </tmp/record >"$OLD/$1-net1" && echo -n "/run/netns/$1" >"$OLD/pci/$A")
}

no_trace() {
	[ -z "$(find $OLD -type f ! -name '*.lock')" ] || { find $OLD -type f; return 1; }
	[ -z "$(find /var/lib/cni/devinfo/attachments -type f)" ]
	same "$before"
}

@test "DEL of an old pod brings its VF home, sets it back and releases its lease; so does every DEL after it" {
	old_add a
	[ "$(vf0 '[.vlan_list[0].vlan, .trust, .address] | @csv')" = '100,true,"02:00:00:00:56:0a"' ]
	call DEL a net1 </tmp/a.json
	[ -z "$answer" ]
	no_trace
	call DEL a net1 </tmp/a.json
	call DEL a net1 '' </tmp/a.json
	no_trace
}

@test "with the type changed in the configuration it is the same" {
	old_add a
	DEVINFO=/tmp/devinfo
	jq -c '.type = "devinfo"' /tmp/a.json >/tmp/c.json
	call DEL a net1 </tmp/c.json
	no_trace
}

@test "DEL of an old pod whose namespace is gone, or is not named" {
	old_add a
	pod_del a
	call DEL a net1 </tmp/a.json
	pod_new a
	no_trace
	old_add a
	call DEL a net1 '' </tmp/a.json
	no_trace
}

@test "fault 2: an old pod that renamed its interface" {
	old_add a
	ip -n a link set net1 down name foo
	call DEL a net1 </tmp/a.json
	no_trace
}

@test "fault 6: an interface of the pod's own that has the name is not taken for the VF" {
	old_add a
	ip -n a link set net1 down name foo
	ip -n a link add net1 type veth peer name other
	call DEL a net1 </tmp/a.json
	ip -n a link show net1
	ip -n a link del net1
	no_trace
}

@test "fault 7: a VF of vfio-pci" {
	conf "$A" '.type = "sriov" | .vlan = 100 | del(.ipam)' >/tmp/a.json
	name=$(netdev_of "$A")
	jq -cn --arg id "$A" --arg mac "$(vf0 .address)" --arg pf "$PF" '{cniVersion: "1.0.0", name: "lab", type: "sriov",
		ipam: {}, dns: {}, deviceID: $id, Master: $pf, VFID: 0, MAC: "", MTU: 1500, vlan: 100, OrigVfState: {HostIFName: "",
		SpoofChk: true, Trust: false, AdminMAC: $mac, EffectiveMAC: "", Vlan: 0, VlanQoS: 0, VlanProto: 33024,
		MinTxRate: 0, MaxTxRate: 0, LinkState: 0, MTU: 0}}' >/tmp/record
	echo "$A" >"/sys/bus/pci/devices/$A/driver/unbind"
	echo vfio-pci >"/sys/bus/pci/devices/$A/driver_override"
	echo "$A" >/sys/bus/pci/drivers_probe
	before=$(snapshot)
	ip link set "$PF" vf 0 vlan 100
	cp /tmp/record "$OLD/a-net1"
	echo -n /run/netns/a >"$OLD/pci/$A"
	call DEL a net1 </tmp/a.json
	no_trace
	echo "$A" >"/sys/bus/pci/devices/$A/driver/unbind"
	echo >"/sys/bus/pci/devices/$A/driver_override"
	echo "$A" >/sys/bus/pci/drivers_probe
	ip link set "$(netdev_of "$A")" name "$name" || true
}

@test "a VF of a living old pod is refused, and stays as it is" {
	old_add a
	files=$(find $OLD -type f -exec sha256sum {} + | sort)
	now=$(snapshot)
	run call ADD b net1 </tmp/b.json
	[ "$status" = 1 ]
	[[ $output == *'"code":11'* && $output == *"container a"* ]]
	same "$now"
	[ "$files" = "$(find $OLD -type f -exec sha256sum {} + | sort)" ]
	call DEL a net1 </tmp/a.json
	no_trace
}

@test "a new ADD over a dead old owner starts from what was before it, and its late DEL has only the lease" {
	old_add a
	pod_del a
	call ADD b net1 </tmp/b.json
	[ "$(vf0 '[.vlan_list[0].vlan, .trust, .spoofchk] | @csv')" = 200,false,false ]
	[ "$(vf0 .address)" != 02:00:00:00:56:0a ]
	[ ! -e "$OLD/a-net1" ]
	[ ! -e "$OLD/pci/$A" ]
	now=$(ip -j -d link show "$PF" | jq '.[0].vfinfo_list')
	[ -n "$(grep -l '^a' /var/lib/cni/networks/lab/10.*)" ]
	call DEL a net1 </tmp/a.json
	[ -z "$(grep -l '^a' /var/lib/cni/networks/lab/10.*)" ]
	[ "$now" = "$(ip -j -d link show "$PF" | jq '.[0].vfinfo_list')" ]
	ip -n b link show net1
	call DEL b net1 </tmp/b.json
	pod_new a
	no_trace
}

@test "faults 12 and 13: what an old pod left to an old pod is not the original, and its late DEL does not hurt" {
	old_add a
	pod_del a
	# the kernel brings it back under the pod's name, and sriov-cni gives it to the next pod as it is
	comes_home "$A"
	old_add b
	[ "$(jq -r '.OrigVfState | [.HostIFName, .Vlan, .Trust] | @csv' "$OLD/b-net1")" = '"net1",100,true' ]
	now=$(ip -j -d link show "$PF" | jq '.[0].vfinfo_list')
	files=$(sha256sum "$OLD/b-net1" "$OLD/pci/$A")
	check_of b /tmp/b.json >/tmp/check.json
	call CHECK b net1 </tmp/check.json
	call DEL a net1 </tmp/a.json
	[ "$now" = "$(ip -j -d link show "$PF" | jq '.[0].vfinfo_list')" ]
	ip -n b link show net1
	# the living one is sriov-cni's as it was, and its CHECK as good
	[ "$files" = "$(sha256sum "$OLD/b-net1" "$OLD/pci/$A")" ]
	[ -z "$(find /var/lib/cni/devinfo/attachments -type f)" ]
	[ -z "$(grep -l '^a' /var/lib/cni/networks/lab/10.*)" ]
	call CHECK b net1 </tmp/check.json
	call DEL b net1 </tmp/b.json
	pod_new a
	no_trace
}

@test "a late DEL without a namespace leaves the VF to the living pod, whose record is torn" {
	old_add a
	cp "$OLD/a-net1" /tmp/a-net1
	name=$(jq -r .OrigVfState.HostIFName /tmp/a-net1)
	pod_del a
	comes_home "$A"
	old_add b
	truncate -s 60 "$OLD/b-net1"
	# not of the time of b's allocation file, nor of before this machine was started, which may be a minute ago
	touch -d "@$(($(stat -c %Y "$OLD/pci/$A") - 6))" "$OLD/a-net1"
	now=$(ip -j -d link show "$PF" | jq '.[0].vfinfo_list')
	call DEL a net1 '' </tmp/a.json
	[ "$now" = "$(ip -j -d link show "$PF" | jq '.[0].vfinfo_list')" ]
	ip -n b link show net1
	[ -z "$(grep -l '^a' /var/lib/cni/networks/lab/10.*)" ]
	# nobody can end the living one, but the next ADD still knows what was before both
	rm "$OLD/b-net1"
	ipam DEL b
	pod_del b
	comes_home "$A"
	pod_new c
	call ADD c net1 </tmp/b.json
	call DEL c net1 </tmp/b.json
	pod_del c
	pod_new a
	pod_new b
	echo "$A was $name, and is $(netdev_of "$A")"
	[ "$(netdev_of "$A")" = "$name" ]
	# of the record that made that possible the lease is left, for GC
	jq -c '.cniVersion = "1.1.0" | ."cni.dev/valid-attachments" = []' /tmp/a.json | call GC a net1
	no_trace
}

@test "a VF whose original nobody knows is clean all the same with releasePolicy known-clean" {
	mac=$(vf0 .address)
	ip link set "$PF" vf 0 trust on
	old_add b
	jq -c '.releasePolicy = "known-clean"' /tmp/b.json >/tmp/c.json
	call DEL b net1 </tmp/c.json
	[ "$(vf0 '[(.vlan_list[0].vlan // 0), .trust, .spoofchk] | @csv')" = 0,false,true ]
	ip link set "$PF" vf 0 trust off
	ip link set "$PF" vf 0 mac "$mac"
	[ -z "$(find $OLD -type f ! -name '*.lock')" ]
}

@test "GC releases dead old pods, and leaves the living alone" {
	old_add a
	gc() { jq -c '.cniVersion = "1.1.0" | ."cni.dev/valid-attachments" = []' /tmp/a.json | call GC a net1; }
	gc
	[ -e "$OLD/a-net1" ]
	ip -n a link show net1
	pod_del a
	gc
	pod_new a
	no_trace
}

# check_of POD CONF - what CHECK of it gets
check_of() {
	jq -c --arg pod "$1" --arg ip "$(ip -n "$1" -j -4 addr show net1 | jq -r '.[0].addr_info[0] | "\(.local)/\(.prefixlen)"')" '
		.prevResult = {cniVersion: "1.0.0", interfaces: [{name: "net1", sandbox: "/run/netns/\($pod)"}
				+ if .mac then {mac} else {} end],
			ips: [{address: $ip, interface: 0}]} | del(.ipam.routes)' "$2"
}

@test "CHECK of an old pod compares, and names what is different" {
	old_add a
	check_of a /tmp/a.json >/tmp/check.json
	call CHECK a net1 </tmp/check.json
	ip link set "$PF" vf 0 vlan 0
	run call CHECK a net1 </tmp/check.json
	[ "$status" = 1 ]
	[[ $output == *'not as sriov-cni left it'* && $output == *'vlan of VF 0 of '*': expected 100, got 0'* ]] || { echo "$output" && return 1; }
	call DEL a net1 </tmp/a.json
	no_trace
}

# bats test_tags=points
@test "killed at each step of a DEL, the next one ends it" {
	local n rc
	# the first one of a node makes directories, too
	old_add a
	call DEL a net1 </tmp/a.json
	old_add a
	points DEL changes
	no_trace
	[ "$points" -ge 7 ]
	chosen 1 "$points"
	for n in "${chosen[@]}"; do
		old_add a
		rc=0
		faulty DEL changes kill "$n" >/dev/null 2>&1 || rc=$?
		echo "$n: status $rc"
		[ "$rc" = 137 ]
		call DEL a net1 </tmp/a.json
		no_trace
	done
}
