#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh - the lab tier: each *.bats of this folder in a virtual machine of its own, some at a time
#
#	run.sh [FILE.bats...]		or those in the variable LAB, or all
#
# LAB_TAGS leaves out the tests that do not have this tag of bats.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export VMTEST_PROJECT=${VMTEST_PROJECT:-$(cd "$here/../.." && pwd)}
export VMTEST_MODPROBE="igb igbvf vfio-pci vhost_net" VMTEST_TIMEOUT=${VMTEST_TIMEOUT:-900}
cd "$VMTEST_PROJECT"
# shellcheck disable=SC2086 # several words are several files
[ $# -gt 0 ] || set -- ${LAB:-tests/lab/*.bats}
# one more than processors: a machine is idle for a fifth of its time
exec tests/side-by-side.sh $(($(nproc) + 1)) "$here/vmtest" bats --tap \
	${LAB_TAGS:+--filter-tags "$LAB_TAGS"} -- "$@"
