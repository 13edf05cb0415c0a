#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# before.bats - attachments that the version before has made, of devices that only the lab has: CHECK and
# DEL go by its records
#
# The records of tests/node/before were written here.  Each says something of the time before its ADD that
# this version's ADD has not seen, so that what DEL brings back is what the record says.
#
# rooms: devinfo/journal cni/vf cni/driver
# shellcheck disable=SC2034 # of before.bash and vdpa.bash
bats_require_minimum_version 1.5.0
load helpers
load vdpa
load switchdev
load ../net/before

journal=/var/lib/cni/devinfo/attachments places=''
OLD_MAC=de:ac:a6:f0:68:05	# of the VF, when the records were written

setup_file() {
	lab_up
	modprobe -a virtio_net vhost_vdpa virtio_vdpa vdpa_sim_net netdevsim bridge
	mkdir -p /var/lib/cni
	A=$(vf "$PF1" 0)
	ip link set "$(netdev_of "$PF1")" vf 0 mac $OLD_MAC
	echo "$A" >/sys/bus/pci/drivers/igbvf/unbind
	echo "$A" >/sys/bus/pci/drivers/igbvf/bind
	ip link set "$(netdev_of "$A")" name v0
}

setup() {
	lines_of_test_only
	A=$(vf "$PF1" 0)
	PF=$(netdev_of "$PF1")
	for p in a b; do pod_new "$p"; done
}

teardown() {
	for p in a b; do
		call DEL "$p" net1 <<<'{"cniVersion": "1.0.0", "name": "lab"}' || true
		pod_del "$p"
	done
	for d in $(devices); do vdpa dev del "$d"; done
	sf_del
	umount "/sys/bus/pci/devices/$PF1/net" 2>/dev/null || true
	for p in br0 br1; do ip link del "$p" 2>/dev/null || true; done
	ip link set "$(netdev_of "$A")" name v0 mtu 1500 txqueuelen 1000 alias ''
	ip link property del dev v0 altname enp1s16 2>/dev/null || true
	ip link set "$PF" vf 0 mac $OLD_MAC vlan 0 spoofchk on trust off max_tx_rate 0
}

# switched - the PF is in switchdev mode; what netdevsim has stays for the next test
switched() {
	[ -e "/sys/bus/netdevsim/devices/$NSIM" ] || {
		echo "1 1 1" >/sys/bus/netdevsim/new_device
		echo 4 >"/sys/bus/netdevsim/devices/$NSIM/sriov_numvfs"
	}
	switchdev_names
}

vlans() { bridge -j -compressvlans vlan show dev "$1" | jq -c '[.[].vlans[]? | [.vlan, .vlanEnd // empty] + (.flags // [])]'; }

# requested NAME [jq filter] - ADD of what that sample's ADD was asked; its configuration is in /tmp/a.json
requested() {
	jq -r .request "tests/node/before/$1.json" | jq -c "${2:-.}" >/tmp/a.json
	call ADD a net1 </tmp/a.json
	added=$answer
}

# on_pf - what the PF says of its VF 0
on_pf() {
	ip -d -j link show "$PF" | jq -r '.[0].vfinfo_list[0] | "\(.address) \(.vlan_list[0].vlan // 0)/\(.vlan_list[0].qos // 0)" +
		" \(.rate.max_tx) spoofchk \(.spoofchk) trust \(.trust)"'
}

# at_home DEVICE MEMBERS - of the network device
at_home() { ip -d -j link show "$1" | jq -c ".[0] | [$2]"; }

ended_well() {
	call DEL a net1 <<<'{"cniVersion": "1.0.0", "name": "lab", "type": "devinfo"}'
	[ -z "$answer" ] || return 1
	! recorded
}

