#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# devinfod.bats - devinfod as device plugin of a kubelet by another implementation of gRPC, on a recorded node
#
# rooms: daemon/plugin

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	daemon=${BUILD:-$top/build}/bin/devinfod
	modules=${BUILD:-$top/build}/kubelet-js/node_modules
	[ -e "$modules/.package-lock.json" ] || skip "grpc-js is not installed, see GNUmakefile"
	dir=$BATS_TEST_TMPDIR
	# a socket's path has 107 bytes, and the directory of a test many of these
	short=$(mktemp -d "${TMPDIR:-/tmp}/dXXXX")
	node=$short/n
	sockets=$node/var/lib/kubelet/device-plugins
	dp=$node/var/run/k8s.cni.cncf.io/devinfo/dp
	# not what this machine has in /etc
	export DEVINFO_CONF=$dir/devinfo.json
	echo "{\"root\": \"$node\"}" >"$DEVINFO_CONF"
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$node"
	mkdir -p "$sockets"
	# their PFs are up
	for pf in 0000:01:00.0/net/eth0 0000:02:00.0/net/eth1; do
		echo 0x1003 >"$node/sys/bus/pci/devices/$pf/flags"
		echo 1 >"$node/sys/bus/pci/devices/$pf/carrier"
	done
	pools '{"resourceName": "vf", "selectors": {"pfNames": ["eth0"]}}'
	mkfifo "$dir/orders"
	exec 7<>"$dir/orders"
}

teardown() {
	local pid
	for pid in ${manager-} ${devinfod-}; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	exec 7>&-
	[ -z "${short-}" ] || rm -rf "$short"
}

# pools POOL... - what devinfod offers
pools() {
	local IFS=,
	echo "{\"resourceList\": [$*]}" >"$dir/config.json"
}

# -- the two programs --

# kubelet_start [option...]
kubelet_start() {
	: >"$dir/events"
	NODE_PATH=$modules node "$top/tests/fake/kubelet-js/device_manager.js" --dir "$sockets" "$@" \
		<"$dir/orders" >>"$dir/events" 2>>"$dir/kubelet.log" 3>&- 7>&- &
	manager=$!
	saw 1 '.event == "ready"'
}

# As a kubelet that is killed: its socket stays.
kubelet_kill() {
	kill -KILL "$manager"
	wait "$manager" || true
	manager=
}

daemon_start() {
	"$daemon" --config-file "$dir/config.json" "$@" >>"$dir/log" 2>&1 3>&- 7>&- &
	devinfod=$!
}

daemon_kill() {
	kill -KILL "$devinfod"
	wait "$devinfod" || true
	devinfod=
}

# changed - sysfs is a tree of files here, of which no kernel tells
changed() { kill -HUP "$devinfod"; }

# In order, with what it says in the end.
daemon_stop() {
	kill -TERM "$devinfod"
	wait "$devinfod"
	devinfod=
}

# -- what has happened --

# count FILTER - how many events
count() { jq -n "[inputs | select($1)] | length" "$dir/events"; }

# saw N FILTER - at least so many events, within ten seconds; else all are shown
saw() {
	for _ in {1..400}; do
		[ "$(count "$2")" -lt "$1" ] || return 0
		sleep 0.025
	done
	cat "$dir/events" "$dir/kubelet.log" "$dir/log"
	return 1
}

# last EVENT [FILTER] - the newest of the name, as text of one line
last() { jq -nc "[inputs | select(.event == \"$1\")] | last | ${2:-.}" "$dir/events"; }

# ask JSON - an order, and its event when it has come
ask() {
	local deed before
	deed=$(jq -r .do <<<"$1")
	before=$(count ".event == \"$deed\"")
	echo "$1" >&7
	saw $((before + 1)) ".event == \"$deed\""
}

# allocate ID... - for one container of intel.com/vf
allocate() {
	ask "$(jq -nc '{do: "allocate", resource: "intel.com/vf", containers: [$ARGS.positional]}' --args "$@")"
}

# listed N FILTER - so many lists of intel.com/vf, of {id: health}
listed() { saw "$1" ".event == \"list\" and ([.devices[] | {key: .ID, value: .health}] | from_entries | $2)"; }

both_healthy='. == {"0000:01:10.0": "Healthy", "0000:01:10.2": "Healthy"}'

# works - kubelet gets the list and a device
works() {
	saw "$1" '.event == "list"'
	[ "$(last list '[.devices[].ID]')" = '["0000:01:10.0","0000:01:10.2"]' ]
	allocate 0000:01:10.0
	[ "$(last allocate '.answer.container_responses[0].envs.PCIDEVICE_INTEL_COM_VF')" = '"0000:01:10.0"' ]
}

