#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# vdpa_netlink.bats - vDPA requests and their children, asked of the kernel itself and its simulator
#
# rooms: netlink
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
	modprobe -a vdpa_sim_net vhost_vdpa
}

ask=$BUILD/tests/unit/netlink/test_nl_vdpa

@test "vDPA devices are made, read, changed, refused and deleted; a stuck request holds none of ours" {
	"$ask" kernel
}

@test "who reads our stdout sees its end while a child of ours hangs in the kernel" {
	local opener said
	vdpa dev add name lab mgmtdev vdpasim_net
	sleep 600 9<>/dev/vhost-vdpa-0 3>&- &
	opener=$!
	for ((i = 0; i < 100; i++)); do
		[ -e "/proc/$opener/fd/9" ] && break	# to try it here could be what refuses it there
		sleep 0.1
	done
	said=$(timeout 60 "$ask" delete lab 1000 2>&1) && return 1
	[ "$said" = "-1 11 delete vDPA device lab: no answer in time" ]
	grep -l '^State:.*D' /proc/[0-9]*/status | xargs grep -qx 'Name:.test_nl_vdpa'
	kill "$opener"
	for ((i = 0; i < 100; i++)); do
		grep -qsx 'Name:.test_nl_vdpa' /proc/[0-9]*/status || break
		sleep 0.1
	done
	[ "$(timeout 60 vdpa -j dev show)" = '{"dev":{}}' ]
}
