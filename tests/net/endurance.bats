#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# endurance.bats - many cycles of ADD and DEL at once leave nothing: the short form of `make endurance`
#
# rooms: cni/attach
# bats file_tags=plain

load helpers

setup() { [ "$(id -u)" -eq 0 ] || skip "needs root"; }

endurance() { BUILD=${BUILD:-$top/build} "$top/tests/bench/endurance" "$@"; }

@test "C-PIT-21: 216 cycles with host-local, 24 at once: none fails, and nothing is left" {
	run endurance 216 24
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"Calls that failed: 0. What is left after all of them: nothing."* ]]
}

@test "what a plugin that does nothing at DEL leaves is told, and so is one that fails" {
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\n[ "$CNI_COMMAND" = DEL ] || exec %s\n' "$plugin" >"$BATS_TEST_TMPDIR/bin/devinfo"
	chmod +x "$BATS_TEST_TMPDIR/bin/devinfo"
	BUILD=$BATS_TEST_TMPDIR run endurance 2 2
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"> records: 2"* ]]
	[[ $output == *"> leases: 2"* ]]
	[[ $output == *"> interfaces in the pods: 2"* ]]
	BUILD=$BATS_TEST_TMPDIR run endurance 4 2
	[ "$status" -eq 1 ]
	[[ $output == *"Calls that failed: 2."* ]]
}
