#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# publish.bats - the device-plugin files of pools, on recorded nodes; no privilege needed
#
# rooms: manager/match manager/ctl devinfo/format

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	node=$BATS_TEST_TMPDIR/node
	dp=$node/var/run/k8s.cni.cncf.io/devinfo/dp
	pools=$BATS_TEST_TMPDIR/config.json
	# not what this machine has in /etc
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{}" >"$DEVINFO_CONF"
	# two VFs of eth0, and one of the other functions
	cat >"$pools" <<-'END'
		{"resourceList": [
			{"resourceName": "dpdk", "selectors": [{"pfNames": ["eth0"], "drivers": ["vfio-pci"]}]},
			{"resourceName": "vf", "resourcePrefix": "example.com", "selectors": {"pfNames": ["eth0#0-3"]}},
			{"resourceName": "sf", "deviceType": "auxNetDevice", "selectors": [{"auxTypes": ["sf"]}]}
		]}
	END
}

make_node() {
	"$top/tests/node/make-node.sh" "$top/tests/node/$1.node" "$node"
}

publish() {
	run --separate-stderr "$ctl" --root "$node" publish --pool "$pools" "$@"
}

withdraw() {
	run --separate-stderr "$ctl" --root "$node" withdraw --pool "$pools" "$@"
}

dpdk_file=intel.com-dpdk-0000:01:10.2-device.json
vf_file=example.com-vf-0000:01:10.0-device.json

@test "publish writes for each device what show says of it, and leaves it the next time" {
	make_node igb
	publish
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ ${lines[0]} == RESULT*RESOURCE*DEVICE*WHY ]]
	[ "$(awk 'NR > 1 { print $1, $2, $3 }' <<<"$output" | sort)" = \
		$'written example.com/vf 0000:01:10.0\nwritten intel.com/dpdk 0000:01:10.2' ]
	[ "$(ls -A "$dp")" = "$(printf '%s\n' "$vf_file" "$dpdk_file" | sort)" ]
	[ "$(stat -c %a "$dp/$vf_file")" = 644 ]
	cmp "$dp/$vf_file" <("$ctl" --root "$node" show 0000:01:10.0)
	"$ctl" validate "$dp/$vf_file" "$dp/$dpdk_file"

	touch -d @1 "$dp/$vf_file"
	publish --json
	[ "$status" -eq 0 ]
	[ "$(jq -c 'map([.result, .file])' <<<"$output")" = \
		"[[\"unchanged\",\"$vf_file\"],[\"unchanged\",\"$dpdk_file\"]]" ]
	[ "$(stat -c %Y "$dp/$vf_file")" = 1 ]
}

@test "publish --dry-run writes nothing" {
	make_node igb
	publish --dry-run
	[ "$status" -eq 0 ]
	[ "$(grep -c '^would write' <<<"$output")" -eq 2 ]
	[ ! -e "$dp" ]
}

@test "publish takes the resources that are named, and no others" {
	make_node igb
	publish intel.com/dpdk
	[ "$status" -eq 0 ]
	[ "$(ls -A "$dp")" = "$dpdk_file" ]
	publish example.com/dpdk
	[ "$status" -eq 2 ]
	[[ $stderr == *"'example.com/dpdk' is none of the file's pools"* ]]
	publish intel.com/sf
	[ "$status" -eq 2 ]
	[[ $stderr == *"'intel.com/sf' is no pool of network devices"* ]]
}

@test "publish leaves another's file that says something else, and writes the rest" {
	make_node igb
	mkdir -p "$dp"
	others='{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.0","rdma-device":"x"}}'
	echo "$others" >"$dp/$vf_file"
	publish
	[ "$status" -eq 1 ]
	[[ $output == *$'\n'differs*example.com/vf*0000:01:10.0*"says something else (rdma-device)"* ]]
	[ "$(cat "$dp/$vf_file")" = "$others" ]
	[ -e "$dp/$dpdk_file" ]
	# a device plugin says no more than the address
	echo '{"type":"pci","version":"1.0.0","pci":{"pci-address":"0000:01:10.0"}}' >"$dp/$vf_file"
	publish
	[ "$status" -eq 0 ]
	[[ $output == *$'\n'unchanged*0000:01:10.0*"it says less"* ]]
	[ "$(wc -c <"$dp/$vf_file")" -lt 80 ]
	# what says the same in another way says the same
	jq . <("$ctl" --root "$node" show 0000:01:10.0) >"$dp/$vf_file"
	publish
	[ "$status" -eq 0 ]
	[ "$(wc -l <"$dp/$vf_file")" -gt 1 ]
}

