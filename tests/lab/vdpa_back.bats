#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# vdpa_back.bats - vDPA devices are given back: to whom they belong, in time, and after a DEL that was killed
#
# The last test leaves two devices on one function, which vp_vdpa cannot delete one by one.
#
# rooms: cni/vdpa
bats_require_minimum_version 1.5.0
load helpers
load vdpa

BARE='{"cniVersion": "1.1.0", "name": "lab"}'

teardown() {
	local d
	[[ -z ${opener:-} ]] || kill "$opener" || true
	call DEL a net1 <<<"$BARE" || true
	pod_del a
	[[ -n ${crowded:-} ]] || for d in $(devices); do timeout 60 vdpa dev del "$d"; done
	rm -f "${strange:-}"
	[[ -z ${backend:-} ]] || kill -9 "$backend" || true
}

del_bare() { call DEL a net1 <<<"$BARE"; }
collect() { call GC a net1 <<<'{"cniVersion": "1.1.0", "name": "lab", "type": "devinfo", "cni.dev/valid-attachments": []}'; }

# in_time COMMAND...: it says that nothing can be done now, and does not wait for it; of three tries, for the machine may
# be busy, and then takes seconds for what is one here
in_time() {
	for _ in 1 2 3; do
		ended 8000 "$@" && return
	done
	return 1
}

# remade DEVICE: its node in /dev, after a test has taken it away
remade() {
	local node
	node=$(node_of "$1")
	rm -f "/dev/$node"
	IFS=: read -r major minor <"$DEVICES/$1/$node/dev"
	mknod -m 600 "/dev/$node" c "$major" "$minor"
}

@test "the node is not in /dev, or another is there: DEL and GC end, but not while it is in use" {
	vdpa dev add name sim0 mgmtdev "$SIM" mac 02:00:00:00:63:01
	node=/dev/$(node_of sim0)
	strange=$node		# the kernel removes none that it has not made
	given=$(everything)
	vconf '.deviceID = "sim0" | .vdpa = {nodeOwner: "107:107"} | del(.ipam)' >/tmp/a.json
	# no character device, another, none: nothing is attached
	rm "$node"
	touch "$node"
	refused_at_once 102 "$node is not a character device" /tmp/a.json
	rm "$node"
	mknod "$node" c 1 3
	refused_at_once 102 "$node has the numbers 1:3" /tmp/a.json
	rm "$node"
	refused_at_once 102 "node $node of vDPA device sim0.*No such file" /tmp/a.json
	remade sim0
	call ADD a net1 </tmp/a.json
	hold sim0
	rm "$node"
	mknod "$node" c 1 3
	in_time del_bare
	failed 11 'has .* open'
	let_go
	call DEL a net1 <<<"$BARE"
	[ "$(stat -c '%u:%g %t:%T' "$node")" = 0:0\ 1:3 ]
	remade sim0
	again everything "$given"
	vdpa dev del sim0
	rm "$node"

	vconf '.vdpa = {mgmtdev: "vdpasim_net", driver: "vhost"} | del(.ipam)' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	hold "$(devices)"
	rm "$node"
	ip netns del a
	in_time collect
	failed 11 'has .* open'
	recorded
	let_go
	collect
	pod_new a
	as_before
}

@test "a program has the node: GC is told to try again, and a later one does it" {
	vconf '.vdpa = {mgmtdev: "vdpasim_net", driver: "vhost"}' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	hold "$(devices)"
	ip netns del a
	left=$(at_a_glance)
	in_time collect
	failed 11 'has .* open'
	[ "$(at_a_glance)" = "$left" ]
	timeout 60 vdpa dev show
	let_go
	collect
	pod_new a
	as_before
}

# What the pod has, and all that stands for it.
of_pod() { ip -n a -4 -o addr show net1; find /var/lib/cni /run/devinfo; printf '%s\n' $DEVICES/dv*/driver; }

@test "a deletion of somebody's is stuck: DEL is told to try again in time, and has undone nothing" {
	vdpa dev add name sim0 mgmtdev "$SIM"
	vconf '.vdpa = {mgmtdev: "vdpasim_net", driver: "virtio", mac: "02:00:00:00:63:02"}' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	hold sim0
	stick sim0
	left=$(of_pod)
	in_time del_bare
	failed 11 'no answer in time'
	diff <(echo "$left") <(of_pod)
	let_go
	until_holds deleted sim0
	wait "$stuck" || true
	call DEL a net1 <<<"$BARE"
	as_before
}

