#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# chain.bats - real VFs that another plugin moves: behind host-device, around it, in user space; and
# CHECK, STATUS and GC of a VF of our own
#
# Debian's host-device leaves its alias on a device, and one that has died with its namespace as it
# comes home.  So the alias is there before the first snapshot, and end_of_peer() is for the second.
# Starting jq takes most of a second here, so the configurations are printf's.
#
# rooms: cni/attach cni/vf cni/driver cni/plugins
bats_require_minimum_version 1.5.0
load helpers

INFO=/var/run/k8s.cni.cncf.io/devinfo/cni
IPAM='"ipam": {"type": "host-local", "ranges": [[{"subnet": "10.56.0.0/24"}]]}'
CHANGES='"vlan": 100, "vlanQoS": 2, "spoofchk": "off", "trust": "on", "max_tx_rate": 500, "mtu": 1400,
	"mac": "02:00:00:00:58:0a"'

setup_file() {
	lab_up
	mkdir -p /var/lib/cni /var/lib/kubelet/pod-resources
	pod_new a
	for id in $(vf "$PF1" 0) $(vf "$PF2" 0); do
		config host-device "\"pciBusID\": \"$id\"" >/tmp/a.peer.json
		peer ADD a </tmp/a.peer.json
		peer DEL a </tmp/a.peer.json
	done
	pod_del a
}

setup() {
	lines_of_test_only
	A=$(vf "$PF1" 0)
	B=$(vf "$PF2" 0)
	NAME=$(netdev_of "$A")
	pod_new a
	pod_new b
	before=$(snapshot)
}

teardown() {
	for p in a b; do	# whatever a failed test has left, for the next one's sake
		[ -n "$BATS_TEST_COMPLETED" ] && continue
		call DEL "$p" net1 <<<'{"cniVersion": "1.0.0", "name": "lab"}' || true
		peer DEL "$p" <"/tmp/$p.peer.json" || true
	done
	pod_del a
	pod_del b
	[ -z "${kubelet:-}" ] || kill "$kubelet" 2>/dev/null || true
}

# config TYPE MEMBERS: a configuration with these members
config() { printf '{"cniVersion": "%s", "name": "lab", "type": "%s", %s}' "${version:-1.0.0}" "$1" "$2"; }

# peer VERB POD: host-device is called with the configuration on stdin
peer() { DEVINFO=/usr/lib/cni/host-device call "$1" "$2" net1; }

# behind POD VF MEMBERS: host-device's ADD of that VF, its result in $prev, and for ours behind it
# the configuration in /tmp/POD.json
behind() {
	config host-device "\"pciBusID\": \"$2\", $IPAM" >"/tmp/$1.peer.json"
	peer ADD "$1" <"/tmp/$1.peer.json"
	prev=$answer
	config devinfo "$3, \"prevResult\": $prev" >"/tmp/$1.json"
}

# release POD: ours first, then host-device's
release() {
	call DEL "$1" net1 <"/tmp/$1.json"
	peer DEL "$1" <"/tmp/$1.peer.json"
}

# end_of_peer POD: what host-device does not do when the namespace is gone (cni issue 1167)
end_of_peer() {
	DEVINFO=/usr/lib/cni/host-local call DEL "$1" net1 '' <"/tmp/$1.peer.json"
	ip link set net1 name "$NAME"
}

in_pod() { ip -n "$1" -d link show net1; ip -n "$1" -4 addr show net1; }

# on_pf PF PATTERN [VF]: what the PF says of its VF 0, or of that one
on_pf() {
	local now
	now=$(ip link show "$(netdev_of "$1")" | grep "vf ${3:-0} ")
	# shellcheck disable=SC2053 # a pattern
	[[ $now == $2 ]] || { echo "$now" && return 1; }
}

