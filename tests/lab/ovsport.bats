#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# ovsport.bats - the representor of a VF or sub-function as a port of a real Open vSwitch
#
# The switch is Debian's, with the datapath of the kernel; representors and VFs are switchdev.bash's.
# One database for all tests; each has bridges of its own.
#
# rooms: cni/ovsport cni/switch
# shellcheck disable=SC2154 # of the loaded files
bats_require_minimum_version 1.5.0
load helpers
load switchdev
load ../peers/ovs

OVS=/run/openvswitch	# where the plugin looks for the database
OVS_WAIT_S=60

setup_file() {
	switchdev_up
	modprobe openvswitch
	ovs_up_here $OVS
}

teardown_file() {
	ovs_env_here $OVS
	ovs_stop ovs-vswitchd
	ovs_stop ovsdb-server
}

setup() {
	lines_of_test_only
	ovs_env_here $OVS
	switchdev_names
	vsctl add-br br0 -- add-br br1
	pod_new a
	before=$(state)
}

teardown() {
	call DEL a net1 <<<'{"cniVersion": "1.0.0", "name": "lab"}' || true
	pod_del a
	pod_del b
	[ -e $OVS/ovsdb-server.pid ] || ovsdb_up
	[ -e $OVS/ovs-vswitchd.pid ] || vswitchd_up
	vsctl --if-exists del-br br0 -- --if-exists del-br br1
	ip link del bond7 2>/dev/null || true
	ip link set "$REP" nomaster 2>/dev/null || true
	ip link set "$REP" down
	sf_del
}

# Links, ports, files of ours.  What Open vSwitch does to its own devices is not looked at.
state() {
	ip -d -j link | jq '[.[] | select(.linkinfo.info_kind != "openvswitch")
		| {ifname, mtu, master, address, promiscuity, up: (.flags | index("UP") != null)}] | sort_by(.ifname)'
	ports
	find /var/lib/cni /run/devinfo /var/run/k8s.cni.cncf.io ! -type d ! -name lock \
		! -name 'last_reserved_ip.*' ! -path '*/devinfo/index/*' ! -path '*/devinfo/pods/*' -exec sha256sum {} + 2>/dev/null | sort -k2
}

ports() {
	vsctl --format=csv -- --columns=name,tag,trunks,vlan_mode,external_ids list Port \
		-- --columns=name,type,mtu_request,external_ids list Interface \
		-- --columns=name,ports list Bridge | sort
}

# soon, for ovs-vswitchd takes the port from the kernel when it has seen that the database has it no more
unchanged() {
	local now n
	for ((n = 0; n < 40; n++)); do
		now=$(state)
		[ "$now" = "$before" ] && return
		sleep 0.5
	done
	diff <(echo "$before") <(echo "$now") >&2
	return 1
}

# of REP's port: get Port|Interface COLUMN...
get() { vsctl get "$1" "$REP" "${@:2}" | tr -d '"' | paste -sd ' '; }

SWITCH='.switch = {type: "ovs", bridge: "br0", timeoutMs: 30000}'

# come_home POD: a VF whose record was taken away, with its namespace
come_home() {
	local i name=''
	pod_del "$1"
	for ((i = 0; i < 100; i++)); do
		name=$(netdev_of "$A") && [ -n "$name" ] && break
		sleep 0.1
	done
	[ "$name" = vf0 ] || { ip link set "$name" down; ip link set "$name" name vf0; }
	ip link set "$REP" down
	find /run/devinfo /var/run/k8s.cni.cncf.io -type f -delete 2>/dev/null || true
}

# refused CODE "text" [POD]
refused() {
	local pod=${3-a}
	call ADD "$pod" net1 </tmp/a.json && return 1
	[ "$(jq .code <<<"$answer")" = "$1" ] || return 1
	[[ $answer == *"$2"* ]] || { echo "$answer, expected $2" >&2; return 1; }
}

