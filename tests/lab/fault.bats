#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fault.bats - ADD fails, or is killed, at every step on a real VF; and many at once
#
# The steps are found, not listed: tests/tool/sysfault counts how often a good ADD makes the system
# calls by which it asks and changes, then one of them is made to fail, and the plugin is killed at one
# that changes something: at each in "make sweep", else at some (tests/chosen.bash).  The plugin's
# children are not traced; IPAM's failures are in tests/net.
#
# rooms: cni/attach cni/vf
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

# bats test_tags=points
@test "C-ISS-01: a failure at each step of ADD is one CNI error, and everything is as before" {
	local n out rc want refused=0 eio=5
	local calls=sendto,fsync,linkat,clone
	points ADD of $calls
	call DEL a net1 </tmp/a.json
	chosen 1 "$points" 6
	for n in "${chosen[@]}"; do
		rc=0 want=.
		out=$(faulty ADD of $calls fail "$n" $eio 2>/dev/null) || rc=$?
		echo "$n of $points: status $rc $out"
		if [ "$rc" = 0 ]; then		# an announcement that was not sent, say
			call DEL a net1 </tmp/a.json
		else
			[ "$rc" = 1 ]
			want='.code > 0 and (.msg | length > 0)'
			refused=$((refused + 1))
		fi
		jq -e "$want" <<<"$out" >/dev/null
		same "$before"
	done
	echo "$points steps, $refused refused"
	[ "$points" -ge 18 ]
	[ "$refused" -ge "$(whole 1 "$points" && echo 12 || echo 1)" ]
}

# bats test_tags=points
@test "C-ISS-01: killed at each step of ADD: DEL puts everything back" {
	local n rc
	call ADD a net1 </tmp/a.json	# for the directories
	call DEL a net1 </tmp/a.json
	points ADD changes
	call DEL a net1 </tmp/a.json
	echo "$points changes"
	[ "$points" -ge 10 ]
	chosen 1 "$points" 5
	for n in "${chosen[@]}"; do
		rc=0
		faulty ADD changes kill "$n" >/dev/null || rc=$?
		echo "$n of $points: status $rc"
		[ "$rc" = 137 ]
		call DEL a net1 </tmp/a.json
		same "$before"
	done
}

@test "killed, and then no DEL but the next ADD: it starts from what really was before" {
	local rc=0
	call ADD a net1 </tmp/a.json	# for the directories
	call DEL a net1 </tmp/a.json
	points ADD changes
	call DEL a net1 </tmp/a.json
	# the last one is its answer, the one before network-status, without which it is not complete
	faulty ADD changes kill $((points - 1)) >/dev/null || rc=$?
	[ "$rc" = 137 ]
	call ADD a net1 </tmp/a.json
	call DEL a net1 </tmp/a.json
	same "$before"
}
