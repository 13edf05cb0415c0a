#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# vdpa_fault.bats - vDPA attachments that are refused, or whose ADD is killed at every step
#
# rooms: cni/vdpa
bats_require_minimum_version 1.5.0
load helpers
load vdpa

# made JQ: a configuration of a device that is made on the simulator
made() { vconf ".vdpa = {mgmtdev: \"$SIM\", driver: \"virtio\", mac: \"02:00:00:00:61:04\"} | $1"; }

@test "C-VDP-10: what is wrong is refused before anything is changed" {
	for mac in 01:00:00:00:61:01 00:00:00:00:00:00; do
		refused_at_once 7 "invalid vdpa.mac '$mac': must be a unicast" <(made ".vdpa.mac = \"$mac\"")
		refused_at_once 7 "invalid mac '$mac': must be a unicast Ethernet address" <(made ".mac = \"$mac\" | .vdpa.driver = \"vhost\"")
	done
	refused_at_once 7 'vdpa.mtu: ' <(made '.vdpa.mtu = 67')
	refused_at_once 7 'vdpa.mtu: ' <(made '.vdpa.mtu = 65536 | .vdpa.driver = "vhost"')
	refused_at_once 7 'mtu: expected an integer of 68' <(made '.mtu = 67 | .vdpa.driver = "vhost"')
	refused_at_once 7 'vdpa.nodeMode: with driver virtio there is no node' <(made '.vdpa.nodeMode = "0660"')
	refused_at_once 7 'has not 0x4000000000000 of' <(made '.vdpa.features = "0x4000000000000"')
	for driver in vhost virtio; do
		refused_at_once 102 'no vDPA management device nosuch.*there is.*vdpasim_net' <(made ".vdpa.mgmtdev = \"nosuch\" | .vdpa.driver = \"$driver\"")
	done
	refused_at_once 102 'no PCI device 0000:ff:1f.7' <(made '.vdpa.mgmtdev = "pci/0000:ff:1f.7"')
	refused_at_once 7 'vdpa.driver: a device that is made needs one' <(made 'del(.vdpa.driver)')
	refused_at_once 102 "deviceID 'nosuch': this node has no such" <(vconf '.deviceID = "nosuch" | .vdpa = {}')
	as_before
}

@test "C-VDP-05: what only the kernel knows is refused in its words, and nothing is left" {
	for driver in vhost virtio; do
		refused 104 'create.*max_vqp 2.*Some provided attributes are not supported: 0x1000' <(made ".vdpa.maxVqp = 2 | .vdpa.driver = \"$driver\"")
	done
	# the back-end of this name is not there
	refused 104 'create.*Invalid argument' <(made '.vdpa.mgmtdev = "vduse" | del(.vdpa.mac)')
	# these have been made by then
	refused 102 'has no address of its own' <(made 'del(.vdpa.mac)')
	refused 104 'mtu greater than device maximum' <(made '.mtu = 9000')
	vp_bind $F1
	before=$(everything)
	refused 104 'attributes are not supported: 0x400' <(made ".vdpa.mgmtdev = \"pci/$F1\" | .vdpa.mac = \"02:00:00:00:61:01\"")
	refused 104 'attributes are not supported: 0x2000' <(made ".vdpa.mgmtdev = \"$F1\" | .vdpa.mtu = 1400 | del(.vdpa.mac)")
}

@test "a name that is taken, a device in use, a driver that is not there" {
	made . >/tmp/a.json
	call ADD a net1 </tmp/a.json
	name=$(devices)
	call DEL a net1 </tmp/a.json
	vdpa dev add name "$name" mgmtdev $SIM		# somebody else's
	before=$(everything)
	refused_at_once 103 "there is a vDPA device $name" /tmp/a.json
	refused_at_once 103 "there is a vDPA device $name" <(made '.vdpa.driver = "vhost"')
	hold "$name"
	refused_at_once 11 'has /dev/vhost-vdpa-[0-9]+ open' <(vconf ".deviceID = \"$name\"")
	refused_at_once 11 'open' <(vconf ".deviceID = \"$name\" | .vdpa = {driver: \"virtio\", switchDriver: true}")
	let_go
	as_before
	vdpa dev del "$name"
	modprobe -r virtio_vdpa
	before=$(everything)
	refused 102 'driver virtio_vdpa for vDPA device .* is not loaded' /tmp/a.json
	modprobe virtio_vdpa
}

answered() { [ -s /tmp/out ]; }

