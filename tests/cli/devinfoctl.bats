#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# devinfoctl.bats - devinfoctl on recorded nodes; no privilege needed
#
# rooms: manager/ctl manager/inventory devinfo/node

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	node=$BATS_TEST_TMPDIR/node
	devinfo=$node/var/run/k8s.cni.cncf.io/devinfo
	# not what this machine has in /etc
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{}" >"$DEVINFO_CONF"
}

make_node() {
	"$top/tests/node/make-node.sh" "$top/tests/node/$1.node" "$node"
}

# run devinfoctl on the node; stdout in $output, stderr in $stderr
on_node() {
	run --separate-stderr "$ctl" --root "$node" "$@"
}

dp_file() {	# NAME TEXT
	mkdir -p "$devinfo/dp"
	printf '%s' "$2" >"$devinfo/dp/$1"
}

@test "show prints the device-info of a VF from sysfs alone" {
	make_node igb
	on_node show 0000:01:10.0
	[ "$status" -eq 0 ]
	[ "$output" = '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.0","pf-pci-address":"0000:01:00.0"}}' ]
	[ -z "$stderr" ]
	said=$output
	for id in pci:0000:01:10.0 pci/0000:01:10.0; do		# as DPDK and devlink spell it
		on_node show "$id"
		[ "$output" = "$said" ]
	done
}

@test "show takes a net device's name for the device behind it" {
	make_node mlx5
	on_node show ens1f0v0
	[ "$status" -eq 0 ]
	[ "$output" = '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:03:00.2","rdma-device":"mlx5_2","pf-pci-address":"0000:03:00.0","representor-device":"eth3"}}' ]
}

@test "show completes what the device plugin wrote and keeps what only it knows" {
	make_node mlx5
	dp_file example.com-vf-0000:03:00.2-device.json \
		'{"type":"pci","version":"1.0.0","pci":{"pci-address":"0000:03:00.2","x":[1]},"example.com/rack":"r7"}'
	on_node show --resource example.com/vf 0000:03:00.2
	[ "$status" -eq 0 ]
	[ "$output" = '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:03:00.2","rdma-device":"mlx5_2","pf-pci-address":"0000:03:00.0","representor-device":"eth3","x":[1]},"example.com/rack":"r7"}' ]
}

@test "show tells the representor that the kernel shows, whatever an old file says" {
	make_node mlx5
	dp_file example.com-vf-0000:03:00.2-device.json \
		'{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:03:00.2","rdma-device":"mine","representor-device":"stale"}}'
	on_node show --resource example.com/vf 0000:03:00.2
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.pci."rdma-device", .pci."representor-device"]' <<<"$output")" = '["mine","eth3"]' ]
}

@test "show with a resource finds the device plugin's file by the net device's name too" {
	make_node igb
	dp_file intel.com-nic-0000:01:10.0-device.json \
		'{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.0","rdma-device":"from-dp"}}'
	on_node show eth4 --resource=intel.com/nic
	[ "$status" -eq 0 ]
	[[ $output == *'"rdma-device":"from-dp"'* ]]
}

@test "show builds the device-info when the resource's device plugin wrote none" {
	make_node igb
	on_node show 0000:01:10.0 --resource intel.com/nic
	[ "$status" -eq 0 ]
	[[ $output == *'"pci-address":"0000:01:10.0"'* ]]
}

@test "show prints a device plugin's file about a device that is no PCI function" {
	make_node igb
	dp_file virt.io-net-7-device.json \
		'{"type":"vhost-user","version":"v1.0.0","vhost-user":{"mode":"client","path":"/run/7.sock"}}'
	on_node show 7 --resource virt.io/net
	[ "$status" -eq 0 ]
	[ "$output" = '{"type":"vhost-user","version":"1.0.0","vhost-user":{"mode":"client","path":"/run/7.sock"}}' ]
}

@test "show completes what the device plugin wrote of a sub-function, by whatever name" {
	make_node mlx5
	dp_file example.com-sf-mlx5_core.sf.4-device.json \
		'{"type":"pci","version":"1.0.0","pci":{"pci-address":"0000:03:00.0"}}'
	for name in mlx5_core.sf.4 auxiliary/mlx5_core.sf.4 enp3s0f0s88; do
		on_node show "$name" --resource example.com/sf
		[ "$status" -eq 0 ]
		[ "$output" = '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:03:00.0","representor-device":"eth2"}}' ]
		on_node show "$name"
		[ "$status" -eq 1 ]
		[[ $stderr == "devinfoctl: '$name' is a sub-function: its device plugin alone"* ]]
	done
}

