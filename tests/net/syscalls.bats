#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# syscalls.bats - any system call of the plugin is the last one before kill -9, or fails
#
# tests/tool/sysfault numbers all calls of a run; strace tells where main() begins, for what comes
# before is the dynamic loader's.  Some points of a run are tried, all by "make sweep".  Where
# fault.bats picks calls by name and looks at the roll-back, this looks at what the next DEL leaves.
# And an ADD makes few of them: what it has found out once it hands on.
#
# rooms: cni/attach
# bats file_tags=plain

load helpers

sysfault=${BUILD:-$top/build}/tests/tool/sysfault
errnos=(5 12 28 4 24 13)	# EIO ENOMEM ENOSPC EINTR EMFILE EACCES

setup() {
	node_up
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work when traced
	c=$(fixed '.mtu = 1400 | .mac = "02:00:00:00:00:77"')
	env_of ADD
	before=$(snapshot "$pod")
}

teardown() { node_down; }

# call VERB [tracer...]: $status, and files out and err; bats' own run takes longer than the plugin
call() {
	status=0
	CNI_COMMAND=$1 in_node timeout 60 "${@:2}" "$plugin" <<<"$c" >"$dir/out" 2>"$dir/err" || status=$?
}

# The call that is hit may be gcov's own: what a traced run covers goes to another place.
traced() { GCOV_PREFIX=$dir/gcov call "$@"; }

# said TEXT - fails, and shows the last call
said() {
	echo "$1: status $status: $(cat "$dir/out" "$dir/err")"
	return 1
}

works() {
	call "$1"
	[ "$status" -eq 0 ] || said "$1"
}

del_restores() {
	call DEL
	[ "$status" -eq 0 ] && [ ! -s "$dir/out" ] && same "$before" "$pod" || said DEL
}

# measure VERB - $first and $last number of its calls between the start of main() and gcov's work
measure() {
	traced "$1" strace -qq -e signal=none -o "$dir/trace"
	[ "$status" -eq 0 ] || said "$1 under strace" || return 1
	# the first line is the execve that is not counted
	first=$(awk '/^poll\(\[\{fd=0, events=0\}/ { print NR - 1; exit }' "$dir/trace")
	last=$(awk '/\.counters"/ { exit } { n = NR } END { print n - 1 }' "$dir/trace")
	[ "$((last - first))" -gt 50 ] || { echo "$1 makes the calls $first to $last only" && return 1; }
}

# name N - which call that was under strace; those after the start of another plugin may be some off
name() { sed -n "$(($1 + 1))s/(.*//p" "$dir/trace"; }

# killed VERB - at a call of it after the other, with an attachment if it is not ADD
killed() {
	local n died=0 hit=0
	trap - DEBUG	# bats', at each command
	[ "$1" = ADD ] || works ADD || return 1
	measure "$1" || return 1
	del_restores || return 1
	chosen "$first" "$last" 24 || return 1
	for n in "${chosen[@]}"; do
		[ "$1" = ADD ] || works ADD || return 1
		traced "$1" "$sysfault" kill "$n"
		hit=$((hit + 1))
		case $status in
		137) died=$((died + 1)) ;;
		0) ;;	# another plugin was quicker this time
		*) said "$1 killed at $n" || return 1 ;;
		esac
		del_restores && works ADD && works DEL ||
			{ echo "after kill -9 of $1 at call $n, $(name "$n")" && return 1; }
	done
	same "$before" "$pod" || return 1
	echo "# $1 died at $died of $hit points" >&3
	((died * 2 > hit)) || { echo "died at $died of $hit points only" && return 1; }
}

# fails N ERRNO - of an ADD: a result or one error, and DEL restores
fails() {
	local want='.cniVersion and .interfaces and (has("code") | not)'
	traced ADD "$sysfault" fail "$1" "$2"
	case $status:$(name "$1") in
	0:*) ;;
	1:*)
		want='(.code | type == "number" and . > 0) and (.msg | length > 0) and (has("interfaces") | not)' ;;
	*) said ADD || return 1 ;;
	esac
	jq -es "length == 1 and (.[0] | $want)" "$dir/out" >/dev/null || said ADD || return 1
	del_restores
}

@test "the tracer counts as strace does, and hits the call that it is told" {
	strace -qq -e signal=none -o "$dir/trace" echo hi
	"$sysfault" count echo hi 3>"$dir/count"
	[ "$(<"$dir/count")" -eq "$(($(wc -l <"$dir/trace") - 1))" ]
	n=$(awk '/^write\(1, "hi/ { print NR - 1 }' "$dir/trace")
	run "$sysfault" fail "$n" 28 echo hi
	[ "$status" -eq 1 ]
	[[ $output == *"No space left on device"* && $output != hi* ]]
	run "$sysfault" kill "$n" echo hi
	[ "$status" -eq 137 ]
	[ -z "$output" ]
	run "$sysfault" kill "$((n + 1))" echo hi
	[ "$status" -eq 137 ]
	[ "$output" = hi ]
	"$sysfault" of fsync,write count echo hi 3>"$dir/count"
	[ "$(<"$dir/count")" -eq 1 ]
	run "$sysfault" of write fail 1 28 echo hi
	[ "$status" -eq 1 ]
	[[ $output == *"No space left on device"* && $output != hi* ]]
	run "$sysfault" of write,unlinkat kill 1 echo hi
	[ "$status" -eq 137 ]
	run "$sysfault" of write kill 2 echo hi
	[ "$output" = hi ]
	run "$sysfault" of write,wri kill 1 echo hi
	[ "$status" -eq 125 ]
	run "$sysfault" kill 100000 sh -c 'trap "exit 3" TERM; kill -TERM $$; exit 4'
	[ "$status" -eq 3 ]
}

