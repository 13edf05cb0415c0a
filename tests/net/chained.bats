#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# chained.bats - behind a plugin that has made the interface: changed in place, and restored there
#
# rooms: cni/attach cni/netdev cni/aspect

load helpers
load chain

setup() {
	chain_up
	pod_link
	before=$(snapshot "$pod")
}

teardown() {
	[ -z "${server-}" ] || serve_stop
	node_down
}

state() { link "$pod" "${1:-net1}" '"\(.address) \(.mtu)"'; }
at_first='02:00:00:00:00:2a 1500'

# What all tests of a restoring DEL begin with.
changed=
both() {
	changed=$(chained '.mtu = 1400 | .mac = "02:00:00:00:00:77"')
	add "$changed" "$@"
	added
}

@test "C-RES-02: chained, with nothing to change, the result is prevResult, in every version" {
	for v in 0.3.0 0.3.1 0.4.0 1.0.0 1.1.0; do
		c=$(chained '.cniVersion = "'$v'" | .prevResult.cniVersion = "'$v'" | if .cniVersion < "1" then
			.prevResult.ips[0].version = "4" else . end')
		add "$c"
		added
		diff <(jq .prevResult <<<"$c") <(jq . <<<"$output")
		[ "$(entry '[.name, .interface, .ips, .mac, .mtu]')" = '["net","net1",["10.5.0.2"],"02:00:00:00:00:2a",1500]' ]
		del "$c"
		deleted
		same "$before" "$pod"
	done
}

@test "network-status of one interface of a chain has that one's addresses, and the result's MTU" {
	c=$(chained '.cniVersion = "1.1.0" | .prevResult.cniVersion = "1.1.0" | .prevResult.interfaces[1].mtu = 1450 |
		.prevResult.interfaces += [{name: "net2", sandbox: .prevResult.interfaces[1].sandbox}] |
		.prevResult.ips += [{address: "10.6.0.2/24", gateway: "10.6.0.1", interface: 2}]')
	add "$c"
	added
	[ "$(entry '[.ips, .mtu]')" = '[["10.5.0.2"],1450]' ]
	del "$c"
	deleted
}

@test "each interface of a chain has an entry of network-status, the device is the attachment's own; DEL and GC take all" {
	mkdir "$dir/devinfo/cni"
	c=$(chained '.cniVersion = "1.1.0" | .prevResult.cniVersion = "1.1.0" |
		.runtimeConfig.CNIDeviceInfoFile = "'"$dir/devinfo/cni/net-${pod}_net1"'" |
		.prevResult.interfaces += [{name: "data0", mac: "02:00:00:00:00:2b", mtu: 9000, sandbox: .prevResult.interfaces[1].sandbox}] |
		.prevResult.ips += [{address: "10.6.0.2/24", interface: 2}]')
	for verb in DEL GC; do
		echo '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"client","path":"/run/a.sock"}}' \
			>"$dir/devinfo/cni/net-${pod}_net1"
		add "$c"
		added
		[ "$(jq -c 'map([.name, .interface, .ips, .mac, .mtu, ."device-info".type, ."devinfo.cni.dev/attachment"])' \
			"$dir/run/status/$pod.json")" = '[["net","net1",["10.5.0.2"],"02:00:00:00:00:2a",1500,"vhost-user",null],'\
'["net","data0",["10.6.0.2"],"02:00:00:00:00:2b",9000,null,"net1"]]' ]
		check "$c"
		checked
		add "$(chained)" "$pod" net2
		refused 102 net2
		[ "$(jq length "$dir/run/status/$pod.json")" = 2 ]
		env_of GC
		gc=$(jq -c --arg id "$pod" '{cniVersion: "1.1.0", name, type, "cni.dev/valid-attachments": [{containerID: $id, ifname: "net1"}]}' <<<"$c")
		[ $verb = DEL ] || gc=$(jq -c '."cni.dev/valid-attachments" = []' <<<"$gc")
		[ $verb = DEL ] || find "$dir/state/attachments" -name '*.json' -delete
		run --separate-stderr in_node env -u CNI_CONTAINERID -u CNI_IFNAME -u CNI_NETNS timeout 60 "$plugin" <<<"$gc"
		deleted
		if [ $verb = DEL ]; then
			[ "$(jq length "$dir/run/status/$pod.json")" = 2 ]
			del "$c"
			deleted
		fi
		[ -z "$(ls -A "$dir/run/status")" ]
	done
}

@test "C-RES-02: chained in 0.1.0 and 0.2.0, where a result names no interface" {
	for v in 0.1.0 0.2.0; do
		c=$(chained '.cniVersion = "'$v'" | .mtu = 1400 | .prevResult = {cniVersion: "'$v'", ip4: {ip: "10.5.0.2/24",
			routes: [{dst: "0.0.0.0/0", gw: "10.5.0.1"}]}, ip6: {ip: "fd00:5::2/64"}}')
		add "$c"
		added
		diff <(jq .prevResult <<<"$c") <(jq . <<<"$output")
		[ "$(state)" = '02:00:00:00:00:2a 1400' ]
		del "$(jq -c 'del(.prevResult)' <<<"$c")"
		deleted
		same "$before" "$pod"
	done
}

# bats test_tags=attach
@test "C-RES-02, C-RES-17: mtu and mac are set in the container, and told as far as the version can" {
	for v in 0.3.1 1.0.0 1.1.0; do
		c=$(chained '.cniVersion = "'$v'" | .prevResult.cniVersion = "'$v'" | .mtu = 1400 | .mac = "02:00:00:00:00:77"')
		add "$c"
		added
		[ "$(state)" = '02:00:00:00:00:77 1400' ]
		want='.prevResult.interfaces[1].mac = "02:00:00:00:00:77" | .prevResult'
		[ $v != 1.1.0 ] || want=".prevResult.interfaces[1].mtu = 1400 | $want"
		diff <(jq "$want" <<<"$c") <(jq . <<<"$output")
		[ "$(entry '[.mac, .mtu]')" = '["02:00:00:00:00:77",1400]' ]
		del "$c"
		deleted
		same "$before" "$pod"
	done
}

@test "C-ARG-02, C-ARG-03: args.cni goes before runtimeConfig, that before CNI_ARGS, that before the configuration" {
	c='.mac = "02:00:00:00:01:01" | .mtu = 1401 | .podMayOverride = ["mac", "mtu"]'
	for want in 01 02 03 04; do
		export CNI_ARGS=IgnoreUnknown=1
		[ $want -lt 2 ] || CNI_ARGS+=";MAC=02:00:00:00:01:02"
		[ $want -lt 3 ] || c+=' | .runtimeConfig.mac = "02:00:00:00:01:03"'
		[ $want -lt 4 ] || c+=' | .args.cni = {mac: "02:00:00:00:01:04", mtu: 1404, labels: [{key: "a", value: "b"}]}'
		add "$(chained "$c")"
		added
		[ "$(state)" = "02:00:00:00:01:$want $([ $want = 04 ] && echo 1404 || echo 1401)" ]
		del "$(chained "$c")"
		deleted
		same "$before" "$pod"
	done
}

@test "C-ADD-05, C-ISS-17: an MTU that the kernel refuses is code 104, and the MAC is as before, too" {
	add "$(chained '.mac = "02:00:00:00:00:77" | .mtu = 20')"
	refused 104 'configure net1 in the container'
	same "$before" "$pod"
}

@test "C-ADD-05: a result that nobody takes is taken back" {
	env_of ADD
	run --separate-stderr in_node bash -c '"$1" >/dev/full' - "$plugin" <<<"$(chained '.mtu = 1400')"
	[ "$status" -eq 1 ]
	same "$before" "$pod"
}

@test "C-ADD-07: without the interface ADD is code 102, and nothing is left" {
	ip -n "$pod" link del net1
	before=$(snapshot "$pod")
	add "$(chained '.mtu = 1400')"
	refused 102 'the container has no interface net1'
	same "$before" "$pod"
}

@test "C-ADD-04: the same ADD again is code 103, and the saved state of before survives it" {
	both
	attached=$(snapshot "$pod")
	add "$(chained '.mtu = 1300 | .mac = "02:00:00:00:00:78"')"
	refused 103 'attached already'
	same "$attached" "$pod"
	del "$changed"
	deleted
	same "$before" "$pod"
}

# bats test_tags=attach
@test "C-DEL-01, C-DEL-02, C-DEL-03: DEL restores, and succeeds again, and where there was no ADD" {
	del "$(chained '.mtu = 1400')"
	deleted
	same "$before" "$pod"
	both
	for _ in 1 2 3; do
		del "$changed"
		deleted
		[ -z "$stderr" ]
		same "$before" "$pod"
	done
}

@test "C-DEL-04, C-DEL-05: DEL restores without prevResult, with a damaged one, and without any setting" {
	for how in 'del(.prevResult)' '.prevResult = {ips: [null]}' '.prevResult = 7' '{cniVersion, name, type}' \
		'{cniVersion: "0.3.1", name, type, mtu: "x", delegates: 3}'; do
		both
		del "$(jq -c "$how" <<<"$changed")"
		deleted
		same "$before" "$pod"
	done
}

@test "C-DEL-06: DEL with an empty CNI_NETNS, and with one that is gone, restores in the container that lives" {
	for netns in '' "$dir/gone"; do
		both
		del "$changed" "$pod" net1 "$netns"
		deleted
		same "$before" "$pod"
	done
}

@test "C-DEL-06, C-DEL-10, C-DEL-12: DEL after the namespace was deleted leaves no file" {
	both
	ip netns del "$pod"
	del "$changed"
	deleted
	[ "$(records)" -eq 0 ]
	[ -z "$(ls -A "$dir/run/status")" ]
	[ ! -e "/run/netns/$pod" ]
}

@test "C-DEL-07: DEL succeeds when the namespace's path is a plain file or a directory by now" {
	for make in touch mkdir; do
		pod_add "$pod2"
		pod_link "$pod2" net2
		both "$pod2" net2
		ip netns del "$pod2"
		$make "/run/netns/$pod2"
		del "$changed" "$pod2" net2
		rm -r "/run/netns/$pod2"
		deleted
		[ "$(records)" -eq 0 ]
	done
}

@test "C-DEL-08: DEL succeeds when the interface was deleted in the container" {
	both
	ip -n "$pod" link del net1
	del "$changed"
	deleted
	[ "$(records)" -eq 0 ]
}

@test "C-DEL-11: ADD and DEL again and again with the same ids begin and end alike" {
	for _ in 1 2 3; do
		both
		[ "$(state)" = '02:00:00:00:00:77 1400' ]
		del "$changed"
		deleted
		same "$before" "$pod"
	done
}

@test "C-DEL-13, C-DEL-14: DEL succeeds with damaged records, and without any, and leaves no file" {
	for damage in ': >"$r"' 'truncate -s 100 "$r"' 'head -c 5000 /dev/urandom >"$r"' 'rm -r "$dir/state" "$dir/run"'; do
		both
		r=$(find "$dir/state/attachments" -type f)
		eval "$damage"
		del "$changed"
		deleted
		[ ! -e "$r" ]
		[ ! -d "$dir/state" ] || repair
		ip -n "$pod" link set net1 address 02:00:00:00:00:2a mtu 1500	# what only the record knew
		rm -rf "$dir/run/status/$pod.json"
	done
}

@test "C-DEL-15: attachments whose joined names read alike are kept apart" {
	local names=('a b-c d' 'a-b c d' 'a b cd-b' 'a c.b d') name number=0
	for name in "${names[@]}"; do
		ip -n "$pod" link add "if$number" mtu "150$number" type veth peer name "x$number"
		number=$((number + 1))
	done
	before=$(snapshot "$pod")
	each() {	# DO - for each, with its network, container, interface and number
		number=0
		for name in "${names[@]}"; do
			# shellcheck disable=SC2086
			"$1" $name "$number"
			number=$((number + 1))
		done
	}
	attach() {
		ip -n "$pod" link set dev "if$4" name "$3"
		add "$(chained ".name = \"$1\" | .mtu = 140$4")" "$2" "$3" "/run/netns/$pod"
		added
		ip -n "$pod" link set dev "$3" name "if$4"
	}
	detach() {
		[ "$(link "$pod" "if$4" .mtu)" = "140$4" ]
		del "$(chained ".name = \"$1\"")" "$2" "$3" "/run/netns/$pod"
		deleted
		[ "$(link "$pod" "if$4" .mtu)" = "150$4" ]
	}
	each attach
	[ "$(records)" -eq 4 ]
	each detach
	same "$before" "$pod"
}

