#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# fault.bats - each step of ADD fails, or is the last one before kill -9
#
# strace counts how often the plugin makes each system call of the table in an ADD that works; then
# one ADD for each of them ("make sweep"), or for some, has that call fail, or dies at it.  Calls of children are not
# counted.
# What comes before main() is the dynamic loader's, so openat is left to the file descriptor test.
# The IPAM plugin runs while the interface is moved, so both are there to be undone.
#
# rooms: cni/attach netlink
# bats file_tags=plain

load helpers

setup() {
	node_up
	node_conf '{ipamInParallel: ["fake"]}'
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under strace
	c=$(conf '.mtu = 1400 | .mac = "02:00:00:00:00:77"')
	before=$(snapshot "$pod")
}

teardown() { node_down; }

# traced [strace option...] - a call under strace
traced() {
	run --separate-stderr in_node timeout 60 strace -qq -o "$dir/trace" "$@" "$plugin" <<<"$c"
}

# count CALL - how often an ADD that works makes it; undone again
count() {
	env_of ADD
	traced -e trace="$1"
	jq -e .interfaces <<<"$output" >/dev/null || return 1
	# an open that the kernel wants tried again, for others have renamed something, is one by chance
	grep "^$1(" "$dir/trace" | grep -vc '^openat2(.*EAGAIN' || return 1
	del "$c"
	deleted
}

# each CALL SKIP DO - for every such call of an ADD after the first SKIP, which are not ours
each() {
	local n total chosen
	total=$(count "$1") || { echo "no $1 in an ADD" && return 1; }
	[ "$total" -gt "$2" ] || { echo "only $total times $1 in an ADD" && return 1; }
	chosen $(($2 + 1)) "$total" || return
	echo "# $1: ${#chosen[@]} of $((total - $2)) times" >&3
	for n in "${chosen[@]}"; do
		env_of ADD
		"$3" "$1" "$n" || { echo "at $1 number $n: status $status: $output$stderr" && return 1; }
	done
}

# The call fails: the ADD is refused and has left nothing, or it could do without that call.
fails() {
	traced -e trace="$1" -e inject="$1:error=${errno:-EIO}:when=$2"
	if [ "$status" -eq 0 ]; then
		jq -es 'length == 1 and .[0].interfaces' <<<"$output" >/dev/null || return 1
		del "$c"
		deleted || return 1
	else
		refused_cleanly || return 1
	fi
	same "$before" "$pod"
}

