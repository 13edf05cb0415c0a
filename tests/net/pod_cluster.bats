#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# pod_cluster.bats - podNetworks as a whole cluster meets it: many networks, namespaces, pods that change, default
# networks of all kinds, and nodes without definitions
#
# rooms: cni/pod devinfo/network

load helpers
load chain
load kubelet
load pod

setup() {
	pod_up
	before=$(snapshot "$pod")
}

teardown() {
	serve_stop
	umount "$dir/net.d" 2>/dev/null || true
	node_down
}

gone() {
	same "$before" "$pod" || return
	ip -n "$node" link show v0 && ip -n "$node" link show w0 || return
	[ -z "$(left)" ] || { left && return 1; }
}

# macvlan NAME [NAMESPACE] - the definition of a network with an address of its own
macvlan() {
	definition "$1" "$(jq -cn --arg n "${2:-apps}-$1" --arg d "$dir/ipam" '{cniVersion: "1.0.0", name: $n, type: "macvlan", master: "p0",
		ipam: {type: "host-local", dataDir: $d, subnet: "10.9.0.0/24"}}')" "${2:-apps}"
}

# status_of CONF
status_of() {
	CNI_COMMAND=STATUS CNI_CONTAINERID='' CNI_NETNS='' CNI_IFNAME='' CNI_ARGS='' \
		run --separate-stderr in_node timeout 60 "$plugin" <<<"$(jq -c '.cniVersion = "1.1.0"' <<<"$1")"
}

@test "32 networks in one annotation: each has its interface and address, and one DEL without definitions removes all" {
	macvlan mv
	conf=$(asking "$(printf 'mv,%.0s' {1..32} | sed 's/,$//')")
	add "$conf" "$pod" eth0
	added
	[ "$(records)" -eq 33 ]
	for ((i = 1; i <= 32; i++)); do
		addresses "$pod" "net$i"
	done | sort | uniq | wc -l >"$dir/addresses"
	[ "$(<"$dir/addresses")" -eq 32 ]
	[ "$(statuses 'map(.interface) | sort' | jq -r length)" -eq 33 ]
	check "$(with_prev "$output" "$conf")" "$pod" eth0
	checked
	rm -r "$dir/net.d"
	del "$conf" "$pod" eth0
	deleted
	gone
}

@test "two networks of one name in two namespaces are two networks: in records, leases, status and files" {
	for ns in blue green; do
		macvlan same $ns
	done
	conf=$(asking 'green/same,blue/same@b0,green/same')
	add "$conf" "$pod" eth0
	added
	[ "$(statuses 'map("\(.name) \(.interface)") | sort')" = '["blue/same b0","default eth0","green/same net1","green/same net3"]' ]
	[ "$(jq -r '.deviceInfoFile // empty' "$dir"/state/attachments/*.json | sort | xargs)" = \
		"$(echo blue-same-"$pod"_b0 green-same-"$pod"_net{1,3})" ]
	# each network has its own range: two of green's are two addresses of it, and blue's is its first
	[ "$(printf '%s\n' "$(addresses "$pod" net1)" "$(addresses "$pod" net3)" | sort | xargs)" = '10.9.0.2 10.9.0.3' ]
	[ "$(addresses "$pod" b0)" = 10.9.0.2 ]
	del "$conf" "$pod" eth0
	deleted
	gone
	# a pod of apps means apps' own
	add "$(asking 'same')" "$pod" eth0
	refused 7 'no network apps/same'
	networks_conf '{namespaceIsolation: true}'
	add "$conf" "$pod" eth0
	refused 7 'green'
	gone
}

@test "a pod whose annotation and definitions change between ADD and DEL is checked and released as it was attached" {
	four
	conf=$(asking 'mv,own')
	add "$conf" "$pod" eth0
	added
	result=$output
	definition mv '{"cniVersion":"1.0.0","type":"devinfo","device":"w0"}'
	definition own '{"cniVersion":"1.0.0","type":"none"}'
	for changed in "$(asking 'own,mixed,mixed')" "$(asking 'none')" "$(asking '')" "$(asking '{wrong')" "$(asking mv 'del(.runtimeConfig)')"; do
		check "$(with_prev "$result" "$changed")" "$pod" eth0
		checked
	done
	del "$(asking '{wrong')" "$pod" eth0
	deleted
	gone
	[ "$(jq -rs 'map("\(.verb) \(.tag)") | join(", ")' "$dir/leases/calls.log")" = 'ADD mv, CHECK mv, CHECK mv, CHECK mv, CHECK mv, CHECK mv, DEL mv' ]
}

@test "v1.multus-cni.io/default-network takes the place of the default network, and not of one that is attached already" {
	four
	macvlan other kube-system
	replaced=$(asking 'own' '.runtimeConfig["io.kubernetes.cri.pod-annotations"]["v1.multus-cni.io/default-network"] = "other"')
	add "$replaced" "$pod" eth0
	added
	[ "$(jq -r '.ips[0].address' <<<"$output")" = 10.9.0.2/24 ]
	result=$output
	[ "$(addresses "$pod" eth0)" = 10.9.0.2 ]
	ip -n "$node" link show v0
	[ "$(statuses 'map([.name, .interface, .default // false]) | sort')" = '[["apps/own","net1",false],["kube-system/other","eth0",true]]' ]
	check "$(with_prev "$result" "$replaced")" "$pod" eth0
	checked
	del "$(asking 'mv')" "$pod" eth0
	deleted
	gone
	pod_link "$pod" eth0
	before=$(snapshot "$pod")
	add "$(jq -c --argjson prev "$(prev)" 'del(.device, .ipam) | .prevResult = $prev' <<<"$replaced")" "$pod" eth0
	refused 7 'v1.multus-cni.io/default-network: the default network has been attached by the plugins before devinfo'
	add "$(asking 'own' '.runtimeConfig["io.kubernetes.cri.pod-annotations"]["v1.multus-cni.io/default-network"] = "none"')" "$pod" eth0
	refused 7 'no network kube-system/none'
	gone
}

