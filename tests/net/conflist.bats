#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# conflist.bats - devinfo before, between and behind real plugins, each run as libcni does
#
# ADD forward, each with the result of the one before; CHECK forward and DEL backward, each with the
# final result.  Afterwards the node and the container are as before.
#
# rooms: cni/call cni/plugins
# bats file_tags=plain

load helpers
load chain

setup() {
	chain_up
	before=$(snapshot "$pod")
}

teardown() { node_down; }

list() { jq -cn '{cniVersion: "'"$1"'", name: "net", plugins: ['"$2"']}'; }
devinfo='{"type":"devinfo","mtu":1400,"mac":"02:00:00:00:00:77"}'
bandwidth='{"type":"bandwidth","ingressRate":8000000,"ingressBurst":800000,"egressRate":8000000,"egressBurst":800000}'
state() { link "$pod" net1 '"\(.address) \(.mtu)"'; }
shaped() { ip netns exec "$node" tc qdisc | grep -c tbf; }

@test "C-SPV-01, C-DEL-11: bridge, devinfo, bandwidth, in the versions that all of them know" {
	for v in 0.3.0 0.3.1 0.4.0 1.0.0; do
		c=$(list $v "$(bridge), $devinfo, $bandwidth")
		list_add "$c"
		[ "$(jq -c '[.cniVersion, (.interfaces[] | select(.name == "net1").mac), (.ips | length)]' <<<"$result")" = \
			"[\"$v\",\"02:00:00:00:00:77\",1]" ]
		[ "$(state)" = '02:00:00:00:00:77 1400' ]
		[ "$(shaped)" -eq 2 ]
		[[ $v < 0.4 ]] || list_check "$c"
		[ "$(entry .mac)" = '"02:00:00:00:00:77"' ]
		list_del "$c"
		list_del "$c"
		bridge_gone
		same "$before" "$pod"
	done
}

@test "bridge, bandwidth, devinfo: the last of the chain finds the container's interface among others" {
	c=$(list 1.0.0 "$(bridge), $bandwidth, $devinfo")
	list_add "$c"
	[ "$(jq '.interfaces | length' <<<"$result")" -eq 4 ]
	[ "$(jq -r '.interfaces[] | select(.mac == "02:00:00:00:00:77").name' <<<"$result")" = net1 ]
	[ "$(state)" = '02:00:00:00:00:77 1400' ]
	list_check "$c"
	list_del "$c"
	bridge_gone
	same "$before" "$pod"
}

@test "ptp, devinfo, tuning: each restores what it has set, the last one first" {
	c=$(list 1.0.0 "{type: \"ptp\", ipam: $(ipam)}, $devinfo, $(tuning '.mtu = 1300 | .mac = "02:00:00:00:00:88"')")
	list_add "$c"
	[ "$(jq -r '.interfaces[] | select(.name == "net1").mac' <<<"$result")" = 02:00:00:00:00:88 ]
	[ "$(state)" = '02:00:00:00:00:88 1300' ]
	one DEL "$c" 2 "{\"prevResult\":$result}"
	[ "$(state)" = '02:00:00:00:00:77 1400' ]
	list_del "$c"
	same "$before" "$pod"
}

