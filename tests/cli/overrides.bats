#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# overrides.bats - what an administrator says of devices, on recorded nodes: scan --why, show --why,
# and resolve; no privilege needed
#
# rooms: manager/dra devinfo/taint devinfo/manifest

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	node=$BATS_TEST_TMPDIR/node
	dir=$node/etc/cni/net.d/devinfo.d/overrides
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo '{"nodeName": "n1"}' >"$DEVINFO_CONF"
	"$top/tests/node/make-node.sh" "$top/tests/node/${NODE:-igb}.node" "$node"
	mkdir -p "$dir"
}

# patch NAME DEVICES [FIELD...] - a ResourceSlicePatch in the node's directory
patch() {
	jq -n --arg name "$1" --argjson devices "$2" --arg created "${3-}" '{apiVersion: "resource.k8s.io/v1alpha3",
		kind: "ResourceSlicePatch", metadata: ({name: $name} + if $created == "" then {} else
		{creationTimestamp: $created} end), spec: {devices: $devices}}' >"$dir/$1.json"
}

# taint NAME SELECTOR TAINT - a DeviceTaintRule there
taint() {
	jq -n --arg name "$1" --argjson selector "$2" --argjson taint "$3" '{apiVersion: "resource.k8s.io/v1",
		kind: "DeviceTaintRule", metadata: {name: $name}, spec: {deviceSelector: $selector, taint: $taint}}' \
		>"$dir/$1.json"
}

broken='{"key": "dra.example.com/unhealthy", "value": "Broken", "effect": "NoExecute"}'

why() {
	run --separate-stderr "$ctl" --root "$node" scan --why "$@"
	[ "$status" -eq 0 ]
}

# of FILTER [OPTION...] - what jq says of the rows
of() {
	"$ctl" --root "$node" scan --why --json "${@:2}" | jq -c "$1"
}

@test "K52: a row for each value: published, patched with what it replaces, added, removed" {
	patch mine '{"filter": {"device": "0000-01-10-0"}, "priority": 7, "attributes": {
		"devinfo.cni.dev/vendor": {"string": "abcd"}, "devinfo.cni.dev/iommu_group": {"null": {}},
		"example.com/rack": {"string": "r1"}}, "capacity": {"example.com/slots": {"value": "2"}}}'
	patch other '{"attributes": {"example.com/rack": {"string": "r2"}}}'
	why --match 'id In 0000:01:10.0' --output=wide
	[ -z "$stderr" ]
	[[ ${lines[0]} == DEVICE*KIND*NAME*VALUE*ORIGIN*SOURCE*REPLACES*PRIORITY*BEATS* ]]
	row() { read -r -a row <<<"$(grep " $1 " <<<"$output")"; }
	row vendor
	[ "${row[*]}" = "0000-01-10-0 attribute vendor abcd ResourceSlicePatch mine mine.json 8086 7 -" ]
	row driver
	[ "${row[*]}" = "0000-01-10-0 attribute driver igbvf published - - - -" ]
	row iommu_group
	[ "${row[*]}" = "0000-01-10-0 removed iommu_group - ResourceSlicePatch mine mine.json 13 7 -" ]
	row example.com/rack
	[ "${row[*]}" = "0000-01-10-0 attribute example.com/rack r1 ResourceSlicePatch mine mine.json - 7 other" ]
	row example.com/slots
	[ "${row[*]}" = "0000-01-10-0 capacity example.com/slots 2 ResourceSlicePatch mine mine.json - 7 -" ]
	row is_rdma		# a table says what is false
	[ "${row[*]:0:4}" = "0000-01-10-0 attribute is_rdma false" ]
	[[ $output != *0000-01-10-2* ]]
	[ "$(of 'map(select(.name == "example.com/rack" and (.device | startswith("0000-01-"))) | [.device, .value, .source])')" = \
		'[["0000-01-10-0","r1","mine.json"],["0000-01-10-2","r2","other.json"],["0000-01-00-0","r2","other.json"]]' ]
}

