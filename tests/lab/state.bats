#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# state.bats - how a VF is given back: policies, reset, drivers, names, and the odd ways home
#
# A driver that comes back makes a new interface, whose number is another one.
#
# rooms: cni/driver
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
	lab_up
	mkdir -p /var/lib/cni
}

setup() {
	lines_of_test_only
	A=$(vf "$PF1" 0)
	SYS=/sys/bus/pci/devices/$A
	PF=$(netdev_of "$PF1")
	pod_new a
	pod_new b
	before=$(snapshot)
}

teardown() {
	! mountpoint -q "$SYS/reset" || umount "$SYS/reset"
	for p in a b; do
		call DEL "$p" net1 <<<'{"cniVersion": "1.0.0", "name": "lab"}' || true
	done
	pod_del a
	pod_del b
}

driver_of() { basename "$(readlink "$SYS/driver")"; }

# on_pf PATTERN...: the PF's line about VF 0
on_pf() {
	local now pattern
	now=$(ip link show "$PF" | grep 'vf 0 ')
	for pattern in "$@"; do
		[[ $now == *$pattern* ]] || { echo "no $pattern: $now" && return 1; }
	done
}

# at_home: the VF's interface, but for its number, and the qdisc that comes with its first "up"
at_home() { ip -d -j link show "$(netdev_of "$A")" | jq '.[0] | del(.qdisc, .ifindex)'; }

traced() {	# VERB OPTIONS...: a call for pod a under strace
	ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" CNI_COMMAND=$1 CNI_CONTAINERID=a CNI_IFNAME=net1 \
		CNI_NETNS=/run/netns/a strace -qq "${@:2}" "$DEVINFO" </tmp/a.json 2>/dev/null
}

@test "C-ISS-15: releasePolicy: restore gives back what was there, known-clean the defaults, whatever DEL's configuration says" {
	ip link set "$PF" vf 0 vlan 55 qos 1 spoofchk off trust on max_tx_rate 700
	odd=$(snapshot)
	link=$(at_home)
	conf "$A" '.vlan = 100 | .spoofchk = "on" | .trust = "off" | .mac = "02:00:00:00:59:01"' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	on_pf 'vlan 100' 'max_tx_rate 700'
	call DEL a net1 < <(jq -c '.releasePolicy = "known-clean"' /tmp/a.json)
	same "$odd"

	jq -c '.releasePolicy = "known-clean"' /tmp/a.json >/tmp/clean.json
	call ADD a net1 </tmp/clean.json
	call DEL a net1 </tmp/a.json
	on_pf 'spoof checking on' 'trust off'
	run ! on_pf 'vlan'
	run ! on_pf 'max_tx_rate'
	[ "$(at_home)" = "$link" ]

	# a failed ADD, and a dead owner, are given back the same way
	ip link set "$PF" vf 0 vlan 55
	jq -c '.link_state = "enable"' /tmp/clean.json >/tmp/bad.json
	run ! call ADD a net1 </tmp/bad.json
	run ! on_pf 'vlan'
	ip link set "$PF" vf 0 vlan 55
	call ADD a net1 </tmp/clean.json
	ip netns del a
	conf "$A" >/tmp/b.json
	call ADD b net1 </tmp/b.json
	run ! on_pf 'vlan'
	call DEL b net1 </tmp/b.json
	call DEL a net1 </tmp/a.json
	same_but_number "$before" "$pf_address"
}

@test "C-ISS-02, C-ISS-25: resetOnRelease: the function is reset when it is home, a reset that fails is told and done by the next DEL" {
	conf "$A" '.vlan = 100 | .mac = "02:00:00:00:59:02" | .trust = "on" | .resetOnRelease = true' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	traced DEL -f -e trace=openat2,write -o /tmp/trace
	grep -q 'openat2(.*/reset"' /tmp/trace
	grep -q 'write([0-9]*, "1", 1) *= 1' /tmp/trace
	same_but_number "$before"

	call ADD a net1 </tmp/a.json
	mount --bind /dev/full "$SYS/reset"
	call DEL a net1 </tmp/a.json || true
	jq -e '.code == 102 and (.msg + .details | test("reset"))' <<<"$answer"
	on_pf 'trust off'		# all else is done
	[ "$(driver_of)" = igbvf ]
	conf "$A" >/tmp/b.json
	call ADD b net1 </tmp/b.json || true	# and nobody gets it so
	jq -e '.code == 102 or .code == 11' <<<"$answer"
	umount "$SYS/reset"
	call DEL a net1 </tmp/a.json
	same_but_number "$before"

	methods=$(cat "$SYS/reset_method")
	[[ $methods == *flr* ]]
	echo pm >"$SYS/reset_method" || echo >"$SYS/reset_method"
	call ADD a net1 </tmp/a.json || true
	jq -e '.code == 102 and (.msg | test("function level reset"))' <<<"$answer"
	echo default >"$SYS/reset_method"
	same_but_number "$before"
}

