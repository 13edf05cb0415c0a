#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# resolve.bats - of the devices that kubelet gave to a pod, each attachment gets its own
#
# rooms: devinfo/journal devinfo/kubelet

load helpers
load kubelet

setup() {
	node_up
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=u1"
	ctl=${plugin}ctl
}

teardown() {
	serve_stop
	node_down
}

# asking [jq filter] - as kubelet.bash has it, but without addresses
asking() { conf 'del(.device, .ipam) | .resourceName = "example.com/vf" | '"${1:-.}"; }

# pod_has CONTAINERS - pod default/p1 has these, as PodResources tells them
pod_has() {
	jq -n '{pod_resources: [{name: "p1", namespace: "default", containers: '"$1"'}]}' >"$dir/pods.json"
	[ -n "${server-}" ] || kubelet ok	# it reads the file at each call
}

# devices ID... - one container with these devices of example.com/vf
devices() {
	pod_has '[{name: "c", devices: ['"$(printf '{resource_name: "example.com/vf", device_ids: ["%s"]},' "$@" |
		sed 's/,$//')"']}]'
}

# has NAME PEER-ADDRESS - interface NAME of the pod is that device
has() { [ "$(link "$pod" "$1" .address)" = "$2" ]; }

# at_once - two attachments that come at the same time get a device each
at_once() {
	for name in net1 net2; do
		env_of ADD "$pod" "$name"
		ip netns exec "$node" "$plugin" <<<"$(asking)" >"$dir/out-$name" 2>&1 3>&- &
		eval "$name=\$!"
	done
	wait_for "$net1"
	[ "$result" -eq 0 ]
	wait_for "$net2"
	[ "$result" -eq 0 ]
	[ "$(link "$pod" net1 .address)" != "$(link "$pod" net2 .address)" ]
}

v0=02:00:00:00:00:0a w0=02:00:00:00:00:1a

@test "C-FND-12: default and secondary network get a device each, in natural order, and the same again" {
	devices w0 v0
	add "$(asking '.name = "default"')" "$pod" eth0
	added
	add "$(asking)" "$pod" net1
	added
	has eth0 $v0
	has net1 $w0
	for _ in 1 2; do	# whoever comes first
		del "$(asking '.name = "default"')" "$pod" eth0
		del "$(asking)" "$pod" net1
		add "$(asking)" "$pod" net1
		added
		add "$(asking '.name = "default"')" "$pod" eth0
		added
		has eth0 $v0
		has net1 $w0
	done
}

@test "C-FND-13: a new sandbox of the pod gets what the last one had, whoever comes first" {
	devices v0 w0
	add "$(asking)" "$pod" net1
	add "$(asking)" "$pod" net2
	has net1 $v0
	has net2 $w0
	del "$(asking)" "$pod" net1
	del "$(asking)" "$pod" net2
	pod_add "$pod2"
	add "$(asking)" "$pod2" net2
	added
	[ "$(link "$pod2" net2 .address)" = $w0 ]
}

