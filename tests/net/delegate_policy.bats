#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# delegate_policy.bats - which plugins a network may name, and which devices of the node these may move
#
# rooms: cni/plugins

load helpers
load kubelet

setup() {
	node_up
	before=$(snapshot "$pod")
}

teardown() {
	serve_stop
	node_down
}

# moving MEMBERS [jq filter] - host-device moves what these members name
moving() {
	conf "del(.device, .ipam) | .delegates = [{type: \"host-device\"} + $1] | ${2:-.}"
}

# denied CONF CODE TEXT - an ADD of this has that error, and nothing has changed
denied() {
	add "$1"
	refused "$2" "$3"
	same "$before" "$pod"
}

# every_name DEVICE ADDRESS - the members that have host-device move it
every_name() {
	cat <<-EOF2
		{device: "$1"}
		{Device: "$1"}
		{device: "$1", deviceID: "v0"}
		{hwaddr: "$2"}
		{HWAddr: "${2^^}"}
		{runtimeConfig: {deviceID: "$1"}}
		{runtimeconfig: {DeviceId: "$1"}}
	EOF2
}

@test "with devices \"kubelet\" a delegate moves what kubelet gave to the pod, by whatever name, and nothing else" {
	node_conf '{devices: "kubelet"}'
	gave v0
	kubelet ok
	export CNI_ARGS='K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1'
	add "$(moving '{device: "v0"}')"
	added
	del "$(moving '{device: "v0"}')"
	deleted
	ip -n "$node" link set v0 down alias ''		# which host-device 1.1.1 leaves
	before=$(snapshot "$pod")
	while read -r members; do
		echo "$members"
		denied "$(moving "$members")" 102 'kubelet did not give it to pod default/p1'
		denied "$(moving "$members" '.deviceID = "v0"')" 102 'kubelet did not give it to pod default/p1'
	done < <(every_name w0 02:00:00:00:00:1a)
	CNI_ARGS=
	denied "$(moving '{device: "v0"}')" 102 'CNI_ARGS name no pod'
}

@test "denyDevices and allowDevices hold for the device of a delegate" {
	while read -r members; do
		echo "$members"
		node_conf '{denyDevices: ["w*"]}'
		denied "$(moving "$members")" 102 "device w0 is not allowed: it matches denyDevices of the node's file"
		node_conf '{allowDevices: ["v*"]}'
		denied "$(moving "$members")" 102 "device w0 is not allowed: it matches nothing in allowDevices of the node's file"
	done < <(every_name w0 02:00:00:00:00:1a)
	denied "$(moving '{"\u212aernelpath": "/sys/devices/x"}')" 7 'must be ASCII'
	denied "$(moving '{kernelpath: "/sys/devices/x/../y"}')" 102 "without '..'"
	denied "$(moving '{hwaddr: "02:00:00:00:00:99"}')" 102 "no network device of the host has the address"
	denied "$(moving '{hwaddr: "zz"}')" 102 "no network device of the host has the address"
}

@test "a device that another call's delegate is about to take is not given to a second one" {
	fake11_up
	pod_add "$pod2"
	node_conf "{ipamTimeoutMs: 50000, addTimeoutMs: 55000}"
	echo wait >"$FAKE11/one.ADD"
	env_of ADD
	in_node timeout 60 "$plugin" >"$dir/first" 3>&- <<<"$(conf 'del(.device, .ipam) | .cniVersion = "1.1.0" |
		.delegates = [{type: "one", makes: true, deviceID: "w0"}]')" &
	first=$!
	for _ in {1..500}; do
		! grep -q '^one ADD' "$FAKE11/calls.log" 2>/dev/null || break
		sleep 0.02
	done
	add "$(moving '{device: "w0"}')" "$pod2"
	refused 11 "lock w0: held by another call of this plugin"
	ip -n "$node" link show w0 >/dev/null
	rm "$FAKE11/one.ADD"
	wait_for "$first"
	[ "$result" -eq 0 ] || { cat "$dir/first" && false; }
	add "$(moving '{device: "w0"}')" "$pod2"
	added
}

@test "a name that no device has keeps no other call from its status and device-info files" {
	fake11_up
	pod_add "$pod2"
	node_conf "{ipamTimeoutMs: 50000, addTimeoutMs: 55000, lockTimeoutMs: 1000}"
	echo wait >"$FAKE11/one.ADD"
	env_of ADD
	in_node timeout 60 "$plugin" >"$dir/first" 3>&- <<<"$(conf 'del(.device, .ipam) | .cniVersion = "1.1.0" |
		.delegates = [{type: "one", makes: true, deviceID: "status '"$pod2"'.json", device: "device-info mine"}]')" &
	first=$!
	for _ in {1..500}; do
		! grep -q '^one ADD' "$FAKE11/calls.log" 2>/dev/null || break
		sleep 0.02
	done
	add "$(conf 'del(.ipam) | .runtimeConfig.CNIDeviceInfoFile = "'"$dir/devinfo"'/cni/mine"')" "$pod2"
	added
	rm "$FAKE11/one.ADD"
	wait_for "$first"
}

