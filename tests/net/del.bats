#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# del.bats - DEL in each of the three positions: it succeeds, and leaves nothing
#
# DEL repeated, without an ADD, after the namespace is gone, with another configuration, while the
# ADD is killed; with state that is damaged or shared, on disks that are full or read-only; many at
# once.  What only an owner can meet is in detach.bats.
#
# rooms: cni/attach devinfo/journal cni

load helpers
load positions

setup() { positions_up; }
teardown() { node_down; }

repeated() {
	add "$c"
	attached
	for _ in 1 2 3; do
		del "$c"
		clean
	done
}

@test "C-DEL-02: DEL repeated" {
	in_each_position repeated
}

without_add() {
	for netns in "/run/netns/$pod" '' /run/netns/nosuch; do
		del "$c" "$pod" net1 "$netns"
		clean
	done
}

@test "C-DEL-03: DEL without any ADD" {
	in_each_position without_add
}

gone() {
	add "$c"
	attached
	ip netns del "$pod"
	del "$c" "$pod" net1 "$1"
	deleted
	empty
	[ ! -e "/run/netns/$pod" ]
}

@test "C-DEL-06, C-DEL-10, C-DEL-12: DEL after the namespace is gone" {
	in_each_position gone "/run/netns/$pod"
	in_each_position gone ''
}

another_configuration() {
	for other in '{"cniVersion": "1.0.0", "name": "net"}' '{"name": "net", "prevResult": {"ips": [null]}}' \
		'{"cniVersion": "0.4.0", "name": "net", "delegate": {"type": "../x"}, "device": 7, "mtu": "x"}' \
		"$(request owner '.device = "w0" | .ipam.type = "nosuch" | .runtimeConfig = []')" \
		"$(request chained '.cniVersion = "1.1.0" | .prevResult.cniVersion = "0.3.1"')" \
		"$(request meta '.delegates = [{type: "nosuch"}, {type: "tuning"}] | .deviceID = "0000:00:00.0"')"; do
		add "$c"
		attached
		CNI_PATH='' del "$other"
		clean
	done
}

@test "C-DEL-04, C-DEL-05, C-PIT-13: DEL with another configuration" {
	in_each_position another_configuration
}

# add_stops CALL N - an ADD in the background that has stopped before its N-th such system call
add_stops() {
	rm -f "$dir/trace"
	env_of ADD
	ip netns exec "$node" strace -qq -o "$dir/trace" -e trace="$1" -e inject="$1:signal=STOP:when=$2" \
		"$plugin" <<<"$c" >"$dir/add" 2>&1 3>&- &
	strace=$!
	for _ in {1..200}; do ! grep -qs 'stopped by SIGSTOP' "$dir/trace" || return 0; sleep 0.05; done
	echo "it did not stop: $(<"$dir/add")" && return 1
}

# DEL waits for the ADD, which dies, and then has to clean up after it.
killed_at() {
	add_stops "$@"
	env_of DEL
	in_node timeout 60 "$plugin" <<<"$c" >"$dir/del" 3>&- &
	del=$!
	sleep 0.2
	[ "$(records)" -eq 1 ]	# the DEL has not gone on without it
	pkill -KILL -P "$strace"
	wait_for "$del"
	[ "$result" -eq 0 ]
	[ ! -s "$dir/del" ]
	[ ! -s "$dir/add" ]
	same "$before" "$pod"
}

@test "C-CON-05: DEL while ADD is killed" {
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under strace
	in_each_position killed_at linkat 2	# all is done, but for the network-status
}

hangs() {
	[ $position = chained ] && return	# it asks nobody
	env_of ADD
	FAKE_ADD=hang ip netns exec "$node" "$plugin" <<<"$c" >"$dir/add" 2>&1 3>&- &
	add=$!
	for _ in {1..200}; do [ ! -s "$dir/leases/calls.log" ] || break; sleep 0.05; done
	env_of DEL
	in_node timeout 60 "$plugin" <<<"$c" >"$dir/del" 3>&- &
	del=$!
	sleep 0.2
	kill -KILL "$add"
	wait_for "$del"
	[ "$result" -eq 0 ]
	[ ! -s "$dir/del" ]
	same "$before" "$pod"
	rm "$dir/leases/calls.log"
}

@test "C-CON-05: DEL while ADD is killed, which waits for IPAM" {
	in_each_position hangs
}

# The node has an interface of that name, which no DEL may touch, whatever CNI_NETNS says.
own_namespace() {
	inside "$node"
	before=$(snapshot "$pod")
	del "$c" "$pod" net1 /proc/self/ns/net
	clean
	add "$c"
	attached
	del "$c" "$pod" net1 /proc/self/ns/net
	clean
	ip -n "$node" link del net1
}

