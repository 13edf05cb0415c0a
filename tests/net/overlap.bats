#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# overlap.bats - the IPAM plugin runs while the interface is moved, where it does not look at that
#
# The order is that of strace's lines: the plugin's start (clone) and the move (IFLA_NET_NS_FD) are calls of
# one process.  That both run at once is shown by a plugin that ends only when the interface is in the pod.
#
# rooms: cni/attach cni/plugins

load helpers

setup() {
	node_up
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under strace
	node_conf '{ipamInParallel: ["early"], ipamTimeoutMs: 10000}'
	before=$(snapshot "$pod")
}

teardown() { node_down; }

# plugin_of NAME COMMANDS - a plugin of this node's CNI_PATH, by which the fake runs last; it logs what its ADD does
plugin_of() {
	cat >"$dir/bin/$1" <<-EOT
		#!/bin/sh
		said() { echo "\$*" >>"$dir/said"; }
		seen() { nsenter --net="\$CNI_NETNS" ip -o link show "\$CNI_IFNAME" up 2>/dev/null | grep -q .; }
		refuse() { echo "{\"code\":\$1,\"msg\":\"\$2\"}"; exit 1; }
		[ "\$CNI_COMMAND" = ADD ] || { said "\$CNI_COMMAND"; exec "$dir/bin/fake"; }
		$2
		"$dir/bin/fake" && said done
	EOT
	chmod +x "$dir/bin/$1"
}

# until_seen - commands of a plugin that waits for the interface
until_seen='n=0; until seen; do n=$((n + 1)); [ $n -lt 100 ] || refuse 11 "no interface"; sleep 0.05; done'

typed() { conf ".ipam.type = \"$1\""; }
said() { tr '\n' ' ' <"$dir/said"; }

# traced CONF [strace option...] - its ADD
traced() {
	env_of ADD
	run --separate-stderr in_node timeout 60 strace -qq -v -s 64 -o "$dir/trace" -e trace=clone,fork,sendto "${@:2}" "$plugin" <<<"$1"
}

# begun - waits until the plugin has said something
begun() {
	local n
	for ((n = 0; n < 400; n++)); do
		[ ! -e "$dir/said" ] || return 0
		sleep 0.05
	done
	return 1
}

# order - what that did: "start" of a plugin, "move" of the interface
order() { sed -n '/CLONE_VM/d; /^clone(\|^fork(/s/.*/start/p; /IFLA_NET_NS_FD/s/.*/move/p' "$dir/trace" | tr '\n' ' '; }

# move_of CONF - which sendto of its ADD the move is; undone again
move_of() {
	traced "$1"
	added
	grep '^sendto(' "$dir/trace" | grep -n IFLA_NET_NS_FD | head -n 1 | cut -d: -f 1
	del "$1"
	deleted
	rm -f "$dir/said"
}

# failing_move CONF - its ADD, whose move the kernel refuses
failing_move() {
	local n
	n=$(move_of "$1")
	traced "$1" -e inject="sendto:error=EIO:when=$n"
}

@test "an IPAM plugin that is listed runs while the interface is moved, and the result is the same" {
	plugin_of early "$until_seen"
	traced "$(typed early)"
	added
	[ "$(order)" = 'start move ' ]
	[ "$(said)" = 'done ' ]
	early=$output
	[ "$(ip -n "$pod" -j -4 addr show net1 | jq -r '.[0].addr_info[0].local')" = 10.9.0.2 ]
	del "$(typed early)"
	deleted
	same "$before" "$pod"
	add "$(conf)"
	added
	[ "$(jq --argjson early "$early" '. == $early' <<<"$output")" = true ]
}

@test "host-local and static run while the interface is moved, and not with an empty ipamInParallel" {
	node_conf '{}'
	for c in "$(host_local)" "$(fixed)"; do
		traced "$c"
		added
		[ "$(order)" = 'start move ' ]
		del "$c"
		deleted
		same "$before" "$pod"
	done
	node_conf '{ipamInParallel: []}'
	for c in "$(host_local)" "$(fixed)"; do
		traced "$c"
		added
		[ "$(order)" = 'move start ' ]
		del "$c"
		deleted
		same "$before" "$pod"
	done
}

@test "an IPAM plugin that nobody has listed, and dhcp, find the interface in the pod" {
	for type in other dhcp; do
		plugin_of $type 'seen || refuse 11 "no interface"'
		for list in '{}' '{ipamInParallel: ["early"]}'; do
			node_conf "$list"
			traced "$(typed $type)"
			added
			[ "$(order)" = 'move start ' ]
			del "$(typed $type)"
			deleted
		done
	done
	same "$before" "$pod"
}

