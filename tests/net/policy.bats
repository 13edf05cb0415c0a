#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# policy.bats - which devices the node gives away: what is always refused, and what its file says
#
# rooms: cni/attach devinfo/taint

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

# address_up - v0 and w0 are up, with addresses
address_up() {
	for i in v0,p0,1 w0,q0,2; do
		IFS=, read -r one other n <<<"$i"
		ip -n "$node" link set "$one" up
		ip -n "$node" link set "$other" up
		ip -n "$node" addr add "192.0.$n.1/24" dev "$one"
		ip -n "$node" addr add "fd00:$n::1/64" dev "$one"
	done
	# the kernel makes the routes of an address when it has seen the carrier
	for _ in {1..200}; do
		[ "$(ip -n "$node" -6 route show table local | grep -c '^local fd00:')" -lt 2 ] || return 0
		sleep 0.05
	done
	return 1
}

# denied FILTER TEXT - an ADD of this is code 102 with that text, and nothing has changed
denied() {
	before=$(snapshot "$pod")
	add "$(conf "$1")"
	refused 102 "$2"
	same "$before" "$pod"
}

# root_up - the node's files are the recorded igb's: eth0, with index 2, is that of the PF 0000:01:00.0,
# which has two VFs, eth4 (6) that of its VF 0000:01:10.0, eth1 (3) that of a PF without; here they are veths
root_up() {
	mkdir -p "$dir/root/proc/sys/kernel/random" "$dir/root/tmp"
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$dir/root"
	cp /proc/sys/kernel/random/boot_id "$dir/root/proc/sys/kernel/random/"
	for i in eth0,2 eth1,3 eth4,6; do
		ip -n "$node" link del "${i%,*}-p" 2>/dev/null || true
		ip -n "$node" link add "${i%,*}" type veth peer name "${i%,*}-p"
		ip -n "$node" -j link show "${i%,*}" | jq -r '.[0].ifindex' >"$(readlink -f "$dir/root/sys/class/net/${i%,*}")/ifindex"
	done
	root_conf '{}'
}
root_conf() { node_conf "{root: \"\\(\$d)/root\", logFile: \"\", logLevel: \"error\"} + $1"; }

by_id() { conf "del(.device, .ipam) | .deviceID = \"$1\""; }

@test "patterns of the node's file also mean the alternative names of a network device" {
	ip -n "$node" link property add dev v0 altname uplink-of-the-host
	node_conf '{denyDevices: ["UPLINK-*"]}'
	denied '.device = "v0"' "device v0 is not allowed: it matches denyDevices of the node's file"
	node_conf '{allowDevices: ["w*"]}'
	denied '.device = "v0"' "device v0 is not allowed: it matches nothing in allowDevices of the node's file"
	node_conf '{allowDevices: ["uplink-*"]}'
	add "$(conf)"
	added
	del "$(conf)"
	deleted
	for i in {1..9}; do ip -n "$node" link property add dev v0 altname "more$i"; done
	node_conf '{denyDevices: ["w*"]}'
	denied '.device = "v0"' 'device v0 is not allowed: it has over 8 alternative names'
}

@test "a device by which a default route of the host leaves is refused, whatever the family, table and next hops" {
	address_up
	while read -r text; do
		echo "$text"
		# shellcheck disable=SC2086
		ip -n "$node" $text
		denied '.device = "v0"' 'device v0 is not allowed: a default route of the host leaves by v0'
		# shellcheck disable=SC2086
		ip -n "$node" ${text/ add / del }
	done <<-EOF
		route add default via 192.0.1.9
		route add default dev v0 table 1234
		-6 route add default via fd00:1::9 dev v0
		-6 route add default dev v0 table 77 metric 9
		route add default nexthop via 192.0.2.9 dev w0 nexthop via 192.0.1.9 dev v0
		-6 route add default nexthop via fd00:2::9 dev w0 nexthop via fd00:1::9 dev v0
	EOF
	ip -n "$node" route add unreachable default metric 999
	ip -n "$node" route add 198.51.100.0/24 via 192.0.1.9
	ip -n "$node" route add default via 192.0.2.9
	node_conf '{allowAddressed: true}'
	denied '.device = "w0"' 'a default route of the host leaves by w0'
	add "$(conf)"
	added
}

