#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# doctor.bats - devinfoctl doctor: a healthy recorded node is silent, and each finding is made by a
# test that breaks exactly that; those of leaks are in leaks.bats.  No privilege needed
#
# rooms: manager/doctor

bats_require_minimum_version 1.5.0
load ../compare

names() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	state=$node/var/lib/cni/devinfo run=$node/run/devinfo devinfo=$node/run/k8s.cni.cncf.io/devinfo
	kubelet=$node/var/lib/kubelet net_d=$node/etc/cni/net.d
	record=60490cf82448bcf3@0000:01:10.0.json pf=sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0/net/eth0
}

setup_file() {
	node=$BATS_FILE_TMPDIR/node
	names
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$node"
	mkdir -p "$state"/{attachments,pods,index} "$run"/{status,links,sockets} "$devinfo"/{cni,dp} "$node/run/netns" \
		"$node/var/lib/cni/results" "$node/proc/sys/kernel/random" "$kubelet/device-plugins" "$net_d/devinfo.d" \
		"$net_d/multus.d" "$node/opt/cni/bin"
	ln -s /run "$node/var/run"
	chmod 700 "$state" "$state"/*
	echo 0x1003 >"$node/$pf/flags"
	echo 1 >"$node/$pf/carrier"
	echo 6b1e7a2c-58a5-4d0b-9a4e-000000000001 >"$node/proc/sys/kernel/random/boot_id"
	echo shared >"$node/rdma"
	cp "$top/tests/node/before/vf.json" "$state/attachments/$record"
	cp "$top/tests/node/before/status.json" "$run/status/a.json"
	echo '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.0"}}' >"$devinfo/cni/lab-a_net1"
	touch "$node/run/netns/a" "$net_d/multus.d/multus.kubeconfig"
	echo '{"kind":"cniCacheV1","containerId":"a","ifName":"net1","networkName":"lab","result":{"interfaces":
		[{"name":"net1","sandbox":"/run/netns/a"}]}}' >"$node/var/lib/cni/results/lab-a-net1"
	printf '%s\n' '/dev/vda1 / ext4 rw 0 0' 'tmpfs /run tmpfs rw 0 0' >"$node/proc/mounts"
	echo '{"Data":{"PodDeviceEntries":[],"RegisteredDevices":{}},"Checksum":0}' \
		>"$kubelet/device-plugins/kubelet_internal_checkpoint"
	echo '{"cniVersion":"1.0.0","name":"multus","type":"multus","kubeconfig":"/etc/cni/net.d/multus.d/multus.kubeconfig"}' \
		>"$net_d/00-multus.conf"
	conflist '{"type":"devinfo","device":"eth4","ipam":{"type":"host-local"}}'
	echo '{"logLevel":"info"}' >"$net_d/devinfo.d/devinfo.json"
	facts .
}

setup() {
	set +T
	node=$BATS_TEST_TMPDIR/node
	names
	# the node's file is below the root
	unset DEVINFO_CONF
	cp -a "$BATS_FILE_TMPDIR/node" "$node"
}

# conflist PLUGINS - a network of the node's
conflist() { echo '{"cniVersion":"1.0.0","name":"lab","plugins":['"$1"']}' >"$net_d/10-lab.conflist"; }

# facts FILTER - what sockets say on this node, changed by a filter of jq
facts() {
	jq -cn '{
		node: {rdma_mode: "shared", kubelet_asked: true},
		vfs: [{pf: "eth0", index: 0, vlan: 100, trust: true, spoofchk: true, link_state: "auto"}],
		attachments: [{file: "'"$record"'", state: "live"}],
		allocations: [
			{resource: "intel.com/vf", id: "0000:01:10.0", allocatable: true},
			{resource: "intel.com/vf", id: "0000:01:10.2", allocatable: true},
			{resource: "intel.com/vf", id: "0000:01:10.0", pod_namespace: "default", pod_name: "p"},
			{resource: "other.com/gpu", id: "0000:81:00.0", allocatable: true}],
		plugins: {
			devinfo: {versions: ["0.4.0", "1.0.0", "1.1.0"]}, multus: {versions: ["1.0.0"]},
			sriov: {versions: ["1.0.0"]}, "host-local": {versions: ["1.0.0"]}}
		} | '"$1" >"$node/devinfo-node.json"
}

# doctor [OPTION...] - what it finds in $output; what it did not look at in $skipped
doctor() {
	run --separate-stderr "$ctl" --root "$node" doctor "$@"
	if [ "${1-}" = --json ]; then
		skipped=$(jq -c '[.[] | select(.severity == "skipped")]' <<<"$output")
		output=$(jq -c '[.[] | select(.severity != "skipped")]' <<<"$output")
	else
		skipped=$(sed '1,/^not looked at:$/d' <<<"$output")
		output=$(sed '/^not looked at:$/,$d' <<<"$output")
	fi
	mapfile -t lines <<<"$output"
}

# healthy - nothing to say
healthy() {
	doctor
	[[ $output =~ ^healthy\ \([0-9]+\ checks\)$ ]] || { echo "$output" && return 1; }
	[ -z "$stderr" ]
	[ "$status" -eq 0 ]
}

# finds SEVERITY CHECK OBJECT TEXT - this and nothing else, with something to do
finds() {
	doctor --json
	[ -z "$stderr" ] || { echo "$stderr" && return 1; }
	[ "$(jq -r '.[] | "\(.severity) \(.check) \(.object)"' <<<"$output")" = "$1 $2 $3" ] || { echo "$output" && return 1; }
	[[ $(jq -r '.[0].what' <<<"$output") == *"$4"* ]] || { echo "$output" && return 1; }
	[ "$(jq '.[0].advice | length > 10' <<<"$output")" = true ]
	[ "$status" -eq 1 ]
}

@test "a healthy node is one line, and as JSON an empty list" {
	healthy
	doctor --json
	[ "$output" = "[]" ]
	[ "$status" -eq 0 ]
}

@test "what was not looked at is told with the reason, for people and for machines" {
	healthy
	[[ $skipped == *"  vdpa-driver, vdpa-file: the node has no vDPA device"* ]]
	[[ $skipped == *"  taint-unknown: refuseTainted is false"* ]]
	[[ $skipped != *node-file* ]]
	made=${output//[!0-9]/}
	told=$skipped
	doctor --json
	[ "$(jq -c 'map(select(.check == "vdpa-file"))' <<<"$skipped")" = \
		'[{"advice":"","check":"vdpa-file","object":"","severity":"skipped","what":"the node has no vDPA device"}]' ]
	[ "$(jq 'map(select(.what == "")) | length' <<<"$skipped")" -eq 0 ]
	# each check was made or is told, in both forms
	all=$("$ctl" doctor --list --json | jq length)
	[ "$made" -gt 20 ]
	[ "$(jq 'map(.check) | unique | length' <<<"$skipped")" -eq $((all - made)) ]
	[ "$(sed 's/:.*//; s/ //g' <<<"$told" | tr ',' '\n' | sort)" = "$(jq -r '.[].check' <<<"$skipped" | sort)" ]
	rm "$net_d/devinfo.d/devinfo.json"
	doctor
	[[ $skipped == *"  node-file: there is no /etc/cni/net.d/devinfo.d/devinfo.json"* ]]
	facts '.node.kubelet_error = "it does not listen" | del(.allocations)'
	doctor
	[ "$status" -eq 1 ]
	[[ $skipped == *"  offered-gone, given-gone, offered-twice, holder"*": what kubelet gave is not known"* ]]
}

