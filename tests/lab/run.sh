#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh - the lab tier: each *.bats of this folder in a virtual machine of its own, two at a time;
# their TAP as one stream on stdout
#
#	run.sh [FILE.bats...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export VMTEST_PROJECT=${VMTEST_PROJECT:-$(cd "$here/../.." && pwd)}
export VMTEST_MODPROBE="igb igbvf vfio-pci vhost_net" VMTEST_TIMEOUT=${VMTEST_TIMEOUT:-900}
cd "$VMTEST_PROJECT"
[ $# -gt 0 ] || set -- tests/lab/*.bats
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

rc=0
# shellcheck disable=SC2016 # expanded by the inner shell
printf '%s\n' "$@" | xargs -P 2 -I{} sh -c '
	"$1/vmtest" bats --tap "$3" >"$2/$(basename "$3").tap" 2>&1; s=$?
	[ $s -le 1 ] || echo "Bail out! $3: the machine ended with status $s" >>"$2/$(basename "$3").tap"
	exit $s' sh "$here" "$out" {} || rc=1

# One plan for all; numbers start anew in each file, so count.
cat "$out"/*.tap | awk '
	/^1\.\.[0-9]+$/ { plan += substr($0, 4); next }
	/^(not )?ok [0-9]+/ { n++; sub(/ok [0-9]+/, "ok " n) }
	{ print }
	END { print "1.." plan + 0 }'
exit "$rc"