# The plugin dies at the call: DEL restores, and the next ADD works.
dies() {
	traced -e trace="$1" -e inject="$1:signal=KILL:when=$2"
	# a look-up that others on the machine have disturbed takes more of them, when they were counted
	if [ "$status" -eq 0 ] && [ "$1" = openat2 ] && [ "$(grep -c "^$1(" "$dir/trace")" -lt "$2" ]; then
		del "$c"
		deleted && same "$before" "$pod"
		return
	fi
	[ "$status" -gt 128 ] || { echo "it did not die" && return 1; }
	env_of DEL
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$c"	# what it mends is worth a warning
	deleted && same "$before" "$pod"
}

# The plugin dies at the call in a DEL: the next DEL does the rest.
dies_in_del() {
	local n total chosen
	add "$c"
	added || return 1
	env_of DEL
	traced -e trace="$1"
	deleted || return 1
	total=$(grep -c "^$1(" "$dir/trace") || { echo "no $1 in a DEL" && return 1; }
	chosen 1 "$total" || return
	echo "# $1: ${#chosen[@]} of $total times" >&3
	for n in "${chosen[@]}"; do
		add "$c"
		added || return 1
		env_of DEL
		traced -e trace="$1" -e inject="$1:signal=KILL:when=$n"
		[ "$status" -gt 128 ] || { echo "it did not die" && return 1; }
		del "$c"
		deleted && same "$before" "$pod" || { echo "at $1 number $n" && return 1; }
	done
}

refused_cleanly() {
	[ "$status" -eq 1 ] && jq -es 'length == 1 and .[0].code > 0 and (.[0].msg | length > 0)' <<<"$output" >/dev/null
}

# bats test_tags=points
@test "C-ADD-05, C-ISS-39: each netlink request of ADD fails once: one error, everything rolled back" {
	each sendto 0 fails
}

# bats test_tags=points
@test "C-ADD-05: each netlink answer of ADD fails once: one error, everything rolled back" {
	each recvmsg 0 fails
}

# bats test_tags=points
@test "C-ADD-05: each fsync of ADD fails once: one error, everything rolled back" {
	each fsync 0 fails
}

# bats test_tags=points
@test "C-ADD-05, C-SEC-06: each naming of a file fails once: one error, everything rolled back" {
	errno=ENOSPC each linkat 0 fails
	errno=ENOSPC each mknodat 0 fails	# of the index, which is looked at again then
	each utimensat 0 fails
}

# bats test_tags=points
@test "C-ADD-05: each start of the IPAM plugin fails once: one error, everything rolled back" {
	each pipe2 0 fails
	each clone 0 fails
}

# bats test_tags=points
@test "C-ADD-05: each opening of a file below a root fails once: one error, everything rolled back" {
	errno=EMFILE each openat2 0 fails
}

# bats test_tags=points
@test "C-ADD-05: each socket of ADD fails once: one error, everything rolled back" {
	errno=EMFILE each socket 0 fails
}

@test "C-ADD-05: no entry of the pod's namespace leaves the plugin there, and one that fails is rolled back" {
	for n in 1 2 3; do	# the second was once the way home
		env_of ADD
		fails setns "$n"
	done
	env_of ADD
	traced -f -e trace=setns -e inject=setns:error=ENOMEM	# of its children too
	refused 8 'enter a network namespace'
	same "$before" "$pod"
}

# bats test_tags=points
@test "C-ADD-05: each lock of ADD fails once: one error, everything rolled back" {
	errno=ENOLCK each fcntl 3 fails	# after the look at descriptors 0, 1 and 2
}

@test "C-ADD-10: the record is on disk before the kernel is asked for the first change" {
	env_of ADD
	traced -e trace=fsync,linkat,sendto
	added
	sed -E 's/^(fsync|linkat).*/\1/; s/^sendto.*nlmsg_type=(RTM_(NEW|SET|DEL)LINK).*/change/; t; d' "$dir/trace" |
		tr '\n' ' ' >"$dir/order"
	[[ $(<"$dir/order") == 'fsync linkat fsync change '* ]]
	del "$c"
	deleted
}

# bats test_tags=points
@test "C-CON-05, R-2: kill -9 at each system call of ADD that changes something, then DEL: everything as before" {
	each sendto 0 dies
	each linkat 0 dies
	each mknodat 0 dies
	each utimensat 0 dies
	each fsync 0 dies
	each clone 0 dies
}

# bats test_tags=points
@test "C-CON-05, R-2: kill -9 at each system call of ADD between those, then DEL: everything as before" {
	each recvmsg 0 dies
	each openat2 0 dies
}

# bats test_tags=points
@test "C-CON-05: kill -9 at each system call of DEL that changes something, then DEL: everything as before" {
	dies_in_del sendto
	dies_in_del unlinkat
	dies_in_del utimensat
	dies_in_del clone
}

# bats test_tags=points
@test "C-CON-05: the device's number is taken in the container: killed at each step, DEL still finds it" {
	ip -n "$pod" link add x0 index "$(link "$node" v0 .ifindex)" type veth peer name x1
	before=$(snapshot "$pod")
	each sendto 0 dies
	each fsync 0 dies
	each linkat 0 dies
}

# bats test_tags=points
@test "C-CHK-03: each netlink request of CHECK fails once: that is the error, and nothing is told to differ" {
	local n total=1
	add "$c"
	added
	c=$(jq -c --argjson prev "$output" '.prevResult = $prev' <<<"$c")
	env_of CHECK
	traced -e trace=sendto
	deleted		# silence, as well
	total=$(grep -c '^sendto(' "$dir/trace")
	chosen 1 "$total"
	for n in "${chosen[@]}"; do
		traced -e trace=sendto -e inject="sendto:error=EIO:when=$n"
		refused_cleanly
		[ "$(jq .code <<<"$output")" -eq 104 ]
	done
	traced -e trace=sendto
	deleted
	del "$c"
	deleted
	same "$before" "$pod"
}
