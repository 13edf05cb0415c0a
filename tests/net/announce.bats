#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# announce.bats - what the neighbours hear of a new interface: gratuitous ARP, unsolicited advertisements
#
# rooms: netlink cni/attach

load helpers

setup() { node_up; }

teardown() {
	[ -z "${ear-}" ] || kill "$ear" 2>/dev/null || true
	node_down
}

# listen - frames that reach p0, one a line, into $dir/heard: "arp SENDER TARGET MAC", "na TARGET MAC HOPS"
listen() {
	in_node python3 -c '
import socket, struct, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.bind(("p0", 0))
print("listening", flush=True)
while True:
	try:
		f = s.recv(2048)
	except OSError:		# the interface is down
		continue
	kind, mac = f[12:14], f[6:12].hex(":")
	if f[0:6] == b"\xff" * 6 and kind == b"\x08\x06" and f[20:22] == b"\0\1":
		print("arp", socket.inet_ntoa(f[28:32]), socket.inet_ntoa(f[38:42]), f[22:28].hex(":"), flush=True)
	if kind == b"\x86\xdd" and f[20] == 58 and f[54] == 136:
		to = socket.inet_ntop(socket.AF_INET6, f[38:54])
		print("na", socket.inet_ntop(socket.AF_INET6, f[62:78]), mac, f[21], to, f[58] & 0x20, flush=True)
' >"$dir/heard" 3>&- &
	ear=$!
	heard 1 listening
}

# heard COUNT LINE - so often, within five seconds
heard() {
	for ((i = 0; i < 100; i++)); do
		[ "$(grep -cx "$2" "$dir/heard")" -ge "$1" ] && return
		sleep 0.05
	done
	cat "$dir/heard"
	return 1
}

both='.ipam = {type: "static", addresses: [{address: "10.2.0.5/24"}, {address: "fd00:2::5/64"}]}'

@test "C-ISS-21: both families are announced three times, from the interface's own address" {
	ip -n "$node" link set p0 up
	listen
	add "$(conf "$both")"
	added
	heard 3 'na fd00:2::5 02:00:00:00:00:0a 255 ff02::1 32'
	heard 3 'arp 10.2.0.5 10.2.0.5 02:00:00:00:00:0a'
}

# once the interface is in the pod; a machine that is too busy for it may take too long once or twice
late_carrier() {
	ip -n "$node" link set p0 down
	{
		until ip -n "$pod" link show net1 >/dev/null 2>&1; do :; done
		sleep 0.08
		ip -n "$node" link set p0 up
	} 3>&- &
	late=$!
	add "$(conf "$both")"
	wait_for "$late"
	added
	heard "$1" 'arp 10.2.0.5 10.2.0.5 02:00:00:00:00:0a'
}

@test "C-ISS-21: a carrier that comes a little late is waited for" {
	listen
	for n in 2 4 6; do
		late_carrier "$n"
		! grep -qx 'na fd00:2::5 02:00:00:00:00:0a 255 ff02::1 32' "$dir/heard" || break
		del "$(conf "$both")"
		deleted
	done
	grep -x 'na fd00:2::5 02:00:00:00:00:0a 255 ff02::1 32' "$dir/heard"
}

@test "one that does not come is not waited for long, and its absence is no error" {
	within 5 add "$(conf "$both")"
	added
	del "$(conf "$both")"
	deleted
}