@test "publish leaves what is no file about the device" {
	make_node igb
	mkdir -p "$dp"
	for what in torn link directory other; do
		rm -rf "${dp:?}/$vf_file"
		case $what in
		torn) echo '{"type":' >"$dp/$vf_file" ;;
		link) ln -s /etc/hostname "$dp/$vf_file" ;;
		directory) mkdir "$dp/$vf_file" ;;
		other) "$ctl" --root "$node" show 0000:01:10.2 >"$dp/$vf_file" ;;
		esac
		before=$(stat -c '%F %i %Y' "$dp/$vf_file")
		publish
		[ "$status" -eq 1 ]
		[[ $output == *$'\n'differs*0000:01:10.0* ]]
		withdraw
		[ "$status" -eq 1 ]
		[[ $output == *$'\n'differs*0000:01:10.0* ]]
		[ "$(stat -c '%F %i %Y' "$dp/$vf_file")" = "$before" ]
	done
	[[ $output == *"its file is about 0000:01:10.2"* ]]
}

@test "withdraw removes what publish has written, and of the rest nothing" {
	make_node igb
	publish
	cp "$dp/$vf_file" "$dp/example.com-other-0000:01:10.0-device.json"
	withdraw --dry-run
	[ "$status" -eq 0 ]
	[ "$(grep -c '^would remove' <<<"$output")" -eq 2 ]
	[ -e "$dp/$vf_file" ]
	withdraw example.com/vf
	[ "$status" -eq 0 ]
	[ ! -e "$dp/$vf_file" ]
	[ -e "$dp/$dpdk_file" ]
	withdraw
	[ "$status" -eq 0 ]
	[ "$(awk 'NR > 1 { print $1, $3 }' <<<"$output" | sort)" = \
		$'absent 0000:01:10.0\nremoved 0000:01:10.2' ]
	[ "$(ls -A "$dp")" = example.com-other-0000:01:10.0-device.json ]
}

@test "publish leaves the file of a device that an attachment has" {
	make_node igb
	mkdir -p "$dp"
	echo '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.0","rdma-device":"x"}}' >"$dp/$vf_file"
	# the name that the journal gives to a record of this owner and device
	record=60490cf82448bcf3@0000:01:10.0.json
	(umask 077 && mkdir -p "$node/var/lib/cni/devinfo/attachments" &&
		cp "$top/tests/node/before/vf.json" "$node/var/lib/cni/devinfo/attachments/$record")
	jq -n --arg f "$record" '{attachments: [{file: $f, state: "live"}]}' >"$node/devinfo-node.json"
	publish
	[ "$status" -eq 0 ]
	[[ $output == *$'\n'unchanged*0000:01:10.0*"an attachment has the device"* ]]
	grep -q rdma-device "$dp/$vf_file"
}

@test "a pool that says vdpaType gets the vDPA device of its functions" {
	make_node vdpa-mlx5
	echo '{"resourceList":[{"resourceName":"v","selectors":{"vdpaType":"vhost"}},{"resourceName":"w","selectors":{"vdpaType":"virtio"}}]}' >"$pools"
	publish
	[ "$status" -eq 0 ]
	[ "$(jq -c '.vdpa | [.["parent-device"], .driver, .path]' "$dp/intel.com-v-0000:65:00.3-device.json")" = \
		'["vdpa:0000:65:00.3","vhost","/dev/vhost-vdpa-0"]' ]
	[ "$(jq -r .vdpa.driver "$dp/intel.com-w-0000:65:00.2-device.json")" = virtio ]
	withdraw
	[ "$status" -eq 0 ]
	[ -z "$(ls -A "$dp")" ]
}

@test "pools that cannot be read are told, and nothing is written" {
	make_node igb
	run --separate-stderr "$ctl" --root "$node" publish
	[ "$status" -eq 2 ]
	[[ $stderr == *"--pool is missing"* ]]
	rm "$pools"
	publish
	[ "$status" -eq 2 ]
	[[ $stderr == *"$pools"* ]]
	echo '{"resourceList":[{"resourceName":"a","selectors":{"vendor":["8086"]}}]}' >"$pools"
	publish
	[ "$status" -eq 2 ]
	[[ $stderr == *"config.json: resourceList[0].selectors: unknown key 'vendor', did you mean vendors?"* ]]
	[ ! -e "$dp" ]
}

@test "needVhostNet without /dev/vhost-net is told" {
	make_node igb
	echo '{"resourceList":[{"resourceName":"a","selectors":{"drivers":["vfio-pci"],"needVhostNet":true}}]}' >"$pools"
	publish
	[ "$status" -eq 0 ]
	[[ $output == *$'\n'written*"needVhostNet, and the node has no /dev/vhost-net"* ]]
}

@test "a selector that cannot be answered here is told, and selects nothing" {
	make_node igb
	echo '{"resourceList":[{"resourceName":"a","selectors":{"ddpProfiles":["GTPv1-C/U"]}}]}' >"$pools"
	publish
	[ "$status" -eq 0 ]
	[ "$output" = "no device is in a pool" ]
	[ "$stderr" = "devinfoctl: intel.com/a: ddpProfiles cannot be told here and selects no device" ]
}