@test "C-CON-02, C-DEL-15: two interfaces of one container, added at once, are restored one by one" {
	pod_link "$pod" net2
	before=$(snapshot "$pod")
	env_of ADD
	in_node "$plugin" <<<"$(chained '.mtu = 1400')" >"$dir/one" 2>&1 &
	CNI_IFNAME=net2 in_node "$plugin" <<<"$(chained '.mtu = 1300 | .name = "other"')" >"$dir/two" 2>&1 &
	wait
	[ "$(state net1) $(state net2)" = '02:00:00:00:00:2a 1400 02:00:00:00:00:2a 1300' ]
	[ "$(jq length "$dir/run/status/$pod.json")" -eq 2 ]
	del "$(chained)"
	deleted
	[ "$(state net1) $(state net2)" = '02:00:00:00:00:2a 1500 02:00:00:00:00:2a 1300' ]
	del "$(chained '.name = "other"')" "$pod" net2
	deleted
	same "$before" "$pod"
}

@test "what others have changed is not ours: DEL restores only the MTU that it has set, or the MAC" {
	add "$(chained '.mtu = 1400')"
	added
	ip -n "$pod" link set net1 address 02:00:00:00:00:99 txqueuelen 33 alias mine
	ip -n "$pod" addr add 10.5.0.7/24 dev net1
	del "$(chained)"
	deleted
	[ "$(state)" = '02:00:00:00:00:99 1500' ]
	[ "$(link "$pod" net1 '"\(.txqlen) \(.ifalias)"')" = '33 mine' ]
	[ "$(addresses "$pod" net1)" = '10.5.0.2 10.5.0.7' ]
	add "$(chained '.mac = "02:00:00:00:00:77"')"
	added
	ip -n "$pod" link set net1 mtu 1280
	del "$(chained)"
	deleted
	[ "$(state)" = '02:00:00:00:00:99 1280' ]
}

