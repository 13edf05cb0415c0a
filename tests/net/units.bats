#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# units.bats - the services that tell the cluster of the node's devices get by with what systemd leaves
# them: the directories that they may write to, and their capabilities
#
# systemd does not run where the tests do, so that is played: a mount namespace, and setpriv.
#
# rooms: -

load helpers

setup() {
	node_up
	features=/etc/kubernetes/node-feature-discovery/features.d
	mkdir -p "$dir/features" "$dir/tools" "$dir/devinfo/cni" "$dir/devinfo/dp"
	ln -s "${plugin}ctl" "$dir/tools/devinfoctl"
	printf '#!/bin/sh\ncat\n' >"$dir/tools/kubectl"
	chmod 755 "$dir/tools/kubectl"
	PATH=$dir/tools:$PATH
	add "$(host_local)"
	added
}

teardown() {
	del "$(host_local)" || true
	node_down
}

# start SERVICE PLACE [NAME=VALUE] - its command; all of the test is read-only, but for PLACE
start() {
	local unit=$top/install/$1 command caps
	command=$(sed -n 's/^ExecStart=//p' "$unit" | sed 's/\$\$/$/g; s/%%/%/g')
	caps=$(sed -n 's/^CapabilityBoundingSet=//p' "$unit" | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')
	[ -n "$caps" ]
	grep -q '^NoNewPrivileges=yes$' "$unit"
	# shellcheck disable=SC2016
	run --separate-stderr in_node env "${3:-SLICES=}" unshare -m sh -c '
		mount -t tmpfs none /etc && mkdir -p "$2" && mount --bind "$1/features" "$2" &&
		mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount -o remount,ro /etc &&
		mount --bind "$3" "$3" && mount -o remount,bind,rw "$3" &&
		exec setpriv --bounding-set "-all,$4" --inh-caps -all --no-new-privs sh -c "$5"' \
		- "$dir" "$features" "$2" "$caps" "$command"
}

@test "the service for Node Feature Discovery writes its file, and needs no more than it may do" {
	start devinfo-nfd.service "$dir/features"
	[ "$status" -eq 0 ] || { echo "$stderr" && false; }
	[ -z "$output$stderr" ]
	diff <(grep -v expiry-time "$dir/features/devinfo") <(in_node "${plugin}ctl" export nfd)
}

@test "the service for ResourceSlices keeps the generation, and needs no more than it may do" {
	start devinfo-resourceslice.service "$dir/state" "SLICES=--node-name n1"
	[ "$status" -eq 0 ] || { echo "$stderr" && false; }
	[[ $stderr != *"is not kept"* ]]
	[ "$(jq -r '.pools[0].generation' "$dir/state/resourceslices.json")" = 1 ]
	[ "$(jq -c .items <<<"$output")" = "$(in_node "${plugin}ctl" export resourceslice --node-name n1 2>"$dir/told" | jq -c .items)" ]
	# another stateDir than systemd makes: it says so, and goes on
	start devinfo-resourceslice.service "$dir/features" "SLICES=--node-name n2"
	[ "$status" -eq 0 ]
	[[ $stderr == *"is not kept"* ]]
}
