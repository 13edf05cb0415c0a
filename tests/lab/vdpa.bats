#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# vdpa.bats - vDPA attachments: made or given, by both drivers, and what keeps a DEL from its end
#
# rooms: cni/vdpa
bats_require_minimum_version 1.5.0
load helpers
load vdpa

@test "C-ISS-19, C-VDP-06, C-VDP-16: made for the pod, virtio: net1 with mac, mtu and address, device-info, CHECK; DEL deletes it" {
	vconf '.vdpa = {driver: "virtio", mgmtdev: "vdpasim_net", mac: "02:00:00:00:61:01", mtu: 1450}' >/tmp/a.json
	CNI_ARGS="IgnoreUnknown=1;MAC=02:00:00:00:61:01" call ADD a net1 </tmp/a.json	# the pod may say the same
	echo "$answer"
	name=$(devices)
	[[ $name =~ ^dv[0-9a-f]{12}$ ]]
	[ "$(driver_of "$name")" = virtio_vdpa ]
	virtio=$(last_of "$DEVICES/$name"/virtio*)
	jq -e '.interfaces == [{name: "net1", mac: "02:00:00:00:61:01", mtu: 1450, sandbox: "/run/netns/a"}]' <<<"$answer"
	jq -e '.ips | length == 1 and (.[0].address | startswith("10.56.0.")) and .[0].interface == 0' <<<"$answer"
	ip -n a -j addr show net1 | jq -e '.[0] | .mtu == 1450 and .address == "02:00:00:00:61:01" and
		(.flags | index("UP")) and (.addr_info | any(.local | startswith("10.56.0.")))'
	info | jq -e --arg n "$name" --arg v "$virtio" '.type == "vdpa" and
		.vdpa == {"parent-device": $n, driver: "virtio", path: "/sys/bus/virtio/devices/\($v)"}'
	added=$answer
	check /tmp/a.json
	ip -n a link set net1 mtu 1400 address 02:00:00:00:61:0f
	finds /tmp/a.json 'mac: expected 02:00:00:00:61:01, got 02:00:00:00:61:0f.*mtu: expected 1450, got 1400'
	ip -n a addr flush dev net1
	finds /tmp/a.json 'address: .* is gone'
	call DEL a net1 </tmp/a.json
	call DEL a net1 </tmp/a.json
	as_before
}

@test "C-ISS-19, C-VDP-07, C-VDP-11: made for the pod, vhost: its node with owner and mode; DEL deletes it" {
	vconf '.vdpa = {driver: "vhost", mgmtdev: "vdpasim_net", nodeOwner: "107:108", nodeMode: "0660"}
		| .mac = "02:00:00:00:61:02"' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	echo "$answer"
	name=$(devices)
	node=$(node_of "$name")
	[ "$(stat -c '%u:%g %a %F' "/dev/$node")" = "107:108 660 character special file" ]
	jq -e '.interfaces | length == 1 and .[0].name == "net1" and .[0].mac == "02:00:00:00:61:02" and
		.[0].sandbox == "/run/netns/a" and .[0].mtu == 1500' <<<"$answer"
	jq -e '.ips | length == 1' <<<"$answer"
	ip -n a -j link | jq -e 'map(.ifname) == ["lo"]'
	info | jq -e --arg n "$name" --arg p "/dev/$node" '.type == "vdpa" and
		.vdpa == {"parent-device": $n, driver: "vhost", path: $p}'
	check /tmp/a.json
	call DEL a net1 </tmp/a.json
	call DEL a net1 </tmp/a.json
	as_before
}

@test "C-VDP-17: a DEL while a program has the node is told to try again, and changes nothing" {
	vconf '.vdpa = {driver: "vhost", mgmtdev: "vdpasim_net"}' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	before_del=$(everything)
	hold "$(devices)"
	ended 8000 call DEL a net1 </tmp/a.json
	failed 11 open
	before=$before_del as_before
	timeout 60 vdpa dev show
	# somebody does what we do not, and is stuck
	stick "$(devices)"
	ended 8000 call DEL a net1 </tmp/a.json
	failed 11 ''
	let_go
	wait "$stuck"
	call DEL a net1 </tmp/a.json
	as_before
}

