#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# dra_lint.bats - devinfoctl dra lint: what the API server would say of objects; no privilege needed
#
# What it says of each member is in test_lint, and what the API server did say of 90 documents in
# test_lint_upstream.
#
# rooms: manager/dra devinfo/manifest

load devinfoctl

setup() {
	ctl_up
}

lint() {
	run --separate-stderr "$ctl" dra lint "$@"
}

# claim MEMBERS: of its one request
claim() {
	printf 'apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: nics}\nspec:\n  devices:\n    requests:\n    - name: nic\n      exactly: {deviceClassName: vf%s}\n' "$1"
}

@test "what the API server takes is ok, a line for each object, and status 0" {
	{
		claim ''
		printf -- '---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: vf}\nspec: {}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\n'
	} >good.yaml
	lint good.yaml
	[ "$status" -eq 0 ]
	says 'good.yaml#1: ResourceClaim nics: ok (ResourceClaim)' 'good.yaml#2: DeviceClass vf: ok (DeviceClass)'
	# shellcheck disable=SC2154
	[ -z "$stderr" ]
}

@test "what an earlier version does not have is refused, and what it drops is warned of" {
	claim ', tolerations: [{operator: Exists}]' >claim.yaml
	lint --kubernetes 1.33 claim.yaml
	[ "$status" -eq 1 ]
	says 'claim.yaml: ResourceClaim nics: error: apiVersion: Kubernetes 1.33 has no ResourceClaim of resource.k8s.io/v1: it came with 1.34'
	lint --kubernetes v1.35.2 claim.yaml
	[ "$status" -eq 0 ]
	says 'claim.yaml: ResourceClaim nics: warning: tolerations: Kubernetes 1.35 drops it, unless its administrator has turned DRADeviceTaints on' \
		'claim.yaml: ResourceClaim nics: ok (ResourceClaim, 1 warning)'
	lint --kubernetes 1.36 claim.yaml
	says 'claim.yaml: ResourceClaim nics: ok (ResourceClaim)'
	lint --kubernetes 1.30 claim.yaml
	[ "$status" -eq 2 ]
	[[ $stderr == *"--kubernetes cannot be '1.30': expected 1.32 or later"* ]]
}

@test "all that export prints is ok, for each version of a cluster" {
	for node in switchdev vdpa-pods crash vfio igb-pods plain; do
		"$top/tests/node/make-node.sh" "$top/tests/node/fleet/$node.node" "$node"
		for version in 1.32 1.33 1.34 1.36; do
			"$ctl" --root "$node" export resourceslice --node-name n1 --kubernetes "$version" >slices.json 2>/dev/null
			"$ctl" export deviceclass --kubernetes "$version" --pool "$top/tests/node/expected/config.json" >classes.json 2>/dev/null
			lint --kubernetes "$version" slices.json classes.json
			[ "$status" -eq 0 ]
			run ! grep -v ': ok (' <<<"$output"
		done
	done
}

@test "what it refuses is an error with its place, what only has no effect a warning" {
	claim ', deviceClass: vf' >member.yaml
	claim ', count: -1' >count.yaml
	claim ', count: 2147483648' >many.yaml
	lint member.yaml count.yaml many.yaml
	[ "$status" -eq 1 ]
	says 'member.yaml: ResourceClaim nics: error: spec.devices.requests[0].exactly.deviceClass: Kubernetes 1.36 has no such member' \
		'count.yaml: ResourceClaim nics: error: spec.devices: requests[0]: count: expected more than 0' \
		'many.yaml: ResourceClaim nics: warning: request nic: no claim gets more than 32 devices, so it is never satisfied' \
		'many.yaml: ResourceClaim nics: ok (ResourceClaim, 1 warning)'
	lint many.yaml
	[ "$status" -eq 0 ]
}

@test "the Namespace of a claim with adminAccess may be in another file" {
	claim ', adminAccess: true' >claim.yaml
	lint claim.yaml
	[ "$status" -eq 0 ]
	[[ $output == *"warning: request nic: adminAccess: taken only in a namespace with the label resource.kubernetes.io/admin-access=true, and the Namespace is not among the files"* ]]
	printf 'apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n' >namespace.yaml
	lint claim.yaml namespace.yaml
	[ "$status" -eq 1 ]
	[[ $output == *"error: request nic: adminAccess: it is taken only in a namespace with the label resource.kubernetes.io/admin-access=true"* ]]
}

