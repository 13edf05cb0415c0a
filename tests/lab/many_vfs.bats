#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# many_vfs.bats - a PF with more VFs than fit into what the kernel says of them
#
# igb has 7 real VFs, netdevsim a table of as many as one likes, which takes every attribute, and no
# VFs.  So the PF's directory is covered: its network device is netdevsim's, and the link that gives
# igb's first VF its number gives it another.  The VF and its network device are igb's, the table and
# all its attributes netdevsim's, set, read and set back by the kernel.
#
# rooms: cni/vf netlink
bats_require_minimum_version 1.5.0
load helpers

NSIM=netdevsim1
BUS=/sys/bus/netdevsim
DIR=/sys/bus/pci/devices/$PF1

setup_file() {
	lab_up
	modprobe netdevsim
	mkdir -p /var/lib/cni
	vf "$PF1" 0 >/tmp/device
	echo "1 1 1" >$BUS/new_device
	mount -t tmpfs none "$DIR"
	mkdir "$DIR/net"
	mount --bind /sys/devices/$NSIM/net "$DIR/net"
}

setup() {
	lines_of_test_only
	A=$(cat /tmp/device)
	UP=$(ls "$DIR/net")
	pod_new a
}

teardown() {
	call DEL a net1 <<<'{"cniVersion": "1.0.0", "name": "lab"}' || true
	pod_del a
	rm -f "$DIR"/virtfn*
}

# with COUNT NUMBER: the PF has that many new VFs, and ours is the one of that number
with() {
	echo 0 >$BUS/devices/$NSIM/sriov_numvfs
	echo "$1" >/sys/kernel/debug/netdevsim/$NSIM/max_vfs	# which makes the table anew
	echo "$1" >$BUS/devices/$NSIM/sriov_numvfs
	rm -f "$DIR"/virtfn*
	ln -s "../$A" "$DIR/virtfn$2"
	ln -s ../0000:20:00.0 "$DIR/virtfn0"		# some others of any address
	ln -s ../0000:20:00.1 "$DIR/virtfn${2%?}"
}

table() { /usr/bin/python3 tests/lab/vftable.py "$UP"; }

# same_but NUMBER BEFORE NOW: no other row differs, and this one does
same_but() {
	diff <(sed "/^$1 /d" <<<"$2") <(sed "/^$1 /d" <<<"$3")
	[ "$(row "$1" "$2")" != "$(row "$1" "$3")" ]
}

row() { grep "^$1 " <<<"$2"; }

all='.vlan = 100 | .vlanQoS = 3 | .vlanProto = "802.1ad" | .min_tx_rate = 100 | .max_tx_rate = 1000
	| .spoofchk = "on" | .trust = "on" | .link_state = "disable" | .mac = "02:00:00:00:56:0a"'

# round COUNT NUMBER: the VF's life, between neighbours who have attributes of their own
round() {
	local i before now after
	with "$1" "$2"
	# before, too, it has what igb refuses: 802.1ad, a minimum, a link state
	ip link set "$UP" vf "$2" vlan 7 qos 2 proto 802.1ad
	ip link set "$UP" vf "$2" min_tx_rate 10 max_tx_rate 20
	ip link set "$UP" vf "$2" state enable
	for i in 0 $(($2 - 1)) $(($1 - 1)); do
		[ "$i" = "$2" ] || ip link set "$UP" vf "$i" vlan $((i + 1)) min_tx_rate 1 max_tx_rate 5 trust on
	done
	before=$(table)
	[ "$(wc -l <<<"$before")" = "$1" ]
	[ "$(row "$2" "$before")" = "$2 00:00:00:00:00:00 7 2 88a8 10 20 0 1 0" ]

	conf "$A" "$all"' | .cniVersion = "1.1.0"' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	now=$(table)
	[ "$(row "$2" "$now")" = "$2 02:00:00:00:56:0a 100 3 88a8 100 1000 1 2 1" ]
	same_but "$2" "$before" "$now"
	jq -c --argjson r "$answer" '.prevResult = $r' /tmp/a.json >/tmp/c.json
	call CHECK a net1 </tmp/c.json

	ip link set "$UP" vf "$2" vlan 101 qos 3 proto 802.1ad
	ip link set "$UP" vf "$2" min_tx_rate 0 max_tx_rate 1000
	ip link set "$UP" vf "$2" state auto
	call CHECK a net1 </tmp/c.json && false
	[ "$(jq .code <<<"$answer")" = 101 ]
	[[ $answer == *"vlan of VF $2 of $UP: expected 100, got 101"* ]]
	[[ $answer == *"min_tx_rate of VF $2 of $UP: expected 100, got 0"* ]]
	[[ $answer == *"link state of VF $2 of $UP: expected disable, got auto"* ]]
	[[ $answer != *trust* ]]

	call DEL a net1 </tmp/a.json
	after=$(table)
	diff <(echo "$before") <(echo "$after")
}