# refused CODE PATTERN...: the last answer is an error, whose text has all of them
refused() {
	local pattern
	[[ $answer == *"\"code\":$1,"* ]] || return 1
	for pattern in "${@:2}"; do
		[[ $answer == *$pattern* ]] || { echo "no $pattern" && return 1; }
	done
}

@test "C-RES-02, C-DEL-01: behind host-device the interface's VF is found, configured on its PF, told and set back" {
	behind a "$A" "$CHANGES"
	made=$(in_pod a)
	held=$(snapshot)
	call ADD a net1 </tmp/a.json
	on_pf "$PF1" '*02:00:00:00:58:0a*vlan 100, qos 2, *max_tx_rate 500Mbps, spoof checking off*trust on*'
	[[ $(in_pod a) == *UP*mtu\ 1400*link/ether\ 02:00:00:00:58:0a* ]]
	jq -en --argjson r "$answer" --argjson p "$prev" --slurpfile info "$INFO/lab-a_net1" \
		--slurpfile status /run/devinfo/status/a.json --arg a "$A" --arg pf "$PF1" '
		$r == ($p | .interfaces[0].mac = "02:00:00:00:58:0a") and
		($info[0] | .type == "pci" and .pci."pci-address" == $a and .pci."pf-pci-address" == $pf) and
		($status[0][0] | ."device-info" == $info[0] and .mtu == 1400 and .mac == "02:00:00:00:58:0a" and
			.ips == [$p.ips[].address | split("/")[0]])'

	# the other end gets its tag last, so that it is the tag that lets them meet; its VF is not trusted
	behind b "$B" '"vlan": 100, "mac": "02:00:00:00:58:0b"'
	there=$(jq -r '.ips[0].address | split("/")[0]' <<<"$prev")
	run ! ip netns exec a ping -c1 -W1 "$there"
	call ADD b net1 </tmp/b.json
	reaches a "$there"
	on_pf "$PF2" '*02:00:00:00:58:0b*vlan 100*trust off*'
	release b

	call DEL a net1 </tmp/a.json
	[ "$(in_pod a)" = "$made" ]
	same "$held"
	peer DEL a </tmp/a.peer.json
	same "$before"
}

@test "C-CHK-02, C-CHK-03, C-CHK-04, C-ISS-20: CHECK behind host-device names each attribute that somebody has changed" {
	behind a "$A" "$CHANGES"
	call ADD a net1 </tmp/a.json
	config devinfo "$CHANGES, \"prevResult\": $answer" >/tmp/a.json
	held=$(snapshot)
	call CHECK a net1 </tmp/a.json
	[ -z "$answer" ]
	same "$held"
	ip -n a link set net1 mtu 1300 address 02:00:00:00:58:99
	ip link set "$(netdev_of "$PF1")" vf 0 vlan 200 qos 3 spoofchk on trust off max_tx_rate 300
	rm "$INFO/lab-a_net1"
	call CHECK a net1 </tmp/a.json || true
	refused 101 'vlan of VF 0 of *: expected 100, got 200' 'vlan qos *: expected 2, got 3' 'spoofchk of *: expected off, got on' \
		'max_tx_rate *: expected 500, got 300' 'trust of *: expected on, got off' \
		'mtu: expected 1400, got 1300' 'mac: expected 02:00:00:00:58:0a, got 02:00:00:00:58:99' 'device-info: '
	release a
	same "$before"
}

@test "C-ADD-05, C-ADD-09: another VF than the interface's, and one that somebody has, are refused with nothing changed" {
	behind a "$A" '"vlan": 100, "trust": "on"'
	held=$(snapshot)
	config devinfo "\"vlan\": 100, \"deviceID\": \"$B\", \"prevResult\": $prev" >/tmp/other.json
	call ADD a net1 </tmp/other.json || true
	refused 102 "that of $A, not of $B"
	same "$held"
	call ADD a net1 </tmp/a.json
	held=$(snapshot)
	call ADD other net1 /run/netns/a </tmp/a.json || true
	refused 11 'belongs to another attachment'
	same "$held"
	release a
	same "$before"
}

