#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# record.bats - devinfoctl record-node: a recorded node answers as the one that it was made of

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	cd "$BATS_TEST_TMPDIR"
	export DEVINFO_CONF=$PWD/devinfo.json
	echo '{}' >"$DEVINFO_CONF"
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
	echo vendor.io/x=1 >$features_d/vendor
	cd ..
	"$ctl" --root features.was record-node features.tar
	"$top/tests/node/make-node.sh" features.tar features.is
	features() { "$ctl" --root "$1" export nodefeature --node-name n | jq -S .; }
	diff <(features features.was) <(features features.is)
	features features.is >is.json
	[ "$(jq -c '.spec.features.flags | map_values(.elements | length)' is.json)" = \
		'{"kernel.enabledmodule":4,"kernel.loadedmodule":2}' ]
	[ "$(jq -c '.spec.features.attributes["local.label", "memory.numa", "memory.hugepages", "system.dmiid"].elements | length' is.json | paste -sd,)" = 1,2,2,2 ]
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
