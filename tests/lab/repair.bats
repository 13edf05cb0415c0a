#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# repair.bats - a VF that nobody has, and that has what a pod's had: doctor's finding, and its remedy
#
# rooms: manager/doctor
bats_require_minimum_version 1.5.0
load helpers

dp=/var/run/k8s.cni.cncf.io/devinfo/dp

setup_file() {
	cp "$BUILD/bin/devinfoctl" /tmp/devinfoctl
	lab_up
	mkdir -p /var/lib/cni "$dp"
}

setup() {
	lines_of_test_only
	A=$(vf "$PF1" 0)
	pf=$(netdev_of "$PF1")
	echo '{"type":"pci","version":"1.1.0","pci":{"pci-address":"'"$A"'"}}' >"$dp/example.com-vf-$A-device.json"
	before=$(snapshot)
	before_it=()
}

teardown() {
	rm -f "$dp"/*
	call DEL a net1 <<<'{"cniVersion": "1.0.0", "name": "lab"}' || true
	pod_del a
	ip link set "$pf" vf 0 vlan 0
	trust off
}

# trust on|off - of all VFs
trust() {
	for ((i = 0; i < VFS; i++)); do
		echo "link set $pf vf $i trust $1"
	done | ip -batch -
}

# mend [OPTION...] - $rows: what became of the VF's finding
mend() {
	run --separate-stderr "${before_it[@]}" /tmp/devinfoctl repair --json "$@"
	rows=$(jq -r '.[] | select(.check == "vf-changed") | "\(.result): \(.object): \(.what)"' <<<"$output")
}

@test "a VF that nobody has, with VLAN and trust, gets the defaults; the others stay as they are" {
	mend
	[ -z "$rows" ]
	ip link set "$pf" vf 0 vlan 100 qos 3 trust on
	mend --dry-run
	[ "$rows" = "would repair: $A: nobody has it, and VF 0 of $pf has vlan 100 qos 3, trust on" ]
	[[ $(ip link show "$pf") == *"vf 0 "*"vlan 100, qos 3"* ]]
	mend
	[ "$rows" = "repaired: $A: nobody has it, and VF 0 of $pf has vlan 100 qos 3, trust on" ]
	same "$before"
	run --separate-stderr /tmp/devinfoctl doctor
	[[ ${lines[0]} =~ ^healthy\ \([0-9]+\ checks[^\)]*\)$ ]] || { echo "$output" && false; }
	# a machine that is busy takes more than a second, which is said
	stderr=$(grep -vx 'devinfoctl: waiting for kubelet and plugins\.\.\.' <<<"$stderr" || true)
	[ -z "$stderr" ] || { echo "stderr: $stderr" && false; }
	[ "$status" -eq 0 ]
}

@test "what all VFs of the PF have is the administrator's, and stays" {
	trust on
	ip link set "$pf" vf 0 vlan 100
	mend
	[ "$rows" = "repaired: $A: nobody has it, and VF 0 of $pf has vlan 100 qos 0" ]
	[ "$(ip link show "$pf" | grep -c 'trust on')" = "$VFS" ]
	[ "$(ip link show "$pf" | grep -c 'vlan')" = 0 ]
	mend
	[ -z "$rows" ]
}

# The one message that sets a VF; what is before and behind it changes nothing.
@test "kill -9 before a VF is set: the next one does it" {
	export ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS"
	# up to there a repair makes as many changes as one that has nothing to do, and its output
	"$SYSFAULT" changes count /tmp/devinfoctl repair --json 3>/tmp/points >/dev/null || true
	ip link set "$pf" vf 0 vlan 100 qos 3 trust on
	before_it=("$SYSFAULT" changes kill "$(</tmp/points)")
	mend
	[ "$status" -eq 137 ]
	[[ $(ip link show "$pf") == *"vf 0 "*"vlan 100, qos 3"* ]]
	before_it=()
	mend
	[ "${rows%%: *}" = repaired ]
	same "$before"
}

@test "a VF that is in a pod is not touched, be its record lost" {
	pod_new a
	conf "$A" '.vlan = 100 | .trust = "on" | del(.ipam)' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	mend
	[ -z "$rows" ]
	mkdir /tmp/lost
	mv /var/lib/cni/devinfo/attachments/*.json /tmp/lost
	mend
	[ -z "$rows" ]
	[[ $(ip link show "$pf") == *"vf 0 "*"vlan 100"* ]]
	mv /tmp/lost/* /var/lib/cni/devinfo/attachments
	call DEL a net1 </tmp/a.json
}
