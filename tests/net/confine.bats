#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# confine.bats - a call that runs no other program gives up what only such a program could need
#
# rooms: cni cni/attach cni/call base
# bats file_tags=both

load helpers
load chain
load socket

setup() {
	socket_up
	ln -s "$fake/plugin.sh" "$dir/bin/probe"
	: >"$dir/leases/calls.log"
	plain=$(conf 'del(.ipam)')
	stripped='{"cniVersion":"1.0.0","name":"net","type":"devinfo"}'
	before=$(snapshot "$pod")
}

teardown() {
	[ -z "${holder-}" ] || kill "$holder" 2>/dev/null || true
	socket_down
}

# watched VERB CONF [container id] [netns] - what the process may do is in $dir/may, see tests/tool/confined.c
watched() {
	env_of "$1" "${3:-$pod}" net1 "${4-/run/netns/${3:-$pod}}"
	rm -f "$dir"/may*
	truncate -s 4096 "$dir/may"
	run --separate-stderr in_node timeout 60 env CONFINED="$dir/may" \
		ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" \
		LD_PRELOAD="${BUILD:-$top/build}/tests/tool/confined.so" "$plugin" <<<"$2"
	[ "$status" -eq 0 ] || { echo "$output$stderr" && return 1; }
}

# may WHEN WHAT [capabilities] - that is all it may do then, with no permitted capability besides those
may() {
	local line prm
	line=$(tr -d '\0' <"$dir/may" | grep "^$1 " || true)
	[ "${line#* * }" = "$2" ] || { echo "have ${line:-nothing}, want $1 $2" && return 1; }
	prm=${line#*prm=}
	prm=${prm%% *}
	[ $((16#$prm & ~16#${3:-28101f})) -eq 0 ] || { echo "$line" && return 1; }
}

# by Landlock, which keeps files as well; by a filter; not at all
all='seccomp=0 exec=EACCES mount=EPERM outside=EACCES'
not_files='seccomp=2 exec=EPERM mount=EPERM outside=0'
nothing='seccomp=0 exec=ENOEXEC mount=0 outside=0'
# a program that counts its lines writes them beside its objects, and keeps its files
counts_lines() { grep -q __gcov_ "$plugin"; }
! counts_lines || all=$not_files

@test "C-PRC-12: a call without plugins is confined, an ADD from its record on, and does all that it did" {
	watched ADD "$plain"
	may first "$all"
	may end "$all"
	c=$(jq -c --argjson p "$output" '.prevResult = $p' <<<"$plain")
	watched CHECK "$c"
	may end "$not_files"
	watched DEL "$stripped"
	may end "$all"
	same "$before" "$pod"
	watched STATUS "$(jq -c '.cniVersion = "1.1.0"' <<<"$plain")"
	may end "$not_files"
	pod_link
	watched ADD "$(chained '.mtu = 1400')"
	may first "$all"
	watched DEL "$stripped"
	may end "$all"
	[ "$(link "$pod" net1 .mtu)" = 1500 ]
}

@test "C-PRC-11: whoever runs a plugin is not confined, nor is the plugin: IPAM, delegates, a switch program" {
	for c in "$(conf)" "$(meta '[{type: "probe", makes: true}]')" "$(hooked "$(vhost server)")"; do
		watched ADD "$c"
		may first "$nothing" ffffffffffffffff
		may end "$nothing" ffffffffffffffff
		watched DEL "$stripped"
		may end "$nothing" ffffffffffffffff
	done
	[ "$(leases)" -eq 0 ]
	[ "$(grep -c del "$dir/switch.log")" -eq 1 ]
	same "$before" "$pod"
}

@test "a socket keeps its directories, which are those of others too, and gives up the rest" {
	watched ADD "$(vhost server)"
	may end "$not_files"
	watched DEL "$stripped"
	may end "$not_files"
	[ ! -e "$home" ]
}

@test "a namespace that is named below /proc, be it by a link, is found again by the DEL" {
	ip netns exec "$pod" sleep 600 3>&- &
	holder=$!
	until [ "$(stat -Lc %i "/proc/$holder/ns/net")" = "$(stat -Lc %i "/run/netns/$pod")" ]; do sleep 0.02; done
	ln -s "/proc/$holder/ns/net" "$dir/link"
	for netns in "/proc/$holder/ns/net" "$dir/link"; do
		watched ADD "$plain" "$pod" "$netns"
		may end "$not_files"
		watched DEL "$stripped" "$pod" "$netns"
		may end "$not_files"
		same "$before" "$pod"
	done
}

@test "an ADD that cleans up after a dead owner runs that one's plugins, and is confined behind that" {
	add "$(conf)"
	added
	ip netns del "$pod"
	for _ in {1..50}; do ip -n "$node" link show p0 >/dev/null 2>&1 || break; sleep 0.05; done
	ip -n "$node" link add v0 address 02:00:00:00:00:0a type veth peer name p0
	pod_add "$pod2"
	watched ADD "$plain" "$pod2"
	[ "$(leases)" -eq 0 ]
	may end "$all"
	# before its own record there is one for the dead one's end, perhaps
	watched DEL "$stripped" "$pod2"
	[ "$(records)" -eq 0 ]
}

@test "directories that are not there yet are made" {
	rm -r "$dir/run" "$dir/devinfo"
	node_conf '{runDir: "\($d)/a/b/run", devinfoDir: "\($d)/a/c/devinfo"}'
	watched ADD "$plain"
	[ "$(find "$dir/a/b/run/status" -type f | wc -l)" -eq 1 ]
	watched DEL "$stripped"
	[ "$(find "$dir/a/b/run/status" -type f | wc -l)" -eq 0 ]
}

@test "where none of it can be done an ADD succeeds, and the log tells" {
	for verb in ADD DEL; do
		env_of $verb
		run --separate-stderr in_node env ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o /dev/null \
			-e trace=capset,seccomp,landlock_create_ruleset,landlock_restrict_self \
			-e inject=capset,seccomp,landlock_restrict_self:error=EPERM "$plugin" <<<"$plain"
		[ "$status" -eq 0 ]
		counts_lines || [ "$(grep -c 'not confined: restrict ourselves by Landlock' "$dir/log")" -eq 1 ]
		[ "$(grep -c 'not confined: refuse system calls to ourselves' "$dir/log")" -eq 1 ]
		rm "$dir/log"
	done
	same "$before" "$pod"
}
