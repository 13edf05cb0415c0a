#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# sweep.bats - each system call, allocation and netlink answer of each verb goes wrong: tests/tool/sweep.py
#
# Here some points of each kind are tried, chosen by a seed that is printed; "make sweep" tries all.
#
# rooms: cni cni/attach netlink base
# bats file_tags=long, plain

load helpers
load positions
load pod
load socket

setup() {
	socket_up
	bridge_up
	mkdir -p "$dir/devinfo" "$dir/state/index"
}
teardown() { socket_down; }

# wire - a plugin of that name, whose interface is the same each time, which bridge's is not
wire() {
	cat >"$dir/bin/wire" <<-'EOT'
		#!/bin/sh
		read -r request
		lease=$FAKE_STORE/wire-$CNI_CONTAINERID-$CNI_IFNAME
		in_pod() { nsenter --net="$CNI_NETNS" ip link "$@"; }
		case $CNI_COMMAND in
		ADD)
			: >"$lease"
			in_pod add "$CNI_IFNAME" index 901 address 02:00:00:00:00:3a type veth \
				peer name wire1 index 902 address 02:00:00:00:00:3b || exit
			in_pod set "$CNI_IFNAME" up || exit
			echo '{"cniVersion":"1.0.0","interfaces":[{"name":"net1","mac":"02:00:00:00:00:3a","sandbox":"'"$CNI_NETNS"'"}]}'
			;;
		DEL)
			in_pod del "$CNI_IFNAME" 2>/dev/null
			rm -f "$lease"
			;;
		VERSION) echo '{"cniVersion":"1.0.0","supportedVersions":["1.0.0"]}' ;;
		esac
	EOT
	chmod +x "$dir/bin/wire"
}

# scene POSITION REQUEST [BURY] [REVIVE] - for sweep.py
scene() {
	jq -cn --arg position "$1" --argjson r "$2" --arg bury "${3-}" --arg revive "${4-}" --arg dir "$dir" \
		--arg plugin "$plugin" --arg tools "${BUILD:-$top/build}/tests/tool" --arg pod "/run/netns/$pod" --arg id "$pod" '
		($r | .cniVersion = "1.1.0" | if .ipam.type == "fake" then del(.ipam) else . end) as $new |
		{position: $position, dir: $dir, plugin: $plugin, tools: $tools, pod: $pod, bury: $bury, revive: $revive,
		sweep_out: "rm -rf \($dir)/s/*",
		folders: (["state", "run", "devinfo", "leases", "ipam", "s"] | map("\($dir)/\(.)")),
		env: {CNI_CONTAINERID: $id, CNI_IFNAME: (if $position == "pod" then "eth0" else "net1" end)},
		requests: {ADD: $r, CHECK: $r, DEL: $r, GC: ($new | ."cni.dev/valid-attachments" = []),
			STATUS: ($new | del(.prevResult)), VERSION: {cniVersion: "1.1.0"}}}'
}

# swept POSITION REQUEST [BURY] [REVIVE]
swept() {
	local n=${SWEEP_N-5} seed=${SWEEP_SEED-29} status=0
	scene "$@" >"$dir/scene.json"
	[ "$n" = all ] || echo "# SWEEP_N=$n SWEEP_SEED=$seed" >&3
	N=$n SEED=$seed in_node "$top/tests/tool/sweep.py" <"$dir/scene.json" >"$dir/said" 2>"$dir/trouble" || status=$?
	grep '^# |' "$dir/said" >&3 || true
	[ "$status" -eq 0 ] || { grep -v '^# |' "$dir/said" || true; cat "$dir/trouble"; return 1; }
}

# bats test_tags=owner
@test "owner: whatever fails, one answer, and nothing is left" {
	swept owner "$(request owner)" "ip -n $pod link set net1 netns $node"
}

# bats test_tags=parallel
@test "parallel: the same while the IPAM plugin runs beside the move" {
	sockets_conf '{ipamInParallel: ["fake"]}'
	swept parallel "$(request owner)" "ip -n $pod link set net1 netns $node"
}

# bats test_tags=chained
@test "chained: whatever fails, one answer, and nothing is left" {
	local theirs="ip -n $pod link add name net1 index 901 address 02:00:00:00:00:3a type veth \
		peer name wire1 index 902 address 02:00:00:00:00:3b
		ip -n $pod link set net1 up"
	eval "$theirs"
	swept chained "$(request chained)" '' "ip -n $pod link del net1
		$theirs"
}

