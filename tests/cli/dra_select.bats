#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# dra_select.bats - which devices a claim would get; no privilege needed
#
# The files in dra/ are the examples of Kubernetes' document, with its results.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	node=$BATS_TEST_TMPDIR/node
	mkdir "$node"
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{}" >"$DEVINFO_CONF"
	cd "$top/tests/cli/dra"
}

# select_in OPERAND... - the answer of the node; stdout in $output, stderr in $stderr
select_in() {
	run --separate-stderr "$ctl" --root "$node" dra select "$@"
}

# results FILE... - what is taken, "request=device", a line each
results() {
	"$ctl" --root "$node" dra select --json "$@" |
		jq -r '.claims[].status.allocation.devices.results[]? | "\(.request)=\(.device)"'
}

# slice_with JQ FILE - a slice that is changed first
slice_with() {
	"$ctl" --root "$node" dra select --json "$2" >/dev/null || true
}

@test "D10, D13: the class selects the device of cat-slice, and what the API would refuse is told" {
	select_in cat-slice.yaml cat-class.yaml <(cat <<-END
		{"apiVersion": "resource.k8s.io/v1beta1", "kind": "ResourceClaim", "metadata": {"name": "cat"}, "spec":
		{"devices": {"requests": [{"name": "req-0", "deviceClassName": "resource.example.com"}]}}}
	END
	)
	[ "$status" -eq 2 ]	# a pipe is no file of the caller's
	cat >"$BATS_TEST_TMPDIR/cat.json" <<-END
		{"apiVersion": "resource.k8s.io/v1beta1", "kind": "ResourceClaim", "metadata": {"name": "cat"}, "spec":
		{"devices": {"requests": [{"name": "req-0", "deviceClassName": "resource.example.com"}]}}}
	END
	select_in cat-slice.yaml cat-class.yaml "$BATS_TEST_TMPDIR/cat.json"
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == RESULT*CLAIM*REQUEST*DEVICE*DRIVER*POOL*WHY ]]
	read -r -a row <<<"${lines[1]}"
	[ "${row[*]}" = "taken cat req-0 large-black-cat resource-driver.example.com black-cat-pool -" ]
	[ "${#lines[@]}" -eq 2 ]
	[[ $stderr == *"ResourceSlice cat-slice of cat-slice.yaml: "*"attributes[cat]"* ]]
}

@test "D32: all devices for an administrator: only in a namespace with the label, which cannot be seen" {
	[ "$(results cat-slice.yaml cat-class.yaml admin-template.yaml)" = req-0=large-black-cat ]
	select_in cat-slice.yaml cat-class.yaml admin-template.yaml
	[ "$status" -eq 0 ]
	[[ $stderr == *"resource.kubernetes.io/admin-access"* ]]
}

@test "D32, D40: an administrator has what others have, but tolerates taints like anybody" {
	cat >"$BATS_TEST_TMPDIR/old.json" <<-END
		{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "old", "namespace": "x"},
		"status": {"allocation": {"devices": {"results": [{"request": "r", "driver": "resource-driver.example.com",
		"pool": "white-cat-pool", "device": "small-white-cat-1"}]}}}}
	END
	[ "$(results white-cats.yaml cat-class.yaml admin-template.yaml "$BATS_TEST_TMPDIR/old.json" | wc -l)" -eq 2 ]
	select_in prioritized-template.yaml white-cats.yaml cat-class.yaml "$BATS_TEST_TMPDIR/old.json"
	[ "$status" -eq 1 ]
	[[ $output == *"it is allocated to claim x/old"* ]]
	sed 's/^    - name: small-white-cat-1/&\n      taints: [{key: k, effect: NoSchedule}]/' white-cats.yaml >"$BATS_TEST_TMPDIR/tainted.yaml"
	select_in "$BATS_TEST_TMPDIR/tainted.yaml" cat-class.yaml admin-template.yaml
	[ "$status" -eq 1 ]
	[[ $output == *"taint k:NoSchedule is not tolerated"* ]]
}

@test "D15, D33: of the prioritized list the large black cat is taken where there is one" {
	[ "$(results prioritized-template.yaml cat-slice.yaml white-cats.yaml cat-class.yaml)" = \
		req-0/large-black=large-black-cat ]
}

