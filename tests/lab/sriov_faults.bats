#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# sriov_faults.bats - the 13 faults of other SR-IOV plugins, each also after an ADD that was killed
#
# Each test plays what goes wrong elsewhere; then the same over killed ADDs.  tests/tool/sysfault says
# how many changes an ADD makes, and an ADD is killed before each of them and before its answer ("make sweep"),
# or before some (tests/chosen.bash), each with a pod and a VF of its own: so many DELs, and one GC, are followed
# by one comparison of all VFs.
# GC releases what is not listed and whose namespace is gone, so the namespaces end before it.
#
# rooms: cni/vf cni/driver
bats_require_minimum_version 1.5.0
load helpers

RECORDS=/var/lib/cni/devinfo/attachments
# @: a number of the VF's
SET='"vlan": 100, "trust": "on", "mac": "02:00:00:00:60:@"'
NEW='"vlan": 200, "spoofchk": "off", "mac": "02:00:00:00:61:@"'
LEASE='"ipam": {"type": "host-local", "ranges": [[{"subnet": "10.60.0.0/24"}]]}'

setup_file() {
	lab_up
	mkdir -p /var/lib/cni /tmp/broken
	# looking the VFs up takes a second
	readlink "/sys/bus/pci/devices/$PF1/virtfn"{0..6} "/sys/bus/pci/devices/$PF2/virtfn"{0..6} >/tmp/vfs
	cat >/tmp/broken/host-local <<-'SH'
		#!/bin/sh
		[ "$CNI_COMMAND" = ADD ] && exec /usr/lib/cni/host-local
		echo '{"code": 999, "msg": "no"}'
		exit 1
	SH
	chmod +x /tmp/broken/host-local
	# whoever is first makes the directories, too
	setup
	config p0 "$SET, $LEASE"
	add p0
	del p0
	die p
}

setup() {
	lines_of_test_only
	mapfile -t vfs </tmp/vfs
	vfs=("${vfs[@]##*/}")
	PF=$(netdev_of "$PF1")
	points=1 first=0 version=1.0.0 answer='' macs=()
	pods p
	before=$(snapshot)
}