@test "which plugins they are is for the node's file: a network is refused, and so is dhcp there" {
	add "$(conf '.ipamInParallel = ["fake"]')"
	refused 7 'ipamInParallel: not in a network configuration'
	node_conf '{ipamInParallel: ["early", "dhcp"]}'
	add "$(conf)"
	refused 7 "ipamInParallel[1]"
	same "$before" "$pod"
}

@test "a move that fails waits for the plugin, whose lease is released; the error is the move's alone" {
	plugin_of early 'sleep 0.5'
	failing_move "$(typed early)"
	refused 104 'Input/output error'
	[[ $output != *"plugin early"* ]]
	[ "$(said)" = 'done DEL ' ]
	same "$before" "$pod"
}

@test "of a move and a plugin that both fail the error is the move's, with the plugin's in its details" {
	plugin_of early '[ ! -e "$FAKE_STORE/fail" ] || refuse 4711 "no more"'
	n=$(move_of "$(typed early)")
	touch "$dir/leases/fail"
	traced "$(typed early)" -e inject="sendto:error=EIO:when=$n"
	refused 104 'Input/output error; and plugin early: no more'
	[[ $(jq -r .msg <<<"$output") != *"plugin early"* ]]
	[ "$(said)" = 'DEL ' ]
	rm "$dir/leases/fail"
	same "$before" "$pod"
}

@test "a move that fails does not wait longer for a plugin that hangs than ipamTimeoutMs" {
	plugin_of early '[ ! -e "$FAKE_STORE/hang" ] || exec sleep 600'
	n=$(move_of "$(typed early)")
	touch "$dir/leases/hang"
	node_conf '{ipamInParallel: ["early"], ipamTimeoutMs: 1000}'
	within 10 traced "$(typed early)" -e inject="sendto:error=EIO:when=$n"
	refused 104 'Input/output error; and plugin early gave no answer in time'
	[ -z "$(ip netns pids "$node")" ]
	rm "$dir/leases/hang"
	same "$before" "$pod"
}

@test "a plugin that fails, before the move or after it, gives the device back as it was" {
	for when in : "$until_seen"; do
		plugin_of early "$when; refuse 11 'no addresses left'"
		traced "$(typed early)"
		refused 11 'plugin early: no addresses left'
		[ "$(order | cut -d' ' -f 1,2)" = 'start move' ]
		same "$before" "$pod"
	done
}

@test "a plugin that is listed and is not there fails the ADD before the device is touched" {
	traced "$(typed early)"
	refused 107 'plugin early is in no directory of CNI_PATH'
	[ "$(order)" = '' ]
	same "$before" "$pod"
}

@test "a plugin that has ended in time is not late, however long the device takes" {
	plugin_of early ''
	node_conf '{ipamInParallel: ["early"], ipamTimeoutMs: 1000}'
	n=$(move_of "$(typed early)")
	traced "$(typed early)" -e inject="sendto:delay_enter=2000000:when=$n"
	added
	del "$(typed early)"
	deleted
	same "$before" "$pod"
}

@test "C-PRC-08: SIGTERM ends an ADD while the interface is moved, and takes the plugin along" {
	plugin_of early 'trap "" TERM; said started; exec sleep 600'
	env_of ADD
	ip netns exec "$node" "$plugin" <<<"$(typed early)" >"$dir/out" 2>/dev/null 3>&- &
	pid=$!
	begun
	kill -TERM "$pid"
	within 6 wait_for "$pid"
	[ "$(jq -s 'length, .[0].code' "$dir/out" | tr '\n' ' ')" = '1 108 ' ]
	[ -z "$(ip netns pids "$node")" ]
	same "$before" "$pod"
}

@test "C-DLG-05: kill -9 during both takes the plugin along, and DEL leaves nothing" {
	for when in '' "$until_seen"; do
		rm -f "$dir/said"
		plugin_of early "$when
			\"$dir/bin/fake\"; said leased; exec sleep 600"
		env_of ADD
		ip netns exec "$node" "$plugin" <<<"$(typed early)" >/dev/null 2>&1 3>&- &
		pid=$!
		begun
		[ "$(leases)" -eq 1 ]
		kill -KILL "$pid"
		wait_for "$pid"
		for _ in {1..100}; do	# it dies with its parent, a moment later
			[ -n "$(ip netns pids "$node")" ] || break
			sleep 0.1
		done
		[ -z "$(ip netns pids "$node")" ]
		del "$(typed early)"
		[ "$status" -eq 0 ]
		same "$before" "$pod"
	done
}
