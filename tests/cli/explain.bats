#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# explain.bats - devinfoctl explain and drift on a recorded node: each test breaks one thing, and that is told
#
# rooms: manager/ctl manager/inventory cni/attach

bats_require_minimum_version 1.5.0
load ../compare

# A node with one attachment that is as it should be: default/p1 has VF 0000:01:10.0 as net1 of network lab.
names() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	before=$top/tests/node/before
	state=$node/var/lib/cni/devinfo
	cni=$node/var/run/k8s.cni.cncf.io/devinfo/cni
	# the name that the journal gives to a record of this owner and device
	record=$state/attachments/60490cf82448bcf3@0000:01:10.0.json
}

setup_file() {
	node=$BATS_FILE_TMPDIR/node
	names
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$node"
	mkdir -p "$node/proc/sys/kernel/random" "$cni" "$node/run/devinfo/status"
	echo 6b1e7a2c-58a5-4d0b-9a4e-000000000001 >"$node/proc/sys/kernel/random/boot_id"
	(umask 077 && mkdir -p "$state"/{attachments,pods})
	(umask 077
		jq -c '.pod = {namespace: "default", name: "p1", uid: "u1"} |
			.request |= (fromjson | del(.deviceID) | .resourceName = "example.com/vf" | tojson)' \
			"$before/vf.json" >"$record"
		jq -c '.assignments = [.assignments[0] | .device = "0000:01:10.0" | .network = "lab" | .ifname = "net1" |
			.containerID = "a"]' "$before/ledger.json" >"$state/pods/default_p1@e6dce3c9e04b6828.json")
	jq -c '.[0]["device-info"]' "$before/status.json" >"$cni/lab-a_net1"
	jq -c . "$before/status.json" >"$node/run/devinfo/status/a.json"
	jq -n --arg f "${record##*/}" '{node: {kubelet_asked: true}, attachments: [{file: $f, state: "live", drift: "as made"}],
		allocations: [{pod_namespace: "default", pod_name: "p1", container: "app",
			resource: "example.com/vf", id: "0000:01:10.0"}]}' >"$node/devinfo-node.json"
}

setup() {
	set +T
	node=$BATS_TEST_TMPDIR/node
	names
	# not what this machine has in /etc
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{}" >"$DEVINFO_CONF"
	cp -a "$BATS_FILE_TMPDIR/node" "$node"
}

facts() {	# FILTER
	jq -c "$1" "$node/devinfo-node.json" >"$BATS_TEST_TMPDIR/facts"
	mv "$BATS_TEST_TMPDIR/facts" "$node/devinfo-node.json"
}

explain() { run --separate-stderr "$ctl" --root "$node" explain "$@"; }

# bad STAGE STATE TEXT ADVICE - this is all that is not ok, in the JSON and in the table
bad() {
	explain default/p1 --json
	[ "$status" -eq 1 ]
	[ "$(jq -c '[.stages[] | select(.state != "ok") | [.stage, .state]]' <<<"$output")" = "[[\"$1\",\"$2\"]]" ] ||
		{ echo "$output" && return 1; }
	[ "$(jq -r .state <<<"$output")" = wrong ]
	[[ $(jq -r '.stages[] | select(.state != "ok").what' <<<"$output") == *"$3"* ]] || { echo "$output" && return 1; }
	[[ $(jq -r '.advice[]' <<<"$output") == *"$4"* ]] || { echo "$output" && return 1; }
	explain default/p1
	[ "$status" -eq 1 ]
	[[ $output == *"what to do:"$'\n'"- "*"$4"* ]]
}