@test "so is one of a next hop that is an object of its own, or of a group of such" {
	address_up
	in_node sysctl -qw net.ipv4.nexthop_compat_mode=0
	ip -n "$node" nexthop add id 5 via 192.0.2.9 dev w0
	ip -n "$node" nexthop add id 6 via 192.0.1.9 dev v0
	ip -n "$node" nexthop add id 7 group 5/6
	for id in 6 7; do
		ip -n "$node" route add default nhid $id
		denied . 'a default route of the host leaves by v0'
		ip -n "$node" route del default nhid $id
	done
	ip -n "$node" route add default nhid 5
	denied '.device = "w0"' 'a default route of the host leaves by w0'
	node_conf '{allowAddressed: true}'
	add "$(conf)"
	added
}

@test "so is one that the interface with the route is built on" {
	address_up
	ip -n "$node" link add mv0 link v0 type macvlan mode bridge
	ip -n "$node" link set mv0 up
	ip -n "$node" route add default dev mv0
	denied . 'a default route of the host leaves by mv0, which is built on v0'
	ip -n "$node" link del mv0
	ip -n "$node" link add br0 type bridge
	ip -n "$node" link set v0 master br0
	ip -n "$node" link set br0 up
	ip -n "$node" link add mv1 link br0 type macvlan mode bridge
	ip -n "$node" link set mv1 up
	ip -n "$node" -6 route add default dev mv1
	denied . 'a default route of the host leaves by mv1, which is built on v0'
	node_conf '{allowAddressed: true}'
	add "$(conf '.device = "w0"')"
	added
}

@test "a device on which the host has an address, or by which it has a route, is refused, unless the node's file gives it away" {
	ip -n "$node" link set v0 up
	ip -n "$node" link set p0 up
	ip -n "$node" addr add 169.254.7.7/16 dev v0
	for text in 'addr add 192.0.1.1/24 dev v0' 'addr add 192.0.1.1 peer 192.0.1.2 dev v0' \
		'-6 addr add fd00:1::1/64 dev v0 nodad'; do
		echo "$text"
		# shellcheck disable=SC2086
		ip -n "$node" $text
		denied . 'device v0 is not allowed: the host has the address '
		[[ $output == *allowAddressed* ]]
		# shellcheck disable=SC2086
		ip -n "$node" ${text/ add / del }
	done
	for text in 'route add 198.51.100.0/24 dev v0' '-6 route add fd00:9::/64 dev v0 table 77' \
		'route add 198.51.100.0/24 nexthop dev v0 nexthop via 169.254.7.9 dev v0'; do
		echo "$text"
		# shellcheck disable=SC2086
		ip -n "$node" $text
		denied . 'device v0 is not allowed: a route of the host to '
		# shellcheck disable=SC2086
		ip -n "$node" ${text/ add / del }
	done
	# next hops that are objects, of which the route tells but the number
	in_node sysctl -qw net.ipv4.nexthop_compat_mode=0
	ip -n "$node" nexthop add id 7 via 169.254.7.9 dev v0
	ip -n "$node" nexthop add id 8 group 7
	for hop in 7 8; do
		ip -n "$node" route add 198.51.100.0/24 nhid "$hop"
		denied . 'device v0 is not allowed: a route of the host to 198.51.100.0/24'
		ip -n "$node" route del 198.51.100.0/24
	done
	ip -n "$node" nexthop flush
	ip -n "$node" link add mv0 link v0 type macvlan mode bridge
	ip -n "$node" link set mv0 up
	ip -n "$node" addr add 192.0.7.1/24 dev mv0
	denied . 'the host has the address 192.0.7.1/24 on mv0, which is built on v0'
	ip -n "$node" link del mv0
	# what the kernel makes, and what is of the link alone
	add "$(conf)"
	added
	del "$(conf)"
	deleted
	ip -n "$node" link set v0 up
	ip -n "$node" addr add 192.0.1.1/24 dev v0
	denied . 'the host has the address 192.0.1.1/24 on v0'
	node_conf '{allowAddressed: true}'
	add "$(conf)"
	added
}

@test "a VF whose network device is in another namespace, or that has no driver, is refused with that" {
	root_up
	d=$dir/root/sys/devices/pci0000:00/0000:00:04.0/0000:01:10.2
	rm "$d/driver"
	add "$(by_id 0000:01:10.2)"
	refused 102 '0000:01:10.2 (driver none) has no network device here: bind a driver to it'
	ln -s ../../../../bus/pci/drivers/ifcvf "$d/driver"
	add "$(by_id 0000:01:10.2)"
	refused 102 '0000:01:10.2 (driver ifcvf) has no network device here; '
	ln -sfn ../../../../bus/pci/drivers/igbvf "$d/driver"
	mkdir "$d/net"
	add "$(by_id 0000:01:10.2)"
	refused 102 '0000:01:10.2 (driver igbvf) has no network device here: it is in another network namespace'
}