@test "driver: bound to vfio-pci for the pod, and back, with name, altname, MTU and alias of before" {
	old=$(netdev_of "$A")
	ip link set "$old" name vfnet0 mtu 1400 alias "kept" txqueuelen 77
	ip link property add dev vfnet0 altname enp1s16
	before=$(snapshot)
	conf "$A" '.driver = "vfio-pci" | .vlan = 100 | .mac = "02:00:00:00:59:03" | del(.ipam)' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	[ "$(driver_of)" = vfio-pci ]
	on_pf 'vlan 100' '02:00:00:00:59:03'
	jq -e --arg a "$A" '.interfaces == [{name: "net1", sandbox: "/run/netns/a", mac: "02:00:00:00:59:03"}]' <<<"$answer"
	jq -c --argjson r "$answer" '.prevResult = $r' /tmp/a.json >/tmp/check.json
	call CHECK a net1 </tmp/check.json
	ip link set "$PF" vf 0 vlan 0
	call CHECK a net1 </tmp/check.json || true
	jq -e --arg pf "$PF" '.code == 101 and (.details | test("vlan of VF 0 of \($pf): expected 100, got 0"))' <<<"$answer"

	# a program that has it open is not waited for, and its VLAN stays
	ip link set "$PF" vf 0 vlan 100
	exec 9<>"/dev/vfio/$(basename "$(readlink "$SYS/iommu_group")")"
	call DEL a net1 </tmp/a.json || true
	jq -e '.code == 11 and (.msg | test("still has /dev/vfio/"))' <<<"$answer"
	[ "$(driver_of)" = vfio-pci ]
	on_pf 'vlan 100'
	exec 9>&-
	call DEL a net1 </tmp/a.json
	[ "$(driver_of)" = igbvf ]
	[ "$(cat "$SYS/driver_override")" = "(null)" ]
	same_but_number "$before"

	# its owner dies, and the next one wants the interface
	call ADD a net1 </tmp/a.json
	ip netns del a
	conf "$A" >/tmp/b.json
	call ADD b net1 </tmp/b.json
	[ "$(driver_of)" = igbvf ]
	ip -n b link show net1 | grep -q 'mtu 1400'
	call DEL b net1 </tmp/b.json
	call DEL a net1 </tmp/a.json
	same_but_number "$before"
	ip link property del dev vfnet0 altname enp1s16
	ip link set vfnet0 name "$old" mtu 1500 alias "" txqueuelen 1000
}

@test "driver: one that had no driver has none again; one bound already stays; one that is not loaded is refused" {
	conf "$A" '.driver = "vfio-pci" | del(.ipam)' >/tmp/a.json
	echo "$A" >"$SYS/driver/unbind"
	before=$(snapshot)
	call ADD a net1 </tmp/a.json
	[ "$(driver_of)" = vfio-pci ]
	call DEL a net1 </tmp/a.json
	[ ! -e "$SYS/driver" ]
	same "$before"
	echo vfio-pci >"$SYS/driver_override"
	echo "$A" >/sys/bus/pci/drivers_probe
	before=$(snapshot)
	call ADD a net1 </tmp/a.json
	call DEL a net1 </tmp/a.json
	[ "$(driver_of)" = vfio-pci ]
	[ "$(cat "$SYS/driver_override")" = vfio-pci ]
	same "$before"
	jq -c '.driver = "igb_uio"' /tmp/a.json >/tmp/bad.json
	call ADD a net1 </tmp/bad.json || true
	jq -e '.code == 102 and (.msg | test("igb_uio: it is not loaded"))' <<<"$answer"
	jq -c '.driver = "igbvf"' /tmp/a.json >/tmp/bad.json
	call ADD a net1 </tmp/bad.json || true
	jq -e '.code == 7' <<<"$answer"
	# the node is looked for
	group=/dev/vfio/$(basename "$(readlink "$SYS/iommu_group")")
	mv "$group" /dev/vfio/away
	call ADD a net1 </tmp/a.json || true
	jq -e --arg g "$group" '.code == 102 and (.msg | test("neither \($g) nor"))' <<<"$answer"
	mv /dev/vfio/away "$group"
	same "$before"
	echo "$A" >"$SYS/driver/unbind"
	echo >"$SYS/driver_override"
	echo "$A" >/sys/bus/pci/drivers_probe
}