@test "D33, D34: without it two small white ones, for the count is small-white's" {
	[ "$(results prioritized-template.yaml white-cats.yaml cat-class.yaml | paste -sd' ')" = \
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
	select_in partition-slice.yaml partition-claims.yaml
	[ "$status" -eq 1 ]
	[[ $output == *"claim default/another of partition-claims.yaml#3 cannot be satisfied: request gpu: "* ]]
	[[ $output == *"not enough is left of counter set gpu-1-counters"* ]]
	[[ $output == *"claim default/one of partition-claims.yaml#2 cannot be satisfied: not without claim default/another"* ]]
	sed '/name: another/,$d' partition-claims.yaml | sed '$d' | sed '$d' | sed '$d' >"$BATS_TEST_TMPDIR/one.yaml"
	[ "$(results partition-slice.yaml "$BATS_TEST_TMPDIR/one.yaml")" = gpu=device-1 ]
}

@test "D14: the answer is an allocation as the API has it" {
	"$ctl" --root "$node" dra select --json partition-slice.yaml --node-name worker-1 "$BATS_TEST_DIRNAME/dra/partition-claims.yaml" >"$BATS_TEST_TMPDIR/no" || true
	[ "$(jq -c '[.claims[].satisfied]' "$BATS_TEST_TMPDIR/no")" = '[false,false]' ]
	sed 's/name: another/name: one-more/' cat-class.yaml >/dev/null
	[ "$("$ctl" --root "$node" dra select --json prioritized-template.yaml white-cats.yaml cat-class.yaml |
		jq -c '.claims[0].status.allocation.devices.results[0]')" = \
		'{"request":"req-0/small-white","driver":"resource-driver.example.com","pool":"white-cat-pool","device":"small-white-cat-1"}' ]
}

@test "--slices is read in place of the node's own devices; of several nodes one has to be said" {
	[ "$(results --slices white-cats.yaml prioritized-template.yaml cat-class.yaml | wc -l)" -eq 2 ]
	sed '/name: another/,$d' partition-claims.yaml | sed '$d' | sed '$d' | sed '$d' >"$BATS_TEST_TMPDIR/one.yaml"
	{ cat partition-slice.yaml && echo --- && sed 's/worker-1/worker-2/; s/name: pool/name: pool2/' partition-slice.yaml; } \
		>"$BATS_TEST_TMPDIR/two.yaml"
	select_in --slices "$BATS_TEST_TMPDIR/two.yaml" "$BATS_TEST_TMPDIR/one.yaml"
	[ "$status" -eq 2 ]
	[[ $stderr == *"ResourceSlices of several nodes, worker-1 and worker-2: say which by --node-name"* ]]
	"$ctl" --root "$node" dra select --json --slices "$BATS_TEST_TMPDIR/two.yaml" --node-name worker-2 "$BATS_TEST_TMPDIR/one.yaml" \
		>"$BATS_TEST_TMPDIR/out"
	[ "$(jq -r '.claims[0].status.allocation.devices.results[0].pool' "$BATS_TEST_TMPDIR/out")" = pool2 ]
	[ "$(jq -c '.claims[0].status.allocation.nodeSelector.nodeSelectorTerms[0].matchFields[0].values' "$BATS_TEST_TMPDIR/out")" = '["worker-2"]' ]
}

@test "standard input is a file, and --why shows each selector with its terms" {
	run --separate-stderr "$ctl" --root "$node" dra select --why - white-cats.yaml cat-class.yaml <prioritized-template.yaml
	[ "$status" -eq 0 ]
	[[ $output == *"request req-0/large-black: device small-white-cat-1 of pool white-cat-pool of driver resource-driver.example.com"* ]]
	[[ $output == *"  DeviceClass resource.example.com: selectors[0]"* ]]
	[[ $output == *"false  "*'.color == "black"'* ]]
	[[ $output == *"left"*"mouse"* ]]
}

@test "what is no manifest, and what has no claim, is a wrong question" {
	select_in cat-class.yaml
	[ "$status" -eq 2 ]
	[[ $stderr == *"dra select has no ResourceClaim or ResourceClaimTemplate among its files"* ]]
	echo '{"kind":' >"$BATS_TEST_TMPDIR/bad.json"
	select_in "$BATS_TEST_TMPDIR/bad.json"
	[ "$status" -eq 2 ]
	run --separate-stderr "$ctl" dra choose x
	[ "$status" -eq 2 ]
	[[ $stderr == "devinfoctl: dra cannot 'choose': expected select"* ]]
}
