#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# consumers.bats - what KubeVirt, app-netutil and ovs-cni make of network-status and device-info files
#
# Their rules are tests/fake/consumers.py's.
#
# rooms: cni/call devinfo/format manager/ctl

load helpers
load chain
load socket

setup() {
	socket_up
	ctl=${plugin}ctl
}

teardown() { socket_down; }

# annotation - the value of the pod's
annotation() { "$ctl" status "$pod" --annotation; }
# read_by CONSUMER ARGUMENT... - the annotation, or what stdin has
read_by() { "$fake/consumers.py" "$@"; }

# vdpa_info - what is said of a vDPA device of a recorded node
vdpa_info() {
	"$top/tests/node/make-node.sh" "$top/tests/node/vdpa.node" "$dir/vdpa"
	echo '{}' >"$dir/vdpa.json"
	DEVINFO_CONF=$dir/vdpa.json "$ctl" --root "$dir/vdpa" show vdpa:0000:04:00.0
}

@test "a pod with its default network, a PCI function and a vDPA device" {
	info=$(vdpa_info)
	recorded igb
	mkdir -p "$dir/node/dev/vfio"
	mknod "$dir/node/dev/vfio/14" c 1 3
	pod_link "$pod" eth0
	add "$(chained '.name = "cbr0" | .prevResult.interfaces[1].name = "eth0"')" "$pod" eth0
	added
	add "$(conf '.name = "sriov" | .deviceID = "0000:01:10.2" | del(.device, .ipam)')"
	added
	pod_link "$pod" pod16477688c0e
	echo "$info" >"$dir/node/devinfo/cni/vdpa-${pod}_pod16477688c0e"
	add "$(chained '.name = "vdpa" | .prevResult.interfaces[1].name = "pod16477688c0e"')" "$pod" pod16477688c0e
	added
	value=$(annotation)
	run read_by kubevirt net1 <<<"$value"
	[ "$output" = $'eth0\nnet1 pci 0000:01:10.2\npod16477688c0e vdpa vdpa:0000:04:00.0' ]
	# what makes KubeVirt give up would be noticed
	run read_by kubevirt net1 pod16477688c0e <<<"$value"
	[ "$status" -eq 1 ]
	run --separate-stderr read_by app-netutil 0000:01:10.2 0000:04:00.0 <<<"$value"
	[ "$output" = $'eth0 host 10.5.0.2\nnet1 pci\npod16477688c0e vdpa 10.5.0.2' ]
	run read_by app-netutil 0000:01:10.0 <<<"$value"
	[ "$status" -eq 1 ]
	[ "$(read_by ovs-cni "$dir/node/devinfo/cni/vdpa-${pod}_pod16477688c0e")" = "vdpa $(jq -r .vdpa.path <<<"$info")" ]
	[ "$(read_by ovs-cni "$dir/node/devinfo/cni/sriov-${pod}_net1")" = veth ]
}

@test "8 and 32 attachments of sockets, with addresses of both families, are one annotation that all can read" {
	addresses=$(host_local '.ipam | .ranges[0][0].subnet = "10.1.0.0/24"')
	for ((n = 1; n <= 32; n++)); do
		case $((n % 4)) in
		0) c=$(hooked "$(vhost client)") ;;
		1) c=$(vhost server) ;;
		2) c=$(memif master) ;;
		3) c=$(hooked "$(memif slave)") ;;
		esac
		add "$(jq -c --argjson ipam "$addresses" '.name = "a-network-of-some-length" | .ipam = $ipam' <<<"$c")" "$pod" "net$n"
		added
		[ "$n" = 8 ] || [ "$n" = 32 ] || continue
		value=$(annotation)
		[[ $value != *=* ]]
		run --separate-stderr read_by app-netutil <<<"$value"
		[ "$status" -eq 0 ]
		echo "$n attachments: $stderr"
		[ "${#lines[@]}" -eq "$n" ]
		[ "${lines[0]}" = "net1 vhost-user 10.1.0.2 fd00:1::2" ]
		[ "${lines[1]}" = "net2 memif 10.1.0.3 fd00:1::3" ]
		run read_by kubevirt <<<"$value"
		[ "${#lines[@]}" -eq "$n" ]
		[ "${lines[3]}" = "net4 vhost-user client" ]
		[ "$(read_by ovs-cni "$dir/devinfo/cni/a-network-of-some-length-${pod}_net4")" = \
			"vhost-user $(jq -r '.[3]."device-info"."vhost-user".path' <<<"$value")" ]
	done
	run read_by app-netutil <<<"${value/some-length/some=length}"
	[ "$status" -eq 1 ]
	run read_by app-netutil <<<"${value%]},$(printf '%*s' 65536 '')$value"
	[ "$status" -eq 1 ]
}
