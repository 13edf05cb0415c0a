#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# dra_select.bats - which devices a claim would get; no privilege needed
#
# The files in dra/ are the examples of Kubernetes' document, with its results.
#
# rooms: manager/dra manager/cel manager/number

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	node=$BATS_TEST_TMPDIR/node
	mkdir "$node"
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{}" >"$DEVINFO_CONF"
	cd "$top/tests/cli/dra" || return
}

# select_in OPERAND... - the answer of the node; stdout in $output, stderr in $stderr
select_in() {
	run --separate-stderr "$ctl" --root "$node" dra select "$@"
}

# answer FILTER OPERAND... - what jq says of its JSON
answer() {
	"$ctl" --root "$node" dra select --json "${@:2}" | jq -rc "$1"
}

# results OPERAND... - what is taken: "request=device request=device"
results() {
	answer '.claims[].status.allocation.devices.results[]? | "\(.request)=\(.device)"' "$@" | paste -sd' '
}

# claim_of_cats NAME [MEMBERS] - a claim in a file of this name, what its request has beside the class
claim_of_cats() {
	cat >"$BATS_TEST_TMPDIR/$1" <<-END
		{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "cat", "namespace": "pets"},
		 "spec": {"devices": {"requests": [
			{"name": "req-0", "exactly": {"deviceClassName": "resource.example.com" ${2-}}}]}}}
	END
}

# allocated DEVICE - a claim in old.json that has this small white cat already
allocated() {
	cat >"$BATS_TEST_TMPDIR/old.json" <<-END
		{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "old", "namespace": "x"},
		 "status": {"allocation": {"devices": {"results": [{"request": "r", "driver": "resource-driver.example.com",
		 "pool": "white-cat-pool", "device": "$1"}]}}}}
	END
}

@test "a Pod in the files of its claims is passed over in silence" {
	claim_of_cats cat.json
	echo '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "a", "image": "x"}],
		"resourceClaims": [{"name": "cat", "resourceClaimName": "cat"}]}}' >"$BATS_TEST_TMPDIR/pod.json"
	select_in cat-slice.yaml cat-class.yaml "$BATS_TEST_TMPDIR"/{cat,pod}.json
	[ "$status" -eq 0 ]
	[[ ${lines[1]} == taken* ]]
	[[ $stderr != *Pod* ]] || { echo "$stderr" && return 1; }
}

@test "a class or claim of another group, and a slice, is passed over, and that is told" {
	local kind text

	claim_of_cats cat.json
	for kind in DeviceClass ResourceClaim ResourceSlice; do
		text="{'apiVersion': 'foo.example.com/v1', 'kind': '$kind', 'metadata': {'name': 'resource.example.com'}, 'spec': {'a': 1}}"
		echo "${text//\'/\"}" >"$BATS_TEST_TMPDIR/other.json"
		select_in "$BATS_TEST_TMPDIR/other.json" cat-slice.yaml cat-class.yaml "$BATS_TEST_TMPDIR/cat.json"
		[ "$status" -eq 0 ]
		[[ ${lines[1]} == "taken "*large-black-cat* ]]
		[ "${#lines[@]}" -eq 2 ]
		[[ $stderr == *"other.json: the $kind 'resource.example.com' is passed over: it is of foo.example.com/v1, and not of resource.k8s.io"* ]]
	done
	select_in --slices "$BATS_TEST_TMPDIR/other.json" cat-class.yaml "$BATS_TEST_TMPDIR/cat.json"
	[ "$status" -eq 1 ]
	[[ $stderr == *"the ResourceSlice 'resource.example.com' is passed over"* ]]
}