@test "a VF that is in another pod is not set by a network that names it, behind whatever interface" {
	ip link set "$NAME" netns b
	ip link add p0 type veth peer name net1 netns a
	held=$(snapshot)
	prev='{"cniVersion": "1.0.0", "interfaces": [{"name": "net1", "sandbox": "/run/netns/a"}], "ips": []}'
	config devinfo "\"vlan\": 100, \"trust\": \"on\", \"deviceID\": \"$A\", \"prevResult\": $prev" >/tmp/a.json
	call ADD a net1 </tmp/a.json || true
	refused 102 "the network device of $A is in another network namespace"
	same "$held"
	ip -n a link del net1
	held=$(snapshot)
	config devinfo "\"vlan\": 100, \"deviceID\": \"$A\", \"delegates\": [{\"type\": \"ptp\", $IPAM}]" >/tmp/a.json
	call ADD a net1 </tmp/a.json || true
	refused 102 "the network device of $A is in another network namespace"
	same "$held"
	# below the interface, in the same pod, it is the pod's
	ip -n b link set "$NAME" name vf0
	ip -n b link set vf0 up
	ip -n b link add link vf0 name net1 type macvlan
	config devinfo "\"vlan\": 100, \"deviceID\": \"$A\", \"prevResult\": ${prev/netns\/a/netns\/b}" >/tmp/b.json
	call ADD b net1 </tmp/b.json
	on_pf "$PF1" '*vlan 100*'
	call DEL b net1 </tmp/b.json
	ip -n b link del net1
	ip -n b link set vf0 down
	ip -n b link set vf0 name "$NAME"
	ip -n b link set "$NAME" netns 1
	same "$before"
}

@test "a PF that has VFs, and a VF that the node's file denies, are refused, be it behind host-device" {
	printf '{"cniVersion": "1.0.0", "name": "lab", "type": "devinfo", "deviceID": "%s"}' "$PF1" >/tmp/pf.json
	call ADD a net1 </tmp/pf.json || true
	jq -e --arg pf "$PF1" '.code == 102 and (.msg | test("PCI function \($pf) is a physical function with 7 VFs"))' <<<"$answer"
	echo '{"denyDevices": ["0000:01:1?.*"]}' >/tmp/deny.json
	behind a "$A" '"vlan": 100'
	DEVINFO_CONF=/tmp/deny.json call ADD a net1 </tmp/a.json || true
	jq -e --arg a "$A" '.code == 102 and (.msg | test("device \($a) is not allowed: it matches denyDevices"))' <<<"$answer"
	# who has put it there does not matter: kubelet did not give it to a pod
	echo '{"devices": "kubelet"}' >/tmp/kubelet.json
	DEVINFO_CONF=/tmp/kubelet.json call ADD a net1 </tmp/a.json || true
	jq -e '.code == 102 and (.msg | test("CNI_ARGS name no pod"))' <<<"$answer"
	run ! grep -q 'vf 0 .*vlan 100' <<<"$(ip link show "$(netdev_of "$PF1")")"
	call ADD a net1 </tmp/a.json
	release a
	after=$(snapshot)
	[ "$after" = "$before" ]
}

@test "C-DEL-06, C-DEL-12, C-PIT-19: the namespace dies before DEL: the VF is set back at home" {
	behind a "$A" "$CHANGES"
	call ADD a net1 </tmp/a.json
	pod_del a
	call DEL a net1 '' </tmp/a.json
	call DEL a net1 '' </tmp/a.json
	end_of_peer a
	same "$before"
}