@test "C-CHK-02, C-CHK-05: macvlan, devinfo, tuning: CHECK is content with what a later plugin has changed" {
	ip -n "$node" link set p0 up
	before=$(snapshot "$pod")
	c=$(list 1.0.0 "{type: \"macvlan\", master: \"p0\", ipam: $(ipam)}, $devinfo,
		$(tuning '.promisc = true | .mac = "02:00:00:00:00:88"')")
	list_add "$c"
	list_check "$c"
	ip -n "$pod" link set net1 mtu 1300
	check "$(with_prev "$result" "$(jq -c '{cniVersion, name} + .plugins[1]' <<<"$c")")"
	refused 101 'mtu: expected 1400, got 1300'
	list_del "$c"
	same "$before" "$pod"
}

@test "devinfo as the owner of a device, then portmap and tuning" {
	c=$(list 1.0.0 "{type: \"devinfo\", device: \"v0\", mtu: 1400, ipam: $(ipam)},
		{type: \"portmap\", capabilities: {portMappings: true},
			runtimeConfig: {portMappings: [{hostPort: 8080, containerPort: 80, protocol: \"tcp\"}]}},
		$(tuning '.mtu = 1300')")
	list_add "$c"
	[ "$(jq -c '[.interfaces[0].name, .ips[0].address]' <<<"$result")" = '["net1","10.6.0.2/24"]' ]
	[ "$(link "$pod" net1 .mtu)" = 1300 ]
	in_node iptables -t nat -S | grep -q -- '--dport 8080'
	list_del "$c"
	run ! grep -q 8080 <(in_node iptables -t nat -S)
	same "$before" "$pod"
}

@test "a second devinfo in one list is refused, and both are undone" {
	first=$(list 1.0.0 "{type: \"devinfo\", device: \"v0\", ipam: $(ipam)}")
	list_add "$first"
	add "$(conf '.cniVersion = "1.0.0" | del(.device, .ipam) | .mtu = 1300 | .prevResult = '"$result")"
	refused 103 'one devinfo per list, this is the second of network net'
	refused 103 'interface net1 of container'
	list_del "$first"
	chained=$(bridge)
	list_add "$(list 1.0.0 "$chained, $devinfo")"
	add "$(conf '.cniVersion = "1.0.0" | del(.device, .ipam) | .mtu = 1300 | .prevResult = '"$result")"
	refused 103 'if this is the second in its list: one devinfo per list'
	list_del "$(list 1.0.0 "$chained, $devinfo")"
	bridge_gone
	same "$before" "$pod"
}

# The two lists of the Kubernetes documentation (network plugins), with bridge as the main plugin.
kubernetes() {
	in_node iptables -t nat -N KUBE-MARK-MASQ
	portmap='{type: "portmap", capabilities: {portMappings: true}, externalSetMarkChain: "KUBE-MARK-MASQ",
		runtimeConfig: {portMappings: [{HostPort: 8080, ContainerPort: 80, Protocol: "tcp", HostIP: ""}]}}'
	shaper='{type: "bandwidth", capabilities: {bandwidth: true},
		runtimeConfig: {bandwidth: {IngressRate: 8000000, IngressBurst: 800000, EgressRate: 8000000, EgressBurst: 800000}}}'
}

@test "the Kubernetes lists with portMappings and bandwidth work with devinfo before and behind those plugins" {
	kubernetes
	for c in "$devinfo, $portmap" "$portmap, $devinfo" "$devinfo, $shaper" "$shaper, $devinfo"; do
		c=$(list 0.4.0 "$(bridge), $c")
		list_add "$c"
		if [[ $c == *portmap* ]]; then	# whose CHECK (1.1.1) wants rules for IPv6, always
			in_node iptables -t nat -S | grep -q -- '--dport 8080'
			one CHECK "$c" "$(jq '[.plugins[].type] | index("devinfo")' <<<"$c")" "{\"prevResult\":$result}"
		else
			[ "$(shaped)" -eq 2 ]
			list_check "$c"
		fi
		[ "$(state)" = '02:00:00:00:00:77 1400' ]
		list_del "$c"
		run ! grep -q 8080 <(in_node iptables -t nat -S)
		bridge_gone
		same "$before" "$pod"
	done
}

@test "bridge, devinfo, sbr: routes that a later plugin moves to a table of its own stay there" {
	c=$(list 1.0.0 "$(bridge), $devinfo, {type: \"sbr\"}")
	list_add "$c"
	[ "$(state)" = '02:00:00:00:00:77 1400' ]
	ip -n "$pod" route show table 100 | grep -q '^default via 10.6.0.1 dev net1'
	one DEL "$c" 1 "{\"prevResult\":$result}"
	ip -n "$pod" route show table 100 | grep -q '^default via 10.6.0.1 dev net1'
	list_del "$c"
	bridge_gone
	same "$before" "$pod"
}

@test "loopback goes its own way, and devinfo does not touch it" {
	ip -n "$pod" link set lo down
	before=$(snapshot "$pod")
	export CNI_IFNAME=lo CNI_COMMAND=ADD CNI_CONTAINERID=$pod CNI_NETNS=/run/netns/$pod
	lo=$(in_node /usr/lib/cni/loopback <<<'{"cniVersion":"1.0.0","name":"net","type":"loopback"}')
	up=$(links "$pod")
	add "$(jq -cn --argjson prev "$lo" '{cniVersion: "1.0.0", name: "net", type: "devinfo", mtu: 1400, prevResult: $prev}')" \
		"$pod" lo
	refused 102 'lo is the loopback device'
	[ "$(links "$pod")" = "$up" ]
	[ "$(records)" -eq 0 ]
}

@test "the example chained.conflist works as it is" {
	c=$(jq -c ".plugins[0].ipam.dataDir = \"$dir/ipam\"" "$top/conf/examples/chained.conflist")
	list_add "$c"
	[ "$(link "$pod" net1 .mtu)" = 1400 ]
	[ "$(jq -r '.ips[0].address' <<<"$result")" = 10.57.0.2/24 ]
	list_del "$c"
	ip -n "$node" link del br-pods
	same "$before" "$pod"
}
