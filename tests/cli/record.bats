#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# record.bats - devinfoctl record-node: a recorded node answers as the one that it was made of
#
# rooms: manager/inventory manager/ctl

load devinfoctl

setup() {
	ctl_up
}

# record NODE: a tree of its text, and one of the archive of that
record() {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/$1.node" "$1.was"
	"$ctl" --root "$1.was" record-node "$1.tar"
	"$top/tests/node/make-node.sh" "$1.tar" "$1.is"
}

@test "a node answers after record-node as before, but for its hardware addresses" {
	for node in igb-pods switchdev vdpa-pods crash; do
		record "$node"
		for command in 'scan --output=wide' 'list --output=wide' drift doctor 'gc --dry-run' \
			'resolve default/web-6 --resource intel.com/sriov_netdevice'; do
			# shellcheck disable=SC2086
			was=$("$ctl" --root "$node.was" $command 2>&1) || true
			# shellcheck disable=SC2086
			is=$("$ctl" --root "$node.is" $command 2>&1) || true
			[ -n "$was" ] || [[ $command == gc* && $node != crash ]]
			[ "$was" = "$is" ] || { diff <(echo "$was") <(echo "$is") && false; }
		done
		# a second one has nothing to replace but what the first has put there
		"$ctl" --root "$node.is" record-node again.tar
		[ "$(tar -tf again.tar | sort)" = "$(tar -tf "$node.tar" | sort)" ]
		rm again.tar
	done
}

@test "a node has the same features after record-node, but for the kernel's configuration" {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/igb-pods.node" features.was
	cd features.was
	release=$(jq -r .node.kernel devinfo-node.json)
	features_d=etc/kubernetes/node-feature-discovery/features.d
	mkdir -p etc usr/lib "lib/modules/$release" sys/fs/selinux sys/devices/virtual/dmi/id \
		sys/devices/virtual/misc/kvm sys/bus/node/devices sys/bus/pci/devices/0000:03:00.0 $features_d \
		sys/kernel/mm/hugepages/hugepages-2048kB
	echo 512 >sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
	echo "$release" >proc/sys/kernel/osrelease
	printf 'igb 286720 2 dca,vfio, Live 0xffffffffc0a4b000\nvfio_pci 1 0 - Live 0xffffffffc0a4c000\n' >proc/modules
	printf 'kernel/net/8021q/8021q.ko\nkernel/net/802/garp.ko\n' >"lib/modules/$release/modules.builtin"
	printf 'ID=debian\nVERSION_ID="12"\n' >usr/lib/os-release
	ln -sf ../usr/lib/os-release etc/os-release
	echo 1 >sys/fs/selinux/enforce
	echo ACME >sys/devices/virtual/dmi/id/sys_vendor
	echo 'Anvil 3000' >sys/devices/virtual/dmi/id/product_name
	ln -sfn ../../../devices/system/node/node0 sys/bus/node/devices/node0
	ln -sfn ../../../devices/system/node/node1 sys/bus/node/devices/node1
	# a device that is no network's, and the group of one that is
	rmdir sys/bus/pci/devices/0000:03:00.0
	ln -s ../../../devices/pci0000:00/0000:03:00.0 sys/bus/pci/devices/0000:03:00.0
	mkdir sys/devices/pci0000:00/0000:03:00.0
	for attribute in class:0x030200 vendor:0x10de device:0x2230 subsystem_vendor:0x10de subsystem_device:0x1459; do
		echo "${attribute#*:}" >"sys/devices/pci0000:00/0000:03:00.0/${attribute%:*}"
	done
	mkdir -p "$(readlink -m sys/bus/pci/devices/0000:01:00.0/iommu_group)"
	echo DMA-FQ >sys/bus/pci/devices/0000:01:00.0/iommu_group/type
	printf '# +no-label\nvendor.io/x=1\n\nvendor.io/flag\n# +no-feature\nvendor.io/y=2\n' >$features_d/vendor
	cd ..
	"$ctl" --root features.was record-node features.tar
	"$top/tests/node/make-node.sh" features.tar features.is
	features() { "$ctl" --root "$1" export nodefeature --node-name n | jq .; }
	diff <(features features.was) <(features features.is)
	features features.is >is.json
	[ "$(jq -c '.spec.features.flags | map_values(.elements | length)' is.json)" = \
		'{"kernel.enabledmodule":4,"kernel.loadedmodule":2}' ]
	[ "$(jq -c '.spec.features.attributes["local.label", "memory.numa", "memory.hugepages", "system.dmiid"].elements | length' is.json | paste -sd,)" = 2,2,2,2 ]
	[ "$(jq -r '.spec.features.instances["pci.device"].elements[].attributes["iommu_group/type", "class"]' is.json | sort -u | paste -sd,)" = \
		0200,0302,DMA-FQ,null ]
	# where in the kernel a module is, is nobody's business
	run ! grep -q ffffffff features.is/proc/modules
}

