#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# altname.bats - alternative names and the conflicts of names, on the way into a pod and home
#
# rooms: cni/netdev netlink

load helpers

setup() {
	node_up
	ip -n "$node" link property add dev v0 altname enp1s0f0v0
	before=$(snapshot "$pod")
}

teardown() { node_down; }

# another interface of the host gets this name or alternative name, and loses it again
occupy() {	# name|altname NAME
	case $1 in
	name) ip -n "$node" link set w0 name "$2" ;;
	altname) ip -n "$node" link property add dev w0 altname "$2" ;;
	esac
}
vacate() {
	case $1 in
	name) ip -n "$node" link set "$2" name w0 ;;
	altname) ip -n "$node" link property del dev w0 altname "$2" ;;
	esac
}

altnames() { link "$1" "$2" '[.altnames // [] | .[]] | sort | join(" ")'; }

@test "alternative names go along, and are what they were when the device is home" {
	add "$(conf)"
	added
	[ "$(altnames "$pod" net1)" = enp1s0f0v0 ]
	ip -n "$pod" link property del dev net1 altname enp1s0f0v0
	del "$(conf)"
	deleted
	same "$before" "$pod"
}

@test "an alternative name that is the pod's name for the interface is taken off for the time, and given again" {
	ip -n "$node" link property add dev v0 altname net1
	before=$(snapshot "$pod")
	add "$(conf)"
	added
	[ "$(link "$pod" net1 .ifname)" = net1 ]
	[ "$(altnames "$pod" net1)" = enp1s0f0v0 ]
	del "$(conf)"
	deleted
	same "$before" "$pod"
}

@test "C-ISS-07: one that another interface has in the pod does not bar the way in" {
	for as in name altname; do
		if [ "$as" = name ]; then
			ip -n "$pod" link add enp1s0f0v0 type veth peer name x1
		else
			ip -n "$pod" link add x0 type veth peer name x1
			ip -n "$pod" link property add dev x0 altname enp1s0f0v0
		fi
		before=$(snapshot "$pod")
		add "$(conf)"
		added
		[ "$(link "$pod" net1 .address)" = 02:00:00:00:00:0a ]
		[ -z "$(altnames "$pod" net1)" ]
		del "$(conf)"
		deleted
		same "$before" "$pod"
		ip -n "$pod" link del x1
	done
}

@test "another interface's alternative name is a name that is taken: refused with nothing changed" {
	ip -n "$pod" link add x0 type veth peer name x1
	ip -n "$pod" link property add dev x0 altname net1
	before=$(snapshot "$pod")
	add "$(conf)"
	refused 103 'net1 already'
	same "$before" "$pod"
}

@test "C-ISS-07: names that the pod has given it do not bar its way home, however many, and do not come along" {
	add "$(conf)"
	added
	ip -n "$pod" link property add dev net1 altname w0 altname v0
	# shellcheck disable=SC2046
	ip -n "$pod" link property add dev net1 $(printf 'altname evil%d ' {1..30})
	del "$(conf)"
	deleted
	same "$before" "$pod"
}

@test "an ADD that fails late, or is killed, gives the alternative names back" {
	ip -n "$node" link property add dev v0 altname net1
	before=$(snapshot "$pod")
	FAKE_ADD=error add "$(conf)"
	[ "$status" -eq 1 ]
	same "$before" "$pod"
	env_of ADD
	in_node strace -qq -o "$dir/trace" -e trace=sendto env ASAN_OPTIONS=detect_leaks=0 "$plugin" <<<"$(conf)" >/dev/null
	del "$(conf)"
	max=$(grep -c '^sendto(' "$dir/trace")
	[ "$max" -ge 7 ]
	env_of ADD
	for ((n = 1; n <= max; n++)); do	# after each message
		run -137 in_node strace -qq -o /dev/null -e trace=sendto -e inject="sendto:signal=SIGKILL:when=$n" \
			env ASAN_OPTIONS=detect_leaks=0 "$plugin" <<<"$(conf)"
		del "$(conf)"
		deleted
		same "$before" "$pod"
		env_of ADD
	done
}

@test "one that is taken at home meanwhile is told, and left to whom has it; the others are given" {
	ip -n "$node" link property add dev v0 altname other0
	add "$(conf)"
	added
	ip -n "$pod" link property del dev net1 altname enp1s0f0v0
	ip -n "$pod" link property del dev net1 altname other0
	ip -n "$node" link property add dev w0 altname enp1s0f0v0
	del "$(conf)"
	deleted
	[ "$(link "$node" v0 .address)" = 02:00:00:00:00:0a ]
	[ "$(altnames "$node" v0)" = other0 ]
	[ "$(altnames "$node" w0)" = enp1s0f0v0 ]
	grep -q "an alternative name of before is another interface's.*interface=v0 name=enp1s0f0v0" "$dir/log"
	[ "$(records)" -eq 0 ]
}

# The conflict matrix: which of the two names another interface of the pod has.