@test "txQueueLen of another plugin's interface: set, compared by CHECK, and restored when it was set" {
	queue() { link "$pod" net1 '"\(.txqlen // 0) \(.mtu)"'; }
	was=$(queue)
	for n in 0 7; do
		c=$(chained ".txQueueLen = $n | .mtu = 1400")
		add "$c"
		added
		[ "$(queue)" = "$n 1400" ]
		[ "$(jq -c . <<<"$output")" = "$(jq -c .prevResult <<<"$c")" ]
		check "$c"
		checked
		ip -n "$pod" link set net1 txqueuelen 8
		check "$c"
		refused 101 'is not as ADD left it'
		[[ $output =~ "txQueueLen: expected $n, got 8" ]]
		del "$c"
		deleted
		[ "$(queue)" = "$was" ]
	done
	add "$(chained ".txQueueLen = ${was% *}")"	# it is so long already: not ours to restore
	added
	ip -n "$pod" link set net1 txqueuelen 33
	del "$(chained)"
	deleted
	[ "$(queue)" = '33 1500' ]
}

@test "what is as it should be already is not ours to restore" {
	add "$(chained '.mtu = 1500 | .mac = "02:00:00:00:00:2a"')"
	added
	[ "$(jq . <<<"$output")" = "$(chained | jq .prevResult)" ]
	ip -n "$pod" link set net1 mtu 1300 address 02:00:00:00:00:99
	del "$(chained)"
	deleted
	[ "$(state)" = '02:00:00:00:00:99 1300' ]
}