teardown() {
	for p in /tmp/[pq]*.json; do
		[ -z "$BATS_TEST_COMPLETED" ] || break	# what a failed test has left, for the next one's sake
		p=${p##*/}
		call DEL "${p%.json}" net1 <"/tmp/$p" || true
	done
	rm -f /tmp/[pq]*.json
	die p q
}

# -- pods, of a letter and a number from 0 to $points - 1; each has the VF of its number from $first on --

# pods LETTER: their namespaces, but for those that are there
pods() {
	local i
	for ((i = 0; i < points; i++)); do
		[ -e "/run/netns/$1$i" ] || echo "netns add $1$i"
	done | ip -batch -
}

# die LETTER...: all namespaces of such pods end
die() {
	local l ns
	for l in "$@"; do
		for ns in "/run/netns/$l"*; do
			[ ! -e "$ns" ] || echo "netns del ${ns##*/}"
		done
	done | ip -batch -
}

# config POD MEMBERS: its configuration
config() {
	local vf=$((first + ${1:1}))
	printf '{"cniVersion": "%s", "name": "lab", "type": "devinfo", "deviceID": "%s", %s}' \
		"$version" "${vfs[vf]}" "${2//@/$((vf + 10))}" >"/tmp/$1.json"
}

add() { call ADD "$1" net1 <"/tmp/$1.json"; }
del() { call DEL "$1" net1 "${@:2}" <"/tmp/$1.json"; }

# each VERB LETTER [netns]
each() {
	local i
	for ((i = 0; i < points; i++)); do
		"$1" "$2$i" "${@:3}" || { echo "$1 $2$i failed" && return 1; }
	done
}

# gc [LETTER]: those of all pods that are dead, with these pods listed
gc() {
	local i list=
	for ((i = 0; $# && i < points; i++)); do
		list+=${list:+, }"{\"containerID\": \"$1$i\", \"ifname\": \"net1\"}"
	done
	call GC '' '' '' <<<'{"cniVersion": "1.1.0", "name": "lab", "type": "devinfo", "cni.dev/valid-attachments": ['"$list"']}'
}

# refused CODE PATTERN...: the last answer is an error, whose text has all of them
refused() {
	local pattern
	[[ $answer == *"\"code\":$1,"* ]] || { echo "not $1: $answer" && return 1; }
	for pattern in "${@:2}"; do
		[[ $answer == *$pattern* ]] || { echo "no $pattern: $answer" && return 1; }
	done
}

# on_vf VF PATTERN...: the PF's line of that VF
on_vf() {
	local line pattern
	line=$(ip link show "$PF" | grep "vf $1 ")
	for pattern in "${@:2}"; do
		[[ $line == *$pattern* ]] || { echo "no $pattern: $line" && return 1; }
	done
}

# -- ADDs that are killed --

# traced POD OPTIONS...: its ADD; LeakSanitizer cannot work when it is traced
traced() {
	ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" CNI_COMMAND=ADD CNI_CONTAINERID=$1 CNI_IFNAME=net1 \
		CNI_NETNS=/run/netns/$1 "$SYSFAULT" changes "${@:2}" "$DEVINFO" <"/tmp/$1.json" >/dev/null 2>&1
}

# count POD MIN [STATUS]: the changes of its ADD, at least MIN; $points of them are those to kill at
count() {
	local rc=0
	traced "$1" count 3>/tmp/points || rc=$?
	changes=$(</tmp/points)
	echo "$1: $changes changes"
	[ "$rc" = "${3:-0}" ]
	[ "$changes" -ge "$2" ]
	chosen 1 "$changes"
	points=${#chosen[@]}
	[ "$points" -le "${#vfs[@]}" ] || { echo "$points points, and not so many VFs" && return 1; }
}

# killed LETTER MEMBERS [RECORDS]: an ADD of each pod, at each point; so many have no record
killed() {
	local i rc left
	pods "$1"
	for ((i = 0; i < points; i++)); do
		rc=0
		config "$1$i" "$2"
		traced "$1$i" kill "${chosen[i]}" || rc=$?
		[ "$rc" = 137 ] || { echo "$1$i: status $rc" && return 1; }
	done
	# all but those that were killed before they wrote it
	left=("$RECORDS"/*@*.json)
	[ "${#left[@]}" -ge $((points - ${3:-${unrecorded:-1}})) ]
}

# half_of VERB LETTER [netns]: every other pod, GC has the rest; which, changes from test to test
half_of() {
	local i
	for ((i = BATS_TEST_NUMBER % 2; i < points; i += 2)); do
		"$1" "$2$i" "${@:3}" || { echo "$1 $2$i failed" && return 1; }
	done
}

# over_killed MEMBERS [COMMAND...]: killed ADDs, the command, DEL and GC
over_killed() {
	killed p "$1"
	"${@:2}"
	half_of del p
	die p
	gc
	same "$before"
}

# bats test_tags=points
@test "the changes that are counted are those that strace shows" {
	config p0 "$SET, $LEASE"
	ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" CNI_COMMAND=ADD CNI_CONTAINERID=p0 CNI_IFNAME=net1 \
		CNI_NETNS=/run/netns/p0 strace -qq -yy -o /tmp/trace -e trace=sendto,linkat,mkdirat,write,clone \
		"$DEVINFO" </tmp/p0.json >/dev/null
	del p0
	count p0 9
	del p0
	cut -c1-150 /tmp/trace
	asked=$(grep -c '^sendto(.*NETLINK:.*nlmsg_type=' /tmp/trace)
	told=$(grep -cE '^sendto(.*nlmsg_type=(0x12|0x16|0x1a|RTM_GET))' /tmp/trace)
	files=$(grep -vE 'CLONE_FILES|/index>' /tmp/trace | grep -cE '^(linkat|mkdirat|clone|write\(1<)')
	[ "$told" -ge 3 ]
	[ "$changes" = $((asked - told + files)) ]
	same "$before"
}

# traced_del OPTION...: p0's DEL, of whose netlink requests one fails or all are counted
traced_del() {
	answer=$(ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" CNI_COMMAND=DEL CNI_CONTAINERID=p0 CNI_IFNAME=net1 \
		CNI_NETNS=/run/netns/p0 "$SYSFAULT" of sendto "$@" "$DEVINFO" </tmp/p0.json 2>/dev/null 3>/tmp/points)
}

# bats test_tags=points
@test "each netlink request of DEL fails once: a VF that is in the pod still keeps its VLAN, the next DEL restores all" {
	local n rc kept=0 home=0 enobufs=105
	config p0 "$SET, $LEASE"
	add p0
	traced_del count
	points=$(</tmp/points)
	same "$before"
	chosen 1 "$points" 6
	for n in "${chosen[@]}"; do
		add p0
		rc=0
		traced_del fail "$n" $enobufs || rc=$?
		echo "$n: status $rc: $answer"
		if ip -n p0 -br link | grep -v '^lo '; then
			[ "$rc" = 1 ]
			[[ $answer == *'send a netlink request'* ]]
			on_vf 0 'vlan 100'
			kept=$((kept + 1))
		else
			home=$((home + rc))
		fi
		leased=$(grep -ls ^p0 /var/lib/cni/networks/lab/10.* || true)
		[ -z "$leased" ]	# the other half
		del p0
		same "$before"
	done
	echo "$points requests, $kept times in the pod, $home errors at home"
	[ $((kept + home)) -ge 1 ]
	whole 1 "$points" || return 0
	[ "$kept" -ge 2 ]
	[ "$home" -ge 2 ]
}

# bats test_tags=points
@test "fault 1: ADD fails at link_state: VLAN and trust do not stay, DEL finds nothing to do" {
	bad='"vlan": 333, "trust": "on", "link_state": "enable"'
	config p0 "$bad"
	add p0 || true
	refused 104 'link state' 'not supported'
	same "$before"
	del p0
	same "$before"

	count p0 5 1
	killed p "$bad" 2	# the last one has undone everything
	half_of del p
	die p
	gc
	same "$before"
}

rename_each() {
	local i n=0
	for ((i = 0; i < points; i++)); do
		! ip -n "p$i" link set net1 down name foo 2>/dev/null || n=$((n + 1))
	done
	moved_enough "$n"
}

# moved_enough N: so many of those that were killed had moved their VF into the pod; the last one always has
moved_enough() { [ "$1" -ge "$(whole 1 "$changes" && echo 3 || echo 1)" ]; }

# bats test_tags=points
@test "fault 2: the pod has renamed net1: the first DEL brings the VF home, and the next ADD has it" {
	config p0 "$SET"
	for i in 1 2; do
		add p0
		ip -n p0 link set net1 down name foo
		del p0
		same "$before"
	done
	del p0
	same "$before"

	count p0 7
	del p0
	over_killed "$SET" rename_each
}

# bats test_tags=points
@test "fault 3: an empty CNI_NETNS: MAC, VLAN and trust are set back, the lease is released" {
	config p0 "$SET, $LEASE"
	add p0
	grep -q ^p0 /var/lib/cni/networks/lab/10.*
	del p0 ''
	same "$before"

	count p0 9
	del p0
	killed p "$SET, $LEASE"
	half_of del p ''
	die p
	gc
	same "$before"
}

# bats test_tags=points
@test "fault 4: the namespace is deleted first: the VF has its own name, MAC and MTU again" {
	config p0 "$SET, \"mtu\": 1400"
	add p0
	die p
	del p0
	same "$before"

	pods p
	count p0 8
	del p0
	over_killed "$SET, \"mtu\": 1400" die p
}

plain_files() { umount /run/netns/p*; }

# bats test_tags=points
@test "fault 5: the namespace's path is a plain file: the first DEL does it all" {
	config p0 "$SET"
	add p0
	plain_files
	[ -f /run/netns/p0 ]
	del p0
	same "$before"

	rm /run/netns/p0
	pods p
	count p0 7
	del p0
	killed p "$SET"
	plain_files
	half_of del p
	gc
	same "$before"
	rm /run/netns/p*
}

# each pod makes an interface of its own that is called net1, where the VF was
take_name() {
	local i moved=0
	for ((i = 0; i < points; i++)); do
		! ip -n "p$i" link set net1 down name foo 2>/dev/null || moved=$((moved + 1))
		ip -n "p$i" link add net1 type dummy
	done
	moved_enough "$moved"
}

own_net1() {
	local i
	for ((i = 0; i < points; i++)); do
		ip -n "p$i" -d link show net1
	done
}

# bats test_tags=points
@test "fault 6: the pod has its own net1: it keeps it, whatever happens to the VF, and so does the node" {
	ip -n p0 link add net1 type dummy
	own=$(own_net1)
	config p0 "$SET"
	add p0 || true
	refused 103 'interface net1 already'
	[ "$(own_net1)" = "$own" ]
	same "$before"
	del p0
	[ "$(own_net1)" = "$own" ]
	same "$before"

	ip -n p0 link del net1
	count p0 7
	del p0
	ip link add net1 type dummy
	node=$(ip -d link show net1)
	killed p "$SET"
	take_name
	own=$(own_net1)
	half_of del p
	[ "$(own_net1)" = "$own" ]
	die p
	gc
	[ "$(ip -d link show net1)" = "$node" ]
	ip link del net1
	same "$before"
}

# keep_macs: those of the VFs in $macs; igb forgets, at a reset of its own, an address that nobody has set
keep_macs() {
	local i pfs
	pfs=("$PF" "$(netdev_of "$PF2")")
	for i in "${!vfs[@]}"; do
		read -r "macs[$i]" <"/sys/bus/pci/devices/${vfs[i]}/net/$(netdev_of "${vfs[i]}")/address"
		echo "link set ${pfs[i / 7]} vf $((i % 7)) mac ${macs[i]}"
	done >/tmp/macs
	ip -batch /tmp/macs
}

# driver NAME: the first seven VFs get it
driver() {
	local vf sys
	for vf in "${vfs[@]:0:7}"; do
		sys=/sys/bus/pci/devices/$vf
		echo "${1/#igbvf/}" >"$sys/driver_override"
		echo "$vf" >"$sys/driver/unbind"
		echo "$vf" >/sys/bus/pci/drivers_probe
		[[ $(readlink "$sys/driver") == */"$1" ]]
	done
}

# bats test_tags=points
@test "fault 7: a VF of vfio-pci: the first DEL succeeds and leaves nothing behind" {
	driver vfio-pci
	before=$(snapshot)
	config p0 "$SET, $LEASE"
	add p0
	on_vf 0 'vlan 100' 'trust on' '02:00:00:00:60:10'
	del p0
	same "$before"

	config p0 "$SET"
	count p0 5
	del p0
	unrecorded=2 over_killed "$SET"	# the look whether a program has it is a child of its own
	driver igbvf
}

# bats test_tags=points
@test "fault 8: the VF's MAC is not the PF's, and it is not trusted: both come back" {
	keep_macs
	for i in {0..6}; do
		ip link set "$PF" vf "$i" mac "02:00:00:00:62:$((i + 10))"
	done
	before=$(snapshot)
	on_vf 0 '02:00:00:00:62:10' 'trust off'
	[ "$(cat "/sys/bus/pci/devices/${vfs[0]}/net/"*/address)" = "${macs[0]}" ]
	config p0 "$SET"
	add p0
	on_vf 0 '02:00:00:00:60:10' 'trust on'
	del p0
	same "$before"

	count p0 7
	del p0
	over_killed "$SET"
	for i in {0..6}; do
		ip link set "$PF" vf "$i" mac "${macs[i]}"
	done
}

# bats test_tags=points
@test "fault 9: CHECK names the VLAN that has drifted, STATUS what is missing, GC takes what is dead" {
	version=1.1.0
	config p0 '"vlan": 100'
	count p0 6
	del p0
	over_killed '"vlan": 100'

	pods p
	config p0 "$SET"
	add p0
	config p0 "$SET, \"prevResult\": $answer"
	call CHECK p0 net1 </tmp/p0.json
	ip link set "$PF" vf 0 vlan 99
	call CHECK p0 net1 </tmp/p0.json || true
	refused 101 "vlan of VF 0 of $PF: expected 100, got 99"
	gc	# lives
	ls "$RECORDS"/*@"${vfs[0]}.json"
	die p
	gc
	same "$before"
	config p0 "$SET, \"ipam\": {\"type\": \"none-such\"}"
	call STATUS '' '' '' </tmp/p0.json || true
	refused 50 none-such
	config p0 "$SET"
	call STATUS '' '' '' </tmp/p0.json
}

# bats test_tags=points
@test "fault 11: 'On' and 'true' are no 'off': refused by name, and nothing is touched" {
	for wrong in '"trust": "On"' '"spoofchk": "true"' '"trust": true'; do
		config p0 "\"vlan\": 100, $wrong"
		add p0 || true
		refused 7 "${wrong:1:5}"
		same "$before"
	done
	config p0 '"trust": "On"'
	count p0 1 1
	over_killed '"vlan": 100, "trust": "On"'

	pods p
	right='"spoofchk": "off", "trust": "on"'
	config p0 "$right"
	count p0 6
	del p0
	over_killed "$right"
	pods p
	config p0 "$right"
	add p0
	on_vf 0 'spoof checking off' 'trust on'
	config p0 '"spoofchk": "off", "trust": "On"'
	del p0		# whatever DEL's configuration says
	same "$before"
}

# what the new pods have: the PFs' lines of their VFs, and the interfaces
of_new() {
	local i
	ip link | grep ' vf [0-9]* '
	for ((i = 0; i < points; i++)); do
		ip -n "q$i" -d link show net1
	done | sed 's/NO-CARRIER,//; s/,LOWER_UP//; s/ state [A-Z]* / /'
}

kept() { [ "$1" = "$new" ] || { diff <(echo "$new") <(echo "$1"); return 1; }; }

# new_again LETTER: the pods of this letter are dead, new ones have the VFs
new_again() {
	die "$1"
	pods q
	each config q "$NEW"
	each add q
	new=$(of_new)
	[ "$(grep -c 'vlan 200,.* spoof checking off,.* trust off' <<<"$new")" = "$points" ]
}

# bats test_tags=points
@test "fault 12: a late DEL of the old pod touches nothing of the new pod that has its VF" {
	config p0 "$SET, $LEASE"
	CNI_PATH=/tmp/broken add p0
	CNI_PATH=/tmp/broken del p0 || true
	refused 999
	new_again p
	grep -q ^p0 /var/lib/cni/networks/lab/10.*
	del p0
	kept "$(of_new)"
	del q0
	same "$before"

	pods p
	config p0 "$SET"
	count p0 7
	del p0
	killed p "$SET"
	new_again p
	half_of del p
	kept "$(of_new)"
	gc q
	kept "$(of_new)"
	each del q
	same "$before"
}

# old_and_dead: pods that ended without DEL
old_and_dead() {
	pods p
	each config p "$SET"
	each add p
	die p
}

# bats test_tags=points
@test "fault 13: what the old pod has left is not taken for the original: the new one's DEL gives the VF back as it was" {
	old_and_dead
	new_again p
	del q0
	del p0
	same "$before"

	# without a MAC, which a VF that is not trusted takes at the third attempt only
	plain='"vlan": 200, "spoofchk": "off"'
	old_and_dead
	config q0 "$plain"
	count q0 10
	del q0
	del p0
	old_and_dead
	killed q "$plain" 2	# the record of p goes before its own is there
	half_of del p
	half_of del q
	die q
	gc
	same "$before"
}

# -- fault 10, as the last one: a PF that was down leaves VFs that want to be reset --

# elsewhere PF,... COMMAND...: while these are in another namespace
elsewhere() {
	local pfs=() pf i
	for pf in ${1//,/ }; do
		pfs+=("$(netdev_of "$pf")")
	done
	ip netns add elsewhere
	for pf in "${pfs[@]}"; do
		ip link set "$pf" netns elsewhere
	done
	"${@:2}"
	for pf in "${pfs[@]}"; do
		ip -n elsewhere link set "$pf" netns 1
		ip link set "$pf" up
	done
	ip netns del elsewhere
	for pf in "${pfs[@]}"; do
		for ((i = 0; i < 100; i++)); do
			[[ $(ip -br addr show "$pf") != *UP*fe80::* ]] || break
			sleep 0.1
		done
	done
}

without_pf() {
	del p0 || true
	refused 11 "PF $PF1 of VF 0 has no network device here"
	[ "$(netdev_of "${vfs[0]}")" = "$name" ]	# the rest is done
	add p1 || true
	refused 102 "PF $PF1 of VF"
}

# p's are deleted, which fails where there was anything to do; q's are dead
killed_without_pf() {
	local i failed=0
	for ((i = 0; i < points; i++)); do
		del "p$i" || failed=$((failed + 1))
	done
	[ "$failed" = $((points - 1)) ]
	gc || true
	refused 11 "PF $PF2 of VF"
}

# bats test_tags=points
@test "fault 10: the PF is in another namespace: ADD says so, DEL does the rest, and ends it when the PF is back" {
	name=$(netdev_of "${vfs[0]}")
	keep_macs
	points=2
	pods p
	config p0 "$SET"
	config p1 "$SET"
	add p0
	add p1
	del p1
	elsewhere "$PF1" without_pf
	del p0
	same "$before"
	# now igb wants a reset from the VF, and a VF that is trusted comes out of it with its own address
	add p1
	on_vf 1 '02:00:00:00:60:11' 'trust on'
	del p1
	same "$before"

	# of the VLAN only, for each message to a PF that is down costs a VF a second
	config p0 '"vlan": 100'
	count p0 6
	del p0
	killed p '"vlan": 100'
	first=7
	killed q '"vlan": 100'
	die q
	elsewhere "$PF1,$PF2" killed_without_pf
	each del p
	gc
	same "$before"
}