@test "a PF that has VFs is refused by its address and by its interface; one without, and a VF, are not" {
	root_up
	for c in "$(by_id 0000:01:00.0)" "$(conf 'del(.ipam) | .device = "eth0"')" \
		"$(by_id pci/0000:01:00.0/0)" "$(by_id 0000:01:00.0 | jq -c '.driver = "vfio-pci"')" \
		"$(by_id 0000:01:00.0 | jq -c '.resetOnRelease = true')" \
		"$(by_id 0000:01:00.0 | jq -c 'del(.deviceID) | .runtimeConfig.deviceID = "0000:01:00.0"')" \
		"$(by_id 0000:01:00.0 | jq -c 'del(.deviceID) | .vdpa = {mgmtdev: "pci/0000:01:00.0", driver: "vhost"}')" \
		"$(by_id 0000:01:00.0 | jq -c '.delegates = [{type: "bridge"}]')"; do
		echo "$c"
		add "$c"
		refused 102 'device 0000:01:00.0 is not allowed: PCI function 0000:01:00.0 is a physical function with 2 VFs'
		[ -z "$(find "$dir/root$dir" -path '*/attachments/*' -type f)" ]
	done
	for c in "$(by_id 0000:02:00.0)" "$(by_id 0000:01:10.0)"; do
		add "$c"
		added
		del "$c"
		deleted
	done
}

@test "denyDevices goes before allowDevices, and a device that an allow list does not have is refused" {
	root_up
	for deny in '"0000:01:10.*"' '"8086:10ca"' '"eth4"' '"0000:01:1[0-9].[0-9A-F]"' '"x", "*:10CA"'; do
		root_conf "{denyDevices: [$deny], allowDevices: [\"*\"]}"
		for c in "$(by_id 0000:01:10.0)" "$(by_id 0000:01:10.0 | jq -c 'del(.deviceID) | .device = "eth4"')" \
			"$(by_id 0000:01:10.0 | jq -c '.vlan = 7')"; do
			add "$c"
			refused 102 "device 0000:01:10.0 is not allowed: it matches denyDevices of the node's file"
		done
	done
	for allow in '"0000:02:*"' '"8086:10c9"' '"eth1", "mlx5_core.sf.*"'; do
		root_conf "{allowDevices: [$allow]}"
		add "$(by_id 0000:01:10.0)"
		refused 102 "device 0000:01:10.0 is not allowed: it matches nothing in allowDevices of the node's file"
		add "$(by_id 0000:02:00.0)"
		added
		del "$(by_id 0000:02:00.0)"
		deleted
	done
	root_conf '{allowDevices: [], denyDevices: null}'
	add "$(by_id 0000:02:00.0)"
	added
}

# taint FILE DEVICE - the node's administrator taints it
taint() {
	mkdir -p "$dir/root/etc/cni/net.d/devinfo.d/overrides"
	jq -n --arg device "$2" '{apiVersion: "resource.k8s.io/v1", kind: "DeviceTaintRule", metadata: {name: "maintenance"},
		spec: {deviceSelector: {device: $device}, taint: {key: "maintenance", value: "planned", effect: "NoExecute"}}}' \
		>"$dir/root/etc/cni/net.d/devinfo.d/overrides/$1.json"
}

@test "K50: a device that is tainted is refused when the node says so; what is attached stays" {
	root_up
	taint vf 0000-01-10-0
	add "$(by_id 0000:01:10.0)"
	added
	root_conf '{refuseTainted: true}'
	env_of CHECK
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$(by_id 0000:01:10.0 | jq -c --argjson r "$output" '.prevResult = $r')"
	[ "$status" -eq 0 ]
	del "$(by_id 0000:01:10.0)"
	deleted
	for c in "$(by_id 0000:01:10.0)" "$(by_id 0000:01:10.0 | jq -c 'del(.deviceID) | .device = "eth4"')"; do
		add "$c"
		refused 102 "device 0000:01:10.0 is not allowed: it is tainted maintenance=planned:NoExecute"
	done
	add "$(by_id 0000:02:00.0)"
	added
	del "$(by_id 0000:02:00.0)"
	deleted
	# the writer of a network tolerates nothing
	add "$(by_id 0000:01:10.0 | jq -c '.tolerate = ["maintenance"]')"
	refused 7 "tolerate: not in a network configuration"
	root_conf '{refuseTainted: true, tolerate: ["maintenance=planned:NoExecute"]}'
	add "$(by_id 0000:01:10.0)"
	added
}