# bats test_tags=points
@test "C-CON-05, C-ADD-10: killed at each step of an ADD behind host-device, DEL puts everything back" {
	local n rc pf
	pf=$(netdev_of "$PF1")
	now() {
		in_pod a
		ip -d link show "$pf"
		find /var/lib/cni /run/devinfo "${INFO%/*}" ! -type d ! -name lock ! -path '*/devinfo/index/*'
	}
	behind a "$A" "$CHANGES"
	call ADD a net1 </tmp/a.json	# for the directories
	call DEL a net1 </tmp/a.json
	held=$(now)
	points ADD changes
	call DEL a net1 </tmp/a.json
	echo "$points changes"
	[ "$points" -ge 6 ]
	chosen 1 "$points"
	for n in "${chosen[@]}"; do
		rc=0
		faulty ADD changes kill "$n" >/dev/null 2>&1 || rc=$?
		echo "$n of $points: status $rc"
		[ "$rc" = 137 ]
		call DEL a net1 </tmp/a.json
		diff <(echo "$held") <(now)
	done
	peer DEL a </tmp/a.peer.json
	same "$before"
}

# bind DRIVER VF: that driver, or with '' the usual one, takes it
bind() {
	echo "$1" >"/sys/bus/pci/devices/$2/driver_override"
	echo "$2" >"/sys/bus/pci/devices/$2/driver/unbind"
	echo "$2" >/sys/bus/pci/drivers_probe
}

@test "C-RES-02, C-RES-19: a VF in user space behind another plugin: by prevResult's pciID, and by our deviceID" {
	version=1.1.0
	C=$(vf "$PF1" 1)
	bind vfio-pci "$C"
	before=$(snapshot)
	prev='{"cniVersion":"1.1.0","interfaces":[{"name":"net1","mac":"02:00:00:00:58:0c","sandbox":"/run/netns/a",
		"pciID":"'$C'","x.org/a":1}],"ips":[{"interface":0,"address":"10.56.0.9/24"}]}'
	config devinfo "\"vlan\": 100, \"prevResult\": $prev" >/tmp/a.json
	call ADD a net1 </tmp/a.json
	on_pf "$PF1" '*vlan 100,*' 1
	jq -en --argjson r "$answer" --argjson p "$prev" --slurpfile info "$INFO/lab-a_net1" --arg a "$C" --arg pf "$PF1" '
		$r == $p and ($info[0].pci | ."pci-address" == $a and ."pf-pci-address" == $pf)'
	call DEL a net1 </tmp/a.json
	same "$before"

	version=1.0.0
	prev='{"cniVersion":"1.0.0","interfaces":[{"name":"net1","sandbox":"/run/netns/a"}]}'
	config devinfo "\"mac\": \"02:00:00:00:58:0d\", \"deviceID\": \"$C\", \"prevResult\": $prev" >/tmp/a.json
	call ADD a net1 </tmp/a.json
	on_pf "$PF1" '*02:00:00:00:58:0d*' 1
	[[ $answer == *02:00:00:00:58:0d* ]]
	held=$(snapshot)
	call ADD b net1 </tmp/a.json || true
	refused 11 'belongs to another attachment'
	same "$held"
	call DEL a net1 </tmp/a.json
	same "$before"
	bind '' "$C"
}

# around POD VF MEMBERS [DELEGATE]: in /tmp/POD.json a configuration of ours that lets /tmp/cni/spy, or
# this delegate, move the VF, as Multus completes it
around() {
	local delegate='"type": "spy"'
	config devinfo "\"capabilities\": {\"deviceID\": true, \"CNIDeviceInfoFile\": true}, \"deviceID\": \"$2\",
		\"runtimeConfig\": {\"deviceID\": \"$2\", \"CNIDeviceInfoFile\": \"$INFO/default-nad-$1_net1\"},
		\"delegate\": {${4:-$delegate}, \"capabilities\": {\"deviceID\": true}}, $3" >"/tmp/$1.json"
}

