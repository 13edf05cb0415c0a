#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# export_state.bats - the generation of ResourceSlices on a file system that is read-only
#
# rooms: manager/dra

bats_require_minimum_version 1.5.0
load ../compare

@test "D05: where nothing can be written it is the next generation each time, and that is said" {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl node=$BATS_TEST_TMPDIR/node
	state=$node/var/lib/cni/devinfo/resourceslices.json stderr=
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{}" >"$DEVINFO_CONF"
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$node"
	mkdir -p "$node/var"
	# shellcheck disable=SC2317 # run calls it
	read_only() {
		unshare -m sh -c 'mount --bind "$1/var" "$1/var" && mount -o remount,ro,bind "$1/var" &&
			exec "$2" --root "$1" export resourceslice --node-name n1' sh "$node" "$ctl"
	}

	run --separate-stderr read_only
	[ "$status" -eq 0 ]
	[ "$(jq .items[0].spec.pool.generation <<<"$output")" -eq 1 ]
	[[ $stderr == *"the generation is not kept: '/var/lib/cni/devinfo/resourceslices.json': "*"Read-only file system"* ]]

	"$ctl" --root "$node" export resourceslice --node-name n1 >/dev/null
	before=$(cat "$state")
	run --separate-stderr read_only
	[ "$(jq .items[0].spec.pool.generation <<<"$output")" -eq 1 ]
	echo 3 >"$node/sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0/numa_node"
	for _ in 1 2; do
		run --separate-stderr read_only
		[ "$status" -eq 0 ]
		[ "$(jq .items[0].spec.pool.generation <<<"$output")" -eq 2 ]
		[[ $stderr == *"the generation is not kept"* ]]
	done
	[ "$(cat "$state")" = "$before" ]
}