# rule FILE SELECTOR [FILTER] - one that selects by this, changed by a filter of jq
rule() {
	mkdir -p "$dir/root/etc/cni/net.d/devinfo.d/overrides"
	jq -n --argjson selector "$2" '{apiVersion: "resource.k8s.io/v1", kind: "DeviceTaintRule", metadata: {name: "rule"},
		spec: {deviceSelector: $selector, taint: {key: "k", effect: "NoSchedule"}}} | '"${3:-.}" \
		>"$dir/root/etc/cni/net.d/devinfo.d/overrides/$1.json"
}

# passes / is_doubted - an ADD of 0000:01:10.0
passes() {
	add "$(by_id 0000:01:10.0)"
	added
	del "$(by_id 0000:01:10.0)"
	deleted
}
is_doubted() {
	add "$(by_id 0000:01:10.0)"
	refused 102 "device 0000:01:10.0 is not allowed: whether it is tainted cannot be told, and the node's file says refuseTainted; 'devinfoctl doctor' names the DeviceTaintRule to correct"
}

@test "a taint that cannot be read or decided is one, where the node refuses tainted devices and it could be about the device" {
	root_up
	overrides=$dir/root/etc/cni/net.d/devinfo.d/overrides
	cel='[{cel: {expression: "true"}}]' cel=$(jq -cn "$cel")
	doubted=('{"deviceClassName": "c"}' '{"selectors": '"$cel"'}' '{"device": "0000-01-10-0", "selectors": '"$cel"'}'
		'{"driver": "devinfo.cni.dev", "deviceClassName": "c"}')
	others=('{"driver": "other.example.com", "deviceClassName": "c"}' '{"device": "0000-02-00-0", "selectors": '"$cel"'}'
		'{"pool": "another-node", "deviceClassName": "c"}')
	for refuse in false true; do
		root_conf "{refuseTainted: $refuse, nodeName: \"n1\"}"
		for selector in "${others[@]}"; do
			rule one "$selector"
			passes
		done
		# a rule that cannot be read, of another driver
		rule one '{"driver": "other.example.com"}' '.spec.taint.key = "no key"'
		passes
		# one that is about no device
		rule one null '.spec.taint.key = "no key" | del(.spec.deviceSelector)'
		passes
		for selector in "${doubted[@]}"; do
			rule one "$selector"
			[ "$refuse" = true ] || passes
			[ "$refuse" = false ] || is_doubted
		done
		for wrong in '.spec.taint.key = "no key"' '.spec.deviceSelector.what = 1' '.spec = 3'; do
			rule one '{}' "$wrong"
			[ "$refuse" = true ] || passes
			[ "$refuse" = false ] || is_doubted
		done
		echo '{' >"$overrides/one.json"
		[ "$refuse" = true ] || passes
		[ "$refuse" = false ] || is_doubted
		rm "$overrides/one.json"
	done
	# what is tolerated may be
	root_conf '{refuseTainted: true, tolerate: ["k"]}'
	rule one '{"deviceClassName": "c"}'
	passes
}

@test "D38: of several devices of a pod one without a taint is chosen" {
	root_up
	taint vf 0000-01-10-0
	mkdir -p "$dir/root$dir"
	gave 0000:01:10.0 0000:02:00.0
	kubelet ok
	ln -s "$dir/kubelet.sock" "$dir/root$dir/kubelet.sock"
	export CNI_ARGS='K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1'
	mount --bind "$dir" "$dir/root$dir"
	root_conf '{refuseTainted: true}'
	add "$(asking 'del(.ipam)')"
	chosen=$status left=$(ip -n "$node" -br link | grep -oE '^eth[0-9]@' | tr -d @ | sort | xargs)
	del "$(asking 'del(.ipam)')"
	taint pf 0000-02-00-0
	add "$(asking 'del(.ipam)')"
	none=$output
	umount "$dir/root$dir"
	[ "$chosen" -eq 0 ]
	[ "$left" = "eth0 eth4" ]	# eth1, of 0000:02:00.0, is the pod's
	[ "$(jq .code <<<"$none")" = 102 ]
	[[ $none == *'is tainted maintenance=planned:NoExecute'* ]]
}