@test "D10, D13: the class selects the device of cat-slice, and what the API would refuse is told" {
	claim_of_cats cat.json
	select_in cat-slice.yaml cat-class.yaml "$BATS_TEST_TMPDIR/cat.json"
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == RESULT*CLAIM*REQUEST*DEVICE*DRIVER*POOL*WHY ]]
	read -r -a row <<<"${lines[1]}"
	[ "${row[*]}" = "taken pets/cat req-0 large-black-cat resource-driver.example.com black-cat-pool -" ]
	[ "${#lines[@]}" -eq 2 ]
	[[ $stderr == *"ResourceSlice cat-slice of cat-slice.yaml: the API server refuses it: "*"attributes[cat]"* ]]
}

@test "D32: all devices for an administrator: only in a namespace with the label, which cannot be seen" {
	[ "$(results cat-slice.yaml cat-class.yaml admin-template.yaml)" = req-0=large-black-cat ]
	[ "$(answer '.claims[0].status.allocation.devices.results[0].adminAccess' \
		cat-slice.yaml cat-class.yaml admin-template.yaml)" = true ]
	select_in cat-slice.yaml cat-class.yaml admin-template.yaml
	[ "$status" -eq 0 ]
	[[ $stderr == *"resource.kubernetes.io/admin-access"* ]]
}

@test "D32, D40: an administrator gets what others have, but tolerates taints like anybody" {
	allocated small-white-cat-1
	[ "$(results white-cats.yaml cat-class.yaml admin-template.yaml "$BATS_TEST_TMPDIR/old.json")" = \
		"req-0=small-white-cat-1 req-0=small-white-cat-2" ]
	select_in prioritized-template.yaml white-cats.yaml cat-class.yaml "$BATS_TEST_TMPDIR/old.json"
	[ "$status" -eq 1 ]
	[[ $output == *"it is allocated to claim x/old"* ]]
	sed 's/^    - name: small-white-cat-1/&\n      taints: [{key: k, effect: NoSchedule}]/' white-cats.yaml \
		>"$BATS_TEST_TMPDIR/tainted.yaml"
	select_in "$BATS_TEST_TMPDIR/tainted.yaml" cat-class.yaml admin-template.yaml
	[ "$status" -eq 1 ]
	[[ $output == *"taint k:NoSchedule is not tolerated"* ]]
}

@test "D15, D33: of the prioritized list the large black cat is taken where there is one" {
	[ "$(results prioritized-template.yaml cat-slice.yaml white-cats.yaml cat-class.yaml)" = \
		req-0/large-black=large-black-cat ]
}

@test "D33, D34: without it two small white ones, for the count is small-white's" {
	[ "$(results prioritized-template.yaml white-cats.yaml cat-class.yaml)" = \
		"req-0/small-white=small-white-cat-1 req-0/small-white=small-white-cat-2" ]
}

@test "D33: where there is neither, the claim cannot be satisfied, and each is told" {
	grep -v 'small-white-cat-2' white-cats.yaml | sed '/\*small-white/d' >"$BATS_TEST_TMPDIR/one.yaml"
	select_in prioritized-template.yaml "$BATS_TEST_TMPDIR/one.yaml" cat-class.yaml
	[ "$status" -eq 1 ]
	[[ $output == *"claim prioritized-list-claim-template of prioritized-template.yaml cannot be satisfied: request req-0: large-black 0 of 1 devices, small-white 1 of 2 devices"* ]]
	[[ $output == *"DeviceClass resource.example.com: selectors[0] is false"* ]]
	[[ $output == *"request req-0/large-black: selectors[0] is false"* ]]
}

@test "D36: of two devices with 6Gi each of 8Gi only one can be had at a time" {
	[ "$(results partition-slice.yaml partition-claim.yaml)" = gpu=device-1 ]
	select_in partition-slice.yaml partition-claim.yaml partition-another.yaml
	[ "$status" -eq 1 ]
	[[ $output == *"not enough is left of counter set gpu-1-counters"* ]]
	[[ $output == *"claim default/one of partition-claim.yaml#2 cannot be satisfied: all claims are allocated together, and default/another cannot be"* ]]
	[[ $output == *"claim default/another of partition-another.yaml cannot be satisfied: request gpu: 0 of 1 devices"* ]]
}

