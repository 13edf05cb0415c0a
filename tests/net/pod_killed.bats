#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# pod_killed.bats - an ADD of four networks is killed, or one of its processes is: the next DEL leaves nothing
#
# When it is killed is by chance, while several attachments run at once; tests/net/sweep.bats goes through the
# system calls one by one.
#
# rooms: cni/pod
# bats file_tags=plain

load helpers
load chain
load pod

setup() {
	pod_up
	wire wire1
	wire wire2
	definition one '{"cniVersion":"1.0.0","type":"wire1"}'
	definition two '{"cniVersion":"1.0.0","plugins":[{"type":"wire2"},{"type":"devinfo","mtu":1400},{"type":"probe","tag":"two"}]}'
	definition own '{"cniVersion":"1.0.0","type":"devinfo","device":"w0"}'
	conf=$(asking 'one,two,own')
	for _ in 1 2; do	# directories are made once
		add "$conf" "$pod" eth0
		added
		del "$conf" "$pod" eth0
		deleted
	done
	before=$(snapshot "$pod")
	seed=${SEED-$RANDOM}
	RANDOM=$seed
}

teardown() { node_down; }

# wire NAME - a plugin that leaves nothing which its DEL does not find, wherever it is killed: others do
wire() {
	cat >"$dir/bin/$1" <<-'EOT'
		#!/bin/sh
		read -r request
		in_pod() { nsenter --net="$CNI_NETNS" ip link "$@"; }
		case $CNI_COMMAND in
		ADD)
			in_pod add "$CNI_IFNAME" type veth peer name "p$CNI_IFNAME" || exit
			in_pod set "$CNI_IFNAME" up || exit
			echo '{"cniVersion":"1.0.0","interfaces":[{"name":"'"$CNI_IFNAME"'","sandbox":"'"$CNI_NETNS"'"}]}'
			;;
		DEL) in_pod del "$CNI_IFNAME" 2>/dev/null ;;
		VERSION) echo '{"cniVersion":"1.0.0","supportedVersions":["1.0.0"]}' ;;
		esac
		true
	EOT
	chmod +x "$dir/bin/$1"
}

# begun - an ADD in the background, in $adding
begun() {
	env_of ADD "$pod" eth0
	ip netns exec "$node" "$plugin" <<<"$conf" >"$dir/out" 2>"$dir/err" 3>&- &
	adding=$!
	sleep "0.$(printf %03d $((RANDOM % 200)))"
}

# descendants PID - its children, theirs, and so on: of us and of plugins, not the tools that these run
descendants() {
	for child in $(pgrep -P "$1"); do
		case $(cat "/proc/$child/comm" 2>/dev/null) in devinfo | wire* | probe | host-local) echo "$child" ;; esac
		descendants "$child"
	done
}

# host-local that is killed between making a file and writing it does not find it again
ended() {
	wait "$adding" || status=$?
	find "$dir/ipam" -type f -empty -name '[0-9]*' -delete
}

undone() {
	del "$conf" "$pod" eth0
	deleted
	same "$before" "$pod"
	[ -z "$(left)" ] || { echo "seed $seed" && left && return 1; }
	ip -n "$node" link show v0 && ip -n "$node" link show w0
}

@test "an ADD of four networks is killed at any time: the next DEL leaves nothing" {
	echo "# SEED=$seed" >&3
	for _ in {1..25}; do
		begun
		kill -KILL "$adding" 2>/dev/null || true
		ended
		undone
	done
}

@test "one process of an ADD of four networks is killed at any time: the ADD undoes all, or has attached all" {
	echo "# SEED=$seed" >&3
	failed=0
	for _ in {1..25}; do
		begun
		mapfile -t all < <(descendants "$adding")
		[ ${#all[@]} -eq 0 ] || kill -KILL "${all[RANDOM % ${#all[@]}]}" 2>/dev/null || true
		status=0
		ended
		jq -es 'length == 1' "$dir/out" >/dev/null || { echo "seed $seed, status $status: $(cat "$dir/out" "$dir/err")" && return 1; }
		if [ "$status" -ne 0 ]; then
			failed=$((failed + 1))
			same "$before" "$pod"
			[ -z "$(left)" ] || [[ $(cat "$dir/out") == *"undoing it"* ]] || { echo "seed $seed: $(cat "$dir/out")" && left && return 1; }
		fi
		undone
	done
	[ "$failed" -gt 3 ]
}

@test "SIGTERM during an ADD of four networks: one error, and nothing is left" {
	four	# a plugin comes to its own end: macvlan killed leaves a link that its DEL does not know
	conf=$(asking 'mv,mixed,own')
	echo "# SEED=$seed" >&3
	for _ in {1..10}; do
		begun
		kill -TERM "$adding" 2>/dev/null || true
		status=0
		ended
		# as a shell or ip(8) still, or before it is set up, it says nothing and has done nothing
		if [ "$status" -eq 143 ]; then
			[ ! -s "$dir/out" ]
			same "$before" "$pod"
			continue
		fi
		jq -es 'length == 1' "$dir/out" >/dev/null || { echo "seed $seed, status $status: $(cat "$dir/out" "$dir/err")" && return 1; }
		if [ "$status" -ne 0 ] && [[ $(cat "$dir/out") != *"undoing it"* ]]; then
			same "$before" "$pod"
			[ -z "$(left)" ] || { echo "seed $seed: $(cat "$dir/out")" && left && return 1; }
		fi
		undone
	done
}
