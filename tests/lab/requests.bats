#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# requests.bats - how often the kernel is asked: each request holds the lock of all networking
#
# One sendto(2) is one request; addresses, routes and the ARP for them travel in one.
#
# rooms: netlink
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
	lab_up
	mkdir -p /var/lib/cni
}

setup() {
	lines_of_test_only
	A=$(vf "$PF1" 0)
	conf "$A" '.vlan = 100 | .mac = "02:00:00:00:56:0a" | .trust = "on"
		| .ipam = {type: "static", addresses: [{address: "192.0.2.5/24", gateway: "192.0.2.1"}],
			routes: [{dst: "0.0.0.0/0"}]}' >/tmp/a.json
	pod_new a
	before=$(snapshot)
}

teardown() {
	call DEL a net1 <<<'{"cniVersion": "1.0.0", "name": "lab"}' || true
	pod_del a
	ip link set "$(netdev_of "$A")" down || true	# where a test has failed while it was up
}

# link_settles - A's interface is up, has its carrier, and the address of IPv6 that the kernel gives it then
link_settles() {
	local i said
	for ((i = 0; i < 300; i++)); do
		said=$(ip addr show "$(netdev_of "$A")")
		[[ $said != *LOWER_UP*inet6* || $said = *tentative* ]] || return 0
		sleep 0.1
	done
	echo "$said"
	return 1
}

# traced VERB: the call's netlink requests, one a line, in /tmp/trace; LeakSanitizer cannot work under strace
traced() {
	ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" CNI_COMMAND=$1 CNI_CONTAINERID=a CNI_IFNAME=net1 \
		CNI_NETNS=/run/netns/a strace -qq -xx -s 4096 -e trace=sendto -o /tmp/all "$DEVINFO" </tmp/a.json
	grep '^sendto(.*AF_NETLINK' /tmp/all >/tmp/trace
	[ -s /tmp/trace ]
}

# those that have the kernel tell all VFs of a PF: RTM_GETLINK, IFLA_EXT_MASK with RTEXT_FILTER_VF
tables() { grep -cE 'nlmsg_type=(0x12|RTM_GETLINK)[^0-9a-f].*\\x08\\x00\\x1d\\x00\\x[0-9a-f][13579bdf]' /tmp/trace || true; }

# at_most N VERB: requests of the call, of which one asks for a table.  On a busy machine more may be needed, once:
# of a VF that its PF has just reset, which refuses, of a list that the kernel broke off.  Then the call is undone,
# and made again, for what it costs always it costs three times.
at_most() {
	local try undo=ADD
	[ "$2" = DEL ] || undo=DEL
	for try in 1 2 3; do
		traced "$2"
		[ "$(wc -l </tmp/trace)" -gt "$1" ] || [ "$(tables)" -ne 1 ] || return 0
		echo "try $try: $2 made $(wc -l </tmp/trace) requests, $(tables) of them for a table"
		cut -c1-200 /tmp/trace
		[ "$try" = 3 ] || call "$undo" a net1 </tmp/a.json
	done
	return 1
}

@test "C-ISS-10, C-ISS-30: ADD with VLAN, MAC, trust and static IPAM: at most 8 requests, the PF's table is read once" {
	at_most 8 ADD
	ip -j -d link show "$(netdev_of "$PF1")" | jq -e '.[0].vfinfo_list[0] | .address == "02:00:00:00:56:0a"
		and .vlan_list[0].vlan == 100 and .trust == true'
	ip -n a -j addr show net1 | jq -e '.[0] | .address == "02:00:00:00:56:0a" and
		any(.addr_info[]; .local == "192.0.2.5")'
}

@test "C-ISS-11, C-ISS-35: DEL of it: at most 8 requests, the PF's table is read once, and everything is as before" {
	call ADD a net1 </tmp/a.json
	at_most 8 DEL
	same "$before"
	# one more when the interface at home was up
	ip link set "$(netdev_of "$A")" up
	link_settles
	up=$(snapshot)
	call ADD a net1 </tmp/a.json
	at_most 9 DEL
	link_settles
	same "$up"
	ip link set "$(netdev_of "$A")" down
}

@test "C-ISS-10: without trust the driver refuses the address of its own first: 5 more in ADD, one of them to name it, none in DEL" {
	conf "$A" '.vlan = 100 | .mac = "02:00:00:00:56:0a" | .ipam = {type: "static",
		addresses: [{address: "192.0.2.5/24"}]}' >/tmp/a.json
	at_most 13 ADD
	at_most 8 DEL
	same "$before"
}

@test "C-ISS-34: a program in user space: no more than 4 each, for there is no interface" {
	echo vfio-pci >"/sys/bus/pci/devices/$A/driver_override"
	echo "$A" >/sys/bus/pci/drivers/igbvf/unbind
	echo "$A" >/sys/bus/pci/drivers_probe
	at_most 4 ADD
	at_most 4 DEL
	echo "$A" >/sys/bus/pci/drivers/vfio-pci/unbind
	echo >"/sys/bus/pci/devices/$A/driver_override"
	echo "$A" >/sys/bus/pci/drivers_probe
}