@test "delegates of one network name at most sixteen devices of the host" {
	denied "$(conf 'del(.device, .ipam) | .delegates = [{type: "bond", links: [range(17) | {name: "no\(.)"}]}]')" 7 \
		'delegates name over 16 devices of the host'
}

@test "a device that has too many interfaces on it to look at all is not moved" {
	for i in {1..300}; do echo "link add link v0 name mv$i type macvlan mode bridge"; done >"$dir/batch"
	ip -n "$node" -batch "$dir/batch"
	ip -n "$node" link set v0 up
	add "$(moving '{device: "v0"}')"
	refused 102 "more than 256 interfaces are built on v0"
}

@test "links of a bond are devices of the node, unless they are in the pod already" {
	node_conf '{denyDevices: ["w*"]}'
	bond() { conf "del(.device, .ipam) | .delegates = [{type: \"bond\", links: [{name: \"v0\"}, {name: \"w0\"}]} + $1]"; }
	for members in '{}' '{linksInContainer: false}' '{linksInContainer: true, LinksInContainer: false}'; do
		echo "$members"
		denied "$(bond "$members")" 102 "device w0 is not allowed: it matches denyDevices of the node's file"
	done
	add "$(bond '{linksInContainer: true}')"
	[ "$status" -eq 1 ]
	[[ $output != *denyDevices* ]]
}

@test "a device below a path of sysfs is refused as it is by its name" {
	mkdir -p "$dir/root/proc/sys/kernel/random" "$dir/root/tmp"
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$dir/root"
	cp /proc/sys/kernel/random/boot_id "$dir/root/proc/sys/kernel/random/"
	node_conf "{root: \"$dir/root\", logFile: \"\", logLevel: \"error\", denyDevices: [\"0000:01:10.0\"]}"
	path=$(realpath "$dir/root/sys/bus/pci/devices/0000:01:10.0")
	add "$(moving "{kernelpath: \"${path#"$dir/root"}\"}")"
	refused 102 "it matches denyDevices of the node's file"
}

@test "a device by which a default route leaves is not moved by a delegate either" {
	ip -n "$node" link set v0 up
	ip -n "$node" link set p0 up
	ip -n "$node" addr add 192.0.2.1/24 dev v0
	ip -n "$node" route add default via 192.0.2.9
	before=$(snapshot "$pod")
	denied "$(moving '{device: "v0"}')" 102 'a default route of the host leaves by v0'
	# nor behind a socket
	denied "$(conf 'del(.device, .ipam) | .memif = {role: "master"} | .delegates = [{type: "host-device", device: "v0"}]')" \
		102 'a default route of the host leaves by v0'
}

@test "what the host uses otherwise is not moved by a delegate either: a port, another pod's veth, what is built on" {
	pod_add "$pod2"
	ip -n "$node" link add h0 address 02:00:00:00:00:2a type veth peer name eth0 netns "$pod2"
	ip -n "$node" link add br0 type bridge
	ip -n "$node" link set w0 master br0
	ip -n "$node" link add link v0 name m0 type macvlan
	before=$(snapshot "$pod" "$pod2")
	while read -r device address why; do
		while read -r members; do
			echo "$members"
			add "$(moving "$members")"
			refused 102 "$why"
			same "$before" "$pod" "$pod2"
		done < <(every_name "$device" "$address" | grep -v 'device: "[a-z0-9]*", deviceID')
	done <<-EOF2
		h0 02:00:00:00:00:2a h0 is one end of a veth pair whose other end is in another namespace
		w0 02:00:00:00:00:1a w0 is a port of br0
		v0 02:00:00:00:00:0a v0 is used by interfaces of the host that are stacked on it: m0
		lo 00:00:00:00:00:00 lo is the loopback device
	EOF2
}