@test "a VF: CHECK compares its attributes, DEL restores those of the record; one given back already is its next pod's" {
	requested vf
	[ "$(on_pf)" = '02:00:00:00:59:01 100/0 0 spoofchk true trust false' ]
	wrote_before released
	cp -pr $journal /tmp/released
	wrote_before vf '.netdev.ifindex = $new[0].netdev.ifindex'
	check /tmp/a.json
	ip link set "$PF" vf 0 vlan 101
	finds /tmp/a.json "vlan of VF 0 of $PF: expected 100, got 101"
	ended_well
	[ "$(on_pf)" = "$OLD_MAC 55/1 0 spoofchk false trust true" ]
	[ "$(at_home eth2 '.address, .mtu')" = "[\"$OLD_MAC\",1500]" ]

	# of that one only files are left, and the VF belongs to pod b by now
	conf "$A" '.vlan = 42 | .trust = "on"' >/tmp/b.json
	call ADD b net1 </tmp/b.json
	now=$(on_pf)
	cp -p /tmp/released/*.json $journal
	finds /tmp/a.json 'net1'
	call DEL a net1 </tmp/a.json
	[ "$(on_pf)" = "$now" ]
	ip -n b link show net1
	[ "$(jq -r .containerID $journal/*.json)" = b ]
	call DEL b net1 </tmp/b.json
}

@test "known-clean: DEL gives the VF back with the defaults, not as the record says that it was" {
	requested known-clean
	wrote_before known-clean '.netdev.ifindex = $new[0].netdev.ifindex'
	check /tmp/a.json
	ip link set "$PF" vf 0 trust on
	finds /tmp/a.json "trust"
	ended_well
	[ "$(on_pf)" = "$OLD_MAC 0/0 0 spoofchk true trust false" ]
}

@test "a driver that was bound for the pod: DEL binds the record's, and the interface is called and set as in the record" {
	conf "$A" '.driver = "vfio-pci" | .vlan = 100 | .mac = "02:00:00:00:59:03" | del(.ipam)' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	added=$answer
	wrote_before driver
	check /tmp/a.json
	ip link set "$PF" vf 0 vlan 0
	finds /tmp/a.json "vlan of VF 0 of $PF: expected 100, got 0"
	ip link set "$PF" vf 0 vlan 100
	ended_well
	[ "$(last_of "$(readlink "/sys/bus/pci/devices/$A/driver")")" = igbvf ]
	[ "$(at_home vfnet0 '.mtu, .txqlen, .ifalias, .altnames')" = '[1400,77,"kept",["enp1s16"]]' ]
	[ "$(on_pf)" = "$OLD_MAC 0/0 0 spoofchk true trust false" ]
}

@test "a representor: DEL makes it the port that the record says, with its VLANs and MTU" {
	switched
	ip link add br0 type bridge vlan_filtering 1
	ip link add br1 type bridge vlan_filtering 1
	ip link set "$REP" master br0 up
	requested representor
	[ "$(link "$REP" '"\(.master) \(.mtu)"')" = 'br1 1400' ]
	[ "$(vlans "$REP")" = '[[7,"PVID","Egress Untagged"],[8]]' ]
	wrote_before representor '.netdev.ifindex = $new[0].netdev.ifindex |
		.representor += ($new[0].representor | {name, ifindex, bridge, master: .bridge})'
	check /tmp/a.json
	bridge vlan del dev "$REP" vid 8
	finds /tmp/a.json "$REP"
	ended_well
	[ "$(link "$REP" '"\(.master) \(.mtu)"')" = 'br1 1450' ]
	[ "$(vlans "$REP")" = '[[1,"PVID","Egress Untagged"],[7,"Egress Untagged"],[3000,3010]]' ]
	ip link set "$REP" nomaster mtu 1500 down
}

@test "a sub-function: DEL fetches it by its parent and number, with the record's name and address" {
	switched
	state() { :; }
	sf_new
	ip link set eth20 name other20 2>/dev/null || true	# who ever is called as it was then
	requested sub-function
	wrote_before sub-function '.netdev.ifindex = $new[0].netdev.ifindex'
	check /tmp/a.json
	ip -n a link set net1 address 02:00:00:00:aa:ab
	finds /tmp/a.json 'mac: expected 02:00:00:00:aa:aa, got 02:00:00:00:aa:ab'
	ended_well
	[ "$(at_home eth20 '.address, .mtu')" = '["b6:a1:41:b2:de:18",1500]' ]
}

@test "a vDPA device that was made for the pod: DEL deletes it; of one given only address and node come back" {
	requested vdpa-created
	wrote_before vdpa-created '.netdev += ($new[0].netdev | {ifindex, name, parent})'
	check /tmp/a.json
	ip -n a link set net1 mtu 1400
	finds /tmp/a.json 'mtu: expected 1450, got 1400'
	ended_well
	[ -z "$(devices)" ]

	vdpa dev add name sim0 mgmtdev "$SIM" mac 02:00:00:00:61:33
	chown 5:6 "/dev/$(node_of sim0)"
	chmod 640 "/dev/$(node_of sim0)"
	requested vdpa-given
	wrote_before vdpa-given
	check /tmp/a.json
	chown 108 "/dev/$(node_of sim0)"
	finds /tmp/a.json '107.*108'
	ended_well
	[ "$(stat -c '%u:%g %a' "/dev/$(node_of sim0)")" = '0:0 600' ]
	[[ $(vdpa dev config show sim0) = *'mac 02:00:00:00:61:10'* ]]
}