@test "hardware addresses are replaced, equal ones by equal ones; what belongs together still does" {
	record igb-pods
	run ! grep -rqiE '02:00:00:5e|0200005e' igb-pods.is
	grep -rqiE '02:00:00:5e' igb-pods.was
	mac=$(cat igb-pods.is/sys/class/net/ens4f0v3/address)
	[[ $mac == 02:00:00:00:00:* ]]
	[ "$("$ctl" --root igb-pods.is scan --json | jq -r '.[] | select(.link == "ens4f0v3").admin_mac')" = "$mac" ]
	[ "$("$ctl" --root igb-pods.is scan --json | jq -r '[.[].admin_mac // empty] | unique | length')" = 4 ]
}

@test "secrets are in no file of the archive" {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/igb-pods.node" was
	# where they may stand: configurations, a record's request, libcni's cache, and what is not even JSON
	conf='{"name":"s","plugins":[{"type":"devinfo","ipam":{"type":"x","password":"hunter2","api":{"token":"hunter2"}},"memif":{"secret":"hunter2"}}]}'
	echo "$conf" >was/etc/cni/net.d/30-s.conflist
	echo "$conf hunter2" >was/etc/cni/net.d/31-s.conf
	mkdir -p was/etc/cni/net.d/multus.d was/var/lib/cni/results was/etc/cni/net.d/devinfo.d
	echo 'token: hunter2' >was/etc/cni/net.d/multus.d/multus.kubeconfig
	echo '{"socketSecret":"hunter2"}' >was/etc/cni/net.d/devinfo.d/devinfo.json
	jq -nc --arg c "$(base64 -w0 <<<"$conf")" '{kind:"cniCacheV1",config:$c}' >was/var/lib/cni/results/s-c1-net1
	file=$(ls was/var/lib/cni/devinfo/attachments/*@0000:01:10.0.json)
	jq -c '.request = ({ipam:{password:"hunter2"}} | tojson)' "$file" >new
	cat new >"$file"
	jq -c '.Data.PodDeviceEntries[0].AllocResp = "aHVudGVyMg=="' was/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint >new
	cat new >was/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint
	"$ctl" --root was record-node - >node.tar
	mkdir is
	tar -xf node.tar -C is
	grep -rq hunter2 was
	run ! grep -rq hunter2 is
	run ! grep -rq aHVudGVyMg is
	[[ $(jq -r '.config | @base64d' is/var/lib/cni/results/s-c1-net1) != *hunter2* ]]
	[ "$(jq -r '.config | @base64d | fromjson.plugins[0].ipam.password' is/var/lib/cni/results/s-c1-net1)" = left-out ]
	[ "$(jq -r .plugins[0].memif.secret is/etc/cni/net.d/30-s.conflist)" = left-out ]
	[ -s is/etc/cni/net.d/31-s.conf ]
	[ ! -e is/etc/cni/net.d/multus.d ]
}

# plant FORM...: the next secret, in that form; "%s" is where it stands
plant() {
	n=$((n + 1))
	secret=$(printf 'hunter%02dQx7' "$n")
	printf "$1" "$secret"
}

# edit FILE JQ: JSON in place, with $s the next secret
edit() {
	n=$((n + 1))
	jq -c --arg s "$(printf 'hunter%02dQx7' "$n")" "$2" "$1" >new
	cat new >"$1"
}

@test "of forty secrets in forty forms none is in the archive, and the node answers as before" {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/igb-pods.node" was
	n=0
	mkdir -p was/etc/cni/net.d/devinfo.d was/var/lib/cni/results was/var/lib/cni/multus/results \
		was/etc/kubernetes/node-feature-discovery/features.d was/usr/lib was/var/lib/cni/sriov/pci
	answers() {
		for command in 'list --output=wide' 'scan --output=wide' drift 'explain default/web-0' \
			'explain telco/upf-0'; do
			# shellcheck disable=SC2086
			"$ctl" --root "$1" $command 2>&1 || true
		done
	}
	record=$(ls was/var/lib/cni/devinfo/attachments/*@0000:01:10.0.json)
	another=$(ls was/var/lib/cni/devinfo/attachments/*@0000:01:10.2.json)
	ledger=$(ls was/var/lib/cni/devinfo/pods/* | head -1)
	status=$(ls was/run/devinfo/status/* | head -1)
	checkpoint=was/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint

	# a configuration: keys that nobody knows, in all depths and forms
	c=was/etc/cni/net.d/20-sriov-net.conflist
	edit $c '.plugins[0].colour = $s'
	edit $c '.plugins[0].nested = {a: [{b: {c: [$s]}}]}'
	edit $c '.plugins[0].ipam.etcd = {user: "u", pin: $s}'
	edit $c '.plugins[0].ipam.env = ["DB=" + $s]'
	edit $c '.plugins[0].url = "https://host/login?session=" + $s'
	edit $c '.plugins[0].pem = "-----BEGIN EC PRIVATE KEY-----\n" + $s'
	edit $c '.plugins[0].jwt = "eyJhbGciOiJIUzI1NiJ9." + ($s | @base64) + ".sig"'
	edit $c '.plugins[0].blob = ($s | @base64)'
	edit $c '.plugins[0].members = {($s): true}'
	edit $c '.plugins[0].comment = "the word is " + $s'
	edit $c '.plugins[0]["x-vendor/thing"] = $s'
	edit $c '.plugins[0].args.cni = {word: $s}'
	edit $c '.plugins[0].delegates = [{type: "x", api: $s}]'
	edit $c '.plugins[0].prevResult = {cniVersion: "1.0.0", note: $s}'
	edit $c '.plugins[0].switch = {type: "exec", path: "/x", config: {a: $s}}'
	# keys that are known, with values that are none of theirs
	edit $c '.plugins[0].mac = $s'
	edit $c '.plugins[0].mtu = "1500 " + $s'
	edit $c '.plugins[0].trust = {on: $s}'
	edit $c '.plugins[0].ipam.ranges[0][0].gateway = $s'
	edit $c '.plugins[0].dns = {nameservers: [$s]}'
	edit $c '.plugins[0].capabilities = {mac: $s}'
	edit $c '.plugins[0].logFile = "user:" + $s'
	edit $c '.plugins[0].memif = {secret: $s}'
	# one that is no JSON, a torn one's name, the node's file
	plant '# password %s\n{"type": "x"' >was/etc/cni/net.d/50-x.conf
	echo '{"type":"x"}' >"was/etc/cni/net.d/51 key=$(plant %s).conf"
	n=$((n + 1))
	plant '{"motto":"%s"}' >was/etc/cni/net.d/devinfo.d/devinfo.json
	# records, ledgers, network-status, device-info
	edit "$record" '.note = $s'
	edit "$record" ".netdev.alias = \"$(printf hunterX | od -An -tx1 | tr -d ' ')\""
	edit "$another" '.request |= (fromjson | .runtimeConfig = {"io.kubernetes.cri.pod-annotations": {"vault/word": $s}} | tojson)'
	edit "$ledger" '.extra = {why: $s}'
	edit "$status" '.[0].remark = $s'
	file=$(ls was/var/run/k8s.cni.cncf.io/devinfo/cni/* | head -1)
	edit "$file" '.pci.vendor = {lot: $s}'
	plant '{"version": 1, "network": "n", "motto": "%s", "containerID' >was/var/lib/cni/devinfo/attachments/0123456789abcdef@0000:01:11.0.json
	# libcni's cache: configuration, CNI_ARGS, capabilities; Multus'
	jq -nc --arg s "$(plant %s)" '{kind: "cniCacheV1", containerId: "c1", config: ({type: "x", a: $s} | tojson | @base64)}' >was/var/lib/cni/results/s-c1-net1
	n=$((n + 1))
	edit was/var/lib/cni/results/s-c1-net1 '.cniArgs = [["K8S_POD_NAME", "p"], ["WORD", $s]]'
	edit was/var/lib/cni/results/s-c1-net1 '.capabilityArgs = {"io.kubernetes.cri.pod-annotations": {a: $s}}'
	plant '[{"Conf": {"type": "x", "a": "%s"}}]' >was/var/lib/cni/multus/c1c1c1c1c1c1c1
	# kubelet's checkpoint, features, sriov-cni
	edit $checkpoint '.Data.PodDeviceEntries[0].Env = ["A=" + $s]'
	edit $checkpoint '.Data.Labels = {a: $s}'
	plant '# %s\nvendor.io/x=1\n' >was/etc/kubernetes/node-feature-discovery/features.d/vendor
	plant 'vendor.io/password=%s\n' >was/etc/kubernetes/node-feature-discovery/features.d/more
	plant '/run/netns/x?token=%s' >was/var/lib/cni/sriov/pci/0000:01:11.2
	[ "$n" -eq 42 ]

	"$ctl" --root was record-node node.tar
	mkdir is
	tar -xf node.tar -C is
	run ! grep -raqi hunter is
	run ! grep -qai hunter node.tar
	run ! grep -raq aHVudGVy is
	run ! grep -raq "$(printf hunter | od -An -tx1 | tr -d ' ')" is
	for file in is/var/lib/cni/results/*; do
		[[ $(jq -r '.config | @base64d' "$file") != *hunter* ]]
	done
	grep -raqi hunter was
	diff <(answers was) <(answers is)
	# what is known is still there, and objects are objects
	[ "$(jq -r '.plugins[0].vlan' is/etc/cni/net.d/20-sriov-net.conflist)" = 100 ]
	[ "$(jq -r '.plugins[0].ipam.ranges[0][0].subnet' is/etc/cni/net.d/20-sriov-net.conflist)" = 10.56.0.0/24 ]
	[ "$(jq -r '.plugins[0].nested.a[0].b.c[0]' is/etc/cni/net.d/20-sriov-net.conflist)" = left-out ]
	[ "$(jq -c .cniArgs is/var/lib/cni/results/s-c1-net1)" = '[["K8S_POD_NAME","p"],["left-out","left-out"]]' ]
}

@test "an archive is a new file for its owner alone, or goes to a pipe, and to no terminal" {
	record plain
	[ "$(stat -c %a plain.tar)" = 600 ]
	run --separate-stderr "$ctl" --root plain.was record-node plain.tar
	[ "$status" -eq 1 ]
	[[ $stderr == "devinfoctl: create 'plain.tar' (File exists)"* ]]
	run --separate-stderr script -qec "$ctl --root plain.was record-node -" /dev/null
	[ "$status" -eq 2 ]
	run bash -c '"$1" --root plain.was record-node - >/dev/full' - "$ctl"
	[ "$status" -eq 1 ]
	[[ $output == *'write the archive'* ]]
}

@test "a device that leads to itself is written once" {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/plain.node" was
	mkdir -p was/sys/devices/virtual/net/enx020000000001
	ln -s ../enx020000000001 was/sys/devices/virtual/net/enx020000000001/device
	ln -s ../../devices/virtual/net/enx020000000001 was/sys/class/net/
	"$ctl" --root was record-node node.tar
	[ "$(tar -tf node.tar | grep -c 'virtual/net/enx.*/device$')" = 1 ]
}

@test "a name that is too long for ustar is whole all the same" {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/igb-pods.node" was
	name=$(printf 'n%.0s' {1..120})-c1_net1
	echo '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.6"}}' >"was/var/run/k8s.cni.cncf.io/devinfo/cni/$name"
	ln -s "/run/devinfo/sockets/$(printf 's%.0s' {1..120})" was/run/devinfo/status/long
	"$ctl" --root was record-node node.tar
	mkdir is
	tar -xf node.tar -C is
	cmp {was,is}"/var/run/k8s.cni.cncf.io/devinfo/cni/$name"
	[ "$(readlink is/run/devinfo/status/long)" = "$(readlink was/run/devinfo/status/long)" ]
}