@test "show does not take a representor for the function it stands on" {
	make_node mlx5
	on_node show eth3
	[ "$status" -eq 1 ]
	[[ $stderr == "devinfoctl: net device 'eth3' has no PCI function behind it, or is one of several"* ]]
	on_node show ens1f0np0
	[ "$status" -eq 0 ]
	[[ $output == *'"pci-address":"0000:03:00.0"'* ]]
}

@test "show takes another devinfo directory" {
	make_node igb
	mkdir -p "$node/srv/dp"
	printf '%s' '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.0","rdma-device":"srv"}}' \
		>"$node/srv/dp/r-0000:01:10.0-device.json"
	on_node --devinfo-dir /srv show 0000:01:10.0 --resource r
	[ "$status" -eq 0 ]
	[[ $output == *'"rdma-device":"srv"'* ]]
}

@test "show reads the directories from the node's file" {
	make_node igb
	mkdir -p "$node/srv/dp"
	printf '%s' '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.0","rdma-device":"srv"}}' \
		>"$node/srv/dp/r-0000:01:10.0-device.json"
	printf '{"root":"%s","devinfoDir":"/srv"}' "$node" >"$DEVINFO_CONF"
	run "$ctl" show 0000:01:10.0 --resource r
	[ "$status" -eq 0 ]
	[[ $output == *'"rdma-device":"srv"'* ]]
}

@test "show prints the device-info of a vDPA device by its name, its function and its management device" {
	local device
	make_node vdpa-mlx5
	for device in vdpa:0000:65:00.3 0000:65:00.3 pci/0000:65:00.3; do
		on_node show "$device"
		[ "$status" -eq 0 ]
		[ "$output" = '{"type":"vdpa","version":"1.1.0","vdpa":{"parent-device":"vdpa:0000:65:00.3","driver":"vhost","path":"/dev/vhost-vdpa-0","pci-address":"0000:65:00.3","pf-pci-address":"0000:65:00.0","representor-device":"eth3"}}' ]
		[ -z "$stderr" ]
	done
	on_node show 0000:65:00.0
	[[ $output == '{"type":"pci",'* ]]
}

@test "show repairs what a device plugin wrote of a vDPA device, and says so" {
	local device
	make_node vdpa-mlx5
	dp_file example.com-vdpa-0000:65:00.2-device.json \
		'{"type":"vdpa","version":"1.1.0","vdpa":{"parent-device":"vf0","driver":"virtio","path":"pci/0000:65:00.2","x":1}}'
	for device in vf0 0000:65:00.2; do
		on_node show --resource example.com/vdpa "$device"
		[ "$status" -eq 0 ]
		[ "$output" = '{"type":"vdpa","version":"1.1.0","vdpa":{"parent-device":"vf0","driver":"virtio","path":"/sys/bus/virtio/devices/virtio7","pci-address":"0000:65:00.2","pf-pci-address":"0000:65:00.0","x":1}}' ]
		[ "$stderr" = "devinfoctl: repaired what the device plugin wrote: path 'pci/0000:65:00.2' is '/sys/bus/virtio/devices/virtio7'" ]
	done
}

@test "show takes of several vDPA devices of a function the one that its device plugin names" {
	make_node vdpa-mlx5
	dp_file example.com-vdpa-0000:68:00.0-device.json \
		'{"type":"vdpa","version":"1.1.0","vdpa":{"parent-device":"two-a","driver":"vhost","path":"/dev/vhost-vdpa-2"}}'
	on_node show --resource example.com/vdpa 0000:68:00.0
	[ "$status" -eq 0 ]
	[ "$output" = '{"type":"vdpa","version":"1.1.0","vdpa":{"parent-device":"two-a","driver":"vhost","path":"/dev/vhost-vdpa-2","pci-address":"0000:68:00.0"}}' ]
}

@test "show lists the vDPA devices of a function that has several" {
	make_node vdpa-mlx5
	on_node show 0000:68:00.0
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ $stderr == *"several vDPA devices"* ]]	# in the order of the directory
	[[ $stderr == *"'two-a' (vhost_vdpa on pci/0000:68:00.0)"* ]]
	[[ $stderr == *"'two-b' (virtio_vdpa on pci/0000:68:00.0)"* ]]
}

