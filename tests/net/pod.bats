#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# pod.bats - all networks of a pod in one call: podNetworks
#
# rooms: cni/pod devinfo/journal devinfo/network

load helpers
load chain
load pod

setup() {
	pod_up
	four
	before=$(snapshot "$pod")
}

teardown() { node_down; }

gone() {
	same "$before" "$pod" || return
	ip -n "$node" link show v0 && ip -n "$node" link show w0 || return
	[ -z "$(left)" ] || { left && return 1; }
}

@test "the default network and three others are attached by one ADD, each with its record and status, and one DEL undoes them" {
	conf=$(asking 'mv,mixed,own@dev0')
	add "$conf" "$pod" eth0
	added
	[ "$(jq -r '.interfaces[0].name, .ips[0].address' <<<"$output" | xargs)" = 'eth0 10.6.0.2/24' ]
	for i in eth0 net1 net2 dev0; do ip -n "$pod" link show "$i"; done
	[ "$(addresses "$pod" net1)" = 10.7.0.2 ]
	[ "$(addresses "$pod" net2)" = 10.8.0.2 ]
	[ "$(link "$pod" net2 .mtu)" = 1400 ]
	[ "$(records)" -eq 4 ]
	[ "$(statuses 'map([.name, .interface, .default // false]) | sort_by(.[1])')" = \
		'[["apps/own","dev0",false],["default","eth0",true],["apps/mv","net1",false],["apps/mixed","net2",false]]' ]
	[ "$(statuses 'map(.interface)')" = '["eth0","net1","net2","dev0"]' ]
	# plugins are told the name of their configuration, which their leases go by
	[ "$(calls 'map(.request.name) | unique')" = '["macvlans","mixed"]' ]
	ls "$dir/ipam/macvlans/10.7.0.2" "$dir/ipam/mixed/10.8.0.2"
	rm -r "$dir/net.d"
	del "$(jq -c 'del(.podNetworks, .runtimeConfig)' <<<"$conf")" "$pod" eth0
	deleted
	gone
	[ "$(order)" = 'ADD mv, ADD mixed, DEL mixed, DEL mv' ] || [ "$(order)" = 'ADD mixed, ADD mv, DEL mixed, DEL mv' ]
}

@test "a second ADD is refused and changes nothing, CHECK compares all of them, a DEL may be repeated" {
	conf=$(asking 'mv,own')
	add "$conf" "$pod" eth0
	added
	result=$output
	records=$(find "$dir/state" -type f -name '*.json' | sort | xargs cat)
	add "$conf" "$pod" eth0
	refused 103 'attached already'
	[ "$(find "$dir/state" -type f -name '*.json' | sort | xargs cat)" = "$records" ]
	check "$(with_prev "$result" "$conf")" "$pod" eth0
	checked
	ip -n "$pod" addr flush dev net1
	check "$(with_prev "$result" "$conf")" "$pod" eth0
	refused 999 'interface net1, network apps/mv'
	del "$conf" "$pod" eth0
	deleted
	del "$conf" "$pod" eth0
	deleted
	gone
}

@test "one that fails undoes all, whichever it is and however it fails, and the error names network and reason" {
	definition bad '{"cniVersion":"1.0.0","type":"devinfo","device":"nothing0"}'
	add "$(asking 'mv,mixed,bad')" "$pod" eth0
	refused 102 'interface net3, network apps/bad: '
	gone
	add "$(asking 'bad,mv,mixed')" "$pod" eth0
	refused 102 'interface net1, network apps/bad: '
	gone
	add "$(asking 'mv,own' '.device = "nothing0"')" "$pod" eth0
	refused 102 'interface eth0: '
	gone
}

