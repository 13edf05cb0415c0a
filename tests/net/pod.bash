# SPDX-License-Identifier: Apache-2.0
# pod.bash - what the tests of a pod's networks share, besides helpers.bash and chain.bash: a directory of
# definitions, annotations, and a bridge as the default network
# shellcheck shell=bash disable=SC2154

pod_up() {
	chain_up
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=apps;K8S_POD_NAME=web"
	mkdir "$dir/net.d"
	networks_conf '{}'
}

# networks_conf JSON - the node's file, with the directory of networks
networks_conf() { node_conf "{networksDir: \"$dir/net.d\"} + $1"; }

# definition NAME CONFIG [NAMESPACE] [ANNOTATIONS] - a NetworkAttachmentDefinition
definition() {
	jq -cn --arg n "$1" --argjson c "$2" --arg ns "${3:-apps}" --argjson a "${4:-null}" '{apiVersion: "k8s.cni.cncf.io/v1",
		kind: "NetworkAttachmentDefinition", metadata: {name: $n, namespace: $ns, annotations: $a},
		spec: {config: ($c | tojson)}}' >"$dir/net.d/${3:-apps}-$1.json"
}

# four - definitions of three networks: one around macvlan, one of a device, one of a probe behind macvlan
four() {
	definition mv "$(jq -cn --arg d "$dir/ipam" '{cniVersion: "1.0.0", name: "macvlans", plugins: [{type: "macvlan", master: "p0",
		capabilities: {mac: true, ips: true}, ipam: {type: "host-local", dataDir: $d, subnet: "10.7.0.0/24"}},
		{type: "probe", tag: "mv"}]}')"
	definition own '{"cniVersion":"1.0.0","type":"devinfo","device":"w0"}'
	definition mixed "$(jq -cn --arg d "$dir/ipam" '{cniVersion: "1.0.0", name: "mixed", plugins: [{type: "macvlan", master: "p0",
		ipam: {type: "host-local", dataDir: $d, subnet: "10.8.0.0/24"}}, {type: "devinfo", mtu: 1400}, {type: "probe", tag: "mixed"}]}')"
}

# asking ANNOTATION [jq filter] - the configuration of the default network, a device with an IPAM plugin, and the
# pod's annotation
asking() {
	jq -cn --arg a "$1" --arg d "$dir/ipam" '{cniVersion: "1.0.0", name: "default", type: "devinfo", podNetworks: true, device: "v0",
		ipam: {type: "host-local", dataDir: $d, subnet: "10.6.0.0/24"},
		runtimeConfig: {"io.kubernetes.cri.pod-annotations": (if $a == "" then {} else {"k8s.v1.cni.cncf.io/networks": $a} end)}}
		| '"${2:-.}"
}

statuses() { jq -c "$1" "$dir/run/status/$pod.json"; }

# left - what is left of attachments: files, leases
left() {
	find "$dir/state/attachments" "$dir/state/networks" "$dir/run/status" "$dir/devinfo" -type f 2>/dev/null
	find "$dir/ipam" -type f -name '1*' 2>/dev/null
}
