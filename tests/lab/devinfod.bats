#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# devinfod.bats - what becomes of real VFs, some of them in pods, reaches kubelet within a second, and why is in the log
#
# kubelet is the one of tests/fake/kubelet-js; one of it and one devinfod serve all tests, with requireCarrier of the node's file.
#
# rooms: daemon/offer daemon/watch daemon/plugin
bats_require_minimum_version 1.5.0
load helpers

# few, for here each costs a look at the node as much as a hundred elsewhere
EVENTS=/tmp/events LOG=/tmp/devinfod.log VFS=3

setup_file() {
	local modules=$BUILD/kubelet-js/node_modules
	[ -e "$modules/.package-lock.json" ] || skip "grpc-js is not installed, see GNUmakefile"
	cp "$BUILD/bin/devinfod" /tmp/devinfod
	up
	mkdir -p /var/lib/cni /var/lib/kubelet/{device-plugins,pod-resources} /tmp/pools
	echo '{"resourceList": [{"resourceName": "vf", "selectors": {"devices": ["10ca"], "rootDevices": ["'"$PF1"'"]}}]}' \
		>/tmp/pools/config.json
	mkfifo /tmp/orders
	exec 7<>/tmp/orders
	NODE_PATH=$modules node tests/fake/kubelet-js/device_manager.js --dir /var/lib/kubelet/device-plugins \
		<&7 >"$EVENTS" 2>/tmp/manager.log 3>&- &
	export MANAGER=$!
	exec 7>&-
	jq -cn --arg a "$(vf "$PF1" 0)" '{pod_resources: [{name: "p1", namespace: "default", containers: [{name: "c",
		devices: [{resource_name: "intel.com/vf", device_ids: [$a]}]}]}]}' >/tmp/state.json
	start_kubelet /tmp/state.json
	export KUBELET=${kubelet:?}
	comes '"event":"ready"' "$EVENTS"
	mkdir -p /etc/cni/net.d/devinfo.d
	echo '{"devinfod": {"requireCarrier": true}}' >/etc/cni/net.d/devinfo.d/devinfo.json
	/tmp/devinfod --config-file /tmp/pools/config.json >"$LOG" 2>&1 3>&- &
	export DEVINFOD=$!
	comes '"event":"list"' "$EVENTS"
}

teardown_file() { kill "$DEVINFOD" "$MANAGER" "$KUBELET"; }

# up - the first PF, with its VFs
up() {
	local i
	lines_of_test_only
	cable on
	ip link set "$(netdev_of "$PF1")" up
	for ((i = 0; i < 300; i++)); do
		[ "$(cat "/sys/bus/pci/devices/$PF1/net/"*/carrier)" != 1 ] || break
		sleep 0.1
	done
	[ "$(cat "/sys/bus/pci/devices/$PF1/sriov_numvfs")" = "$VFS" ] ||
		echo "$VFS" >"/sys/bus/pci/devices/$PF1/sriov_numvfs"
}

# A pod with the first VF, of which kubelet has been told.
setup() {
	lines_of_test_only
	A=$(vf "$PF1" 0) B=$(vf "$PF1" 1)
	pf=$(netdev_of "$PF1")
	pod_new a
	conf "$A" 'del(.ipam)' >/tmp/a.json
	CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1" call ADD a net1 </tmp/a.json
	told "$(all Healthy)"
}

teardown() {
	[ -e "/sys/bus/pci/devices/$A/driver" ] || echo "$A" >/sys/bus/pci/drivers/igbvf/bind
	call DEL a net1 </tmp/a.json || true
	pod_del a
	up
}

# comes TEXT FILE
comes() {
	local i
	for ((i = 0; i < 600; i++)); do
		! grep -q "$1" "$2" || return 0
		sleep 0.1
	done
	tail -n 20 "$2" /tmp/manager.log
	return 1
}