@test "show fails with one line for a device that is not there" {
	make_node igb
	for device in 0000:ff:00.0 eth77 ../../etc ''; do
		on_node show "$device"
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[ "$stderr" = "devinfoctl: '$device' is not a PCI function, vDPA or net device of this node" ]
	done
}

@test "show fails for a net device without PCI behind it" {
	make_node igb
	on_node show lo
	[ "$status" -eq 1 ]
	[[ $stderr == "devinfoctl: net device 'lo' has no PCI function behind it"* ]]
}

@test "show names the PF that is gone" {
	make_node gone
	on_node show 0000:05:10.0
	[ "$status" -eq 1 ]
	[ "$stderr" = 'devinfoctl: PCI device 0000:05:10.0: its physical function 0000:05:00.0 is gone (No such device)' ]
}

@test "show refuses a device plugin's file about another device" {
	make_node igb
	dp_file r-0000:01:10.0-device.json '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.2"}}'
	on_node show --resource r 0000:01:10.0
	[ "$status" -eq 1 ]
	[ "$stderr" = 'devinfoctl: the device is 0000:01:10.0, its device-info is about 0000:01:10.2' ]
}

@test "show refuses a torn device plugin's file and says where it is torn" {
	make_node igb
	dp_file r-0000:01:10.0-device.json '{"type":"pci",'
	on_node show --resource r 0000:01:10.0
	[ "$status" -eq 1 ]
	[[ $stderr == *'/dp/r-0000:01:10.0-device.json: not valid JSON (line 1, column 14:'* ]]
}