@test "D14: the answer is an allocation as the API has it, of this node" {
	[ "$(answer '.claims[0].status.allocation' partition-slice.yaml partition-claim.yaml)" = \
		'{"devices":{"results":[{"device":"device-1","driver":"dra.example.com","pool":"pool","request":"gpu"}]},"nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["worker-1"]}]}]}}' ]
	[ "$(answer '.claims[0].status.allocation | keys' prioritized-template.yaml white-cats.yaml cat-class.yaml)" = \
		'["devices"]' ]	# which are on all nodes
}

@test "D14: configuration of the class and of the claim is in the allocation" {
	jq '.spec.devices.config = [{"requests": ["req-0"], "opaque": {"driver": "d", "parameters": {"a": 1}}}]' \
		<(claim_of_cats cat.json; cat "$BATS_TEST_TMPDIR/cat.json") >"$BATS_TEST_TMPDIR/with.json"
	sed 's/^  selectors:/  config: [{opaque: {driver: d, parameters: {b: 2}}}]\n&/' cat-class.yaml >"$BATS_TEST_TMPDIR/class.yaml"
	[ "$(answer '.claims[0].status.allocation.devices.config | map([.source, .opaque.parameters])' \
		cat-slice.yaml "$BATS_TEST_TMPDIR/class.yaml" "$BATS_TEST_TMPDIR/with.json")" = \
		'[["FromClass",{"b":2}],["FromClaim",{"a":1}]]' ]
}

@test "--slices is read in place of the node's own devices; of several nodes one has to be said" {
	[ "$(results --slices white-cats.yaml prioritized-template.yaml cat-class.yaml)" = \
		"req-0/small-white=small-white-cat-1 req-0/small-white=small-white-cat-2" ]
	{ cat partition-slice.yaml && echo --- && sed 's/worker-1/worker-2/; s/name: pool/name: pool2/' partition-slice.yaml; } \
		>"$BATS_TEST_TMPDIR/two.yaml"
	select_in --slices "$BATS_TEST_TMPDIR/two.yaml" partition-claim.yaml
	[ "$status" -eq 2 ]
	[[ $stderr == *"ResourceSlices of several nodes, worker-1 and worker-2: say which by --node-name"* ]]
	[ "$(answer '.claims[0].status.allocation.devices.results[0].pool' --slices "$BATS_TEST_TMPDIR/two.yaml" \
		--node-name worker-2 partition-claim.yaml)" = pool2 ]
}

@test "the node's own devices are selected, and not those that pods have" {
	rmdir "$node"
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$node"
	[ "$(results --node-name n vf-claim.yaml)" = r=0000-01-10-0 ]
	jq -n '{"allocations": [{"pod_namespace": "default", "pod_name": "p1", "container": "c", "resource": "claim default/x",
		"id": "0000:01:10.0", "driver": "devinfo.cni.dev", "pool": "n"}]}' >"$node/devinfo-node.json"
	[ "$(results --node-name n vf-claim.yaml)" = r=0000-01-10-2 ]
	select_in --why --node-name n vf-claim.yaml
	[[ $output == *"left"*"0000-01-10-0"*"it is allocated to pod default/p1"* ]]
	echo '--- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: d}, spec: {devices: {requests: [
		{name: r, exactly: {deviceClassName: vf, count: 2}}], constraints: [{matchAttribute: devinfo.cni.dev/driver}]}}}' \
		>"$BATS_TEST_TMPDIR/two.yaml"
	rm "$node/devinfo-node.json"
	sed '/^---/,$d' vf-claim.yaml >"$BATS_TEST_TMPDIR/class.yaml"
	select_in --node-name n "$BATS_TEST_TMPDIR/class.yaml" "$BATS_TEST_TMPDIR/two.yaml"
	[ "$status" -eq 1 ]
	[[ $output == *"0000-01-10-2"*"its attribute devinfo.cni.dev/driver is not device 0000-01-10-0's"* ]]
}