# bats test_tags=points
@test "driver: killed at each write to the kernel, DEL and the next ADD put the driver back" {
	local n rc eio=5
	conf "$A" '.driver = "vfio-pci" | .vlan = 100 | .mac = "02:00:00:00:59:04" | del(.ipam)' >/tmp/a.json
	points ADD of write
	call DEL a net1 </tmp/a.json
	[ "$points" -ge 4 ]
	chosen 1 "$points" 3
	for n in "${chosen[@]}"; do
		rc=0
		faulty ADD of write kill "$n" >/dev/null 2>&1 || rc=$?
		[ "$rc" = 137 ]
		call DEL a net1 </tmp/a.json
		same_but_number "$before"
	done
	conf "$A" >/tmp/b.json
	for n in "${chosen[@]}"; do	# no DEL, but the next owner's ADD
		rc=0
		faulty ADD of write kill "$n" >/dev/null 2>&1 || rc=$?
		[ "$rc" = 137 ]
		ip netns del a
		call ADD b net1 </tmp/b.json
		call DEL b net1 </tmp/b.json
		call DEL a net1 </tmp/a.json
		pod_new a
		same_but_number "$before"
	done
	for n in "${chosen[@]}"; do
		rc=0
		faulty ADD of write fail "$n" $eio >/tmp/out 2>/dev/null || rc=$?
		[ "$rc" = 0 ] || jq -e '.code > 0' /tmp/out
		call DEL a net1 </tmp/a.json
		same_but_number "$before"
	done
}

@test "C-ISS-07: alternative names of a VF come home with it, whether its pod lives or not" {
	n=$(netdev_of "$A")
	ip link property add dev "$n" altname enp1s0f0v0 altname net1
	before=$(snapshot)
	conf "$A" '.vlan = 100' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	ip -n a -j link show net1 | jq -e '.[0].altnames == ["enp1s0f0v0"]'
	ip -n a link property add dev net1 altname "$PF"
	call DEL a net1 </tmp/a.json
	same "$before"
	call ADD a net1 </tmp/a.json
	ip -n a link property add dev net1 altname "$PF" altname evil
	ip netns del a
	call DEL a net1 </tmp/a.json
	same "$before"
	ip link property del dev "$n" altname enp1s0f0v0 altname net1
}

@test "C-ISS-26, C-ISS-38: a VF that came back as dev5, a PF that was renamed, a netns path that is a plain file: home and clean" {
	conf "$A" '.vlan = 100 | .trust = "on" | .mac = "02:00:00:00:59:05" | .mtu = 1400' >/tmp/a.json
	# the host has an interface of the pod's name, and one of the VF's
	n=$(netdev_of "$A")
	call ADD a net1 </tmp/a.json
	ip link add net1 type dummy
	foreign=$(ip -j -d link show net1)
	ip netns del a
	comes_home "$A"
	[[ $(netdev_of "$A") == dev* ]]
	call DEL a net1 </tmp/a.json
	[ "$(ip -j -d link show net1)" = "$foreign" ]
	ip link del net1
	same "$before"

	# the pod has given it to another namespace: told, and its VLAN stays, until it comes back
	pod_new a
	pod_new c
	call ADD a net1 </tmp/a.json
	ip -n a link set net1 netns c
	call DEL a net1 </tmp/a.json || true
	jq -e '.code == 11 and (.msg | test("another namespace"))' <<<"$answer"
	on_pf 'vlan 100'
	ip netns del c
	comes_home "$A"
	call DEL a net1 </tmp/a.json
	same "$before"

	call ADD a net1 </tmp/a.json
	ip link set "$PF" name pfother
	call DEL a net1 </tmp/a.json
	ip link set pfother name "$PF"
	same "$before"

	call ADD a net1 </tmp/a.json
	umount /run/netns/a
	rm /run/netns/a
	touch /run/netns/a
	call DEL a net1 </tmp/a.json
	rm /run/netns/a
	same "$before"
}

@test "a VF that lost its driver before DEL, and one whose name another interface got: warned of, and all else is as before" {
	n=$(netdev_of "$A")
	conf "$A" '.vlan = 100 | .trust = "on" | .mac = "02:00:00:00:59:06" | .mtu = 1400' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	echo "$A" >"$SYS/driver/unbind"
	call DEL a net1 </tmp/a.json 2>/tmp/log
	[ -z "$(ls /var/lib/cni/devinfo/attachments)" ]
	on_pf 'trust off'
	run ! on_pf 'vlan'
	echo "$A" >/sys/bus/pci/drivers_probe
	ip link set "$(netdev_of "$A")" name "$n" || true
	same_but_number "$before"
	grep -q "level=warning .*its network device is gone.*device=$A driver=none before=$n" /tmp/log

	conf "$A" '.vlan = 100 | .driver = "vfio-pci" | del(.ipam)' >/tmp/b.json
	call ADD a net1 </tmp/b.json
	echo "$A" >"$SYS/driver/unbind"
	call DEL a net1 </tmp/b.json 2>/tmp/log
	[ "$(driver_of)" = igbvf ]
	same_but_number "$before"
	grep -q "level=warning .*it has not the driver any more.*device=$A had=vfio-pci driver=none" /tmp/log

	now=$(snapshot)
	call ADD a net1 </tmp/a.json
	ip link add "$n" type dummy
	call DEL a net1 </tmp/a.json 2>/tmp/log
	new=$(netdev_of "$A")
	grep -q "level=warning .*the name of before.*before=$n now=$new" /tmp/log
	[[ $new == dev* ]]
	[ -z "$(ls /var/lib/cni/devinfo/attachments)" ]
	ip link del "$n"
	ip link set "$new" name "$n"
	same "$now"
}