@test "a file that cannot be read or parsed is an error, and the others are looked at" {
	claim '' >good.yaml
	echo '{' >torn.json
	echo 'kind: Pod' >pod.yaml
	lint torn.json missing.yaml pod.yaml good.yaml
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == "torn.json: error: "* ]]
	[[ ${lines[1]} == "missing.yaml: error: "* ]]
	[ "${lines[2]}" = "pod.yaml: warning: nothing of resource.k8s.io is in it" ]
	[ "${lines[4]}" = "good.yaml: ResourceClaim nics: ok (ResourceClaim)" ]
}

@test "--json is a list of objects with their problems; '-' is standard input" {
	claim ', count: -1' >count.yaml
	run --separate-stderr "$ctl" dra lint --json - <count.yaml
	[ "$status" -eq 1 ]
	[ "$(jq -c 'map([.file, .object, .kind, .ok, (.problems | map([.level, .text]))])' <<<"$output")" = \
		'[["standard input","ResourceClaim nics","ResourceClaim",false,[["error","spec.devices: requests[0]: count: expected more than 0"]]]]' ]
}

@test "dra select says which of its objects the API server refuses, and selects all the same" {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/switchdev.node" node
	{
		claim '' | sed 's/{name: nics}/{name: nics, label: {}}/'
		printf -- '---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: vf}\nspec: {}\n'
	} >claim.yaml
	run --separate-stderr "$ctl" --root node dra select --node-name n1 claim.yaml
	[ "$status" -eq 0 ]
	[[ $output == *taken* ]]
	[[ $stderr == *"ResourceClaim nics of claim.yaml#1: the API server refuses it: metadata.label: Kubernetes 1.36 has no such member, did you mean labels?"* ]]
	run --separate-stderr "$ctl" --root node dra select --json --node-name n1 claim.yaml
	[ "$(jq '[.notes[] | select(contains("refuses it"))] | length' <<<"$output")" -eq 1 ]
}

@test "dra select says once why the API server refuses a slice, wherever the slice is from" {
	cat >slice.yaml <<-'END'
		apiVersion: resource.k8s.io/v1
		kind: ResourceSlice
		metadata: {name: s}
		spec:
		  {driver: d.example, nodeName: n1, bogus: 1, pool: {name: p, generation: 1, resourceSliceCount: 1},
		   devices: [{name: a}], sharedCounters: [{name: c, counters: {x: {value: "1"}}}]}
	END
	{
		claim ''
		printf -- '---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: vf}\nspec: {}\n'
	} >claim.yaml
	for from in "slice.yaml" "--slices slice.yaml" "--slices slice.yaml slice.yaml"; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr "$ctl" --root / dra select --json --node-name n1 claim.yaml $from
		[ "$(jq -c '[.notes[] | select(contains("refuses it"))]' <<<"$output")" = \
			'["ResourceSlice s of slice.yaml: the API server refuses it: spec.bogus: Kubernetes 1.36 has no such member"]' ]
	done
}

@test "dra select says why a slice is refused also where the name that it quotes is cut within a character" {
	name=x$(printf 'ä%.0s' {1..40})
	printf 'apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: d.example, nodeName: n1, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{name: a, attributes: {%s: {string: x}}}]}\n' \
		"$name" >slice.yaml
	{
		claim ''
		printf -- '---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: vf}\nspec: {}\n'
	} >claim.yaml
	run --separate-stderr "$ctl" --root / dra select --node-name n1 claim.yaml slice.yaml
	[ "$status" -eq 0 ]
	[[ $stderr == *"ResourceSlice s of slice.yaml: the API server refuses it: spec: devices[0]: attributes: 'x?"*"expected a C identifier"* ]]
}

@test "an override that the API server refuses is told, and applied all the same" {
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" node
	printf 'apiVersion: resource.k8s.io/v1beta2\nkind: DeviceTaintRule\nmetadata: {name: t, label: {}}\nspec: {deviceSelector: {}, taint: {key: k, effect: NoSchedule}}\n' >rule.yaml
	run --separate-stderr "$ctl" --root node scan --why --node-name n1 --overrides rule.yaml
	[ "$status" -eq 0 ]
	[[ $output == *"DeviceTaintRule t"* ]]
	[[ $stderr == *"warning: DeviceTaintRule t of rule.yaml: the API server refuses it: metadata.label: Kubernetes 1.36 has no such member, did you mean labels?"* ]]
}
