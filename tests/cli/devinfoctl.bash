# SPDX-License-Identifier: Apache-2.0
# devinfoctl.bash - devinfoctl in a directory of its own, with a node's file that says nothing
# shellcheck shell=bash

bats_require_minimum_version 1.5.0
load ../compare

ctl_up() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	cd "$BATS_TEST_TMPDIR" || return 1
	export DEVINFO_CONF=$PWD/devinfo.json
	echo '{}' >"$DEVINFO_CONF"
}

# says LINE... - these are the lines of $output, and nothing else is
says() {
	diff -u <(printf '%s\n' "$@") <(printf '%s\n' "$output")
}
