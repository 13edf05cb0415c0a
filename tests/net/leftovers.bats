#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# leftovers.bats - what one pod sets on a device, or stacks on it, and the next one is not to have
#
# v0 is a veth: BPF programs are real ones (tests/tool/leave.c), and so are its features and channels.
# VFs, which have rings and survive their namespace, are in tests/lab/leftovers.bats.
#
# rooms: cni/netdev netlink

load helpers

leave=${BUILD:-$top/build}/tests/tool/leave

setup() {
	node_up
	holder=''
	c=$(fixed)
	before=$(snapshot "$pod")
}

teardown() {
	[ -z "$holder" ] || kill "$holder"
	node_down
}

in_pod() { ip netns exec "$pod" "$@"; }

# settings: of v0 at home that no snapshot has
settings() {
	in_node "$leave" show v0
	in_node ethtool -k v0
	in_node ethtool -l v0
	in_node grep -H . /sys/class/net/v0/{threaded,gro_flush_timeout,napi_defer_hard_irqs}
}

# same_settings: as they were in $clean; shows what differs
same_settings() { diff <(echo "$clean") <(settings); }

# pollute: all of it, in the pod
pollute() {
	in_pod "$leave" xdp net1
	in_pod "$leave" tcx net1
	ip -n "$pod" link set net1 arp off multicast off group 7 mode dormant
	ip -n "$pod" link set net1 gso_max_size 5000 gso_max_segs 3 gro_max_size 6000
	in_pod ethtool -K net1 tso off gro on
	in_pod ethtool -L net1 rx 2 tx 2
	in_pod sh -c 'cd /sys/class/net/net1; echo 11 >gro_flush_timeout; echo 3 >napi_defer_hard_irqs; echo 1 >threaded'
}

# hold_links: $holder is a process that holds BPF links on net1 until it ends
hold_links() {
	ip netns exec "$pod" "$leave" links net1 >"$dir/links" 2>&1 3>&- &
	holder=$!
	for ((i = 0; i < 100; i++)); do
		grep -q ready "$dir/links" && return
		sleep 0.05
	done
	return 1
}

@test "what the pod has set, and its BPF programs, are gone when the device is home" {
	clean=$(settings)
	[ "$(head -1 <<<"$clean")" = "tcx 0 0" ]
	add "$c"
	added
	pollute
	[ "$(in_pod "$leave" show net1)" = "tcx 1 1" ]
	del "$c"
	deleted
	same "$before" "$pod"
	same_settings

	# what was set on the host before is put back
	ip -n "$node" link set v0 arp off group 5 gso_max_size 9000
	in_node ethtool -K v0 tso off
	in_node ethtool -L v0 rx 2
	in_node sh -c 'echo 22 >/sys/class/net/v0/gro_flush_timeout'
	before=$(snapshot "$pod") clean=$(settings)
	add "$c"
	added
	ip -n "$pod" link set net1 arp on group 0
	in_pod ethtool -K net1 tso on
	in_pod ethtool -L net1 rx 1
	in_pod sh -c 'echo 0 >/sys/class/net/net1/gro_flush_timeout'
	del "$c"
	deleted
	same "$before" "$pod"
	same_settings
}

@test "programs that a BPF link holds are taken off as well, and whoever holds the link keeps nothing" {
	clean=$(settings)
	add "$c"
	added
	hold_links
	[ "$(in_pod "$leave" show net1)" = "tcx 1 1" ]
	del "$c"
	deleted
	same "$before" "$pod"
	same_settings
}

@test "a record of the version before restores none of the settings" {
	add "$c"
	added
	file=$(echo "$dir"/state/attachments/*.json)
	jq -ce 'if .netdev.settings then del(.netdev.settings) else error("none") end' "$file" >"$dir/old"
	cat "$dir/old" >"$file"
	ip -n "$pod" link set net1 arp off group 7
	in_pod "$leave" tcx net1
	del "$c"
	deleted
	[[ $(link "$node" v0 '.flags | join(" ")') == *NOARP* ]]
	[ "$(link "$node" v0 .group)" = 7 ]
	[ "$(in_node "$leave" show v0)" = "tcx 1 1" ]
}

@test "a device that has a program on the host is refused, which is named; known-clean takes it off" {
	in_node "$leave" xdp v0
	id=$(link "$node" v0 .xdp.prog.id)
	add "$c"
	refused 102 "v0 has a program of XDP on the host (id $id)"
	[ "$(link "$node" v0 .xdp.prog.id)" = "$id" ]
	ip -n "$node" link set v0 xdpgeneric off
	in_node "$leave" tcx v0
	add "$c"
	refused 102 "v0 has a program of TCX on the host (id "
	[ "$(in_node "$leave" show v0)" = "tcx 1 1" ]
	[ "$(records)" -eq 0 ]

	in_node "$leave" xdp v0
	add "$(fixed '.releasePolicy = "known-clean"')"
	added
	[ "$(in_pod "$leave" show net1)" = "tcx 0 0" ]
	[ "$(link "$pod" net1 '.xdp // "none"')" = none ]
	in_node grep -q 'id='"$id"'\|TCX programs' "$dir/log"
	del "$c"
	deleted
	same "$before" "$pod"
}

@test "a device on which others are stacked on the host is refused, and they are named" {
	ip -n "$node" link add mv0 link v0 type macvlan mode passthru
	before=$(snapshot "$pod")
	add "$c"
	refused 102 "v0 is used by interfaces of the host that are stacked on it: mv0"
	same "$before" "$pod"
}

@test "what the pod has stacked on the device is deleted there, and nothing else" {
	add "$c"
	added
	ip -n "$pod" link add mv0 link net1 type macvlan mode passthru
	ip -n "$pod" link add other0 type veth peer name other1
	del "$c"
	deleted
	run ip -n "$pod" link show mv0
	[ "$status" -ne 0 ]
	ip -n "$pod" link show other1
	ip -n "$pod" link del other0
	same "$before" "$pod"
	grep -q 'stacked=mv0' "$dir/log"

	# more of them than are looked at once
	add "$c"
	added
	for ((i = 0; i < 70; i++)); do echo "link add m$i link net1 type macvlan"; done | ip -n "$pod" -batch -
	del "$c"
	deleted
	same "$before" "$pod"
}

@test "what a pod has stacked on the device while that left it is deleted when the device is home" {
	add "$c"
	added
	ip -n "$pod" link add mv0 link net1 type macvlan mode passthru
	ip -n "$pod" link add other0 type veth peer name other1 netns "$node"
	ip -n "$pod" link set net1 netns "$node"	# as if it had come after DEL has looked
	ip -n "$pod" link show mv0
	del "$c"
	deleted
	run ip -n "$pod" link show mv0
	[ "$status" -ne 0 ]
	ip -n "$pod" link show other0
	ip -n "$pod" link del other0
	same "$before" "$pod"
	grep -q 'stacked=mv0' "$dir/log"
}

@test "sizes that the driver refuses by now are told, and DEL goes on with all else" {
	add "$c"
	added
	file=$(echo "$dir"/state/attachments/*.json)
	jq -ce 'if .netdev.settings.gsoMaxSize then .netdev.settings.gsoMaxSize = 9999999 else error("none") end' "$file" >"$dir/new"
	cat "$dir/new" >"$file"
	ip -n "$pod" link set net1 group 7 alias pods mtu 1400
	del "$c"
	deleted
	same "$before" "$pod"
	grep -q 'level=warning .*not restored: set .* group and sizes' "$dir/log"
}