@test "what is behind an interface that others make is looked at as well" {
	root_up
	for position in 'prevResult = {cniVersion: "1.0.0", interfaces: [{name: "net1", sandbox: "/x", pciID: "0000:01:10.0"}]}' \
		'prevResult = {cniVersion: "1.0.0", interfaces: [{name: "net1", sandbox: "/x"}]} | .deviceID = "0000:01:10.0"' \
		'delegates = [{type: "fake"}] | .deviceID = "0000:01:10.0"'; do
		root_conf '{denyDevices: ["0000:01:10.0"]}'
		add "$(conf "del(.device, .ipam) | .vlan = 9 | .$position")"
		refused 102 "it matches denyDevices of the node's file"
		root_conf '{}'
		add "$(conf "del(.device, .ipam) | .vlan = 9 | .$position")"
		[[ $output != *'not allowed'* ]]
	done
}

@test "with devices \"kubelet\" a pod has what kubelet gave it, by whatever name, and nothing else" {
	node_conf '{devices: "kubelet"}'
	gave v0
	kubelet ok
	export CNI_ARGS='K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1'
	for c in "$(conf)" "$(conf 'del(.device) | .deviceID = "v0"')" "$(asking)" \
		"$(conf 'del(.device) | .runtimeConfig.deviceID = "v0"')"; do
		add "$c"
		added
		del "$c"
		deleted
		same "$before" "$pod"
	done
	for c in '.device = "w0"' 'del(.device) | .deviceID = "w0"' \
		'del(.device, .ipam) | .deviceID = "w0" | .delegates = [{type: "fake"}]' \
		'del(.device, .ipam) | .deviceID = "unheard-of" | .delegates = [{type: "fake"}]'; do
		denied "$c" 'devices of the node'"'"'s file is "kubelet", and kubelet did not give it to pod default/p1'
	done
	CNI_ARGS='K8S_POD_NAMESPACE=default;K8S_POD_NAME=other'
	add "$(conf)"
	[ "$status" -eq 1 ]
	CNI_ARGS=
	denied . 'devices of the node'"'"'s file is "kubelet", and CNI_ARGS name no pod'
	CNI_ARGS='K8S_POD_NAMESPACE=default;K8S_POD_NAME=../p1'
	add "$(conf)"
	refused 4 K8S_POD_NAME
	CNI_ARGS='K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1'
	serve_stop
	node_conf '{devices: "kubelet", podResourcesTimeoutMs: 200}'
	add "$(conf)"
	refused 11 PodResources
	same "$before" "$pod"
	node_conf '{devices: "any"}'
	add "$(conf '.device = "w0"')"
	added
}

@test "a device of a device plugin by its PCI address is the same by its interface" {
	root_up
	mkdir -p "$dir/root$dir"
	root_conf '{devices: "kubelet"}'
	gave 0000:01:10.0
	kubelet ok
	ln -s "$dir/kubelet.sock" "$dir/root$dir/kubelet.sock"
	export CNI_ARGS='K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1'
	mount --bind "$dir" "$dir/root$dir"
	add "$(conf 'del(.ipam) | .device = "eth1"')"
	other=$output
	claimed=()
	for bdf in 0000:02:00.0 0000:01:10.0; do	# that a result says so is a configuration's word, too
		add "$(conf "del(.device, .ipam) | .mtu = 1400 | .prevResult = {cniVersion: \"1.0.0\",
			interfaces: [{name: \"net1\", sandbox: \"/x\", pciID: \"$bdf\"}]}")"
		claimed+=("$output")
	done
	add "$(conf 'del(.ipam) | .device = "eth4"')"
	umount "$dir/root$dir"
	added
	[[ ${claimed[0]} == *'kubelet did not give it'* ]]
	[[ ${claimed[1]} == *'no interface net1'* ]]
	[[ $other == *'kubelet did not give it'* ]]
}

@test "the node's file says it, and no configuration; a wrong value in it stops all but DEL" {
	for key in '.devices = "any"' '.allowDevices = ["*"]' '.denyDevices = ["x"]' '.drivers = ["igb_uio"]'; do
		add "$(conf "$key")"
		refused 7 'not in a network configuration'
	done
	for wrong in '{devices: "all"}' '{devices: 1}' '{allowDevices: "v0"}' '{denyDevices: [""]}' '{denyDevices: [1]}' \
		'{allowDevices: ["a b"]}' '{drivers: ["a/b"]}' '{drivers: "vfio-pci"}'; do
		node_conf "$wrong"
		key=$(jq -nr "$wrong | keys[0]")
		add "$(conf)"
		refused 7 "$key"
		del "$(conf)"
		deleted
	done
	same "$before" "$pod"
}