@test "a delegate is not told the device of another pod" {
	load chain
	fake11_up
	recorded igb
	c=$(conf 'del(.device, .ipam) | .cniVersion = "1.1.0" | .deviceID = "0000:01:10.2"
		| .prevResult = {cniVersion: "1.1.0", interfaces: [{name: "net1", sandbox: "x"}]}')
	add "$c"
	[ "$status" -eq 0 ]
	pod_add "$pod2"
	for key in deviceID pciBusID; do
		add "$(conf "del(.device, .ipam) | .cniVersion = \"1.1.0\" | .delegates = [{type: \"one\", makes: true, $key: \"0000:01:10.2\"}]")" "$pod2"
		refused 11 "device 0000:01:10.2 belongs to another attachment"
		[ "$(records)" -eq 1 ]
		[ ! -e "$FAKE11/calls.log" ]
	done
	del "$c"
	deleted
	add "$(conf 'del(.device, .ipam) | .cniVersion = "1.1.0" | .delegates = [{type: "one", makes: true, deviceID: "0000:01:10.2"}]')" "$pod2"
	[ "$status" -eq 0 ]
}

@test "an alternative name, or a path that leads to a device's directory, is no way round" {
	ip -n "$node" link property add dev w0 altname enp9s0 altname a-name-of-more-than-fifteen-bytes
	ip -n "$node" link set w0 up
	ip -n "$node" link set q0 up
	ip -n "$node" addr add 192.0.2.1/24 dev w0
	ip -n "$node" route add default via 192.0.2.9
	before=$(snapshot "$pod")
	for name in enp9s0 a-name-of-more-than-fifteen-bytes; do
		denied "$(moving "{device: \"$name\"}")" 102 'a default route of the host leaves by w0'
	done
	ip -n "$node" route del default
	node_conf '{denyDevices: ["w*", "0000:01:10.0"]}'
	before=$(snapshot "$pod")
	for name in enp9s0 a-name-of-more-than-fifteen-bytes; do
		denied "$(moving "{device: \"$name\"}")" 102 "device w0 is not allowed: it matches denyDevices"
	done
	for id in x/../0000:01:10.0 ./0000:01:10.0 0000:01:10.0/ 0000:00:01.0/0000:01:10.0 0000:01:00.0/virtfn0 \
			auxiliary/../0000:01:10.0 ..; do
		denied "$(moving "{pciBusID: \"$id\"}")" 102 "'$id' names no device"
		denied "$(moving "{runtimeConfig: {deviceID: \"$id\"}}")" 102 "'$id' names no device"
	done
}

@test "a network names no other plugins than the node's file lists, for IPAM or as delegate" {
	fake11_up
	node_conf '{allowPlugins: ["fake", "one"]}'
	add "$(conf)"
	added
	env_of CHECK
	result=$output
	run --separate-stderr in_node "$plugin" <<<"$(conf | jq -c --argjson r "$result" '.prevResult = $r')"
	[ "$status" -eq 0 ]
	del "$(conf)"
	deleted
	for c in "$(fixed)" "$(conf '.delegates = [{type: "host-device"}] | del(.device, .ipam)')" \
		"$(conf '.delegate = {type: "two"} | del(.device, .ipam)')" \
		"$(conf '.delegates = [{type: "one"}, {type: "two"}] | del(.device, .ipam)')" \
		"$(conf '.delegates = [{type: "one", ipam: {type: "static"}}] | del(.device, .ipam)')" \
		"$(conf '.delegates = [{type: "one", IPAM: {Type: "static"}}] | del(.device, .ipam)')" \
		"$(conf '.delegates = [{type: "one", ipam: {type: "fake", TYPE: "static"}}] | del(.device, .ipam)')"; do
		denied "$c" 7 'is not allowed'
		[[ $output == *"allowPlugins of the node's file lists"* ]]
		for verb in STATUS CHECK; do
			env_of $verb
			run --separate-stderr in_node "$plugin" <<<"$(jq -c --argjson r "$result" '.cniVersion = "1.1.0" | .prevResult = $r' <<<"$c")"
			echo "$verb $output"
			[ "$status" -eq 1 ]
			[[ $output == *'is not allowed'* ]]
		done
	done
	node_conf '{allowPlugins: []}'
	denied "$(conf)" 7 "ipam.type 'fake' is not allowed"
}

@test "without a record a DEL asks no plugin that is not listed; with one it asks those of the ADD" {
	fake11_up
	c=$(conf 'del(.device, .ipam) | .cniVersion = "1.1.0" | .delegates = [{type: "one", makes: true}]')
	add "$c"
	added
	node_conf '{allowPlugins: ["fake"]}'
	del "$c"
	deleted
	grep '^one DEL' "$FAKE11/calls.log"
	rm "$FAKE11/calls.log"
	del "$c"
	deleted
	[ ! -e "$FAKE11/calls.log" ]
	grep -q 'its plugins are not asked' "$dir/log"
}
