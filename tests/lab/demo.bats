#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# demo.bats - what install/try.sh shows, with conf/examples/sriov.conflist, holds
bats_require_minimum_version 1.5.0

@test "the demonstration attaches two pods by the example, they reach each other, and nothing is left" {
	run tests/lab/demo.sh
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c ' 0% packet loss' <<<"$output")" -eq 2 ]
	[[ ${lines[-1]} == *"no difference in"* ]]
}