@test "D13, D49: with --pool the node's own devices are of the classes that export prints of its pools" {
	rmdir "$node"
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$node"
	jq -n '{resourceList: [{resourceName: "vfs", resourcePrefix: "example.com", selectors: {drivers: ["igbvf"]}}]}' \
		>"$BATS_TEST_TMPDIR/pools.json"
	"$ctl" --root "$node" export deviceclass --pool "$BATS_TEST_TMPDIR/pools.json" >"$BATS_TEST_TMPDIR/class.json"
	class=$(jq -r '.items[].metadata.name' "$BATS_TEST_TMPDIR/class.json")
	jq -n --arg class "$class" '{apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata: {name: "c", namespace: "x"},
		spec: {devices: {requests: [{name: "r", exactly: {deviceClassName: $class}}]}}}' >"$BATS_TEST_TMPDIR/claim.json"
	[ "$(results --node-name n --pool "$BATS_TEST_TMPDIR/pools.json" "$BATS_TEST_TMPDIR/class.json" "$BATS_TEST_TMPDIR/claim.json")" = \
		r=0000-01-10-0 ]
	select_in --node-name n --pool "$BATS_TEST_TMPDIR/none.json" "$BATS_TEST_TMPDIR/class.json" "$BATS_TEST_TMPDIR/claim.json"
	[ "$status" -eq 2 ]
	[[ $stderr == *none.json* ]]
	# and --why tells where the attribute is from
	run --separate-stderr "$ctl" --root "$node" scan --why --node-name n --pool "$BATS_TEST_TMPDIR/pools.json"
	[[ $output == *"0000-01-10-0  attribute  k8s.cni.cncf.io/resourceName"*"example.com/vfs"* ]]
}

@test "K53: a patch changes an attribute, and then a selector selects the devices that it changed" {
	claim_of_cats cat.json ', "selectors": [{"cel": {"expression":
		"device.attributes[\"resource-driver.example.com\"].color == \"ginger\""}}]'
	select_in white-cats.yaml cat-class.yaml "$BATS_TEST_TMPDIR/cat.json"
	[ "$status" -eq 1 ]
	cat >"$BATS_TEST_TMPDIR/patch.yaml" <<-END
		---
		{apiVersion: resource.k8s.io/v1alpha3, kind: ResourceSlicePatch, metadata: {name: p}, spec: {devices: {
		filter: {device: small-white-cat-2}, attributes: {resource-driver.example.com/color: {string: ginger}}}}}
	END
	[ "$(results white-cats.yaml cat-class.yaml "$BATS_TEST_TMPDIR/cat.json" "$BATS_TEST_TMPDIR/patch.yaml")" = \
		req-0=small-white-cat-2 ]
	[ "$(results --overrides "$BATS_TEST_TMPDIR/patch.yaml" white-cats.yaml cat-class.yaml "$BATS_TEST_TMPDIR/cat.json")" = \
		req-0=small-white-cat-2 ]
	mkdir -p "$node/etc/cni/net.d/devinfo.d/overrides"
	cp "$BATS_TEST_TMPDIR/patch.yaml" "$node/etc/cni/net.d/devinfo.d/overrides/"
	[ "$(results white-cats.yaml cat-class.yaml "$BATS_TEST_TMPDIR/cat.json")" = req-0=small-white-cat-2 ]
}

@test "K50: what a pod has stays its own, whatever a patch says of the device" {
	rmdir "$node"
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$node"
	jq -n '{"allocations": [{"pod_namespace": "default", "pod_name": "p1", "container": "c",
		"resource": "intel.com/vf", "id": "0000:01:10.0"}]}' >"$node/devinfo-node.json"
	mkdir -p "$node/etc/cni/net.d/devinfo.d/overrides"
	cat >"$node/etc/cni/net.d/devinfo.d/overrides/patch.yaml" <<-END
		---
		{apiVersion: resource.k8s.io/v1alpha3, kind: ResourceSlicePatch, metadata: {name: p}, spec: {devices: {attributes: {
		resource.kubernetes.io/pciBusID: {"null": {}}, k8s.cni.cncf.io/deviceID: {"null": {}}}}}}
	END
	[ "$(results --node-name n vf-claim.yaml)" = r=0000-01-10-2 ]
}