@test "deviceOptional: a pod without the device has the default network without it, behind and around plugins, and its others" {
	four
	jq -n '{pod_resources: [{name: "web", namespace: "apps", containers: [{name: "c", devices: [
		{resource_name: "example.com/other", device_ids: ["other0"]}]}]}]}' >"$dir/pods.json"
	kubelet ok
	optional='{type: "devinfo", resourceName: "example.com/vf", deviceOptional: true, podNetworks: true,
		runtimeConfig: {"io.kubernetes.cri.pod-annotations": {"k8s.v1.cni.cncf.io/networks": "mv@a1,own@a2"}}}'
	around=$(jq -cn --argjson ipam "$(ipam)" '{cniVersion: "1.0.0", name: "default"} + '"$optional"' + {delegates: [
		{type: "macvlan", master: "q0", ipam: $ipam}]}')
	definition own '{"cniVersion":"1.0.0","type":"devinfo","device":"v0"}'
	add "$around" "$pod" eth0
	added
	for i in eth0 a1 a2; do ip -n "$pod" link show "$i"; done
	[ "$(statuses 'any(has("device-info") and .interface == "eth0")')" = false ]
	del "$around" "$pod" eth0
	deleted
	gone
	bridge_up
	before=$(snapshot "$pod")
	behind=$(jq -cn --argjson bridge "$(bridge '.isGateway = false')" '{cniVersion: "1.0.0", name: "default", plugins: [$bridge, '"$optional"']}')
	list_add "$behind"
	[ "$(statuses 'map([.name, .interface]) | sort')" = '[["apps/mv","a1"],["apps/own","a2"],["default","net1"]]' ]
	list_check "$behind"
	list_del "$behind"
	same "$before" "$pod"
	[ -z "$(left)" ]
	# without deviceOptional the pod is refused, and so is one whose other network has no device
	add "$(jq -c 'del(.deviceOptional)' <<<"$around")" "$pod" eth0
	refused 102 'interface eth0: '
	definition own '{"cniVersion":"1.0.0","type":"devinfo","resourceName":"example.com/vf"}'
	add "$(jq -c '.delegates[0].master = "w0"' <<<"$around")" "$pod" eth0
	refused 102 'interface a2, network apps/own: '
	same "$before" "$pod"
}

@test "STATUS of a node whose directory of definitions is empty, missing or unreadable says which directory it is" {
	four
	conf=$(asking 'mv')
	status_of "$conf"
	deleted
	mkdir "$dir/aside"
	mv "$dir"/net.d/* "$dir/aside"
	status_of "$conf"
	refused 50 "networksDir '$dir/net.d' has no definition of a network"
	echo '{' >"$dir/net.d/torn.json"
	status_of "$conf"
	refused 50 "networksDir '$dir/net.d' has no definition of a network"
	rm -r "$dir/net.d"
	status_of "$conf"
	refused 50 "$dir/net.d"
	touch "$dir/net.d"
	status_of "$conf"
	refused 50 "$dir/net.d"
	rm "$dir/net.d"
	# of another configuration, and of a pod that asks for no other network, all of that is nothing
	status_of "$(jq -c 'del(.podNetworks)' <<<"$conf")"
	deleted
	add "$(asking '')" "$pod" eth0
	added
	del "$(asking '')" "$pod" eth0
	deleted
	add "$conf" "$pod" eth0
	refused 5 "$dir/net.d"
	mv "$dir/aside" "$dir/net.d"
	status_of "$conf"
	deleted
	gone
}

@test "the example of a node with containerd alone gives a pod its bridge and the macvlan and memif of the definitions" {
	cp "$top/conf/examples/networks/networks.yaml" "$dir/net.d"
	sed -i "s/\"eth0\"/\"p0\"/; s,\"host-local\",&\, \"dataDir\": \"$dir/ipam\"," "$dir/net.d/networks.yaml"
	networks_conf "{socketDir: \"$dir/s\", hostDirs: [\"*\"]}"
	mkdir "$dir/s"
	bridge_up
	before=$(snapshot "$pod")
	c=$(jq -c --arg d "$dir/ipam" '.plugins[0] |= (.bridge = "br0" | .isGateway = false | .ipam.dataDir = $d) | .plugins[1].runtimeConfig =
		{"io.kubernetes.cri.pod-annotations": {"k8s.v1.cni.cncf.io/networks": "default/macvlan@m0,default/memif@m1"}}' \
		"$top/conf/examples/pod-networks.conflist")
	list_add "$c"
	[ "$(statuses 'map("\(.name) \(.interface) \(."device-info".type // "")") | sort')" = \
		'["default/macvlan m0 ","default/memif m1 memif","pods net1 "]' ]
	rm "$dir"/net.d/*
	list_del "$c"
	same "$before" "$pod"
	[ -z "$(left)" ]
}