# bats test_tags=points
@test "C-CON-05, R-2: kill -9 at every system call of ADD: DEL restores, the next ADD and DEL work" {
	killed ADD
}

# bats test_tags=points
@test "C-CON-05: kill -9 at every system call of DEL: DEL restores, the next ADD and DEL work" {
	killed DEL
}

# Here is the place of CHECK and GC: "killed CHECK", "killed GC".

# behind_loader - the calls of the traced run from the start of main() to its end or gcov's work, its child's as well;
# without opens that the kernel wants tried again, for others have renamed something; a look at
# the clock is a call only on a machine whose clock a program cannot read by itself
behind_loader() {
	sed -E 's/^[0-9]+ +//; / resumed>/d; /^\+\+\+ /d; /^clock_gettime\(/d; /^openat2\(.*EAGAIN/d' "$dir/trace" |
		awk '/^poll\(\[\{fd=0, events=0\}/ { on = 1 } /\.counters"/ { exit } on'
}

# at_most MAX WHAT PATTERN - so many of these calls match it
at_most() {
	local n
	n=$(grep -cE "$3" "$dir/behind" || true)
	echo "# $2: $n" >&3
	[ "$n" -le "$1" ] || { cat "$dir/behind" && echo "$2: $n, at most $1" && return 1; }
}

# A stateDir that is not the default, as here, is noted with boot and file system, which six calls compare.
# The machine may have sriov-cni's directory, in which a DEL looks: this node has none.
# counted VERB - its calls, in $dir/behind, on a node that has had an attachment before
counted() {
	node_conf '{sriovStateDir: "\($d)/sriov"} | del(.logFile, .logLevel)'
	head -c 16 /dev/zero >"$dir/state/lock"	# the key of the hashes: the index has the same names in each run
	c=$(conf 'del(.ipam)')
	env_of ADD once net1 "/run/netns/$pod"
	works ADD
	works DEL
	[ "$1" = ADD ] || works ADD
	traced "$1" strace -f -qq -e signal=none -o "$dir/trace"
	[ "$status" -eq 0 ] || said "$1 under strace"
	# from the second look at its capabilities on to the end of the list of directories, a step of its own
	behind_loader | awk '/^capget/ && ++n == 2 { on = 1 } on; on && last { exit } /^landlock_restrict/ { last = 1 }' >"$dir/behind"
	[ "$(wc -l <"$dir/behind")" -gt 3 ]
	at_most 23 'calls to confine itself' ''
	behind_loader | awk '/^capget/ && ++n == 2 { off = 1 } !off; last { off = last = 0 } /^landlock_restrict/ { last = 1 }' >"$dir/behind"
	[ "$(wc -l <"$dir/behind")" -gt 100 ]
}

# a sanitizer makes calls of its own
all_at_most() { grep -q __asan_init "$plugin" || at_most "$1" 'system calls' ''; }

@test "an ADD of a network device looks once: 176 system calls behind the loader at most" {
	counted ADD
	at_most 5 'netlink requests' '^sendto\('
	at_most 2 'fsyncs, of the record and of its name' '^fsync\('
	at_most 2 'looks at the boot' '"/proc/sys/kernel/random/boot_id"'
	at_most 1 'looks at our own namespace' '"/proc/thread-self/ns/net"'
	at_most 1 'looks at the auxiliary bus' '"/sys/bus/auxiliary'
	at_most 1 'looks at the vDPA bus' '"/sys/bus/vdpa'
	# the choice, and once more under the lock of the device
	at_most 2 'looks at the name' '"/sys/class/net/v0", .*O_PATH'
	all_at_most 176
}

@test "a DEL of a network device looks once, and not at all that the host has: 163 system calls at most" {
	counted DEL
	at_most 6 'netlink requests' '^sendto\('
	at_most 2 'lists of all interfaces, of the pod' '^sendto\(.*nlmsg_flags=NLM_F_REQUEST\|(NLM_F_DUMP|0x300)'
	at_most 0 fsyncs '^fsync\('
	at_most 1 'readings of the record' '^openat2\(.*@v0\.json'
	at_most 2 'looks at our own namespace' '"/proc/thread-self/ns/net"'
	all_at_most 163
}

@test "VERSION answers before the process is set up for what the other verbs do: 14 system calls at most" {
	traced VERSION strace -f -qq -e signal=none -o "$dir/trace"
	[ "$status" -eq 0 ] || said VERSION
	behind_loader >"$dir/behind"
	[ "$(wc -l <"$dir/behind")" -gt 4 ]
	at_most 0 'steps that only other verbs need' \
		'^(close_range|umask|sigaltstack|prlimit64|prctl|capset|setitimer|openat2?|socket|clone)\('
	all_at_most 14
}

# bats test_tags=points
@test "R-3: six errnos at every fallible system call of ADD: a result or one error, and DEL restores" {
	local i n
	trap - DEBUG
	measure ADD
	del_restores
	chosen 0 $(((last - first + 1) * ${#errnos[@]} - 1)) 30
	for i in "${chosen[@]}"; do
		n=$((first + i / ${#errnos[@]})) errno=${errnos[i % ${#errnos[@]}]}
		fails "$n" "$errno" || { echo "with errno $errno at call $n, $(name "$n")" && return 1; }
	done
}
