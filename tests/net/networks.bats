#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# networks.bats - the calls that devinfoctl networks prints for a pod attach it to its networks, and detach it
#
# rooms: devinfo/network manager/ctl

load helpers
load chain

setup() {
	chain_up
	ctl=${plugin}ctl
	mkdir "$dir/net.d"
	before=$(snapshot "$pod")
}

teardown() { node_down; }

# definition NAME CONFIG - a NetworkAttachmentDefinition of the namespace apps
definition() {
	jq -cn --arg n "$1" --argjson c "$2" '{apiVersion: "k8s.cni.cncf.io/v1", kind: "NetworkAttachmentDefinition",
		metadata: {name: $n, namespace: "apps"}, spec: {config: ($c | tojson)}}' >"$dir/net.d/$1.json"
}

# attachments ANNOTATION - "INTERFACE CALL" of each; each has one
attachments() {
	jq -cn --arg a "$1" '{kind: "Pod", metadata: {namespace: "apps", annotations: {"k8s.v1.cni.cncf.io/networks": $a}}}' >"$dir/pod.json"
	"$ctl" networks "$dir/net.d" --pod-file "$dir/pod.json" --json | jq -r '.[] | select(.calls | length == 1) | "\(.interface) \(.calls[0])"'
}

@test "a pod's annotation becomes attachments around other plugins and of our own, and DELs undo them" {
	definition mv "$(jq -cn '{cniVersion: "1.0.0", plugins: [{type: "macvlan", master: "p0", capabilities: {mac: true, ips: true},
		ipam: {type: "static"}}, {type: "probe", tag: "b"}]}')"
	definition own '{"cniVersion":"1.0.0","type":"devinfo","device":"w0"}'
	mapfile -t calls < <(attachments '[{"name": "mv", "interface": "data0", "mac": "02:00:00:00:00:99", "ips": ["10.7.0.5/24"]},
		{"name": "own"}, {"name": "mv", "ips": ["10.7.0.6/24"], "cni-args": {"x": 1}}]')
	[ "$(printf '%s\n' "${calls[@]%% *}" | xargs)" = 'data0 net2 net3' ]
	for call in "${calls[@]}"; do
		add "${call#* }" "$pod" "${call%% *}"
		added
	done
	[ "$(ip -n "$pod" -j link show data0 | jq -r '.[0].address')" = 02:00:00:00:00:99 ]
	[ "$(addresses "$pod" data0)" = 10.7.0.5 ]
	[ "$(addresses "$pod" net3)" = 10.7.0.6 ]
	ip -n "$pod" link show net2
	# what was asked for one is not told to another
	[ "$(calls '.[0].request | has("runtimeConfig") or has("args")')" = false ]
	[ "$(calls '.[1].request.args')" = '{"cni":{"x":1}}' ]
	[ "$(jq -r 'map("\(.name) \(.interface)") | join(", ")' "$dir/run/status/$pod.json")" = 'mv data0, own net2, mv net3' ]
	for at in 2 1 0; do
		del "${calls[at]#* }" "$pod" "${calls[at]%% *}"
		deleted
	done
	same "$before" "$pod"
	[ -z "$(find "$dir/state/attachments" "$dir/run/status" "$dir/devinfo" -type f)" ]
	ip -n "$node" link show w0
}