@test "show --why has the rows of one device, by any of its names" {
	patch mine '{"attributes": {"example.com/rack": {"string": "r1"}}}'
	run --separate-stderr "$ctl" --root "$node" show --why eth4
	[ "$status" -eq 0 ]
	first=$output
	[[ $first == *"0000-01-10-0  attribute  example.com/rack "* ]]
	[[ $first != *0000-01-10-2* ]]
	run --separate-stderr "$ctl" --root "$node" show --why 0000:01:10.0
	[ "$output" = "$first" ]
	run --separate-stderr "$ctl" --root "$node" show --why nothing
	[ "$status" -eq 1 ]
	[[ $stderr == *nothing* ]]
	run --separate-stderr "$ctl" --root "$node" show --why 0000:0f:1f.7
	[ "$status" -eq 1 ]
	[[ $stderr == *"'0000:0f:1f.7': this node has no such PCI"* ]]
}

@test "show --why says of a device that the node uses that it is in no ResourceSlice" {
	link=$(basename "$node"/sys/bus/pci/devices/0000:01:10.0/net/*)
	ln -s ../vlan7 "$node/sys/class/net/$link/upper_vlan7"
	run --separate-stderr "$ctl" --root "$node" show --why 0000:01:10.0
	[ "$status" -eq 0 ]
	[ "$output" = "in no ResourceSlice: the node itself uses it, or no pod can be given it" ]
}

@test "--overrides and --node-name are refused where they would be ignored" {
	for command in scan 'show 0000:01:10.0'; do
		# shellcheck disable=SC2086 # a command and its operand
		run --separate-stderr "$ctl" --root "$node" $command --overrides "$dir"
		[ "$status" -eq 2 ]
		[[ $stderr == *"--overrides of ${command% *} has no effect without --why"* ]]
		# shellcheck disable=SC2086
		run --separate-stderr "$ctl" --root "$node" $command --node-name n1
		[ "$status" -eq 2 ]
		[[ $stderr == *"--node-name of ${command% *} has no effect without --why"* ]]
	done
}

@test "scan --why has the devices of export resourceslice, none that the host has put others upon" {
	patch mine '{"attributes": {"example.com/rack": {"string": "r1"}}}'
	link=$(basename "$node"/sys/bus/pci/devices/0000:01:10.0/net/*)
	[[ $(of 'map(.device)') == *0000-01-10-0* ]]
	ln -s ../vlan7 "$node/sys/class/net/$link/upper_vlan7"
	[ "$(of 'map(.device) | unique')" = \
		"$("$ctl" --root "$node" export resourceslice | jq -c '[.items[].spec.devices[]?.name] | unique')" ]
	[[ $(of 'map(.device)') != *0000-01-10-0* ]]
}

@test "K36: what one patch has changed is seen, and no other one goes by it" {
	patch change '{"filter": {"device": "0000-01-10-2"}, "attributes": {"devinfo.cni.dev/class": {"string": "gold"}}}'
	cat >"$BATS_TEST_TMPDIR/all.json" <<-'END'
		{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gold"}, "spec": {"selectors":
		[{"cel": {"expression": "device.driver == 'devinfo.cni.dev' && 'class' in device.attributes['devinfo.cni.dev']"}}]}}
	END
	[ "$(of 'map(select(.name == "devinfo.cni.dev/class") | [.device, .value])')" = '[["0000-01-10-2","gold"]]' ]
	# but no other patch goes by it
	cp "$BATS_TEST_TMPDIR/all.json" "$dir/gold.json"
	patch second '{"filter": {"deviceClassName": "gold"}, "attributes": {"example.com/hit": {"bool": true}}}'
	[ "$(of 'map(select(.name == "example.com/hit"))')" = '[]' ]
}

@test "K01, K02, K48, K49: without the patch, and with the gate closed, all is as it was published" {
	of . >"$BATS_TEST_TMPDIR/before"
	find "$node" -not -path "$dir*" | sort >"$BATS_TEST_TMPDIR/files"
	patch mine '{"attributes": {"devinfo.cni.dev/vendor": {"null": {}}}}'
	taint broken '{}' "$broken"
	of . >"$BATS_TEST_TMPDIR/patched"
	run diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/patched"
	[ "$status" -eq 1 ]
	echo '{"nodeName": "n1", "overrides": false}' >"$DEVINFO_CONF"
	of . --overrides "$dir/mine.json" 2>"$BATS_TEST_TMPDIR/said" | diff "$BATS_TEST_TMPDIR/before" -
	grep -q 'turns overrides off' "$BATS_TEST_TMPDIR/said"
	echo '{"nodeName": "n1"}' >"$DEVINFO_CONF"
	of . | diff "$BATS_TEST_TMPDIR/patched" -
	rm "$dir"/*
	of . | diff "$BATS_TEST_TMPDIR/before" -
	# K54: nothing is written anywhere
	find "$node" -not -path "$dir*" | sort | diff "$BATS_TEST_TMPDIR/files" -
}

@test "--overrides adds a file, a directory or standard input to the node's directory" {
	patch low '{"attributes": {"example.com/rack": {"string": "r1"}, "example.com/row": {"int": 4}}}'
	mkdir "$BATS_TEST_TMPDIR/more"
	sed 's/"low"/"high"/; s/"r1"/"r2"/; s/"devices": {/&"priority": 1,/' "$dir/low.json" >"$BATS_TEST_TMPDIR/more/high.json"
	rack='map(select(.device == "0000-01-10-0" and (.name | startswith("example.com/")))) | map(.value)'
	[ "$(of "$rack")" = '["r1",4]' ]
	[ "$(of "$rack" --overrides "$BATS_TEST_TMPDIR/more/high.json")" = '["r2",4]' ]
	[ "$(of "$rack" --overrides "$BATS_TEST_TMPDIR/more")" = '["r2",4]' ]
	[ "$(of "$rack" --overrides - <"$BATS_TEST_TMPDIR/more/high.json")" = '["r2",4]' ]
	# what is named has to be there and right
	run --separate-stderr "$ctl" --root "$node" scan --why --overrides "$BATS_TEST_TMPDIR/none.json"
	[ "$status" -eq 1 ]
	[[ $stderr == *none.json* ]]
}

@test "K10: the node's name is its pool, from the node's file or --node-name" {
	patch pool '{"filter": {"pool": "n1"}, "attributes": {"example.com/hit": {"bool": true}}}'
	[ "$(of 'map(select(.name == "example.com/hit")) | length > 0')" = true ]
	[ "$(of 'map(select(.name == "example.com/hit")) | length' --node-name n2)" = 0 ]
	echo '{}' >"$DEVINFO_CONF"
	why
	[[ $stderr == *"the node's name is not known"*--node-name* ]]
	[[ $output != *example.com/hit* ]]
}

@test "K38, K39: a faulty override is told, and no other is kept from its effect" {
	patch bad '{"filter": {"selectors": [{"cel": {"expression": "device.driver =="}}]}, "attributes": {
		"example.com/bad": {"bool": true}}}'
	patch fails '{"filter": {"selectors": [{"cel": {"expression": "device.attributes[\"devinfo.cni.dev\"].vf_index == 1"}}]},
		"attributes": {"example.com/one": {"bool": true}}}'
	patch good '{"attributes": {"example.com/rack": {"string": "r1"}}}'
	echo '{' >"$dir/torn.json"
	why
	[[ $stderr == *"not applied: torn.json"* ]]
	[[ $stderr == *"not applied: ResourceSlicePatch bad of bad.json: selectors[0]: 'device.driver =="* ]]
	[[ $stderr == *"not applied: ResourceSlicePatch fails of fails.json: device 0000-01-00-0"*"vf_index"* ]]
	[[ $output == *"0000-01-10-2  attribute  example.com/one "* ]]
	[[ $output != *example.com/bad* ]]
	[[ $output == *"0000-01-00-0  attribute  example.com/rack "* ]]
	[ "$(of 'map(select(.kind == "finding") | .severity)')" = '["error","error","error"]' ]
}

@test "D44, D47: DeviceTaintRules taint devices by driver, pool and name, and are told" {
	taint broken '{"driver": "devinfo.cni.dev", "pool": "n1", "device": "0000-01-10-2"}' "$broken"
	taint others '{"driver": "dra.example.com"}' "$broken"
	[ "$(of 'map(select(.kind == "taint") | [.device, .name, .value, .origin, .source])')" = \
		'[["0000-01-10-2","dra.example.com/unhealthy","Broken:NoExecute","DeviceTaintRule broken","broken.json"]]' ]
}

@test "YAML, several objects in a file, and a List are read" {
	cat >"$dir/all.yaml" <<-'END'
		apiVersion: v1
		kind: List
		items:
		- apiVersion: resource.k8s.io/v1alpha3
		  kind: ResourceSlicePatch
		  metadata: {name: yaml, creationTimestamp: 2024-01-10T12:00:00Z}
		  spec:
		    devices:
		      filter: {device: 0000-01-10-0}
		      attributes:
		        devinfo.cni.dev/vendor:
		          null: {}
		---
		apiVersion: resource.k8s.io/v1
		kind: DeviceTaintRule
		metadata: {name: t}
		spec:
		  deviceSelector: {device: 0000-01-10-0}
		  taint: {key: k, effect: NoSchedule}
	END
	[ "$(of 'map(select(.kind == "removed" or .kind == "taint") | [.device, .kind, .name])')" = \
		'[["0000-01-10-0","taint","k"],["0000-01-10-0","removed","vendor"]]' ]
}

# -- resolve --

resolve() {
	run --separate-stderr "$ctl" --root "$node" resolve default/web-5 --resource intel.com/sriov_netdevice "$@"
}

@test "D38: a device with a taint is not chosen by resolve, and said to be tainted" {
	rm -rf "$node"
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/crash.node" "$node"
	rm -r "$node/var/lib/cni/devinfo"	# nothing is attached
	mkdir -p "$dir"
	resolve
	[ "$status" -eq 0 ]
	[[ $output == *"choice for a new attachment: 0000:01:11.2 "* ]]
	taint maintenance '{"device": "0000-01-11-2"}' '{"key": "maintenance", "value": "planned", "effect": "NoSchedule"}'
	resolve
	[ "$status" -eq 1 ]
	[[ $output == *"tainted maintenance=planned:NoSchedule by maintenance, which an ADD takes no notice of"* ]]
	[[ $stderr == *"device 0000:01:11.2 is not allowed: it is tainted maintenance=planned:NoSchedule"* ]]
	resolve --json
	[ "$(jq -c '.[0] | [.state, .taint, .tainted_by, .chosen]' <<<"$output")" = \
		'["tainted","maintenance=planned:NoSchedule","maintenance",false]' ]
	# what the node tolerates
	echo '{"refuseTainted": true, "tolerate": ["maintenance=planned"]}' >"$DEVINFO_CONF"
	resolve
	[ "$status" -eq 0 ]
	[[ $output == *"choice for a new attachment: 0000:01:11.2 "* ]]
	echo '{"refuseTainted": true}' >"$DEVINFO_CONF"
	resolve
	[ "$status" -eq 1 ]
	[[ $output != *"takes no notice"* ]]
	taint maintenance '{"device": "0000-01-11-2"}' '{"key": "maintenance", "effect": "None"}'
	resolve
	[ "$status" -eq 0 ]
}

@test "K50: a device that is attached is said to be, and that it is tainted" {
	rm -rf "$node"
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/crash.node" "$node"
	mkdir -p "$dir"
	taint maintenance '{"device": "0000-01-11-2"}' '{"key": "maintenance", "effect": "NoExecute"}'
	resolve --json
	[ "$(jq -c '.[0] | [.state, .taint, .owner.network]' <<<"$output")" = '["attached","maintenance:NoExecute","sriov-net"]' ]
}

@test "the manual's examples of overrides do what it says" {
	rm -rf "$node"
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/igb-pods.node" "$node"
	mkdir -p "$dir"
	sed -n '/^\.Sh OVERRIDES/,/^\.Sh ENVIRONMENT/p' "$top/install/man/devinfoctl.8" |
		sed -n '/^apiVersion: resource.k8s.io/,/^\.Ed/p' | sed 's/^\.Ed/---/' >"$dir/all.yaml"
	[ "$(grep -c '^kind: ' "$dir/all.yaml")" -eq 2 ]
	run --separate-stderr "$ctl" --root "$node" show --why --json 0000:01:10.0
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "$(jq -c 'map(select(.origin != "published") | [.kind, .name, .value, .origin])' <<<"$output")" = \
		'[["attribute","example.com/rack","r7","ResourceSlicePatch rack"],["taint","example.com/broken","NoSchedule","DeviceTaintRule broken"],["removed","device_name",null,"ResourceSlicePatch rack"]]' ]
}