@test "a ledger of another version is left alone, named in the log, and hinders no ADD of the pod" {
	devices v0 w0
	add "$(asking)" "$pod" net2
	added
	sed -i 's/"version":1/"version":2/' "$dir"/state/pods/*
	cp -a "$dir/state/pods" "$dir/before"
	add "$(asking)" "$pod" net1
	added
	has net1 $w0
	grep -q "cannot be used.*'default_p1@.*json' is of version 2, this program writes 1" "$dir/log"
	add "$(asking)" "$pod" net3
	refused 102 'all are attached already'
	del "$(asking)" "$pod" net2
	deleted
	del "$(asking)" "$pod" net1
	deleted
	at_once
	diff -r "$dir/before" "$dir/state/pods"
}

@test "an ADD that fails is tried again with the same device" {
	devices v0 w0
	add "$(asking '.ipam = {type: "none-such"}')" "$pod" net2
	[ "$status" -eq 1 ]
	add "$(asking)" "$pod" net1
	added
	has net1 $w0
	add "$(asking)" "$pod" net2
	added
	has net2 $v0
}

@test "C-FND-16: more attachments than devices: who has which, and what to request" {
	devices v0 w0
	add "$(asking)" "$pod" net1
	add "$(asking)" "$pod" net2
	before=$(snapshot "$pod")
	add "$(asking)" "$pod" net3
	refused 102 'pod default/p1 has 2 device(s) of example.com/vf'
	refused 102 'request 3 in resources.limits'
	refused 102 "net1 has v0 (network net, container $pod)"
	refused 102 "net2 has w0 (network net, container $pod)"
	same "$before" "$pod"
}

@test "C-ISS-29: attachments that come at once never get the same device" {
	devices v0 w0
	at_once
}

@test "C-FND-16: no device: what the pod has instead" {
	pod_has '[{name: "c", devices: [{resource_name: "example.com/other", device_ids: ["o1"]}]}]'
	add "$(asking)"
	refused 102 'pod default/p1 has no device of resource example.com/vf: is it in resources.limits?'
	refused 102 'from PodResources Get; it has example.com/other o1'
	pod_has '[{name: "c"}]'
	add "$(asking)"
	refused 102 'from PodResources Get; it has no device at all'
}

@test "nobody names a device: that is said, with what the pod has, and how to name one" {
	local unnamed
	unnamed=$(asking 'del(.resourceName)')
	devices v0
	add "$unnamed"
	refused 102 'no device is named, and pod default/p1 has no claim with a network device'
	refused 102 'resourceName, such as example.com/vf, or deviceID or device; from PodResources Get; it has example.com/vf v0'
	pod_has '[{name: "c"}]'
	add "$unnamed"
	refused 102 'no device is named, and pod default/p1 has no claim with a network device'
	refused 102 'let the pod request one, in resources.limits or by a claim'
	refused 102 'it has no device at all'
}

@test "a PCI address without its domain is refused with the one that is meant" {
	for where in '.deviceID' '.pciBusID'; do
		add "$(conf "del(.device) | $where = \"01:10.0\"")"
		refused 7 "invalid deviceID '01:10.0': the domain is missing, 0000:01:10.0?"
	done
	devices v0
	CNI_ARGS="$CNI_ARGS;deviceID=01:10.0" add "$(asking)"
	refused 102 'pod default/p1 has no device 01:10.0 of resource example.com/vf: the domain is missing, 0000:01:10.0?'
	add "$(asking 'del(.resourceName) | .runtimeConfig.deviceID = "01:10.0"')"
	refused 102 'pod default/p1 has no device 01:10.0: the domain is missing, 0000:01:10.0?'
	add "$(conf 'del(.device) | .deviceID = "01:10"')"
	refused 102 'network device'
	[[ $output != *domain* ]]
}

@test "no device: each that the pod has is named; of very many the first, and the source always" {
	claim gpu req g1 '{model: {string: "x"}}'
	claims gpu g1
	jq '.pod_resources[0].containers[0].devices = [{resource_name: "example.com/other", device_ids: ["o1", "o2"]},
		{resource_name: "example.com/fast", device_ids: ["f1"]}]' "$dir/pods.json" >"$dir/more"
	mv "$dir/more" "$dir/pods.json"
	add "$(asking)"
	refused 102 'it has example.com/fast f1, example.com/other o1, example.com/other o2, g1 of claim gpu'
	pod_has '[{name: "c", devices: [{resource_name: "example.com/other", device_ids: [range(100) | "port\(.)"]}]}]'
	add "$(asking)"
	refused 102 'from PodResources Get; it has example.com/other port0, example.com/other port1, '
	[[ $(jq -r .details <<<"$output") =~ port([0-9]+)' and '([0-9]+)' more'$ ]]
	[ $((BASH_REMATCH[1] + 1 + BASH_REMATCH[2])) -eq 100 ]
}

@test "C-FND-11: of several containers kubelet's order counts, inside each the natural one" {
	ip -n "$node" link add dev2 address 02:00:00:00:02:02 type veth peer name peer2
	ip -n "$node" link add dev10 address 02:00:00:00:02:10 type veth peer name peer10
	pod_has '[{name: "z", devices: [{resource_name: "example.com/vf", device_ids: ["dev10", "dev2"]},
			{resource_name: "example.com/vf", device_ids: ["dev2"]}]},
		{name: "a", devices: [{resource_name: "example.com/vf", device_ids: ["dev10", "v0"]}]}]'
	for n in 1 2 3; do
		add "$(asking)" "$pod" net$n
		added
	done
	has net1 02:00:00:00:02:02
	has net2 02:00:00:00:02:10
	has net3 $v0
}

@test "C-FND-18: an attachment may ask for one of the pod's devices: args, CNI_ARGS, the pod's annotation" {
	devices v0 w0
	add "$(asking '.args.cni.deviceID = "w0"')"
	added
	has net1 $w0
	del "$(asking)"
	CNI_ARGS="$CNI_ARGS;deviceID=v0" add "$(asking)"
	added
	has net1 $v0
	del "$(asking)"
	add "$(asking '.runtimeConfig["io.kubernetes.cri.pod-annotations"]["k8s.v1.cni.cncf.io/networks"] =
		([{name: "net", interface: "net1", deviceID: "w0"}] | tojson)')"
	added
	has net1 $w0
}

@test "C-FND-18: an attachment cannot ask for a device that kubelet did not give to the pod" {
	devices v0
	before=$(snapshot "$pod")
	add "$(asking '.args.cni.deviceID = "w0"')"
	refused 102 'pod default/p1 has no device w0 of resource example.com/vf'
	add "$(conf 'del(.device, .ipam) | .args.cni.deviceID = "w0"')"
	refused 102 'pod default/p1 has no device w0'
	CNI_ARGS='deviceID=w0' add "$(conf 'del(.device, .ipam)')"
	refused 4 'CNI_ARGS name no pod'
	same "$before" "$pod"
}

@test "C-FND-18: nor by runtimeConfig, where Multus puts what the pod's author asks for" {
	devices v0
	before=$(snapshot "$pod")
	add "$(conf 'del(.device, .ipam) | .runtimeConfig.deviceID = "w0"')"
	refused 102 'pod default/p1 has no device w0'
	add "$(asking '.runtimeConfig.deviceID = "w0"')"
	refused 102 'pod default/p1 has no device w0 of resource example.com/vf'
	same "$before" "$pod"
	add "$(asking '.runtimeConfig.deviceID = "v0"')"
	added
	has net1 $v0
	del "$(asking)"
	serve_stop
	# kubelet's choice, which Multus writes to all plugins as well, is not asked for again
	add "$(asking '.runtimeConfig.deviceID = "w0" | .deviceID = "w0"')"
	added
	has net1 $w0
}

@test "what the pod's author asks for goes before what Multus took in its own order" {
	devices v0 w0
	add "$(asking '.runtimeConfig.deviceID = "v0" | .deviceID = "v0" | .args.cni.deviceID = "w0"')"
	added
	has net1 $w0
}

@test "one that asks for a device that another has gets it when both are tried again" {
	devices v0 w0
	add "$(asking)" "$pod" net1
	has net1 $v0
	add "$(asking '.args.cni.deviceID = "v0"')" "$pod" net2
	refused 102 'device v0 of pod default/p1 is attached already'
	refused 102 'net1 has v0'
	del "$(asking)" "$pod" net1
	add "$(asking)" "$pod" net1
	added
	has net1 $w0
	add "$(asking '.args.cni.deviceID = "v0"')" "$pod" net2
	added
	has net2 $v0
}

# named ID [jq filter] - what Multus hands over for a network of its own: the id, in all places
named() { conf 'del(.device, .ipam) | .name = "named" | .deviceID = "'"$1"'" | .pciBusID = .deviceID |
	.runtimeConfig.deviceID = .deviceID | '"${2:-.}"; }

@test "one that Multus names a device for, which another attachment asked kubelet for, gets it on the next try" {
	devices v0 w0
	add "$(asking)" "$pod" net1
	has net1 $v0
	add "$(named v0)" "$pod" net2
	refused 11 'device v0 belongs to another attachment'
	del "$(named v0)" "$pod" net2
	deleted
	del "$(asking)" "$pod" net1
	deleted
	pod_add "$pod2"		# the new sandbox of the pod
	add "$(asking)" "$pod2" net1
	added
	[ "$(link "$pod2" net1 .address)" = $w0 ]
	add "$(named v0 '.resourceName = "example.com/vf"')" "$pod2" net2
	added
	[ "$(link "$pod2" net2 .address)" = $v0 ]
	grep -q "will get another one.*device=v0" "$dir/log"
}

@test "one that asks for a device by its id alone gets it on the next try from one that asked by resource" {
	devices v0 w0
	add "$(asking)" "$pod" net1
	has net1 $v0
	add "$(named v0 'del(.deviceID, .pciBusID)')" "$pod" net2
	refused 102 'net1 has v0'
	del "$(asking)" "$pod" net1
	add "$(asking)" "$pod" net1
	added
	has net1 $w0
	add "$(named v0 'del(.deviceID, .pciBusID)')" "$pod" net2
	added
	has net2 $v0
}

@test "two elements of the selection that ask for a device and do not say for which interface are an error" {
	devices v0 w0
	add "$(asking '.runtimeConfig["io.kubernetes.cri.pod-annotations"]["k8s.v1.cni.cncf.io/networks"] =
		([{name: "net", deviceID: "w0"}, {name: "net", deviceID: "v0"}] | tojson)')"
	refused 7 'none says which is interface net1'
}

@test "C-FND-17: an attachment may ask for another resource of the pod" {
	pod_has '[{name: "c", devices: [{resource_name: "example.com/vf", device_ids: ["v0"]},
		{resource_name: "example.com/fast", device_ids: ["w0"]}]}]'
	add "$(asking '.args.cni.resourceName = "example.com/fast"')"
	refused 7 "args.cni.resourceName: the network says it, and not the pod; podMayOverride"
	add "$(asking 'del(.resourceName) | .args.cni.resourceName = "example.com/fast"')"
	added
	has net1 $w0
	del "$(asking)"
	deleted
	add "$(asking '.podMayOverride = ["resourceName"] | .args.cni.resourceName = "example.com/fast"')"
	added
	has net1 $w0
}

@test "C-FND-20: an id that nothing here has is one clear error" {
	before=$(snapshot "$pod")
	for id in no-such mlx5_core.sf.77 vdpa99 a/b/c; do
		devices "$id"
		add "$(asking)"
		refused 102 "deviceID '$id': this node has no such PCI, auxiliary, vDPA or network device"
	done
	devices pci/0000:ff:1f.7
	add "$(asking)"
	refused 102 'no PCI device 0000:ff:1f.7 on this node'
	same "$before" "$pod"
}

@test "C-FND-19: around a plugin an id that we do not know is passed on, as deviceID only, and given once" {
	cp "$fake/plugin.sh" "$dir/bin/a"
	devices socket-7
	around=$(asking '.delegates = [{type: "a", makes: true}]')
	add "$around"
	added
	jq -e '.request.deviceID == "socket-7" and (.request | has("pciBusID") | not)' <(head -n 1 "$dir/leases/calls.log") >/dev/null
	add "$around" "$pod" net2
	refused 102 'all are attached already'
	refused 102 'net1 has socket-7'
}

@test "an id that we do not know is given once, whoever says it, and again when its owner has died" {
	cp "$fake/plugin.sh" "$dir/bin/a"
	around=$(conf 'del(.device, .ipam) | .deviceID = "socket-7" | .delegates = [{type: "a", makes: true}]')
	pod_add "$pod2"
	add "$around"
	added
	add "$around" "$pod2"
	refused 11 'device socket-7 belongs to another attachment'
	devices socket-7
	add "$(asking '.delegates = [{type: "a", makes: true}]')" "$pod" net3
	refused 102 'net1 has socket-7'
	ip netns del "$pod"
	add "$around" "$pod2"
	added
}

@test "an id is never taken for what an interface of another pod is called" {
	cp "$fake/plugin.sh" "$dir/bin/a"
	pod_add "$pod2"
	devices w0
	add "$(asking '.delegates = [{type: "a", makes: true}]')" "$pod2" ghost0
	added
	add "$(asking '.deviceID = "socket-7" | .delegates = [{type: "a", makes: true}]')" "$pod2" v0
	added
	devices v0		# which is at home
	add "$(asking)"
	added
	has net1 $v0
	del "$(asking)"
	ip netns del "$pod2"
	devices ghost0
	add "$(asking)"
	refused 102 "deviceID 'ghost0': this node has no such PCI"
}

@test "an id is never taken for what a device was called before the node was started" {
	pod_add "$pod2"
	add "$(conf 'del(.ipam) | .device = "w0"')" "$pod2"
	added
	record=$(echo "$dir"/state/attachments/*)
	jq -c '.netdev.name = "old0" | .bootID = "another"' "$record" >"$dir/record"
	cp "$dir/record" "$record"
	devices old0
	add "$(asking)"
	refused 102 "deviceID 'old0': this node has no such PCI"
}

@test "behind an interface that does not show its device, only a device without choice is believed" {
	devices v0 w0
	ip -n "$node" link set w0 netns "$pod"
	ip -n "$pod" link set w0 name net1
	behind=$(asking '.prevResult = {cniVersion: "1.0.0", interfaces: [{name: "net1", sandbox: "/run/netns/'"$pod"'"}]}')
	add "$behind"
	added
	[ "$(jq -r .device "$dir"/state/attachments/*)" = "" ]
	grep -q 'does not show which' "$dir/log"
	add "$(asking)" "$pod" net2
	added
	has net2 $v0
	del "$(asking)" "$pod" net2
	del "$behind"
	devices w0
	add "$behind"
	added
	[ "$(jq -r .deviceID "$dir"/state/attachments/*)" = w0 ]
}

# behind_veth [jq filter] - asking, behind the interface net1 that another plugin made of a veth
behind_veth() {
	asking '.prevResult = {cniVersion: "1.0.0", interfaces: [{name: "net1", sandbox: "/run/netns/'"$pod"'"}]} | '"${1:-.}"
}

@test "behind a veth the pod's device, which is on the host, is not taken, and left for who attaches it" {
	ip -n "$pod" link add net1 type veth peer name x1
	devices v0
	add "$(behind_veth '.mtu = 1400')"
	added
	[ "$(jq -c '[.device, .deviceID]' "$dir"/state/attachments/*)" = '["",null]' ]
	[ "$(link "$pod" net1 .mtu)" -eq 1400 ]
	[ "$(jq '.[0] | has("device-info")' "$dir/run/status/$pod.json")" = false ]
	grep -q "the pod's device is on the host.*id=v0" "$dir/log"
	add "$(asking)" "$pod" net2
	added
	has net2 $v0
	env_of CHECK
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$(behind_veth '.mtu = 1400')"
	deleted
	# nor is it when it is attached first
	del "$(behind_veth)"
	deleted
	ip -n "$pod" link set net1 mtu 1500
	add "$(behind_veth '.mtu = 1400')"
	added
	[ "$(jq -c 'select(.ifname == "net1") | [.device, .deviceID]' "$dir"/state/attachments/*)" = '["",null]' ]
	grep -q "the pod's device is another attachment's.*id=v0" "$dir/log"
	has net2 $v0
}

@test "deviceOptional: a pod without the resource is passed on, with its interface's own settings" {
	ip -n "$pod" link add net1 type veth peer name x1
	before=$(snapshot "$pod")
	pod_has '[{name: "c", devices: [{resource_name: "example.com/other", device_ids: ["o1"]}]}]'
	# what would let the pod pass is said where it can be: not of a network whose interface is ours
	for behind in "$(behind_veth)" "$(behind_veth '.claim = "c1"')"; do
		add "$behind"
		refused 102 'pod default/p1 has no '
		refused 102 "a network that pods without a device share as well, as a cluster's default network, says deviceOptional: true"
		same "$before" "$pod"
	done
	add "$(asking '.delegates = [{type: "a"}]')" "$pod" net2
	refused 102 'says deviceOptional: true'
	add "$(asking)" "$pod" net2
	refused 102 'pod default/p1 has no device of resource example.com/vf'
	[[ $output != *deviceOptional* ]]
	add "$(behind_veth '.args.cni.deviceID = "w0"')"
	refused 102 'pod default/p1 has no device w0'
	[[ $output != *deviceOptional* ]]
	optional='.deviceOptional = true | .vlan = 5 | .mtu = 1400'
	for c in "$(behind_veth "$optional")" "$(behind_veth "$optional"' | .claim = "c1"')"; do
		add "$c"
		added
		[ "$(jq -c .interfaces <<<"$output")" = "$(jq -c .prevResult.interfaces <<<"$c")" ]
		[ "$(link "$pod" net1 .mtu)" -eq 1400 ]
		env_of CHECK
		run --separate-stderr in_node timeout 60 "$plugin" <<<"$c"
		deleted
		del "$c"
		deleted
		same "$before" "$pod"
	done
}

@test "deviceOptional: of a pod that has the resource, names a device, or cannot be asked for, it changes nothing" {
	ip -n "$pod" link add net1 type veth peer name x1
	optional='.deviceOptional = true'
	devices mystery
	add "$(behind_veth "$optional"' | .vlan = 5')"
	refused 7 'net1 is not an SR-IOV virtual function'
	add "$(behind_veth "$optional"' | .args.cni.deviceID = "w0"')"
	refused 102 'pod default/p1 has no device w0'
	add "$(asking "$optional")"
	refused 7 "deviceOptional: there is no other plugin's interface to pass on"
	serve_stop
	add "$(behind_veth "$optional"' | .podResourcesTimeoutMs = 100')"
	refused 105 'PodResources'
}

@test "deviceOptional, around plugins: they make the interface of a pod that has no device, and none is passed on" {
	cp "$fake/plugin.sh" "$dir/bin/a"
	before=$(snapshot "$pod")
	pod_has '[{name: "c"}]'
	around=$(asking '.deviceOptional = true | .vlan = 5 | .delegates = [{type: "a", makes: true}]')
	add "$around"
	added
	jq -e '.request | has("deviceID") | not' <(head -n 1 "$dir/leases/calls.log") >/dev/null
	del "$around"
	deleted
	same "$before" "$pod"
	devices socket-7
	add "$(jq -c 'del(.vlan)' <<<"$around")"
	added
	jq -es '[.[] | select(.verb == "ADD")][1].request.deviceID == "socket-7"' "$dir/leases/calls.log" >/dev/null
}

# -- claims --

# claim NAME REQUEST DEVICE ATTRIBUTES [SUBREQUEST] - the driver's metadata file of a claim with one device
claim() {
	local at=$dir/kubelet/plugins/net.example.com/dra-device-metadata/default_$1/$2
	mkdir -p "$at"
	jq -n '{kind: "DeviceMetadata", apiVersion: "metadata.resource.k8s.io/'"${metadata_version:-v1alpha1}"'",
		metadata: {name: "'"$1"'", namespace: "default", uid: "x", generation: 1},
		requests: [{name: "'"$2${5:+/$5}"'", devices: [{driver: "net.example.com", pool: "n", name: "'"$3"'", attributes: '"$4"'}]}]}' \
		>"$at/metadata.json"
}

# claims NAME DEVICE [NAME DEVICE...] - the pod's container has these devices of claims
claims() {
	local list=
	while [ $# -gt 0 ]; do
		list+="{claim_name: \"$1\", claim_namespace: \"default\", claim_resources: [{driver_name: \"net.example.com\",
			pool_name: \"n\", device_name: \"$2\", cdi_devices: [{name: \"net.example.com/metadata=x_$1\"}]}]},"
		shift 2
	done
	pod_has '[{name: "c", dynamic_resources: ['"${list%,}"']}]'
}

id_of() { echo "{\"k8s.cni.cncf.io/deviceID\": {string: \"$1\"}, \"k8s.cni.cncf.io/resourceName\": {string: \"example.com/$2\"}}"; }

@test "C-FND-21, D25: the device of a claim is found by its resource, claim, request, or when it is the only one" {
	claim c1 req d1 "$(id_of v0 vf)"
	claim c2 req2 d2 "$(id_of w0 fast)"
	claim gpu req g1 '{model: {string: "x"}}'
	claims gpu g1 c1 d1 c2 d2
	for want in '.resourceName = "example.com/fast"' '.claim = "c2"' '.request = "req2"' '.claim = "c2" | .request = "req2"' \
		'.resourceName = "c2"' '.args.cni.deviceID = "w0"'; do
		add "$(conf 'del(.device, .ipam) | '"$want")"
		added
		has net1 $w0
		del "$(conf 'del(.device, .ipam)')"
		deleted
	done
	add "$(conf 'del(.device, .ipam)')"
	refused 102 'network devices of claims c1 and c2: say which'
	add "$(conf 'del(.device, .ipam) | .claim = "gpu"')"
	refused 102 'no network device of claim gpu'
	claims gpu g1 c1 d1
	add "$(conf 'del(.device, .ipam)')"
	added
	has net1 $v0
}

@test "metadata of Kubernetes 1.37, v1beta1: podClaimName, and the subrequests of a prioritized list" {
	metadata_version=v1beta1
	claim c1 nic d1 "$(id_of v0 vf)" fast
	claim c2 nic d2 "$(id_of w0 vf)" slow
	claims c1 d1 c2 d2
	file=$dir/kubelet/plugins/net.example.com/dra-device-metadata/default_c2/nic/metadata.json
	jq '.podClaimName = "nics"' "$file" >"$dir/more"
	mv "$dir/more" "$file"
	for want in '.request = "nic/slow"' '.claim = "c2" | .request = "nic"' '.claim = "nics"' '.request = "nic" | .args.cni.deviceID = "w0"'; do
		add "$(conf 'del(.device, .ipam) | '"$want")"
		added
		has net1 $w0
		del "$(conf 'del(.device, .ipam)')"
		deleted
	done
	add "$(conf 'del(.device, .ipam) | .request = "nic/fas"')"
	refused 102 'no network device of claim (any), request nic/fas'
	# a damaged file, and one of a later version, are named
	echo '{"apiVersion": ' >"$dir/kubelet/plugins/net.example.com/dra-device-metadata/default_c1/nic/metadata.json"
	add "$(conf 'del(.device, .ipam) | .claim = "c1"')"
	refused 102 "$dir/kubelet/plugins/net.example.com/dra-device-metadata/default_c1/nic/metadata.json: object 1: not valid JSON"
	metadata_version=v2
	claim c1 nic d1 "$(id_of v0 vf)"
	add "$(conf 'del(.device, .ipam) | .claim = "c1"')"
	refused 102 'got DeviceMetadata of metadata.resource.k8s.io/v2'
}

@test "metadata that a driver writes later is not waited for, and counts when it is there" {
	local at=$dir/kubelet/plugins/net.example.com/dra-device-metadata/default_c1/req/metadata.json
	claim c1 req d1 '{}'
	claims c1 d1
	add "$(conf 'del(.device, .ipam)')"
	refused 102 "claim c1: DRA metadata: driver net.example.com has written no attributes of device 'd1' yet"
	claim c1 req d1 "$(id_of w0 vf)"
	# an object of the generation before, with another device, comes first
	jq '(.requests[0].devices[0].attributes = '"$(id_of v0 vf)"'), (.metadata.generation = 2)' "$at" >"$dir/more"
	cp "$dir/more" "$at"
	add "$(conf 'del(.device, .ipam)')"
	added
	has net1 $w0
}

@test "of one resource the device plugins' devices come before those of claims" {
	claim c1 req d1 "$(id_of v0 vf)"
	claims c1 d1
	jq '.pod_resources[0].containers[0].devices = [{resource_name: "example.com/vf", device_ids: ["w0"]}]' \
		"$dir/pods.json" >"$dir/more"
	mv "$dir/more" "$dir/pods.json"
	add "$(asking)"
	added
	has net1 $w0
	add "$(asking)" "$pod" net2
	added
	has net2 $v0
	add "$(asking)" "$pod" net3
	refused 102 'pod default/p1 has 2 device(s) of example.com/vf and all are attached already'
	del "$(asking)"
	deleted
	del "$(asking)" "$pod" net2
	deleted
	add "$(asking '.claim = "c1"')"		# which says the claim's
	added
	has net1 $v0
}

@test "a claim that was made from a template goes by the name that the pod has for it" {
	claim p1-nics-x7k2p req d1 "$(id_of v0 vf)"
	claims p1-nics-x7k2p d1
	add "$(conf 'del(.device, .ipam) | .claim = "nics"')"
	added
	has net1 $v0
	del "$(conf 'del(.device, .ipam) | .claim = "nics"')"
	# of names that are long together the cluster takes the heads of both
	long=a-deployment-with-a-name-that-is-rather-long-7f9c8d6b5d-x2x4q
	export CNI_ARGS="K8S_POD_NAMESPACE=default;K8S_POD_NAME=$long;K8S_POD_UID=u1"
	claim "${long:0:43}-sriov-networkx7k2p" req d1 "$(id_of w0 vf)"
	claims "${long:0:43}-sriov-networkx7k2p" d1
	sed -i "s/\"p1\"/\"$long\"/" "$dir/pods.json"
	add "$(conf 'del(.device, .ipam) | .claim = "sriov-network-of-the-pod"')"
	added
	has net1 $w0
}

@test "D23: a claim's device that another attachment has: who, and what to request" {
	claim c1 req d1 "$(id_of v0 vf)"
	claims c1 d1
	add "$(conf 'del(.device, .ipam) | .claim = "c1"')"
	added
	add "$(conf 'del(.device, .ipam) | .claim = "c1"')" "$pod" net2
	refused 102 'request 2 in the claim'
	refused 102 'net1 has v0'
	refused 102 'from PodResources Get'
}

@test "the example of a claim works as it is" {
	claim p1-nics-x7k2p vf d1 "$(id_of v0 vf)"
	claims p1-nics-x7k2p d1
	c=$(jq -c '{cniVersion, name} + .plugins[0] | .ipam.dataDir = "'"$dir/ipam"'"' "$top/conf/examples/claim.conflist")
	add "$c"
	added
	has net1 $v0
	del "$c"
	deleted
}

# -- devinfoctl resolve --

resolve() { run --separate-stderr in_node timeout 20 "$ctl" resolve --pod default/p1 "$@"; }

@test "C-FND-23: devinfoctl resolve says what would be chosen, from which source, and why" {
	devices v0 w0 mystery
	resolve --resource example.com/vf
	[ "$status" -eq 0 ]
	grep -Eq '^mystery +example.com/vf +nothing known here +free$' <<<"$output"
	grep -Eq '^v0 +example.com/vf +network device +free$' <<<"$output"
	grep -q '^choice for a new attachment: mystery (given to no other attachment of the pod before)$' <<<"$output"
	grep -q '^from PodResources Get$' <<<"$output"
	devices v0 w0
	add "$(asking)" "$pod" net1
	resolve --resource example.com/vf
	grep -Eq "^v0 .* network device +attached to net1 of container $pod, network net$" <<<"$output"
	grep -q '^choice for a new attachment: w0 ' <<<"$output"
	resolve --resource example.com/vf --json
	[ "$(jq -c 'map([.device, .kind, .state, .owner.interface, .chosen])' <<<"$output")" = \
		'[["v0","network device","attached","net1",false],["w0","network device","free",null,true]]' ]
	# a recorded node's answer has the same members
	[ "$(jq -c '.[1] | keys' <<<"$output")" = "$(jq -c '.[0] | keys' "$BATS_TEST_DIRNAME/../node/expected/crash/resolve.json")" ]
	said=$output
	run --separate-stderr in_node "$ctl" resolve default/p1 --resource example.com/vf --output json
	[ "$output" = "$said" ]
	del "$(asking)" "$pod" net1
	resolve --resource example.com/vf --network net --interface net1
	grep -Eq "^v0 .* free, was given to net1 of network net$" <<<"$output"
	grep -q '^choice for net1: v0 (given to this attachment before)$' <<<"$output"
	[ "$(find "$dir/state/pods" -type f ! -name .swept | wc -l)" -eq 1 ]
}

@test "devinfoctl resolve: a pod without such a device, one that is unknown, a wrong question" {
	devices v0
	resolve --resource example.com/none
	[ "$status" -eq 1 ]
	[[ $stderr == *'no device of resource example.com/none'* ]]
	run --separate-stderr in_node "$ctl" resolve --pod default/nobody --resource example.com/vf
	[ "$status" -eq 1 ]
	[[ $stderr == *nobody* ]]
	for pod in p1 default/ /p1 a/b/c ..; do
		run --separate-stderr "$ctl" resolve --pod "$pod"
		[ "$status" -eq 2 ]
	done
	run --separate-stderr "$ctl" list --pod default/p1
	[ "$status" -eq 2 ]
}

@test "devinfoctl resolve does not wait for a kubelet that is not there, and says whom it waits for" {
	devices v0
	serve_stop
	began=$(date +%s%N)
	resolve
	[ "$status" -eq 1 ]
	[[ $stderr == *kubelet.sock* ]]
	[ $((($(date +%s%N) - began) / 1000000)) -lt 900 ]
	[[ $stderr != *waiting* ]]
	resolve --timeout 1400
	[ "$status" -eq 1 ]
	[ "$(head -n 1 <<<"$stderr")" = 'devinfoctl: waiting for kubelet...' ]
}

@test "GC forgets pods that have had no attachment for a day, and no others" {
	devices v0 w0
	add "$(asking)" "$pod" net1
	jq '.pod_resources += [.pod_resources[0] | .name = "p2"]' "$dir/pods.json" >"$dir/two"
	mv "$dir/two" "$dir/pods.json"
	CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p2;K8S_POD_UID=u2" add "$(asking)" "$pod" net2
	added
	[ "$(find "$dir/state/pods" -type f ! -name .swept | wc -l)" -eq 2 ]
	gc() {
		env_of GC
		run --separate-stderr in_node timeout 60 "$plugin" \
			<<<"$(asking '.cniVersion = "1.1.0" | .["cni.dev/valid-attachments"] = []')"
		deleted
	}
	del "$(asking)" "$pod" net2
	gc
	[ "$(find "$dir/state/pods" -type f ! -name .swept | wc -l)" -eq 2 ]
	touch -d '25 hours ago' "$dir"/state/pods/*
	gc
	[ "$(find "$dir/state/pods" -type f ! -name .swept | wc -l)" -eq 1 ]
	resolve --resource example.com/vf
	grep -q "^v0 .* attached to net1" <<<"$output"
}