@test "C-ISS-20, C-ISS-30: 250 VFs: of number 240 every attribute is set, checked and set back, and of no other" {
	round 250 240
}

@test "C-ISS-30: 300 VFs: so of the last" {
	round 300 299
}

@test "C-ISS-30: 400 VFs: so of one before and one behind the 334 that the length of the list can count" {
	round 400 333
	round 400 390
}

@test "C-ISS-30: 2,000 VFs, for whose answer a socket has no room by default: so of the last" {
	round 2000 1999
}

@test "C-ISS-24: what igb refuses: the minimum goes with the maximum, 802.1ad and link state by themselves, and back" {
	local c want have before
	with 250 240
	before=$(table)
	while read -r want c; do
		conf "$A" "$c" >/tmp/a.json
		call ADD a net1 </tmp/a.json
		have=$(row 240 "$(table)" | cut -d' ' -f3- | tr ' ' ,)
		[ "$have" = "$want" ] || { echo "$c: $have" && false; }
		call DEL a net1 </tmp/a.json
		diff <(echo "$before") <(table)
	done <<-LIST
		0,0,-,50,0,0,0,0 .min_tx_rate = 50
		0,0,-,50,60,0,0,0 .min_tx_rate = 50 | .max_tx_rate = 60
		9,0,88a8,0,0,0,0,0 .vlan = 9 | .vlanProto = "802.1ad"
		0,0,-,0,0,0,1,0 .link_state = "enable"
	LIST
	# a VF with a VLAN of either kind gets that back, with its protocol
	for proto in 802.1ad 802.1Q; do
		ip link set "$UP" vf 240 vlan 5 qos 1 proto "$proto"
		before=$(table)
		conf "$A" '.vlan = 0' >/tmp/a.json
		call ADD a net1 </tmp/a.json
		[ "$(row 240 "$(table)" | cut -d' ' -f3,4)" = "0 0" ]
		call DEL a net1 </tmp/a.json
		diff <(echo "$before") <(table)
	done
}

@test "C-ISS-27: a VF of a number that its PF has not is one clear error, and nothing is changed" {
	local before
	with 250 250
	before=$(table)
	conf "$A" '.vlan = 5' >/tmp/a.json
	call ADD a net1 </tmp/a.json && false
	jq -e --arg m "PF $UP lists no VF 250 ($A)" '.code == 102 and .msg == $m' <<<"$answer"
	diff <(echo "$before") <(table)
}

@test "C-ISS-31: a table too long for any answer: refused where an attribute is to be set, and else in nobody's way" {
	local before
	with 3000 2999
	conf "$A" '.vlan = 5' >/tmp/a.json
	call ADD a net1 </tmp/a.json && false
	jq -e '.code == 104 and (.msg | startswith("read vf 2999 of eth")) and
		.details == "Message too long"' <<<"$answer"
	conf "$A" '.' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	call DEL a net1 </tmp/a.json
	ip link show "$(netdev_of "$A")"
}

@test "C-ISS-09: a PF that has not finished with its VF, as i40e after a boot, is asked again, but not for ever" {
	local before
	with 250 240
	before=$(table)
	conf "$A" "$all" >/tmp/a.json
	busy() {	# TIMES VERB
		env BUSY_VF="$1" ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0" \
			LD_PRELOAD="$(realpath "$BUILD/tests/tool/busy.so")" CNI_COMMAND="$2" CNI_CONTAINERID=a \
			CNI_IFNAME=net1 CNI_NETNS=/run/netns/a "$DEVINFO" </tmp/a.json
	}
	busy 5 ADD
	[ "$(row 240 "$(table)")" = "240 02:00:00:00:56:0a 100 3 88a8 100 1000 1 2 1" ]
	busy 5 DEL
	diff <(echo "$before") <(table)
	SECONDS=0
	run busy 1000 ADD
	[ "$status" = 1 ]
	[[ $output == *"vf 240: mac 02:00:00:00:56:0a"* ]]
	[[ $output == *"Resource temporarily unavailable"* ]]
	[ "$SECONDS" -lt 60 ]
	call DEL a net1 </tmp/a.json
	diff <(echo "$before") <(table)
	ip link show "$(netdev_of "$A")"
}