@test "the representor is a port of the named bridge, with VLANs and whose it is, up, with its MTU; DEL takes out that alone" {
	conf "$A" "$SWITCH"' | .vlan = 100 | .trunk = [{id: 42}, {minID: 200, maxID: 202}] | .mtu = 1400
		| .mac = "02:00:00:00:00:0a"' >/tmp/a.json
	vsctl add-port br0 other -- set Interface other type=internal
	before=$(state)
	call ADD a net1 </tmp/a.json
	[ "$(vsctl iface-to-br "$REP")" = br0 ]
	[ "$(get Port tag trunks vlan_mode)" = "100 [42, 200, 201, 202] native-untagged" ]
	[[ "$(get Port external_ids)" =~ ^\{attached-mac=02:00:00:00:00:0a,\ devinfo.container-id=a,\ devinfo.device=$A,\ devinfo.ifname=net1,\ devinfo.network=lab,\ devinfo.node=[0-9a-f]{16}\}$ ]]
	[ "$(get Interface type mtu_request error)" = " [] []" ]
	[ "$(get Interface ofport)" -gt 0 ]
	# in the kernel, too
	[ "$(link "$REP" '[.master, .mtu, (.flags | index("UP") != null)] | join(" ")')" = "ovs-system 1400 true" ]
	# the VF's own VLAN is not touched
	ip -j -d link show "$UP" | jq -e '.[0].vfinfo_list[0] | (.vlan_list[0].vlan? // 0) == 0'
	jq -e --arg r "$REP" '.pci."representor-device" == $r' /var/run/k8s.cni.cncf.io/devinfo/cni/lab-a_net1
	call DEL a net1 </tmp/a.json
	unchanged
	call DEL a net1 </tmp/a.json
	unchanged
	vsctl del-port other
}

@test "of two attachments each has its port, and DEL of one leaves the other's" {
	pod_new b
	jq -c --arg id "$A" '.plugins[0] + {cniVersion, name, deviceID: $id} | del(.resourceName)' \
		conf/examples/switchdev-ovs.conflist >/tmp/a.json
	conf "$B" "$SWITCH" >/tmp/b.json
	call ADD a net1 </tmp/a.json
	call ADD b net1 </tmp/b.json
	[ "$(get Port tag trunks vlan_mode)" = "100 [] []" ]
	[ "$(vsctl get Port "$REP3" tag)" = "[]" ]
	call DEL a net1 </tmp/a.json
	[ "$(vsctl list-ports br0)" = "$REP3" ]
	call DEL b net1 </tmp/b.json
	unchanged
}

@test "without a name it is the bridge of the uplink, of its bond, and of a bond of Open vSwitch" {
	conf "$A" '.switch = {type: "ovs", timeoutMs: 30000} | .vlan = 5' >/tmp/a.json
	refused 102 "uplink $UP is a port of no bridge of Open vSwitch, so one must be named"
	unchanged
	found() {
		call ADD a net1 </tmp/a.json
		[ "$(vsctl iface-to-br "$REP")" = "$1" ]
		call DEL a net1 </tmp/a.json
	}
	vsctl add-port br1 "$UP"
	found br1
	vsctl del-port "$UP"
	ip link add bond7 type bond
	ip link set "$UP" down
	ip link set "$UP" master bond7
	vsctl add-port br0 bond7
	found br0
	vsctl del-port bond7
	ip link del bond7
	vsctl add-bond br1 ovsbond "$UP" "$REP3"
	found br1
	vsctl del-port ovsbond
	ip link set "$REP3" down
}

@test "what cannot be is refused with the reason, and nothing is changed" {
	local c code want
	vsctl add-br user -- set bridge user datapath_type=netdev
	before=$(state)
	while read -r c code want; do
		conf "$A" "$c" >/tmp/a.json
		refused "$code" "$want"
		unchanged
	done <<-LIST
		.switch={type:"ovs",bridge:"br9"} 102 Open vSwitch has no bridge 'br9'
		.switch={type:"ovs",bridge:"user"} 102 a representor needs 'system'
		.switch={type:"ovs"}|.bridge="br0" 7 bridge: not together with switch
		.switch={type:"exec",path:"/x"} 7 needs vhostUser or memif
	LIST
	vsctl del-br user
	before=$(state)
	# a port of a Linux bridge already
	ip link add lbr type bridge
	ip link set "$REP" master lbr
	before=$(state)
	conf "$A" "$SWITCH" >/tmp/a.json
	refused 103 "switch: representor $REP is a port of lbr already, expected none"
	unchanged
	ip link del lbr
	mode legacy
	refused 102 "switch: PF $PF1 is in legacy mode, expected switchdev mode"
}

