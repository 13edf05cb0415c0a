#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# multus.bats - a recorded call of Multus, and the device-info file that it has copied before it
#
# Multus copies the device plugin's file by its library: not as a whole, not over an old one, and not
# what its types do not know.  What it publishes is what lies at that path afterwards.
#
# rooms: cni/attach cni/call devinfo/format

load helpers
load chain

vf=0000:01:10.2
resource=example.com/vf

setup() {
	chain_up
	recorded igb
	mkdir -p "$dir/node/dev/vfio"	# as its driver makes it
	mknod "$dir/node/dev/vfio/14" c 1 3
	cni=$dir/node/devinfo/cni dp=$dir/node/devinfo/dp
	mkdir -p "$cni" "$dp"
	request=$(jq -c --arg vf "$vf" --arg r "$resource" '.type = "devinfo" | .deviceID = $vf | .pciBusID = $vf |
		.resourceName = $r | .runtimeConfig.deviceID = $vf |
		.runtimeConfig.CNIDeviceInfoFile |= sub("/var/run/k8s.cni.cncf.io"; "")' \
		"$BATS_TEST_DIRNAME/../cli/engine-calls/multus-4.3.0-ADD-net2.json")
	CNI_ARGS=$(sed -n 's/^CNI_ARGS=//p' "$BATS_TEST_DIRNAME/../cli/engine-calls/multus-4.3.0-ADD-net2.env")
	export CNI_ARGS
	file=$cni/$(jq -r '.runtimeConfig.CNIDeviceInfoFile | sub(".*/"; "")' <<<"$request")
	id=${file#*default-dev1-} id=${id%_net2}
	# as sriov-network-device-plugin has it, and what another one may add
	original='{"type":"pci","version":"1.1.0","pci":{"pci-address":"'$vf'","example.com/port":7},"example.com/rack":"r1"}'
	copied='{"type":"pci","version":"1.1.0","pci":{"pci-address":"'$vf'"}}'
}

teardown() { node_down; }

# attach and detach CALL - net2 as Multus has it, in the pod
attach() { add "$1" "$id" net2 "/run/netns/$pod"; }
detach() { del "$1" "$id" net2 "/run/netns/$pod"; }
published() { jq -c '.[0]."device-info"' "$dir/node/run/status/$id.json"; }

@test "whatever Multus has left at its path, the file it publishes is the device plugin's, whole, with what sysfs shows" {
	for left in copied lossy stale torn empty absent; do
		echo "$original" >"$dp/${resource//\//-}-$vf-device.json"
		rm -f "$file"
		case $left in
		copied) echo "$original" >"$file" ;;
		lossy) echo "$copied" >"$file" ;;
		stale) echo "${copied//$vf/0000:01:10.0}" >"$file" ;;
		torn) printf %s "${copied:0:40}" >"$file" ;;
		empty) : >"$file" ;;
		esac
		[ ! -e "$file" ] || chmod 444 "$file"
		attach "$request"
		added
		[ "$(jq -c '[.type, .pci."pci-address", .pci."pf-pci-address", .pci."example.com/port", ."example.com/rack"]' "$file")" = \
			'["pci","'$vf'","0000:01:00.0",7,"r1"]' ]
		[ "$(published)" = "$(jq -c . "$file")" ]
		[ "$(jq -r '.[0] | "\(.name) \(.interface)"' "$dir/node/run/status/$id.json")" = 'default/dev1 net2' ]
		detach "$request"
		deleted
		[ ! -e "$file" ]
	done
}

@test "of a resource that nobody names the file is what Multus copied, or is made anew of sysfs where that is of no use" {
	c=$(jq -c 'del(.resourceName)' <<<"$request")
	for left in copied stale torn empty absent; do
		rm -f "$file"
		case $left in
		copied) echo "$original" >"$file" ;;
		stale) echo "${copied//$vf/0000:01:10.0}" >"$file" ;;
		torn) printf %s "${copied:0:40}" >"$file" ;;
		empty) : >"$file" ;;
		esac
		: >"$dir/node$dir/log"
		attach "$c"
		added
		rack=null
		[[ $left != copied ]] || rack='"r1"'
		[ "$(jq -c '[.type, .pci."pci-address", .pci."pf-pci-address", ."example.com/rack"]' "$file")" = \
			'["pci","'$vf'","0000:01:00.0",'"$rack"']' ]
		[ "$(published)" = "$(jq -c . "$file")" ]
		[[ $left != torn && $left != empty ]] || grep -q 'level=warning.*replacing a device-info file' "$dir/node$dir/log"
		detach "$c"
		deleted
		[ ! -e "$file" ]
	done
}

@test "the default network and networks without a resource, to which Multus gives no path: a file of our own name, and network-status" {
	for ifname in eth0 net1; do
		c=$(jq -c 'del(.runtimeConfig, .resourceName)' <<<"$request")
		add "$c" "$id" $ifname "/run/netns/$pod"
		added
		file=$cni/dev1-${id}_$ifname
		[ "$(jq -r '.pci."pci-address"' "$file")" = "$vf" ]
		[ "$(published)" = "$(jq -c . "$file")" ]
		is_default=null
		[[ $ifname != eth0 ]] || is_default=true
		[ "$(jq -c '.[0] | [.name, .default]' "$dir/node/run/status/$id.json")" = '["dev1",'$is_default']' ]
		del "$c" "$id" $ifname "/run/netns/$pod"
		deleted
		[ -z "$(find "$cni" "$dir/node/run/status" -type f)" ]
	done
}

@test "device plugins' files of one name, which are of other devices: the ADD tells of it, and nothing is published" {
	# of the resource example.com/v and the device f-0000:01:10.2
	echo "${copied//$vf/0000:01:10.0}" >"$dp/example.com-v-f-$vf-device.json"
	attach "$(jq -c '.resourceName = "example.com/v-f"' <<<"$request")"
	refused 106 "the device plugin's file for example.com/v-f and $vf is about another device"
	[ -z "$(ls -A "$cni")" ]
	[ ! -e "$dir/node/run/status/$id.json" ]
}