# -- a device of VDUSE's, with real packets --

@test "C-VDP-12: given, virtio, of VDUSE: a pod pings through it; name, mac, mtu and state come back" {
	backend_start vduse0
	rebind vduse0 virtio_vdpa
	ip link set "$(netdev_of_vdpa vduse0)" name uplink0 mtu 1300
	given=$(everything)
	vconf '.deviceID = "vduse0" | .mac = "02:00:00:00:61:03" | .mtu = 1280' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	echo "$answer"
	jq -e '.interfaces == [{name: "net1", mac: "02:00:00:00:61:03", mtu: 1280, sandbox: "/run/netns/a"}]' <<<"$answer"
	reaches a 10.56.0.254
	info | jq -e '.vdpa["parent-device"] == "vduse0" and .vdpa.driver == "virtio" and
		(.vdpa.path | test("^/sys/bus/virtio/devices/virtio[0-9]+$"))'
	check /tmp/a.json
	call DEL a net1 </tmp/a.json
	before=$given as_before
	backend_end vduse0
	as_before
}

@test "C-VDP-02: given, by its management device, which has to have made but one" {
	vdpa dev add name sim0 mgmtdev $SIM mac 02:00:00:00:61:20
	given=$(everything)
	vconf ".deviceID = \"$SIM\" | .vdpa = {}" >/tmp/a.json
	call ADD a net1 </tmp/a.json
	info | jq -e '.vdpa["parent-device"] == "sim0"'
	call DEL a net1 </tmp/a.json
	again everything "$given"
	vdpa dev add name sim1 mgmtdev $SIM
	before=$(everything)
	refused 102 "'vdpasim_net' has several vDPA devices.*sim0.*sim1" /tmp/a.json
}

# It has its carrier and its own address, which take a moment and are a part of every snapshot.
has_come_up() { [ "$(<"/sys/class/net/$1/operstate")" = up ] && [[ $(ip -6 -o addr show dev "$1") = *fe80::* ]]; }

@test "C-VDP-03, C-VDP-04, C-VDP-06: given, and bound to the other driver and back, both ways; only where that is allowed" {
	backend_start vduse0
	given=$(everything)
	vconf '.deviceID = "vduse0" | .vdpa = {driver: "virtio"}' >/tmp/no.json
	call ADD a net1 </tmp/no.json && return 1
	failed 102 'bound to vhost_vdpa, not to virtio_vdpa, and vdpa.switchDriver does not'
	before=$given as_before
	# the device does not take the address, its network device does
	jq -c '.vdpa.switchDriver = true | .mac = "02:00:00:00:61:09"' /tmp/no.json >/tmp/a.json
	call ADD a net1 </tmp/a.json
	[ "$(driver_of vduse0)" = virtio_vdpa ]
	[[ $answer == *'"mac":"02:00:00:00:61:09"'* ]]
	reaches a 10.56.0.254
	check /tmp/a.json
	call DEL a net1 </tmp/a.json
	before=$given as_before

	rebind vduse0 virtio_vdpa
	ip link set "$(netdev_of_vdpa vduse0)" name uplink0 mtu 1300 alias kept
	ip link set uplink0 up
	until_holds has_come_up uplink0
	given=$(numbered)
	vconf '.deviceID = "vduse0" | .vdpa = {driver: "vhost", switchDriver: true}' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	jq -e '.interfaces == [{name: "net1", mac: "02:00:00:00:00:77", mtu: 1400, sandbox: "/run/netns/a"}]' <<<"$answer"
	info | jq -e --arg p "/dev/$(node_of vduse0)" '.vdpa.driver == "vhost" and .vdpa.path == $p'
	check /tmp/a.json
	call DEL a net1 </tmp/a.json
	again numbered "$given"
	backend_end vduse0
	as_before
}

