# SPDX-License-Identifier: Apache-2.0
# helpers.bash - calls of the plugin on an empty node; no privilege needed
#
# The node is a root directory of its own for each test, named by DEVINFO_CONF.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0
load ../compare

top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
build=${BUILD:-$top/build}
plugin=$build/bin/devinfo

node_up() {
	# bats notes where each command stands before it runs: from here on only those of the test itself
	set +T
	node=$BATS_TEST_TMPDIR/node
	mkdir -p "$node/proc/sys/kernel/random"
	echo 6b1e7a2c-58a5-4d0b-9a4e-000000000001 >"$node/proc/sys/kernel/random/boot_id"
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{\"root\":\"$node\"}" >"$DEVINFO_CONF"
	export CNI_COMMAND=ADD CNI_CONTAINERID=c0ffee CNI_NETNS=/run/netns/none CNI_IFNAME=net1
	export CNI_PATH=/usr/lib/cni CNI_ARGS=
	good='{"cniVersion":"1.0.0","name":"net","type":"devinfo","device":"veth0"}'
}

# call the plugin with this text on stdin; stdout in $output, stderr in $stderr
cni() {
	run --separate-stderr timeout 20 "$plugin" <<<"$1"
}

# refused CODE TEXT - one error document of that code, one line, whose message has TEXT
refused() {
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	jq -es 'length == 1 and (.[0].msg | length > 0) and (.[0].cniVersion | length > 0)' <<<"$output" >/dev/null
	[ "$(jq .code <<<"$output")" = "$1" ]
	[[ $(jq -r .msg <<<"$output") == *"$2"* ]]
}

# nothing was made on the node but what setup() made
untouched() {
	[ "$(cd "$node" && find . -type f)" = ./proc/sys/kernel/random/boot_id ]
	[ ! -e "$node/var" ]
}