@test "explain: the way of a pod whose devices are as they should be" {
	explain default/p1
	[ "$status" -eq 0 ] || { echo "$output$stderr" && return 1; }
	[ -z "$stderr" ]
	[ "$output" = "INTERFACE  STAGE       STATE  WHAT
net1       request     ok     network lab asked for resourceName example.com/vf, by its record
net1       allocation  ok     kubelet gave example.com/vf 0000:01:10.0 to container app
net1       choice      ok     of the pod's devices 0000:01:10.0 is that of net1 of network lab
net1       record      ok     ${record##*/}
net1       device      ok     0000:01:10.0, driver igbvf, a VF of 0000:01:00.0
net1       interface   ok     as made
net1       file        ok     cni/lab-a_net1: pci 0000:01:10.0
net1       status      ok     network-status has the entry" ] || { echo "$output" && return 1; }
	explain default/p1 --json
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.pod, .state, (.stages | length), .advice]' <<<"$output")" = '["default/p1","ok",8,[]]' ]
}

@test "explain: the request is the one that the runtime remembers, and unknown where nobody does" {
	mkdir -p "$node/var/lib/cni/results"
	jq -cn --arg c "$(jq -cn '{cniVersion: "1.0.0", name: "lab", plugins: [{type: "tuning"},
		{type: "devinfo", claim: "nics", capabilities: {deviceID: true}}]}' | base64 -w 0)" \
		'{config: $c, capabilityArgs: {deviceID: "0000:01:10.0", mac: "x"}}' >"$node/var/lib/cni/results/lab-a-net1"
	explain default/p1
	[ "$status" -eq 0 ]
	[[ $output == *'asked for claim nics, runtimeConfig.deviceID 0000:01:10.0, by /var/lib/cni/results/lab-a-net1'* ]]
	rm "$node/var/lib/cni/results/lab-a-net1"
	(umask 077 && jq -c 'del(.request, .ipamType)' "$record" >"$BATS_TEST_TMPDIR/r" && mv "$BATS_TEST_TMPDIR/r" "$record")
	explain default/p1 --json
	[ "$status" -eq 0 ]
	[ "$(jq -r '.stages[0] | .state + ": " + .what' <<<"$output")" = \
		'unknown: what network lab asked for: neither runtime nor record remembers it' ]
}

@test "explain: the device of a claim, which is chosen under the resource that it stands for" {
	facts '.allocations[0].resource = "claim default/nics"'
	explain default/p1
	[ "$status" -eq 0 ]
	[[ $output =~ choice\ +ok\  ]]
	rm "$state/pods/"*
	facts '.attachments = []'
	rm "$record"
	bad attachment missing 'kubelet gave claim default/nics 0000:01:10.0' 'name a network that asks for claim default/nics'
}

@test "explain: kubelet has given the device to another pod" {
	facts '.allocations[0].pod_name = "p2"'
	bad allocation wrong 'kubelet gave example.com/vf 0000:01:10.0 to pod default/p2' 'delete one of the two pods'
	explain default/p2
	[ "$status" -eq 1 ]
	[[ $output =~ attachment\ +wrong\ +kubelet\ gave\ example.com/vf\ 0000:01:10.0,\ and\ net1\ of\ container\ a,\ network\ lab,\ has\ it\ \(live\) ]]
	[[ $output == *"- delete one of the two pods"* ]]
}

