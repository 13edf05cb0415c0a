#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# qemu.bats - a virtual machine as the application of a vhost-user socket: what its network card's
# boot ROM sends, asking for an address, arrives at the switch
#
# rooms: cni/socket

load peers

# That of the lab: Debian 12's own, 7.2, crashes when the switch connects.
setup() {
	peers_up
	qemu=$(cat "${VMTEST_CACHE:-/var/cache/vmtest}/qemu" 2>/dev/null) || qemu=qemu-system-x86_64
	[[ $("$qemu" --version 2>/dev/null) =~ version\ ([0-9]+) ]] && ((BASH_REMATCH[1] >= 8)) ||
		skip "needs QEMU 8 or later: tests/lab/vmtest --setup"
}
teardown() { peers_down; }

# boots MODE - not as root, from the emitted file
boots() {
	local args at
	uid=65534
	c=$(sconf vhostUser "$1" '.vhostUser.gid = 65534')
	add "$c"
	added
	mapfile -t args < <("$ctl" args qemu --memory 128M --mac 02:00:00:00:00:0c "$dir/devinfo/cni/given")
	at=$(dirname "$(emitted '."vhost-user".path')")
	in_pod "$(dirname "$(socket)")" "$qemu" -accel tcg -M q35 -m 128 -nodefaults -no-user-config \
		-display none -boot n "${args[@]}"
	within_patience has_received switch || { tail -n 12 "$dir"/{app,switch}.log && false; }
	end app
	del "$c"
	deleted
	nothing_left
}

@test "vhost-user: QEMU is the server" { boots server; }

@test "vhost-user: QEMU is the client" { boots client; }
