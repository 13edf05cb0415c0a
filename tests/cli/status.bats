#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# status.bats - devinfoctl status: what a pod of a recorded node was given; no privilege needed
#
# rooms: manager/ctl cni/call

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	before=$top/tests/node/before
	node=$BATS_TEST_TMPDIR/node
	records=$node/var/lib/cni/devinfo/attachments
	# not what this machine has in /etc
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{}" >"$DEVINFO_CONF"
	mkdir -p "$node/proc/sys/kernel/random" "$node/run/devinfo/status"
	echo 6b1e7a2c-58a5-4d0b-9a4e-000000000001 >"$node/proc/sys/kernel/random/boot_id"
	(umask 077 && mkdir -p "$records")
	pod=c0ffee0123456789abcdef
	record 1 vf 0000:01:10.0 net1
	record 2 netdev v0 net2 '| .network = "net"'
	jq -c '. + [{name: "default/net", interface: "net2", mac: "02:00:00:00:00:02"}]' "$before/status.json" \
		>"$node/run/devinfo/status/$pod.json"
}

record() {	# NUMBER SAMPLE DEVICE INTERFACE [FILTER]
	(umask 077 && jq -c --arg id "$pod" --arg ifname "$4" ".containerID = \$id | .ifname = \$ifname |
		.pod = {namespace: \"shop\", name: \"web-0\", uid: \"7e1c-u\"} ${5:-}" "$before/$2.json" \
		>"$records/$(printf '%016x@%s.json' "$1" "$3")")
}

# run devinfoctl on the node; stdout in $output, stderr in $stderr
on_node() {
	run --separate-stderr "$ctl" --root "$node" "$@"
}

@test "status of a pod, by name, UID or container, has a line for each attachment" {
	for asked in shop/web-0 7e1c-u "$pod" "${pod:0:13}"; do
		on_node status "$asked"
		[ "$status" -eq 0 ]
		[ "${#lines[@]}" -eq 3 ]
		[[ ${lines[0]} =~ ^INTERFACE\ +NETWORK\ +DEVICE\ +TYPE\ +ADDRESSES\ +MAC\ +PUBLISHED\ +STATE\ +CONTAINER$ ]]
		[[ ${lines[1]} =~ ^net1\ +lab\ +0000:01:10.0\ +pci\ +10.56.0.1,fd56::1\ +02:00:00:00:59:01\ +yes\ +unknown\ +c0ffee0123456$ ]]
		[[ ${lines[2]} =~ ^net2\ +net\ +v0\ +-\ +-\ +02:00:00:00:00:02\ +yes\ +unknown\  ]]
	done
	[ "$asked" = c0ffee0123456 ]
}

@test "status --json has the entries as the plugin wrote them" {
	on_node status shop/web-0 --json
	[ "$status" -eq 0 ]
	jq -e --argjson was "$(cat "$before/status.json")" --arg id "$pod" 'length == 2 and
		.[0].network_status == $was[0] and .[0].state == "unknown" and .[0].container_id == $id and
		.[0].pod == "shop/web-0" and .[1].network_status.name == "default/net"' <<<"$output"
}

@test "status tells an attachment that was never published, and an entry without attachment" {
	echo '[{"name":"shop/old","interface":"net9"}]' >"$node/run/devinfo/status/$pod.json"
	on_node status shop/web-0
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 4 ]
	[[ ${lines[1]} =~ ^net1\ .*\ -\ +unknown\  ]]
	[[ ${lines[3]} =~ ^net9\ +old\ +-\ +-\ +-\ +-\ +yes\ +no\ record\  ]]
	rm "$records"/*
	on_node status "$pod" --json
	[ "$status" -eq 0 ]
	[ "$(jq -r '.[0].state' <<<"$output")" = "no record" ]
}

@test "status --annotation is the annotation's value, in the form that Multus gives it" {
	# jq may sort keys
	echo '[{"name":"lab","interface":"net1","dns":{},"gateway":["192.0.2.1"],"default-route":["192.0.2.1"]},
		{"name":"default/net","interface":"net2","dns":{}}]' >"$node/run/devinfo/status/$pod.json"
	want=$(printf '%s\n' '[{' '    "name": "lab",' '    "interface": "net1",' '    "dns": {},' '    "gateway": [' \
		'        "192.0.2.1"' '    ],' '    "default-route": [' '        "192.0.2.1"' '    ]' '},{' \
		'    "name": "default/net",' '    "interface": "net2",' '    "dns": {}' '}]')
	for asked in shop/web-0 7e1c-u "$pod" "${pod:0:13}"; do
		on_node status "$asked" --annotation
		[ "$status" -eq 0 ]
		[ "$output" = "$want" ]
	done
	rm "$node/run/devinfo/status/$pod.json"
	on_node status shop/web-0 --annotation
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ $stderr == "devinfoctl: network-status of 'shop/web-0' has no entry"* ]]
}

@test "status --annotation has other interfaces of an attachment as well, without what the file has for us" {
	echo '[{"name":"lab","interface":"net1","dns":{}},
		{"name":"lab","interface":"data0","dns":{},"devinfo.cni.dev/attachment":"net1"}]' >"$node/run/devinfo/status/$pod.json"
	on_node status shop/web-0 --annotation
	[ "$status" -eq 0 ]
	[ "${output//[[:space:]]/}" = \
		'[{"name":"lab","interface":"net1","dns":{}},{"name":"lab","interface":"data0","dns":{}}]' ]
	on_node status shop/web-0
	[ "${#lines[@]}" -eq 3 ]
	[[ $output != *data0* ]]
}

@test "status of a pod that is not known fails, and says what it could be" {
	for asked in shop/web-1 shop/web-00 web-0 7e1c c0ffee ../x /etc; do
		on_node status "$asked"
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[[ $stderr == "devinfoctl: nothing is attached to '$asked': expected NAMESPACE/NAME, UID or container id"* ]]
	done
	[ "$asked" = /etc ]
	on_node status shop/web-1 --json
	[ "$status" -eq 1 ]
	[ "$output" = "[]" ]
	on_node status
	[ "$status" -eq 2 ]
}