@test "an interface that the pod has renamed is restored under its new name" {
	for c in '.mtu = 1400' '.mac = "02:00:00:00:00:77"' '.mtu = 1400 | .mac = "02:00:00:00:00:77"'; do
		add "$(chained "$c")"
		added
		ip -n "$pod" link set net1 name renamed
		del "$(chained "$c")"
		deleted
		[ "$(state renamed)" = "$at_first" ]
		ip -n "$pod" link set renamed name net1
	done
}

@test "a device of the host's that got another MAC, and was renamed by the pod, comes home" {
	add "$(conf '.mac = "02:00:00:00:00:77" | del(.ipam)')" "$pod" net2
	added
	ip -n "$pod" link set net2 name renamed
	del "$(conf)" "$pod" net2
	deleted
	same "$before" "$pod"
}

@test "another interface that took the name, or the number, is never touched" {
	both
	ip -n "$pod" link set net1 name renamed
	ip -n "$pod" link add net1 mtu 1400 address 02:00:00:00:00:78 type veth peer name other
	del "$changed"
	deleted
	[ "$(state renamed), $(state net1)" = "$at_first, 02:00:00:00:00:78 1400" ]
	ip -n "$pod" link del net1
	ip -n "$pod" link set renamed name net1
	both
	number=$(link "$pod" net1 .ifindex)
	ip -n "$pod" link del net1
	ip -n "$pod" link add foreign index "$number" mtu 1400 address 02:00:00:00:00:78 type veth peer name other
	del "$changed"
	deleted
	[ "$(state foreign)" = '02:00:00:00:00:78 1400' ]
}

