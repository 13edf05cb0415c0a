#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# ovs_kill.bats - kill -9 of an ADD that has everything: a port of a real Open vSwitch whose socket is
# linked, an address of an IPAM plugin, and plugins behind the socket
#
# rooms: cni/switch

load ../net/helpers
load ../net/socket
load ovs

setup() {
	socket_up
	fake11_up
	ovs_up "$dir/ovs"
	sockets_conf "{ovsDb: \"$ovs_db\"}"
	vsctl add-br br0 -- set bridge br0 datapath_type=netdev
	c=$(vhost client '.switch = {type: "ovs", bridge: "br0"} | .ipam = {type: "fake"}
		| .delegates = [{type: "one"}, {type: "two"}]')
}

teardown() {
	ovs_down "$dir/ovs"
	socket_down
}

calls() { cut -d ' ' -f 1,2 "$FAKE11/calls.log" 2>/dev/null | tr '\n' ','; }

# clean - nothing is left, and who was asked for an ADD was asked for a DEL after it
clean() {
	local name
	[ -z "$(vsctl --no-wait list-ports br0)" ] || return 1
	[ -z "$(find "$dir/ovs" -type s -name 'dv*')" ] || return 1
	[ "$(leases)" = 0 ] || return 1
	nothing_left || return 1
	for name in one two; do
		[[ $(calls) != *"$name ADD,"* ]] || [[ $(calls) == *"$name ADD,"*"$name DEL,"* ]] || return 1
	done
}

@test "kill -9 while a plugin behind the socket runs: DEL asks it, and those after it" {
	for name in one two; do
		echo wait >"$FAKE11/$name.ADD"
		env_of ADD
		ip netns exec "$node" "$plugin" <<<"$c" >"$dir/out" 2>"$dir/err" 3>&- &
		peers=($!)
		for _ in {1..400}; do
			[[ $(calls) != *"$name ADD,"* ]] || break
			sleep 0.05
		done
		kill -KILL "${peers[0]}"
		wait_for "${peers[0]}"
		[ "$result" -eq 137 ]
		[[ $(calls) == *"$name ADD," ]]
		rm "$FAKE11/$name.ADD"
		del "$c"
		deleted
		[[ $(calls) == *"$name ADD,two DEL,one DEL," ]]
		clean
	done
}

@test "kill -9 at each change that ADD makes: DEL leaves nothing, and asks all who were asked" {
	local sysfault=${BUILD:-$top/build}/tests/tool/sysfault n
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under ptrace
	add "$c"	# our own directories are made once
	added
	del "$c"
	deleted
	for ((n = 1; n < 60; n++)); do
		rm -f "$FAKE11/calls.log"
		env_of ADD
		run in_node timeout 60 "$sysfault" changes kill "$n" "$plugin" <<<"$c"
		[ "$status" -ne 0 ] || break
		[ "$status" -eq 137 ]
		del "$c"
		[ "$status" -eq 0 ] || { echo "at $n: $output$stderr" && return 1; }
		clean || { echo "at $n: $(calls)" && return 1; }
	done
	echo "# $((n - 1)) changes" >&3
	[ "$n" -gt 14 ]
	[ "$n" -lt 60 ]
	del "$c"
	deleted
	clean
}