@test "a journal that cannot be trusted leaves no check of leaks unmentioned" {
	chmod 777 "$state"
	doctor
	[ "$status" -eq 1 ]
	[[ $skipped =~ record-dead,\ [^:]*,\ netns-mount:\ the\ journal\ cannot\ be\ trusted ]]
}

@test "the names of findings are no names of what was not looked at" {
	run --separate-stderr "$ctl" --root "$node" doctor -o name
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[[ $stderr == "devinfoctl: healthy ("* ]]
}

@test "a root that is no node is not healthy" {
	mkdir "$BATS_TEST_TMPDIR/empty"
	run --separate-stderr "$ctl" --root "$BATS_TEST_TMPDIR/empty" doctor
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[ "$stderr" = "devinfoctl: the root is no node: it has neither /sys nor /devinfo-node.json" ]
}

@test "without Kubernetes one line says so, and what is left to check is checked" {
	healthy
	all=${output//[!0-9]/}
	rm -r "$kubelet"
	facts 'del(.allocations, .node.kubelet_asked)'
	doctor
	[[ $output =~ ^healthy\ \(([0-9]+)\ checks\;\ no\ Kubernetes\ on\ this\ node:\ there\ is\ no\ /var/lib/kubelet\)$ ]]
	[ "${BASH_REMATCH[1]}" -lt "$all" ]
	[ "${BASH_REMATCH[1]}" -gt 20 ]
	[ -z "$stderr" ]
	[ "$status" -eq 0 ]
	doctor --json
	[ "$output" = "[]" ]
}

@test "a finding is a row with its texts below it, or as wide as they are; and --list prints the checks" {
	facts '.node.kubelet_error = "it does not listen"'
	doctor
	[ "${#lines[@]}" -eq 4 ]
	[[ ${lines[0]} =~ ^SEVERITY\ +CHECK\ +OBJECT$ ]]
	[[ ${lines[1]} =~ ^error\ +kubelet\ +/var/lib/kubelet/pod-resources/kubelet.sock$ ]]
	[ "${lines[2]}" = "    it does not listen" ]
	[[ ${lines[3]} == "    -> look"* ]]
	[ "$status" -eq 1 ]
	doctor --output=wide
	[ "${#lines[@]}" -eq 2 ]
	[[ ${lines[0]} =~ ^SEVERITY\ +CHECK\ +OBJECT\ +WHAT\ +ADVICE$ ]]
	[[ ${lines[1]} =~ ^error\ +kubelet\ +/var/lib/kubelet/pod-resources/kubelet.sock\ +it\ does\ not\ listen\ +look ]]
	doctor --list
	[ "$status" -eq 0 ]
	[[ $output == *$'\niommu '* ]]
	doctor --list --json
	[ "$(jq 'length > 40 and all(.[]; (.check | length > 0) and (.about | length > 0))' <<<"$output")" = true ]
}

@test "each check is in a test that breaks just that" {
	for check in $("$ctl" doctor --list --json | jq -r '.[].check'); do
		grep -qE "(finds ([a-z]+ |\")|mended \"|^	doctor |check == \")$check(:|\"| |\$)" "$top"/tests/cli/{doctor,leaks}.bats \
			"$top"/tests/net/{doctor,repair,socket_kept,pod_gc}.bats "$top/tests/peers/ovs_left.bats" || { echo "$check" && return 1; }
	done
}

@test "errors come before warnings, and then it goes by check and object" {
	chmod o+w "$net_d/00-multus.conf" "$net_d/10-lab.conflist"
	printf '%s\n' '/dev/vda1 / ext4 rw 0 0' 'tmpfs /run tmpfs rw 0 0' 'tmpfs /var/lib/cni tmpfs rw 0 0' >"$node/proc/mounts"
	facts '.node.kubelet_error = "it does not listen"'
	doctor --json
	[ "$(jq -r '.[] | "\(.severity) \(.check) \(.object)"' <<<"$output")" = "error conf-mode /etc/cni/net.d/00-multus.conf
error conf-mode /etc/cni/net.d/10-lab.conflist
error kubelet /var/lib/kubelet/pod-resources/kubelet.sock
warning dir-memory /var/lib/cni/devinfo" ]
}

@test "a check that cannot be made is a finding" {
	rm -r "$net_d"
	ln -s net.d "$net_d"
	doctor --json
	[ "$status" -eq 1 ]
	[ "$(jq -r '.[] | "\(.severity) \(.check) \(.object)"' <<<"$output" | head -n1)" = "error check-failed cni-conf" ]
	[[ $(jq -r '.[0].what' <<<"$output") == *"/etc/cni/net.d"*"symbolic links"* ]]
}

@test "a journal that cannot be believed is a finding, and nothing is said of what is left" {
	touch "$devinfo/cni/left_net1"
	rm -r "$state/attachments"
	ln -s attachments "$state/attachments"
	doctor --json
	[ "$(jq -r '.[] | select(.check == "check-failed").object' <<<"$output")" = journal ]
	[[ $output != *left_net1* ]]
	[ "$status" -eq 1 ]
}

# -- the kernel --

@test "a function for vfio without IOMMU group" {
	rm "$node"/sys/devices/pci0000:00/0000:00:04.0/0000:01:10.2/iommu_group
	finds error iommu 0000:01:10.2 "no IOMMU group"
	mkdir -p "$node/sys/module/vfio/parameters"
	echo Y >"$node/sys/module/vfio/parameters/enable_unsafe_noiommu_mode"
	healthy
}

@test "a vDPA device without a driver, or without its file" {
	rm -r "$node"/sys
	"$top/tests/node/make-node.sh" "$top/tests/node/vdpa.node" "$node"
	rm -r "$state"/attachments/* "$run"/status/* "$devinfo"/cni/* "$node/var/lib/cni/results"
	facts 'del(.allocations, .vfs, .attachments)'
	rm "$node/sys/bus/vdpa/devices/unbound"
	mkdir -p "$node/dev"
	touch "$node"/dev/vhost-vdpa-{0,3,7}
	healthy
	rm "$node/dev/vhost-vdpa-0"
	finds error vdpa-file vdpa0 "its file /dev/vhost-vdpa-0 is missing"
	touch "$node/dev/vhost-vdpa-0"
	rm -r "$node"/sys
	"$top/tests/node/make-node.sh" "$top/tests/node/vdpa.node" "$node"
	finds warning vdpa-driver unbound "no driver has it"
}

@test "a VF in switchdev mode whose representor is missing, where others have one" {
	rm -r "$node"/sys
	"$top/tests/node/make-node.sh" "$top/tests/node/mlx5.node" "$node"
	rm -r "$state"/attachments/* "$run"/status/* "$devinfo"/cni/* "$node/var/lib/cni/results"
	facts 'del(.allocations, .vfs, .attachments) | .functions = [{bdf: "0000:03:00.0", eswitch: "switchdev"}]'
	healthy
	rm -r "$node"/sys/devices/pci0000:00/0000:00:02.0/0000:03:00.0/net/eth0 "$node/sys/class/net/eth0"
	finds warning representor 0000:03:01.4 "0000:03:00.0 is in switchdev mode, and VF 10 has no representor"
}

@test "RDMA devices are to be isolated, and the kernel shares them" {
	conflist '{"type":"devinfo","device":"eth4","rdmaIsolation":true}'
	finds error rdma-mode /etc/cni/net.d/10-lab.conflist "shares them"
	conflist '{"type":"multus","delegates":[{"name":"a","plugins":[{"type":"bridge"},{"type":"rdma"}]}]}'
	finds error rdma-mode /etc/cni/net.d/10-lab.conflist "shares them"
	facts '.node.rdma_mode = "exclusive"'
	healthy
}

@test "a device that a pod has has failed" {
	rm "$node"/sys/devices/pci0000:00/0000:00:04.0/0000:01:10.0/driver
	finds error device-failed 0000:01:10.0 "no driver is bound"
	# nobody's VF may wait for the driver that its pod wants: that is told, and is no fault
	ln -s ../../../../bus/pci/drivers/igbvf "$node"/sys/devices/pci0000:00/0000:00:04.0/0000:01:10.0/driver
	rm "$node"/sys/devices/pci0000:00/0000:00:04.0/0000:01:10.2/driver
	doctor --json
	[ "$(jq -r '.[] | "\(.severity) \(.check) \(.object)"' <<<"$output")" = "info vf-out-of-reach 0000:01:10.2" ]
	[ "$status" -eq 0 ]
	# which may be sriov-cni's
	mkdir -p "$node/var/lib/cni/sriov/pci" "$node/run/netns"
	touch "$node/run/netns/c"
	echo -n /run/netns/c >"$node/var/lib/cni/sriov/pci/0000:01:10.2"
	finds error device-failed 0000:01:10.2 "no driver is bound"
}

@test "the device of a live attachment is gone" {
	rm "$node"/sys/bus/pci/devices/0000:01:10.0 "$node"/sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0/virtfn0
	rm -r "$node"/sys/devices/pci0000:00/0000:00:04.0/0000:01:10.0 "$node/sys/class/net/eth4"
	facts 'del(.allocations)'
	finds error device-gone 0000:01:10.0 "container a has it as net1"
	# and is told once, whatever came of comparing it
	for drift in "drifted: interface: net1 is not in the container" "cannot tell: PCI device 0000:01:10.0 is gone"; do
		facts 'del(.allocations) | .attachments[0] += {drift: "'"$drift"'", device_away: true}'
		finds error device-gone 0000:01:10.0 "container a has it as net1"
	done
}

# -- taints --

@test "a taint that an ADD cannot judge is an error where the node refuses tainted devices" {
	overrides=$net_d/devinfo.d/overrides
	mkdir -p "$overrides"
	unjudged() { [[ $output == "["* ]] || echo "no list"; jq -r '.[] | select(.check == "taint-unknown") | "\(.severity) \(.object) \(.what)"' <<<"$output"; }
	jq -n '{apiVersion: "resource.k8s.io/v1", kind: "DeviceTaintRule", metadata: {name: "r"}, spec: {
		deviceSelector: {deviceClassName: "c"}, taint: {key: "k", effect: "NoSchedule"}}}' >"$overrides/r.json"
	doctor --json
	[ -z "$(unjudged)" ]
	echo '{"refuseTainted": true}' >"$BATS_TEST_TMPDIR/devinfo.json"
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	doctor --json
	[ "$(unjudged)" = "error /etc/cni/net.d/devinfo.d/overrides DeviceTaintRule r of r.json selects by a class or an expression: not looked at for an attachment" ]
	echo '{' >"$overrides/r.json"
	doctor --json
	[[ $(unjudged) == "error /etc/cni/net.d/devinfo.d/overrides r.json"* ]] || { unjudged && false; }
	rm "$overrides/r.json"
	doctor --json
	[ -z "$(unjudged)" ]
}

# -- living pods --

@test "the VFs of a PF were made anew: the device is there, and the pod does not have it" {
	facts '.attachments[0] += {drift: "drifted: interface: net1 is not in the container but on the host", device_away: true}'
	finds error device-away 0000:01:10.0 "net1 of container a, network lab: interface: net1 is not in the container but on the host"
	run --separate-stderr "$ctl" --root "$node" repair --dry-run
	[[ $output == *"by hand"*"device-away"* ]]
	[ "$status" -eq 1 ]
}

@test "an attachment differs from what its ADD left: each thing that a CHECK would tell" {
	for what in "interface: net1 is called eth7" "state: expected up, got down" "address: 10.56.0.1 is gone"; do
		facts '.attachments[0] += {drift: "drifted: '"$what"'"}'
		finds warning drift 0000:01:10.0 "net1 of container a, network lab: $what"
		run --separate-stderr "$ctl" --root "$node" repair --dry-run
		[[ $output == *"by hand"*"drift"* ]]
		[ "$status" -eq 1 ]
	done
	facts '.attachments[0] += {drift: "cannot tell: open netns: Permission denied"}'
	finds warning drift 0000:01:10.0 "it could not be compared: open netns: Permission denied"
	# no fault, but it was not looked at: of a process that hangs nothing else would tell
	facts '.attachments[0] += {drift: "cannot tell: a call is at work on it"}'
	doctor --json
	[ "$(jq -r '.[] | "\(.severity) \(.check) \(.what)"' <<<"$output")" = "info drift net1 of container a, network lab: it was not compared: a call is at work on it, which has locked it in /var/lib/cni/devinfo/lock" ] ||
		{ echo "$output" && false; }
	run --separate-stderr "$ctl" --root "$node" doctor
	[ "$status" -eq 0 ]
	[[ $output != healthy* && $output == *"a process that hangs has the lock"* ]]
	facts '.attachments[0] += {drift: "as made: not compared: what only the configuration says"}'
	healthy
}

@test "a PF is down or without carrier under a VF that follows it; with a link of its own it is no finding" {
	echo 0x1002 >"$node/$pf/flags"
	healthy		# nobody has looked whether its interface has a carrier
	facts '.attachments[0].drift = "as made"'
	finds warning pf-down 0000:01:00.0 "PF eth0 is down, and VFs with link_state auto follow it: net1 of container a"
	for fine in '.vfs[0].link_state = "enable"' '.attachments[0].carrier = true' '.vfs = []'; do
		facts '.attachments[0].drift = "as made" | '"$fine"
		healthy
	done
	# nor when a call is at work on it
	facts '.attachments[0].drift = "cannot tell: a call is at work on it"'
	doctor --json
	[ "$(jq -c 'map(.check)' <<<"$output")" = '["drift"]' ]
	echo 0x1003 >"$node/$pf/flags"
	echo 0 >"$node/$pf/carrier"
	facts '.attachments[0].drift = "as made"'
	finds warning pf-down 0000:01:00.0 "PF eth0 has no carrier, and VFs with link_state auto follow it: net1 of container a"
}

# -- kubelet --

@test "kubelet does not answer" {
	facts '.node.kubelet_error = "connect: Connection refused"'
	finds error kubelet /var/lib/kubelet/pod-resources/kubelet.sock "Connection refused"
}

@test "kubelet's checkpoint cannot be read" {
	echo '{"Data":' >"$kubelet/device-plugins/kubelet_internal_checkpoint"
	finds warning kubelet-checkpoint /var/lib/kubelet/device-plugins/kubelet_internal_checkpoint "not valid JSON"
	rm "$kubelet/device-plugins/kubelet_internal_checkpoint"
	healthy
}

@test "kubelet offers a device that the node does not have; of other kinds nothing is known" {
	facts '.allocations += [{resource: "intel.com/vf", id: "0000:01:10.4", allocatable: true}]'
	finds error offered-gone 0000:01:10.4 "offers it as intel.com/vf"
}

@test "a pod was given a device that the node does not have" {
	facts '.allocations += [{resource: "intel.com/vf", id: "0000:01:10.4", pod_namespace: "default", pod_name: "q"}]'
	finds error given-gone 0000:01:10.4 "pod default/q was given it"
}

@test "kubelet offers a device as two resources" {
	facts '.allocations += [{resource: "intel.com/dpdk", id: "0000:01:10.2", allocatable: true}]'
	finds error offered-twice 0000:01:10.2 "intel.com/dpdk and as intel.com/vf"
}

@test "a pod has a device that kubelet gave to another" {
	jq -c '.pod = {namespace: "default", name: "p", uid: "u"}' "$top/tests/node/before/vf.json" \
		>"$state/attachments/$record"
	healthy
	facts '.allocations[2].pod_name = "q"'
	finds error holder 0000:01:10.0 "pod default/p has it as net1, and kubelet gave it to pod default/q"
}

@test "a pod waits for a device that nobody attaches; one that has just started, or needs no network, does not" {
	waits() { facts '.allocations += [{resource: "intel.com/vf", id: "0000:01:10.2", pod_namespace: "default", pod_name: "q",
		container: "app", waits: 700} + ('"$1"')]'; }
	waits .
	finds warning given-unattached 0000:01:10.2 \
		'pod default/q was given it as intel.com/vf, has not started for 11 minutes, and nothing has attached it'
	[[ $(jq -r '.[0].advice' <<<"$output") == 'look what the ADD of the network that asks for intel.com/vf says'* ]]
	waits '{id: "opaque"}'
	finds warning given-unattached opaque 'pod default/q was given it as intel.com/vf'
	waits '{resource: "claim default/nics", id: "nic-0", driver: "d", unresolved: true, unreadable: "no JSON"}'
	finds warning given-unattached nic-0 'which device it is cannot be told: no JSON'
	# its ADD may be at work; its sandbox has its networks; it is another kind of device
	for pod in '{waits: 599}' '{waits: 0}' '{waits: 0, started: true}' '{resource: "other.com/gpu", id: "0000:81:00.0"}'; do
		waits "$pod"
		healthy
	done
	# an init container's is told once
	waits '{container: "init"}, .allocations[-1]'
	finds warning given-unattached 0000:01:10.2 'pod default/q'
	# without the runtime's results nothing tells what the pod waits for
	waits '{resource: "devices.kubevirt.io/kvm", id: "kvm3"}'
	finds warning given-unattached kvm3 'pod default/q'
	[[ $(jq -r '.[0].advice' <<<"$output") == 'nothing here tells whether a network is to attach it: if one of the pod asks for devices.kubevirt.io/kvm, '* ]]
	mv "$node/var/lib/cni/results" "$node/var/lib/cni/elsewhere"
	healthy
	# nor whether it waits at all
	waits '{waits: 0}'
	healthy
	[[ $skipped == *"  given-unattached: whether pods wait for their networks is not known"* ]]
}

@test "of very many devices that pods wait for the first 1000 are looked at, and that is told" {
	facts '.allocations += [range(9000) as $i | {resource: "example.com/r\($i)", id: "mem\($i)", pod_namespace: "default", pod_name: "q",
		container: "app", waits: 700}]'
	run --separate-stderr "$ctl" --root "$node" doctor --json
	[ "$(jq '[.[] | select(.check == "given-unattached" and .severity == "warning")] | length' <<<"$output")" = 1000 ]
	run --separate-stderr "$ctl" --root "$node" doctor
	[[ $output == *"  given-unattached: of the 9000 devices that pods wait for the first 1000 were looked at"* ]]
}

# asks FILTER - the pod's network asks for this, as its record says; and the pod is default/p
asks() {
	jq -c '.pod = {namespace: "default", name: "p", uid: "u"} | .request |= (fromjson | del(.deviceID) | '"$1"' | tojson)' \
		"$top/tests/node/before/vf.json" >"$state/attachments/$record"
}

@test "a pod has another device than kubelet gave it" {
	asks '.resourceName = "intel.com/vf"'
	healthy
	facts '.allocations[2].id = "0000:01:10.2"'
	finds error given-other 0000:01:10.0 "pod default/p has it as net1, and kubelet gave it 0000:01:10.2 as intel.com/vf"
	# of several it has none
	facts '.allocations[2].id = "0000:01:10.2" | .allocations += [.allocations[2] | .id = "0000:01:00.0"]'
	finds error given-other 0000:01:10.0 "and 1 others as intel.com/vf"
	# or one of them
	facts '.allocations += [.allocations[2] | .id = "0000:01:10.2"]'
	healthy
	facts '.allocations[2].resource = "intel.com/other"'
	healthy
	# its claim's
	asks '.claim = "nics"'
	facts '.allocations[2] += {resource: "claim default/nics", id: "0000:01:10.2", driver: "d", pool: "n"}'
	finds error given-other 0000:01:10.0 "kubelet gave it 0000:01:10.2 as claim default/nics"
	# what the runtime remembers goes before the record
	cat >"$node/var/lib/cni/results/lab-a-net1" <<-END
		{"kind": "cniCacheV1", "containerId": "a", "ifName": "net1", "networkName": "lab", "config": "$(
			base64 -w0 <<<'{"cniVersion": "1.0.0", "name": "lab", "type": "devinfo", "deviceID": "0000:01:10.0", "claim": "nics"}')",
		 "result": {"interfaces": [{"name": "net1", "sandbox": "/run/netns/a"}]}}
	END
	healthy
}

@test "a pod's device is its network's choice, or nobody knows what kubelet gave: nothing is said" {
	facts '.allocations[2].id = "0000:01:10.2"'
	for said in '.deviceID = "0000:01:10.0" | .resourceName = "intel.com/vf"' '.deviceID = "0000:01:10.0"' \
		'.device = "eth4"' '.pciBusID = "0000:01:10.0" | .resourceName = "intel.com/vf"' .; do
		asks "$said"
		healthy
	done
	asks '.resourceName = "intel.com/vf"'
	# an id whose device nobody knows; no device of the resource; none of the pod's; a pod that is another's
	for allocation in '.id = "opaque"' '.resource = "intel.com/dpdk"' '.pod_name = "q"' '.pod_namespace = "kube-system"'; do
		facts '.allocations[2] |= (.id = "0000:01:10.2" | '"$allocation"')'
		healthy
	done
	facts '.allocations[2].id = "0000:01:10.2" | .node.kubelet_error = "it does not listen" | del(.allocations)'
	doctor --json
	[ "$(jq -c 'map(.check)' <<<"$output")" = '["kubelet"]' ]
	# a container that is no pod, and one that is dead
	facts '.allocations[2].id = "0000:01:10.2"'
	asks '.resourceName = "intel.com/vf"'
	jq -c 'del(.pod)' "$state/attachments/$record" >"$BATS_TEST_TMPDIR/record"
	cp "$BATS_TEST_TMPDIR/record" "$state/attachments/$record"
	healthy
	rm "$state/attachments/$record"
	jq -c '.pod = {namespace: "default", name: "p", uid: "u"} | del(.request, .ipamType)' "$top/tests/node/before/vf.json" \
		>"$state/attachments/$record"
	healthy
	[[ $skipped == *"  given-other: of 1 attachments neither the runtime nor the record tells what the network asked for"* ]]
}

# -- directories --

@test "a directory of the plugin is none" {
	rm -r "$run/sockets"
	echo file >"$run/sockets"
	finds error dir /run/devinfo/sockets "directory"
}

@test "others may write to a directory of ours, or of plugins and configurations" {
	for dir in "$state" "$state/attachments" "$run" "$run/status" "$run/sockets" "$devinfo" "$devinfo/cni"; do
		mode=$(stat -c %a "$dir")
		chmod g+w "$dir"
		path=${dir#"$node"}
		finds error dir-mode "${path/#\/run\/k8s/\/var\/run\/k8s}" "others may write to it (mode 0"
		chmod "$mode" "$dir"
	done
	for dir in "$net_d" "$net_d/devinfo.d" "$node/opt/cni/bin" "$devinfo/dp"; do
		chmod o+w "$dir"
		path=${dir#"$node"}
		finds error dir-mode "${path/#\/run\/k8s/\/var\/run\/k8s}" "everybody may write to it (mode 0"
		chmod o-w "$dir"
	done
	healthy
}

@test "others may write to a network-status file, or to the device-info file of an attachment" {
	for file in "$run/status/a.json" "$devinfo/cni/lab-a_net1"; do
		path=${file#"$node"}
		for mode in 0664 0646; do
			chmod "$mode" "$file"
			finds error file-mode "${path/#\/run\/k8s/\/var\/run\/k8s}" "others may write to it (mode $mode)"
		done
		chmod 0644 "$file"
	done
	# what another plugin has made is that one's
	echo '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.2"}}' >"$devinfo/cni/other-b_net1"
	chmod 0666 "$devinfo/cni/other-b_net1"
	healthy
}

@test "a journal in memory, and files for one boot on a disk" {
	printf '%s\n' '/dev/vda1 / ext4 rw 0 0' 'tmpfs /run tmpfs rw 0 0' 'tmpfs /var/lib/cni tmpfs rw 0 0' >"$node/proc/mounts"
	finds warning dir-memory /var/lib/cni/devinfo "in memory"
	printf '%s\n' '/dev/vda1 / ext4 rw 0 0' 'tmpfs /run tmpfs rw 0 0' '/dev/vdb /run/devinfo ext4 rw 0 0' >"$node/proc/mounts"
	finds warning dir-disk /run/devinfo "on a disk"
	# a node that boots into memory as a whole
	printf '%s\n' 'rootfs / rootfs rw 0 0' 'tmpfs /run tmpfs rw 0 0' >"$node/proc/mounts"
	healthy
}

# note STATEDIR... - ADDs have used them, in this order
note() {
	mkdir -p -m 700 "$node/var/lib/cni/devinfo.dirs"
	jq -cn '{version: 1, dirs: ($ARGS.positional | map({stateDir: ., runDir: "/run/devinfo",
		devinfoDir: "/var/run/k8s.cni.cncf.io/devinfo"}))}' --args "$@" >"$node/var/lib/cni/devinfo.dirs/dirs.json"
	chmod 600 "$node/var/lib/cni/devinfo.dirs/dirs.json"
}

@test "a record in a directory that was stateDir before: it is an attachment as ever, and an error" {
	note /var/lib/cni/old /var/lib/cni/devinfo
	healthy
	mkdir -m 700 "$node"/var/lib/cni/old{,/attachments}
	mv "$state/attachments/$record" "$node/var/lib/cni/old/attachments"
	finds error dir-earlier /var/lib/cni/old "1 records are left here"
	run --separate-stderr "$ctl" --root "$node" list --json
	[ "$(jq -r '.[] | "\(.device) \(.state) \(.state_dir)"' <<<"$output")" = "0000:01:10.0 live /var/lib/cni/old" ]
	run --separate-stderr "$ctl" --root "$node" scan --json
	[ "$(jq -r '.[] | select(.id == "0000:01:10.0").attachment_state' <<<"$output")" = live ]
	[[ $stderr == *"1 records are in /var/lib/cni/old"* ]]
	cd "$BATS_TEST_TMPDIR"
	"$ctl" --root "$node" record-node again.tar
	"$top/tests/node/make-node.sh" again.tar again
	doctor --json
	diff <(jq . <<<"$output") <("$ctl" --root again doctor --json | jq 'map(select(.severity != "skipped"))')
	chmod 777 "$node/var/lib/cni/devinfo.dirs"
	doctor --json
	[ "$(jq -r '.[] | select(.check == "dir-earlier") | "\(.severity) \(.object)"' <<<"$output")" = \
		"error /var/lib/cni/devinfo.dirs" ]
}

# -- configurations --

@test "the node's file has an unknown key, and a value that cannot be: both are told" {
	echo '{"stateDri":"/x"}' >"$net_d/devinfo.d/devinfo.json"
	finds error node-file /etc/cni/net.d/devinfo.d/devinfo.json "stateDri: unknown key, did you mean stateDir?"
	echo '{"lockTimeoutMs":"long"}' >"$net_d/devinfo.d/devinfo.json"
	finds error node-file /etc/cni/net.d/devinfo.d/devinfo.json "lockTimeoutMs"
	echo '{' >"$net_d/devinfo.d/devinfo.json"
	finds error node-file /etc/cni/net.d/devinfo.d/devinfo.json "devinfo.json"
	rm "$net_d/devinfo.d/devinfo.json"
	healthy
}

@test "DEVINFO_CONF names the node's file, and doctor runs although it is wrong" {
	echo '{"stateDri":"/x","runDri":"/y"}' >"$BATS_TEST_TMPDIR/devinfo.json"
	DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json doctor --json
	[ "$status" -eq 1 ]
	[ "$(jq -r '.[] | "\(.check) \(.what)"' <<<"$output")" = "node-file runDri: unknown key, did you mean runDir?
node-file stateDri: unknown key, did you mean stateDir?" ]
}

@test "a node's file that is no JSON: doctor tells it, list and repair go by the defaults" {
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	for text in '{"logLevel":"info",' '' '[]'; do
		echo "$text" >"$DEVINFO_CONF"
		doctor --json
		[ "$status" -eq 1 ]
		[ "$(jq -r '.[] | "\(.severity) \(.check) \(.object)"' <<<"$output")" = "error node-file $DEVINFO_CONF" ]
		[[ $(jq -r '.[].what' <<<"$output") == *'; until then the defaults are taken' ]]
		run --separate-stderr "$ctl" --root "$node" list --json
		[ "$status" -eq 0 ]
		[ "$(jq length <<<"$output")" -eq 1 ]
		[[ $stderr == *"$DEVINFO_CONF"*'the defaults are taken instead'* ]]
		run --separate-stderr "$ctl" --root "$node" repair --dry-run
		[ "$status" -eq 1 ]	# the file is left to people
		[[ $output == *node-file* ]]
		[[ $stderr == *"$DEVINFO_CONF"*'the defaults are taken instead'* ]]
		run --separate-stderr "$ctl" --root "$node" publish
		[ "$status" -eq 1 ]
		[[ $stderr != *'the defaults are taken instead'* ]]
	done
}

@test "a node's file that is no JSON and says where the journal is keeps repair and gc from another" {
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo '{"stateDir":"/x"' >"$DEVINFO_CONF"
	run --separate-stderr "$ctl" --root "$node" list --json
	[ "$status" -eq 0 ]
	for command in repair gc; do
		run --separate-stderr "$ctl" --root "$node" "$command" --dry-run
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[[ $stderr == *"$DEVINFO_CONF"* ]]
	done
}

@test "a file beside the node's own is told: it is not read" {
	echo '{"stateDir":"/x"}' >"$net_d/devinfo.d/10-site.json"
	mkdir "$net_d/devinfo.d/overrides"
	finds warning node-file /etc/cni/net.d/devinfo.d/10-site.json "it is not read"
	rm "$net_d/devinfo.d/10-site.json"
	echo x >"$net_d/devinfo.d/notes.txt"
	healthy
}

@test "a CNI configuration that the plugin would refuse, or nobody can read" {
	conflist '{"type":"devinfo","device":"eth4","vlna":5}'
	finds warning cni-conf /etc/cni/net.d/10-lab.conflist "plugins[0].vlna: unknown key"
	conflist '{"type":"devinfo","device":"eth4","mac":"zz"}'
	finds error cni-conf /etc/cni/net.d/10-lab.conflist "plugins[0]: invalid mac 'zz'"
	# by the node's own file
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	conflist '{"type":"devinfo","device":"eth4","ipam":{"type":"static"},"logFile":"/var/log/sriov/a.log"}'
	echo '{"allowPlugins":["host-local"],"logDir":"/var/log/sriov"}' >"$DEVINFO_CONF"
	finds error cni-conf /etc/cni/net.d/10-lab.conflist "plugins[0]: ipam.type 'static' is not allowed"
	echo '{"allowPlugins":["static"]}' >"$DEVINFO_CONF"
	finds warning cni-conf /etc/cni/net.d/10-lab.conflist "expected a file in the node's logDir '/var/log/devinfo'"
	echo '{"allowPlugins":["static"],"logDir":"/var/log/sriov","logLevel":"loud"}' >"$DEVINFO_CONF"
	finds warning node-file "$DEVINFO_CONF" "logLevel is not known, and not used: 'loud'"
	echo '{"allowPlugins":["static"],"logDir":"/var/log/sriov"}' >"$DEVINFO_CONF"
	healthy
	unset DEVINFO_CONF
	echo '{' >"$net_d/10-lab.conflist"
	finds error cni-conf /etc/cni/net.d/10-lab.conflist "10-lab.conflist"
	mv "$net_d/10-lab.conflist" "$net_d/10-lab.conflist.bak"
	healthy
}

@test "the definitions of networks cannot be read, are none, or are wrong" {
	local dir=/etc/cni/nets.d
	nets=$node$dir
	healthy
	[[ $skipped == *"networks-dir: the node's file does not have networksDir"* ]]
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{\"networksDir\": \"$dir\"}" >"$DEVINFO_CONF"
	healthy
	[[ $skipped == *"networks-dir: a recorded node does not have $dir"* ]]
	mkdir -m 755 "$nets"
	finds warning networks-dir $dir "there is no network in it"
	definition() {
		jq -n --arg n "$1" --arg c "$2" '{apiVersion: "k8s.cni.cncf.io/v1", kind: "NetworkAttachmentDefinition",
			metadata: {name: $n, namespace: "apps"}, spec: {config: $c}}' >"$nets/$1.json"
		chmod 644 "$nets/$1.json"
	}
	definition good '{"cniVersion":"1.0.0","type":"devinfo","device":"eth4"}'
	definition sriov '{"cniVersion":"1.0.0","type":"sriov","vlan":7}'
	install -m 644 /dev/null "$nets/README.md"
	healthy
	definition bad '{"cniVersion":"1.0.0","type":"devinfo","vlan":9999}'
	finds error networks-dir $dir/bad.json "spec.config: vlan: expected an integer of 0 to 4094, got 9999"
	definition bad '{"cniVersion":"1.0.0","type":"devinfo","vlna":7}'
	finds warning networks-dir $dir/bad.json "vlna: unknown key, did you mean vlan?"
	definition bad '{"cniVersion":"1.0.0","type":"devinfo","podNetworks":true}'
	finds error networks-dir $dir/bad.json "podNetworks: not in a definition"
	definition bad ''
	finds error networks-dir $dir/bad.json "spec.config is empty, and '$dir' has no configuration of the name bad"
	definition bad '{"cniVersion":"1.0.0","type":"x"}'
	healthy
	chmod 646 "$nets/bad.json"
	finds error networks-dir $dir "'bad.json' has owner $UID and mode 0646: must be root's, and not writable by others"
	rm "$nets/bad.json"
	ln -s good.json "$nets/link.json"
	finds error networks-dir $dir "open 'link.json': Too many levels of symbolic links"
	rm "$nets/link.json"
	echo '{' >"$nets/torn.conf"
	finds error networks-dir $dir "torn.conf: not valid JSON: line 2"
	rm "$nets/torn.conf"
	chmod 777 "$nets"
	finds error networks-dir $dir "'$dir' has owner $UID and mode 0777: must be root's"
	chmod 755 "$nets"
	healthy
}

@test "everybody may write to a configuration" {
	chmod o+w "$net_d/devinfo.d/devinfo.json"
	finds error conf-mode /etc/cni/net.d/devinfo.d/devinfo.json "mode 0646"
	chmod o-w "$net_d/devinfo.d/devinfo.json"
	mkdir "$net_d/devinfo.d/overrides"
	install -m 666 /dev/null "$net_d/devinfo.d/overrides/a.yaml"
	finds error conf-mode /etc/cni/net.d/devinfo.d/overrides/a.yaml "mode 0666"
}

@test "K38, K39: an override that is not applied, and what is odd about others" {
	mkdir "$net_d/devinfo.d/overrides"
	healthy
	override() {
		jq -n --arg name "$1" --argjson devices "$2" '{apiVersion: "resource.k8s.io/v1alpha3",
			kind: "ResourceSlicePatch", metadata: {name: $name}, spec: {devices: $devices}}' \
			>"$net_d/devinfo.d/overrides/$1.json"
	}
	override good '{"attributes": {"example.com/rack": {"string": "r1"}}}'
	healthy
	override bad '{"filter": {"selectors": [{"cel": {"expression": "device.driver =="}}]}}'
	finds warning overrides "ResourceSlicePatch bad of bad.json" "selectors[0]: 'device.driver =='"
	override bad '{"filter": {"selectors": [{"cel": {"expression": "device.attributes[\"example.com\"].none"}}]}}'
	finds warning overrides "ResourceSlicePatch bad of bad.json" " more: not applied, an expression fails: "
	override bad '{"filter": {"deviceClassName": "none"}}'
	finds warning overrides "ResourceSlicePatch bad of bad.json" "there is no DeviceClass none"
	echo '{' >"$net_d/devinfo.d/overrides/bad.json"
	finds warning overrides /etc/cni/net.d/devinfo.d/overrides "bad.json"
	# marked bad, and given away all the same
	jq -n '{apiVersion: "resource.k8s.io/v1", kind: "DeviceTaintRule", metadata: {name: "bad"}, spec: {
		deviceSelector: {}, taint: {key: "bad", effect: "NoSchedule"}}}' >"$net_d/devinfo.d/overrides/bad.json"
	doctor --json
	[ "$status" -eq 0 ]
	[ "$(jq -r '.[] | "\(.severity) \(.check) \(.object)"' <<<"$output")" = "info overrides DeviceTaintRule bad of bad.json" ]
	[[ $(jq -r '.[0].what' <<<"$output") == *"refuseTainted is false in the node's file" ]]
	echo '{"refuseTainted": true}' >"$BATS_TEST_TMPDIR/devinfo.json"
	DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json healthy
	echo '{' >"$net_d/devinfo.d/overrides/bad.json"
	# the gate
	echo '{"overrides": false}' >"$BATS_TEST_TMPDIR/devinfo.json"
	DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json healthy
	override bad '{"priority": -1, "attributes": {"example.com/rack": {"list": []}}}'
	doctor --json
	[ "$status" -eq 0 ]
	[ "$(jq -r '.[] | "\(.severity) \(.check) \(.object)"' <<<"$output")" = "info overrides ResourceSlicePatch bad of bad.json" ]
	[[ $(jq -r '.[0].what' <<<"$output") == *"no value of a type that is known here"* ]]
}

@test "device-info is where Multus does not look for it" {
	mkdir -p "$node/run/info"
	mv "$devinfo" "$node/run/info/devinfo"
	printf '{"devinfoDir":"/run/info/devinfo"}' >"$BATS_TEST_TMPDIR/devinfo.json"
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	finds warning devinfo-dir /run/info/devinfo "Multus looks for device-info in /var/run"
	rm "$net_d/00-multus.conf"
	healthy
}

@test "a plugin is missing, does not answer, or does not know the version" {
	facts '.plugins."host-local" = {missing: true}'
	finds error cni-plugin /etc/cni/net.d/10-lab.conflist "plugin host-local is not in cniPath"
	facts '.plugins.devinfo.versions = ["0.4.0"]'
	finds error cni-plugin /etc/cni/net.d/10-lab.conflist "plugin devinfo does not know cniVersion 1.0.0"
	facts '.plugins.multus = {error: "it ended with status 3"}'
	finds error cni-plugin /etc/cni/net.d/00-multus.conf "plugin multus does not answer: it ended with status 3"
	facts '.plugins.devinfo = {error: "it cannot be executed"}'
	finds error cni-plugin /etc/cni/net.d/10-lab.conflist "plugin devinfo does not answer: it cannot be executed"
	facts '.plugins."host-local".is_podmans = true'
	doctor
	[ "$status" -eq 0 ]
	[[ ${lines[1]} =~ ^info\ +cni-plugin\ +/etc/cni/net.d/10-lab.conflist$ ]]
	[ "${lines[2]}" = "    plugin host-local is where podman looks, and not in cniPath" ]
	# a runtime that looks elsewhere
	facts '.plugins = {devinfo: {missing: true}, multus: {missing: true}, "host-local": {missing: true}}'
	healthy
}

@test "a plugin that records alone name is missing" {
	facts '.plugins.whereabouts = {missing: true, records: 1, record: "'"$record"'"}'
	finds error record-plugin whereabouts "plugin whereabouts is not in cniPath, and is to be run for the DEL of record $record"
	facts '.plugins.whereabouts = {missing: true, records: 3, record: "'"$record"'"}'
	finds error record-plugin whereabouts "the DEL of record $record and of others"
	facts '.plugins.whereabouts = {versions: ["1.0.0"], records: 1, record: "'"$record"'"}'
	healthy
	# a runtime that looks elsewhere
	facts '.plugins = {devinfo: {missing: true}, whereabouts: {missing: true, records: 1, record: "'"$record"'"}}'
	healthy
	[[ $skipped == *"  cni-plugin, record-plugin: devinfo is not in "* ]]
}

@test "two plugins give VFs to pods" {
	echo '{"cniVersion":"1.0.0","name":"old","type":"sriov","deviceID":"0000:01:10.0"}' >"$net_d/20-old.conf"
	finds warning two-plugins /etc/cni/net.d/20-old.conf "sriov gives VFs to pods, and so does devinfo"
	facts '.plugins.sriov.is_devinfo = true'
	healthy
}

@test "Multus' kubeconfig is missing" {
	rm "$net_d/multus.d/multus.kubeconfig"
	finds error multus /etc/cni/net.d/00-multus.conf "its kubeconfig /etc/cni/net.d/multus.d/multus.kubeconfig is missing"
	# record-node leaves the directory of the key out
	rmdir "$net_d/multus.d"
	healthy
}