@test "D46, D47: the document's rule taints all devices of its driver while it is there, and no other's" {
	claim_of_cats cat.json
	for kind in white-cats cat-class; do
		sed 's/resource-driver\.example\.com/dra.example.com/' $kind.yaml >"$BATS_TEST_TMPDIR/$kind.yaml"
	done
	of_driver=("$BATS_TEST_TMPDIR/white-cats.yaml" "$BATS_TEST_TMPDIR/cat-class.yaml" "$BATS_TEST_TMPDIR/cat.json")
	[ "$(results "${of_driver[@]}")" = req-0=small-white-cat-1 ]
	select_in "${of_driver[@]}" taint-rule.yaml
	[ "$status" -eq 1 ]
	[[ -z $stderr || $stderr != *"not applied"* ]]
	[ "$(grep -c 'taint dra.example.com/unhealthy=Broken:NoExecute is not tolerated' <<<"$output")" -eq 2 ]
	[ "$(results white-cats.yaml cat-class.yaml "$BATS_TEST_TMPDIR/cat.json" taint-rule.yaml)" = req-0=small-white-cat-1 ]
	claim_of_cats cat.json ', "tolerations": [{"key": "dra.example.com/unhealthy", "operator": "Exists"}]'
	[ "$(results "${of_driver[@]}" taint-rule.yaml)" = req-0=small-white-cat-1 ]
}

@test "K47: where the node turns overrides off, those among the files do not count either" {
	claim_of_cats cat.json
	echo '{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceTaintRule", "metadata": {"name": "t"}, "spec": {"deviceSelector":
		{"driver": "resource-driver.example.com"}, "taint": {"key": "a.b/c", "value": "Broken", "effect": "NoExecute"}}}' \
		>"$BATS_TEST_TMPDIR/rule.json"
	select_in white-cats.yaml cat-class.yaml "$BATS_TEST_TMPDIR/cat.json" "$BATS_TEST_TMPDIR/rule.json"
	[ "$status" -eq 1 ]
	[[ $output == *"small-white-cat-1"*"taint a.b/c=Broken:NoExecute is not tolerated"* ]]
	echo '{"overrides": false}' >"$DEVINFO_CONF"
	[ "$(results white-cats.yaml cat-class.yaml "$BATS_TEST_TMPDIR/cat.json" "$BATS_TEST_TMPDIR/rule.json")" = \
		req-0=small-white-cat-1 ]
}

@test "standard input is a file, and --why shows each selector with its terms" {
	run --separate-stderr "$ctl" --root "$node" dra select --why - white-cats.yaml cat-class.yaml <prioritized-template.yaml
	[ "$status" -eq 0 ]
	[[ $output == *"request req-0/large-black: device small-white-cat-1 of pool white-cat-pool of driver resource-driver.example.com"* ]]
	[[ $output == *"  DeviceClass resource.example.com: selectors[0]"* ]]
	[[ $output == *"false  "*'.color == "black" && device.attributes'* ]]
	[[ $output == *"left"*"mouse"* ]]
}

@test "slices that have no device of this node are told" {
	select_in --slices partition-slice.yaml --node-name another partition-claim.yaml
	[ "$status" -eq 1 ]
	[[ $stderr == *"no ResourceSlice has a device of this node"* ]]
	echo '{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r"}]}}}' >"$BATS_TEST_TMPDIR/faulty.json"
	select_in "$BATS_TEST_TMPDIR/faulty.json" --node-name n1
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == "no request was tried" ]]
}

