#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# busy.bats - a driver that is not ready to have its interface up
#
# iavf's refuses with EBUSY while the VF is in reset, which is what its PF does when it gives it an
# address or a VLAN.  The kernel has moved and renamed the interface by then.
#
# rooms: cni/netdev

load helpers

setup() {
	node_up
	before=$(snapshot "$pod")
}

teardown() { node_down; }

# busy TIMES VERB CONF: the first requests to set an interface up are refused
busy() {
	env_of "$2"
	run --separate-stderr in_node timeout 60 env BUSY_UP="$1" \
		ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" \
		LD_PRELOAD="${BUILD:-$top/build}/tests/tool/busy.so" "$plugin" <<<"$3"
}

@test "C-ISS-22: an interface whose driver is not ready when it is to be up in the pod is set up a moment later" {
	for times in 1 3; do
		busy "$times" ADD "$(conf '.mtu = 1400')"
		added
		[ "$(link "$pod" net1 '.flags | index("UP") != null')" = true ]
		[ "$(link "$pod" net1 .mtu)" = 1400 ]
		del "$(conf)"
		deleted
		same "$before" "$pod"
	done
}

@test "C-ISS-22: one that is never ready is an error within seconds, and goes home" {
	SECONDS=0
	busy 1000 ADD "$(conf)"
	refused 104 "set net1 up"
	[[ $output == *up*busy* ]]
	[ "$SECONDS" -lt 30 ]
	same "$before" "$pod"
}

@test "C-ISS-22: nor does it matter on the way home of one that was up" {
	ip -n "$node" link set v0 up
	before=$(snapshot "$pod")
	add "$(conf)"
	added
	busy 3 DEL "$(conf)"
	deleted
	same "$before" "$pod"
}