@test "an interface without a device behind it has no device-info" {
	add "$(chained '.mtu = 1400')"
	added
	[ "$(entry 'has("device-info")')" = false ]
	[ -z "$(find "$dir/devinfo" -type f)" ]
}

@test "a function without an interface, for user space: prevResult's pciID, or deviceID, is the device" {
	recorded igb
	ip -n "$pod" link del net1
	bare='.cniVersion = "1.1.0" | .prevResult = {cniVersion: "1.1.0", interfaces: [{name: "net1", sandbox: "x"}]}'
	for how in '.prevResult.interfaces[0].pciID = "0000:01:10.2"' '.deviceID = "0000:01:10.2"' \
		'.runtimeConfig.deviceID = "0000:01:10.2" | .prevResult.interfaces[0].pciID = "0000:01:10.0"'; do
		add "$(chained "$bare | $how")"
		[ "$status" -eq 0 ]
		[ "$(jq . <<<"$output")" = "$(chained "$bare | $how" | jq .prevResult)" ]
		[ "$(entry '."device-info".pci."pci-address"')" = '"0000:01:10.2"' ]
		[ "$(find "$dir/node/devinfo/cni" -type f | wc -l)" -eq 1 ]
		add "$(chained "$bare | $how")" other net1 "/run/netns/$pod"
		refused 11 "0000:01:10.2 belongs to another attachment"
		del "$(chained "$bare")"
		deleted
		[ -z "$(find "$dir/node"/{state/attachments,run,devinfo} -type f)" ]
	done
	add "$(chained "$bare"' | .deviceID = "0000:01:10.0"')"	# igbvf drives this one
	refused 102 'the container has no interface net1'
	add "$(chained "$bare"' | .deviceID = "0000:01:10.2" | .mtu = 1400')"
	refused 7 'mtu: 0000:01:10.2 is bound to vfio-pci'
	add "$(chained "$bare"' | .deviceID = "0000:01:10.2" | .txQueueLen = 0')"
	refused 7 'txQueueLen: 0000:01:10.2 is bound to vfio-pci and has no network device'
	[ -z "$(find "$dir/node"/{state/attachments,run,devinfo} -type f)" ]
}