@test "an ADD is killed whose child is still in the kernel: the record stays until that has answered" {
	vdpa dev add name sim0 mgmtdev "$SIM"
	vconf '.vdpa = {mgmtdev: "vdpasim_net", driver: "virtio", mac: "02:00:00:00:63:03"} | del(.ipam)' >/tmp/a.json
	hold sim0
	: >/tmp/trace
	ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" CNI_COMMAND=ADD CNI_CONTAINERID=a CNI_IFNAME=net1 CNI_NETNS=/run/netns/a \
		strace -f -qq -o /tmp/trace -e trace=sendto -e inject=sendto:delay_enter=2000000:when=2 \
		"$DEVINFO" </tmp/a.json >/dev/null 2>&1 3>&- &
	adding=$!
	until_holds senders 3	# the last of which is the one that creates, for nobody asks for devices
	add=$(pgrep -P "$adding")
	kill -STOP "$add"	# it does not wait for us
	recorded
	stick sim0
	sleep 2.5		# the child's second request has begun to wait by then
	kill -9 "$add"
	in_time del_bare
	failed 11 'no answer in time'
	recorded
	let_go
	until_holds deleted sim0
	wait "$stuck" "$adding" || true
	until_holds del_bare
	run ! recorded
	as_before
}

@test "one of our name that somebody made elsewhere, while an ADD was killed, is left to him" {
	vp_bind $F1
	before=$(everything)
	vconf '.vdpa = {mgmtdev: "vdpasim_net", driver: "vhost"} | del(.ipam)' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	name=$(devices)
	vdpa dev del "$name"
	vdpa dev add name "$name" mgmtdev pci/$F1
	call DEL a net1 <<<"$BARE"
	run ! recorded
	[ "$(devices)" = "$name" ]
	vdpa dev del "$name"
	as_before
}

@test "a name that is taken between our look and our making: 103, and the other's stays" {
	vconf '.vdpa = {mgmtdev: "vdpasim_net", driver: "vhost"} | del(.ipam)' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	name=$(devices)
	call DEL a net1 <<<"$BARE"
	rm -f /tmp/out
	ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" CNI_COMMAND=ADD CNI_CONTAINERID=a CNI_IFNAME=net1 CNI_NETNS=/run/netns/a \
		strace -qq -o /dev/null -e trace=fsync -e inject=fsync:delay_enter=3000000:when=2 \
		"$DEVINFO" </tmp/a.json >/tmp/out 2>/dev/null 3>&- &
	adding=$!
	until_holds recorded
	vdpa dev add name "$name" mgmtdev "$SIM"
	wait "$adding" || true
	answer=$(</tmp/out)
	failed 103 'File exists'
	run ! recorded
	[ "$(devices)" = "$name" ]
	vdpa dev del "$name"
	as_before
}

@test "driver_override is the new driver's, and comes back; a mac is the interface's, and comes back" {
	vdpa dev add name sim0 mgmtdev "$SIM" mac 02:00:00:00:63:10 mtu 1450
	echo vhost_vdpa >$DEVICES/sim0/driver_override
	given=$(everything)
	vconf '.deviceID = "sim0" | .mac = "02:00:00:00:63:11" | .vdpa = {driver: "virtio", switchDriver: true}' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	[ "$(driver_of sim0)" = virtio_vdpa ]
	[ "$(<$DEVICES/sim0/driver_override)" = virtio_vdpa ]
	ip -n a link show net1 | grep -q 'ether 02:00:00:00:63:11'
	vdpa dev config show sim0 | grep -q 'mac 02:00:00:00:63:11'
	check /tmp/a.json
	call DEL a net1 <<<"$BARE"
	[ "$(<$DEVICES/sim0/driver_override)" = vhost_vdpa ]
	again everything "$given"
}

@test "made on VDUSE whose back-end is killed: DEL ends in time, and the device goes" {
	vconf '.vdpa = {mgmtdev: "vdpasim_net", driver: "vhost"} | del(.ipam)' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	name=$(devices)
	call DEL a net1 <<<"$BARE"
	rm -f /tmp/backend.out
	"$BUILD/tests/fake/vduse_backend" "$name" 02:00:00:00:00:78 1400 >/tmp/backend.out 3>&- &
	backend=$!
	until_holds backend_is_ready
	vconf '.vdpa = {mgmtdev: "vduse", driver: "vhost"} | del(.ipam)' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	kill -9 "$backend"
	backend=
	ended 6000 call DEL a net1 <<<"$BARE"
	[ "$answer" = "" ] || failed 11 ''
	until_holds del_bare
	run ! recorded
	as_before
}

