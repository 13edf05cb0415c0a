#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# devinfod.bats - the daemon on recorded nodes: its options, and what it tells of each device
#
# rooms: daemon daemon/loop daemon/offer daemon/watch

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	PATH=${BUILD:-$top/build}/bin:$PATH
	dir=$BATS_TEST_TMPDIR
	export DEVINFO_CONF=$dir/devinfo.json
	jq -n --arg root "$dir/root" '{root: $root, logFile: "/log"}' >"$DEVINFO_CONF"
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$dir/root"
	daemon=''
}

teardown() {
	[ -z "$daemon" ] || kill -KILL "$daemon" 2>/dev/null || true
}

# pools SELECTORS: the configuration with one pool
pools() { jq -n --argjson selectors "$1" '{resourceList: [{resourceName: "vf", $selectors}]}' >"$dir/pools.json"; }

# daemon OPTION...: it runs, and has told that it has started
daemon() {
	devinfod --config-file "$dir/pools.json" "$@" 3>&- &
	daemon=$!
	waits_for 'devinfod has started'
}

# waits_for TEXT: it is in the log, within two seconds
waits_for() {
	for ((i = 0; i < 200; i++)); do
		! grep -qF -- "$1" "$dir/root/log" 2>/dev/null || return 0
		sleep 0.01
	done
	cat "$dir/root/log"
	return 1
}

# stop SIGNAL: it ends by itself, with success
stop() {
	kill "-$1" "$daemon"
	wait "$daemon"
	daemon=''
	grep -q 'devinfod ends' "$dir/root/log"
}

@test "help and version are printed, in Go's form of options as well" {
	run --separate-stderr devinfod -help
	[ "$status" -eq 0 ]
	[[ $output == Usage:* && -z $stderr ]]
	run --separate-stderr devinfod --version
	[ "$status" -eq 0 ]
	[ "${output/devinfod/devinfoctl}" = "$(devinfoctl --version)" ]
	run --separate-stderr devinfod --version >/dev/full
	[ "$status" -eq 0 ]
}

@test "a wrong option is told, and nothing is begun" {
	for options in --config-file=relative --resource-prefix=Not_A_Name --use-cdi=perhaps --what operand; do
		run --separate-stderr devinfod "$options"
		[ "$status" -eq 2 ]
		[[ $stderr == *devinfod:* && -z $output ]]
	done
}

@test "without pools, or with a mistake in them, it does not start" {
	run --separate-stderr devinfod --config-file "$dir/pools.json"
	[ "$status" -eq 1 ]
	[[ $(<"$dir/root/log") == *"$dir/pools.json: there is no such file"* ]]
	pools '{"driver": ["igbvf"]}'
	run --separate-stderr devinfod --config-file "$dir/pools.json"
	[ "$status" -eq 1 ]
	[[ $(<"$dir/root/log") == *"driver"* ]]
}

@test "each device of a pool is told with its health, and it ends when it is told to" {
	pools '{"drivers": ["igbvf", "vfio-pci"]}'
	daemon --resource-prefix=example.com -v 5 -logtostderr --log-dir=sriovdp --log-level=10
	mapfile -t told < <(grep -o 'resource=.* health=.*' "$dir/root/log")
	[ "${#told[@]}" -eq 2 ]
	[ "${told[0]}" = 'resource=example.com/vf device=0000:01:10.0 health=Unhealthy why="its PF eth0 is down"' ]
	[ "${told[1]}" = 'resource=example.com/vf device=0000:01:10.2 health=Unhealthy why="its PF eth0 is down"' ]
	stop TERM
}

@test "the pools are read again at a signal, and a mistake in them keeps the former" {
	pools '{"drivers": ["igbvf"]}'
	daemon
	run ! grep -q 'device=0000:01:10.2' "$dir/root/log"
	pools '{"drivers": ["vfio-pci"]}'
	kill -HUP "$daemon"
	waits_for 'msg="device is offered no more" resource=intel.com/vf device=0000:01:10.0'
	grep -q 'resource=intel.com/vf device=0000:01:10.2' "$dir/root/log"
	echo '{' >"$dir/pools.json"
	kill -HUP "$daemon"
	waits_for 'the pools are not read again'
	run ! grep -q 'offered no more.*0000:01:10.2' "$dir/root/log"
	stop INT
}
