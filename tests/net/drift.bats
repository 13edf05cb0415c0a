#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# drift.bats - devinfoctl drift: each difference is made by one change, and nothing else is told
#
# rooms: manager/inventory cni/attach

load helpers
load kubelet

setup() {
	node_up
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	# /var/lib/cni is of this test
	root=$dir/var
	mkdir -p "$root"
}

teardown() {
	serve_stop
	node_down
}

# drift [option...] - the runtime's cache is that of the test
drift() {
	run --separate-stderr in_node sh -c "$as_var_lib_cni"' && exec "$@"' "$root" timeout 30 "$ctl" drift "$@"
}

as_made() {
	drift --json
	[ "$status" -eq 0 ] && [ "$(jq -c 'map([.drift, .what])' <<<"$output")" = '[["as made",""]]' ] ||
		{ echo "status $status: $output$stderr" && return 1; }
}

# drifted TEXT - this one difference
drifted() {
	drift --json
	[ "$status" -eq 1 ] && [ "$(jq -c 'map([.drift, .what])' <<<"$output")" = "[[\"drifted\",\"$1\"]]" ] ||
		{ echo "status $status: $output$stderr" && return 1; }
}

# as libcni keeps it: of a list, with the result
cached() {
	mkdir -p "$root/results"
	jq -cn --arg config "$(jq -c '{cniVersion, name, plugins: [del(.cniVersion, .name)]}' <<<"$1" | base64 -w 0)" \
		--argjson result "$2" '{kind: "cniCacheV1", containerId: "'"$pod"'", config: $config, ifName: "net1",
			networkName: "net", result: $result}' >"$root/results/net-$pod-net1"
}

@test "drift: an attachment as its ADD has left it, and each thing that somebody changes" {
	conf=$(host_local '.mtu = 1400 | .mac = "02:00:00:00:00:77" | .txQueueLen = 7')
	add "$conf"
	added
	result=$output
	as_made
	ip -n "$pod" link set net1 down
	drifted 'state: expected up, got down; address: fd00:1::2 is gone'
	ip -n "$pod" link set net1 up
	ip -n "$pod" addr add fd00:1::2/64 dev net1
	as_made
	ip -n "$pod" link set net1 mtu 1300
	drifted 'mtu: expected 1400, got 1300'
	ip -n "$pod" link set net1 mtu 1400 txqueuelen 8
	drifted 'txQueueLen: expected 7, got 8'
	ip -n "$pod" link set net1 txqueuelen 7
	ip -n "$pod" link set net1 address 02:00:00:00:00:78
	drifted 'mac: expected 02:00:00:00:00:77, got 02:00:00:00:00:78'
	ip -n "$pod" link set net1 address 02:00:00:00:00:77
	# what a pod calls it, of which JSON takes no byte
	ip -n "$pod" link set net1 name $'n\xff\e[2J'
	drifted 'interface: it is called n?\u001b[2J'
	ip -n "$pod" link set $'n\xff\e[2J' name net1
	ip -n "$pod" addr del 10.1.0.2/24 dev net1
	drifted 'address: 10.1.0.2 is gone'
	ip -n "$pod" addr add 10.1.0.2/24 dev net1
	as_made
	mv "$dir/run/status/$pod.json" "$dir/status"
	drifted 'network-status: the entry is gone'
	mv "$dir/status" "$dir/run/status/$pod.json"
	# routes are known to the runtime alone
	as_made
	cached "$conf" "$result"
	drifted 'route: to 0.0.0.0/0 is gone'
	ip -n "$pod" route add default via 10.1.0.1 dev net1
	ip -n "$pod" route add 198.51.100.0/24 via 10.1.0.9 dev net1
	ip -n "$pod" -6 route add default via fd00:1::1 dev net1
	as_made
	cached "$conf" "$(jq -c '.interfaces[0].sandbox = "/run/netns/other"' <<<"$result")"
	drifted "prevResult: sandbox is /run/netns/other, not /run/netns/$pod"
	cached "$conf" "$(jq -c '.interfaces = [] | del(.ips, .routes)' <<<"$result")"
	drifted 'prevResult: it has no interface net1'
	cached "$conf" "$result"
	ip -n "$pod" link set net1 down
	ip -n "$pod" link set net1 name moved
	ip -n "$pod" link set moved up
	ip -n "$pod" addr add fd00:1::2/64 dev moved
	ip -n "$pod" route add default via 10.1.0.1 dev moved
	ip -n "$pod" route add 198.51.100.0/24 via 10.1.0.9 dev moved
	ip -n "$pod" -6 route add default via fd00:1::1 dev moved
	drifted 'interface: it is called moved'
	ip -n "$pod" link set moved name v0 netns "$node"
	drifted 'interface: net1 is not in the container but on the host'
}