@test "explain: kubelet was not asked, or nobody knows whether; why this device, nobody remembers" {
	explained() {	# STAGE STATE TEXT
		explain default/p1 --json
		[ "$(jq -r '.stages[] | select(.stage == "'"$1"'") | .state + ": " + .what' <<<"$output")" = "$2: $3" ] ||
			{ echo "$output" && return 1; }
		[ "$status" -eq 0 ]
	}
	rm "$state"/pods/*
	explained choice unknown \
		'why this one: the ledger does not have it, so the configuration named it or the choice was lost'
	facts '.allocations = []'
	cp "$record" "$BATS_TEST_TMPDIR/record"
	jq -c '.request |= (fromjson | del(.resourceName) | .deviceID = "0000:01:10.0" | tojson)' "$BATS_TEST_TMPDIR/record" >"$record"
	explained allocation ok 'kubelet is not asked: the configuration names the device'
	jq -c 'del(.request, .ipamType)' "$BATS_TEST_TMPDIR/record" >"$record"
	explained allocation unknown 'kubelet has not given it, and whether it was asked is not known'
}

@test "explain: kubelet has not given the device to anybody" {
	facts '.allocations = []'
	bad allocation missing 'kubelet has not given 0000:01:10.0 to the pod' 'delete the pod'
}

@test "explain: the ledger has chosen the device for another interface" {
	(umask 077 && sed -i 's/"net1"/"net2"/' "$state/pods/default_p1@e6dce3c9e04b6828.json")
	bad choice wrong '0000:01:10.0 was chosen for net2 of network lab' 'delete the pod'
}

@test "explain: the container has gone" {
	facts '.attachments[0].state = "dead"'
	bad record wrong 'its container has gone without a DEL' 'devinfoctl repair'
}

@test "explain: an attachment of an earlier boot" {
	echo other >"$node/proc/sys/kernel/random/boot_id"
	bad record wrong 'the node has started anew since' 'devinfoctl repair'
}

@test "explain: the device has been given back, the record is still there" {
	sed -i 's/"released":false/"released":true/' "$record"
	bad record wrong 'its device has been given back' 'devinfoctl doctor'
}

@test "explain: the record is damaged, or another version's: its pod is known by the ledger" {
	explained() {	# of the record: state, what it says, what to do
		explain default/p1 --json
		[ "$(jq -r '.stages[] | select(.stage == "record").state' <<<"$output")" = "$1" ]
		[[ $(jq -r '.stages[] | select(.stage == "record").what' <<<"$output") == "${record##*/}: $2"* ]] || { echo "$output" && return 1; }
		[[ $(jq -r '.advice[]' <<<"$output") == *"$3"* ]]
	}
	sed -i 's/"version":1,/"version":9,/' "$record"
	explained unknown 'version 9: ' ''
	sed -i 's/"version":9,/"version":1,/' "$record"
	truncate -s -2 "$record"
	explained wrong 'its record is damaged: ' 'see "Damaged records" in devinfo(8)'
	[ "$status" -eq 1 ]
}

@test "explain: the function has gone from the node" {
	rm "$node/sys/bus/pci/devices/0000:01:10.0"
	bad device missing '0000:01:10.0: the node does not have it' "the kernel's log"
}

@test "explain: a sub-function, or a vDPA device, has gone from the node" {
	explain_on() {	# NODE POD DEVICE
		rm -rf "$node"
		"$top/tests/node/make-node.sh" "$top/tests/node/fleet/$1.node" "$node"
		explain "$2"
		[ "$status" -eq 0 ]
		find "$node/sys" -name "$3" -exec rm -r {} +
		facts 'del(.vdpas)'
		explain "$2"
		[ "$status" -eq 1 ]
		[[ $output =~ net1\ +device\ +missing\ +$3:\ the\ node\ does\ not\ have\ it ]]
	}
	explain_on switchdev default/gw-1 mlx5_core.sf.2
	explain_on vdpa-pods vms/vm-0 vdpa0
}

@test "explain: the function has lost its driver" {
	rm "$node"/sys/devices/pci0000:00/0000:00:04.0/0000:01:10.0/driver
	bad device wrong '0000:01:10.0: ' "the kernel's log"
}

@test "explain: the interface has drifted" {
	facts '.attachments[0].drift = "drifted: mtu: expected 1500, got 9000"'
	bad interface wrong 'mtu: expected 1500, got 9000' 'put back what has changed'
}

@test "explain: what kubelet gave is not known" {
	facts 'del(.allocations) | .node = {kubelet_error: "connect: refused"}'
	explain default/p1 --json
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.stages[] | select(.state != "ok") | [.stage, .state]]' <<<"$output")" = \
		'[["allocation","unknown"],["kubelet","unknown"]]' ]
	explain default/p9
	[ "$status" -eq 1 ]
	[[ $output == *'no attachment is of pod default/p9, and what kubelet gave is not known: '* ]]
}

@test "explain: what cannot be told is not bad" {
	facts '.attachments[0].drift = "cannot tell: a call is at work on it"'
	explain default/p1 --json
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.stages[] | select(.state != "ok") | [.stage, .state, .what]]' <<<"$output")" = \
		'[["interface","unknown","a call is at work on it"]]' ]
}