# -- a registration and its questions --

@test "devinfod serves, registers, and is asked for its options before that is answered" {
	kubelet_start
	daemon_start
	saw 1 '.event == "list"'
	# one that takes long is tried again
	[ "$(jq -r .event "$dir/events" | uniq | head -n 4 | tr '\n' ' ')" = "ready register options list " ]
	[ "$(last register '[.version, .endpoint, .resource_name, .served]')" = '["v1beta1","devinfo-intel.com_vf.sock","intel.com/vf",true]' ]
	local asked='[.pre_start_required, .get_preferred_allocation_available]'
	[ "$(last register ".options | $asked")" = '[false,true]' ]
	[ "$(last options "$asked")" = '[false,true]' ]
	[ "$(stat -c '%F %a' "$sockets/devinfo-intel.com_vf.sock")" = "socket 600" ]
}

@test "the list has each device once, in order, with its health" {
	kubelet_start
	daemon_start
	listed 1 "$both_healthy"
	[ "$(last list '[.devices[].ID]')" = '["0000:01:10.0","0000:01:10.2"]' ]
	[ "$(count '.event == "list"')" -eq 1 ]
}

@test "what is allocated is said in the form of sriov-network-device-plugin, container for container" {
	kubelet_start
	daemon_start
	saw 1 '.event == "list"'
	ask '{"do": "allocate", "resource": "intel.com/vf", "containers": [["0000:01:10.2", "0000:01:10.0"], ["0000:01:10.2"]]}'
	[ "$(last allocate '[.answer.container_responses[].envs.PCIDEVICE_INTEL_COM_VF]')" = '["0000:01:10.2,0000:01:10.0","0000:01:10.2"]' ]
	[ "$(last allocate '.answer.container_responses[1].envs.PCIDEVICE_INTEL_COM_VF_INFO | fromjson')" = \
		'{"0000:01:10.2":{"generic":{"deviceID":"0000:01:10.2"},"vfio":{"dev-mount":"/dev/vfio/14","mount":"/dev/vfio/vfio"}}}' ]
	[ "$(last allocate '[.answer.container_responses[1].devices[].host_path]')" = '["/dev/vfio/vfio","/dev/vfio/14"]' ]
	[ "$(last allocate '[.answer.container_responses[].cdi_devices]')" = '[[],[]]' ]
	grep -q 'resource=intel.com/vf devices=0000:01:10.2,0000:01:10.0 msg=allocated' "$dir/log"
}

@test "with --use-cdi a container gets the names of a specification that is there" {
	kubelet_start
	daemon_start --use-cdi
	saw 1 '.event == "list"'
	allocate 0000:01:10.2 0000:01:10.0
	[ "$(last allocate '.answer.container_responses[0] | [.cdi_devices[].name, (.devices | length)]')" = '["intel.com/net-vf=0000:01:10.2",0]' ]
	[ "$(jq -c '[.kind, .devices[].name]' "$node/var/run/cdi/devinfod-intel.com_net-vf.json")" = '["intel.com/net-vf","0000:01:10.2"]' ]
	daemon_stop
	[ ! -e "$node/var/run/cdi/devinfod-intel.com_net-vf.json" ]
}

@test "kubelet's other questions: what to prefer, before a start, and what is no method or no message" {
	kubelet_start
	daemon_start
	saw 1 '.event == "list"'
	ask '{"do": "prefer", "resource": "intel.com/vf", "available": ["0000:01:10.0", "0000:01:10.2"], "must": ["0000:01:10.2"], "size": 1}'
	[ "$(last prefer '.answer.container_responses[0].deviceIDs')" = '["0000:01:10.2"]' ]
	ask '{"do": "prestart", "resource": "intel.com/vf", "ids": ["0000:01:10.0"]}'
	[ "$(last prestart .answer)" = '{}' ]
	ask '{"do": "prestart", "resource": "intel.com/vf", "ids": ["0000:99:10.0"]}'
	[ "$(last prestart .code)" = 5 ]
	ask '{"do": "nonsense", "resource": "intel.com/vf"}'
	[ "$(last nonsense .code)" = 12 ]
	ask '{"do": "garbage", "resource": "intel.com/vf"}'
	[ "$(last garbage .code)" = 3 ]
	allocate 0000:01:10.0
	[ "$(last allocate .code)" = null ]
}

