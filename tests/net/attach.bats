#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# attach.bats - ADD and DEL of a network device of the host, as they should be
#
# rooms: cni/attach cni/netdev cni/aspect cni netlink

load helpers
load chain

setup() { node_up; }
teardown() { node_down; }

# peer up with addresses of the gateway, so that the pod has somebody to talk to
gateway() {
	ip -n "$node" addr add 10.1.0.1/24 dev p0
	ip -n "$node" addr add fd00:1::1/64 dev p0 nodad
	ip -n "$node" link set p0 up
}

@test "C-SPV-01, C-RES-01: ADD and DEL work in every version, with that version's keys exactly" {
	gateway
	before=$(snapshot "$pod")
	for v in 0.3.1 0.4.0 1.0.0 1.1.0; do
		add "$(host_local '.cniVersion = "'$v'"')"
		added
		case $v in
		0.*) intf='mac,name,sandbox' ip=address,gateway,interface,version ;;
		1.0.0) intf='mac,name,sandbox' ip=address,gateway,interface ;;
		1.1.0) intf='mac,mtu,name,sandbox' ip=address,gateway,interface ;;
		esac
		[ "$(jq -r 'keys | join(",")' <<<"$output")" = cniVersion,dns,interfaces,ips,routes ]
		[ "$(jq -r '.interfaces[] | keys | join(",")' <<<"$output")" = "$intf" ]
		[ "$(jq -r '[.ips[] | keys | join(",")] | unique[]' <<<"$output")" = "$ip" ]
		[ "$(jq -r '[.routes[] | keys | join(",")] | unique | join(" ")' <<<"$output")" = 'dst dst,gw' ]
		[ "$(jq -r .cniVersion <<<"$output")" = "$v" ]
		del "$(host_local '.cniVersion = "'$v'"')"
		deleted
		same "$before" "$pod"
	done
}

# bats test_tags=attach
@test "C-RES-05: the result tells the interface, its MAC, its sandbox and its addresses" {
	gateway
	add "$(host_local '.cniVersion = "1.1.0"')"
	added
	[ "$(jq -c .interfaces <<<"$output")" = "$(jq -cn --arg ns "/run/netns/$pod" \
		'[{name: "net1", sandbox: $ns, mac: "02:00:00:00:00:0a", mtu: 1500}]')" ]
	[ "$(jq -r '.ips | map("\(.address) \(.gateway) \(.interface)") | join(", ")' <<<"$output")" = \
		'10.1.0.2/24 10.1.0.1 0, fd00:1::2/64 fd00:1::1 0' ]
	[ "$(link "$pod" net1 .address)" = 02:00:00:00:00:0a ]
	[ "$(ip -n "$pod" -j addr show net1 | jq -r '[.[0].addr_info[] | select(.scope == "global") | .local] | join(" ")')" = \
		'10.1.0.2 fd00:1::2' ]
}

# bats test_tags=attach
@test "a pod that has a default route gets another one, where host-device puts it; each goes with its interface" {
	routes() { ip -n "$pod" route; ip -n "$pod" -6 route show default; }
	c=$(fixed '.ipam.addresses += [{address: "fd00:2::5/64", gateway: "fd00:2::1"}] |
		.ipam.routes = [{dst: "0.0.0.0/0"}, {dst: "::/0"}, {dst: "198.51.100.0/24"}]')
	ip -n "$pod" link add eth0 type veth peer name peth0 netns "$node"
	ip -n "$node" link set peth0 up
	ip -n "$node" link set p0 up
	ip -n "$pod" link set eth0 up
	ip -n "$pod" addr add 10.5.0.2/24 dev eth0
	ip -n "$pod" addr add fd00:5::2/64 dev eth0 nodad
	ip -n "$pod" route add default via 10.5.0.1
	ip -n "$pod" -6 route add default via fd00:5::1
	ip -n "$pod" route add 198.51.100.0/24 via 10.5.0.9
	before=$(routes)
	add "$c"
	added
	ours=$(routes)
	[ "$(grep -c 'via fd00:.* dev\|^default via' <<<"$ours")" -eq 4 ]
	check "$(with_prev "$output" "$c")"
	checked
	del "$c"
	deleted
	[ "$(routes)" = "$before" ]
	plugin=/usr/lib/cni/host-device add "$c"
	added
	[ "$(routes)" = "$ours" ]
	plugin=/usr/lib/cni/host-device del "$c"
	# the same route twice is a mistake, and nothing is left
	add "$(jq -c '.ipam.routes += [{dst: "198.51.100.0/24", gw: "10.2.0.1"}]' <<<"$c")"
	refused 104 'route 198.51.100.0/24 via 10.2.0.1'
	[ "$(routes)" = "$before" ]
}

@test "C-RES-07: of an IPAM plugin's result neither interfaces nor indices are taken" {
	export FAKE_RESULT='{"cniVersion":"1.0.0","interfaces":[{"name":"a"},{"name":"b","sandbox":"/x"}],
		"ips":[{"address":"10.9.0.2/24","interface":1}]}'
	add "$(conf)"
	added
	[ "$(jq -c '.interfaces | map(.name)' <<<"$output")" = '["net1"]' ]
	[ "$(jq -c '.ips' <<<"$output")" = '[{"address":"10.9.0.2/24","interface":0}]' ]
	[ "$(ip -n "$pod" -j -4 addr show net1 | jq -r '.[0].addr_info[0].local')" = 10.9.0.2 ]
	del "$(conf)"
	deleted
}