@test "a port of another is refused and left alone; one of ours that is dead is replaced" {
	conf "$A" "$SWITCH" >/tmp/a.json
	vsctl add-port br1 "$REP" tag=9
	before=$(state)
	refused 103 "Open vSwitch has a port or interface '$REP' already"
	[[ $answer == *"it is none of ours"* ]]
	unchanged
	# one of another node, that says our container and interface of another name
	vsctl set Port "$REP" external_ids='{devinfo.container-id=x, devinfo.ifname=net1, devinfo.node=0, devinfo.device="'"$A"'"}'
	before=$(state)
	refused 103 "it is of another attachment, of another node or stateDir"
	[[ $answer != *'"x"'* ]]
	unchanged
	# a representor in a bond of another
	vsctl del-port "$REP" -- add-bond br1 theirs "$REP" "$REP3"
	before=$(state)
	refused 103 "Open vSwitch has a port or interface '$REP' already"
	unchanged
	vsctl del-port theirs
	ip link set "$REP3" down

	# dead, with its record and without
	conf "$A" "$SWITCH | del(.ipam)" >/tmp/a.json
	call ADD a net1 </tmp/a.json
	pod_del a
	pod_new b
	conf "$A" "$SWITCH | .vlan = 7 | del(.ipam)" >/tmp/b.json
	call ADD b net1 </tmp/b.json
	[ "$(get Port tag external_ids:devinfo.container-id)" = "7 b" ]
	rm /var/lib/cni/devinfo/attachments/*
	come_home b
	pod_new a
	call ADD a net1 </tmp/a.json
	[ "$(get Port tag external_ids:devinfo.container-id)" = "[] a" ]
	call DEL a net1 </tmp/a.json
	[ -z "$(vsctl list-ports br0)$(vsctl list-ports br1)" ]
	[ "$(netdev_of "$A")" = vf0 ]
}

@test "a later step that fails takes the port out again" {
	conf "$A" "$SWITCH"' | .vlan = 5 | .mtu = 1400 | .ipam.type = "nosuch"' >/tmp/a.json
	call ADD a net1 </tmp/a.json && false
	[[ $answer == *nosuch* ]]
	unchanged
	ovs_stop ovs-vswitchd
	conf "$A" '.switch = {type: "ovs", bridge: "br0", timeoutMs: 500}' >/tmp/a.json
	refused 11 "ovs-vswitchd has not made it in time"
	vswitchd_up
	unchanged
}

@test "CHECK names each difference of the port" {
	conf "$A" "$SWITCH"' | .vlan = 100 | .trunk = [{id: 42}] | .cniVersion = "1.1.0"' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	jq -c --argjson r "$answer" '.prevResult = $r' /tmp/a.json >/tmp/c.json
	call CHECK a net1 </tmp/c.json
	vsctl set Port "$REP" tag=101 trunks=42,43 vlan_mode=trunk
	ip link set "$REP" down
	call CHECK a net1 </tmp/c.json && false
	[ "$(jq .code <<<"$answer")" = 101 ]
	[[ $answer == *"port $REP of Open vSwitch: tag: expected 100, got 101"* ]]
	[[ $answer == *"trunks: expected 1 VLANs, got 1 of them and 2 in all"* ]]
	[[ $answer == *"vlan_mode: expected 'native-untagged', got 'trunk'"* ]]
	[[ $answer == *"representor $REP: state: expected up, got down"* ]]
	ip link set "$REP" up
	jq -c '.switch.bridge = "br1"' /tmp/c.json >/tmp/d.json
	call CHECK a net1 </tmp/d.json && false
	[[ $answer == *"expected it on bridge br1, got none"* ]]
	vsctl del-port "$REP"
	call CHECK a net1 </tmp/c.json && false
	[[ $answer == *"port $REP of Open vSwitch: expected it on bridge br0, got none"* ]]
	call DEL a net1 </tmp/a.json
	unchanged
}

# bats test_tags=points
@test "killed or refused at each request of ADD: DEL takes the port out" {
	conf "$A" "$SWITCH"' | .vlan = 5 | del(.ipam)' >/tmp/a.json
	traced -o /tmp/trace -e trace=sendto
	grep -c transact /tmp/trace >/tmp/transactions
	[ "$(cat /tmp/transactions)" -ge 4 ]
	call DEL a net1 </tmp/a.json
	unchanged
	each_request "$(grep -n -m 1 transact /tmp/trace | cut -d: -f1)"
	[ "$requests" -ge "$(grep -n transact /tmp/trace | tail -n 1 | cut -d: -f1)" ]
}

@test "DEL while the database is down is to be tried again, and what follows it is done" {
	conf "$A" "$SWITCH" >/tmp/a.json
	call ADD a net1 </tmp/a.json
	ovs_stop ovsdb-server TERM
	call DEL a net1 </tmp/a.json && false
	[ "$(jq .code <<<"$answer")" = 11 ]
	# the device itself is home, and the representor as before
	[ "$(netdev_of "$A")" = vf0 ]
	[ "$(link "$REP" '.flags | index("UP") == null')" = true ]
	ovsdb_up
	[ "$(vsctl list-ports br0)" = "$REP" ]
	call DEL a net1 </tmp/a.json
	unchanged
	# without ovs-vswitchd the port leaves the database
	call ADD a net1 </tmp/a.json
	ovs_stop ovs-vswitchd
	call DEL a net1 </tmp/a.json
	vswitchd_up
	unchanged
}

@test "GC, and DEL in another boot or without a record, take the port of a dead attachment out" {
	local gc='.cniVersion = "1.1.0" | ."cni.dev/valid-attachments" = []'
	conf "$A" "$SWITCH | del(.ipam)" >/tmp/a.json
	jq -c "$gc" /tmp/a.json >/tmp/gc.json
	call ADD a net1 </tmp/a.json
	call GC a net1 </tmp/gc.json	# its namespace lives
	[ "$(vsctl list-ports br0)" = "$REP" ]
	pod_del a
	call GC a net1 </tmp/gc.json
	[ -z "$(vsctl list-ports br0)" ]
	[ "$(link "$REP" '.flags | index("UP") == null')" = true ]

	# no record
	pod_new a
	call ADD a net1 </tmp/a.json
	rm /var/lib/cni/devinfo/attachments/*
	come_home a
	call GC a net1 </tmp/gc.json
	[ -z "$(vsctl list-ports br0)" ]
	pod_new a
	call ADD a net1 </tmp/a.json
	rm /var/lib/cni/devinfo/attachments/*
	call DEL a net1 </tmp/a.json
	[ -z "$(vsctl list-ports br0)" ]
	come_home a
	pod_new a

	# another boot: the database is as before, nothing else is ours
	call ADD a net1 </tmp/a.json
	sed -i 's/"bootID": *"[^"]*"/"bootID": "of-another-boot"/' /var/lib/cni/devinfo/attachments/*
	call DEL a net1 </tmp/a.json
	[ -z "$(vsctl list-ports br0)" ]
	[ "$(link "$REP" '.flags | index("UP") != null')" = true ]
	come_home a
}

@test "the representor of a sub-function is a port, and one of an interface that another plugin made" {
	sf_new
	conf netdevsim2 "$SWITCH | .vlan = 100" >/tmp/a.json
	call ADD a net1 </tmp/a.json
	[ "$(vsctl get Port "$REP3" tag external_ids:devinfo.device | paste -sd ' ')" = '100 netdevsim2' ]
	call DEL a net1 </tmp/a.json
	unchanged
	sf_del
	before=$(state)
	ip link set vf0 netns a name net1
	conf "$A" "$SWITCH"' | .vlan = 100 | del(.ipam) | .prevResult = {cniVersion: "1.0.0",
		interfaces: [{name: "net1", sandbox: "/run/netns/a"}]}' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	[ "$(get Port tag)" = 100 ]
	[ "$(link "$REP" '.flags | index("UP") != null')" = true ]
	call DEL a net1 </tmp/a.json
	ip -n a link set net1 netns 1 name vf0
	unchanged
}

@test "STATUS says whether the bridge is there" {
	conf "$A" "$SWITCH"' | .cniVersion = "1.1.0" | del(.deviceID)' >/tmp/a.json
	call STATUS a net1 </tmp/a.json
	jq -c '.switch.bridge = "br9"' /tmp/a.json >/tmp/b.json
	call STATUS a net1 </tmp/b.json && false
	[[ $answer == *"has no bridge 'br9'"* ]]
	jq -c 'del(.switch.bridge)' /tmp/a.json >/tmp/b.json
	call STATUS a net1 </tmp/b.json
}
