# SPDX-License-Identifier: Apache-2.0
# switchdev.bash - VFs of a PF in switchdev mode, and a sub-function, made of what the lab has
#
# igb has real VFs and no switch, netdevsim a switch with VF representors and no VFs.  So the PF's
# net directory is covered with that of netdevsim: the VF, its functions and its network device are
# igb's, the uplink, its VF table, devlink and the representors are netdevsim's.
# shellcheck shell=bash disable=SC2034,SC2154 # of helpers.bash, and of who loads it

NSIM=netdevsim1

# vf_tells_address N - igbvf tells its PF the address when the VF is up, at the latest: so the PF has it before
vf_tells_address() {
	local i netdev pf
	netdev=$(netdev_of "$(vf "$PF1" "$1")")
	pf=$(netdev_of "$PF1")
	ip link set "$netdev" up
	for ((i = 0; i < 300; i++)); do
		ip -j link show "$pf" | jq -e ".[0].vfinfo_list[$1].address != \"00:00:00:00:00:00\"" >/dev/null && break
		sleep 0.1
	done
	ip link set "$netdev" down
}

switchdev_up() {
	lab_up
	modprobe netdevsim
	mkdir -p /var/lib/cni
	# a name that no new device gets while it is in a pod
	ip link set "$(netdev_of "$(vf "$PF1" 0)")" name vf0
	vf_tells_address 0
	vf_tells_address 3
	echo "1 1 1" >/sys/bus/netdevsim/new_device
	echo 4 >/sys/bus/netdevsim/devices/$NSIM/sriov_numvfs	# its limit, unless debugfs says otherwise
}

# port NAME: the network device of netdevsim with this phys_port_name
port() {
	local dir
	for dir in "/sys/devices/$NSIM/net"/*; do
		if [ "$(cat "$dir/phys_port_name")" = "$1" ]; then
			basename "$dir"
			return
		fi
	done
	return 1
}

mode() {	# legacy or switchdev
	umount "/sys/bus/pci/devices/$PF1/net" 2>/dev/null || true
	devlink dev eswitch set "netdevsim/$NSIM" mode "$1"
	mount --bind "/sys/devices/$NSIM/net" "/sys/bus/pci/devices/$PF1/net"
}

# names of this test: VFs A and B, the uplink UP, representors REP and REP3
switchdev_names() {
	A=$(vf "$PF1" 0)
	B=$(vf "$PF1" 3)
	mode switchdev
	UP=$(port p1)
	REP=$(port pf0vf0)
	REP3=$(port pf0vf3)
}

link() { ip -d -j link show "$1" | jq -r ".[0] | $2"; }

# A real auxiliary device needs real hardware: the bus' directory is covered with one that has
# netdevsim's device for a sub-function, which has its network device's parent in the same way.  It
# is SF 88 of our PF, and the representor of VF 3 is called that of SF 88.
sf_new() {
	echo "2 1 1" >/sys/bus/netdevsim/new_device
	rm -rf /tmp/aux /tmp/sf
	mkdir -p /tmp/aux "/tmp/sf/$PF1/netdevsim2"
	echo 88 >"/tmp/sf/$PF1/netdevsim2/sfnum"
	echo pf0sf88 >/tmp/sf/name
	ln -s /sys/devices/netdevsim2/net "/tmp/sf/$PF1/netdevsim2/net"
	ln -s /sys/bus/netdevsim/drivers/netdevsim "/tmp/sf/$PF1/netdevsim2/driver"
	ln -s "/tmp/sf/$PF1/netdevsim2" /tmp/aux/netdevsim2
	mount --bind /tmp/aux /sys/bus/auxiliary/devices
	mount --bind /tmp/sf/name "/sys/devices/$NSIM/net/$REP3/phys_port_name"
	dev=$(ls /sys/devices/netdevsim2/net)
	before=$(state)
}

sf_del() {
	umount "/sys/devices/$NSIM/net/$REP3/phys_port_name" 2>/dev/null || true
	umount /sys/bus/auxiliary/devices 2>/dev/null || true
	echo 2 >/sys/bus/netdevsim/del_device 2>/dev/null || true
}

traced() {	# an ADD of /tmp/a.json under strace with these arguments
	ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" CNI_COMMAND=ADD CNI_CONTAINERID=a CNI_IFNAME=net1 \
		CNI_NETNS=/run/netns/a strace -qq "$@" "$DEVINFO" </tmp/a.json >/dev/null 2>&1
}

# each_request FIRST - kill ADD at one request, fail it at the next, for each takes its time; after its
# DEL nothing is changed.  $requests there are.
each_request() {
	local n rc eio=5
	points ADD of sendto
	requests=$points
	call DEL a net1 </tmp/a.json
	chosen "$1" "$requests" 6
	for n in "${chosen[@]}"; do
		rc=0
		if ((n % 2)); then
			faulty ADD of sendto kill "$n" >/dev/null 2>&1 || rc=$?
			[ "$rc" = 137 ] || [ "$n" = "$requests" ] || return 1	# of some the number changes by one
			call DEL a net1 </tmp/a.json
		else
			faulty ADD of sendto fail "$n" $eio >/dev/null 2>&1 || rc=$?
			[ "$rc" = 1 ] || call DEL a net1 </tmp/a.json
		fi
		unchanged || { echo "killed or failed at $n" && return 1; }
	done
}
