#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# reach.bats - VFs that nobody is known to have and that no ADD could attach: scan, doctor and ADD say why
#
# rooms: cni/vf
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
	cp "$BUILD/bin/devinfoctl" /tmp/devinfoctl
	[ -x /tmp/leave ] || cp "$BUILD/tests/tool/leave" /tmp
	lab_up
	mkdir -p /var/lib/cni
}

setup() {
	lines_of_test_only
	A=$(vf "$PF1" 0)
	net=$(netdev_of "$A")
	pod_new a
	conf "$A" 'del(.ipam)' >/tmp/a.json
	reach "" ok
}

teardown() {
	[ -e "/sys/bus/pci/devices/$A/driver" ] || echo "$A" >/sys/bus/pci/drivers/igbvf/bind
	call DEL a net1 </tmp/a.json || true
	pod_del other
	pod_del a
}

# reach TEXT HEALTH - what doctor and scan say of VF A; "" is nothing
reach() {
	run --separate-stderr /tmp/devinfoctl doctor --json
	[ "$(jq -r '.[] | select(.check == "vf-out-of-reach") | "\(.severity): \(.object): \(.what)"' <<<"$output")" = \
		"${1:+info: $A: nobody is known to have it, and $1}" ] || { echo "$output" && return 1; }
	run --separate-stderr /tmp/devinfoctl scan --json
	[ "$(jq -r '.[] | select(.id == "'"$A"'") | "\(.health): \(.health_reason // "")"' <<<"$output")" = \
		"$2: ${1:+nobody is known to have it, and $1}" ] || { echo "$output" && return 1; }
}

# refused CODE TEXT - so an ADD says it as well
refused() {
	run call ADD a net1 </tmp/a.json
	[ "$status" -ne 0 ]
	[[ $output == *"\"code\":$1,"* ]] || { echo "$output" && return 1; }
	[[ $output == *"$2"* ]] || { echo "$output" && return 1; }
}

@test "without a driver, which its siblings have" {
	echo "$A" >/sys/bus/pci/drivers/igbvf/unbind
	reach "no driver is bound" degraded
	refused 102 "$A (driver none) has no network device here: bind a driver to it"
	echo "$A" >/sys/bus/pci/drivers/igbvf/bind
	reach "" ok
}

@test "in another network namespace, without a record" {
	pod_new other
	ip link set "$net" netns other
	reach "its network device is in another network namespace" ok
	refused 102 "$A (driver igbvf) has no network device here: it is in another network namespace"
	pod_del other
	comes_home "$A"
	reach "" ok
}

@test "with a program of XDP" {
	/tmp/leave xdp "$net"
	run --separate-stderr /tmp/devinfoctl scan --json
	why=$(jq -r '.[] | select(.id == "'"$A"'") | .health_reason' <<<"$output")
	[[ $why =~ ^"nobody is known to have it, and an XDP program (id "[0-9]+") is on its network device"$ ]]
	reach "${why#*, and }" ok
	refused 102 "$net has a program of XDP on the host (id "
	ip link set "$net" xdp off
	reach "" ok
	call ADD a net1 </tmp/a.json
}

@test "with a macvlan, and with a VLAN" {
	for kind in macvlan "vlan id 5"; do
		# shellcheck disable=SC2086
		ip link add stacked link "$net" type $kind
		reach "stacked is built on its network device" ok
		refused 102 "$net is used by interfaces of the host that are stacked on it: stacked"
		ip link del stacked
		reach "" ok
	done
	call ADD a net1 </tmp/a.json
	reach "" ok
}