@test "validate accepts the files of real device plugins" {
	run "$ctl" validate "$top"/tests/node/dp/*
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 6 ]
	for line in "${lines[@]}"; do
		[[ $line == *': ok (pci, version 1.1.0)' ]]
	done
}

@test "validate says of each file what is wrong with it" {
	cd "$BATS_TEST_TMPDIR"
	echo '{"type":"memif","version":"v1.0.0","memif":{"role":"slave","path":"/a","mode":"ip"}}' >good
	echo '{"type":"vdpa","version":"1.1.0","vdpa":{"parent-device":"v0","driver":"vhost","path":"pci/0000:65:00.3"}}' >handle
	echo '{"type":"pci","version":"1.1.0","pci":{"pci-address":"02:00.0"}}' >short
	: >empty
	truncate -s 1048577 huge
	ln -s good link
	mkfifo fifo
	run --separate-stderr "$ctl" validate good handle short empty huge link fifo . absent sub/absent
	[ "$status" -eq 1 ]
	[ -z "$stderr" ]
	[ "${lines[0]}" = 'good: ok (memif, version 1.0.0)' ]
	[[ ${lines[1]} == "handle: vdpa.path: 'pci/0000:65:00.3': expected an absolute path"*'management device'* ]]
	[ "${lines[2]}" = "short: pci.pci-address: '02:00.0': expected a PCI address dddd:bb:dd.f" ]
	[[ ${lines[3]} == 'empty: not valid JSON'* ]]
	[[ ${lines[4]} == "huge: 'huge' has 1048577 bytes, at most 1048576 are read"* ]]
	[[ ${lines[5]} == "link: open 'link'"*'symbolic links'* ]]
	[[ ${lines[6]} == "fifo: 'fifo' is not a regular file"* ]]
	[[ ${lines[7]} == '.: '* ]]
	[[ ${lines[8]} == "absent: open 'absent'"* ]]
	[[ ${lines[9]} == "sub/absent: open directory 'sub/'"* ]]
	[ "${#lines[@]}" -eq 10 ]
}

@test "validate reads a path with directories" {
	run "$ctl" validate "$top/tests/node/dp/intel.com-vfio-0000:03:02.1-device.json" /
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == *': ok (pci, version 1.1.0)' ]]
	[[ ${lines[1]} == '/: '* ]]
}

@test "validate reads standard input, no more than a file may have" {
	make_node igb
	run --separate-stderr bash -c '"$1" --root "$2" show eth4 | "$1" validate - absent' - "$ctl" "$node"
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = '-: ok (pci, version 1.1.0)' ]
	[[ ${lines[1]} == 'absent: open '* ]]
	run --separate-stderr bash -c 'head -c 2M /dev/zero | "$1" validate -' - "$ctl"
	[ "$status" -eq 1 ]
	[[ $output == 'standard input is over 1048576 bytes'* ]]
}

@test "help and version are printed to stdout" {
	for args in help --help -h; do
		run --separate-stderr "$ctl" "$args"
		[ "$status" -eq 0 ]
		[[ $output == 'usage: devinfoctl '* ]]
		[[ $output == *'show'*'validate'* ]]
	done
	run "$ctl" --version
	[ "$status" -eq 0 ]
	[[ $output =~ ^devinfoctl\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "a wrong question ends with status 2 and nothing on stdout" {
	local -a questions=('' bogus show 'show a b' validate --bogus 'show a --resource a/b/c'
		'validate x --resource r' 'show a --devinfo-dir x' 'show a --resource')
	for question in "${questions[@]}"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$ctl" $question
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ -n "$stderr" ]
	done
}

@test "what is wrong with an option is told by the option's name" {
	make_node igb
	says() {	# TEXT ARGUMENT...
		on_node "${@:2}"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "$stderr" = "devinfoctl: $1; see 'devinfoctl help'" ] || { echo "$stderr" && return 1; }
	}
	says "--resource cannot be 'a/b/c': expected a resource, as intel.com/netdev" show eth4 --resource a/b/c
	says "--interface cannot be 'a/b': expected the name of an interface" resolve --interface a/b
	says "--state-dir cannot be 'x': expected an absolute path" list --state-dir x
	says '--pod is not for list' list --pod default/p1
	says '--dry-run is not for list' list --dry-run
	says '--output is not for gc' gc --output json
	says '--resource is not for validate' validate --resource r x
	says 'a pod is needed by resolve, NAMESPACE/NAME' resolve
	says "a pod cannot be 'p1': expected NAMESPACE/NAME" resolve --pod p1
	says "a pod cannot be 'Default/p1': expected NAMESPACE/NAME" resolve Default/p1
	says 'resolve needs one pod, not --pod default/p1 and default/p2' resolve --pod default/p1 default/p2
	says "--timeout cannot be '0': expected 1 to 600000 milliseconds" resolve default/p1 --timeout 0
	says '--network and --interface are needed together' resolve --pod default/p1 --network net
	says '--network and --interface are needed together' resolve --pod default/p1 --interface net1
	says "unknown command 'bogus'" bogus
	says 'wrong number of operands for show: expected DEVICE' show a b
	says 'wrong number of operands for list: expected none' list x
	says "--output cannot be 'xml': expected table, wide, json or name" list --output xml
}

@test "a root that cannot be opened is an error" {
	run --separate-stderr "$ctl" --root "$BATS_TEST_TMPDIR/none" show eth0
	[ "$status" -eq 1 ]
	[[ $stderr == "devinfoctl: open root '$BATS_TEST_TMPDIR/none'"* ]]
}

@test "a result that cannot be written is an error" {
	make_node igb
	run bash -c '"$1" --root "$2" show eth4 >/dev/full' - "$ctl" "$node"
	[ "$status" -eq 1 ]
	[[ $output == 'devinfoctl: stdout: '* ]]
}

@test "resolve and gc of a recorded node go by its facts, not by this machine's kubelet and namespaces" {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/crash.node" "$node"
	on_node resolve default/web-5 --resource intel.com/sriov_netdevice
	[ "$status" -eq 1 ]
	[[ $output == *"attached to net1 of container 11fe"* ]]
	# its facts say nothing any more of who lives
	jq '.attachments = []' "$node/devinfo-node.json" >"$BATS_TEST_TMPDIR/facts"
	cp "$BATS_TEST_TMPDIR/facts" "$node/devinfo-node.json"
	on_node resolve default/web-5 --resource intel.com/sriov_netdevice
	[ "$status" -eq 1 ]
	[[ $stderr == *"(the facts of this recorded node do not tell)"* ]]
	on_node gc --dry-run
	[ "$status" -eq 1 ]
	# what is of an earlier boot or released needs no facts
	[ "$(grep -c '^would release' <<<"$output")" -eq 2 ]
	[ "$(grep -c '(the facts of this recorded node do not tell)' <<<"$stderr")" -eq 2 ]
	jq '.attachments = [{file: "f1086e6ac7f65c8c@0000:01:10.0.json", state: "unknown", why: "it was busy"}]' "$BATS_TEST_TMPDIR/facts" \
		>"$node/devinfo-node.json"
	on_node gc --dry-run
	[[ $stderr == *"look whether the container of a record is there (it was busy)"* ]]
}

@test "gc on a recorded node is --dry-run alone, which changes nothing" {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/crash.node" "$node"
	mkdir -p "$node/var/log/devinfo"
	echo '{"logFile":"/var/log/devinfo/gc.log"}' >"$DEVINFO_CONF"
	before=$(find "$node" -printf '%p %T@ %s\n' | sort)
	on_node gc
	[ "$status" -eq 2 ]
	[[ $stderr == "devinfoctl: a recorded node is not collected, but for --dry-run"* ]]
	on_node gc --dry-run
	[[ $output == "would release net1 of container "* ]]
	[ "$(find "$node" -printf '%p %T@ %s\n' | sort)" = "$before" ]
}

@test "no command changes a node" {
	make_node igb
	find "$node" | sort >"$BATS_TEST_TMPDIR/before"
	on_node show eth4 --resource r
	[ "$status" -eq 0 ]
	find "$node" | sort | diff "$BATS_TEST_TMPDIR/before" -
}

@test "the examples of the man page hold" {
	make_node igb
	dp_file intel.com-netdev-0000:01:10.0-device.json \
		'{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.0"}}'
	echo '{"kubeletSocket": "/kubelet.sock", "networksDir": "/net.d"}' >"$DEVINFO_CONF"
	install -D -m 644 "$top/conf/examples/sriov.conflist" "$node/net.d/sriov.conflist"
	jq -n '{pod_resources: [{name: "p1", namespace: "default", containers: [{name: "c", devices: [
		{resource_name: "intel.com/netdev", device_ids: ["0000:01:10.0"]}]}]}]}' >"$BATS_TEST_TMPDIR/pods.json"
	"$top/tests/fake/kubelet.py" --socket "$node/kubelet.sock" --state "$BATS_TEST_TMPDIR/pods.json" >"$BATS_TEST_TMPDIR/kubelet" 3>&- &
	server=$!
	for ((i = 0; i < 300; i++)); do
		grep -q ready "$BATS_TEST_TMPDIR/kubelet" && break
		sleep 0.1
	done
	sed -nE 's/^\.Dl [$#] //p' "$top/install/man/devinfoctl.8" | sed 's/\\(dq/"/g; s/\\&//g' >"$BATS_TEST_TMPDIR/examples"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/examples")" -ge 20 ]
	jq --arg root "$node" '.root = $root' "$DEVINFO_CONF" >"$BATS_TEST_TMPDIR/conf"
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/conf
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	cp "$devinfo"/dp/* .
	echo '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"server","path":"/run/net1.sock"}}' >net1.json
	echo '{"resourceList":[{"resourceName":"vf","selectors":{"drivers":["igbvf"]}}]}' >config.json
	sed -n '/^apiVersion: resource.k8s.io\/v1alpha3/,/^\.Ed/p' "$top/install/man/devinfoctl.8" | sed '$d' >patch.yaml
	echo '- {name: r, labels: {sriov: "true"}, matchFeatures: [{feature: devinfo.function, matchExpressions: {is_vf: {op: IsTrue}}}]}' >rules.yaml
	cp "$top/tests/cli/dra/vf-claim.yaml" claim.yaml
	mkdir net.d
	cp "$top/conf/examples/sriov.conflist" net.d
	devinfoctl() { "$ctl" "$@"; }
	kubectl() {	# of all there is, what the page asks for
		[ "$2" != pod ] || { echo '{"kind":"Pod","metadata":{"annotations":{"k8s.v1.cni.cncf.io/networks":"sriov"}}}' && return; }
		jq -c '{apiVersion: "v1", kind: "List", items: [{apiVersion: "k8s.cni.cncf.io/v1", metadata: {name: "sriov"},
			kind: "NetworkAttachmentDefinition", spec: {config: tojson}}]}' "$top/conf/examples/sriov.conflist"
	}
	dpdk-testpmd() { [[ $# -eq 4 && $2 == *,path=/run/net1.sock* ]]; }
	while read -r example; do
		said=0
		eval "$example" >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- </dev/null || said=$?
		# p1 has nothing attached: bad news, but no wrong question
		case $example in
		*\ explain\ * | *\ status\ * | *\ claim-status\ * | *\ doctor | *\ repair\ * | *\ gc\ *) most=1 ;;
		*\ watch* | *\ events*) most=1 ;;	# no devinfod runs
		*) most=0 ;;
		esac
		[ "$said" -le "$most" ] || { kill "$server" && echo "$example: $(cat "$BATS_TEST_TMPDIR/out")" && return 1; }
	done <"$BATS_TEST_TMPDIR/examples"
	kill "$server"
}
