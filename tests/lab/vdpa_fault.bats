#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# vdpa_fault.bats - vDPA attachments that are refused, or whose ADD is killed at every step
bats_require_minimum_version 1.5.0
load helpers
load vdpa

# made JQ: a configuration of a device that is made on the simulator
made() { vconf ".vdpa = {mgmtdev: \"$SIM\", driver: \"virtio\", mac: \"02:00:00:00:61:04\"} | $1"; }

@test "what is wrong is refused before anything is changed" {
	for mac in 01:00:00:00:61:01 00:00:00:00:00:00; do
		refused 7 "vdpa.mac: '$mac' is no unicast" <(made ".vdpa.mac = \"$mac\"")
		refused 7 "mac: '$mac' is no unicast" <(made ".mac = \"$mac\"")
	done
	refused 7 'vdpa.mtu: ' <(made '.vdpa.mtu = 67')
	refused 7 'vdpa.mtu: ' <(made '.vdpa.mtu = 65536')
	refused 7 'has not 0x4000000000000 of' <(made '.vdpa.features = "0x4000000000000"')
	refused 102 'no vDPA management device nosuch.*there is.*vdpasim_net' <(made '.vdpa.mgmtdev = "nosuch"')
	refused 102 'no PCI device 0000:ff:1f.7' <(made '.vdpa.mgmtdev = "pci/0000:ff:1f.7"')
	refused 102 'vdpa.driver says' <(made 'del(.vdpa.driver)')
	refused 102 "'nosuch' is no" <(vconf '.deviceID = "nosuch" | .vdpa = {}')
}

@test "what only the kernel knows is refused in its words, and nothing is left" {
	refused 104 'create.*max_vqp 2.*Some provided attributes are not supported: 0x1000' <(made '.vdpa.maxVqp = 2')
	# the back-end of this name is not there
	refused 104 'create.*Invalid argument' <(made '.vdpa.mgmtdev = "vduse" | del(.vdpa.mac)')
	refused 102 'has no address of its own' <(made 'del(.vdpa.mac)')
	f=0000:03:00.0
	echo vp-vdpa >/sys/bus/pci/devices/$f/driver_override
	echo $f >/sys/bus/pci/devices/$f/driver/unbind
	echo $f >/sys/bus/pci/drivers_probe
	before=$(everything)
	refused 104 'attributes are not supported: 0x400' <(made ".vdpa.mgmtdev = \"pci/$f\" | .vdpa.mac = \"02:00:00:00:61:01\"")
	refused 104 'attributes are not supported: 0x2000' <(made ".vdpa.mgmtdev = \"$f\" | .vdpa.mtu = 1400 | del(.vdpa.mac)")
}

@test "a name that is taken, a device in use, a driver that is not there" {
	made . >/tmp/a.json
	call ADD a net1 </tmp/a.json
	name=$(devices)
	call DEL a net1 </tmp/a.json
	vdpa dev add name "$name" mgmtdev $SIM		# somebody else's
	before=$(everything)
	refused 103 "there is a vDPA device $name" /tmp/a.json
	exec 9<>"/dev/$(node_of "$name")"
	refused 11 'has /dev/vhost-vdpa-[0-9]+ open' <(vconf ".deviceID = \"$name\"")
	refused 11 'open' <(vconf ".deviceID = \"$name\" | .vdpa = {driver: \"virtio\", switchDriver: true}")
	exec 9>&-
	vdpa dev del "$name"
	modprobe -r virtio_vdpa
	before=$(everything)
	refused 102 'driver virtio_vdpa for vDPA device .* is not loaded' /tmp/a.json
	modprobe virtio_vdpa
}

@test "the container has an interface of that name, or the namespace is gone" {
	ip -n a link add net1 type veth peer name other
	before=$(everything)
	refused 103 'has an interface net1 already' <(made .)
	pod_del a
	refused 3 'open' <(made .)
}

@test "an mtu that the device does not have is undone, in the kernel's words" {
	vdpa dev add name sim0 mgmtdev $SIM mac 02:00:00:00:61:10 mtu 1450
	rebind sim0 virtio_vdpa
	before=$(everything)
	refused 104 'mtu greater than device maximum' <(vconf '.deviceID = "sim0" | .mtu = 1451 | .mac = "02:00:00:00:61:11"')
}

# killed FILE CALL N: an ADD that is killed at the entry of the N-th of such calls
killed() {
	ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" CNI_COMMAND=ADD CNI_CONTAINERID=a CNI_IFNAME=net1 CNI_NETNS=/run/netns/a \
		strace -qq -o /dev/null -e trace="$2" -e inject="$2:signal=SIGKILL:when=$3" "$DEVINFO" <"$1" >/dev/null 2>&1
}

counted() {		# FILE CALL: how often a good ADD makes it
	ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" CNI_COMMAND=ADD CNI_CONTAINERID=a CNI_IFNAME=net1 CNI_NETNS=/run/netns/a \
		strace -qq -o /tmp/trace -e trace="$2" "$DEVINFO" <"$1" >/dev/null 2>&1
	call DEL a net1 <"$1"
	grep -c "^$2(" /tmp/trace
}

# Each request to the family and each write to a driver is a child's: killed before it is there, while
# it works, and when it has answered.
kill_everywhere() {	# FILE: DEL and GC put back what was before; the latter without a namespace
	local sc n max rc odd steps=0
	for sc in clone pidfd_open munmap fsync sendto; do
		max=$(counted "$1" $sc || true)	# one for user space asks less of us
		again numbered "$given"
		for ((n = 1; n <= max; n++)); do
			rc=0
			killed "$1" $sc "$n" || rc=$?
			echo "$sc $n of $max: status $rc"
			[ "$rc" = 137 ]
			odd=$((steps++ % 3))
			if [ "$odd" = 0 ]; then
				ip netns del a
				jq -c '."cni.dev/valid-attachments" = []' "$1" | call GC a net1
				pod_new a
			else
				call DEL a net1 <"$1"
			fi
			again numbered "$given"
		done
	done
	echo "# $steps steps" >&3
	[ "$steps" -ge 16 ]
}

@test "killed at each step of an ADD that makes a device, virtio: DEL and GC leave nothing" {
	made '.vdpa.mac = "02:00:00:00:61:05" | del(.ipam)' >/tmp/a.json
	given=$(numbered)
	kill_everywhere /tmp/a.json
}

@test "killed at each step of an ADD that makes a device, vhost: DEL and GC leave nothing" {
	made '.vdpa.driver = "vhost" | .vdpa.nodeMode = "0660" | del(.ipam)' >/tmp/a.json
	given=$(numbered)
	kill_everywhere /tmp/a.json
}

@test "killed at each step of an ADD that binds the other driver: DEL and GC bind that of before" {
	vdpa dev add name sim0 mgmtdev $SIM mac 02:00:00:00:61:10
	vconf '.deviceID = "sim0" | .mac = "02:00:00:00:61:06" | .vdpa = {driver: "virtio", switchDriver: true} | del(.ipam)' >/tmp/a.json
	given=$(numbered)
	kill_everywhere /tmp/a.json
}