@test "explain: the function has another driver than its ADD bound it to, or than its network asks for" {
	driver=$node/sys/devices/pci0000:00/0000:00:04.0/0000:01:10.0/driver
	bound() { (umask 077 && jq -c "$1" "$record" >"$record.new" && mv "$record.new" "$record"); }
	bound '.driver = "vfio-pci" | .driverBefore = "igbvf" | .driverOverride = ""'
	bad device wrong '0000:01:10.0: its driver is igbvf, and its ADD has bound it to vfio-pci' 'bound another driver'
	rm "$driver"
	bad device wrong '0000:01:10.0: its driver is none, and its ADD has bound it to vfio-pci' 'bound another driver'
	ln -s ../../../../bus/pci/drivers/vfio-pci "$driver"
	explain default/p1
	[ "$status" -eq 0 ]
	[[ $output =~ device\ +ok\ +0000:01:10.0,\ driver\ vfio-pci ]]
	# it had that driver before: the network's configuration is what tells, or that it has no interface
	bound 'del(.driver, .driverBefore, .driverOverride, .netdev) | .request |= (fromjson | .driver = "uio_pci_generic" | tojson)'
	bad device wrong '0000:01:10.0: its driver is vfio-pci, and its network asks for uio_pci_generic' 'bound another driver'
	bound '.request |= (fromjson | del(.driver) | tojson)'
	explain default/p1
	[ "$status" -eq 0 ]
	ln -sfn ../../../../bus/pci/drivers/igbvf "$driver"
	bad device wrong '0000:01:10.0: its driver is igbvf, and the pod was given it with one for user space' 'bound another driver'
}

@test "explain: the device-info file is gone" {
	rm "$cni/lab-a_net1"
	bad file missing 'cni/lab-a_net1 is gone' 'delete the pod'
}

@test "explain: the device-info file is not valid" {
	echo '{"type":"pci","version":"1.1.0","pci":{"pci-address":"x"}}' >"$cni/lab-a_net1"
	bad file wrong "cni/lab-a_net1: pci.pci-address: 'x': expected" 'delete the pod'
}

@test "explain: the device-info file is about another device" {
	sed -i 's/0000:01:10.0/0000:01:10.2/' "$cni/lab-a_net1"
	bad file wrong 'it is about 0000:01:10.2' 'delete the pod'
}

@test "explain: the device-info file is not the same as now" {
	sed -i 's/0000:01:00.0/0000:01:00.1/' "$cni/lab-a_net1"
	bad file wrong 'pf-pci-address is 0000:01:00.1, the PF is 0000:01:00.0 by now' 'delete the pod'
}

@test "explain: the representor has another name than the device-info file says" {
	rm -rf "$node"
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/switchdev.node" "$node"
	sed -i 's/"representor-device": "[^"]*"/"representor-device": "other"/' "$cni"/hw-net-*
	explain default/gw-0
	[ "$status" -eq 1 ]
	[[ $output =~ file\ +wrong\ +cni/hw-net-.*:\ representor-device\ is\ other,\ the\ representor\ is\ [a-z0-9]+\ by\ now ]]
}

@test "explain: the device plugin's file is not valid" {
	mkdir "$cni/../dp"
	echo '{}' >"$cni/../dp/example.com-vf-0000:01:10.0-device.json"
	bad file wrong 'dp/example.com-vf-0000:01:10.0-device.json: type is required' 'start the device plugin anew'
}

@test "explain: network-status has no entry" {
	rm "$node/run/devinfo/status/a.json"
	bad status missing 'network-status has no entry' 'delete the pod'
}

@test "explain: network-status is damaged" {
	for text in nonsense '{"name": "lab"}' ''; do
		echo "$text" >"$node/run/devinfo/status/a.json"
		bad status wrong 'network-status: the file is damaged: it is no JSON list of entries' 'delete the pod'
	done
	echo '[]' >"$node/run/devinfo/status/a.json"
	bad status missing 'network-status has no entry' 'delete the pod'
}

