#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# expected.bats - every command of devinfoctl on every node of tests/node/fleet
#
# What is expected was read by people; tests/node/expect.sh makes it anew.
#
# rooms: manager/ctl manager/inventory manager/match manager/doctor manager/dra manager/nfd devinfo/node

bats_require_minimum_version 1.5.0
load ../compare

# as_expected NODE: all of its answers are those that are in the tree, no more and no fewer
as_expected() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	"$top/tests/node/expect.sh" "$BATS_TEST_TMPDIR" "$1"
	[ "$(ls "$BATS_TEST_TMPDIR/$1" | wc -l)" -ge 20 ]
	diff -ru "$top/tests/node/expected/$1" "$BATS_TEST_TMPDIR/$1"
}

@test "all answers on a server without SR-IOV and Kubernetes are the expected ones" {
	as_expected plain
}

@test "all answers on a node with VFs of igb in use are the expected ones" {
	as_expected igb-pods
}

@test "all answers on a node with mlx5 in switchdev mode are the expected ones" {
	as_expected switchdev
}

@test "all answers on a node with VFs of ice and i40e at vfio are the expected ones" {
	as_expected vfio
}

@test "all answers on a node with vDPA devices are the expected ones" {
	as_expected vdpa-pods
}

@test "all answers on a node after a crash are the expected ones" {
	as_expected crash
}

@test "every node and every command has expected answers" {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	[ "$(cd "$top/tests/node/fleet" && ls | sed 's/\.node$//')" = "$(cd "$top/tests/node/expected" && ls -d -- */ | tr -d /)" ]
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	# those that look at no node, ask its daemon, or write an archive
	other=' validate validate-conf networks args record-node help watch events '
	for command in $("$ctl" help | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
		[[ $other == *" $command "* ]] || compgen -G "$top/tests/node/expected/crash/$command*.json" >/dev/null
	done
}
