#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# exec.bats - an IPAM plugin is run: what it says, how it ends, and what it is told
#
# rooms: cni/plugins
# bats file_tags=plain

load helpers

setup() {
	node_up
	before=$(snapshot "$pod")
}

teardown() { node_down; }

# plugin_of NAME COMMANDS - a plugin of this node's CNI_PATH
plugin_of() {
	printf '#!/bin/sh\n%s\n' "$2" >"$dir/bin/$1"
	chmod +x "$dir/bin/$1"
}

@test "C-DLG-04: what a plugin says on stderr goes on to ours when all is well" {
	plugin_of loud "echo \"\$CNI_COMMAND goes well\" >&2; exec '$dir/bin/fake'"
	add "$(conf '.ipam.type = "loud"')"
	[ "$status" -eq 0 ]
	[ "$stderr" = 'ADD goes well' ]
	del "$(conf '.ipam.type = "loud"')"
	[ "$status" -eq 0 ]
	[ "$stderr" = 'DEL goes well' ]
	same "$before" "$pod"
}

@test "C-ERR-04, C-DLG-07: why a plugin died is in the error, and nothing is left" {
	plugin_of dying '[ "$CNI_COMMAND" = ADD ] || exit 0
echo "panic: index out of range"; printf "goroutine 1\n\tmain.go:7\n" >&2; exit 2'
	add "$(conf '.ipam.type = "dying"')"
	refused 107 'stdout: panic: index out of range; stderr: goroutine 1 main.go:7'
	same "$before" "$pod"
}

@test "C-DLG-08: the real host-local, half copied, is one clean error, and nothing is left" {
	head -c 30 /usr/lib/cni/host-local >"$dir/bin/host-local"
	chmod +x "$dir/bin/host-local"
	add "$(host_local)"
	refused 107 'plugin host-local cannot be executed'
	same "$before" "$pod"
}

@test "C-DLG-06: DEL without CNI_PATH finds the real host-local where ADD did, and the address is free" {
	for v in 0.4.0 1.0.0 1.1.0; do
		add "$(host_local ".cniVersion = \"$v\"")"
		added
		[ "$(find "$dir/ipam" -name '10.*' | wc -l)" -eq 1 ]
		CNI_PATH='' del "$(host_local ".cniVersion = \"$v\"")"
		deleted
		[ "$(find "$dir/ipam" -name '10.*' | wc -l)" -eq 0 ]
	done
	same "$before" "$pod"
}

@test "C-PRC-08, C-DLG-05: SIGTERM ends an ADD whose IPAM plugin ignores it, rolled back, and takes that along" {
	plugin_of stubborn 'trap "" TERM; : >"$FAKE_STORE/started"; [ "$CNI_COMMAND" = DEL ] || exec sleep 600'
	env_of ADD
	ip netns exec "$node" "$plugin" <<<"$(conf '.ipam.type = "stubborn"')" >"$dir/out" 2>/dev/null 3>&- &
	pid=$!
	until [ -e "$dir/leases/started" ]; do sleep 0.05; done
	kill -TERM "$pid"
	within 6 wait_for "$pid"
	[ "$result" -eq 1 ]
	[ "$(jq -s 'length, .[0].code' "$dir/out" | tr '\n' ' ')" = '1 108 ' ]
	[ "$(jq -r .msg "$dir/out")" = 'plugin stubborn gave no answer before this call was interrupted' ]
	[ -z "$(ip netns pids "$node")" ]
	rm "$dir/leases/started"
	same "$before" "$pod"
}

@test "C-PRC-08: SIGTERM to plugin and IPAM plugin together is an interrupted ADD as well" {
	plugin_of obedient ': >"$FAKE_STORE/started"; [ "$CNI_COMMAND" = DEL ] || exec sleep 600'
	env_of ADD
	ip netns exec "$node" setsid "$plugin" <<<"$(conf '.ipam.type = "obedient"')" >"$dir/out" 2>/dev/null 3>&- &
	pid=$!		# of the plugin, which leads a group
	until [ -e "$dir/leases/started" ]; do sleep 0.05; done
	kill -TERM -- "-$pid"
	wait_for "$pid"
	[ "$(jq -s 'length, .[0].code' "$dir/out" | tr '\n' ' ')" = '1 108 ' ]
	rm "$dir/leases/started"
	same "$before" "$pod"
}