@test "explain: a device that no network has taken, one whose ADD has failed, one that another one has" {
	facts '.attachments = [] | .allocations[0].id = "0000:01:10.2"'
	rm "$record"
	bad attachment missing 'no network of the pod has taken it' 'resourceName example.com/vf'
	sed -i 's/0000:01:10.0/0000:01:10.2/' "$state/pods/default_p1@e6dce3c9e04b6828.json"
	bad attachment missing 'was chosen for network lab, and is not attached' 'the ADD of network lab'
	(umask 077 && echo '{"version":1,' >"$state/attachments/0123456789abcdef@0000:01:10.2.json.damaged")
	bad attachment wrong 'has it (damaged)' 'devinfoctl doctor'
}

@test "explain: an unknown pod, and a name that is none" {
	explain default/p9
	[ "$status" -eq 1 ]
	[[ $output == *'no attachment is of pod default/p9, and kubelet has given it no device'* ]]
	explain default/p9 --json
	[ "$status" -eq 1 ]
	[ "$(jq -c '[.state, .stages[0].stage, .stages[0].state]' <<<"$output")" = '["wrong","pod","missing"]' ]
	for pod in p1 Default/p1 a/b/c /; do
		explain "$pod"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
	done
}

@test "drift on a recorded node is what its facts say" {
	run --separate-stderr "$ctl" --root "$node" drift
	[ "$status" -eq 0 ]
	[[ ${lines[1]} =~ ^0000:01:10.0\ +default/p1\ +lab\ +net1\ +as\ made\ +-$ ]]
	facts '.attachments[0].drift = "drifted: mtu: expected 1500, got 9000"'
	run --separate-stderr "$ctl" --root "$node" drift --json
	[ "$status" -eq 1 ]
	[ "$(jq -c 'map([.pod, .drift, .what])' <<<"$output")" = '[["default/p1","drifted","mtu: expected 1500, got 9000"]]' ]
	facts '.attachments = []'
	run --separate-stderr "$ctl" --root "$node" drift --json
	[ "$status" -eq 1 ]
	[ "$(jq -c 'map(.drift)' <<<"$output")" = '["cannot tell"]' ]
}

# remembered - libcni has a file of the attachment, with the pod
remembered() {
	mkdir -p "$node/var/lib/cni/results"
	jq -cn --arg c "$(jq -cn '{cniVersion: "1.0.0", name: "lab", plugins: [{type: "devinfo"}]}' | base64 -w 0)" \
		'{kind: "cniCacheV1", containerId: "a", ifName: "net1", networkName: "lab", config: $c,
		cniArgs: [["K8S_POD_NAMESPACE", "default"], ["K8S_POD_NAME", "p1"]]}' >"$node/var/lib/cni/results/lab-a-net1"
}

@test "explain: without a record, what the runtime and network-status have is told, and what to do" {
	remembered
	explain default/p1
	[ "$status" -eq 0 ]
	facts '.attachments = []'
	rm "$record" "$state/pods/"*
	for allocations in . '.allocations = []'; do
		facts "$allocations"
		explain default/p1
		[ "$status" -eq 1 ]
		[[ $output =~ net1\ +runtime\ +ok\ +/var/lib/cni/results/lab-a-net1\ remembers\ net1\ of\ container\ a,\ network\ lab ]]
		[[ $output =~ net1\ +record\ +missing\ +no\ record\ is\ of\ this\ attachment ]]
		[[ $output =~ net1\ +status\ +ok\ +/run/devinfo/status/a.json\ is\ there ]]
		[[ $output == *"- delete the pod, so that its devices are attached anew; look first who has removed the record"* ]]
		[[ $output != *"no attachment is of pod"* ]]
	done
	explain default/p2
	[[ $output == *"no attachment is of pod default/p2"* ]]
	[[ $output != *remembers* ]]
}