@test "C-DEL-09: DEL with the node's own namespace does not act there, with and without an ADD" {
	in_each_position own_namespace
}

# As with /proc/PID/ns/net, when a process of the node has got the number of the container's.
became_own() {
	ln -sf "/run/netns/$pod" "$dir/netns"
	inside "$node"
	add "$c" "$pod" net1 "$dir/netns"
	attached
	before=$(links "$node"; links "$pod")
	ln -sfn "/run/netns/$node" "$dir/netns"
	del "$c" "$pod" net1 "$dir/netns"
	deleted
	empty
	diff <(echo "$before") <(links "$node"; links "$pod")
	ip -n "$node" link del net1
}

@test "C-DEL-09, C-PIT-02: DEL whose path has become that of the node's own namespace does not act there" {
	in_each_position became_own
}

# A record cut off at any byte: the DEL succeeds and takes it away.  A last one, with the whole
# configuration, asks the plugins that it names.  What only the record knew is put back by hand.
truncated() {
	local step=7
	[ $position != owner ] || step=1
	add "$c"
	attached
	c=$(jq -c --argjson result "$output" '.prevResult = $result' <<<"$c")	# what the engine keeps
	record=$(find "$dir/state/attachments" -type f)
	cp "$record" "$dir/record"
	env_of DEL
	export record
	size=$(tr -d '\n' <"$dir/record" | wc -c)
	run in_node bash -c 'for ((n = 0; n < $3; n += $4)); do
		head -c $n "$1" >"$record"
		said=$("$2" <<<"{\"cniVersion\": \"1.0.0\", \"name\": \"net\"}") && [ -z "$said" ] && [ ! -e "$record" ] && [ -e "$record.damaged" ] ||
			{ echo "at byte $n: $said" && exit 1; }
	done' - "$dir/record" "$plugin" "$size" "$step"
	echo "$output"
	[ "$status" -eq 0 ]
	del "$c"
	deleted
	empty
	repair
	[ $position != owner ] || ip -n "$pod" link set net1 down mtu 1500 address 02:00:00:00:00:0a netns "$node" name v0
	[ $position != chained ] || ip -n "$pod" link set net1 mtu 1500 address 02:00:00:00:00:3a
	same "$before" "$pod"
}

# bats test_tags=plain
@test "C-DEL-13, C-PIT-09, C-PIT-10, R-10: DEL with a record that is cut off at any byte" {
	in_each_position truncated
}

# alike VERB N - of the N-th of three attachments whose network, container and interface read alike
alike() {
	local -a network=(net net-a net) id=(a-b_c b_c a-b) ifname=(d d c_d) device=(v0 w0 x0)
	"$1" "$(request $position ".name = \"${network[$2]}\" | del(.ipam, .delegates[]?.ipam) |
		if .device then .device = \"${device[$2]}\" else . end |
		if .prevResult then .prevResult.interfaces[0].name = \"${ifname[$2]}\" else . end")" \
		"${id[$2]}" "${ifname[$2]}" "/run/netns/$pod-$2"
}

apart() {
	for n in 0 1 2; do
		pod_add "$pod-$n"
	done
	[ $position != chained ] || { inside "$pod-0" d; inside "$pod-1" d; inside "$pod-2" c_d; }
	before=$(snapshot "$pod-0" "$pod-1" "$pod-2")
	for n in 0 1 2; do
		alike add $n
		added
	done
	[ "$(records)" -eq 3 ]
	alike del 1
	deleted
	[ "$(records)" -eq 2 ]
	alike del 1
	deleted
	for n in 0 2; do
		alike add $n	# is there still
		refused 103 'attached already'
		alike del $n
		deleted
	done
	same "$before" "$pod-0" "$pod-1" "$pod-2"
	for n in 0 1 2; do
		ip netns del "$pod-$n"
	done
}

@test "C-DEL-15: DEL of one of several attachments whose names, put together, read alike" {
	ip -n "$node" link set q0 nomaster
	ip -n "$node" link add x0 type veth peer name y0
	ip -n "$node" link set y0 master br0
	in_each_position apart
}

read_only() {
	make_read_only "$dir/state"
	del "$c"
	umount "$dir/state"
	clean
	add "$c"
	attached
	make_read_only "$dir/state"
	del "$c"
	umount "$dir/state"
	refused 5 'journal record'
	[ "$(leases)" -eq 0 ]
	run ! grep -Eiq 'not found|no such file or directory' <<<"$output"
	del "$c"
	clean
}