@test "C-VDP-05: given, vhost: mac is set on the device, and what was there comes back" {
	vdpa dev add name sim0 mgmtdev $SIM mac 02:00:00:00:61:10
	given=$(everything)
	vconf '.deviceID = "sim0" | .mac = "02:00:00:00:61:11" | .vdpa = {nodeOwner: "107:107", nodeMode: "0600"}' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	jq -e '.interfaces[0].mac == "02:00:00:00:61:11"' <<<"$answer"
	vdpa dev config show sim0 | grep -q 'mac 02:00:00:00:61:11'
	[ "$(stat -c %u:%g "/dev/$(node_of sim0)")" = 107:107 ]
	check /tmp/a.json
	call DEL a net1 </tmp/a.json
	before=$given as_before
	vdpa dev del sim0
	as_before

	backend_start vduse0		# which does not take another
	given=$(everything)
	jq -c '.deviceID = "vduse0"' /tmp/a.json >/tmp/b.json
	call ADD a net1 </tmp/b.json || true
	jq -e '.code > 0 and (.msg + .details | test("02:00:00:00:00:77.*Operation not supported"))' <<<"$answer"
	before=$given as_before
	backend_end vduse0
}

@test "C-VDP-17: the back-end is killed: DEL ends in time, with code 11 where something is left, and a later one does it" {
	backend_start vduse0
	vconf '.deviceID = "vduse0" | .vdpa = {driver: "virtio", switchDriver: true}' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	reaches a 10.56.0.254
	kill -9 "$backend"
	ended 6000 call DEL a net1 </tmp/a.json
	failed 11 ''
	until_holds call DEL a net1 </tmp/a.json
	[ "$(driver_of vduse0)" = vhost_vdpa ]
	ended 60000 vdpa dev del vduse0
	as_before

	# with vhost
	backend_start vduse1
	vconf '.deviceID = "vduse1" | .vdpa.driver = "vhost"' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	kill -9 "$backend"
	ended 8000 call DEL a net1 </tmp/a.json
	call DEL a net1 </tmp/a.json
	ended 60000 vdpa dev del vduse1
	as_before
}

@test "C-VDP-18: the host has an interface of the pod's name when the namespace dies: it gets its own name back" {
	vdpa dev add name sim0 mgmtdev $SIM mac 02:00:00:00:61:12 mtu 1450
	rebind sim0 virtio_vdpa
	ip link set "$(netdev_of_vdpa sim0)" name uplink0
	ip link add net1 type dummy
	given=$(everything)
	vconf '.deviceID = "sim0" | .mac = "02:00:00:00:61:13" | .mtu = 1400' >/tmp/a.json
	for end in DEL GC; do
		call ADD a net1 </tmp/a.json
		ip netns del a
		if [ $end = DEL ]; then
			ended 10000 call DEL a net1 </tmp/a.json
		else
			jq -c '."cni.dev/valid-attachments" = []' /tmp/a.json >/tmp/gc.json
			ended 10000 call GC a net1 </tmp/gc.json
		fi
		pod_new a
		again everything "$given"
	done
	vconf '.vdpa = {mgmtdev: "vdpasim_net", driver: "virtio", mac: "02:00:00:00:61:14"}' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	ip netns del a
	ended 10000 call DEL a net1 </tmp/a.json
	pod_new a
	again everything "$given"
	ip link del net1
}

@test "C-VDP-15: CHECK tells of another driver, and of a device that has gone" {
	vconf '.vdpa = {mgmtdev: "vdpasim_net", driver: "vhost", mac: "02:00:00:00:61:15"}' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	added=$answer
	name=$(devices)
	check /tmp/a.json
	rebind "$name" virtio_vdpa
	answer=$added
	check /tmp/a.json || true
	jq -e --arg n "$name" '.code == 101 and (.details | test("driver of vDPA device \($n): expected vhost_vdpa, got virtio_vdpa"))' <<<"$answer"
	vdpa dev del "$name"
	answer=$added
	check /tmp/a.json || true
	jq -e --arg n "$name" '.code == 101 and (.details | test("vDPA device \($n) is gone"))' <<<"$answer"
	call DEL a net1 </tmp/a.json
	as_before
}