@test "drift: a device-info file that is another one by now" {
	file=$dir/devinfo/cni/default-net-$pod
	mkdir -p "${file%/*}"
	echo '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"server","path":"/run/vhost/s1"}}' >"$file"
	ip -n "$pod" link add net1 type veth peer name peer1
	add "$(conf 'del(.device, .ipam) | .mtu = 1400 | .prevResult = {cniVersion: "1.0.0",
		interfaces: [{name: "net1", sandbox: "/run/netns/'"$pod"'"}]} |
		.runtimeConfig.CNIDeviceInfoFile = "'"$file"'"')"
	added
	unknown='not compared: what only the configuration says, for neither runtime nor record has it'
	drift --json
	[ "$status" -eq 0 ]
	[ "$(jq -r '.[0] | .drift, .what' <<<"$output")" = "as made"$'\n'"$unknown" ]
	sed -i s/s1/s2/ "$file"
	drifted "device-info: the file is not what network-status says; $unknown"
	rm "$file"
	drifted "device-info: the file is gone; $unknown"
}

@test "drift: a container that has gone is no drift; a cache that is none cannot be told" {
	add "$(conf)"
	added
	add "$(fixed '.device = "w0" | .name = "other"')" "$pod" net2
	added
	mkdir -p "$root/results"
	# {}: of a plugin that has run ours, perhaps
	echo '{"config": "e30"}' >"$root/results/net-$pod-net1"
	drift
	[ "$status" -eq 0 ]
	echo '{"config": 1}' >"$root/results/net-$pod-net1"
	drift
	[ "$status" -eq 1 ]
	grep -Eq "^v0 +- +net +net1 +cannot tell +.*results/net-$pod-net1" <<<"$output"
	grep -Eq '^w0 +- +other +net2 +as made +-$' <<<"$output"
	rm "$root/results/net-$pod-net1"
	ip netns del "$pod"
	drift --json
	[ "$status" -eq 0 ]
	[ "$(jq -c 'map([.drift, .what])' <<<"$output")" = \
		'[["dead","its container has gone"],["dead","its container has gone"]]' ]
}

@test "drift: a device that was given back is no drift" {
	add "$(conf)"
	added
	FAKE_DEL=error del "$(conf)"
	drift --json
	[ "$status" -eq 0 ]
	[ "$(jq -c 'map([.drift, .what])' <<<"$output")" = '[["dead","its device has been given back"]]' ]
}

@test "drift: an attachment that a call is at work on cannot be told, and the call is not disturbed" {
	env_of ADD
	FAKE_ADD=hang ip netns exec "$node" "$plugin" <<<"$(conf)" >"$dir/out" 2>&1 3>&- &
	local add=$!
	for _ in {1..200}; do
		! grep -qs ADD "$dir/leases/calls.log" || break
		sleep 0.02
	done
	drift --json
	[ "$status" -eq 1 ]
	[ "$(jq -c 'map([.drift, .what])' <<<"$output")" = '[["cannot tell","a call is at work on it"]]' ]
	kill "$add"
	wait "$add" || true
	[ "$(jq .code "$dir/out")" -eq 108 ]
}

@test "explain: a pod on this node, whose interface somebody has changed" {
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=u1"
	gave v0
	kubelet ok
	add "$(asking '.mtu = 1400')"
	added
	run --separate-stderr in_node "$ctl" explain default/p1
	[ "$status" -eq 0 ] || { echo "$output$stderr" && return 1; }
	[ "$(awk 'NR > 1 { print $2, $3 }' <<<"$output")" = "request ok
allocation ok
choice ok
record ok
device ok
interface ok
status ok" ]
	ip -n "$pod" link set net1 mtu 1300
	run --separate-stderr in_node "$ctl" explain default/p1
	[ "$status" -eq 1 ]
	[[ $output =~ net1\ +interface\ +wrong\ +mtu:\ expected\ 1400,\ got\ 1300 ]]
}

@test "drift: no attachments" {
	drift
	[ "$status" -eq 0 ]
	[ "$output" = 'no attachments' ]
	drift --json
	[ "$output" = '[]' ]
}