@test "--why does not tell without end what a claim has evaluated" {
	jq -n '"[1,2,3,4,5,6,7,8].all(x, [1,2,3,4,5,6,7,8].all(y, [1,2,3,4,5,6,7,8].all(z, x + y + z > 0)))" as $e |
		{apiVersion: "v1", kind: "List", items: [
		{apiVersion: "resource.k8s.io/v1", kind: "DeviceClass", metadata: {name: "any"}, spec: {}},
		{apiVersion: "resource.k8s.io/v1", kind: "ResourceSlice", metadata: {name: "s"}, spec: {driver: "d.example",
		 allNodes: true, pool: {name: "p", generation: 1, resourceSliceCount: 1}, devices: [range(64) | {name: "d\(.)"}]}},
		{apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata: {name: "c"}, spec: {devices: {requests: [
		 {name: "r", exactly: {deviceClassName: "any", selectors: [range(32) | {cel: {expression: $e}}]}}]}}}]}' \
		>"$BATS_TEST_TMPDIR/much.json"
	"$ctl" --root "$node" dra select --why --json "$BATS_TEST_TMPDIR/much.json" >"$BATS_TEST_TMPDIR/answer"
	[ "$(wc -c <"$BATS_TEST_TMPDIR/answer")" -lt 60000000 ]
	[ "$(jq -c '[.claims[0].satisfied, .notes[0]]' "$BATS_TEST_TMPDIR/answer")" = \
		'[true,"--why does not show all that was evaluated: the limit is reached"]' ]
}

@test "more devices for more requests than an answer can list are refused" {
	jq -n '{apiVersion: "v1", kind: "List", items: ([
		{apiVersion: "resource.k8s.io/v1", kind: "DeviceClass", metadata: {name: "any"}, spec: {}},
		{apiVersion: "resource.k8s.io/v1", kind: "ResourceSlice", metadata: {name: "s"}, spec: {driver: "d.example",
		 allNodes: true, pool: {name: "p", generation: 1, resourceSliceCount: 1}, devices: [range(128) | {name: "d\(.)"}]}}] +
		[range(64) | {apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata: {name: "c\(.)"}, spec: {devices: {
		 requests: [range(32) | {name: "r\(.)", exactly: {deviceClassName: "any", adminAccess: true}}]}}}])}' \
		>"$BATS_TEST_TMPDIR/many.json"
	select_in "$BATS_TEST_TMPDIR/many.json"
	[ "$status" -eq 2 ]
	[[ $stderr == *"too many devices for so many requests"* ]]
}

@test "no byte of a claim is a command to a terminal, in JSON neither" {
	jq -n '{apiVersion: "v1\u007f\u001b\u009b", kind: "ResourceClaim", metadata: {name: "c"}, spec: {}}' >"$BATS_TEST_TMPDIR/odd.json"
	run "$ctl" --root "$node" dra select --node-name n1 --json "$BATS_TEST_TMPDIR/odd.json"
	[[ $output == *'v1\u007f\u001B\u009B'* ]]
	[ "$(LC_ALL=C tr -d '[:print:]\n' <<<"$output" | wc -c)" -eq 0 ]
}

@test "what is no manifest, and what has no claim, is a wrong question" {
	select_in cat-class.yaml
	[ "$status" -eq 2 ]
	[[ $stderr == *"dra select has no ResourceClaim or ResourceClaimTemplate among its files"* ]]
	echo '{"kind":' >"$BATS_TEST_TMPDIR/bad.json"
	select_in "$BATS_TEST_TMPDIR/bad.json"
	[ "$status" -eq 2 ]
	[[ $stderr == *bad.json* ]]
	run --separate-stderr "$ctl" dra choose x
	[ "$status" -eq 2 ]
	[[ $stderr == "devinfoctl: unknown command 'dra choose'"* ]]
}

# -- what a version is known to decide otherwise --