# read_list - kubelet's newest: $list, and $at, when it came, in ms; this and the next without a process
read_list() {
	local rest
	rest=$(<"$EVENTS")
	rest=${rest##*'"event":"list"'} rest=${rest%%$'\n'*} list=
	[[ $rest =~ \"at\":([0-9]+) ]]
	at=${BASH_REMATCH[1]}
	while [[ $rest =~ \"ID\":\"([^\"]*)\",\"health\":\"([^\"]*)\" ]]; do
		list+="${BASH_REMATCH[1]}=${BASH_REMATCH[2]} "
		rest=${rest#*"${BASH_REMATCH[0]}"}
	done
}

# all HEALTH [ID=HEALTH] - each VF of the PF, and the one that differs
all() {
	local i id
	for ((i = 0; i < VFS; i++)); do
		id=$(vf "$PF1" $i)
		[[ ${2-} = "$id="* ]] && printf '%s ' "$2" || printf '%s ' "$id=$1"
	done
}

# told LIST - kubelet's newest is or becomes this
told() {
	local i
	for ((i = 0; i < 200; i++)); do
		read_list
		[ "$list" != "$1" ] || return 0
		sleep 0.1
	done
	[ "$list" = "$1" ]
}

# told_soon LIST - the same within a second from now; the emulated processor is 20 times slower than another
told_soon() {
	local since=$((${EPOCHREALTIME/./} / 1000)) limit=1000
	! grep -q 'QEMU TCG' /proc/cpuinfo || limit=3000
	told "$1"
	echo "# $((at - since)) ms" >&3
	[ $((at - since)) -le $limit ]
}

# why ID - the last that the log has of it
why() { sed -n "s/.* device=$1 health=Unhealthy why=\"\(.*\)\".*/\1/p" "$LOG" | tail -n 1; }

# cable on|off - of the first PF: QEMU's monitor
cable() {
	local port
	port=$(grep -lx monitor /sys/class/virtio-ports/*/name)
	port=${port%/name}
	echo "set_link h1 $1" >"/dev/${port##*/}"
}

# carrier 0|1 - when the first PF has or has none
carrier() {
	local i
	for ((i = 0; i < 300; i++)); do
		[ "$(<"/sys/class/net/$pf/carrier")" != "$1" ] || return 0
		sleep 0.1
	done
	return 1
}

# has REASON ID... - the log has it of each
has() {
	local id
	for id in "${@:2}"; do
		[ "$(why "$id")" = "$1" ]
	done
}

@test "VFs that are removed are out of the list, but for the pod's; made anew they are there, but not for that pod" {
	echo 0 >"/sys/bus/pci/devices/$PF1/sriov_numvfs"
	told_soon "$A=Unhealthy "
	has "the node does not have it any more" "$A"
	echo "$VFS" >"/sys/bus/pci/devices/$PF1/sriov_numvfs"
	told_soon "$(all Healthy "$A=Unhealthy")"
	has "it was made anew, and pod default/p1 does not have it any more" "$A"
	# until that pod has ended
	call DEL a net1 </tmp/a.json
	told_soon "$(all Healthy)"
}

@test "the driver is unbound from a VF that nobody has, and from a pod's" {
	echo "$B" >/sys/bus/pci/drivers/igbvf/unbind
	told_soon "$(all Healthy "$B=Unhealthy")"
	has "no ADD could attach it: no driver is bound" "$B"
	echo "$B" >/sys/bus/pci/drivers/igbvf/bind
	told_soon "$(all Healthy)"
	echo "$A" >/sys/bus/pci/drivers/igbvf/unbind
	told_soon "$(all Healthy "$A=Unhealthy")"
	has "no driver is bound, as after a reset that failed" "$A"
}

@test "the PF is down: neither a free VF nor a pod's has a link" {
	ip link set "$pf" down
	told_soon "$(all Unhealthy)"
	has "its PF $pf is down" "$A" "$B"
	ip link set "$pf" up
	told_soon "$(all Healthy)"
}

@test "the PF has no carrier, as without a cable, where the node's file requires one" {
	cable off
	carrier 0
	told_soon "$(all Unhealthy)"
	has "its PF $pf has no carrier" "$A" "$B"
	cable on
	carrier 1
	told_soon "$(all Healthy)"
}

@test "no ADD can take a VF: its network device is elsewhere, or a dead container has left its record" {
	pod_new third
	ip link set "$(netdev_of "$B")" netns third
	told_soon "$(all Healthy "$B=Unhealthy")"
	has "no ADD could attach it: its network device is in another network namespace" "$B"
	pod_del third
	comes_home "$B"
	told_soon "$(all Healthy)"
	jq -cn '{pod_resources: []}' >/tmp/state.json
	pod_del a
	comes_home "$A"
	told_soon "$(all Healthy "$A=Unhealthy")"
	has "an attachment has not given it back: its record is there (dead)" "$A"
	call DEL a net1 '' </tmp/a.json
	told_soon "$(all Healthy)"
}