# bats test_tags=meta
@test "meta: whatever fails, one answer, and nothing is left" {
	wire
	swept meta "$(request meta '.delegates = [{type: "wire"}]')" "ip -n $pod link del net1"
}

# bats test_tags=vhost-user
@test "vhost-user: whatever fails, one answer, and nothing is left" {
	swept vhost-user "$(vhost server)"
}

# bats test_tags=memif
@test "memif: whatever fails, one answer, and nothing is left" {
	swept memif "$(memif master '.memif += {secret: "hush-hush-1"}')"
}

# One process at a time, so that the calls of the children have an order.
# bats test_tags=pod
@test "pod: the same while one call attaches two networks" {
	mkdir "$dir/net.d"
	definition own '{"cniVersion":"1.0.0","type":"devinfo","device":"w0"}'
	sockets_conf "{networksDir: \"$dir/net.d\"}"
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=apps;K8S_POD_NAME=web"
	swept pod "$(asking own 'del(.ipam)')" "ip -n $pod link set eth0 netns $node
		ip -n $pod link set net1 netns $node"
}

# -- what it has found --

# unread PATH... - $c's CHECK after $result, where the disk gives none of these: an error of the disk
unread() {
	local paths=()
	for path; do paths+=(-P "$path"); done
	env_of CHECK
	ASAN_OPTIONS=detect_leaks=0 run --separate-stderr in_node timeout 60 strace -f -qq -o /dev/null "${paths[@]}" \
		-e trace=read,pread64,newfstatat -e inject=read,pread64,newfstatat:error=EIO \
		"$plugin" <<<"$(jq -c --argjson p "$result" '.prevResult = $p' <<<"$c")"
	[ "$status" -eq 1 ]
	[ "$(jq .code <<<"$output")" -eq 5 ] || { echo "$output" && return 1; }
}

@test "C-CHK-03: a file that the disk does not give is an error of CHECK, and no difference" {
	c=$(memif master '.memif += {secret: "hush-hush-1"}')
	add "$c"
	added
	result=$output
	unread "$dir/devinfo/cni/net-${pod}_net1"
	[[ $output == *"device-info"* ]]
	unread net1.sock.secret
	[[ $output == *"stat 'net1.sock.secret'"* ]]
	# the key of the hash in its name is not to be had either: it may be ours
	unread "$dir/state/lock" "$dir"/state/attachments/*.json
	[[ $output == *"cannot be read"* ]]
	del "$c"
	deleted
	nothing_left
}

@test "a socket's record that the disk does not give a second time keeps DEL from nothing, or DEL says so" {
	local n failed=0
	c=$(vhost server)
	for ((n = 1; n <= 6; n++)); do
		add "$c"
		added
		env_of DEL
		ASAN_OPTIONS=detect_leaks=0 run --separate-stderr in_node timeout 60 strace -qq -o /dev/null \
			-P "$(echo "$dir"/state/attachments/*.json)" -e trace=read -e inject=read:error=EIO:when=$n "$plugin" <<<"$c"
		if [ "$status" -ne 0 ]; then
			failed=$((failed + 1))
			del "$c"
			deleted
		fi
		nothing_left
	done
	[ "$failed" -gt 0 ]
}

@test "a delegate of a dead container that could not be started, or found, is asked by the next DEL" {
	local fault n failed
	wire
	for fault in pipe2:error=EMFILE clone:error=EAGAIN; do
		failed=0
		for n in 1 2 3; do
			pod_add "gone-$id-$n"
			c=$(request meta '.delegates = [{type: "wire"}]')
			add "$c" "gone-$id-$n"
			added
			ip netns del "gone-$id-$n"
			env_of DEL "gone-$id-$n"
			ASAN_OPTIONS=detect_leaks=0 run --separate-stderr in_node timeout 60 strace -qq -o /dev/null \
				-e trace="${fault%%:*}" -e inject="$fault:when=$n" "$plugin" <<<"$c"
			if [ "$status" -ne 0 ]; then
				failed=$((failed + 1))
				[ "$(records)" -eq 1 ]
				del "$c" "gone-$id-$n"
				deleted
			fi
			[ "$(records)" -eq 0 ]
			[ -z "$(ls "$dir/leases" | grep wire)" ]
		done
		[ "$failed" -gt 0 ]
	done
}