@test "C-VDP-13, C-VDP-14: a device plugin's file that is wrong or says too little is repaired, with a warning" {
	vdpa dev add name sim0 mgmtdev $SIM mac 02:00:00:00:61:16
	vconf '.deviceID = "sim0" | .resourceName = "lab/vdpa"' >/tmp/a.json
	for wrong in '{path: 7}' '{"pci-address": "0000:65:00.3"}'; do
		dp sim0 "$wrong"
		refused_at_once 106 'device-info' /tmp/a.json
	done
	dp sim0 '{"parent-device": "sim9", driver: "vhost", path: "pci/0000:65:00.3"}'
	call ADD a net1 </tmp/a.json 2>/tmp/err
	cat /tmp/err
	grep -q "level=warning.*sim0.*parent-device 'sim9' is 'sim0', path 'pci/0000:65:00.3' is '/dev/$(node_of sim0)'" /tmp/err
	info | jq -e --arg p "/dev/$(node_of sim0)" '.vdpa == {"parent-device": "sim0", driver: "vhost", path: $p}'
	call DEL a net1 </tmp/a.json

	rebind sim0 virtio_vdpa
	dp sim0 '{"parent-device": "sim0", driver: "virtio"}'
	call ADD a net1 </tmp/a.json 2>/tmp/err
	grep -q "level=warning.*path was missing" /tmp/err
	info | jq -e '.vdpa.path | test("^/sys/bus/virtio/devices/virtio[0-9]+$")'
	call DEL a net1 </tmp/a.json

	# of one that is bound to none it names the driver, which goes again
	echo sim0 >"$DEVICES/sim0/driver/unbind"
	given=$(everything)
	call ADD a net1 </tmp/a.json
	[ "$(driver_of sim0)" = virtio_vdpa ]
	call DEL a net1 </tmp/a.json
	again everything "$given"
	refused_at_once 102 'is bound to no driver: vdpa.driver says' <(vconf '.deviceID = "sim0"')
	echo sim0 >/sys/bus/vdpa/drivers/vhost_vdpa/bind

	# one that is right
	dp sim0 '{"parent-device": "sim0", driver: "vhost", path: "/dev/vhost-vdpa-0"}'
	call ADD a net1 </tmp/a.json 2>/tmp/err
	run ! grep -q level=warning /tmp/err
	call DEL a net1 </tmp/a.json
	rm /var/run/k8s.cni.cncf.io/devinfo/dp/lab-vdpa-*
}

@test "C-VDP-09, C-VDP-15: CHECK tells of the node's owner, mode and numbers, and of the device's address, MTU and queues" {
	vconf '.vdpa = {mgmtdev: "vdpasim_net", driver: "vhost", nodeOwner: "107:108", nodeMode: "0660"}
		| .mac = "02:00:00:00:61:15" | .mtu = 1400' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	added=$answer
	# without a network device the attachment's mtu is the device's
	[[ $answer == *'"mtu":1400'* && $(</run/devinfo/status/a.json) == *'"mtu":1400'* ]]
	name=$(devices)
	node=/dev/$(node_of "$name")
	check /tmp/a.json
	chown 0:0 "$node"
	chmod 600 "$node"
	finds /tmp/a.json "owner of $node: expected 107:108, got 0:0.*mode of $node: expected 0660, got 0600"
	mv "$node" /dev/kept
	finds /tmp/a.json "node of vDPA device $name"
	mknod "$node" c 1 3
	finds /tmp/a.json "node of vDPA device $name: $node has the numbers 1:3"
	mv /dev/kept "$node"
	jq -c 'del(.vdpa.nodeOwner, .vdpa.nodeMode) | .mac = "02:00:00:00:61:16" | .mtu = 1300 | .vdpa.maxVqp = 2' \
		/tmp/a.json >/tmp/b.json
	finds /tmp/b.json "mac of vDPA device $name: expected 02:00:00:00:61:16, got 02:00:00:00:61:15"
	failed 101 "mtu of vDPA device $name: expected 1300, got 1400.*maxVqp of vDPA device $name: expected 2, got 1"
	call DEL a net1 </tmp/a.json
	as_before
}