@test "what is wrong with annotation, definition or node is told before anything is changed" {
	: >"$dir/leases/calls.log"
	add "$(asking 'mv,none')" "$pod" eth0
	refused 7 'no network apps/none'
	add "$(asking 'mv@net5,own@net5')" "$pod" eth0
	refused 7 'net5'
	add "$(asking '[{"name": "own", "mac": "02:00:00:00:00:99"}]')" "$pod" eth0
	refused 7 'mac'
	add "$(asking 'mv' 'del(.runtimeConfig)')" "$pod" eth0
	refused 7 'the runtime gives no annotations'
	definition deep '{"cniVersion":"1.0.0","type":"devinfo","device":"w0","podNetworks":true}'
	add "$(asking 'deep')" "$pod" eth0
	refused 7 'podNetworks'
	node_conf '{}'
	add "$(asking 'mv')" "$pod" eth0
	refused 7 'networksDir is not set'
	definition theirs '{"cniVersion":"1.0.0","type":"devinfo","device":"w0"}' db
	networks_conf '{namespaceIsolation: true}'
	add "$(asking 'db/theirs')" "$pod" eth0
	refused 7 'namespaceIsolation'
	chmod 777 "$dir/net.d"
	networks_conf '{}'
	add "$(asking 'mv')" "$pod" eth0
	refused 100 "net.d"
	chmod 755 "$dir/net.d"
	networks_conf '{namespaceIsolation: true}'
	add "$(asking 'theirs')" "$pod" eth0
	refused 7 'no network apps/theirs'
	[[ $output != *"db"* ]]
	networks_conf '{allowPlugins: ["host-local"]}'
	add "$(asking 'mv')" "$pod" eth0
	refused 7 'macvlan'
	add "$(asking 'mixed')" "$pod" eth0
	refused 7 'macvlan'
	[ "$(grep -c 'msg="attached"' "$dir/log")" -eq 0 ]
	CNI_ARGS="" add "$(asking 'mv')" "$pod" eth0
	refused 4 'CNI_ARGS name no pod'
	[ ! -s "$dir/leases/calls.log" ]
	gone
}

@test "a pod that asks for no network has its default one, as without podNetworks" {
	add "$(asking '')" "$pod" eth0
	added
	[ "$(records)" -eq 1 ]
	[ ! -e "$dir/state/networks" ]
	del "$(asking '')" "$pod" eth0
	deleted
	gone
}

# routed NAME PORT SUBNET GATEWAY - a network whose IPAM gives a default route
routed() {
	definition "$1" "$(jq -cn --arg d "$dir/ipam" --arg n "$1" --arg m "$2" --arg s "$3" --arg g "$4" '{cniVersion: "1.0.0", name: $n,
		type: "macvlan", master: $m, capabilities: {ips: true},
		ipam: {type: "host-local", dataDir: $d, subnet: $s, gateway: $g, routes: [{dst: "0.0.0.0/0"}]}}')"
}
default_routes() { ip -n "$pod" -j route show default | jq -r 'map("\(.gateway) \(.dev)") | sort | join(", ")'; }

@test "default-route: the default route of the pod is the one that is asked for, in the kernel, the results and the status" {
	routed far p0 10.7.0.0/24 10.7.0.1
	routed near q0 10.9.0.0/24 10.9.0.1
	local gateway='.ipam.routes = [{dst: "0.0.0.0/0"}] | .ipam.gateway = "10.6.0.1"'
	add "$(asking '[{"name": "far", "default-route": ["10.7.0.254"]}, {"name": "near"}]' "$gateway")" "$pod" eth0
	added
	[ "$(default_routes)" = '10.7.0.254 net1' ]
	[ "$(jq -c '.routes // []' <<<"$output")" = '[]' ]
	[ "$(statuses 'map([.interface, .gateway]) | sort')" = '[["eth0",null],["net1",["10.7.0.254"]],["net2",null]]' ]
	result=$output
	check "$(with_prev "$result" "$(asking '[]' "$gateway")")" "$pod" eth0
	checked
	del "$(asking 'far')" "$pod" eth0
	deleted
	gone
	# nobody asks: the default network's is the first, and each keeps its own
	add "$(asking '[{"name": "own"}]' "$gateway")" "$pod" eth0
	added
	[ "$(default_routes)" = '10.6.0.1 eth0' ]
	del "$(asking 'own')" "$pod" eth0
	deleted
	gone
}

# pair NAME COMMAND - a plugin that makes net*, one end of a veth pair with the address of NAME, and then runs COMMAND
pair() {
	cat >"$dir/bin/$1" <<-EOT
		#!/bin/sh
		cat >/dev/null
		in_pod() { nsenter --net="\$CNI_NETNS" ip "\$@"; }
		case \$CNI_COMMAND in
		ADD)
			{ in_pod link add "\$CNI_IFNAME" type veth peer name "p\$CNI_IFNAME" && in_pod link set "\$CNI_IFNAME" up; } || exit
			in_pod addr add "10.7.0.2\${CNI_IFNAME#net}/24" dev "\$CNI_IFNAME" || exit
			$2
			echo '{"cniVersion":"1.0.0","interfaces":[{"name":"'"\$CNI_IFNAME"'","sandbox":"'"\$CNI_NETNS"'"}]}'
			;;
		DEL) in_pod link del "\$CNI_IFNAME" ;;
		esac
	EOT
	chmod +x "$dir/bin/$1"
	definition "$1" "{\"cniVersion\":\"1.0.0\",\"type\":\"$1\"}"
}