spy_up() {	# host-device, with a diary of what it was asked
	mkdir -p /tmp/cni
	cat >/tmp/cni/spy <<-'SH'
		#!/bin/sh
		cat >/tmp/spy.request
		echo "$CNI_COMMAND $CNI_CONTAINERID ${CNI_NETNS:-none}" >>/tmp/spy.log
		info=$(sed -n 's/.*"CNIDeviceInfoFile":"\([^"]*\)".*/\1/p' /tmp/spy.request)
		[ -z "$info" ] || cp "$info" /tmp/spy.info
		exec /usr/lib/cni/host-device </tmp/spy.request
	SH
	chmod +x /tmp/cni/spy
	: >/tmp/spy.log
	export CNI_PATH=/tmp/cni:/usr/lib/cni
	version=1.1.0
}

STRIPPED='{"cniVersion": "1.1.0", "name": "lab", "type": "devinfo"}'

@test "C-RES-06, C-PIT-13: around host-device as Multus calls us: VF attributes, pciID and mtu are ours, and a stripped DEL ends it" {
	version=1.1.0
	around a "$A" '"vlan": 100, "mtu": 1400' "\"type\": \"host-device\", $IPAM"
	call ADD a net1 </tmp/a.json
	on_pf "$PF1" '*vlan 100,*'
	jq -en --argjson r "$answer" --slurpfile info "$INFO/default-nad-a_net1" --arg a "$A" '
		$r.cniVersion == "1.1.0" and ($r.ips | length) == 1 and $info[0].pci."pci-address" == $a and
		($r.interfaces | length == 1 and (.[0] | .pciID == $a and .mtu == 1400 and .sandbox == "/run/netns/a"))'
	[[ $(in_pod a) == *UP*mtu\ 1400*inet\ 10.56.0.* ]]
	call DEL a net1 '' <<<"$STRIPPED"
	same "$before"
}

# odd_up: a plugin that passes on what it gets, and fails its DEL while there is /tmp/odd.fails
odd_up() {
	cat >/tmp/cni/odd <<-'SH'
		#!/bin/sh
		[ "$CNI_COMMAND" != ADD ] || exec sed 's/.*"prevResult"://; s/}$//'
		echo "$CNI_COMMAND" >>/tmp/odd.log
		[ ! -e /tmp/odd.fails ] || { echo '{"code": 123, "msg": "out of order"}'; exit 1; }
	SH
	chmod +x /tmp/cni/odd
}

