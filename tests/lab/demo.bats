#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# demo.bats - what install/try.sh shows, with conf/examples/sriov.conflist, holds
#
# rooms: -
bats_require_minimum_version 1.5.0

@test "the demonstration attaches two pods by the example, they reach each other, and nothing is left" {
	# install/try.sh builds the programs and no helper of the tests
	mkdir /tmp/programs
	cp -r "${BUILD:-build}/bin" /tmp/programs
	BUILD=/tmp/programs run tests/lab/demo.sh
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c ' 0% packet loss' <<<"$output")" -eq 2 ]
	[[ ${lines[-1]} == *"no difference in"* ]]
	ip -all netns del
}

@test "what the host's modprobe.d says makes no network device in this machine" {
	printf 'options %s\n' dummy\ numdummies=2 ifb\ numifbs=2 bonding\ max_bonds=2 >/etc/modprobe.d/zz-lab.conf
	modprobe -a dummy ifb bonding
	run ip -br link
	[ "$status" -eq 0 ]
	[[ $output != *dummy* ]]
	[[ $output != *ifb* ]]
	[[ $output != *bond* ]]
}
