#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh - the lab tier: the *.bats of this folder in virtual machines, some at a time
#
#	run.sh [FILE.bats...]		or those in the variable LAB, each in one of its own, or all
#
# Of all the short ones share some machines, whose start takes as long as several tests.
#
# LAB_TAGS leaves out the tests that do not have this tag of bats.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export VMTEST_PROJECT=${VMTEST_PROJECT:-$(cd "$here/../.." && pwd)}
export VMTEST_MODPROBE="igb igbvf vfio-pci vhost_net" VMTEST_TIMEOUT=${VMTEST_TIMEOUT:-1500}
cd "$VMTEST_PROJECT"
export VMTEST_OFTEN="${BUILD:-build}/bin/devinfo ${BUILD:-build}/bin/devinfoctl ${BUILD:-build}/bin/devinfod"
# What needs an empty machine comes first: no kubelet for inventory, no module dummy for demo, nothing to find fault with
# for repair.  rdma needs one without another network namespace, and parallel leaves an index without records.
shared=("inventory demo vdpa_netlink rdma" "repair reach requests parallel leftovers" "before fault living")
# shellcheck disable=SC2086 # several words are several files
[ $# -gt 0 ] || set -- ${LAB-}
if [ $# -eq 0 ]; then
	for file in tests/lab/*.bats; do
		name=${file##*/}
		[[ " ${shared[*]} " == *" ${name%.bats} "* ]] || set -- "$@" "$file"
	done
	for group in "${shared[@]}"; do
		# shellcheck disable=SC2086 # the same
		files=$(printf ' tests/lab/%s.bats' $group)
		set -- "$@" "${files# }"
	done
fi
# one more than processors: a machine is idle for a fifth of its time
exec tests/side-by-side.sh $(($(nproc) + 1)) "$here/vmtest" bats --tap \
	${LAB_TAGS:+--filter-tags "$LAB_TAGS"} -- "$@"