# failing_del OPTION...: pod a's DEL under sysfault, where one of its plugins fails
failing_del() {
	: >/tmp/spy.log
	: >/tmp/odd.log
	: >/tmp/odd.fails
	answer=$(ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" CNI_COMMAND=DEL CNI_CONTAINERID=a CNI_IFNAME=net1 \
		CNI_NETNS=/run/netns/a "$SYSFAULT" of sendto "$@" "$DEVINFO" <<<"$STRIPPED" \
		2>/dev/null 3>/tmp/points) || true
	rm /tmp/odd.fails
}

# bats test_tags=points
@test "C-DEL-01: around host-device each netlink request of DEL fails once: PF, interface and plugins do not wait for each other" {
	local n told=0 only_pf=0 only_interface=0 enobufs=105
	spy_up
	odd_up
	version=1.0.0	# of host-device: it would be asked twice
	config devinfo "\"deviceID\": \"$A\", \"vlan\": 100, \"mtu\": 1400, \"delegates\": [
		{\"type\": \"spy\", \"capabilities\": {\"deviceID\": true}}, {\"type\": \"odd\"}],
		\"runtimeConfig\": {\"deviceID\": \"$A\"}" >/tmp/a.json
	call ADD a net1 </tmp/a.json
	failing_del count
	points=$(</tmp/points)
	call DEL a net1 <<<"$STRIPPED"
	chosen 1 "$points" 5
	for n in "${chosen[@]}"; do
		call ADD a net1 </tmp/a.json
		on_pf "$PF1" '*vlan 100,*'
		failing_del fail "$n" $enobufs
		echo "$n: $answer"
		[[ $answer == *'"code":'*'out of order'* ]]
		[ "$(grep -c ^DEL /tmp/spy.log)" = 1 ]
		[ "$(grep -c ^DEL /tmp/odd.log)" = 1 ]
		[[ $answer != *'send a netlink request'* ]] || told=$((told + 1))
		pf=$(ip link show "$(netdev_of "$PF1")" | grep 'vf 0 ')
		interface=$(ip link show dev "$NAME")
		[[ $pf != *vlan\ 100* || $interface != *mtu\ 1500* ]] || only_interface=$((only_interface + 1))
		[[ $pf == *vlan\ 100* || $interface == *mtu\ 1500* ]] || only_pf=$((only_pf + 1))
		call DEL a net1 <<<"$STRIPPED"
		same "$before"
	done
	echo "$points requests, $told errors, $only_pf times the PF's side alone, $only_interface times the interface's"
	[ "$told" -ge 1 ]
	whole 1 "$points" || return 0
	[ "$told" -ge 4 ]
	[ "$only_pf" -ge 1 ]
	[ "$only_interface" -ge 1 ]
}

@test "the example delegates.conflist works as it is" {
	jq -c --arg a "$A" '{cniVersion, name} + .plugins[0] + {runtimeConfig: {deviceID: $a}}' \
		conf/examples/delegates.conflist >/tmp/a.json
	call ADD a net1 </tmp/a.json
	on_pf "$PF1" '*vlan 100,*spoof checking on*'
	[ "$(jq -r '.interfaces[0].pciID, .ips[0].address' <<<"$answer" | paste -sd' ')" = "$A 10.58.0.2/24" ]
	[ "$(ip netns exec a sysctl -n net.ipv4.conf.net1.arp_filter)" -eq 1 ]
	call DEL a net1 </tmp/a.json
	same "$before"
}

@test "C-CHK-06: around a plugin, by resourceName: it reads the device plugin's device-info in its ADD" {
	spy_up
	dp=${INFO%/*}/dp
	mkdir -p "$dp"
	printf '{"type":"pci","version":"1.1.0","pci":{"pci-address":"%s"},"x.org/b":"c"}' "$A" \
		>"$dp/example.com-vf-$A-device.json"
	echo '{"pod_resources": [{"name": "p1", "namespace": "default", "containers": [{"name": "c", "devices": [
		{"resource_name": "example.com/vf", "device_ids": ["'"$A"'"]}]}]}]}' >/tmp/state.json
	start_kubelet /tmp/state.json
	before=$(snapshot)
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1"
	members='"resourceName": "example.com/vf", "vlan": 100, "delegate": {"type": "spy",
		"capabilities": {"deviceID": true, "CNIDeviceInfoFile": true}}'
	config devinfo "$members" >/tmp/a.json
	call ADD a net1 </tmp/a.json
	on_pf "$PF1" '*vlan 100,*'
	jq -en --argjson r "$answer" --slurpfile info "$INFO/lab-a_net1" --slurpfile seen /tmp/spy.info \
		--slurpfile asked /tmp/spy.request --arg a "$A" '$r.interfaces[0].pciID == $a and
		$asked[0].runtimeConfig.deviceID == $a and ($seen[0] | ."x.org/b" == "c" and .pci."pci-address" == $a) and
		$info[0]."x.org/b" == "c"'
	config devinfo "$members, \"prevResult\": $answer" >/tmp/a.json
	call CHECK a net1 </tmp/a.json
	ip link set "$(netdev_of "$PF1")" vf 0 vlan 0
	call CHECK a net1 </tmp/a.json || true
	refused 101 "vlan of VF 0 of $(netdev_of "$PF1"): expected 100, got 0"
	call DEL a net1 <<<"$STRIPPED"
	[ "$(uniq /tmp/spy.log | cut -d' ' -f1,2 | xargs)" = "ADD a CHECK a DEL a" ]
	same "$before"
	rm -r "$dp"
}

@test "C-ADD-10, C-DEL-13: around a plugin: a dead owner's VF is cleaned up with that plugin's DEL before the next ADD" {
	spy_up
	around a "$A" '"vlan": 100, "trust": "on"'
	around b "$A" '"mtu": 1400'
	call ADD a net1 </tmp/a.json
	pod_del a
	call ADD b net1 </tmp/b.json
	[ "$(uniq /tmp/spy.log | xargs)" = "ADD a /run/netns/a DEL a none ADD b /run/netns/b" ]
	on_pf "$PF1" '*ff:ff, spoof checking on*trust off*'
	call DEL a net1 '' <<<"$STRIPPED"	# late
	[[ $(in_pod b) == *UP*mtu\ 1400* ]]
	call DEL b net1 <<<"$STRIPPED"
	ip link set net1 name "$NAME" alias "$NAME"
	same "$before"
}

@test "C-GC-04: GC of an attachment around a plugin whose namespace is gone sets the VF back and tells the plugin" {
	spy_up
	around a "$A" '"vlan": 100, "trust": "on", "mac": "02:00:00:00:58:0e"'
	call ADD a net1 </tmp/a.json
	pod_del a
	sed '$s/}$/, "cni.dev\/valid-attachments": []}/' /tmp/a.json >/tmp/gc.json
	call GC '' '' '' </tmp/gc.json
	[ "$(uniq /tmp/spy.log | xargs)" = "ADD a /run/netns/a DEL a none VERSION none" ]
	ip link set net1 name "$NAME"
	same "$before"
}

@test "C-STA-01, C-CHK-04, C-GC-02, C-GC-04: a VF of our own: STATUS, CHECK of each attribute, GC of the dead one only" {
	version=1.1.0
	config devinfo "\"deviceID\": \"$A\", $CHANGES, $IPAM" >/tmp/a.json
	config devinfo "\"deviceID\": \"$B\", \"vlan\": 7, $IPAM" >/tmp/b.json
	call STATUS '' '' '' </tmp/a.json
	[ -z "$answer" ]
	call ADD a net1 </tmp/a.json
	config devinfo "\"deviceID\": \"$A\", $CHANGES, $IPAM, \"prevResult\": $answer" >/tmp/a.check.json
	call CHECK a net1 </tmp/a.check.json
	ip link set "$(netdev_of "$PF1")" vf 0 vlan 200 qos 3 spoofchk on trust off max_tx_rate 300 mac 02:00:00:00:58:99
	call CHECK a net1 </tmp/a.check.json || true
	refused 101 'vlan of VF 0 of *: expected 100, got 200' 'vlan qos *: expected 2, got 3' 'spoofchk of *: expected off, got on' \
		'max_tx_rate *: expected 500, got 300' 'trust of *: expected on, got off' \
		'mac of VF 0 of *: expected 02:00:00:00:58:0a, got 02:00:00:00:58:99'
	# the same without a call
	drifted=$("$BUILD/bin/devinfoctl" drift --json) || status=$?
	[ "$status" -eq 1 ]
	[ "$(jq -r '.[].what' <<<"$drifted")" = "$(jq -r .details <<<"$answer")" ]

	call ADD b net1 </tmp/b.json
	config devinfo "\"deviceID\": \"$B\", \"vlan\": 7, $IPAM, \"prevResult\": $answer" >/tmp/b.check.json
	pod_del a
	config devinfo "$IPAM, \"cni.dev/valid-attachments\": [{\"containerID\": \"b\", \"ifname\": \"net1\"}]" >/tmp/gc.json
	call GC '' '' '' </tmp/gc.json
	on_pf "$PF1" '*ff:ff, spoof checking on*trust off*'
	[ "$(basename "$(ls -d "/sys/bus/pci/devices/$A/net/"*)")" = "$NAME" ]
	call CHECK b net1 </tmp/b.check.json
	call DEL b net1 </tmp/b.json
	same "$before"
}