@test "C-RES-18: dns is in every result, also when there is none" {
	for v in 0.1.0 0.2.0 0.3.0 0.3.1 0.4.0 1.0.0 1.1.0; do
		add "$(fixed '.cniVersion = "'$v'"')"
		added
		[ "$(jq -c .dns <<<"$output")" = '{}' ]
		del "$(fixed)"
		deleted
	done
}

# bats test_tags=attach
@test "the pod reaches its gateway over IPv4 and IPv6 as soon as ADD has answered" {
	gateway
	add "$(host_local)"
	added
	ip netns exec "$pod" ping -c 1 -W 2 -q 10.1.0.1
	ip netns exec "$pod" ping -c 1 -W 2 -q fd00:1::1
}

@test "routes are those of the IPAM plugin, by their own gateway or by that of the address" {
	gateway
	add "$(host_local)"
	added
	ip -n "$pod" route show >"$dir/routes"
	grep -q '^default via 10.1.0.1 dev net1' "$dir/routes"
	grep -q '^198.51.100.0/24 via 10.1.0.9 dev net1' "$dir/routes"
	ip -n "$pod" -6 route show | grep -q '^default via fd00:1::1 dev net1'
}

@test "the fixed address of the static plugin works, too" {
	before=$(snapshot "$pod")
	add "$(fixed)"
	added
	[ "$(jq -r '.ips[0].address' <<<"$output")" = 10.2.0.5/24 ]
	del "$(fixed)"
	deleted
	same "$before" "$pod"
}

@test "without IPAM the device is moved and has no address" {
	before=$(snapshot "$pod")
	add "$(conf 'del(.ipam)')"
	added
	[ "$(jq -r 'has("ips")' <<<"$output")" = false ]
	[ "$(link "$pod" net1 '.flags | index("UP") != null')" = true ]
	[ "$(link "$pod" net1 .mtu)" = 1500 ]
	del "$(conf 'del(.ipam)')"
	deleted
	same "$before" "$pod"
}

@test "C-ISS-10, C-ISS-17: mtu and mac are set in the pod, told in the result, and restored" {
	before=$(snapshot "$pod")
	c=$(conf '.cniVersion = "1.1.0" | .mtu = 1400 | .mac = "02:00:00:00:00:77"')
	add "$c"
	added
	[ "$(jq -r '.interfaces[0] | "\(.mac) \(.mtu)"' <<<"$output")" = '02:00:00:00:00:77 1400' ]
	[ "$(link "$pod" net1 '"\(.address) \(.mtu)"')" = '02:00:00:00:00:77 1400' ]
	del "$c"
	deleted
	same "$before" "$pod"
}

