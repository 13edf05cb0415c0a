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

# explains STATUS - of the pod, with the runtime's cache of the test; $output is JSON
explains() {
	run --separate-stderr in_node sh -c "$as_var_lib_cni"' && exec "$@"' "$root" timeout 30 "$ctl" explain default/p1 --json
	[ "$status" -eq "$1" ] || { echo "status $status: $output$stderr" && return 1; }
}

@test "explain: with Multus nothing of a healthy attachment is unknown" {
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=u1"
	gave v0
	kubelet ok
	# in a definition with the capability deviceID, without, and with resourceName in the configuration
	for said in 'del(.resourceName) | .runtimeConfig.deviceID = "v0"' 'del(.resourceName)' '.runtimeConfig.deviceID = "v0"'; do
		c=$(asking '.deviceID = "v0" | .pciBusID = "v0" | .capabilities.deviceID = true | '"$said")
		add "$c"
		added
		mkdir -p "$root/multus/results"
		jq -cn --arg config "$(jq -c 'del(.runtimeConfig)' <<<"$c" | base64 -w 0)" --argjson result "$output" \
			'{kind: "cniCacheV1", config: $config, capabilityArgs: {deviceID: "v0"}, result: $result}' \
			>"$root/multus/results/net-$pod-net1"
		explains 0
		[ "$(jq -c '[.stages[] | select(.state != "ok")]' <<<"$output")" = '[]' ] || { echo "$output" && return 1; }
		del "$c"
		deleted
		rm -f "$dir"/state/pods/*
	done
}

@test "explain: of a pod whose ADD fails it names that, whatever its device is, and what of a claim cannot be read" {
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=u1"
	gave mystery
	kubelet ok
	# example.com/other of the pod is nobody's, either
	add "$(asking)"
	refused 102 "deviceID 'mystery'"
	explains 1
	[ "$(jq -r '.stages[] | select(.interface == "net1") | .state + ": " + .what' <<<"$output")" = \
		'missing: example.com/vf mystery was chosen for network net, and is not attached: its ADD has failed, or has not ended yet' ]
	[[ $(jq -r '.advice[]' <<<"$output") == *'look what the ADD of network net says: '* ]]
	# Multus takes it itself, and the choice is of no resource
	rm "$dir"/state/pods/*
	add "$(asking 'del(.resourceName) | .runtimeConfig.deviceID = "mystery"')"
	refused 102 "deviceID 'mystery'"
	explains 1
	[[ $(jq -r '.advice[]' <<<"$output") == *'look what the ADD of network net says: '* ]]
	rm "$dir"/state/pods/*
	explains 1
	[ "$(jq -c '[.stages[] | [.stage, .state]]' <<<"$output")" = '[["attachment","missing"],["attachment","missing"]]' ]
	metadata=$dir/kubelet/plugins/nic.example.com/dra-device-metadata/default_c1/r1
	mkdir -p "$metadata"
	echo '{' >"$metadata/metadata.json"
	jq -n '{pod_resources: [{name: "p1", namespace: "default", containers: [{name: "c", dynamic_resources: [
		{claim_name: "c1", claim_namespace: "default", claim_resources: [
			{driver_name: "nic.example.com", pool_name: "n", device_name: "nic-0"}]}]}]}]}' >"$dir/pods.json"
	add "$(asking 'del(.resourceName) | .claim = "c1"')"
	refused 102 'no network device of claim c1'
	explains 1
	[ "$(jq -r '.stages[].state' <<<"$output")" = wrong ]
	[[ $(jq -r '.stages[].what' <<<"$output") == 'kubelet gave claim default/c1 nic-0 to container c, and which device of the node that is cannot be told: '*metadata.json* ]]
	rm -r "$metadata"
	explains 1
	[[ $(jq -r '.stages[].what' <<<"$output") == 'kubelet gave claim default/c1 nic-0 to container c, and no network of the pod has taken it; whether the pod has started is not known: '* ]]
}

@test "drift: no attachments" {
	drift
	[ "$status" -eq 0 ]
	[ "$output" = 'no attachments' ]
	drift --json
	[ "$output" = '[]' ]
}