@test "a creation that ADD does not wait for any longer is made after all: DEL knows it" {
	vp_bind $F1		# the simulator needs a thread, which who is killed does not get
	before=$(everything)
	vconf ".vdpa = {mgmtdev: \"pci/$F1\", driver: \"vhost\"}" >/tmp/a.json
	vdpa dev add name sim0 mgmtdev $SIM
	hold sim0
	rm -f /tmp/out
	: >/tmp/trace
	ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" CNI_COMMAND=ADD CNI_CONTAINERID=a CNI_IFNAME=net1 CNI_NETNS=/run/netns/a \
		strace -f -qq -o /tmp/trace -e trace=sendto -e inject=sendto:delay_enter=2000000:when=2 \
		"$DEVINFO" </tmp/a.json >/tmp/out 2>/dev/null 3>&- &
	adding=$!
	until_holds senders 4	# after ADD and who lists management devices and devices, the one that creates
	recorded
	stick sim0		# so that the creation waits in the kernel, where nothing ends it
	until_holds answered
	answer=$(</tmp/out)
	failed 11 'create vDPA device dv.*no answer in time'
	recorded
	let_go
	until_holds deleted sim0
	wait "$stuck" "$adding" || true
	name=$(devices)
	[[ $name =~ ^dv[0-9a-f]{12}$ ]]		# there it is
	call DEL a net1 </tmp/a.json
	run ! recorded
	as_before
}

@test "a deletion of somebody's is stuck: an ADD that needs devlink is told to try again, others go on" {
	lab_up
	modprobe -a netdevsim
	echo "1 1 1" >/sys/bus/netdevsim/new_device
	echo 4 >/sys/bus/netdevsim/devices/netdevsim1/sriov_numvfs
	devlink dev eswitch set netdevsim/netdevsim1 mode switchdev
	mount --bind /sys/devices/netdevsim1/net "/sys/bus/pci/devices/$PF1/net"
	conf "$(vf "$PF1" 0)" '.mtu = 1400' >/tmp/switchdev.json
	conf "$(vf "$PF2" 0)" >/tmp/legacy.json
	vdpa dev add name sim0 mgmtdev $SIM
	hold sim0
	stick sim0
	ended 5000 call ADD a net1 </tmp/switchdev.json
	failed 11 'look for devlink: no answer in time'
	run ! recorded
	call ADD a net1 </tmp/legacy.json
	call DEL a net1 </tmp/legacy.json
	let_go
	until_holds deleted sim0
	wait "$stuck" || true
	call ADD a net1 </tmp/switchdev.json
	call DEL a net1 </tmp/switchdev.json
	umount "/sys/bus/pci/devices/$PF1/net"
}

@test "the container has an interface of that name, or the namespace is gone" {
	ip -n a link add net1 type veth peer name other
	before=$(everything)
	refused_at_once 103 'has an interface net1 already' <(made .)
	pod_del a
	refused 3 'open' <(made .)
}

@test "C-VDP-06: an mtu that the device does not have is undone, in the kernel's words" {
	vdpa dev add name sim0 mgmtdev $SIM mac 02:00:00:00:61:10 mtu 1450
	rebind sim0 virtio_vdpa
	before=$(everything)
	refused 104 'mtu greater than device maximum' <(vconf '.deviceID = "sim0" | .mtu = 1451 | .mac = "02:00:00:00:61:11"')
}

# What is there of it for the shell, and the one attribute that may differ; all is compared in the end.
quickly() { vdpa -j dev config show; at_a_glance | sed -E 's/virtio[0-9]+/virtioN/'; }

# Each request to the family and each write to a driver is a child's: killed before it is there, while
# it works, and when it has answered.
kill_everywhere() {	# DEL and GC put back what was before; the latter without a namespace
	local n rc quick steps=clone,pidfd_open,munmap,fsync,sendto
	quick=$(quickly)
	points ADD of $steps
	call DEL a net1 </tmp/a.json
	[ "$points" -gt 15 ]
	chosen 1 "$points" 7
	jq -c '."cni.dev/valid-attachments" = []' /tmp/a.json >/tmp/gc.json
	for n in "${chosen[@]}"; do
		rc=0
		faulty ADD of $steps kill "$n" >/dev/null 2>&1 || rc=$?
		echo "$n: status $rc"
		[ "$rc" = 137 ] || [ "$n:$rc" = "$points:0" ]	# their number changes by one
		if [ $((n % 3)) = 1 ]; then	# of both parities
			ip netns del a
			call GC a net1 </tmp/gc.json
			pod_new a
		else
			call DEL a net1 </tmp/a.json
		fi
		again quickly "$quick"
	done
	again numbered "$given"
	echo "# ${#chosen[@]} of $points steps" >&3
}

# bats test_tags=points
@test "killed at each step of an ADD that makes a device, virtio: DEL and GC leave nothing" {
	made '.vdpa.mac = "02:00:00:00:61:05" | del(.ipam)' >/tmp/a.json
	given=$(numbered)
	kill_everywhere
}

# bats test_tags=points
@test "killed at each step of an ADD that makes a device, vhost: DEL and GC leave nothing" {
	made '.vdpa.driver = "vhost" | .vdpa.nodeMode = "0660" | del(.ipam)' >/tmp/a.json
	given=$(numbered)
	kill_everywhere
}

# bats test_tags=points
@test "killed at each step of an ADD that binds the other driver: DEL and GC bind that of before" {
	vdpa dev add name sim0 mgmtdev $SIM mac 02:00:00:00:61:10
	vconf '.deviceID = "sim0" | .mac = "02:00:00:00:61:06" | .vdpa = {driver: "virtio", switchDriver: true} | del(.ipam)' >/tmp/a.json
	given=$(numbered)
	kill_everywhere
}