@test "txQueueLen is set in the pod, where zero is a length as well, compared by CHECK, and restored" {
	check() { env_of CHECK; run --separate-stderr in_node timeout 60 "$plugin" <<<"$1"; }
	ip -n "$node" link set v0 txqueuelen 500
	before=$(snapshot "$pod")
	for n in 0 7 500; do
		c=$(conf ".cniVersion = \"1.1.0\" | .txQueueLen = $n | .mtu = 1400")
		add "$c"
		added
		[ "$(jq -c '.interfaces[0] | keys' <<<"$output")" = '["mac","mtu","name","sandbox"]' ]
		[ "$(link "$pod" net1 '"\(.txqlen // 0) \(.mtu)"')" = "$n 1400" ]
		c=$(jq -c ".prevResult = $output" <<<"$c")
		check "$c"
		[ "$status" -eq 0 ]
		ip -n "$pod" link set net1 txqueuelen 8
		check "$c"
		refused 101 'is not as ADD left it'
		[[ $output =~ "txQueueLen: expected $n, got 8" ]]
		del "$c"
		deleted
		[ "$(link "$node" v0 .txqlen)" = 500 ]
		same "$before" "$pod"
	done
}

@test "C-ARG-03: what the network says the pod may not override: code 7, and nothing has changed" {
	before=$(snapshot "$pod")
	c=$(conf '.mac = "02:00:00:00:01:01" | .mtu = 1401')
	for pods in '{mac: "02:00:00:00:01:04"}' '{mtu: 1404}'; do
		add "$(jq -c ".args.cni = $pods" <<<"$c")"
		refused 7 "podMayOverride"
		same "$before" "$pod"
	done
	CNI_ARGS="IgnoreUnknown=1;MAC=02:00:00:00:01:02" add "$c"
	refused 7 "MAC in CNI_ARGS: the network says mac, and not the pod"
	same "$before" "$pod"
	# one that is said for a vDPA device
	vdpa=$(conf '.cniVersion = "1.1.0" | .vdpa = {driver: "virtio", create: true, mac: "02:00:00:00:01:0a"} | del(.device) |
		.deviceID = "0000:ff:1f.7"')
	CNI_ARGS="MAC=02:00:00:00:01:02" add "$vdpa"
	refused 7 "MAC in CNI_ARGS: the network says mac, and not the pod"
	CNI_ARGS="MAC=02:00:00:00:01:0A" add "$vdpa"
	refused 102 "0000:ff:1f.7"
	# the same, in other letters, and what the network does not say
	CNI_ARGS="MAC=02:00:00:00:01:01" add "$(jq -c 'del(.mtu) | .args.cni = {mac: "02:00:00:00:01:01", mtu: 1404}' <<<"$c")"
	added
	[ "$(jq -r '.interfaces[0].mac' <<<"$output")" = 02:00:00:00:01:01 ]
	[ "$(link "$pod" net1 .mtu)" = 1404 ]
}

@test "C-ARG-03: where the pod may override the MTU, its own goes before the network's" {
	c=$(conf '.mtu = 1401')
	for may in '{podMayOverride: ["mtu"]} {}' '{} {podMayOverride:["mtu"]}'; do
		node_conf "${may% *}"
		for mtu in 1404 1280; do	# more, and less
			add "$(jq -c ". + ${may##* } | .args.cni.mtu = $mtu" <<<"$c")"
			added
			[ "$(link "$pod" net1 .mtu)" = $mtu ]
			del "$c"
			deleted
		done
		add "$(jq -c ". + ${may##* }" <<<"$c")"
		added
		[ "$(link "$pod" net1 .mtu)" = 1401 ]
		del "$c"
		deleted
	done
	[ "$(link "$node" v0 .mtu)" = 1500 ]
}

@test "C-ARG-03: the MAC of runtimeConfig goes before that of CNI_ARGS, and that before the configuration's" {
	node_conf '{podMayOverride: ["mac"]}'
	for want in 01 02 03; do
		c=$(conf '.mac = "02:00:00:00:01:01"')
		export CNI_ARGS=IgnoreUnknown=1
		[ $want = 01 ] || CNI_ARGS="IgnoreUnknown=1;MAC=02:00:00:00:01:02"
		[ $want != 03 ] || c=$(conf '.mac = "02:00:00:00:01:01" | .runtimeConfig.mac = "02:00:00:00:01:03"')
		add "$c"
		added
		[ "$(jq -r '.interfaces[0].mac' <<<"$output")" = 02:00:00:00:01:$want ]
		del "$c"
		deleted
	done
	[ "$(link "$node" v0 .address)" = 02:00:00:00:00:0a ]
}

@test "a typing error in a key is warned of with the nearest key, once, and does not keep ADD from working" {
	typed=$(conf '.vlna = 7 | .mut = 1400 | .foo = 1 | ._vlna = 1 | .["x-vlna"] = 1 | .capabilities = {deviceid: true}
		| .ipam.tpye = "x"')
	add "$typed"
	added
	[ "$(grep -c 'did you mean' "$dir/log")" -eq 3 ]
	grep -q 'level=warning .*msg="vlna: unknown key, did you mean vlan?"$' "$dir/log"
	grep -q 'level=warning .*msg="mut: unknown key, did you mean mtu?"$' "$dir/log"
	grep -q 'level=warning .*msg="capabilities.deviceid: unknown key, did you mean deviceID?"$' "$dir/log"
	del "$typed"
	deleted
	[ "$(grep -c 'did you mean' "$dir/log")" -eq 3 ]
}

@test "typing errors do not fill the log" {
	add "$(conf '. + ([range(10) | {key: "vlan\(.)", value: 1}, {key: "k\(.)", value: 1}] | from_entries)')"
	added
	[ "$(grep -c 'did you mean' "$dir/log")" -eq 8 ]
}

@test "C-DEL-11: ADD and DEL again and again restore name, MAC, MTU, number and the up state" {
	ip -n "$node" link set v0 up mtu 1480
	ip -n "$node" link set p0 up
	before=$(snapshot "$pod")
	index=$(link "$node" v0 .ifindex)
	for _ in 1 2 3; do
		add "$(conf '.mtu = 1300')"
		added
		run ! ip -n "$node" link show v0
		del "$(conf '.mtu = 1300')"
		deleted
		same "$before" "$pod"
	done
	[ "$(link "$node" v0 '"\(.ifindex) \(.mtu) \(.flags | index("UP") != null)"')" = "$index 1480 true" ]
	[ "$(leases)" -eq 0 ]
	[ "$(records)" -eq 0 ]
}

@test "C-ENV-07: an interface name of 15 bytes works" {
	before=$(snapshot "$pod")
	add "$(conf)" "$pod" abcdefghijklmno
	added
	[ "$(link "$pod" abcdefghijklmno .ifname)" = abcdefghijklmno ]
	del "$(conf)" "$pod" abcdefghijklmno
	deleted
	same "$before" "$pod"
}

@test "C-ENV-06: a container id of 5000 bytes works" {
	before=$(snapshot "$pod")
	long=$(printf 'a%.0s' {1..5000})
	c=$(fixed)
	add "$c" "$long" net1 "/run/netns/$pod"
	added
	del "$c" "$long" net1 "/run/netns/$pod"
	deleted
	same "$before" "$pod"
}

@test "C-CON-02: two interfaces of one container, added at once, both work" {
	before=$(snapshot "$pod")
	other=$(fixed '.device = "w0" | .name = "other" | .ipam.addresses[0].address = "10.3.0.5/24"
		| .ipam.addresses[0].gateway = "10.3.0.1"')
	env_of ADD "$pod" net1
	in_node "$plugin" <<<"$(fixed)" >"$dir/one" 2>&1 &
	CNI_IFNAME=net2 in_node "$plugin" <<<"$other" >"$dir/two" 2>&1 &
	wait
	jq -e .interfaces "$dir/one" >/dev/null
	jq -e .interfaces "$dir/two" >/dev/null
	[ "$(jq length "$dir/run/status/$pod.json")" -eq 2 ]
	del "$(fixed)" "$pod" net1
	deleted
	del "$other" "$pod" net2
	deleted
	same "$before" "$pod"
}

@test "C-CON-04: of several ADDs of one attachment at once one succeeds, and DEL restores" {
	before=$(snapshot "$pod")
	env_of ADD
	for i in 1 2 3 4 5; do
		in_node "$plugin" <<<"$(fixed)" >"$dir/add.$i" 2>/dev/null &
	done
	wait
	[ "$(cat "$dir"/add.* | jq -s 'map(select(.interfaces)) | length')" -eq 1 ]
	[ "$(cat "$dir"/add.* | jq -s 'map(select(.code)) | length')" -eq 4 ]
	del "$(fixed)"
	deleted
	same "$before" "$pod"
}

@test "C-CON-03: ADDs and DELs of one attachment that race end restored by a last DEL" {
	before=$(snapshot "$pod")
	for i in 1 2 3 4 5; do
		env_of ADD
		in_node "$plugin" <<<"$(fixed)" >/dev/null 2>&1 &
		env_of DEL
		in_node "$plugin" <<<"$(fixed)" >/dev/null 2>&1 &
	done
	wait
	del "$(fixed)"
	deleted
	same "$before" "$pod"
}

@test "C-PRC-06: everything works with umask 0777, and nothing of ours is open to others with umask 0" {
	for mask in 0777 0; do
		rm -rf "$dir/state" "$dir/run"
		env_of ADD
		run --separate-stderr bash -c "umask $mask; ip netns exec $node $plugin" <<<"$(fixed)"
		added
		find "$dir/state" "$dir/run" -type f -printf '%m %P\n' | sort >"$dir/modes"
		[ -z "$(find "$dir/state" "$dir/log" -perm /077)" ]
		[ -z "$(find "$dir/run" -perm /022)" ]
		[ "$(grep -vc ' index/' "$dir/modes")" -eq 3 ]
		del "$(fixed)"
		deleted
	done
}

@test "C-ADD-02: with CNI_NETNS_OVERRIDE the node's own namespace is allowed, and DEL restores" {
	before=$(snapshot)
	export CNI_NETNS_OVERRIDE=1
	add "$(conf 'del(.ipam)')" c1 renamed "/run/netns/$node"
	added
	[ "$(link "$node" renamed .address)" = 02:00:00:00:00:0a ]
	del "$(conf 'del(.ipam)')" c1 renamed "/run/netns/$node"
	deleted
	same "$before"
}

@test "C-PRC-09: nothing keeps running and stdout is closed when ADD has answered" {
	env_of ADD
	FAKE_ADD=orphan within 4 in_node "$plugin" <<<"$(conf)" >"$dir/out" 2>/dev/null
	jq -e .interfaces "$dir/out" >/dev/null
}

@test "the log has a line of ADD and of DEL with container, interface and device" {
	add "$(conf)"
	added
	del "$(conf)"
	deleted
	grep -Eq "^[0-9T:.-]+Z level=info id=$pod if=net1 msg=\"attached\" network=net device=v0\$" "$dir/log"
	grep -Eq "level=info id=$pod if=net1 msg=\"detached\" network=net\$" "$dir/log"
	run ! grep -v '^[0-9-]*T[0-9:.]*Z level=' "$dir/log"
	run ! grep -q ipam "$dir/log"	# no configuration is logged
}

@test "devinfoctl list says who has which device" {
	add "$(conf)"
	added
	run "${plugin}ctl" --state-dir "$dir/state" list --output=wide
	[ "$status" -eq 0 ]
	[[ ${lines[1]} =~ ^v0\ +v0\ +-\ +net\ +net1\ +netdev\ +live\ +$pod\ +/run/netns/$pod\ .*@v0.json$ ]]
	[ "${#lines[@]}" -eq 2 ]
	del "$(conf)"
	deleted
	run "${plugin}ctl" --state-dir "$dir/state" list
	[ "$output" = "no attachments" ]
	CNI_ARGS="K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web-0;K8S_POD_UID=7e1c" add "$(conf)"
	added
	run "${plugin}ctl" --state-dir "$dir/state" list
	[[ ${lines[1]} =~ ^v0\ +v0\ +shop/web-0\  ]]
	[ "$(jq -c .pod "$dir"/state/attachments/*.json)" = '{"name":"web-0","namespace":"shop","uid":"7e1c"}' ]
	ip netns del "$pod"
	run "${plugin}ctl" --state-dir "$dir/state" list
	[[ ${lines[1]} =~ ^v0\ .*\ netdev\ +dead\  ]]
}

@test "C-CON-02: two interfaces of one container at once, their numbers being taken there" {
	ip -n "$node" link add t0 index 4711 type veth peer name t1
	ip -n "$node" link add u0 index 4712 type veth peer name u1
	ip -n "$pod" link add x0 index 4711 type veth peer name x1
	before=$(snapshot "$pod")
	for round in 1 2 3 4 5; do
		env_of ADD
		CNI_IFNAME=net1 in_node "$plugin" <<<"$(conf 'del(.ipam) | .device = "t0"')" >"$dir/o1" &
		CNI_IFNAME=net2 in_node "$plugin" <<<"$(conf 'del(.ipam) | .device = "u0"')" >"$dir/o2" &
		wait
		jq -es 'all(.[]; .interfaces)' "$dir/o1" "$dir/o2" || { cat "$dir/o1" "$dir/o2"; false; }
		del "$(conf)" "$pod" net1
		deleted
		del "$(conf)" "$pod" net2
		deleted
		same "$before" "$pod"
	done
}

@test "the example host-device.conflist works as it stands" {
	ip -n "$node" link add vf0 type veth peer name vf0-peer
	before=$(snapshot "$pod")
	c=$(jq -c --arg d "$dir/ipam" '{cniVersion, name} + .plugins[0] | .ipam.dataDir = $d' \
		"$top/conf/examples/host-device.conflist")
	add "$c"
	added
	[ "$(jq -r '.ips[0].address' <<<"$output")" = 198.51.100.2/24 ]
	[ "$(link "$pod" net1 .mtu)" = 1400 ]
	del "$c"
	deleted
	same "$before" "$pod"
}