# -- a DEL that is killed --

quickly() { vdpa -j dev config show; at_a_glance | sed -E 's/virtio[0-9]+/virtioN/'; }

kill_everywhere() {
	local n rc quick steps=clone,munmap,sendto,unlinkat
	quick=$(quickly)
	call ADD a net1 </tmp/a.json
	points DEL of $steps
	[ "$points" -gt 11 ]
	chosen 1 "$points" 6
	for n in "${chosen[@]}"; do
		rc=0
		call ADD a net1 </tmp/a.json
		faulty DEL of $steps kill "$n" >/dev/null 2>&1 || rc=$?
		echo "$n: status $rc"
		[ "$rc" = 137 ] || [ "$n:$rc" = "$points:0" ]	# their number changes by one
		call DEL a net1 <<<"$BARE"
		again quickly "$quick"
	done
	again numbered "$given"
	run ! recorded
	echo "# ${#chosen[@]} of $points steps" >&3
}

# bats test_tags=points
@test "a DEL that is killed at each of its steps, of one that was made: the next one ends it" {
	vconf '.vdpa = {mgmtdev: "vdpasim_net", driver: "virtio", mac: "02:00:00:00:63:05"} | del(.ipam)' >/tmp/a.json
	given=$(numbered)
	kill_everywhere
}

# bats test_tags=points
@test "a DEL that is killed at each of its steps, of one that is bound back: the next one ends it" {
	vdpa dev add name sim0 mgmtdev "$SIM" mac 02:00:00:00:63:06
	rebind sim0 virtio_vdpa
	ip link set "$(netdev_of_vdpa sim0)" name uplink0 mtu 1300 alias kept
	vconf '.deviceID = "sim0" | .mac = "02:00:00:00:63:07" | .vdpa = {driver: "vhost", switchDriver: true} | del(.ipam)' >/tmp/a.json
	given=$(numbered)
	kill_everywhere
}

# -- whose network device is it? --

foreign() { ip -d -j link show "$1"; }

@test "the device has gone, and its virtioN is another's: that is left alone" {
	vp_bind $F1
	vdpa dev add name vp0 mgmtdev pci/$F1
	rebind vp0 virtio_vdpa
	virtio=$(cd /sys/bus/pci/devices/$F1 && echo virtio*)
	vconf '.deviceID = "vp0" | .mtu = 1400 | del(.ipam)' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	vdpa dev del vp0
	vdpa dev add name other mgmtdev "$SIM" mac 02:00:00:00:63:88
	rebind other virtio_vdpa
	[ -e "$DEVICES/other/$virtio" ]
	ip link set "$(netdev_of_vdpa other)" name foreign1 mtu 1234
	left=$(foreign foreign1)
	call DEL a net1 <<<"$BARE"
	run ! recorded
	[ "$(foreign foreign1)" = "$left" ]
}

@test "two on one function: DEL restores the right one, though its virtioN is the other's by now" {
	crowded=1
	vp_bind $F2
	vdpa dev add name one mgmtdev pci/$F2
	vdpa dev add name two mgmtdev pci/$F2
	rebind one virtio_vdpa
	virtio=$(cd /sys/bus/pci/devices/$F2 && echo virtio*)
	ip link set "$(ls /sys/bus/pci/devices/$F2/virtio*/net)" name uplink0 mtu 1300
	vconf '.deviceID = "one" | .vdpa = {driver: "vhost", switchDriver: true} | del(.ipam)' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	rebind two virtio_vdpa
	[ -e "/sys/bus/pci/devices/$F2/$virtio" ]
	ip link set "$(ls /sys/bus/pci/devices/$F2/virtio*/net)" name foreign0 mtu 1234
	left=$(foreign foreign0)
	call DEL a net1 <<<"$BARE"
	[ "$(driver_of one)" = virtio_vdpa ]
	[ "$(foreign foreign0)" = "$left" ]
	[ "$(</sys/class/net/uplink0/mtu)" = 1300 ]
}