@test "default-route: an attachment that gives way does so whether its own route is there before the one that is asked for, or later" {
	pair early 'in_pod route add default via 10.7.0.1 dev "$CNI_IFNAME" && : >"$FAKE_STORE/early" && sleep 1'
	pair asked 'until [ -e "$FAKE_STORE/early" ]; do sleep 0.05; done'
	add "$(asking '[{"name": "asked", "default-route": ["10.7.0.254"]}, {"name": "early"}]')" "$pod" eth0
	added
	[ "$(default_routes)" = '10.7.0.254 net1' ]
	del "$(asking '')" "$pod" eth0
	deleted
	rm "$FAKE_STORE/early"
	gone
	pair asked true
	printf '#!/bin/sh\n[ "$CNI_COMMAND" != ADD ] || sleep 1\nexec /usr/lib/cni/host-local\n' >"$dir/bin/late"
	chmod +x "$dir/bin/late"
	definition own "$(jq -cn --arg d "$dir/ipam" '{cniVersion: "1.0.0", type: "devinfo", device: "w0", ipam: {type: "late", dataDir: $d,
		subnet: "10.8.0.0/24", routes: [{dst: "0.0.0.0/0"}]}}')"
	add "$(asking '[{"name": "asked", "default-route": ["10.7.0.254"]}, {"name": "own"}]')" "$pod" eth0
	added
	[ "$(default_routes)" = '10.7.0.254 net1' ]
	del "$(asking '')" "$pod" eth0
	deleted
	gone
}

@test "what one attachment has made is undone with its result, and what its plugin does not undo stays for the DEL, and is told" {
	pair late 'until grep -q "\"ADD\",\"tag\":\"mixed\"" "$FAKE_STORE/calls.log"; do sleep 0.05; done; sleep 1; exit 1'
	FAKE_DEL_mixed=error add "$(asking 'mixed,late')" "$pod" eth0
	refused 107 'interface net2, network apps/late: '
	refused 107 'undoing it: interface net1, network apps/mixed: plugin probe: the fake mixed does not want to'
	[ "$(calls 'map(select(.verb == "DEL") | .request.prevResult.ips[0].address)')" = '["10.8.0.2/24"]' ]
	forget_calls
	del "$(asking 'mixed,late')" "$pod" eth0
	deleted
	[ "$(calls 'map(select(.verb == "DEL") | .request.prevResult.ips[0].address)')" = '["10.8.0.2/24"]' ]
	ls "$dir"/leases/added-* && return 1
	gone
}

@test "the default network is this plugin, whatever name the runtime knows it by" {
	ln -s "$plugin" "$dir/bin/another"
	for conf in "$(asking own '.type = "another"')" "$(asking own 'del(.type)')"; do
		add "$conf" "$pod" eth0
		added
		check "$(with_prev "$output" "$conf")" "$pod" eth0
		checked
		del "$conf" "$pod" eth0
		deleted
		gone
	done
}

@test "a plugin beside devinfo takes no device of the host that a delegate may not: one in use, denied, or another pod's" {
	ln -s /usr/lib/cni/host-device "$dir/bin/host-device" 2>/dev/null || true
	definition steal '{"cniVersion":"1.0.0","plugins":[{"type":"host-device","device":"w0"},{"type":"devinfo"}]}'
	definition behind '{"cniVersion":"1.0.0","plugins":[{"type":"devinfo","device":"q0"},{"type":"host-device","device":"w0"}]}'
	ip -n "$node" addr add 192.0.2.7/24 dev w0
	ip -n "$node" link set w0 up
	before=$(snapshot "$pod")
	add "$(asking 'steal')" "$pod" eth0
	refused 102 'interface net1, network apps/steal'
	[[ $output == *w0* ]]
	gone
	ip -n "$node" addr flush dev w0
	ip -n "$node" link set w0 down
	before=$(snapshot "$pod")
	networks_conf '{denyDevices: ["w0"]}'
	for network in steal behind; do
		add "$(asking $network)" "$pod" eth0
		refused 102 'w0'
		gone
	done
	networks_conf '{}'
	definition odd '{"cniVersion":"1.0.0","plugins":[{"type":"host-device","pciBuſID":"0000:00:01.0"},{"type":"devinfo"}]}'
	add "$(asking odd)" "$pod" eth0
	refused 7 'apps/odd'
	gone
}
