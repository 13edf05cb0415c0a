#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fault.bats - ADD fails, or is killed, at every step on a real VF; and many at once
#
# The steps are found, not listed: strace counts how often a good ADD makes each system call that
# changes something, then every one of them is made to fail once, and the plugin is killed at every
# one of them once.  The plugin's children are not traced; IPAM's failures are in tests/net.
# bats file_tags=long
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
	lab_up
	mkdir -p /var/lib/cni
}

setup() {
	lines_of_test_only
	A=$(vf "$PF1" 0)
	conf "$A" '.vlan = 100 | .vlanQoS = 2 | .trust = "on" | .mac = "02:00:00:00:56:0a" | .mtu = 1400' >/tmp/a.json
	pod_new a
	before=$(snapshot)
}

teardown() {
	call DEL a net1 <<<'{"cniVersion": "1.0.0", "name": "lab"}' || true
	pod_del a
}

# traced OPTIONS...: an ADD under strace; LeakSanitizer cannot work under it
traced() {
	ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" CNI_COMMAND=ADD CNI_CONTAINERID=a CNI_IFNAME=net1 \
		CNI_NETNS=/run/netns/a strace -qq "$@" "$DEVINFO" </tmp/a.json 2>/dev/null
}

calls=(sendto fsync linkat clone)

count() {	# how often a good ADD makes this call
	traced -o /tmp/trace -e trace="$1" >/dev/null
	call DEL a net1 </tmp/a.json
	grep -c "^$1(" /tmp/trace
}

@test "C-ISS-01: a failure at each step of ADD is one CNI error, and everything is as before" {
	local sc n max out rc steps=0 refused=0
	for sc in "${calls[@]}"; do
		max=$(count "$sc")
		[ "$max" -gt 0 ]
		for ((n = 1; n <= max; n++)); do
			rc=0
			out=$(traced -o /dev/null -e trace="$sc" -e inject="$sc:error=EIO:when=$n") || rc=$?
			echo "$sc $n of $max: status $rc $out"
			jq -e . <<<"$out" >/dev/null
			if [ "$rc" = 0 ]; then		# an announcement that was not sent, say
				call DEL a net1 </tmp/a.json
			else
				[ "$rc" = 1 ]
				jq -e '.code > 0 and (.msg | length > 0)' <<<"$out" >/dev/null
				refused=$((refused + 1))
			fi
			same "$before"
			steps=$((steps + 1))
		done
	done
	echo "$steps steps, $refused refused"
	[ "$steps" -ge 20 ]
	[ "$refused" -ge $((steps - 6)) ]
}

@test "C-ISS-01: killed at each step of ADD: DEL puts everything back" {
	local sc n max rc steps=0
	for sc in "${calls[@]}"; do
		max=$(count "$sc")
		for ((n = 1; n <= max; n++)); do
			rc=0
			traced -o /dev/null -e trace="$sc" -e inject="$sc:signal=SIGKILL:when=$n" >/dev/null || rc=$?
			echo "$sc $n of $max: status $rc"
			[ "$rc" = 137 ]
			call DEL a net1 </tmp/a.json
			same "$before"
			steps=$((steps + 1))
		done
	done
	[ "$steps" -ge 20 ]
}

@test "killed, and then no DEL but the next ADD: it starts from what really was before" {
	local rc=0
	traced -o /dev/null -e trace=sendto -e inject=sendto:signal=SIGKILL:when="$(count sendto)" >/dev/null || rc=$?
	[ "$rc" = 137 ]
	call ADD a net1 </tmp/a.json
	call DEL a net1 </tmp/a.json
	same "$before"
}