@test "the function of another pod, be it its network device or sriov-cni's, is not set by naming it" {
	recorded igb
	sys=$dir/node/sys/bus/pci/devices
	bare='.cniVersion = "1.1.0" | .prevResult = {cniVersion: "1.1.0", interfaces: [{name: "net1", sandbox: "x"}]}'
	# the kernel shows an empty directory where the network device is in another namespace
	rm -r "$sys"/0000:01:10.0/net/*
	add "$(chained "$bare | .deviceID = \"0000:01:10.0\"")"
	refused 102 'the network device of 0000:01:10.0 is in another network namespace, not in the container'
	[ "$(records)" -eq 0 ]
	# vfio-pci has this one, which shows nothing
	pod_add "$pod2"
	mkdir -p "$dir/node/var/lib/cni/sriov/pci"
	for who in "$pod2" "$pod"; do
		echo -n "/run/netns/$who" >"$dir/node/var/lib/cni/sriov/pci/0000:01:10.2"
		mkdir -p "$dir/node/run/netns"
		touch "$dir/node/run/netns/$who"
		mount --bind "/run/netns/$who" "$dir/node/run/netns/$who"
		add "$(chained "$bare | .deviceID = \"0000:01:10.2\"")"
		if [ "$who" = "$pod2" ]; then
			refused 11 'device 0000:01:10.2 belongs to another attachment'
			[ "$(records)" -eq 0 ]
		else
			[ "$status" -eq 0 ]
		fi
	done
	umount "$dir"/node/run/netns/*
}

@test "a device known by its id alone is the pod's only where the node lets it, and no other's" {
	load kubelet
	socket_path() { echo "$dir$dir/kubelet.sock"; }
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=u1"
	c=$(chained '.resourceName = "example.com/vhost" | .deviceID = "dev9"')
	add "$c"
	added
	pod_add "$pod2"
	pod_link "$pod2" net2
	add "$(jq -c '.prevResult.interfaces[0].name = "net2"' <<<"$c")" "$pod2" net2
	refused 11 "dev9 belongs to another attachment"
	del "$c"
	deleted
	node_conf '{devices: "kubelet"}'
	add "$c"
	[ "$status" -eq 1 ]
	[ "$(records)" -eq 0 ]
}

@test "of functions that kubelet gave, one with a network device on the host is not the one behind a veth" {
	load kubelet
	recorded igb
	socket_path() { echo "$dir/node$dir/kubelet.sock"; }
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=u1"
	c=$(chained '.resourceName = "example.com/vf"')
	gave 0000:01:10.0	# igbvf drives it
	kubelet ok
	add "$c"
	added
	[ "$(jq -r .device "$dir"/state/attachments/*)" = "" ]
	del "$c"
	deleted
	gave 0000:01:10.2	# vfio-pci does
	add "$c"
	added
	[ "$(jq -r .device "$dir"/state/attachments/*)" = 0000:01:10.2 ]
}

@test "C-PIT-33: a device-info that is there already, by Multus or a device plugin, is told in network-status" {
	mkdir -p "$dir"/devinfo/{cni,dp}
	info='{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"client","path":"/run/a.sock"}}'
	echo "$info" >"$dir/devinfo/cni/given-$pod"
	add "$(chained '.runtimeConfig.CNIDeviceInfoFile = "'"$dir"'/devinfo/cni/given-'"$pod"'"')"
	added
	[ "$(entry '."device-info" == '"$info")" = true ]
	del "$(chained)"
	deleted
	[ ! -e "$dir/devinfo/cni/given-$pod" ]
	echo "$info" >"$dir/devinfo/dp/example.com-sock-dev1-device.json"
	add "$(chained '.resourceName = "example.com/sock" | .deviceID = "dev1"')"
	added
	[ "$(entry '."device-info" == '"$info")" = true ]
	[ "$(find "$dir/devinfo/cni" -type f | wc -l)" -eq 1 ]
	del "$(chained)"
	deleted
	[ -z "$(find "$dir/devinfo/cni" -type f)" ]
	[ -e "$dir/devinfo/dp/example.com-sock-dev1-device.json" ]
}

@test "C-ADD-09: settings that need more than this interface are refused, and nothing is changed" {
	add "$(chained '.mtu = 1400 | .vlan = 100')"
	refused 7 'net1 is not an SR-IOV virtual function'
	add "$(chained '.mtu = 1400 | .device = "v0"')"
	refused 7 "device: the interface is another plugin's here"
	add "$(chained '.mtu = 1400 | .ipam = {type: "fake"}')"
	refused 7 "ipam.type: the interface is another plugin's here"
	add "$(chained '.mtu = 1400')" "$pod" lo
	refused 102 'loopback'
	add "$(chained '.mac = "01:00:00:00:00:01"')"
	refused 7 'must be a unicast Ethernet address'
	same "$before" "$pod"
}

# Killed at the Nth call: DEL restores, in both halves of the bargain.
killed_at() {
	local n total
	env_of ADD
	run --separate-stderr in_node strace -qq -o "$dir/trace" -e trace="$1" "$plugin" <<<"$changed"
	[ "$status" -eq 0 ]
	total=$(grep -c "^$1(" "$dir/trace")
	del "$changed"
	deleted
	echo "# $1: $total times" >&3
	for ((n = 1; n <= total; n++)); do
		env_of ADD
		run --separate-stderr in_node strace -qq -o "$dir/trace" -e trace="$1" \
			-e inject="$1:signal=KILL:when=$n" "$plugin" <<<"$changed"
		[ "$status" -gt 128 ] || { echo "it did not die" && return 1; }
		del "$changed"
		deleted && same "$before" "$pod" || { echo "at $1 number $n" && return 1; }
	done
}

# bats test_tags=plain
@test "C-CON-05: kill -9 at each system call of ADD that changes something, then DEL: everything as before" {
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under strace
	changed=$(chained '.mtu = 1400 | .mac = "02:00:00:00:00:77"')
	killed_at sendto
	killed_at linkat
	killed_at fsync
}

@test "C-CON-05, C-ADD-04: an ADD after one that was killed keeps the state of before both" {
	export ASAN_OPTIONS=detect_leaks=0
	both
	rm "$dir/run/status/$pod.json"		# the last step of the ADD, which did not come to it
	add "$changed"
	[ "$status" -eq 0 ]
	[ "$(state)" = '02:00:00:00:00:77 1400' ]
	del "$changed"
	deleted
	same "$before" "$pod"
}