@test "C-DEL-16, C-ERR-06: DEL with a read-only state directory restores, and is an error as long as the record stays" {
	in_each_position read_only
}

full_disk() {
	full_disk_del "$c"
	clean
	[ -z "$left" ]
}

@test "C-DEL-16: DEL on a full disk" {
	in_each_position full_disk
}

# many COUNT - pods of their own, each with what the position needs, and $before of all of them
many() {
	all=()
	for ((i = 1; i <= $1; i++)); do
		all+=("$pod-$i")
		ip netns add "$pod-$i"
		ip -n "$pod-$i" link set lo up
		case $position in
		owner) ip -n "$node" link add "m$i" address 02:00:00:00:00:0a type veth peer name "n$i" ;;
		chained) inside "$pod-$i" ;;
		esac
	done
	pods+=("${all[@]}")
	before=$(snapshot)
	inside_before=$(inside_all)
}

inside_all() { for name in "${all[@]}"; do ip -n "$name" -o link; done; }

# all_at_once VERB - of all those pods; $succeeded is how many have
all_at_once() {
	local pids=()
	for ((i = 1; i <= ${#all[@]}; i++)); do
		env_of "$1" "$pod-$i"
		in_node timeout 60 "$plugin" <<<"${c/\"v0\"/\"m$i\"}" >"$dir/out.$i" 2>&1 3>&- &
		pids+=($!)
	done
	succeeded=0
	for pid in "${pids[@]}"; do
		wait_for "$pid"
		[ "$result" -ne 0 ] || succeeded=$((succeeded + 1))
	done
}

crowd() {
	many 24
	all_at_once ADD
	[ "$succeeded" -eq 24 ] || { cat "$dir"/out.* && false; }
	[ "$(records)" -eq 24 ]
	all_at_once DEL
	[ "$succeeded" -eq 24 ]
	[ -z "$(cat "$dir"/out.*)" ]
	same "$before"
	diff <(echo "$inside_before") <(inside_all)
	for name in "${all[@]}"; do
		ip netns del "$name"
	done
}

@test "C-CON-01, R-9, C-PIT-27: 24 containers at once, ADD and then DEL" {
	in_each_position crowd
}

# second - the attachment of the same container that is called net2; without the same routes
second() {
	request $position '.name = "other" | del(.ipam, .delegates[]?.ipam) | if .device then .device = "w0" else . end |
		if .prevResult then .prevResult.interfaces[0].name = "net2" else . end'
}

two_interfaces() {
	[ $position != chained ] || inside "$pod" net2
	before=$(snapshot "$pod")
	for verb in ADD DEL; do
		env_of $verb
		in_node timeout 60 "$plugin" <<<"$c" >"$dir/one" 3>&- &
		one=$!
		CNI_IFNAME=net2 in_node timeout 60 "$plugin" <<<"$(second)" >"$dir/two" 3>&- &
		wait_for $!
		[ "$result" -eq 0 ] || { cat "$dir/two" && false; }
		wait_for $one
		[ "$result" -eq 0 ] || { cat "$dir/one" && false; }
		[ $verb = DEL ] || [ "$(jq length "$dir/run/status/$pod.json")" -eq 2 ]
	done
	[ ! -s "$dir/one" ]
	[ ! -s "$dir/two" ]
	same "$before" "$pod"
}

@test "C-CON-02, C-PIT-37: two interfaces of one container at once, ADD and then DEL" {
	ip -n "$node" link set q0 nomaster
	ip -n "$node" link add x0 type veth peer name y0
	ip -n "$node" link set y0 master br0
	in_each_position two_interfaces
}

race() {
	for _ in 1 2 3 4 5; do
		env_of ADD
		in_node timeout 60 "$plugin" <<<"$c" >/dev/null 2>&1 3>&- &
		env_of DEL
		in_node timeout 60 "$plugin" <<<"$c" >/dev/null 2>&1 3>&- &
	done
	wait
	del "$c"
	clean
}

@test "C-CON-03: ADDs and DELs of one attachment at the same time, and a last DEL" {
	in_each_position race
}

several() {
	env_of ADD
	for i in 1 2 3 4 5; do
		in_node timeout 60 "$plugin" <<<"$c" >"$dir/out.$i" 2>/dev/null 3>&- &
	done
	wait
	[ "$(cat "$dir"/out.? | jq -s 'map(select(.interfaces)) | length')" -eq 1 ]
	[ "$(cat "$dir"/out.? | jq -s 'map(select(.code == 103)) | length')" -eq 4 ]
	del "$c"
	clean
}

@test "C-CON-04: several ADDs of one attachment at once: one succeeds, and DEL restores" {
	in_each_position several
}