# tainted - a pool in shared.json whose first device is tainted, and takes all that its second needs
tainted() {
	cat >"$BATS_TEST_TMPDIR/shared.json" <<-'END'
		{"apiVersion": "v1", "kind": "List", "items": [
		 {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "a"}, "spec": {"driver":
		  "d.example.com", "nodeName": "n", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 2},
		  "sharedCounters": [{"name": "card", "counters": {"functions": {"value": "2"}}}]}},
		 {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "b"}, "spec": {"driver":
		  "d.example.com", "nodeName": "n", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 2}, "devices": [
		  {"name": "pf", "taints": [{"key": "failed", "effect": "NoSchedule"}],
		   "consumesCounters": [{"counterSet": "card", "counters": {"functions": {"value": "2"}}}]},
		  {"name": "vf", "consumesCounters": [{"counterSet": "card", "counters": {"functions": {"value": "1"}}}]}]}},
		 {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "resource.example.com"}, "spec": {}}]}
	END
	claim_of_cats cat.json
}

@test "--kubernetes: the answer of the version, the fault by its name, and what would be right" {
	tainted
	select_in --kubernetes v1.36.2 "$BATS_TEST_TMPDIR"/{shared,cat}.json
	[ "$status" -eq 1 ]
	[[ $output == *"claim pets/cat of "*" cannot be satisfied: request req-0: 0 of 1 devices"* ]]
	[[ $stderr == *"decides by a fault: counters of a device that is refused"*"(kubernetes#140436)"* ]]
	[[ $stderr == *"without that fault it would be claim pets/cat req-0=p/vf"* ]]
	[ "$(answer '.otherwise.claims[0].status.allocation.devices.results[0].device' --kubernetes 1.36 \
		"$BATS_TEST_TMPDIR"/{shared,cat}.json)" = vf ]
	[ "$(results --kubernetes 1.37 "$BATS_TEST_TMPDIR"/{shared,cat}.json)" = req-0=vf ]
}

@test "--kubernetes: without it the answer is right, and that a version decides otherwise is told" {
	tainted
	select_in "$BATS_TEST_TMPDIR"/{shared,cat}.json
	[ "$status" -eq 0 ]
	[[ ${lines[1]} == taken*vf* ]]
	[[ $stderr == *"Kubernetes 1.36 decides otherwise, see --kubernetes 1.36: counters"* ]]
}

@test "--kubernetes: DeviceTaintRules of v1beta2 are not seen by 1.36, and rules of v1alpha3 are" {
	claim_of_cats cat.json
	for api in v1alpha3 v1beta2; do
		cat >"$BATS_TEST_TMPDIR/$api.json" <<-END
			{"apiVersion": "resource.k8s.io/$api", "kind": "DeviceTaintRule", "metadata": {"name": "all"},
			 "spec": {"deviceSelector": {}, "taint": {"key": "bad", "effect": "NoExecute"}}}
		END
	done
	[ "$(results --kubernetes 1.36 cat-slice.yaml cat-class.yaml "$BATS_TEST_TMPDIR"/{cat,v1beta2}.json)" = \
		req-0=large-black-cat ]
	select_in --kubernetes 1.36 cat-slice.yaml cat-class.yaml "$BATS_TEST_TMPDIR"/{cat,v1beta2}.json
	[[ $stderr == *"decides by a fault: DeviceTaintRules of v1beta2 are not seen"* ]]
	[[ $stderr == *"it would be claim pets/cat without any device"* ]]
	[ "$(results --kubernetes 1.36 cat-slice.yaml cat-class.yaml "$BATS_TEST_TMPDIR"/{cat,v1alpha3}.json)" = "" ]
	[ "$(results cat-slice.yaml cat-class.yaml "$BATS_TEST_TMPDIR"/{cat,v1beta2}.json)" = "" ]
}

@test "--kubernetes: a version that is none is a mistake of the command line" {
	claim_of_cats cat.json
	select_in --kubernetes 2.0 cat-slice.yaml cat-class.yaml "$BATS_TEST_TMPDIR/cat.json"
	[ "$status" -eq 2 ]
	[[ $stderr == *"--kubernetes cannot be '2.0'"* ]]
}