# recorded RECORDING [METHOD MESSAGE] - what kubelet's own library once sent, to the socket of intel.com/vf
recorded() {
	for _ in {1..400}; do [ ! -S "$sockets/devinfo-intel.com_vf.sock" ] || break; sleep 0.025; done
	"$top/tests/fake/recorded_client.py" "$sockets/devinfo-intel.com_vf.sock" "$top/tests/node/$1.hex" "${@:2}"
}

# text_of HEX - the bytes, but NULs
text_of() { python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.argv[1]).replace(b"\0", b""))' "$1"; }

@test "all that a real kubelet says, byte for byte, is answered as it was" {
	echo "{\"root\": \"$node\", \"devinfod\": {\"resetBeforeStart\": true}}" >"$DEVINFO_CONF"
	daemon_start
	recorded device-plugin/kubelet-1.20.2 >"$dir/answers"
	# the list, which goes on; which device is preferred, what it was given, and that its start may begin
	[ "$(grep -c headers "$dir/answers")" -eq 7 ]
	[ "$(grep -c end "$dir/answers")" -eq 3 ]
	# each message of ours in the recording, in order, without frames and prefixes
	run grep data "$dir/answers"
	[ "${#lines[@]}" -eq 4 ]
	[ "${lines[0]}" = "data 0a170a0c303030303a30313a31302e3012074865616c7468790a170a0c303030303a30313a31302e3212074865616c746879" ]
	[ "${lines[1]}" = "data 0a0e0a0c303030303a30313a31302e30" ]
	[[ "$(text_of "${lines[2]#data }")" == *PCIDEVICE_INTEL_COM_VF*0000:01:10.0*PCIDEVICE_INTEL_COM_VF_INFO* ]]
	[ "${lines[3]}" = "data " ]
}

# Of a newer kubelet there are recordings of PodResources: the method and the message are ours, all else is theirs.
@test "frames of a newer kubelet's library, byte for byte, are answered, each method by its own" {
	local recording
	daemon_start
	for recording in podresources/{get,list,get-missing}; do
		# as they are: a method that no device plugin has is refused by headers alone
		[ "$(recorded "$recording")" = $'headers\nend' ]
		[ "$(recorded "$recording" /v1beta1.DevicePlugin/GetDevicePluginOptions '')" = $'headers\ndata 1001\nheaders\nend' ]
	done
	# both devices, healthy; the call goes on
	local list=0a170a0c303030303a30313a31302e3012074865616c7468790a170a0c303030303a30313a31302e3212074865616c746879
	[ "$(recorded podresources/list /v1beta1.DevicePlugin/ListAndWatch '')" = $'headers\ndata '"$list" ]
	# container_requests: 0000:01:10.2
	local request=0a0e0a0c303030303a30313a31302e32
	run recorded podresources/get /v1beta1.DevicePlugin/Allocate "$request"
	[ "${#lines[@]}" -eq 4 ]
	[[ $(text_of "${lines[1]#data }") == *PCIDEVICE_INTEL_COM_VF*0000:01:10.2* ]]
	# available: both, one of them
	[ "$(recorded podresources/get /v1beta1.DevicePlugin/GetPreferredAllocation 0a1e0a0c303030303a30313a31302e300a0c303030303a30313a31302e321801)" = \
		$'headers\ndata 0a0e0a0c303030303a30313a31302e30\nheaders\nend' ]
}

# -- devices come and go --

@test "a device that is unknown, or gone since the list was sent, is refused by its name and the reason" {
	kubelet_start
	daemon_start
	listed 1 "$both_healthy"
	allocate 0000:01:10.0 0000:99:00.0
	[ "$(last allocate '[.code, .details]')" = '[5,"device 0000:99:00.0 of intel.com/vf is not known"]' ]
	# stopped, devinfod cannot notice before it is asked
	kill -STOP "$devinfod"
	mv "$node/sys/bus/pci/devices/0000:01:10.2" "$dir/gone"
	echo '{"do": "allocate", "resource": "intel.com/vf", "containers": [["0000:01:10.2"]]}' >&7
	sleep 0.2
	kill -CONT "$devinfod"
	saw 2 '.event == "allocate"'
	[ "$(last allocate .code)" = 5 ]
	[[ "$(last allocate .details)" =~ ^\"device\ 0000:01:10.2\ .*is\ (gone|not\ known)\"$ ]]
	# and then it is told
	changed
	listed 1 '. == {"0000:01:10.0": "Healthy"}'
	mv "$dir/gone" "$node/sys/bus/pci/devices/0000:01:10.2"
	changed
	listed 2 "$both_healthy"
}

# A kubelet that starts answers PodResources before it knows its pods; its checkpoint has their devices.
@test "what a restarted kubelet does not list yet, and its checkpoint has, is as it was" {
	echo '{"node": {"kubelet_asked": true}, "allocations": []}' >"$node/devinfo-node.json"
	# as if a plugin that is not ours had moved it into a pod
	rm "$node/sys/class/net/eth4"
	kubelet_start
	daemon_start
	listed 1 '. == {"0000:01:10.0": "Unhealthy", "0000:01:10.2": "Healthy"}'
	jq -nc '{Data: {PodDeviceEntries: [{PodUID: "u", ContainerName: "c", ResourceName: "intel.com/vf", DeviceIDs: {"0": ["0000:01:10.0"]}}]}, Checksum: 1}' \
		>"$sockets/kubelet_internal_checkpoint"
	changed
	listed 1 "$both_healthy"
	# the pod has ended
	jq -nc '{Data: {PodDeviceEntries: null}, Checksum: 1}' >"$sockets/kubelet_internal_checkpoint"
	changed
	listed 2 '. == {"0000:01:10.0": "Unhealthy", "0000:01:10.2": "Healthy"}'
}

# event - the kernel tells of a device of this machine that may have changed, of whichever it is
event() {
	local file
	for file in /sys/bus/{pci,virtio}/devices/*/uevent; do
		[ ! -w "$file" ] || break
	done
	echo change >"$file"
}

@test "an event of the kernel's makes a new list, within a second" {
	local lists now
	kubelet_start
	daemon_start
	listed 1 "$both_healthy"
	sleep 1		# for the look after the socket was made
	lists=$(count '.event == "list"')
	rm "$node/sys/bus/pci/devices/0000:01:10.2"
	sleep 0.5
	[ "$(count '.event == "list"')" -eq "$lists" ]
	now=$(date +%s%3N)
	event
	listed 1 '. == {"0000:01:10.0": "Healthy"}'
	echo "told after $(($(last list .at) - now)) ms"
	[ $(($(last list .at) - now)) -lt 1000 ]
}

# reboot - the node has come up, and its journal has an attachment of before
reboot() {
	local journal=$node/var/lib/cni/devinfo
	mkdir -p "$node/proc/sys/kernel/random"
	echo 6b1e7a2c-58a5-4d0b-9a4e-000000000001 >"$node/proc/sys/kernel/random/boot_id"
	mkdir -p -m 700 "$journal" "$journal/attachments"
	record=$journal/attachments/874fbb0f5cdc3aec@0000:01:10.0.json
	(umask 077; jq -cn '{version: 1, network: "net", containerID: "c1", ifname: "net1", netns: "/run/netns/gone",
		netnsDev: 4, netnsIno: 5, netnsCookie: 6, bootID: "5b8a5b1e-0c6b-4e0e-8e0a-000000000002", device: "0000:01:10.0",
		deviceID: "0000:01:10.0", pci: true, released: false, sole: true, vfSet: 0, devinfoDir: "/devinfo", runDir: "/run"}' >"$journal/new")
	mv "$journal/new" "$record"
}

unclean='. == {"0000:01:10.0": "Unhealthy", "0000:01:10.2": "Healthy"}'

@test "after a reboot a device is offered when it is clean, and not before" {
	reboot
	kubelet_start
	daemon_start
	saw 1 '.event == "list"'
	listed 1 "$unclean"
	[ "$(count '.event == "list"')" -eq 1 ]
	grep -q 'device=0000:01:10.0 health=Unhealthy why="an attachment has not given it back: its record is there (earlier boot)"' "$dir/log"
	# as gc, DEL or an ADD do it, on a node that is none of this machine
	rm "$record"
	listed 1 "$both_healthy"
}

@test "a record in the journal makes a new list without the kernel's help" {
	kubelet_start
	daemon_start
	listed 1 "$both_healthy"
	reboot
	listed 1 "$unclean"
	rm "$record"
	listed 2 "$both_healthy"
}

@test "device-info files are there as long as devinfod is, and its resources" {
	kubelet_start
	daemon_start
	saw 1 '.event == "list"'
	[ "$(ls "$dp")" = $'intel.com-vf-0000:01:10.0-device.json\nintel.com-vf-0000:01:10.2-device.json' ]
	rm "$node/sys/bus/pci/devices/0000:01:10.2"
	changed
	saw 2 '.event == "list"'
	[ "$(ls "$dp")" = intel.com-vf-0000:01:10.0-device.json ]
	daemon_stop
	[ -z "$(ls "$dp")" ]
	[ ! -e "$sockets/devinfo-intel.com_vf.sock" ]
	saw 1 '.event == "ended"'
}

@test "a device that a pod has stays in the list, is given to nobody else, and keeps its file" {
	rm -rf "$node"
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/igb-pods.node" "$node"
	local file=$dp/intel.com-sriov_netdevice-0000:01:10
	rm "$file.0-device.json" "$file.6-device.json"
	pools '{"resourceName": "sriov_netdevice", "selectors": {"drivers": ["igbvf"]}}'
	kubelet_start
	daemon_start
	saw 1 '.event == "list"'
	[ "$(last list '[.devices[] | .ID, .health]')" = '["0000:01:10.0","Healthy","0000:01:10.2","Healthy","0000:01:10.6","Healthy"]' ]
	ask '{"do": "allocate", "resource": "intel.com/sriov_netdevice", "containers": [["0000:01:10.0"]]}'
	[ "$(last allocate '[.code, .details]')" = '[9,"device 0000:01:10.0 of intel.com/sriov_netdevice is in use by another pod"]' ]
	ask '{"do": "prefer", "resource": "intel.com/sriov_netdevice", "available": ["0000:01:10.0", "0000:01:10.6", "0000:01:10.2"], "size": 1}'
	[ "$(last prefer '.answer.container_responses[0].deviceIDs')" = '["0000:01:10.6"]' ]
	# of the three files one is another's, one is ours, and of one the device is in a pod
	[ -e "$file.2-device.json" ]
	[ -e "$file.6-device.json" ]
	[ ! -e "$file.0-device.json" ]
	daemon_stop
	[ -e "$file.2-device.json" ]
	[ ! -e "$file.6-device.json" ]
}

@test "directories that Multus has made with mode 0 get files all the same" {
	mkdir -p "${dp%/*/dp}"
	mkdir -m 0 "${dp%/dp}"
	kubelet_start
	daemon_start
	listed 1 "$both_healthy"
	[ -s "$dp/intel.com-vf-0000:01:10.0-device.json" ]
	[ "$(stat -c %a "${dp%/dp}")" = 700 ]
	daemon_stop
	chmod 0 "$dp"
	daemon_start
	listed 2 "$both_healthy"
	[ -s "$dp/intel.com-vf-0000:01:10.0-device.json" ]
	[ "$(stat -c %a "$dp")" = 700 ]
}

@test "a PF without carrier makes its VFs unhealthy where the node's file says so, and only there" {
	local carrier=$node/sys/bus/pci/devices/0000:01:00.0/net/eth0/carrier
	kubelet_start
	echo 0 >"$carrier"
	daemon_start
	listed 1 "$both_healthy"
	daemon_stop
	echo "{\"root\": \"$node\", \"devinfod\": {\"requireCarrier\": true}}" >"$DEVINFO_CONF"
	daemon_start
	listed 1 '. == {"0000:01:10.0": "Unhealthy", "0000:01:10.2": "Unhealthy"}'
	grep -q 'device=0000:01:10.0 health=Unhealthy why="its PF eth0 has no carrier"' "$dir/log"
	echo 1 >"$carrier"
	changed
	listed 2 "$both_healthy"
}

@test "a mistake in devinfod's part of the node's file is told, and the rest counts" {
	echo "{\"root\": \"$node\", \"devinfod\": {\"requireCarier\": true}}" >"$DEVINFO_CONF"
	kubelet_start
	daemon_start
	listed 1 "$both_healthy"
	grep -q "unknown key 'devinfod.requireCarier'" "$dir/log"
	grep -q "requireCarrier" "$dir/log"
}

@test "before a start a device that nobody has is reset where the node's file says so; one that fails is not well" {
	local device=$node/sys/bus/pci/devices/0000:01:10.2
	echo "{\"root\": \"$node\", \"devinfod\": {\"resetBeforeStart\": true}}" >"$DEVINFO_CONF"
	echo flr >"$device/reset_method"
	echo 0 >"$device/reset"
	kubelet_start
	daemon_start
	listed 1 "$both_healthy"
	[ "$(last options .pre_start_required)" = true ]
	ask '{"do": "prestart", "resource": "intel.com/vf", "ids": ["0000:01:10.2", "0000:01:10.0"]}'
	[ "$(last prestart .answer)" = '{}' ]
	[ "$(<"$device/reset")" = 1 ]
	grep -q 'resource=intel.com/vf device=0000:01:10.2 msg=reset' "$dir/log"
	# the network device is not the user's
	run ! grep -q 'device=0000:01:10.0 msg=reset' "$dir/log"
	# one that hangs in the kernel
	rm "$device/reset"
	mkfifo "$device/reset"
	echo '{"do": "prestart", "resource": "intel.com/vf", "ids": ["0000:01:10.2"]}' >&7
	sleep 0.2
	allocate 0000:01:10.0
	[ "$(last allocate .code)" = null ]
	[ "$(count '.event == "prestart"')" -eq 1 ]
	saw 2 '.event == "prestart"'
	[ "$(last prestart '[.code, .details]')" = '[14,"reset of device 0000:01:10.2: it takes more than 2000 ms"]' ]
	listed 1 '. == {"0000:01:10.0": "Healthy", "0000:01:10.2": "Unhealthy"}'
	grep -q 'device=0000:01:10.2 health=Unhealthy why="reset of device 0000:01:10.2: it takes more than 2000 ms"' "$dir/log"
	# until the administrator has seen to it
	changed
	listed 2 "$both_healthy"
}

# pools_mounted POOL... - as kubelet mounts them of a ConfigMap: by links, of which one is replaced
pools_mounted() {
	local at=..$RANDOM$RANDOM
	mkdir -p "$dir/pools/$at"
	pools "$@"
	mv "$dir/config.json" "$dir/pools/$at/"
	ln -s "$at" "$dir/pools/..data_tmp"
	mv -T "$dir/pools/..data_tmp" "$dir/pools/..data"
	ln -sfn ..data/config.json "$dir/pools/config.json"
}

@test "pools are read from a ConfigMap, which kubelet mounts as links, and again when it has changed" {
	pools_mounted '{"resourceName": "vf", "selectors": {"drivers": ["vfio-pci"]}}'
	kubelet_start
	"$daemon" --config-file "$dir/pools/config.json" >>"$dir/log" 2>&1 3>&- 7>&- &
	devinfod=$!
	listed 1 '. == {"0000:01:10.2": "Healthy"}'
	pools_mounted '{"resourceName": "vf", "selectors": {"pfNames": ["eth0"]}}'
	listed 1 "$both_healthy"
}

@test "a pool with expressions of ours offers what meets them" {
	pools '{"resourceName": "vf", "expressions": "driver In vfio-pci"}'
	kubelet_start
	daemon_start
	listed 1 '. == {"0000:01:10.2": "Healthy"}'
}

@test "sockets of a pool: a directory for each allocation, a file that says where, and nothing of before" {
	local slot=$node/run/devinfo/sockets/_dp/intel.com/vhost-1
	pools '{"resourceName": "vhost", "deviceType": "vhostUser", "slots": 2}' \
		'{"resourceName": "mif", "resourcePrefix": "example.com", "deviceType": "memif", "slots": 1, "mode": "ip", "additionalInfo": {"*": {"a": "1"}}}'
	kubelet_start
	daemon_start
	saw 1 '.event == "list" and .resource == "intel.com/vhost" and [.devices[] | .ID, .health] == ["vhost-0", "Healthy", "vhost-1", "Healthy"]'
	saw 1 '.event == "list" and .resource == "example.com/mif" and [.devices[].ID] == ["mif-0"]'
	[ "$(jq -c '[.type, ."vhost-user".mode, ."vhost-user".path]' "$dp/intel.com-vhost-vhost-1-device.json")" = \
		'["vhost-user","server","/run/devinfo/sockets/_dp/intel.com/vhost-1/socket"]' ]
	[ "$(jq -c .memif "$dp/example.com-mif-mif-0-device.json")" = \
		'{"mode":"ip","path":"/run/devinfo/sockets/_dp/example.com/mif-0/socket","role":"master"}' ]
	# what another has left is not the pod's
	mkdir -p "$slot/x"
	touch "$slot/x/y" "$slot/socket"
	ask '{"do": "allocate", "resource": "intel.com/vhost", "containers": [["vhost-1"]]}'
	[ "$(last allocate '.answer.container_responses[0] | [.envs.PCIDEVICE_INTEL_COM_VHOST, .mounts]')" = \
		'["vhost-1",[{"container_path":"/run/devinfo/sockets/_dp/intel.com/vhost-1","host_path":"/run/devinfo/sockets/_dp/intel.com/vhost-1","read_only":false}]]' ]
	[ "$(last allocate '.answer.container_responses[0].envs.PCIDEVICE_INTEL_COM_VHOST_INFO | fromjson | ."vhost-1"')" = \
		'{"generic":{"deviceID":"vhost-1"},"vhostUser":{"mode":"server","mount":"/run/devinfo/sockets/_dp/intel.com/vhost-1","path":"/run/devinfo/sockets/_dp/intel.com/vhost-1/socket"}}' ]
	[ "$(stat -c '%a' "$slot" "$node/run/devinfo/sockets/_dp" | xargs)" = "770 755" ]
	[ -z "$(ls -A "$slot")" ]
	ask '{"do": "allocate", "resource": "example.com/mif", "containers": [["mif-0"]]}'
	[ "$(last allocate '.answer.container_responses[0].envs.PCIDEVICE_EXAMPLE_COM_MIF_INFO | fromjson | ."mif-0" | [.extra.a, .memif.role, .memif.mode]')" = \
		'["1","master","ip"]' ]
	# a link is not followed
	rm -r "$slot"
	mkdir "$dir/elsewhere"
	touch "$dir/elsewhere/z"
	ln -s "$dir/elsewhere" "$slot"
	ask '{"do": "allocate", "resource": "intel.com/vhost", "containers": [["vhost-1"]]}'
	[ "$(last allocate .code)" = 13 ]
	[ -e "$dir/elsewhere/z" ]
	rm "$slot"
	ask '{"do": "allocate", "resource": "intel.com/vhost", "containers": [["vhost-1"]]}'
	# whoever has it gives it away, with what is in it: the next one gets an empty one all the same
	touch "$slot/socket"
	chown -R 1000:1000 "$slot"
	chmod 700 "$slot"
	ask '{"do": "allocate", "resource": "intel.com/vhost", "containers": [["vhost-1"]]}'
	[ "$(last allocate '.answer.container_responses | length')" = 1 ]
	[ "$(stat -c '%u %a' "$slot")" = "0 770" ]
	[ -z "$(ls -A "$slot")" ]
	# another pool in its place leaves what pods may have
	pools '{"resourceName": "vf", "selectors": {"pfNames": ["eth0"]}}'
	touch "$slot/socket"
	kill -HUP "$devinfod"
	saw 1 '.event == "list" and .resource == "intel.com/vf"'
	[ -e "$slot/socket" ]
	# the end: files go, and what a pod may just have been given stays
	daemon_stop
	[ -z "$(ls "$dp")" ]
	[ -d "$node/run/devinfo/sockets/_dp/example.com/mif-0" ]
}

@test "in a container that is given no place for its lock it serves all the same, and says so" {
	mkdir -p "$node/run"
	printf '#!/bin/sh\nexec unshare --mount sh -c '"'"'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'"'"' "%s" "%s" "$@"\n' \
		"$node/run" "$daemon" >"$dir/readonly"
	chmod +x "$dir/readonly"
	daemon=$dir/readonly
	kubelet_start
	daemon_start
	works 1
	grep -q "msg=\"nothing keeps a second devinfod away: '/run/devinfo' is read-only\"" "$dir/log"
}

# -- who starts when --

@test "kubelet starts after devinfod" {
	daemon_start
	sleep 0.3
	kubelet_start
	works 1
}

@test "kubelet starts anew, and has emptied the directory" {
	kubelet_start
	daemon_start
	works 1
	for _ in 1 2 3; do
		kubelet_kill
		kubelet_start
		works 1
	done
}

@test "kubelet starts anew, and has left devinfod's socket" {
	kubelet_start
	daemon_start
	works 1
	kubelet_kill
	kubelet_start --mode keep
	works 1
}

@test "devinfod starts anew, after its end and after a kill" {
	kubelet_start
	daemon_start
	works 1
	daemon_stop
	saw 1 '.event == "ended"'
	daemon_start
	works 2
	daemon_kill
	saw 2 '.event == "ended"'
	[ -e "$sockets/devinfo-intel.com_vf.sock" ]
	daemon_start
	works 3
	[ "$(ls "$dp")" = $'intel.com-vf-0000:01:10.0-device.json\nintel.com-vf-0000:01:10.2-device.json' ]
}

@test "both start anew at once" {
	kubelet_start
	daemon_start
	works 1
	kubelet_kill
	daemon_kill
	daemon_start
	kubelet_start
	works 1
}

@test "devinfod is killed in the middle of allocations, and the next one serves" {
	kubelet_start
	daemon_start
	saw 1 '.event == "list"'
	echo '{"do": "many", "resource": "intel.com/vf", "containers": [["0000:01:10.0"]], "times": 100000, "width": 8, "until_failed": true}' >&7
	for _ in {1..400}; do
		[ "$(grep -c 'msg=allocated' "$dir/log")" -lt 100 ] || break
		sleep 0.025
	done
	daemon_kill
	saw 1 '.event == "many"'
	# some had been answered; of the eight that are under way at each time none was
	[ "$(last many '.answer | .done - .failed > 50')" = true ]
	[ "$(last many '.answer.failed >= 2')" = true ]
	daemon_start
	saw 2 '.event == "list"'
	allocate 0000:01:10.2
	[ "$(last allocate .code)" = null ]
}

@test "kubelet's directory is wiped while both run" {
	kubelet_start
	daemon_start
	works 1
	rm "$sockets/devinfo-intel.com_vf.sock"
	saw 2 '.event == "register" and .served'
	works 2
	# with kubelet's own socket nobody can register: as soon as it is back, devinfod is
	kubelet_kill
	rm -r "$sockets"
	sleep 0.3
	kubelet_start
	works 1
}

@test "a kubelet that refuses is asked again, ever later" {
	kubelet_start --mode refuse
	daemon_start
	works 1
	[ "$(count '.event == "register"')" -eq 3 ]
	grep -q 'msg="not registered" why="kubelet refuses it (2): refused by the test"' "$dir/log"
}

@test "each resource has a socket; one that comes is registered, and one that goes ends" {
	local vf='{"resourceName": "vf", "selectors": {"pfNames": ["eth0"]}}'
	local other='{"resourceName": "other", "resourcePrefix": "example.com", "selectors": {"pfNames": ["eth1"]}}'
	kubelet_start
	daemon_start
	saw 1 '.event == "list"'
	pools "$vf" "$other"
	changed
	saw 1 '.event == "list" and .resource == "example.com/other"'
	[ "$(count '.event == "register" and .endpoint == "devinfo-example.com_other.sock"')" -eq 1 ]
	[ "$(count '.event == "register" and .resource_name == "intel.com/vf"')" -eq 1 ]
	pools "$other"
	changed
	saw 1 '.event == "ended" and .resource == "intel.com/vf"'
	# kubelet may see the end of its stream before the names have gone
	timeout 10 sh -c 'while [ -e "$0" ]; do sleep 0.05; done' "$sockets/devinfo-intel.com_vf.sock"
	[ "$(cd "$dp" && echo intel.com-vf*)" = "intel.com-vf*" ]
	[ "$(count '.event == "ended" and .resource == "example.com/other"')" -eq 0 ]
}

# -- many --

# bats test_tags=plain
@test "ten thousand allocations on one connection, and no memory is kept" {
	kubelet_start
	daemon_start
	saw 1 '.event == "list"'
	ask '{"do": "many", "resource": "intel.com/vf", "containers": [["0000:01:10.2"]], "times": 500}'
	before=$(awk '$1 == "VmRSS:" { print $2 }' "/proc/$devinfod/status")
	echo '{"do": "many", "resource": "intel.com/vf", "containers": [["0000:01:10.2"]], "times": 10000, "width": 4}' >&7
	for _ in {1..60}; do
		[ "$(count '.event == "many"')" -lt 2 ] || break
		sleep 1
	done
	[ "$(last many '[.answer.done, .answer.failed]')" = '[10000,0]' ]
	after=$(awk '$1 == "VmRSS:" { print $2 }' "/proc/$devinfod/status")
	echo "$(last many .answer) RSS before $before kB, after $after kB"
	# a sanitizer keeps what is freed for a while
	[ -n "${SAN:-}" ] || [ $((after - before)) -lt 1024 ]
	[ "$(count '.event == "register"')" -eq 1 ]
}

@test "a node that cannot be looked at is looked at again less and less often, and at once when it is told to" {
	mkdir -p "$node/var/lib/cni/devinfo/attachments"
	chmod 777 "$node/var/lib/cni/devinfo"
	kubelet_start
	daemon_start
	# after one second, and two; four are next
	: >>"$dir/log"
	for _ in {1..400}; do
		[ "$(grep -c 'the node is not looked at' "$dir/log")" -lt 3 ] || break
		sleep 0.025
	done
	sleep 2
	[ "$(grep -c 'the node is not looked at' "$dir/log")" -eq 3 ]
	chmod 755 "$node/var/lib/cni/devinfo"
	changed
	listed 1 "$both_healthy"
	daemon_stop
}