@test "C-VDP-11, C-VDP-12: without ipam, by both drivers: an interface in the result, and no addresses" {
	vconf 'del(.ipam) | .vdpa = {mgmtdev: "vdpasim_net", driver: "vhost"}' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	# a simulator's device has no address of its own, and nobody gave it one
	jq -e '.interfaces == [{name: "net1", mtu: 1500, sandbox: "/run/netns/a"}] and (.ips // [] | length) == 0' <<<"$answer"
	check /tmp/a.json
	call DEL a net1 </tmp/a.json
	as_before
	vconf 'del(.ipam) | .vdpa = {mgmtdev: "vdpasim_net", driver: "virtio", mac: "02:00:00:00:61:17"}' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	jq -e '.interfaces[0].mac == "02:00:00:00:61:17" and (.ips // [] | length) == 0' <<<"$answer"
	check /tmp/a.json
	call DEL a net1 </tmp/a.json
	as_before
}

# together VERB A B N: of pods a and b at once, each with its configuration; so many have succeeded
together() {
	local n=0 a b
	call "$1" a net1 <"$2" 3>&- >/tmp/out.a 2>&1 &
	a=$!
	call "$1" b net1 <"$3" 3>&- >/tmp/out.b 2>&1 &
	b=$!
	if wait "$a"; then n=$((n + 1)); fi
	if wait "$b"; then n=$((n + 1)); fi
	cat /tmp/out.a /tmp/out.b
	[ "$n" = "$4" ]
}

@test "two pods at once: each has its own, one that there is once has but one of them" {
	pod_new b
	vconf '.vdpa = {mgmtdev: "vdpasim_net", driver: "virtio", mac: "02:00:00:00:61:18"}' >/tmp/a.json
	vconf '.vdpa = {mgmtdev: "vdpasim_net", driver: "vhost", mac: "02:00:00:00:61:19"}' >/tmp/b.json
	together ADD /tmp/a.json /tmp/b.json 2
	mapfile -t made < <(devices)
	[ "${#made[@]}" = 2 ]
	together DEL /tmp/a.json /tmp/b.json 2
	as_before
	vdpa dev add name sim0 mgmtdev $SIM
	given=$(everything)
	vconf '.deviceID = "sim0"' >/tmp/a.json
	together ADD /tmp/a.json /tmp/a.json 1
	answer=$(cat /tmp/out.a /tmp/out.b)
	failed 11 'sim0 belongs to another attachment'
	together DEL /tmp/a.json /tmp/a.json 2
	again everything "$given"
	pod_del b
}

has_received() { [[ $(</tmp/testpmd.out) =~ RX-packets:\ [1-9] ]]; }

@test "C-VDP-13: a DPDK program that starts from the device-info file sends and receives by the node" {
	backend_start vduse2
	vconf '.deviceID = "vduse2" | .vdpa.driver = "vhost"' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	path=$(info | jq -er 'select(.type == "vdpa" and .vdpa.driver == "vhost") | .vdpa.path')
	ip netns exec a timeout -s INT 400 dpdk-testpmd --lcores '0@0,1@0' --no-huge -m 48 --no-pci --no-telemetry \
		--file-prefix=pod --vdev="net_virtio_user0,path=$path,queues=1" -- --total-num-mbufs=2048 \
		--forward-mode=flowgen --stats-period=1 --no-mlockall >/tmp/testpmd.out 2>&1 3>&- &
	testpmd=$!
	until_holds has_received || { tail -n 40 /tmp/testpmd.out && return 1; }
	grep -m 1 'TX-packets: [1-9]' /tmp/testpmd.out
	ended 8000 call DEL a net1 </tmp/a.json		# while it runs
	failed 11 ''
	kill -INT "$testpmd"
	wait "$testpmd" || true
	testpmd=
	call DEL a net1 </tmp/a.json
	backend_end vduse2
	as_before
}

@test "an ADD and a DEL of a vDPA device open as many files with 300 attachments of those as with none" {
	vconf 'del(.ipam) | .vdpa = {driver: "vhost", mgmtdev: "vdpasim_net"}' >/tmp/a.json
	costs_the_same
	as_before
}
