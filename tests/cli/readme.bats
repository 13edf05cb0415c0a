#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# readme.bats - what the README shows of devinfoctl is what it prints
#
# rooms: manager/ctl

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	PATH=${BUILD:-$top/build}/bin:$PATH
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo '{}' >"$DEVINFO_CONF"
}

@test "the sessions in the README are of a recorded node" {
	sed -n '/^## A node by hand/,/^## Installing/p' "$top/README.md" | sed -n '/^```/,/^```/p' | sed '/^```/d' >"$BATS_TEST_TMPDIR/session"
	[ "$(grep -c '^\$ ' "$BATS_TEST_TMPDIR/session")" -ge 7 ]
	cd "$BATS_TEST_TMPDIR"
	ln -s "$top/tests" tests
	while read -r line; do
		printf '$ %s\n' "$line"
		eval "$line" 2>&1 3>&- || :
	done < <(sed -n 's/^\$ //p' session) >said
	diff session said
}
