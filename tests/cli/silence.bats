#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# silence.bats - an engine that never writes its configuration; by itself, since it takes 30 s
#
# rooms: cni
#
# bats file_tags=long

load helpers

setup() { node_up; }

@test "C-REQ-01: a stdin to which nobody writes, and that nobody closes, is given up after 30 s" {
	mkfifo "$BATS_TEST_TMPDIR/engine"
	exec 5<>"$BATS_TEST_TMPDIR/engine"
	run --separate-stderr timeout 60 "$plugin" <"$BATS_TEST_TMPDIR/engine"
	refused 5 stdin
	[[ $(jq -r .details <<<"$output") == @(Connection|Operation)" timed out" ]]	# as glibc and musl have it
}
