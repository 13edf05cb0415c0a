#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# leftovers.bats - what one pod sets on a VF, or stacks on it, is not there in the next one
#
# BPF programs are real ones (tests/tool/leave.c), XDP in its generic mode: igbvf has no other.
#
# rooms: cni/netdev
bats_require_minimum_version 1.5.0
load helpers

LEAVE=/tmp/leave

setup_file() {
	cp "$BUILD/tests/tool/leave" /tmp/leave
	lab_up
	mkdir -p /var/lib/cni
}

setup() {
	lines_of_test_only
	A=$(vf "$PF1" 0)
	pod_new a
	pod_new b
	before=$(snapshot)
}

teardown() {
	for p in a b; do
		call DEL "$p" net1 <<<'{"cniVersion": "1.0.0", "name": "lab"}' || true
	done
	pod_del a
	pod_del b
}

in_pod() { ip netns exec "$@"; }

# seen POD: all that it sees of its interface, and what else it has
seen() {
	ip -n "$1" -d link | sed -E 's/^[0-9]+: //; s/@if[0-9]+//'
	ip netns exec "$1" sh -c "$LEAVE show net1; ethtool -k net1; ethtool -g net1; ethtool -c net1
		tc qdisc show dev net1 clsact; cd /sys/class/net/net1
		grep . threaded gro_flush_timeout napi_defer_hard_irqs"
}

# as_clean POD: it sees what a pod saw before any was there
as_clean() { diff <(echo "$clean") <(seen "$1"); }

# pollute POD KIND: set all that can be, and stack two interfaces, one of this kind, on it
pollute() {
	in_pod "$1" $LEAVE xdp net1
	in_pod "$1" $LEAVE tcx net1
	in_pod "$1" tc qdisc add dev net1 clsact
	in_pod "$1" tc filter add dev net1 ingress matchall action drop
	in_pod "$1" ethtool -K net1 tx off gro off
	in_pod "$1" ethtool -G net1 rx 128
	in_pod "$1" ethtool -C net1 rx-usecs 500
	in_pod "$1" sh -c 'cd /sys/class/net/net1; echo 1 >threaded; echo 11 >gro_flush_timeout; echo 3 >napi_defer_hard_irqs'
	ip -n "$1" link add link net1 name v5 type vlan id 5
	ip -n "$1" link add stacked link net1 type "$2"
	ip -n "$1" link set net1 arp off multicast off group 7 gso_max_size 5000 gso_max_segs 3 gro_max_size 6000
}

@test "pod 1 sets all of it, pod 2 sees none of it: DEL, known-clean, and a pod that was killed" {
	for policy in restore known-clean; do
		conf "$A" '.mac = "02:00:00:00:61:0a" | .releasePolicy = "'$policy'" | del(.ipam)' >/tmp/a.json
		[ "$policy" = known-clean ] || call ADD b net1 </tmp/a.json
		[ "$policy" = known-clean ] || clean=$(seen b)
		[[ $clean == *"tcx 0 0"* ]]
		[[ $clean != *clsact* ]]
		call DEL b net1 </tmp/a.json

		call ADD a net1 </tmp/a.json
		as_clean a
		pollute a macvlan
		run ! as_clean a
		call DEL a net1 </tmp/a.json
		# nothing of it has stayed in the pod, which could go on answering
		[ "$(ip -n a -br link | wc -l)" -eq 1 ]
		same_but_number "$before" "$pf_address"
		call ADD b net1 </tmp/a.json
		as_clean b
		call DEL b net1 </tmp/a.json

		# killed, its namespace is gone: by its own DEL, and by the next ADD of the device
		call ADD a net1 </tmp/a.json
		pollute a ipvlan
		ip netns del a
		[ "$policy" = restore ] || call DEL a net1 </tmp/a.json
		call ADD b net1 </tmp/a.json
		as_clean b
		call DEL b net1 </tmp/a.json
		call DEL a net1 </tmp/a.json
		same_but_number "$before" "$pf_address"
		pod_new a
	done
}

@test "known-clean resets the function, where it has a reset, and takes a program of the host's off" {
	conf "$A" '.mac = "02:00:00:00:61:0b" | .releasePolicy = "known-clean" | del(.ipam)' >/tmp/a.json
	$LEAVE xdp "$(netdev_of "$A")"
	$LEAVE tcx "$(netdev_of "$A")"
	run ! call ADD b net1 < <(jq -c 'del(.releasePolicy)' /tmp/a.json)
	[[ $output == *"has a program of XDP on the host (id "* ]]
	call ADD a net1 </tmp/a.json
	[ "$(in_pod a $LEAVE show net1)" = "tcx 0 0" ]
	[[ $(ip -n a link show net1) != *xdp* ]]
	CNI_COMMAND=DEL CNI_CONTAINERID=a CNI_IFNAME=net1 CNI_NETNS=/run/netns/a ASAN_OPTIONS=detect_leaks=0 \
		strace -qq -f -e trace=openat2,write -o /tmp/trace "$DEVINFO" </tmp/a.json
	grep -q 'openat2(.*/reset"' /tmp/trace
	same_but_number "$before" "$pf_address"

	# without one it is only given back as it was
	echo pm >"/sys/bus/pci/devices/$A/reset_method" || echo >"/sys/bus/pci/devices/$A/reset_method"
	call ADD a net1 </tmp/a.json
	call DEL a net1 </tmp/a.json
	echo default >"/sys/bus/pci/devices/$A/reset_method"
	same_but_number "$before" "$pf_address"
}

@test "a VF on which the host has stacked interfaces is refused, and they are named" {
	home=$(netdev_of "$A")
	conf "$A" 'del(.ipam)' >/tmp/a.json
	ip link add link "$home" name "$home.5" type vlan id 5
	ip link add mv0 link "$home" type macvlan
	stacked=$(snapshot)
	run ! call ADD a net1 </tmp/a.json
	[[ $output == *"$home is used by interfaces of the host that are stacked on it: "* ]]
	[[ $output == *"$home.5"* ]]
	[[ $output == *mv0* ]]
	[ "$(snapshot)" = "$stacked" ]
	ip link del mv0
	ip link del "$home.5"
}
