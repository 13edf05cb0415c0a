#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# empty.bats - what devinfoctl says where there is nothing to list: on a recorded node without a
# device; no privilege needed
#
# rooms: manager/ctl

load devinfoctl

setup() {
	ctl_up
	mkdir -p node/sys
	echo '{"version": 1}' >node/devinfo-node.json
	echo '{"resourceList": [{"resourceName": "vf", "selectors": {"vendors": ["8086"]}}]}' >pools.json
	echo '[]' >rules.yaml
}

# on_node ARGUMENT...
on_node() {
	run --separate-stderr "$ctl" --root node "$@"
}

# each command that lists something, and what it says of nothing
lists='scan: no network devices
scan --match is_vf\ IsTrue: no device meets the expression
scan --why: no device of a ResourceSlice
list: no attachments
drift: no attachments
repair --dry-run: nothing to repair
publish --dry-run --pool pools.json: no device is in a pool
withdraw --dry-run --pool pools.json: no device is in a pool
nfd eval rules.yaml: no rule gives anything'

@test "an empty list is one line that says so; of names it is on standard error" {
	n=0
	while IFS= read -r line; do
		eval "words=(${line%: *})"
		on_node "${words[@]}"
		[ "$status" -eq 0 ]
		[ "$output" = "${line##*: }" ]
		[ -z "$stderr" ]
		on_node "${words[@]}" -o wide
		[ "$output" = "${line##*: }" ]
		on_node "${words[@]}" -o name
		[ "$status" -eq 0 ]
		[ -z "$output" ]
		[ "$stderr" = "devinfoctl: ${line##*: }" ]
		on_node "${words[@]}" --json
		[ -z "$stderr" ]
		[ "$(jq -c 'if type == "object" then .outputs else . end' <<<"$output")" = "[]" ]
		n=$((n + 1))
	done <<<"$lists"
	[ "$n" -eq 9 ]
}

@test "gc that releases nothing says so, and its JSON is an empty list" {
	on_node gc --dry-run
	[ "$status" -eq 0 ]
	[ "$output" = "nothing to release" ]
	on_node gc --dry-run --json
	[ "$output" = "[]" ]
}

@test "a pod without anything is told on standard error, and its JSON is an empty list" {
	on_node status default/p1
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ $stderr == "devinfoctl: nothing is attached to 'default/p1'"* ]]
	on_node status default/p1 --json
	[ "$output" = "[]" ]
}

@test "a feature file and a slice without anything are told on standard error" {
	on_node export nfd
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 1 ]
	[ "$stderr" = "devinfoctl: this node has no feature to tell: the file has none" ]
	on_node export resourceslice --node-name n1
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.items[].spec.devices[]]' <<<"$output")" = "[]" ]
	[ "$stderr" = "devinfoctl: this node has no device that a pod can be given: its slice is empty" ]
}

@test "with -o name there are names alone on standard output" {
	on_node explain default/p1 -o name
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	rm -r node
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/igb-pods.node" node
	allocation=$(jq -c '[.allocations[] | select(.pod_name)][0]' node/devinfo-node.json)
	pod=$(jq -r '"\(.pod_namespace)/\(.pod_name)"' <<<"$allocation")
	on_node resolve "$pod" --resource "$(jq -r .resource <<<"$allocation")" -o name
	[ "${#lines[@]}" -ge 1 ]
	for line in "${lines[@]}"; do
		[[ $line =~ ^[0-9a-f]{4}(:[0-9a-f]{2}){2}\.[0-7]$ ]]
	done
	on_node explain "$pod" -o name
	[ "${#lines[@]}" -ge 1 ]
	for line in "${lines[@]}"; do
		[[ $line =~ ^net[0-9]+$ ]]
	done
}