@test "C-ISS-08: the pod has an interface of the device's name at home: that is no conflict" {
	ip -n "$pod" link add v0 type veth peer name x1
	before=$(snapshot "$pod")
	add "$(conf)"
	added
	[ "$(link "$pod" net1 .address)" = 02:00:00:00:00:0a ]
	del "$(conf)"
	deleted
	same "$before" "$pod"
}

@test "C-ISS-08: the pod has an interface of the name asked for, or of both: refused, and neither is touched" {
	ip -n "$pod" link add net1 type veth peer name x1
	before=$(snapshot "$pod")
	add "$(conf)"
	refused 103 'net1 already'
	same "$before" "$pod"
	ip -n "$pod" link add v0 type veth peer name x2
	before=$(snapshot "$pod")
	add "$(conf)"
	refused 103 'net1 already'
	same "$before" "$pod"
}

# racing SENDTO NAME... - an ADD that stops before its nth message, while the pod gets these interfaces
racing() {
	env_of ADD
	in_node strace -qq -o "$dir/trace" -e trace=sendto -e inject="sendto:signal=SIGSTOP:when=$1" \
		env ASAN_OPTIONS=detect_leaks=0 "$plugin" <<<"$(conf)" >"$dir/out" 2>/dev/null 3>&- &
	job=$!
	for ((i = 0; i < 500; i++)); do
		grep -q SIGSTOP "$dir/trace" 2>/dev/null && break
		sleep 0.02
	done
	for name in "${@:2}"; do
		ip -n "$pod" link add "$name" type veth peer name "x$name"
	done
	for child in $(ip netns pids "$node"); do
		kill -CONT "$child" 2>/dev/null || true
	done
	wait_for "$job"
	status=$result output=$(cat "$dir/out")
}

@test "C-ISS-06: the name is taken between our look and the move: whatever the kernel did, the device is home, the pod's is untouched" {
	env_of ADD
	in_node strace -qq -o "$dir/trace" -e trace=sendto env ASAN_OPTIONS=detect_leaks=0 "$plugin" <<<"$(conf)" >/dev/null
	del "$(conf)"
	deleted
	move=$(grep '^sendto(' "$dir/trace" | grep -n IFLA_NET_NS_FD | cut -d: -f1)
	for names in net1 'net1 v0'; do
		rm -f "$dir/trace"
		# shellcheck disable=SC2086
		racing "$((move - 1))" $names
		refused 104 "move v0 into the container as net1"
		[ "$(link "$pod" net1 '.linkinfo.info_kind')" = veth ]
		[ "$(link "$pod" net1 .address)" != 02:00:00:00:00:0a ]
		[ "$(link "$node" v0 .address)" = 02:00:00:00:00:0a ]
		for name in $names; do ip -n "$pod" link del "$name"; done
		same "$before" "$pod"
	done
}

@test "an alternative name that is another's at home while the pod's interface has it, too, does not keep it there" {
	for as in name altname; do
		add "$(conf)"
		added
		occupy "$as" enp1s0f0v0
		del "$(conf)"
		deleted
		[ "$(link "$node" v0 .address)" = 02:00:00:00:00:0a ]
		[ "$(altnames "$node" v0)" = "" ]
		vacate "$as" enp1s0f0v0
		ip -n "$node" link property add dev v0 altname enp1s0f0v0
		same "$before" "$pod"
	done
}

@test "its own name is another's at home: it comes home as dev<N>, not with the pod's name, and DEL succeeds with a warning" {
	for as in name altname; do
		add "$(conf '.mtu = 1400')"
		added
		number=$(link "$pod" net1 .ifindex)
		occupy "$as" v0
		del "$(conf)"
		deleted
		[ -z "$(ip -n "$pod" -j link | jq -r '.[] | select(.ifname == "net1") | .ifname')" ]
		[ "$(link "$node" "dev$number" '"\(.address) \(.mtu)"')" = "02:00:00:00:00:0a 1500" ]
		[ "$(altnames "$node" "dev$number")" = enp1s0f0v0 ]
		grep -q "level=warning .*the name of before is another interface's.*before=v0 now=dev$number" "$dir/log"
		[ "$(records)" -eq 0 ]
		vacate "$as" v0
		ip -n "$node" link set "dev$number" name v0
		same "$before" "$pod"
		rm "$dir/log"
	done
}

@test "one that was up before, and that somebody has set up at home under the pod's name, is up when it has its own" {
	ip -n "$node" link set v0 up
	before=$(snapshot "$pod")
	add "$(conf)"
	added
	ip -n "$pod" link set net1 netns "$node"
	ip -n "$node" link set net1 up
	del "$(conf)"
	deleted
	same "$before" "$pod"
}

@test "more alternative names than are remembered, and one of the pod's that is another's at home: it comes home" {
	# shellcheck disable=SC2046 # several words
	ip -n "$node" link property add dev v0 $(printf 'altname al%d ' {1..9})
	add "$(conf)"
	added
	ip -n "$pod" link property add dev net1 altname w0
	del "$(conf)"
	deleted
	[ "$(link "$node" v0 .address)" = 02:00:00:00:00:0a ]
}