@test "explain: of a sandbox that has died nothing is missing, whatever the runtime remembers" {
	mkdir -p "$node/run/netns"
	touch "$node/run/netns/other"
	remembered
	file=$node/var/lib/cni/results/lab-b-net1
	jq -c '.containerId = "b" | .netns = "/run/netns/b"' "$node/var/lib/cni/results/lab-a-net1" >"$file"
	explain default/p1
	[ "$status" -eq 0 ]
	[[ $output != *"of container b"* ]]
	touch "$node/run/netns/b"
	explain default/p1
	[ "$status" -eq 1 ]
	[[ $output =~ net1\ +record\ +missing\ +no\ record\ is\ of\ this\ attachment ]]
}

@test "explain: of a damaged record it tells the file, why, and what to do, also where nobody says whose it is" {
	facts '.attachments = []'
	rm "$state/pods/"*
	truncate -s 500 "$record"
	remembered
	explain default/p1
	[ "$status" -eq 1 ]
	[[ $output =~ net1\ +record\ +wrong\ +${record##*/}:\ it\ is\ damaged:\  ]]
	[[ $output == *"- run 'devinfoctl doctor', which says what to do about that record"* ]]
	facts '.allocations = []'
	rm "$node/var/lib/cni/results/lab-a-net1"
	explain default/p1
	[ "$status" -eq 1 ]
	[[ $output =~ record\ +unknown\ +${record##*/},\ which\ may\ be\ the\ pod ]]
	[[ $output == *"no attachment is of pod default/p1"* ]]
}

@test "explain: a record that does not say whose it is may be the pod's: it is not told that there is none" {
	facts '.attachments = []'
	rm "$state/pods/"*
	truncate -s 0 "$record"
	remembered
	explain default/p1
	[ "$status" -eq 1 ]
	[[ $output =~ net1\ +record\ +unknown\ +${record##*/},\ which\ may\ be\ its\ own,\ is\ damaged:\  ]]
	[[ $output == *"- run 'devinfoctl doctor', which says what to do about that record; do not delete the pod before"* ]]
	[[ $output != *"no record is of this attachment"* ]]
}

# gives JSON... - kubelet gave these besides; and the pod has neither attachment nor choice any more
gives() {
	rm -f "$record" "$state/pods/"*
	facts '.attachments = [] | .allocations = ([{pod_namespace: "default", pod_name: "p1", container: "app",
		resource: "example.com/vf"} + ('"$1"')] + ['"${2-}"'])'
}

# row STATE TEXT [STATUS] - the only row of stage attachment
row() {
	explain default/p1 --json
	[ "$(jq -r '[.stages[] | select(.stage == "attachment") | .state + ": " + .what] | join("\n")' <<<"$output")" = "$1: $2" ] ||
		{ echo "$output" && return 1; }
	[ "$status" -eq "${3:-1}" ] || { echo "$output" && return 1; }
}

@test "explain: a device that nobody has attached is a row, whatever kind it is, and the advice names the ADD" {
	local not_known="; whether the pod has started is not known: kubelet's directory of its logs is not there"
	for id in mem0 vdpa7 mlx5_core.sf.9 eth4 0; do
		gives '{id: "'"$id"'"}'
		row missing "kubelet gave example.com/vf $id to container app, and no network of the pod has taken it$not_known"
		[[ $(jq -r '.advice[]' <<<"$output") == "look what the ADD of the network that asks for resourceName example.com/vf says: in the pod's events, and in the log of devinfo"* ]]
	done
	gives '{id: "mem0", waits: 90}'
	row missing "kubelet gave example.com/vf mem0 to container app, and no network of the pod has taken it; the pod has not started for 90 s"
	# Multus named it: the choice is of no resource
	gives '{id: "mem0"}'
	(umask 077 && jq -c '.assignments = [.assignments[0] | .device = "mem0" | .resource = "" | .network = "lab" | .ifname = "net1" |
		.containerID = "a"]' "$before/ledger.json" >"$state/pods/default_p1@e6dce3c9e04b6828.json")
	row missing 'example.com/vf mem0 was chosen for network lab, and is not attached: its ADD has failed, or has not ended yet'
	[[ $(jq -r '.advice[]' <<<"$output") == "look what the ADD of network lab says: in the pod's events, and in the log of devinfo" ]]
}

@test "explain: a device that needs no network is not missing: the node knows it as another, or the pod has started" {
	gives '{resource: "example.com/gpu", id: "0000:81:00.0"}'
	row ok 'kubelet gave example.com/gpu 0000:81:00.0 to container app: it is no network device, and no network attaches it' 0
	gives '{resource: "devices.kubevirt.io/kvm", id: "kvm3", started: true}'
	row unknown 'kubelet gave devices.kubevirt.io/kvm kvm3 to container app, and no attachment is known to have it: the pod has started without, and may need none' 0
	[ "$(jq -c .advice <<<"$output")" = '[]' ]
	# an init container's, which the pod's container has as well, is one row
	gives '{id: "mem0", container: "init", waits: 9}' '{pod_namespace: "default", pod_name: "p1", container: "app", resource: "example.com/vf", id: "mem0", waits: 9}'
	row missing 'kubelet gave example.com/vf mem0 to container app, and no network of the pod has taken it; the pod has not started for 9 s'
	# another device of the resource is a network's: this one is missing, also of a pod that runs
	gives '{id: "mem0", started: true}' '{allocatable: true, resource: "example.com/vf", id: "0000:01:10.2"}'
	row missing 'kubelet gave example.com/vf mem0 to container app, and no network of the pod has taken it'
	[[ $(jq -r '.advice[]' <<<"$output") == 'name a network that asks for resourceName example.com/vf '* ]]
	# so is what a device plugin's file tells of
	gives '{id: "mem0", started: true}'
	mkdir "$cni/../dp"
	echo '{"type":"memif","version":"1.1.0","memif":{"role":"client","path":"/s","mode":"ip"}}' \
		>"$cni/../dp/example.com-vf-mem0-device.json"
	row missing 'kubelet gave example.com/vf mem0 to container app, and no network of the pod has taken it'
}

@test "explain: of very many devices that nobody has attached the first 256 are rows" {
	gives '{id: "mem0"}'
	facts '.allocations = [range(30000) as $i | .allocations[0] | .id = "mem\($i)" | .resource = "example.com/r\($i)"]'
	explain default/p1 --json
	[ "$status" -eq 1 ]
	[ "$(jq -c '[.stages[] | .stage + " " + .state] | group_by(.) | map([length, .[0]])' <<<"$output")" = \
		'[[256,"attachment missing"],[1,"attachment unknown"]]' ] || { echo "${output:0:2000}" && return 1; }
	[[ $(jq -r '.stages[-1].what' <<<"$output") == 'kubelet gave the pod 29744 more devices that no network has taken: they are not looked at' ]]
}

@test "explain: a device that the node does not have was given to the pod" {
	gives '{id: "0000:01:10.4"}' '{allocatable: true, resource: "example.com/vf", id: "0000:01:10.2"}'
	bad device missing 'kubelet gave example.com/vf 0000:01:10.4 to container app, and the node does not have it' 'delete the pod'
}

@test "explain: DRA metadata that cannot be read is told, and is no reason to doubt an attachment" {
	claimed='{resource: "claim default/nics", id: "nic-0", claim_device: "nic-0", driver: "nic.example.com", pool: "n", unresolved: true'
	unread='/metadata.json: not valid JSON'
	facts '.allocations[0] += '"$claimed"', unreadable: "'"$unread"'"}'
	explain default/p1 --json
	[ "$(jq -c '[.stages[] | select(.state != "ok") | [.stage, .state, .what]]' <<<"$output")" = '[["allocation","unknown",'"$(
		)"'"kubelet gave claim default/nics nic-0 to container app, and no file tells whether it is this device: '"$unread"'"]]' ] ||
		{ echo "$output" && return 1; }
	[ "$status" -eq 0 ]
	what='kubelet gave claim default/nics nic-0 to container app'
	gives "$claimed, unreadable: \"$unread\"}"
	row wrong "$what, and which device of the node that is cannot be told: $unread"
	[[ $(jq -r '.advice[]' <<<"$output") == 'see why driver nic.example.com writes no file that can be read, and what the ADD of the network that asks for claim default/nics says: '* ]]
	gives "$claimed, unreadable: \"$unread\", started: true}"
	row unknown "$what, and which device of the node that is cannot be told: $unread" 0
	# a claim of another kind of device has no such file
	gives "$claimed, started: true}"
	row unknown "$what, and no attachment is known to have it: the pod has started without, and may need none" 0
	gives "$claimed, id: \"0000:01:10.2\", unresolved: false, started: true}"
	row unknown "kubelet gave claim default/nics 0000:01:10.2 to container app, and no attachment is known to have it: $(
		)the claim's driver may have attached it itself" 0
}

@test "explain: a lost record is told, by network-status or the runtime, and not as an ADD that has failed" {
	facts '.attachments = []'
	rm "$record"
	bad record missing 'network-status has its entry, and no record is of this attachment' 'look first who has removed the record'
	remembered
	bad record missing 'no record is of this attachment: a DEL cannot restore its device' 'look first who has removed the record'
	rm "$state/pods/"*
	row unknown 'kubelet gave example.com/vf 0000:01:10.0 to container app, and no attachment is known to have it: '"$(
		)"'it may be that of the attachment without a record'
}

@test "explain: with Multus, which names the device, nothing of a healthy attachment is unknown" {
	rm "$state/pods/"*
	mkdir -p "$node/var/lib/cni/multus/results"
	for said in '{deviceID: "0000:01:10.0", pciBusID: "0000:01:10.0"}' '{capabilities: {deviceID: true}}'; do
		jq -cn --arg c "$(jq -cn '{cniVersion: "1.0.0", name: "lab", type: "devinfo"} + '"$said" | base64 -w 0)" \
			'{config: $c, capabilityArgs: {deviceID: "0000:01:10.0"}}' >"$node/var/lib/cni/multus/results/lab-a-net1"
		explain default/p1 --json
		[ "$(jq -c '[.stages[] | select(.state != "ok")]' <<<"$output")" = '[]' ] || { echo "$output" && return 1; }
		[ "$status" -eq 0 ]
	done
	[[ $output == *'runtimeConfig.deviceID names the device: nothing is to be chosen'* ]]
	# the choice of a device that Multus named is of no resource
	(umask 077 && jq -c '.assignments = [.assignments[0] | .device = "0000:01:10.0" | .resource = "" | .network = "lab" |
		.ifname = "net1" | .containerID = "a"]' "$before/ledger.json" >"$state/pods/default_p1@e6dce3c9e04b6828.json")
	explain default/p1
	[[ $output =~ choice\ +ok\ +of\ the\ pod\'s\ devices\ 0000:01:10.0\ is\ that\ of\ net1\ of\ network\ lab ]]
}

@test "explain: the rows are in the order of the interfaces, and last what is of none" {
	(umask 077 && jq -c '.assignments = [.assignments[0] | .network = "lab" | .containerID = "a" |
		(.device = "a0" | .ifname = "net10"), (.device = "b0" | .ifname = "net2")]' "$before/ledger.json" \
		>"$state/pods/default_p1@e6dce3c9e04b6828.json")
	facts '.allocations += [.allocations[0] | (.id = "a0"), (.id = "b0"), (.id = "c0")]'
	explain default/p1 --json
	[ "$(jq -c '[.stages[].interface] | unique_by(.) as $u | reduce .[] as $i ([]; if .[-1] == $i then . else . + [$i] end)' <<<"$output")" = \
		'["net1","net2","net10",""]' ] || { echo "$output" && return 1; }
	[ "$(jq -r '[.stages[] | select(.interface == "net1").stage] | join(" ")' <<<"$output")" = \
		'request allocation choice record device interface file status' ]
}
